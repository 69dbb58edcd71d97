//! Small sources and what extraction says about them.

use super::LANGUAGE;
use crate::extract::extract;
use crate::facts::SymbolFlags;
use crate::languages::testing::{check, exports, impls, imports, locals, refs, symbols, types};

const ITEMS: &str = "/// Doc of S.
#[derive(Debug, Ser)]
pub struct S<T: Tr> {
    pub a: Vec<T>,
    b: Option<Box<Foo>>,
}
struct Tup(pub Foo, u8);
enum E { A, B(Foo, Bar), C { x: Foo } }
pub trait Tr: Base {
    const K: usize;
    type Out;
    fn req(&self, n: u8) -> Foo;
    fn def(&self) { self.req(1); }
    fn assoc() -> Self;
}
impl<T: Tr> S<T> {
    pub const N: usize = helper();
    #[inline]
    pub fn new(a: T) -> Self { Self { a, b: None } }
    async fn go(&mut self) -> Result<Foo, Error> { self.b }
}
impl fmt::Display for S<u8> { fn fmt(&self) -> fmt::Result {} }
static G: Foo = Foo::new();
type Alias = HashMap<String, Foo>;
macro_rules! mm { ($a:expr) => { $crate::helper($a.bar(), Baz { q: 1 }) }; }
fn main() {}
#[cfg(test)]
mod tests {
    //! Inner doc.
    struct T1;
    impl T1 { fn m(&self) {} }
    #[test]
    fn works() {}
}
";

#[test]
fn items_and_their_members() {
    check(
        symbols(&LANGUAGE, ITEMS),
        "struct S 2-6 -
         field S.a 4-4 S
         field S.b 5-5 S
         struct Tup 7-7 -
         enum E 8-8 -
         variant E.A 8-8 E
         variant E.B 8-8 E
         variant E.C 8-8 E
         field E.C.x 8-8 E.C
         trait Tr 9-15 -
         constant Tr.K 10-10 Tr static declaration
         type Tr.Out 11-11 Tr declaration
         method Tr.req 12-12 Tr declaration
         method Tr.def 13-13 Tr
         method Tr.assoc 14-14 Tr static declaration
         constant S.N 17-17 - static
         method S.new 18-19 - static
         method S.go 20-20 - async
         method S.fmt 22-22 -
         variable G 23-23 -
         type Alias 24-24 -
         macro mm 25-25 -
         function main 26-26 - entry
         module tests 27-34 - test
         struct tests.T1 30-30 tests test
         method tests.T1.m 31-31 tests test
         function tests.works 32-33 tests test",
    );
    check(
        types(&LANGUAGE, ITEMS),
        "S
         S.a: Vec[T]
         S.b: Option[Box[Foo]]
         Tup
         E
         E.A
         E.B
         E.C
         E.C.x: Foo
         Tr < Base
         Tr.K: lit
         Tr.Out
         Tr.req: Foo
         Tr.def
         Tr.assoc: Self
         S.N: lit = helper()
         S.new: Self
         S.go: Result[Foo]
         S.fmt: fmt.Result
         G: Foo = Foo.new()
         Alias: HashMap[Foo]
         mm
         main
         tests
         tests.T1
         tests.T1.m
         tests.works",
    );
    check(
        impls(&LANGUAGE, ITEMS),
        "S[T]: -
         S[lit]: fmt.Display
         T1: -",
    );
    let facts = extract(&LANGUAGE, ITEMS);
    assert_eq!(&*facts.symbols[0].doc, "Doc of S.");
    assert_eq!(&*facts.symbols[0].signature, "pub struct S<T: Tr>");
    assert_eq!(&*facts.symbols[23].doc, "Inner doc.");
    assert_eq!(&*facts.symbols[16].signature, "pub fn new(a: T) -> Self");
    assert!(facts.symbols[0].flags.has(SymbolFlags::EXPORTED));
    assert!(!facts.symbols[3].flags.has(SymbolFlags::EXPORTED));
}

#[test]
fn uses_in_items() {
    check(
        refs(&LANGUAGE, ITEMS).into_iter().take(33).collect(),
        "decorator Ser 2 <file>
         type Tr 3 S
         type Vec 4 S.a
         type Option 5 S.b
         type Box 5 S.b
         type Foo 5 S.b
         type Foo 7 Tup
         type Foo 8 E.B
         type Bar 8 E.B
         type Foo 8 E.C.x
         inherit Base 9 Tr
         type Foo 12 Tr.req
         call this.req 13 Tr.def
         type Tr 16 <file>
         type S 16 <file>
         call helper 17 S.N
         new Self 19 S.new
         value Self.b 19 S.new
         type Result 20 S.go
         type Foo 20 S.go
         type Error 20 S.go
         value this.b 20 S.go
         implement fmt.Display 22 <file>
         type S 22 <file>
         type fmt.Result 22 S.fmt
         type Foo 23 G
         call Foo.new 23 G
         type Foo 23 G
         type HashMap 24 Alias
         type String 24 Alias
         type Foo 24 Alias
         call crate.helper 25 mm
         call ?.bar 25 mm",
    );
}

#[test]
fn uses_of_every_role() {
    check(
        refs(
            &LANGUAGE,
            "fn f(q: Q) {
    q.go()?.next::<Bar>();
    <T as Tr>::assoc();
    Vec::<Foo>::with_capacity(1);
    io::Error::new(K, g);
    let r = Foo { a: 1, ..Default::default() };
    register(Self::new, helper, q.cb);
    match e { E::B(f, _) => f.ff(), Foo { z, .. } => z.zz() }
    let c: &dyn Fn(Foo) = &|f| f.x();
}
",
        ),
        "type Q 1 f
         call inner(q.go()).next 2 f
         call q.go 2 f
         type Bar 2 f
         call T.assoc 3 f
         type T 3 f
         type Tr 3 f
         call Vec.with_capacity 4 f
         type Vec 4 f
         type Foo 4 f
         call io.Error.new 5 f
         type io.Error 5 f
         value K 5 f
         value g 5 f
         new Foo 6 f
         value Foo.a 6 f
         call Default.default 6 f
         type Default 6 f
         call register 7 f
         value Self.new 7 f
         value helper 7 f
         value q.cb 7 f
         value e 8 f
         type E.B 8 f
         type E 8 f
         call f.ff 8 f
         type Foo 8 f
         value Foo.z 8 f
         call z.zz 8 f
         type Fn 9 f
         type Foo 9 f
         call f.x 9 f",
    );
}

#[test]
fn macro_arguments_are_read() {
    check(
        refs(
            &LANGUAGE,
            "fn f(&self) {
    println!(\"{} {y} {CONST:?}\", self.b.run(1, z), a = E::A, b = net::get::<Bar>(q.r)?.z);
    assert_eq!(super::helper(1), S::new(2).b);
    mine!(self.a.first().unwrap().name(), format!(\"x\", inner()), { fn not() { yes() } });
    a::b!(Foo { x: 1 }, if (x) { go() });
}
",
        ),
        "value y 2 f
         value CONST 2 f
         value this.b 2 f
         call this.b.run 2 f
         type E 2 f
         value E.A 2 f
         type Bar 2 f
         call net.get 2 f
         value inner(net.get()).z 2 f
         value z 2 f
         value q 2 f
         value q.r 2 f
         call super.helper 3 f
         type S 3 f
         call S.new 3 f
         value S.new().b 3 f
         call mine 4 f
         value this.a 4 f
         call this.a.first 4 f
         call (this.a.first()|elem(this.a)).unwrap 4 f
         call inner((this.a.first()|elem(this.a))).name 4 f
         call inner 4 f
         call yes 4 f
         call a.b 5 f
         new Foo 5 f
         value x 5 f
         call go 5 f",
    );
}

#[test]
fn what_a_format_string_names_stands_on_its_own_line() {
    check(
        refs(
            &LANGUAGE,
            "fn f() {\n    print!(\"{x}\n{{no}} {y}\n\n{z} {w:?}\");\n}\n",
        ),
        "value x 2 f
         value y 3 f
         value z 5 f
         value w 5 f",
    );
}

#[test]
fn locals_know_their_type_or_value() {
    check(
        locals(
            &LANGUAGE,
            "fn f<T: Tr>(&self, it: &dyn Tr, b: Box<Foo>, (p, q): (A, B)) where T: Other {
    for (i, v) in self.a.iter().enumerate() {}
    if let Some(b) = &self.b {}
    let y = match self.b { Some(q) => q, None => return };
    match e { E::B(f, _) => 1, E::C { x } => 2, Foo { w: ww, .. } => 3, NONE => 4 }
    let g = xs.iter().map(|p| 1);
    let h = Arc::new(Foo::make());
    let Some(k) = opt else { return };
    let late;
    late = Foo { a };
    let m = self.m.lock().unwrap();
    let w = load().await?;
    let c = v as Foo;
    let mut d: Vec<Foo> = vec![];
}
",
        ),
        "T: (Tr|Other)
         it: Tr
         b: Box[Foo]
         0: A
         1: B
         p = typed({0: A, 1: B}).0
         q = typed({0: A, 1: B}).1
         i = elem(this.a).0
         v = (elem(this.a).1|elem(this.a))
         b = inner(this.b)
         y = inner(this.b)
         q = inner(this.b)
         f = E.B.0
         x = E.C.x
         ww = Foo.w
         g = (xs.iter()|xs).map()
         p = elem(xs)
         h = Foo.make()
         k = inner(opt)
         late
         late = new(Foo)
         m = inner((this.m.lock()|this.m))
         w = inner(inner(load()))
         c = typed(Foo)
         d: Vec[Foo] = lit",
    );
}

#[test]
fn use_trees_are_flattened() {
    let source = "use crate::{net::{self, Conn as C, http::*}, x};
pub use super::err::Error;
use serde;
use ::root::T;
use a::Tr as _;
pub mod sub;
#[path = \"other.rs\"]
mod renamed;
extern crate foo as bar;
pub(crate) use m::*;
";
    check(
        imports(&LANGUAGE, source),
        "name crate net as net
         name crate::net Conn as C
         star crate::net::http
         name crate x as x
         name super::err Error as Error
         module serde as serde
         name ::root T as T
         name a Tr
         module self::sub as sub
         module self::renamed#other.rs as renamed
         module foo as bar
         star m",
    );
    check(
        exports(&LANGUAGE, source),
        "from Error super::err Error
         from sub self::sub
         star m",
    );
}

#[test]
fn absurd_nesting_is_survived() {
    for body in [
        format!("{}x{};", "f(".repeat(10_000), ")".repeat(10_000)),
        format!("m!{}{};", "(".repeat(10_000), ")".repeat(10_000)),
        format!("x{};", ".a()".repeat(5_000)),
        format!("let {}a{} = 1;", "(".repeat(3_000), ",)".repeat(3_000)),
        format!("{}{}", "{".repeat(5_000), "}".repeat(5_000)),
        format!("let g = || {}1{};", "(".repeat(10_000), ",)".repeat(10_000)),
        format!("let g = || x{};", "?".repeat(10_000)),
        format!("let x: {}u8{} = 1;", "Vec<".repeat(3_000), ">".repeat(3_000)),
    ] {
        let facts = extract(&LANGUAGE, &format!("fn f() {{\n{body}\n}}\n"));
        assert_eq!(facts.lines, 3);
    }
    let nested = format!("use {}a{};", "a::{".repeat(2_000), "}".repeat(2_000));
    assert_eq!(extract(&LANGUAGE, &nested).lines, 1);
}
