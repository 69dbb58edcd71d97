use crate::resolve::testing::check;

#[test]
fn a_parameter_or_local_shadows_an_import() {
    check(
        &[
            ("jobs.py", "def run():\n    return 1\n"),
            (
                "pool.py",
                "from jobs import run\n\ndef with_slot(run):\n    return run()\n\ndef now():\n    return run()\n",
            ),
        ],
        "pool.py:1 import run -> jobs.py#run imports exact
         pool.py:4 call run -> unbound
         pool.py:7 call run -> jobs.py#run calls exact",
    );
}

#[test]
fn a_name_is_seen_from_the_scopes_around_it_but_not_from_a_class_body() {
    check(
        &[(
            "a.py",
            "def outer():\n    def join(p):\n        return p\n    return join(1)\n\ndef missing():\n    return join(1)\n\nclass K:\n    def m(self):\n        return m()\n    def k(self):\n        return self.m()\n",
        )],
        "a.py:4 call join -> a.py#outer.join calls exact
         a.py:7 call join -> unbound
         a.py:11 call m -> unbound
         a.py:13 call m -> a.py#K.m calls exact",
    );
}

#[test]
fn a_builtin_is_no_function_of_the_tree() {
    check(
        &[
            ("tools/__init__.py", ""),
            ("tools/fs.py", "def open(path):\n    return path\n"),
            (
                "loader.py",
                "from tools import fs\n\ndef load(p):\n    return fs.open(p)\n",
            ),
            (
                "plain.py",
                "def read(p):\n    with open(p) as h:\n        return h.read()\n",
            ),
        ],
        "loader.py:1 import fs -> tools/fs.py imports exact
         loader.py:4 call open -> tools/fs.py#open calls exact
         plain.py:2 call open -> unbound",
    );
}

#[test]
fn aliases_module_paths_and_relative_imports() {
    check(
        &[
            ("pkg/__init__.py", "from .core import build\n"),
            ("pkg/core.py", "def build(x):\n    return x\n\ndef other():\n    pass\n"),
            ("pkg/sub/__init__.py", ""),
            (
                "pkg/sub/deep.py",
                "from ..core import other as o\nfrom .. import core\n\ndef f():\n    o()\n    core.build(1)\n",
            ),
            (
                "app.py",
                "from pkg import build\nimport pkg.core\nimport pkg.core as c\nimport pkg.sub.deep\n\ndef main():\n    build(3)\n    pkg.core.other()\n    c.other()\n    pkg.sub.deep.f()\n",
            ),
        ],
        "app.py:1 import build -> pkg/core.py#build imports exact
         app.py:2 import core -> pkg/core.py imports exact
         app.py:7 call build -> pkg/core.py#build calls exact
         app.py:8 call other -> pkg/core.py#other calls exact
         app.py:9 call other -> pkg/core.py#other calls exact
         app.py:10 call f -> pkg/sub/deep.py#f calls exact
         pkg/sub/deep.py:5 call o -> pkg/core.py#other calls exact
         pkg/sub/deep.py:6 call build -> pkg/core.py#build calls exact",
    );
}

#[test]
fn star_imports_hand_on_public_names() {
    check(
        &[
            ("pkg/__init__.py", "from .a import *\n"),
            ("pkg/a.py", "def seen():\n    pass\n\ndef _hidden():\n    pass\n"),
            (
                "m.py",
                "from pkg import *\nfrom pkg import seen\n\ndef f():\n    seen()\n    _hidden()\n",
            ),
        ],
        "m.py:5 call seen -> pkg/a.py#seen calls exact
         m.py:6 call _hidden -> unbound",
    );
}

#[test]
fn what_comes_from_outside_binds_to_no_namesake() {
    check(
        &[
            (
                "net.py",
                "class Session:\n    def get(self):\n        pass\n\ndef get(u):\n    pass\n",
            ),
            (
                "use.py",
                "import requests\nfrom requests import Session\n\ndef f(x):\n    requests.get('u')\n    s = Session()\n    s.get()\n    x.get()\n",
            ),
        ],
        "use.py:1 import requests -> unbound
         use.py:5 call get -> unbound
         use.py:6 call Session -> unbound
         use.py:7 call get -> unbound
         use.py:8 call get -> loose",
    );
}

#[test]
fn members_by_annotation_construction_field_and_return() {
    check(
        &[
            (
                "wire.py",
                "class Wire:\n    def send(self):\n        return self\n    @classmethod\n    def make(cls):\n        return cls()\n\nclass Other:\n    def send(self):\n        pass\n\ndef open_wire() -> Wire:\n    return Wire()\n\ndef guess():\n    return Wire()\n",
            ),
            (
                "use.py",
                "from typing import Optional\nfrom wire import Wire, open_wire, guess\nimport wire\n\nclass Bus:\n    link: Wire\n    def __init__(self, w: Wire):\n        self.w = w\n        self.made = wire.Wire()\n    def send(self):\n        self.w.send()\n        self.made.send()\n        self.link.send()\n\ndef f(a: Optional[Wire], b: 'list[Wire]'):\n    a.send()\n    for x in b:\n        x.send()\n    y = Wire()\n    y.send().send()\n    open_wire().send()\n    guess().send()\n    Wire.make().send()\n    Wire.send(y)\n",
            ),
        ],
        "use.py:11 call send -> wire.py#Wire.send calls resolved
         use.py:12 call send -> wire.py#Wire.send calls resolved
         use.py:13 call send -> wire.py#Wire.send calls exact
         use.py:16 call send -> wire.py#Wire.send calls exact
         use.py:18 call send -> wire.py#Wire.send calls exact
         use.py:20 call send -> wire.py#Wire.send calls exact
         use.py:20 call send -> wire.py#Wire.send calls resolved
         use.py:21 call send -> wire.py#Wire.send calls resolved
         use.py:22 call send -> wire.py#Wire.send calls resolved
         use.py:23 call send -> wire.py#Wire.send calls resolved
         use.py:24 call send -> wire.py#Wire.send calls exact",
    );
}

#[test]
fn inherited_members_follow_the_method_resolution_order() {
    check(
        &[
            (
                "a.py",
                "class Base:\n    def go(self):\n        pass\n    def up(self):\n        pass\n\nclass Left(Base):\n    pass\n\nclass Right(Base):\n    def go(self):\n        pass\n",
            ),
            (
                "b.py",
                "from a import Left, Right\n\nclass Both(Left, Right):\n    def up(self):\n        super().up()\n        self.go()\n\ndef f(b: Both):\n    b.go()\n",
            ),
        ],
        "b.py:3 inherit Left -> a.py#Left inherits exact
         b.py:5 call up -> a.py#Base.up calls exact
         b.py:6 call go -> a.py#Right.go calls exact
         b.py:9 call go -> a.py#Right.go calls exact
         b.py#Both.up overrides a.py#Base.up
         a.py#Right.go overrides a.py#Base.go",
    );
}

#[test]
fn a_base_outside_the_tree_may_have_the_member() {
    check(
        &[(
            "a.py",
            "from flask import View\n\nclass V(View):\n    def own(self):\n        self.own()\n        self.dispatch()\n\nclass X:\n    def dispatch(self):\n        pass\n",
        )],
        "a.py:5 call own -> a.py#V.own calls exact
         a.py:6 call dispatch -> unbound",
    );
}

#[test]
fn a_mixin_uses_what_its_subclasses_define() {
    check(
        &[(
            "a.py",
            "class Mixin:\n    def run(self):\n        self.step()\n\nclass Real(Mixin):\n    def step(self):\n        pass\n",
        )],
        "a.py:3 call step -> a.py#Real.step calls possible",
    );
}

#[test]
fn a_class_that_is_called_is_called_with_its_constructor() {
    check(
        &[(
            "a.py",
            "class K:\n    def __init__(self):\n        pass\n\nclass L(K):\n    def __init__(self):\n        super().__init__()\n\ndef f():\n    K()\n",
        )],
        "a.py:10 call K -> a.py#K calls exact
         a.py:10 call K -> a.py#K.__init__ calls exact
         a.py:7 call __init__ -> a.py#K.__init__ calls exact",
    );
}

#[test]
fn a_function_or_bound_method_used_as_a_value_is_a_use() {
    check(
        &[(
            "a.py",
            "def work():\n    pass\n\nclass P:\n    def __init__(self, b):\n        b.on(self.pressed)\n        b.later(work)\n    def pressed(self):\n        pass\n",
        )],
        "a.py:6 value pressed -> a.py#P.pressed uses exact
         a.py:7 value work -> a.py#work uses exact",
    );
}

#[test]
fn conditional_definitions_are_possible() {
    check(
        &[
            ("fast.py", "def f():\n    pass\n"),
            ("slow.py", "def f():\n    pass\n"),
            (
                "m.py",
                "try:\n    from fast import f\nexcept ImportError:\n    from slow import f\n\ndef g():\n    f()\n",
            ),
        ],
        "m.py:7 call f -> fast.py#f calls possible
         m.py:7 call f -> slow.py#f calls possible",
    );
}

#[test]
fn circles_and_long_chains_end() {
    let mut chain = String::from("class C0:\n    def go(self):\n        pass\n");
    for i in 1..3000 {
        chain += &format!("class C{i}(C{}):\n    pass\n", i - 1);
    }
    chain += "def f(x: C2999, y: C100):\n    x.go()\n    y.go()\n";
    check(
        &[
            (
                "a.py",
                "from b import x\nfrom b import *\nclass A(B):\n    pass\nclass B(A):\n    def m(self):\n        self.n()\nv = w\nw = v\nv.go()\n",
            ),
            ("b.py", "from a import x\nfrom a import *\nx()\ny()\n"),
            ("chain.py", &chain),
        ],
        "chain.py:6003 call go -> loose
         chain.py:6004 call go -> chain.py#C0.go calls exact",
    );
}

#[test]
fn a_package_imports_its_submodule_under_its_own_name() {
    check(
        &[
            ("pkg/__init__.py", "from . import json as json\n"),
            ("pkg/json.py", "def dumps():\n    pass\n"),
            ("app.py", "import pkg\n\npkg.json.dumps()\n"),
        ],
        "pkg/__init__.py:1 import json -> pkg/json.py imports exact
         app.py:3 call dumps -> pkg/json.py#dumps calls exact",
    );
}

#[test]
fn overload_signatures_and_the_function_are_one() {
    let text = "from typing import overload\n\nclass K:\n    @overload\n    def f(self, a: int) -> int: ...\n    @overload\n    def f(self, a: str) -> str: ...\n    def f(self, a):\n        return a\n\ndef g(k: K):\n    k.f(1)\n";
    let world = crate::resolve::testing::world(&[("a.py", text)]);
    let links = crate::resolve::link(&world, 0);
    let lines: Vec<u32> = links
        .links
        .iter()
        .filter(|l| l.confidence == crate::resolve::Confidence::Exact)
        .filter(|l| l.relation == crate::resolve::Relation::Calls)
        .map(|l| world.view(0).facts.symbols[l.target.symbol as usize].name_line)
        .collect();
    assert_eq!(lines, [5, 7, 8]);
}

#[test]
fn other_files_that_a_result_depends_on_are_noted() {
    let world = crate::resolve::testing::world(&[
        ("a.py", "def f():\n    pass\n"),
        ("b.py", "from a import f\n"),
        ("c.py", "from b import f\nf()\n"),
        ("d.py", "def f():\n    pass\n"),
    ]);
    let consulted: Vec<&str> = crate::resolve::link(&world, 2)
        .consulted
        .iter()
        .map(|&f| world.path(f))
        .collect();
    assert_eq!(consulted, ["a.py", "b.py"]);
}

#[test]
fn a_lambda_has_the_types_that_the_called_signature_states() {
    check(
        &[
            (
                "kit.py",
                "import typing as t\nfrom collections.abc import Callable\n\nDeferred = t.Callable[[\"State\", int], None]\n\nclass State:\n    def add(self): ...\n\nclass Other:\n    def add(self): ...\n\nclass Plan:\n    def __init__(self, first: \"Callable[[State], None]\" = None): ...\n    def record(self, f: Deferred): ...\n    def later(self, n: int, *, f: Callable[[State], None]): ...\n    def make(self) -> Callable[[], State]: ...\n",
            ),
            (
                "app.py",
                "from kit import Plan\nfrom lib import run\n\ndef main(plan: Plan):\n    plan.record(lambda s, n: s.add())\n    plan.later(1, f=lambda s: s.add())\n    Plan(lambda s: s.add())\n    plan.make()().add()\n    run(lambda s: s.add())\n",
            ),
        ],
        "app.py:5 call add -> kit.py#State.add calls resolved
         app.py:6 call add -> kit.py#State.add calls resolved
         app.py:7 call add -> kit.py#State.add calls resolved
         app.py:9 call add -> loose
         kit.py:4 type State -> kit.py#State uses exact",
    );
}

#[test]
fn generic_types_from_outside_give_their_argument() {
    check(
        &[(
            "app.py",
            "from contextvars import ContextVar\nfrom queue import Queue\n\nclass Box:\n    def open(self): ...\n\nclass Lid:\n    def open(self): ...\n\n_current: ContextVar[\"Box\"] = ContextVar(\"box\")\n\ndef main(jobs: Queue[Box], names: dict[str, Box]):\n    if (box := _current.get(None)) is not None:\n        box.open()\n    jobs.get().open()\n    names.get(1).open()\n    jobs.empty().open()\n",
        )],
        "app.py:14 call open -> app.py#Box.open calls resolved
         app.py:15 call open -> app.py#Box.open calls resolved
         app.py:16 call open -> app.py#Box.open calls resolved
         app.py:17 call open -> loose",
    );
}

/// Classes above themselves have no order of their bases; each is gone through once.
#[test]
fn circles_of_bases_are_gone_through_once() {
    let n = 250;
    let mut text: String = (0..n)
        .map(|i| {
            let above = [i + 1, i * 7, i * 3 + 2, i * 5 + 1]
                .map(|b| format!("C{}", b % n))
                .join(", ");
            format!("class C{i}({above}):\n    def m{i}(self): pass\n")
        })
        .collect();
    text.push_str("def f(c: C0):\n    c.m5()\n");
    let line = 2 * n + 2;
    check(
        &[("a.py", &text)],
        &format!("a.py:{line} call m5 -> a.py#C5.m5 calls exact"),
    );
}
