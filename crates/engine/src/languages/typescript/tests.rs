//! Small sources and what extraction says about them.

use super::{JAVASCRIPT, TSX, TYPESCRIPT};
use crate::extract::extract;
use crate::languages::testing::{check, exports, imports, locals, refs, symbols, types};

#[test]
fn classes_have_their_members() {
    let source = "/** Doc. */
export abstract class Foo<T> extends ns.Base<T> implements IFoo {
  private y: Foo | null = new Foo();
  static count = 0;
  handler = async () => { this.run(); };
  constructor(private readonly dep: Dep, x?: number) { super(dep); this.z = x; }
  @Dec()
  get size(): number { return this.dep.size(); }
  abstract go(): void;
  over(a: string): void;
  over(a: any): void {}
}
";
    check(
        symbols(&TYPESCRIPT, source),
        "class Foo 2-12 -
         field Foo.y 3-3 Foo
         field Foo.count 4-4 Foo static
         method Foo.handler 5-5 Foo async
         constructor Foo.constructor 6-6 Foo
         field Foo.dep 6-6 Foo
         method Foo.size 7-8 Foo getter
         method Foo.go 9-9 Foo declaration
         method Foo.over 10-10 Foo declaration
         method Foo.over 11-11 Foo",
    );
    check(
        types(&TYPESCRIPT, source),
        "Foo < ns.Base, IFoo
         Foo.y: Foo = new(Foo)
         Foo.count = lit
         Foo.handler
         Foo.constructor
         Foo.dep: Dep
         Foo.size: lit
         Foo.go: lit
         Foo.over: lit
         Foo.over: lit",
    );
    check(
        refs(&TYPESCRIPT, source),
        "inherit ns.Base 2 Foo
         value ns 2 Foo
         implement IFoo 2 Foo
         type Foo 3 Foo.y
         new Foo 3 Foo.y
         call this.run 5 Foo.handler
         type Dep 6 Foo.constructor
         call super 6 Foo.constructor
         value this.z 6 Foo.constructor
         decorator Dec 7 Foo
         call this.dep.size 8 Foo.size
         value this.dep 8 Foo.size",
    );
    let facts = extract(&TYPESCRIPT, source);
    assert_eq!(&*facts.symbols[0].doc, "Doc.");
    assert_eq!(
        &*facts.symbols[0].signature,
        "export abstract class Foo<T> extends ns.Base<T> implements IFoo"
    );
    assert_eq!(&*facts.symbols[6].signature, "get size(): number");
    assert_eq!((facts.symbols[4].params.min, facts.symbols[4].params.max), (1, 2));
}

#[test]
fn types_namespaces_and_enums() {
    check(
        symbols(
            &TYPESCRIPT,
            "interface A<X> extends B { m(a: X): void; p?: Foo; new (x: number): A }
type O = { a: Foo; f: () => void } & B;
type G = Promise<Map<string, Foo>>;
enum E { A, B = 2 }
namespace N { export function inner() {} }
declare function d(a: string): Foo;
declare module 'zed' { const v: Foo }
function takes(o: { not: Foo }) {}
",
        ),
        "interface A 1-1 -
         method A.m 1-1 A declaration
         property A.p 1-1 A
         constructor A.new 1-1 A declaration
         type O 2-2 -
         property O.a 2-2 O
         property O.f 2-2 O
         type G 3-3 -
         enum E 4-4 -
         variant E.A 4-4 E
         variant E.B 4-4 E
         namespace N 5-5 -
         function N.inner 5-5 N
         function d 6-6 - declaration
         module zed 7-7 -
         constant zed.v 7-7 zed
         function takes 8-8 -",
    );
    check(
        types(
            &TYPESCRIPT,
            "type G = Promise<Map<string, Foo>>; type R = Readonly<Foo[]>; type U = Foo | null; type V = a.B | C;",
        ),
        "G: Promise[Map[Foo]]
         R: lit[Foo]
         U: Foo
         V: (a.B|C)",
    );
}

#[test]
fn functions_take_the_name_of_what_holds_them() {
    check(
        symbols(
            &JAVASCRIPT,
            "function Timer() { this.g = function () {}; }
Timer.prototype.advance = function (by) {};
Timer.prototype = { m1() {}, m2: function () {} };
Object.assign(Timer.prototype, { m3() {} });
Timer.make = () => new Timer();
exports.launch = async () => {};
module.exports = { go() {}, f: function () {}, row };
const tools = {
  settle: function (by) {},
  nested: { deep() {} },
};
function outer() { const local = { f() {} }; call({ onDone: () => inner() }); return { g() {} }; }
export default { methods: { run() {} } };
const Named = class Other { m() {} };
",
        ),
        "function Timer 1-1 -
         method Timer.g 1-1 Timer assigned
         method Timer.advance 2-2 - assigned
         method Timer.m1 3-3 - assigned
         method Timer.m2 3-3 - assigned
         method Timer.m3 4-4 - assigned
         method Timer.make 5-5 - static assigned
         function launch 6-6 - assigned async
         function go 7-7 - assigned
         function f 7-7 - assigned
         constant tools 8-11 -
         method tools.settle 9-9 tools assigned
         property tools.nested 10-10 tools assigned
         method tools.nested.deep 10-10 tools.nested assigned
         function outer 12-12 -
         constant outer.local 12-12 outer
         method outer.local.f 12-12 outer.local assigned
         method outer.g 12-12 outer assigned
         constant default 13-13 - default
         property default.methods 13-13 default assigned
         method default.methods.run 13-13 default.methods assigned
         class Named 14-14 -
         method Named.m 14-14 Named",
    );
}

#[test]
fn imports_of_every_form() {
    check(
        imports(
            &TYPESCRIPT,
            "import def, { a as b, type T } from './m';
import * as ns from 'ns';
import { default as d2 } from './d';
import './side';
import fs = require('fs');
export { x as y, default as z } from './q';
export * from './star';
export * as all from './all';
const lazy = await import('./lazy');
const { pad, q: w } = require('./t');
const text = require('./text'), one = require('./o').one;
function f() { return require('./z').boot(); }
",
        ),
        "default ./m as def
         name ./m a as b
         name ./m T as T
         module ns as ns
         default ./d as d2
         include ./side
         module fs as fs
         name ./q x
         default ./q
         star ./star
         module ./all
         module ./lazy as lazy
         name ./t pad as pad
         name ./t q as w
         module ./text as text
         name ./o one as one
         module ./z",
    );
    check(
        refs(
            &JAVASCRIPT,
            "export { x } from './q'; require('./z').boot(); import('./d').then(m => m.go());",
        ),
        "import \"./q\".x 1 <file>
         import \"./z\" 1 <file>
         call \"./z\".boot 1 <file>
         import \"./d\" 1 <file>
         call \"./d\".then 1 <file>
         call m.go 1 <file>",
    );
}

#[test]
fn exports_of_every_form() {
    check(
        exports(
            &TYPESCRIPT,
            "export function f() {}
export const c = 1, g = () => 2;
function own() {}
export { own as other };
export { x as y } from './q';
export * from './star';
export default own;
",
        ),
        "symbol f
         symbol c
         symbol g
         symbol own
         local other own
         from y ./q x
         star ./star
         local default own",
    );
    check(
        exports(
            &JAVASCRIPT,
            "function row() {}
exports.launch = () => 1;
module.exports.tools = row;
module.exports = { row, cell: row, go() {} };
var app = module.exports = {};
",
        ),
        "symbol row
         symbol launch
         symbol go
         symbol app
         local launch <launch>
         local tools row
         local row row
         local cell row
         local go <go>
         whole app",
    );
    check(
        exports(&JAVASCRIPT, "module.exports = class Foo { m() {} };"),
        "symbol Foo
         whole <Foo>",
    );
}

#[test]
fn uses_of_every_role() {
    check(
        refs(
            &TSX,
            "function use(o: Foo, cb) {
  b(o)?.foo!.bar<Baz>(this.handler);
  setTimeout(o.run, 3);
  helper.call(o, 1);
  const bound = o.run.bind(o);
  tag`x ${fill(1)}`;
  return <Foo.Bar x={go()}><Baz /><div /></Foo.Bar>;
}
const k = cast as Foo satisfies N.Bar;
",
        ),
        "type Foo 1 use
         call b().foo.bar 2 use
         value b().foo 2 use
         call b 2 use
         type Baz 2 use
         value this.handler 2 use
         call setTimeout 3 use
         value o.run 3 use
         call helper 4 use
         value o.run 5 use
         call tag 6 use
         call fill 6 use
         element Foo.Bar 7 use
         value Foo 7 use
         call go 7 use
         element Baz 7 use
         value cast 9 k
         type Foo 9 k
         type N.Bar 9 k",
    );
}

#[test]
fn locals_know_their_type_or_value() {
    check(
        locals(
            &TYPESCRIPT,
            "function f<T extends Bar>(a: Foo[], { p, q: { r } }: { p: Dep, q: any }, ...rest: Foo[]) {
  let k;
  k = new Foo();
  const x = a.find(y => y.ok);
  for (const i of a.filter(Boolean)) {}
  const { one, two: [three] } = k;
  const w = await load();
  const v = w as Foo;
  try {} catch (e) {}
}
",
        ),
        "T: Bar
         a: lit[Foo]
         p: Dep
         r = typed(?).r
         rest: lit[Foo]
         (0: lit[Foo]
         (… = elem(typed(lit[Foo]))
         k
         k = new(Foo)
         x = (a.find()|elem(a))
         y = elem(a)
         i = elem(a)
         one = k.one
         three = elem(k.two)
         w = inner(load())
         v = typed(Foo)
         e",
    );
}

#[test]
fn what_a_function_gives_back() {
    check(
        types(
            &JAVASCRIPT,
            "const a = () => new Foo();
function b() { if (x) return null; return make(); }
function c() { return { f() {}, g }; }
function d() { xs.map(() => { return 1; }); }
",
        ),
        "a = new(Foo)
         b = make()
         c = <c>
         c.f
         d",
    );
}

#[test]
fn absurd_nesting_is_survived() {
    for source in [
        format!("x = {}{}", "f(".repeat(20_000), ")".repeat(20_000)),
        format!("x = {}{}", "[".repeat(20_000), "]".repeat(20_000)),
        format!("x{}", ".a()".repeat(5_000)),
        format!("let {}a{} = 1", "[".repeat(5_000), "]".repeat(5_000)),
        format!("{}{}", "{ function f() {".repeat(2_000), "}}".repeat(2_000)),
    ] {
        let facts = extract(&TYPESCRIPT, &source);
        assert_eq!(facts.lines, 1);
    }
}
