//! What Kotlin sources must give.

use super::LANGUAGE;
use crate::languages::testing::*;

#[test]
fn definitions() {
    let text = r#"package demo.x
/** A shop. */
@Ann("x")
open class Shop<T : Item>(private val n: Int, items: List<Item>? = null, vararg z: Foo) : Base<T>(n), Open, Del by z, Last {
    companion object {
        const val MAX = 1
        fun make(): Shop = Shop(1)
    }
    object Inner { fun run() {} }
    constructor(x: Int) : this(x, null) { }
    init { go() }
    val size: Int
        get() = items.size
    var name = Name()
        private set
    val late by lazy { Foo() }
    override suspend fun find(name: String, n: Int = 1, vararg more: Int): Item? = null
    @Test fun works() { fun local() {} }
}
private fun String.shout() = this.uppercase()
val List<Foo>.second: Foo get() = this[1]
enum class Mode(val n: Int) : I {
    ON(1), OFF(2);
    fun f() {}
}
typealias H = Map<Int, Foo>
object Rooms : Base()
interface Open {
    fun open()
    val x: Int
}
fun main() { }
"#;
    check(
        symbols(&LANGUAGE, text),
        "class Shop 3-19 -
         property Shop.n 4-4 Shop getter
         constant Shop.MAX 6-6 Shop static
         method Shop.make 7-7 Shop static
         object Shop.Inner 9-9 Shop static
         method Shop.Inner.run 9-9 Shop.Inner
         constructor Shop.Shop 10-10 Shop
         constructor Shop.init 11-11 Shop
         property Shop.size 12-13 Shop getter
         property Shop.name 14-15 Shop getter
         property Shop.late 16-16 Shop getter
         method Shop.find 17-17 Shop override
         method Shop.works 18-18 Shop test
         function Shop.works.local 18-18 Shop.works
         function shout 20-20 - private extension
         property second 21-21 - extension getter
         enum Mode 22-25 -
         property Mode.n 22-22 Mode getter
         variant Mode.ON 23-23 Mode static
         variant Mode.OFF 23-23 Mode static
         method Mode.f 24-24 Mode
         type H 26-26 -
         object Rooms 27-27 - static
         interface Open 28-31 -
         method Open.open 29-29 Open declaration
         property Open.x 30-30 Open declaration getter
         function main 32-32 - entry",
    );
    check_among(
        types(&LANGUAGE, text),
        "Shop < Base, Open, Del, Last
         Shop.make: Shop
         Shop.size: Int = items.size
         Shop.name = Name()
         Shop.late = Foo()
         Shop.find: Item
         shout = this.uppercase()
         H: Map[Foo]",
    );
    check_among(
        params(&LANGUAGE, text),
        "Shop.find 1..*
         Shop.make 0..0
         Shop.Shop 1..1",
    );
    check_among(
        headers(&LANGUAGE, text),
        "open class Shop<T : Item>(private val n: Int, items: List<Item>? = null, vararg z: Foo) : Base<T>(n), Open, Del by z, Last // A shop.",
    );
    assert_eq!(&*crate::extract::extract(&LANGUAGE, text).package, "demo.x");
}

#[test]
fn supertypes_and_imports() {
    let text = "import a.b.C\nimport a.b.*\nimport a.b.f as g\nclass A : B<C>(1), D<E>\ninterface I : J\n";
    check(
        imports(&LANGUAGE, text),
        "name a.b C as C
         star a.b
         name a.b f as g",
    );
    check(
        refs(&LANGUAGE, text),
        "import C 1 <file>
         import ? 2 <file>
         import g 3 <file>
         inherit B 4 A
         new B 4 A
         implement D 4 A
         type C 4 A
         type E 4 A
         inherit J 5 I",
    );
}

#[test]
fn uses() {
    let text = r#"
class A(val repo: Repo) {
    fun f(item: Item?, map: Map<Key, Foo>, any: Any) {
        val a = item?.bar(1)!!.baz as Box
        for (i in repo.all()) { i.go() }
        if (any is Lid && any.ok) any.shut()
        when (any) {
            is Box -> any.open()
            Mode.ON -> 1
            else -> 3
        }
        items.map { it.name }.filter { x: Item -> x.ok }
        run(::helper, this::go, Foo::bar)
        val t = "hi ${item.name} $TITLE"
        val o = object : Listener<Foo>() { override fun on() { item.z() } }
        try { } catch (e: Bad) { e.show() }
        map[KEY].go()
        super.f()
        foo(name = 1) { go() }
        a to b
        this@A.stop()
        val made = Foo().apply { set() }
        made.use()
        val either = one() ?: return
    }
}
"#;
    check(
        refs(&LANGUAGE, text),
        "type Repo 2 A.repo
         type Item 3 A.f
         type Map 3 A.f
         type Key 3 A.f
         type Foo 3 A.f
         type Any 3 A.f
         value item.bar().baz 4 A.f
         call item.bar 4 A.f
         type Box 4 A.f
         call repo.all 5 A.f
         value repo 5 A.f
         call i.go 5 A.f
         type Lid 6 A.f
         value any.ok 6 A.f
         call any.shut 6 A.f
         type Box 8 A.f
         call any.open 8 A.f
         value Mode.ON 9 A.f
         value Mode 9 A.f
         call items.map().filter 12 A.f
         call items.map 12 A.f
         value items 12 A.f
         value ?.name 12 A.f
         type Item 12 A.f
         value x.ok 12 A.f
         call run 13 A.f
         value helper 13 A.f
         value this.go 13 A.f
         value Foo.bar 13 A.f
         value Foo 13 A.f
         value item.name 14 A.f
         value TITLE 14 A.f
         new Listener 15 A.f
         type Foo 15 A.f
         call item.z 15 A.f.on
         type Bad 16 A.f
         call e.show 16 A.f
         call elem(map).go 17 A.f
         value KEY 17 A.f
         call super.f 18 A.f
         call foo 19 A.f
         call go 19 A.f
         call a.to 20 A.f
         value b 20 A.f
         call typed(A).stop 21 A.f
         call Foo().apply 22 A.f
         call Foo 22 A.f
         call set 22 A.f
         call made.use 23 A.f
         call one 24 A.f",
    );
    check(
        locals(&LANGUAGE, text),
        "item: Item
         map: Map[Foo]
         any: Any
         a = typed(Box)
         i = elem(repo.all())
         any: Lid
         any: Box
         x: Item
         t = lit
         o = new(Listener[Foo])
         e: Bad
         made = Foo()
         either = one()",
    );
}

#[test]
fn deep_nesting_is_read() {
    let deep = format!("fun f() {{ {}x{} }}", "g(".repeat(1000), ")".repeat(1000));
    assert_eq!(refs(&LANGUAGE, &deep).len(), 1001);
}
