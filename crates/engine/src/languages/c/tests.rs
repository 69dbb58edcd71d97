//! What C and C++ sources must give.

use super::{C, CPP};
use crate::languages::testing::*;

#[test]
fn definitions_of_c() {
    let text = r#"#ifndef NET_H
#define NET_H
#include <stdio.h>
#include "net/loop.h"
#define LIMIT 10
#define MAX(a, b) ((a) > (b) ? (a) : (b))
/* A loop. */
struct loop {
    int (*on_data)(int);
    struct loop *next, all[4];
    union { int a; char b; };
};
typedef struct { int x; } point_t;
typedef struct loop loop_t, *loop_p;
typedef struct named { int y; } named;
typedef int (*handler)(int n);
enum color { RED, GREEN = LIMIT };
enum { ONE };
static const int fixed = 3;
extern int shared;
static struct cfg { int v; } config = { 1 };
int net_start(struct loop *loop, int n, ...);
/* Mixes. */
static int *mix(void)
{
    return 0;
}
int main(int argc, char **argv) { return 0; }
#endif
"#;
    check(
        symbols(&C, text),
        "constant LIMIT 5-5 -
         macro MAX 6-6 -
         struct loop 8-12 -
         field loop.on_data 9-9 loop
         field loop.next 10-10 loop
         field loop.all 10-10 loop
         field loop.a 11-11 loop
         field loop.b 11-11 loop
         struct point_t 13-13 -
         field point_t.x 13-13 point_t
         type loop_t 14-14 -
         type loop_p 14-14 -
         struct named 15-15 -
         field named.y 15-15 named
         type handler 16-16 -
         enum color 17-17 -
         variant color.RED 17-17 color static
         variant color.GREEN 17-17 color static
         variant ONE 18-18 - static
         constant fixed 19-19 - private
         variable shared 20-20 - declaration
         variable config 21-21 - private
         struct cfg 21-21 -
         field cfg.v 21-21 cfg
         function net_start 22-22 - declaration
         function mix 24-27 - private
         function main 28-28 - entry",
    );
    check_among(
        types(&C, text),
        "loop.next: ?[loop]
         loop.all: ?[loop]
         loop_t: loop
         loop_p: ?[loop]
         config: cfg = ?
         mix: ?[lit]",
    );
    check(
        params(&C, text),
        "MAX 2..2
         net_start 2..*
         mix 0..0
         main 2..2",
    );
    check(
        imports(&C, text),
        "include <stdio.h>
         include net/loop.h",
    );
    check_among(
        headers(&C, text),
        "struct loop // A loop.
         static int *mix(void) // Mixes.
         #define MAX(a, b) ((a) > (b) ? (a) : (b))",
    );
}

#[test]
fn uses_in_c() {
    let text = r#"
static int on_packet(int n) { return MAX(n, RED); }
static const struct handler table[] = {
    { "packet", on_packet },
    { .fn = &on_packet },
};
void start(struct loop *loop, item_t items[])
{
    item_t *one = loop->first;
    loop->on_data = on_packet;
    loop_register(loop, &on_packet, table);
    loop->next->go(1);
    items[0].name = ((box_t *)one)->name;
    (*one).run();
    for (int i = 0; i < sizeof(struct box); i++) free(i);
    if (x) goto out;
out:
    return;
}
"#;
    check(
        refs(&C, text),
        "call MAX 2 on_packet
         value RED 2 on_packet
         type handler 3 table
         value on_packet 4 table
         value on_packet 5 table
         type loop 7 start
         type item_t 7 start
         type item_t 9 start
         value inner(loop).first 9 start
         value inner(loop).on_data 10 start
         value on_packet 10 start
         call loop_register 11 start
         value on_packet 11 start
         value table 11 start
         call inner(inner(loop).next).go 12 start
         value inner(loop).next 12 start
         value elem(items).name 13 start
         value inner(typed(?[box_t])).name 13 start
         type box_t 13 start
         call inner(one).run 14 start
         type box 15 start
         call free 15 start
         value x 16 start",
    );
    check(
        locals(&C, text),
        "n: lit
         loop: ?[loop]
         items: ?[item_t]
         one: ?[item_t] = inner(loop).first
         i: lit = lit",
    );
}

#[test]
fn definitions_of_cpp() {
    let text = r#"
namespace sim::core {
/// A shop.
template <typename T>
class Shop : public Base<T>, private ns::Open {
public:
    Shop(int n = 0);
    virtual ~Shop() = default;
    static Shop &instance();
    T item(std::string name, int n = 1) const override;
    bool operator==(const Shop &other) const { return true; }
    operator bool() const;
    static constexpr int kMax = 4;
    enum class Mode { On, Off };
    struct Inner { int x; };
    friend void peek(Shop &s);
private:
    std::map<Key, Value> all_;
};
using Alias = std::vector<Item>;
template <typename T>
T make(T t) { return t; }
}
namespace { int hidden() { return 1; } }
int sim::core::Start::apply(int n) { return n; }
Foo::Foo() : Base(1), all_(2) {}
Foo::~Foo() {}
int Foo::count = 0;
auto Foo::get() -> Item * { return nullptr; }
TEST_F(ShopTest, Sells) { sell(); }
"#;
    check(
        symbols(&CPP, text),
        "namespace sim 2-23 -
         namespace sim.core 2-23 sim
         class sim.core.Shop 4-19 sim.core
         constructor sim.core.Shop.Shop 7-7 sim.core.Shop declaration
         method sim.core.Shop.~Shop 8-8 sim.core.Shop
         method sim.core.Shop.instance 9-9 sim.core.Shop static declaration
         method sim.core.Shop.item 10-10 sim.core.Shop declaration override
         method sim.core.Shop.operator== 11-11 sim.core.Shop
         method sim.core.Shop.operator bool 12-12 sim.core.Shop declaration
         constant sim.core.Shop.kMax 13-13 sim.core.Shop static
         enum sim.core.Shop.Mode 14-14 sim.core.Shop
         variant sim.core.Shop.Mode.On 14-14 sim.core.Shop.Mode static
         variant sim.core.Shop.Mode.Off 14-14 sim.core.Shop.Mode static
         struct sim.core.Shop.Inner 15-15 sim.core.Shop
         field sim.core.Shop.Inner.x 15-15 sim.core.Shop.Inner
         field sim.core.Shop.all_ 18-18 sim.core.Shop
         type sim.core.Alias 20-20 sim.core
         function sim.core.make 21-22 sim.core
         function hidden 24-24 - private
         method sim.core.Start.apply 25-25 -
         constructor Foo.Foo 26-26 -
         method Foo.~Foo 27-27 -
         field Foo.count 28-28 -
         method Foo.get 29-29 -
         function ShopTest.Sells 30-30 - test",
    );
    check_among(
        types(&CPP, text),
        "sim.core.Shop < Base, ns.Open
         sim.core.Shop.instance: Shop
         sim.core.Shop.all_: std.map[Value]
         sim.core.Alias: std.vector[Item]
         Foo.get: ?[Item]",
    );
    check_among(
        params(&CPP, text),
        "sim.core.Shop.Shop 0..1
         sim.core.Shop.item 1..2",
    );
    check_among(
        headers(&CPP, text),
        "template <typename T> class Shop : public Base<T>, private ns::Open // A shop.",
    );
}

#[test]
fn uses_in_cpp() {
    let text = r#"
using namespace std;
using a::b::C;
namespace x = a::b;
void f(const Foo &foo, std::unique_ptr<Bar> bar) {
    auto &m = Metrics::instance();
    m.write(2);
    bar->go();
    auto p = std::make_unique<Item>(1);
    auto q = new ns::Item(2, 3);
    Item one(1), two{2};
    for (auto &each : foo.all()) each.sell();
    auto cb = [&](int n) { return inner(n); };
    cb(1);
    static_cast<Box *>(q)->open();
    ::global::run();
    this->stop();
    if (auto *hit = find<Item>(one)) hit->show();
    Mode mode = Mode::On;
    run(&Foo::bar, [k = key()](Item i) { i.go(); });
    try { } catch (const Error &e) { e.what(); }
}
"#;
    check(
        imports(&CPP, text),
        "star std
         name a::b C as C
         module a::b as x",
    );
    check(
        refs(&CPP, text),
        "import ? 2 <file>
         import C 3 <file>
         import x 4 <file>
         type Foo 5 f
         type std.unique_ptr 5 f
         type Bar 5 f
         call Metrics.instance 6 f
         type Metrics 6 f
         call m.write 7 f
         call inner(bar).go 8 f
         call std.make_unique 9 f
         type Item 9 f
         new ns.Item 10 f
         new Item 11 f
         new Item 11 f
         type Item 11 f
         call foo.all 12 f
         call each.sell 12 f
         call inner 13 f.cb
         call cb 14 f
         call inner(typed(?[Box])).open 15 f
         type Box 15 f
         call ::global.run 16 f
         call this.stop 17 f
         call find 18 f
         type Item 18 f
         call inner(hit).show 18 f
         type Mode 19 f
         value Mode.On 19 f
         type Mode 19 f
         call run 20 f
         value Foo.bar 20 f
         type Foo 20 f
         call key 20 f
         type Item 20 f
         call i.go 20 f
         type Error 21 f
         call e.what 21 f",
    );
    check(
        locals(&CPP, text),
        "foo: Foo
         bar: std.unique_ptr[Bar]
         m = Metrics.instance()
         p = typed(?[Item])
         q = new(ns.Item)
         one: Item = ?
         two: Item = ?
         each = elem(foo.all())
         n: lit
         hit = find()
         mode: Mode = Mode.On
         k = key()
         i: Item
         e: Error",
    );
}

#[test]
fn deep_nesting_and_broken_text_are_read() {
    let deep = format!("int f() {{ return {}x{}; }}", "g(".repeat(3000), ")".repeat(3000));
    assert_eq!(refs(&C, &deep).len(), 3001);
    let pointers = format!("int {}p;", "*".repeat(20000));
    assert_eq!(symbols(&C, &pointers).len(), 1);
    let names = format!("int {}f() {{ }}", "a::".repeat(5000));
    assert_eq!(symbols(&CPP, &names).len(), 1);
    let types = format!("{}int{} x;", "A<".repeat(5000), ">".repeat(5000));
    symbols(&CPP, &types);
    check_among(symbols(&CPP, "void f( { \nint g() { }\n"), "function g 2-2 -");
}

#[test]
fn macros_in_front_of_a_types_name_are_none_of_it() {
    let text = r#"
class EXPORT Cache { public: virtual int Charge() const = 0; };
class EXPORT Later;
struct NET_API Soon;
struct TIMEVAL now;
template <class T> struct ALIGNED(8) NET_API Pair final : public Base<T> { T one; };
enum class EXPORT Mode : int { On };
union PACKED bits { int a; };
class lib_export ns::Inner<int> { int b; };
struct POINT origin {1, 2};
class Leaf final { int c; };
struct NET_API Quoted { const char *s = "class X Y {"; }; // class A B {
class __attribute__((packed)) EXPORT Mixed { int d; };
struct FOO *make(void) { return 0; }
"#;
    check(
        symbols(&CPP, text),
        "class Cache 2-2 -
         method Cache.Charge 2-2 Cache declaration
         variable now 5-5 -
         struct Pair 6-6 -
         field Pair.one 6-6 Pair
         enum Mode 7-7 -
         variant Mode.On 7-7 Mode static
         union bits 8-8 -
         field bits.a 8-8 bits
         class ns.Inner 9-9 -
         field ns.Inner.b 9-9 ns.Inner
         variable origin 10-10 -
         class Leaf 11-11 -
         field Leaf.c 11-11 Leaf
         struct Quoted 12-12 -
         field Quoted.s 12-12 Quoted
         class Mixed 13-13 -
         field Mixed.d 13-13 Mixed
         function make 14-14 -",
    );
    check_among(headers(&CPP, text), "class EXPORT Cache");
    check_among(
        refs(&CPP, text),
        "value EXPORT 2 Cache
         value EXPORT 3 <file>
         call ALIGNED 6 Pair
         value NET_API 6 Pair",
    );
}

#[test]
fn macros_behind_a_declared_name_are_none_of_it() {
    let text = r#"
class Impl {
  Set* const sets_ GUARDED_BY(mutex_);
  std::map<int, Set> all_ GUARDED_BY(mutex_) ACQUIRED_AFTER(a, b) = {};
  int counts_[2][3] GUARDED_BY(mutex_);
  unsigned long n GUARDED_BY(mutex_) = 0;
  void Run() LOCKS_REQUIRED(mutex_);
  Set* FIND(int n);
  EXPORT Set FIRST(int n);
  template <typename T> T MAX(T a, T b);
};
int ZEXPORT inflate OF((int *strm, int flush));
void f() { // a word about it
  CHECK(1);
  return FAIL(2);
  else_each(n) CHECK(3);
}
Set *Impl::Next() const LOCKS_REQUIRED(mutex_) NOTHROW { return 0; }
"#;
    check(
        symbols(&CPP, text),
        "class Impl 2-11 -
         field Impl.sets_ 3-3 Impl
         field Impl.all_ 4-4 Impl
         field Impl.counts_ 5-5 Impl
         field Impl.n 6-6 Impl
         method Impl.Run 7-7 Impl declaration
         method Impl.FIND 8-8 Impl declaration
         method Impl.FIRST 9-9 Impl declaration
         method Impl.MAX 10-10 Impl declaration
         function inflate 12-12 - declaration
         function f 13-17 -
         method Impl.Next 18-18 -",
    );
    check_among(
        types(&CPP, text),
        "Impl.sets_: ?[Set]
         Impl.n: lit = lit",
    );
    check_among(
        refs(&CPP, text),
        "call CHECK 14 f
         call FAIL 15 f
         call CHECK 16 f
         call GUARDED_BY 3 Impl.sets_
         value mutex_ 3 Impl.sets_
         call OF 12 inflate",
    );
    check_among(params(&CPP, text), "inflate 2..2");
}

#[test]
fn names_in_a_macros_body_are_its_uses() {
    let text = r#"
#define SWAP(p) swap64(p)
#define IF(c, s) \
    if (c) \
        error(S, s, "if (x)") // never(1)
#define BOTH (LEFT | RIGHT)
#define FIELD(x) ((x)->name, own.name, ns::make(x), Type::kOne)
#define PASTE(x) make_##x(#x, PASTE)
#define NONE 0x10u
"#;
    check(
        refs(&CPP, text),
        "call swap64 2 SWAP
         call error 5 IF
         value S 5 IF
         value LEFT 6 BOTH
         value RIGHT 6 BOTH
         value ?.name 7 FIELD
         value own 7 FIELD
         value ?.name 7 FIELD
         call ns.make 7 FIELD
         value Type 7 FIELD
         value Type.kOne 7 FIELD",
    );
}

#[test]
fn what_was_declared_static_stays_in_its_file() {
    let text = "static int f(int);\nint f(int n) { return n; }\nstatic int v;\nextern int v;\nint g(void);\n";
    check(
        symbols(&C, text),
        "function f 1-1 - private declaration
         function f 2-2 - private
         variable v 3-3 - private
         variable v 4-4 - private declaration
         function g 5-5 - declaration",
    );
}

#[test]
fn macros_in_front_of_a_declaration_are_none_of_it() {
    let text = r#"
BEGIN_NAMESPACE
class Foo { int a; };
BEGIN_NAMESPACE
namespace detail { struct Bar { int b; }; }
END_NAMESPACE
template <typename T> struct Baz { T t; };
EXPORT Foo *make_foo(int n);
extern "C" EXPORT unsigned long API_CALL count_all(Foo *f);
class W : public Q {
  Q_OBJECT
  Q_PROPERTY(int x READ x)
public:
  W();
  Q_INVOKABLE Foo *go();
};
FILE *log_file;
UINT total = 0;
BOOL open_all(int n);
/// Closes.
EXPORT
int close_all(int n);
/* Counts. */
STATIC_API long counted;
"#;
    check(
        symbols(&CPP, text),
        "class Foo 3-3 -
         field Foo.a 3-3 Foo
         namespace detail 5-5 -
         struct detail.Bar 5-5 detail
         field detail.Bar.b 5-5 detail.Bar
         struct Baz 7-7 -
         field Baz.t 7-7 Baz
         function make_foo 8-8 - declaration
         function count_all 9-9 - declaration
         class W 10-16 -
         constructor W.W 14-14 W declaration
         method W.go 15-15 W declaration
         variable log_file 17-17 -
         variable total 18-18 -
         function open_all 19-19 - declaration
         function close_all 21-22 - declaration
         variable counted 24-24 -",
    );
    check_among(
        headers(&CPP, text),
        "int close_all(int n) // Closes.
         long counted // Counts.",
    );
    check_among(
        types(&CPP, text),
        "make_foo: ?[Foo]
         count_all: lit
         W.go: ?[Foo]
         log_file: ?[FILE]
         total: UINT = lit
         open_all: BOOL",
    );
    check_among(
        refs(&CPP, text),
        "value BEGIN_NAMESPACE 2 <file>
         value EXPORT 8 make_foo
         value API_CALL 9 count_all
         value Q_OBJECT 11 W",
    );
}

#[test]
fn a_macro_with_a_block_is_no_function() {
    let text = "int f(Item *all) {\n  FOR_EACH(item, all) {\n    g(item);\n  }\n  return 0;\n}\n";
    check(symbols(&CPP, text), "function f 1-6 -");
    check(
        refs(&CPP, text),
        "type Item 1 f
         call FOR_EACH 2 f
         value item 2 f
         call g 3 f
         value item 3 f",
    );
}

#[test]
fn a_macro_makes_a_function_of_a_block() {
    let text =
        "TEST_CASE(\"adds up\") {\n  add(1);\n}\nENTRY(len) { count(2); }\nnamespace n { CASE(a, \"b\") { go(); } }\n";
    check(
        symbols(&CPP, text),
        "function TEST_CASE(\"adds up\") 1-3 - test
         function ENTRY(len) 4-4 -
         namespace n 5-5 -
         function n.CASE(a, \"b\") 5-5 n",
    );
    check_among(
        refs(&CPP, text),
        "call TEST_CASE 1 <file>
         call add 2 TEST_CASE(\"adds up\")
         call ENTRY 4 ENTRY(len)
         call count 4 ENTRY(len)
         call go 5 n.CASE(a, \"b\")",
    );
    let text =
        "CASE(\"adds up\") {\n  add(1);\n}\nENTRY(len) { count(2); }\nint f(int n) { FOR(n) { g(n); } return n; }\n";
    check(
        symbols(&C, text),
        "function CASE(\"adds up\") 1-3 -
         function ENTRY(len) 4-4 -
         function f 5-5 -",
    );
    check_among(
        refs(&C, text),
        "call add 2 CASE(\"adds up\")
         call ENTRY 4 ENTRY(len)
         call count 4 ENTRY(len)
         call g 5 f",
    );
}
