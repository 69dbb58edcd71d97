//! What Java sources must give.

use super::LANGUAGE;
use crate::languages::testing::*;

#[test]
fn definitions() {
    let text = r#"
package a.b;

/** A shop. */
@Deprecated
public class Shop<T extends Item> extends Base<T> implements Open<T>, Closed {
    private static final int MAX = 3, MIN = 1;
    protected final Item first = new Item();

    /** Makes one. */
    public Shop(int n) { super(n); }

    @Override
    public abstract Item item(String name, int... more);

    enum Mode { ON(1), OFF { int f() { return 0; } } }
    record Pair(Item left, int right) { Pair { check(); } }
    @interface Mark { String value() default ""; }
    static class Inner { void run() {} }
    public static void main(String[] args) { }
    @Test void works() { }
}

interface Open<T> { int LIMIT = 1; void open(T t); default void shut() {} }
"#;
    check(
        symbols(&LANGUAGE, text),
        "class Shop 5-22 -
         constant Shop.MAX 7-7 Shop static
         constant Shop.MIN 7-7 Shop static
         field Shop.first 8-8 Shop
         constructor Shop.Shop 11-11 Shop
         method Shop.item 13-14 Shop declaration override
         enum Shop.Mode 16-16 Shop
         variant Shop.Mode.ON 16-16 Shop.Mode static
         variant Shop.Mode.OFF 16-16 Shop.Mode static
         method Shop.Mode.OFF.f 16-16 Shop.Mode.OFF
         class Shop.Pair 17-17 Shop
         field Shop.Pair.left 17-17 Shop.Pair
         field Shop.Pair.right 17-17 Shop.Pair
         constructor Shop.Pair.Pair 17-17 Shop.Pair
         interface Shop.Mark 18-18 Shop
         method Shop.Mark.value 18-18 Shop.Mark declaration
         class Shop.Inner 19-19 Shop static
         method Shop.Inner.run 19-19 Shop.Inner
         method Shop.main 20-20 Shop static entry
         method Shop.works 21-21 Shop test
         interface Open 24-24 -
         constant Open.LIMIT 24-24 Open static
         method Open.open 24-24 Open declaration
         method Open.shut 24-24 Open",
    );
    check(
        params(&LANGUAGE, text),
        "Shop.Shop 1..1
         Shop.item 1..*
         Shop.Mode.OFF.f 0..0
         Shop.Pair.Pair 2..2
         Shop.Mark.value 0..0
         Shop.Inner.run 0..0
         Shop.main 1..1
         Shop.works 0..0
         Open.open 1..1
         Open.shut 0..0",
    );
    check_among(
        headers(&LANGUAGE, text),
        "public class Shop<T extends Item> extends Base<T> implements Open<T>, Closed // A shop.
         public Shop(int n) // Makes one.
         public abstract Item item(String name, int... more)
         private static final int MAX = 3, MIN = 1
         protected final Item first = new Item()",
    );
    check_among(
        types(&LANGUAGE, text),
        "Shop < Base, Open, Closed
         Shop.first: Item = new(Item)
         Shop.item: Item",
    );
    let facts = crate::extract::extract(&LANGUAGE, text);
    assert_eq!(&*facts.package, "a.b");
}

#[test]
fn supertypes_are_told_from_their_arguments() {
    check(
        refs(
            &LANGUAGE,
            "class A extends x.B<C> implements D<E<F>> {}\ninterface I extends J<K> {}",
        ),
        "inherit x.B 1 A
         implement D 1 A
         type C 1 A
         type E 1 A
         type F 1 A
         inherit J 2 I
         type K 2 I",
    );
}

#[test]
fn imports_of_every_kind() {
    let text = "import a.b.C;\nimport a.*;\nimport static a.C.f;\nimport static a.C.*;\n";
    check(
        imports(&LANGUAGE, text),
        "name a.b C as C
         star a
         name a.C f as f
         star a.C",
    );
    check(
        refs(&LANGUAGE, text),
        "import C 1 <file>
         import ? 2 <file>
         import f 3 <file>
         import ? 4 <file>",
    );
}

#[test]
fn uses() {
    let text = r#"
class A {
    Map<Key, Value> all = Maps.make();
    A(int n) { this(n, 0); }
    void f(List<Item> items, Item... more) throws Bad {
        all.get(1).go(2, 3).stop();
        for (var one : items) { one.sell(); }
        Object made = new Box<Item>(1) { void inner() { outer(); } };
        if (made instanceof Box b && b.full()) { }
        ((Box) made).close();
        this.all = Other.ALL;
        run(A::g, this::h, Item::new);
        Item[] rows = more;
        rows[0].sell();
        int n = ok ? 1 : 2;
        label: while (true) { break label; }
    }
    @Inject(name = NAME) void g() { A.this.all.clear(); super.g(); B.super.g(); }
}
"#;
    check(
        refs(&LANGUAGE, text),
        "type Map 3 A.all
         type Key 3 A.all
         type Value 3 A.all
         call Maps.make 3 A.all
         value Maps 3 A.all
         call this 4 A.A
         type List 5 A.f
         type Item 5 A.f
         type Item 5 A.f
         type Bad 5 A.f
         call all.get().go().stop 6 A.f
         call all.get().go 6 A.f
         call all.get 6 A.f
         value all 6 A.f
         call one.sell 7 A.f
         type Object 8 A.f
         new Box 8 A.f
         type Item 8 A.f
         call outer 8 A.f.inner
         type Box 9 A.f
         call b.full 9 A.f
         call typed(Box).close 10 A.f
         type Box 10 A.f
         value this.all 11 A.f
         value Other.ALL 11 A.f
         value Other 11 A.f
         call run 12 A.f
         value A.g 12 A.f
         value A 12 A.f
         value this.h 12 A.f
         value Item 12 A.f
         type Item 13 A.f
         call elem(rows).sell 14 A.f
         value ok 15 A.f
         decorator Inject 18 A.g
         value NAME 18 A.g
         call typed(A).all.clear 18 A.g
         value typed(A).all 18 A.g
         value A 18 A.g
         call super.g 18 A.g
         call super.g 18 A.g
         value B 18 A.g",
    );
    check(
        locals(&LANGUAGE, text),
        "n: lit
         items: List[Item]
         more: ?[Item]
         one = elem(items)
         made: Object = new(Box[Item])
         b: Box
         rows: ?[Item] = more
         n: lit = (lit|lit)",
    );
}

#[test]
fn switches_catches_lambdas_and_resources() {
    let text = r#"
class A {
    void f(Mode mode) {
        switch (mode) { case ON: one(); break; default: two(); }
        int n = switch (mode) { case Pair(Item l, var r) -> l.go(); case Box b -> b.go(); };
        try (Reader in = open()) { in.read(); } catch (Bad | Worse e) { e.show(); }
        run((a, b) -> a.go(), x -> x.go(), () -> new Item());
    }
    class Bad extends Exception { Bad() { super("x"); } }
}
"#;
    check(
        refs(&LANGUAGE, text),
        "type Mode 3 A.f
         value (ON|mode.ON) 4 A.f
         call one 4 A.f
         call two 4 A.f
         type Pair 5 A.f
         type Item 5 A.f
         call l.go 5 A.f
         type Box 5 A.f
         call b.go 5 A.f
         type Reader 6 A.f
         call open 6 A.f
         call in.read 6 A.f
         type Bad 6 A.f
         type Worse 6 A.f
         call e.show 6 A.f
         call run 7 A.f
         call a.go 7 A.f
         call x.go 7 A.f
         new Item 7 A.f
         inherit Exception 9 A.Bad
         call super 9 A.Bad.Bad",
    );
    check_among(
        locals(&LANGUAGE, text),
        "in: Reader = open()
         e: (Bad|Worse)
         l: Item
         r
         x",
    );
}

#[test]
fn deep_nesting_and_broken_text_are_read() {
    let deep = format!(
        "class A {{ int f() {{ return {}x{}; }} }}",
        "g(".repeat(3000),
        ")".repeat(3000)
    );
    assert_eq!(refs(&LANGUAGE, &deep).len(), 3001);
    let chain = format!("class A {{ void f() {{ x{}; }} }}", ".g()".repeat(3000));
    assert_eq!(refs(&LANGUAGE, &chain).len(), 3001);
    check_among(
        symbols(&LANGUAGE, "class A { void f( { }\n void g() { } }\nclass B { }"),
        "class B 3-3 -",
    );
}
