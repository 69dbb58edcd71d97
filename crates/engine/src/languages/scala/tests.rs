//! What Scala sources must give.

use super::LANGUAGE;
use crate::languages::testing::*;

#[test]
fn definitions() {
    let text = r#"package shop.core
/** A shop. */
@deprecated("x")
case class Shop[T <: Item](n: Int, items: List[Item])(implicit ec: Ec) extends Base[T](n) with Open[Foo] with Closed {
  private val max: Int = 1
  lazy val late = Foo()
  val (a, b) = pair()
  def this(x: Int) = this(x, Nil)
  override def find(name: String, n: Int = 1, more: Int*): Option[Item] = { def local() = 1; None }
  def abs: Int
  type H = Map[Int, Foo]
  class Inner(val x: Int, y: Int)
}
object Shop { def make() = new Shop(1) }
trait Open { def open(): Unit; val x: Int }
enum Mode(val n: Int) {
  case On extends Mode(1)
  case Off, Mid
  case Pair(a: Item)
}
given ord: Ordering[Item] with { def compare(a: Item, b: Item) = 0 }
extension (s: Text) def shout(n: Int): Text = s.upper
object Main extends App { def main(args: Array[String]): Unit = {} }
"#;
    check(
        symbols(&LANGUAGE, text),
        "class Shop 3-13 -
         field Shop.n 4-4 Shop
         field Shop.items 4-4 Shop
         field Shop.max 5-5 Shop
         field Shop.late 6-6 Shop
         field Shop.a 7-7 Shop
         field Shop.b 7-7 Shop
         constructor Shop.Shop 8-8 Shop
         method Shop.find 9-9 Shop override
         function Shop.find.local 9-9 Shop.find
         method Shop.abs 10-10 Shop declaration getter
         type Shop.H 11-11 Shop
         class Shop.Inner 12-12 Shop
         field Shop.Inner.x 12-12 Shop.Inner
         object Shop 14-14 - static
         method Shop.make 14-14 Shop
         trait Open 15-15 -
         method Open.open 15-15 Open declaration
         field Open.x 15-15 Open declaration
         enum Mode 16-20 -
         field Mode.n 16-16 Mode
         variant Mode.On 17-17 Mode static
         variant Mode.Off 18-18 Mode static
         variant Mode.Mid 18-18 Mode static
         variant Mode.Pair 19-19 Mode static
         field Mode.Pair.a 19-19 Mode.Pair
         object ord 21-21 -
         method ord.compare 21-21 ord
         function shout 22-22 - extension
         object Main 23-23 - static
         method Main.main 23-23 Main entry",
    );
    check_among(
        types(&LANGUAGE, text),
        "Shop < Base, Open, Closed
         Shop.late = Foo()
         Shop.find: Option[Item]
         Shop.make = new(Shop)
         Shop.H: Map[Foo]
         ord: Ordering[Item] < Ordering",
    );
    check_among(
        params(&LANGUAGE, text),
        "Shop.find 1..*
         Shop.abs 0..0
         shout 1..1",
    );
    assert_eq!(&*crate::extract::extract(&LANGUAGE, text).package, "shop.core");
}

#[test]
fn imports_of_every_kind() {
    let text = "import a.b.C\nimport a.b.{D, E => F, G => _, _}\nimport x.y.*\nimport p.given\nimport q.{R as S}\nimport m.A, n.B\n";
    check(
        imports(&LANGUAGE, text),
        "name a.b C as C
         name a.b D as D
         name a.b E as F
         star a.b
         star x.y
         star p
         name q R as S
         name m A as A
         name n B as B",
    );
}

#[test]
fn uses() {
    let text = r#"
object Main {
  def f(item: Item, any: Any, repo: Repo): Unit = {
    val a = item.bar(1).asInstanceOf[Box]
    for { i <- repo.all(); j = i.go() } yield j.x
    any match {
      case b: Box => b.open()
      case Pair(l, r) if l.ok => l.go()
      case Mode.On => 1
      case _ => 2
    }
    items.map { x => x.name }
    items.map((x: Item) => x.ok)
    run(helper, this.go, Foo.bar _)
    val t = s"hi ${item.name} $MAX"
    try { go() } catch { case e: Bad => e.show() }
    map(key).go()
    a to b
    super.foo()
    foo(name = 1) { go() }
    new Foo[Bar](2) { def inner() = outer() }
    make[Item](1) + 2
    x :+ y
  }
}
class A extends B[C](1) with pkg.D[E]
"#;
    check(
        refs(&LANGUAGE, text),
        "type Item 3 Main.f
         type Any 3 Main.f
         type Repo 3 Main.f
         type Unit 3 Main.f
         value item.bar().asInstanceOf 4 Main.f
         call item.bar 4 Main.f
         type Box 4 Main.f
         call repo.all 5 Main.f
         call i.go 5 Main.f
         value j.x 5 Main.f
         type Box 7 Main.f
         call b.open 7 Main.f
         type Pair 8 Main.f
         value l.ok 8 Main.f
         call l.go 8 Main.f
         value Mode.On 9 Main.f
         value Mode 9 Main.f
         call items.map 12 Main.f
         value items 12 Main.f
         value x.name 12 Main.f
         call items.map 13 Main.f
         value items 13 Main.f
         type Item 13 Main.f
         value x.ok 13 Main.f
         call run 14 Main.f
         value helper 14 Main.f
         value this.go 14 Main.f
         value Foo.bar 14 Main.f
         value Foo 14 Main.f
         value item.name 15 Main.f
         value MAX 15 Main.f
         call go 16 Main.f
         type Bad 16 Main.f
         call e.show 16 Main.f
         call map().go 17 Main.f
         call map 17 Main.f
         value key 17 Main.f
         call a.to 18 Main.f
         value b 18 Main.f
         call super.foo 19 Main.f
         call foo 20 Main.f
         call go 20 Main.f
         new Foo 21 Main.f
         type Bar 21 Main.f
         call outer 21 Main.f.inner
         call make 22 Main.f
         type Item 22 Main.f
         call x.:+ 23 Main.f
         value x 23 Main.f
         value y 23 Main.f
         inherit B 26 A
         new B 26 A
         implement pkg.D 26 A
         type C 26 A
         type E 26 A",
    );
    check(
        locals(&LANGUAGE, text),
        "item: Item
         any: Any
         repo: Repo
         a = typed(Box)
         i = elem(repo.all())
         j = i.go()
         b: Box
         r
         l
         x
         x: Item
         t = lit
         e: Bad",
    );
}

#[test]
fn deep_nesting_is_read() {
    let deep = format!("object A {{ def f = {}x{} }}", "g(".repeat(500), ")".repeat(500));
    assert_eq!(refs(&LANGUAGE, &deep).len(), 501);
}
