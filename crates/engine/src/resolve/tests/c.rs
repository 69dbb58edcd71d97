use crate::resolve::testing::check;

const C_TREE: &[(&str, &str)] = &[
    (
        "include/net.h",
        r#"#ifndef NET_H
#define NET_H
#define LIMIT 3
enum color { RED, GREEN };
struct loop { int n; void (*on)(int); struct loop *next; };
int net_start(struct loop *l);
static inline int net_twice(int n) { return n * 2; }
extern int shared;
#endif
"#,
    ),
    (
        "src/net.c",
        r#"#include "net.h"
int shared = 1;
static int helper(int n) { return n; }
int net_start(struct loop *l) { helper(RED); l->next->on(1); return malloc(net_twice(LIMIT)); }
"#,
    ),
    (
        "src/other.c",
        r#"static int helper(int n) { return n + 1; }
int other(void) { return helper(1); }
"#,
    ),
    (
        "app/main.c",
        r#"#include <net.h>
#include <stdio.h>
static void done(int n) { }
int main(void) { struct loop l; l.on = done; net_start(&l); printf("x"); other(); return shared + GREEN; }
"#,
    ),
    (
        "tool/net.c",
        r#"int net_start(struct loop *l) { return 9; }
"#,
    ),
];

const CPP_TREE: &[(&str, &str)] = &[
    (
        "db/db.h",
        r#"#pragma once
namespace lv {
class Env {
 public:
  virtual ~Env();
  virtual int Open(int n) = 0;
  static Env *Default();
  void Close();
 protected:
  void Log(int n);
};
enum Kind { kFirst, kSecond };
int Free(int n);
namespace log { class Writer { public: explicit Writer(Env *e); void Add(int n); private: Env *env_; }; }
template <typename T> class Ref { public: T *operator->(); T *get(); };
}
"#,
    ),
    (
        "db/db.cc",
        r#"#include "db/db.h"
namespace lv {
namespace { int Hidden(int n) { return n; } }
Env::~Env() {}
Env *Env::Default() { return nullptr; }
void Env::Close() { Log(1); Hidden(2); Free(3); }
void Env::Log(int n) { }
int Free(int n) { return kFirst; }
log::Writer::Writer(Env *e) : env_(e) { Add(1); }
void log::Writer::Add(int n) { env_->Close(); Free(n); }
}
"#,
    ),
    (
        "db/posix.cc",
        r#"#include "db/db.h"
#include <vector>
#include <memory>
namespace lv {
class Posix : public Env {
 public:
  int Open(int n) override { Log(n); return Free(n); }
};
}
using namespace lv;
using lv::log::Writer;
namespace l = lv::log;
int run(Env *e) {
  e->Open(1);
  Writer w(e);
  w.Add(2);
  auto p = std::make_unique<l::Writer>(e);
  p->Add(3);
  std::vector<Posix> all;
  for (auto &x : all) x.Close();
  all[0].Close();
  Ref<Env> r;
  r->Close();
  Free(kSecond);
  lv::Free(2);
  ::lv::Env::Default()->Close();
  Env *n = new Posix();
  strlen("x");
  std::sort(1);
  all.front().Open(1);
  return lv::kFirst;
}
"#,
    ),
];

#[test]
fn a_declaration_and_its_definition_are_one() {
    check(
        C_TREE,
        "app/main.c:4 call net_start -> include/net.h#net_start calls exact
         app/main.c:4 call net_start -> src/net.c#net_start calls exact
         !app/main.c:4 call net_start -> tool/net.c
         app/main.c:4 value shared -> src/net.c#shared uses exact
         app/main.c:4 call other -> src/other.c#other calls resolved",
    );
}

#[test]
fn static_functions_stay_in_their_file() {
    check(
        C_TREE,
        "src/net.c:4 call helper -> src/net.c#helper calls exact
         src/other.c:2 call helper -> src/other.c#helper calls exact
         !src/net.c:4 call helper -> src/other.c",
    );
}

#[test]
fn included_files_give_macros_constants_and_inline_functions() {
    check(
        C_TREE,
        "app/main.c:1 import net.h -> include/net.h imports exact
         app/main.c:2 import stdio.h -> unbound
         src/net.c:4 value LIMIT -> include/net.h#LIMIT uses exact
         src/net.c:4 value RED -> include/net.h#color.RED uses exact
         app/main.c:4 value GREEN -> include/net.h#color.GREEN uses exact
         src/net.c:4 call net_twice -> include/net.h#net_twice calls exact",
    );
}

#[test]
fn fields_are_followed_through_pointers_and_functions_are_values() {
    check(
        C_TREE,
        "src/net.c:4 value next -> include/net.h#loop.next uses exact
         src/net.c:4 call on -> include/net.h#loop.on calls exact
         app/main.c:4 value done -> app/main.c#done uses exact",
    );
}

#[test]
fn names_outside_the_tree_bind_to_nothing() {
    check(
        C_TREE,
        "src/net.c:4 call malloc -> unbound
         app/main.c:4 call printf -> unbound",
    );
}

#[test]
fn members_defined_away_from_their_class() {
    check(
        CPP_TREE,
        "db/db.cc:6 call Log -> db/db.cc#lv.Env.Log calls exact
         db/db.cc:6 call Log -> db/db.h#lv.Env.Log calls exact
         db/db.cc:9 call Add -> db/db.cc#lv.log.Writer.Add calls exact
         db/db.cc:10 call Close -> db/db.cc#lv.Env.Close calls exact
         db/posix.cc:26 call Default -> db/db.cc#lv.Env.Default calls exact",
    );
}

#[test]
fn namespaces_are_open() {
    check(
        CPP_TREE,
        "db/db.cc:6 call Free -> db/db.cc#lv.Free calls exact
         db/db.cc:10 call Free -> db/db.cc#lv.Free calls exact
         db/db.cc:6 call Hidden -> db/db.cc#lv.Hidden calls exact
         db/posix.cc:25 call Free -> db/db.cc#lv.Free calls exact
         db/posix.cc:31 value kFirst -> db/db.h#lv.Kind.kFirst uses exact",
    );
}

#[test]
fn using_and_aliases() {
    check(
        CPP_TREE,
        "db/posix.cc:11 import Writer -> db/db.h#lv.log.Writer imports exact
         db/posix.cc:15 type Writer -> db/db.h#lv.log.Writer uses exact
         db/posix.cc:17 type Writer -> db/db.h#lv.log.Writer uses exact
         db/posix.cc:13 type Env -> db/db.h#lv.Env uses exact",
    );
}

#[test]
fn inherited_members_and_overrides() {
    check(
        CPP_TREE,
        "db/posix.cc:7 call Log -> db/db.cc#lv.Env.Log calls exact
         db/posix.cc:14 call Open -> db/db.h#lv.Env.Open calls exact
         db/posix.cc#lv.Posix.Open overrides db/db.h#lv.Env.Open",
    );
}

#[test]
fn makers_smart_pointers_and_containers() {
    check(
        CPP_TREE,
        "db/posix.cc:18 call Add -> db/db.cc#lv.log.Writer.Add calls exact
         db/posix.cc:20 call Close -> db/db.cc#lv.Env.Close calls exact
         db/posix.cc:21 call Close -> db/db.cc#lv.Env.Close calls exact
         db/posix.cc:23 call Close -> db/db.cc#lv.Env.Close calls exact
         db/posix.cc:26 call Close -> db/db.cc#lv.Env.Close calls resolved
         db/posix.cc:27 new Posix -> db/posix.cc#lv.Posix calls exact
         db/posix.cc:28 call strlen -> unbound
         db/posix.cc:30 call Open -> db/posix.cc#lv.Posix.Open calls exact",
    );
}

#[test]
fn a_static_declaration_stands_for_nothing_elsewhere() {
    let files = [
        ("h.h", "unsigned hash(int key);\n"),
        ("server.c", "#include \"h.h\"\nunsigned hash(int key) { return 1; }\n"),
        ("expire.c", "#include \"h.h\"\nunsigned use(void) { return hash(0); }\n"),
        (
            "bench.c",
            "static unsigned hash(int key);\nunsigned hash(int key) { return 2; }\nunsigned own(void) { return hash(0); }\n",
        ),
        (
            "dead.c",
            "static unsigned hash(int key);\nunsigned own(void) { return hash(0); }\n",
        ),
    ];
    check(
        &files,
        "expire.c:2 call hash -> server.c#hash calls exact
         !expire.c:2 call hash -> bench.c
         bench.c:3 call hash -> bench.c#hash calls exact
         !bench.c:3 call hash -> server.c
         dead.c:2 call hash -> dead.c#hash calls exact
         !dead.c:2 call hash -> server.c",
    );
}

#[test]
fn members_of_an_exported_class_and_of_a_guarded_field() {
    let files = [(
        "a.cc",
        r#"#define EXPORT __attribute__((visibility("default")))
#define GUARDED_BY(x)
class EXPORT Cache { public: virtual int Charge() const = 0; };
int f(Cache *c) { return c->Charge(); }
class Impl { int Run() { return caches_->Charge(); } int mutex_; Cache *const caches_ GUARDED_BY(mutex_); };
"#,
    )];
    check(
        &files,
        "a.cc:4 call Charge -> a.cc#Cache.Charge calls exact
         a.cc:5 call Charge -> a.cc#Cache.Charge calls exact",
    );
}

#[test]
fn a_macro_calls_what_its_body_names() {
    let files = [
        ("e.h", "#define SWAP_IF(p) swap(p)\nvoid swap(void *p);\n"),
        ("e.c", "#include \"e.h\"\nvoid swap(void *p) { }\n"),
    ];
    check(&files, "e.h:1 call swap -> e.c#swap calls exact");
}

#[test]
fn definitions_in_files_that_take_in_the_header_come_first() {
    check(
        &[
            ("a/x.h", "void f(void);\n"),
            ("a/y.h", "#include \"x.h\"\n"),
            ("a/x.c", "#include \"y.h\"\nvoid f(void) {}\n"),
            ("b/x.c", "void f(void) {}\n"),
            ("c/m.c", "#include \"../a/x.h\"\nvoid m(void) { f(); }\n"),
        ],
        "c/m.c:2 call f -> a/x.c#f calls exact
         !c/m.c:2 call f -> b/x.c",
    );
}

#[test]
fn what_is_deleted_is_never_called() {
    check(
        &[
            (
                "a.h",
                "class Table {\n public:\n  explicit Table(int n);\n  Table(const Table&) = delete;\n};\n",
            ),
            ("a.cc", "#include \"a.h\"\nTable::Table(int n) { }\n"),
            (
                "b.cc",
                "#include \"a.h\"\nvoid f() {\n  Table* t = new Table(1);\n  Table u(2);\n}\n",
            ),
        ],
        "b.cc:3 new Table -> a.cc#Table.Table calls exact
         !b.cc:3 new Table -> a.h#Table.Table
         b.cc:4 new Table -> a.cc#Table.Table calls exact
         !b.cc:4 new Table -> a.h#Table.Table",
    );
}

#[test]
fn definitions_in_branches_of_one_file_are_each_meant() {
    check(
        &[
            (
                "a.c",
                "#ifdef FAST\nstatic int put(int x) { return x; }\n#define fail(s) die(s)\n#else\nstatic int put(int x) { return x + 1; }\nstatic void fail(int s) { }\n#endif\nint run(void) { fail(1); return put(1); }\n",
            ),
            ("b.c", "int get(void) { return 1; }\n"),
            ("d/c.c", "int get(void) { return 2; }\n"),
            ("e/f.c", "int two(void) { return get(); }\n"),
            (
                "over.cpp",
                "static int pick(int x) { return x; }\nstatic int pick(char x) { return x; }\nint use() { return pick(1); }\n",
            ),
        ],
        "a.c:8 call put -> a.c#put calls resolved
         a.c:8 call fail -> a.c#fail calls resolved
         e/f.c:1 call get -> b.c#get calls possible
         over.cpp:3 call pick -> over.cpp#pick calls possible
         !a.c:8 call put -> a.c#put calls possible",
    );
}
