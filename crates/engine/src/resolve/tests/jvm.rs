use crate::resolve::testing::check;

#[test]
fn java_packages_imports_and_what_is_external() {
    check(
        &[
            (
                "a/Wire.java",
                "package a;\npublic class Wire {\n    public static final int MAX = 1;\n    public static void open() {}\n    public void send() {}\n    public static class Inner { public void go() {} }\n}\n",
            ),
            (
                "b/Wire.java",
                "package b;\npublic class Wire { public void send() {} }\n",
            ),
            (
                "b/Near.java",
                "package b;\nclass Near { void f() { new Wire().send(); } }\n",
            ),
            (
                "c/One.java",
                "package c;\nimport a.Wire;\nimport static a.Wire.open;\nclass One {\n    void f(Wire w) {\n        w.send();\n        open();\n        Wire.open();\n        new Wire.Inner().go();\n        a.Wire.open();\n    }\n}\n",
            ),
            (
                "c/Two.java",
                "package c;\nimport static a.Wire.*;\nimport a.*;\nimport org.junit.*;\nclass Two {\n    void f() {\n        open();\n        new Wire().send();\n    }\n}\n",
            ),
            (
                "c/Three.java",
                "package c;\nimport org.other.Wire;\nclass Three {\n    void f(Wire w, Unheard u) {\n        w.send();\n        u.send();\n        send();\n    }\n}\n",
            ),
        ],
        "b/Near.java:2 call send -> b/Wire.java#Wire.send calls exact
         c/One.java:6 call send -> a/Wire.java#Wire.send calls exact
         c/One.java:7 call open -> a/Wire.java#Wire.open calls exact
         c/One.java:8 call open -> a/Wire.java#Wire.open calls exact
         c/One.java:9 call go -> a/Wire.java#Wire.Inner.go calls exact
         c/One.java:10 call open -> a/Wire.java#Wire.open calls exact
         c/Two.java:7 call open -> a/Wire.java#Wire.open calls exact
         c/Two.java:8 call send -> a/Wire.java#Wire.send calls exact
         c/Three.java:5 call send -> unbound
         c/Three.java:6 call send -> unbound
         c/Three.java:7 call send -> unbound",
    );
}

#[test]
fn java_members_without_a_receiver_overloads_and_fields_beside_methods() {
    check(
        &[(
            "A.java",
            "class Base {\n    void up() {}\n    void f(int a) {}\n}\nclass A extends Base {\n    int size;\n    int size() { return size; }\n    A() { this(1); }\n    A(int n) { super(); }\n    void f() { f(1); }\n    void f(int a, int b) { f(a); size(); up(); }\n    void f(String s, int b) { f(0, b); }\n    class In { void g() { up(); size(); } }\n    void anon(Runnable size) { size(); new Base() { void h() { other(); up(); } }; }\n}\nrecord R(int x) { int twice() { return x() + x; } }\nclass Use { int f(R r) { return r.x(); } }\n",
        )],
        "A.java:8 call A -> A.java#A.A calls exact
         A.java:10 call f -> A.java#Base.f calls exact
         A.java:11 call f -> A.java#Base.f calls exact
         A.java:11 call size -> A.java#A.size calls exact
         A.java:11 call up -> A.java#Base.up calls exact
         A.java:12 call f -> A.java#A.f calls exact
         A.java:13 call up -> A.java#Base.up calls exact
         A.java:13 call size -> A.java#A.size calls exact
         A.java:14 call size -> A.java#A.size calls exact
         A.java:14 call other -> unbound
         A.java:16 call x -> A.java#R.x calls exact
         A.java:17 call x -> A.java#R.x calls exact
         !A.java#A.f overrides",
    );
}

#[test]
fn java_overrides_take_the_same_parameters() {
    check(
        &[(
            "A.java",
            "interface I { void go(int a); void go(String s); }\nclass C implements I {\n    public void go(int a) {}\n    public void go(String s) {}\n    public void go() {}\n    void use(I i) { i.go(\"x\"); Runnable r = this::go; }\n}\n",
        )],
        "A.java#C.go overrides A.java#I.go
         A.java:6 call go -> A.java#I.go calls possible",
    );
}

#[test]
fn kotlin_top_level_functions_extensions_and_companions() {
    check(
        &[
            (
                "a/util.kt",
                "package a\n\nclass Wire(val n: Int) {\n  fun send() {}\n  companion object {\n    fun open(): Wire = Wire(1)\n  }\n}\nclass Named {\n  companion object Make {\n    fun make() = Named()\n  }\n}\nobject Only {\n  fun run() {}\n}\nfun Wire.twice() { send(); again() }\nfun Wire.again() {}\nfun String.shout() {}\nfun helper() {}\nfun <T> T.tap() {}\n",
            ),
            (
                "b/use.kt",
                "package b\n\nimport a.Wire\nimport a.twice\nimport a.shout\nimport a.helper as help\nimport a.*\n\nfun f(w: Wire, s: String) {\n  w.send()\n  w.twice()\n  s.shout()\n  help()\n  Wire.open().send()\n  Wire(2)\n  Only.run()\n  Named.make()\n  unseen().shout()\n  unseen().send()\n}\n",
            ),
            (
                "c/other.kt",
                "package c\n\nfun helper() {}\nfun g(w: Wire, s: String) { helper(); w.send(); s.shout() }\n",
            ),
            (
                "b/J.java",
                "package b;\nimport a.UtilKt;\nimport a.Wire;\nclass J { void f(Wire w) { UtilKt.helper(); w.getN(); Wire.Companion.open(); } }\n",
            ),
        ],
        "a/util.kt:17 call send -> a/util.kt#Wire.send calls exact
         a/util.kt:17 call again -> a/util.kt#again calls exact
         b/use.kt:10 call send -> a/util.kt#Wire.send calls exact
         b/use.kt:11 call twice -> a/util.kt#twice calls exact
         b/use.kt:12 call shout -> a/util.kt#shout calls resolved
         b/use.kt:13 call help -> a/util.kt#helper calls exact
         b/use.kt:14 call open -> a/util.kt#Wire.open calls exact
         b/use.kt:14 call send -> a/util.kt#Wire.send calls resolved
         b/use.kt:15 call Wire -> a/util.kt#Wire calls exact
         b/use.kt:16 call run -> a/util.kt#Only.run calls exact
         b/use.kt:17 call make -> a/util.kt#Named.Make.make calls exact
         b/use.kt:18 call shout -> a/util.kt#shout calls resolved
         b/use.kt:19 call send -> loose
         c/other.kt:4 call helper -> c/other.kt#helper calls exact
         c/other.kt:4 call send -> unbound
         c/other.kt:4 call shout -> unbound
         b/J.java:4 call helper -> a/util.kt#helper calls exact
         b/J.java:4 call getN -> a/util.kt#Wire.n calls exact
         b/J.java:4 call open -> a/util.kt#Wire.open calls exact",
    );
}

#[test]
fn kotlin_constructors_and_lambdas_with_an_unknown_receiver() {
    check(
        &[(
            "a.kt",
            "open class Base(n: Int) { open fun up() {} }\nclass A(val x: Int) : Base(1) {\n  init { up() }\n  constructor(a: Int, b: Int) : this(a)\n  override fun up() { super.up() }\n  operator fun invoke() {}\n}\nfun f(a: A) {\n  A(1)\n  A(1, 2)\n  a()\n  with(a) { other() }\n  when (val size = size()) { else -> size }\n}\nfun size() = 1\n",
        )],
        "a.kt:3 call up -> a.kt#A.up calls exact
         a.kt:5 call up -> a.kt#Base.up calls exact
         a.kt:9 call A -> a.kt#A calls exact
         !a.kt:9 call A -> a.kt#A.A
         !a.kt:9 call A -> a.kt#A.init
         a.kt:10 call A -> a.kt#A.A calls exact
         a.kt:11 call a -> a.kt#A.invoke calls exact
         a.kt:13 call size -> a.kt#size calls exact
         a.kt#A.up overrides a.kt#Base.up",
    );
}

#[test]
fn scala_objects_classes_and_relative_imports() {
    check(
        &[
            (
                "a/Wire.scala",
                "package acme.net\n\ncase class Wire(n: Int) { def send(): Unit = () }\nobject Wire { def open(): Wire = Wire(1); def send(): Unit = () }\nclass Made(n: Int)\nobject Made { def apply(a: Int, b: Int): Made = new Made(a) }\nobject Tools { def sharpen(): Unit = () }\nobject Rich { implicit class Text(s: String) { def shout(): Unit = () } }\n",
            ),
            (
                "a/package.scala",
                "package acme\n\npackage object net { def all(): Unit = () }\n",
            ),
            (
                "b/Use.scala",
                "package acme\n\nimport net.{Wire => Line, _}\nimport Tools._\nimport Rich._\n\nclass Use {\n  def f(w: Line): Unit = {\n    w.send()\n    Line.send()\n    Line.open().send()\n    Made(1, 2)\n    Made(1)\n    sharpen()\n    \"a\".shout()\n    all()\n    new Made(3)\n  }\n}\n",
            ),
            (
                "c/Out.scala",
                "package other\n\nclass Out { def f(w: Wire): Unit = w.send() }\n",
            ),
            (
                "t/acme/T.scala",
                "package test.acme\n\nimport acme.net.Tools\n\nclass T { def f(): Unit = Tools.sharpen() }\n",
            ),
        ],
        "b/Use.scala:9 call send -> a/Wire.scala#Wire.send calls exact
         b/Use.scala:14 call sharpen -> a/Wire.scala#Tools.sharpen calls exact
         b/Use.scala:15 call shout -> a/Wire.scala#Rich.Text.shout calls possible
         b/Use.scala:16 call all -> a/package.scala#net.all calls exact
         b/Use.scala:17 new Made -> a/Wire.scala#Made calls exact
         b/Use.scala:12 call Made -> a/Wire.scala#Made.apply calls exact
         t/acme/T.scala:5 call sharpen -> a/Wire.scala#Tools.sharpen calls exact
         c/Out.scala:3 call send -> unbound",
    );
}

#[test]
fn a_kotlin_extension_is_no_member_for_java_and_comes_behind_members() {
    check(
        &[
            (
                "a/Factory.java",
                "package a;\npublic interface Factory { Object getBean(String name); }\n",
            ),
            (
                "a/Ext.kt",
                "package a\n\nfun <T> Factory.getBean(vararg args: Any): T = make(args)\nfun Factory.only(): Int = 1\n",
            ),
            (
                "a/Use.java",
                "package a;\nclass Use { void f(Factory x) { x.getBean(\"n\"); x.only(); } }\n",
            ),
            (
                "a/use.kt",
                "package a\n\nfun f(x: Factory) {\n  x.getBean(\"n\")\n  x.getBean(1, 2)\n  x.only()\n}\n",
            ),
        ],
        "a/Use.java:2 call getBean -> a/Factory.java#Factory.getBean calls exact
         !a/Use.java:2 call getBean -> a/Ext.kt
         !a/Use.java:2 call only -> a/Ext.kt
         a/use.kt:4 call getBean -> a/Factory.java#Factory.getBean calls exact
         !a/use.kt:4 call getBean -> a/Ext.kt
         a/use.kt:5 call getBean -> a/Ext.kt#getBean calls exact
         a/use.kt:6 call only -> a/Ext.kt#only calls exact",
    );
}

/// Constructors that only the types of their arguments tell apart are each possible; the number of arguments decides for sure.
#[test]
fn constructors_of_one_length_are_possible() {
    check(
        &[(
            "A.java",
            "class A {\n    A(int n) {}\n    A(String s) {}\n    A(int n, int m) {}\n}\nclass B {\n    A one() { return new A(1); }\n    A two() { return new A(1, 2); }\n}\n",
        )],
        "A.java:7 new A -> A.java#A calls exact
         A.java:7 new A -> A.java#A.A calls possible
         A.java:7 new A -> A.java#A.A calls possible
         A.java:8 new A -> A.java#A calls exact
         A.java:8 new A -> A.java#A.A calls exact",
    );
}
