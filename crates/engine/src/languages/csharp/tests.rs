//! What C# sources must give.

use super::LANGUAGE;
use crate::languages::testing::*;

#[test]
fn definitions() {
    let text = r#"
using System;
namespace Shop.Core
{
    /// <summary>A shop.</summary>
    [Serializable]
    public partial class Shop<T> : Base<T>, IOpen<Item> where T : Item
    {
        private static readonly int Max = 3, Min = 1;
        public const string Name = "x";
        public event Handler Changed;
        public Shop(int n) : base(n) { }
        static Shop() { }
        ~Shop() { }
        [Fact] public async Task<Item> Find(string name, int n = 1, params int[] more) => null;
        protected override void Run() { int Local(int x) => x; Local(1); }
        public Item First { get; set; } = new Item();
        public int Count => items.Count;
        public Item this[int i] { get { return items[i]; } set { items[i] = value; } }
        public static Shop operator +(Shop a, Shop b) => a;
        public static implicit operator int(Shop s) => 1;
        class Inner { }
        public static void Main(string[] args) { }
    }
    public enum Mode { On = 1, Off }
    public delegate int Handler(int n);
    public record Pair(Item Left, int Right) : Thing(Left);
    public readonly struct Point : IEquatable<Point> { public int X; }
    interface IOpen<T> { void Open(T t); int Size { get; } }
    static class Extensions { public static int Twice(this Item item, int n) => 1; }
}
"#;
    check(
        symbols(&LANGUAGE, text),
        "class Shop 6-24 -
         constant Shop.Max 9-9 Shop static
         constant Shop.Min 9-9 Shop static
         constant Shop.Name 10-10 Shop static
         property Shop.Changed 11-11 Shop
         constructor Shop.Shop 12-12 Shop
         constructor Shop.Shop 13-13 Shop static
         method Shop.~Shop 14-14 Shop
         method Shop.Find 15-15 Shop test async
         method Shop.Run 16-16 Shop override
         function Shop.Run.Local 16-16 Shop.Run
         property Shop.First 17-17 Shop getter
         property Shop.Count 18-18 Shop getter
         property Shop.this[] 19-19 Shop getter
         method Shop.operator+ 20-20 Shop static
         method Shop.operator int 21-21 Shop static
         class Shop.Inner 22-22 Shop
         method Shop.Main 23-23 Shop static entry
         enum Mode 25-25 -
         variant Mode.On 25-25 Mode static
         variant Mode.Off 25-25 Mode static
         type Handler 26-26 -
         class Pair 27-27 -
         property Pair.Left 27-27 Pair getter
         property Pair.Right 27-27 Pair getter
         struct Point 28-28 -
         field Point.X 28-28 Point
         interface IOpen 29-29 -
         method IOpen.Open 29-29 IOpen declaration
         property IOpen.Size 29-29 IOpen declaration getter
         class Extensions 30-30 - static
         method Extensions.Twice 30-30 Extensions static extension",
    );
    check_among(
        types(&LANGUAGE, text),
        "Shop < Base, IOpen
         Shop.Find: Task[Item]
         Pair < Thing
         Point < IEquatable
         Shop.First: Item = new(Item)
         Shop.Count: lit = items.Count",
    );
    check_among(
        params(&LANGUAGE, text),
        "Shop.Find 1..*
         Shop.Run 0..0
         Extensions.Twice 1..2",
    );
    check_among(
        headers(&LANGUAGE, text),
        "public partial class Shop<T> : Base<T>, IOpen<Item> where T : Item // A shop.",
    );
    assert_eq!(&*crate::extract::extract(&LANGUAGE, text).package, "Shop.Core");
}

#[test]
fn namespaces() {
    let two = "namespace A.B { class X { } }\nnamespace C { class Y { void F() { } } }";
    check(
        symbols(&LANGUAGE, two),
        "namespace A 1-1 -
         namespace A.B 1-1 A
         class A.B.X 1-1 A.B
         namespace C 2-2 -
         class C.Y 2-2 C
         method C.Y.F 2-2 C.Y",
    );
    let scoped = "namespace A.B;\nclass X { }";
    assert_eq!(&*crate::extract::extract(&LANGUAGE, scoped).package, "A.B");
    check(symbols(&LANGUAGE, scoped), "class X 2-2 -");
}

#[test]
fn imports_of_every_kind() {
    let text = "using System.Text;\nusing static A.B.C;\nusing F = A.B.Foo;\nglobal using G;\nusing L = List<int>;";
    check(
        imports(&LANGUAGE, text),
        "star System.Text
         star A.B.C
         name A.B Foo as F
         star G",
    );
    check(symbols(&LANGUAGE, text), "type L 5-5 - private");
    assert_eq!(crate::extract::extract(&LANGUAGE, text).exports.len(), 1);
}

#[test]
fn uses() {
    let text = r#"
class A : Base
{
    private readonly List<Item> items = Make<Item>();
    A(int n) : this(n, 0) { }
    async Task F(Item? item, Dictionary<Key, Value> map, Func<int> go)
    {
        item?.Sell(1).Stop();
        foreach (var one in items) { one.Sell(); }
        var made = new Box<Item>(1) { Size = 2 };
        if (made is Box b && b.Full()) { }
        ((Box)made).Close();
        (made as Lid).Shut();
        this.items.Clear();
        Run(Helper, this.Other, A.Third, nameof(items));
        map[key].Go();
        var text = $"{item.Name}";
        await LoadAsync();
        switch (made) { case Lid lid: lid.Shut(); break; case Mode.On: break; }
        if (map.TryGetValue(key, out var found)) found.Go();
        items.Select(i => i.Name);
        Changed += OnChanged;
        try { } catch (Bad e) { e.Show(); }
        global::System.Console.Write(Box.Max);
        var q = from i in items where i.Good() select i;
        Call(name: item);
    }
    [Obsolete(Text)] void G() { base.G(); typeof(Item).ToString(); }
}
"#;
    check(
        refs(&LANGUAGE, text),
        "inherit Base 2 A
         type List 4 A.items
         type Item 4 A.items
         call Make 4 A.items
         type Item 4 A.items
         call this 5 A.A
         type Task 6 A.F
         type Item 6 A.F
         type Dictionary 6 A.F
         type Key 6 A.F
         type Value 6 A.F
         type Func 6 A.F
         call item.Sell().Stop 8 A.F
         call item.Sell 8 A.F
         value items 9 A.F
         call one.Sell 9 A.F
         new Box 10 A.F
         value new(Box[Item]).Size 10 A.F
         type Item 10 A.F
         type Box 11 A.F
         call b.Full 11 A.F
         call typed(Box).Close 12 A.F
         type Box 12 A.F
         call typed(Lid).Shut 13 A.F
         type Lid 13 A.F
         call this.items.Clear 14 A.F
         value this.items 14 A.F
         call Run 15 A.F
         value Helper 15 A.F
         value this.Other 15 A.F
         value A.Third 15 A.F
         value A 15 A.F
         value items 15 A.F
         call elem(map).Go 16 A.F
         value key 16 A.F
         value item.Name 17 A.F
         call LoadAsync 18 A.F
         type Lid 19 A.F
         call lid.Shut 19 A.F
         value Mode.On 19 A.F
         value Mode 19 A.F
         call map.TryGetValue 20 A.F
         value key 20 A.F
         call found.Go 20 A.F
         call items.Select 21 A.F
         value items 21 A.F
         value i.Name 21 A.F
         value Changed 22 A.F
         value OnChanged 22 A.F
         type Bad 23 A.F
         call e.Show 23 A.F
         call ::System.Console.Write 24 A.F
         value ::System.Console 24 A.F
         type ::System 24 A.F
         value Box.Max 24 A.F
         value Box 24 A.F
         value items 25 A.F
         call i.Good 25 A.F
         call Call 26 A.F
         decorator Obsolete 28 A.G
         value Text 28 A.G
         call super.G 28 A.G
         call lit.ToString 28 A.G
         type Item 28 A.G",
    );
    check_among(
        locals(&LANGUAGE, text),
        "item: Item
         map: Dictionary[Value]
         one = elem(items)
         made = new(Box[Item])
         b: Box
         lid: Lid
         found
         e: Bad
         i
         i = elem(items)",
    );
}

#[test]
fn conditional_parts_all_count() {
    let text = "class A {\n#if DEBUG && X\n void F() { }\n#else\n void G() { }\n#endif\n}";
    check(
        symbols(&LANGUAGE, text),
        "class A 1-7 -
         method A.F 3-3 A
         method A.G 5-5 A",
    );
    check(refs(&LANGUAGE, text), "");
}

#[test]
fn deep_nesting_is_read() {
    let deep = format!(
        "class A {{ int F() {{ return {}x{}; }} }}",
        "G(".repeat(2000),
        ")".repeat(2000)
    );
    assert_eq!(refs(&LANGUAGE, &deep).len(), 2001);
}
