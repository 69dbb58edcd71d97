//! Small sources and what extraction says about them.

use super::LANGUAGE;
use crate::extract::extract;
use crate::facts::{Params, SymbolFlags};
use crate::languages::testing::{check, imports, locals, refs, symbols, types};

#[test]
fn definitions_of_every_kind() {
    let source = r#"
LIMIT = 3
name: str = "x"
square = lambda v: v * v
Point = namedtuple("Point", "x y")
left, right = one(), two()

@deco
@other.thing(1)
def work(a):
    def inner(z):
        return z
    local = 1
    return inner

class Base:
    kids: list = []
    MAX = 3

    def __init__(self):
        self.x = 1

    @property
    def size(self): return 1

    @size.setter
    def size(self, v): pass

    @classmethod
    def make(cls): return cls()

    @staticmethod
    def helper(): pass

    @abstractmethod
    def draw(self): ...

    async def go(self): pass

    class Meta:
        ordering = 1

class Color(Enum):
    RED = 1
    _ignore_ = 2

class Shape(Protocol): pass

type Pair = tuple[int, int]

def main(): pass
"#;
    check(
        symbols(&LANGUAGE, source),
        "constant LIMIT 2-2 -
         variable name 3-3 -
         function square 4-4 - assigned
         class Point 5-5 -
         variable left 6-6 -
         variable right 6-6 -
         function work 8-14 -
         function work.inner 11-12 work
         class Base 16-41 -
         field Base.kids 17-17 Base
         constant Base.MAX 18-18 Base
         method Base.__init__ 20-21 Base
         property Base.size 23-24 Base getter
         property Base.size 26-27 Base
         method Base.make 29-30 Base static
         method Base.helper 32-33 Base static
         method Base.draw 35-36 Base declaration
         method Base.go 38-38 Base async
         class Base.Meta 40-41 Base
         field Base.Meta.ordering 41-41 Base.Meta
         enum Color 43-45 -
         variant Color.RED 44-44 Color
         field Color._ignore_ 45-45 Color
         protocol Shape 47-47 -
         type Pair 49-49 -
         function main 51-51 - entry",
    );
}

#[test]
fn a_name_assigned_twice_or_imported_is_one_definition() {
    check(
        types(&LANGUAGE, "app = Flask()\napp = wrap(app)\nnone = None\nnone = Foo()\n"),
        "app = (Flask()|wrap())
         none = Foo()",
    );
    check(
        symbols(
            &LANGUAGE,
            "try:\n    import json\nexcept ImportError:\n    json = None\ndef f(): pass\nf = deco(f)\n",
        ),
        "function f 5-5 -",
    );
}

#[test]
fn names_declared_global_belong_to_the_module() {
    let source = "COUNT = 0\ndef f():\n    global COUNT, LATE\n    COUNT = 1\n    LATE = Foo()\n";
    check(
        symbols(&LANGUAGE, source),
        "constant COUNT 1-1 -
         function f 2-5 -
         variable LATE 3-3 -",
    );
    check(
        refs(&LANGUAGE, source),
        "value COUNT 4 f
         value LATE 5 f
         call Foo 5 f",
    );
}

#[test]
fn every_use_site_counts() {
    let source = r#"
def f(a, b=default()):
    x = [g(i) for i in a if ok(i)]
    y = {k: h(k) for k in more()}
    low = min(a, key=lambda i: rate(i))
    s = f"{fmt(a)!r:>{width()}} {a.name}"
    with opened(a) as fh, other(): fh.read()
    assert check(a)
    on(handler, key=value)
    return x and y or z(*a)
while loop(): pass
"#;
    check(
        refs(&LANGUAGE, source),
        "call default 2 f
         call g 3 f
         call ok 3 f
         call h 4 f
         call more 4 f
         call min 5 f
         call rate 5 f
         call fmt 6 f
         call width 6 f
         value a.name 6 f
         call opened 7 f
         call other 7 f
         call fh.read 7 f
         call check 8 f
         call on 9 f
         value handler 9 f
         value value 9 f
         call z 10 f
         call loop 11 <file>",
    );
}

#[test]
fn uses_around_classes_decorators_and_annotations() {
    let source = r#"
@app.route("/", methods=VERBS)
def f(a: Foo, b: "m.Bar | None" = None) -> Optional[list["Baz"]]:
    c: Literal["no", "type"] = cast("Qux", a)

class A(m.Base[Item], Mixin, metaclass=Meta):
    def go(self):
        self.on(self.done)
        super().go()
        type(self).make()
        getattr(self, "late")
        try: pass
        except (E1, m.E2): pass
"#;
    check(
        refs(&LANGUAGE, source),
        r"decorator app.route 2 f
         value app 2 f
         value VERBS 2 f
         type Foo 3 f
         type m.Bar 3 f
         type Optional 3 f
         type list 3 f
         type Baz 3 f
         type Literal 4 f
         call cast 4 f
         type Qux 4 f
         inherit m.Base 6 A
         inherit Mixin 6 A
         type m 6 A
         type Item 6 A
         value Meta 6 A
         call this.on 8 A.go
         value this.done 8 A.go
         call super.go 9 A.go
         call Self.make 10 A.go
         call type 10 A.go
         call getattr 11 A.go
         value this.late 11 A.go
         type E1 13 A.go
         type m.E2 13 A.go
         type m 13 A.go",
    );
    check(
        types(&LANGUAGE, source),
        "f: list[Baz]
         A < m.Base, Mixin
         A.go",
    );
}

#[test]
fn what_locals_and_members_are() {
    let source = r#"
class A:
    def f(self, a: Foo, b: "Foo | Bar", c: Type[Foo], *d: Foo, e=1):
        self.dep = a
        cls.table: dict[str, Item] = {}
        x = y = make()
        for it in a.items: pass
        for n, el in enumerate(d): pass
        for key, v in b.items(): pass
        with open(x) as fh: pass
        if (w := found()): pass
        if isinstance(e, Baz) and e: pass
        p, q = one(), two()
        r, s = pair()
        t = await go() if x else other or third
        try: pass
        except Err as err: pass
"#;
    check(
        locals(&LANGUAGE, source),
        "self = this
         (0: Foo
         a: Foo
         (1: (Foo|Bar)
         b: (Foo|Bar)
         c = Foo
         d: ?[Foo]
         e
         x = make()
         y = make()
         it = elem(a.items)
         n
         el = elem(d)
         key
         v = elem(b)
         fh = open()
         w = found()
         e: Baz
         p = one()
         q = two()
         r
         s
         t = (inner(go())|(other|third))
         err: Err
         A#dep = a
         A#table: dict[Item] = lit",
    );
}

#[test]
fn what_calls_give() {
    let source = r#"
def a(): return Foo()
def b(x):
    if x: return None
    return Foo()
def c(x):
    if x: return Foo()
    return Bar()
@contextmanager
def d(): yield Foo()
@contextmanager
def e() -> Iterator[Foo]: yield x
def f() -> Foo: return other()
"#;
    check(
        types(&LANGUAGE, source),
        "a = Foo()
         b = Foo()
         c = (Foo()|Bar())
         d = Foo()
         e: Foo
         f: Foo",
    );
}

#[test]
fn imports_of_every_form() {
    let source = "import os, a.b.c\nimport x.y as z, x.y as x\nfrom . import core as c, util\nfrom ..p.q import *\n\
                  def f():\n    from m import (n,\n        o)\nimportlib.import_module(\"a.b\")\n";
    check(
        imports(&LANGUAGE, source),
        "module os as os
         module a.b.c as a
         module x.y as z
         name x y as x
         name . core as c
         name . util as util
         star ..p.q
         name m n as n
         name m o as o
         module a.b",
    );
    let facts = extract(&LANGUAGE, source);
    let lines: Vec<u32> = facts.imports.iter().map(|i| i.line).collect();
    assert_eq!(lines, [1, 1, 2, 2, 3, 3, 4, 6, 7, 8]);
    assert!(facts.imports[7].scope != 0, "an import in a function is bound there");
}

#[test]
fn patterns_of_match() {
    let source = "def f(c):\n    match c:\n        case Foo(a=Bar(), b=n) as t: t.x(n)\n        case m.X: pass\n        \
                  case [p, *rest] if rest: p()\n";
    check(
        refs(&LANGUAGE, source),
        "type Foo 3 f
         type Bar 3 f
         call t.x 3 f
         value m.X 4 f
         call p 5 f",
    );
}

#[test]
fn headers_documentation_and_parameters() {
    let source = "@deco\ndef f(a,\n      b=1) -> int:  # why\n    '''Does it.\n\n    More.\n    '''\n\n\
                  # About g.\ndef g(*a, **k): pass\n\nclass A(B): 'Doc of A.'\n";
    let facts = extract(&LANGUAGE, source);
    let seen: Vec<(&str, &str, Params)> = facts
        .symbols
        .iter()
        .map(|s| (&*s.signature, &*s.doc, s.params))
        .collect();
    let unknown = Params { min: 0, max: 255 };
    assert_eq!(
        seen,
        [
            ("def f(a, b=1) -> int", "Does it.\n\nMore.", Params { min: 1, max: 2 }),
            ("def g(*a, **k)", "About g.", unknown),
            ("class A(B)", "Doc of A.", unknown),
        ]
    );
    assert_eq!((facts.symbols[0].start, facts.symbols[0].name_line), (1, 2));
}

#[test]
fn tests_are_known_by_their_names() {
    let source = "def test_a(): pass\ndef helper(): pass\nclass TestB:\n    def test_c(self): pass\n    def other(self): pass\n\
                  class D(unittest.TestCase):\n    def setUp(self): pass\n@pytest.fixture\ndef db(): pass\n";
    let facts = extract(&LANGUAGE, source);
    let tests: Vec<&str> = facts
        .symbols
        .iter()
        .filter(|s| s.flags.has(SymbolFlags::TEST))
        .map(|s| facts.name(s.name))
        .collect();
    assert_eq!(tests, ["test_a", "TestB", "test_c", "D", "setUp", "db"]);
}

#[test]
fn broken_and_deep_sources_do_not_stop_it() {
    let deep = format!("x = {}y{}\ndef f(): pass\n", "(".repeat(3000), ")".repeat(3000));
    let chain = format!("x = a{}\ndef f(): pass\n", ".b()".repeat(3000));
    for source in [
        "def f(:\n  pass\nclass",
        "@",
        "class A(\n",
        "def f(): return\n\u{0}",
        &deep,
        &chain,
    ] {
        extract(&LANGUAGE, source);
    }
    assert!(symbols(&LANGUAGE, &chain).contains(&"function f 2-2 -".to_owned()));
}
