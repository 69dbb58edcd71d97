use crate::resolve::testing::check;

#[test]
fn barrels_stars_and_renamed_exports() {
    check(
        &[
            ("src/lib/ping.ts", "export function ping(): string { return 'p'; }\n"),
            (
                "src/lib/pong.ts",
                "function pongInner() {}\nexport { pongInner as pong };\n",
            ),
            (
                "src/lib/index.ts",
                "export * from './ping';\nexport { pong as pang } from './pong';\nexport * as all from './ping';\n",
            ),
            ("src/decoy.ts", "export function pang() {}\n"),
            (
                "src/app.ts",
                "import { ping, pang, all } from './lib';\nexport function start() {\n  ping();\n  pang();\n  all.ping();\n}\n",
            ),
        ],
        "src/app.ts:3 call ping -> src/lib/ping.ts#ping calls exact
         src/app.ts:4 call pang -> src/lib/pong.ts#pongInner calls exact
         src/app.ts:5 call ping -> src/lib/ping.ts#ping calls exact",
    );
}

#[test]
fn default_and_namespace_imports() {
    check(
        &[
            ("src/parse.ts", "export default function parse(t: string) {}\n"),
            (
                "src/text.ts",
                "export function trimAll(t: string) {}\nfunction hidden() {}\n",
            ),
            (
                "src/decoys.ts",
                "export function trimAll() {}\nexport function readWords() {}\n",
            ),
            (
                "src/use.ts",
                "import readWords from './parse';\nimport * as Text from './text';\nexport function words() {\n  readWords(Text.trimAll(''));\n  Text.hidden();\n}\n",
            ),
        ],
        "src/use.ts:4 call readWords -> src/parse.ts#parse calls exact
         src/use.ts:4 call trimAll -> src/text.ts#trimAll calls exact
         src/use.ts:5 call hidden -> unbound",
    );
}

#[test]
fn commonjs_whole_and_destructured() {
    check(
        &[
            (
                "lib/text.js",
                "function pad(s) {}\nfunction strip(s) {}\nmodule.exports = { pad, strip };\n",
            ),
            ("lib/other.js", "function pad(s) {}\nmodule.exports = { pad };\n"),
            ("lib/one.js", "module.exports = function one() {};\n"),
            (
                "table.js",
                "const { pad } = require('./lib/text');\nconst text = require('./lib/text');\nconst one = require('./lib/one');\nfunction row(s) {\n  pad(s);\n  text.strip(s);\n  one();\n}\nasync function later() {\n  const { strip } = await import('./lib/text');\n  strip('');\n}\n",
            ),
        ],
        "table.js:5 call pad -> lib/text.js#pad calls exact
         table.js:6 call strip -> lib/text.js#strip calls exact
         table.js:7 call one -> lib/one.js#one calls exact
         table.js:11 call strip -> lib/text.js#strip calls exact",
    );
}

#[test]
fn configured_paths_and_workspace_packages() {
    check(
        &[
            (
                "tsconfig.json",
                "{ // c\n \"compilerOptions\": { \"baseUrl\": \".\", \"paths\": { \"@app/*\": [\"src/*\"], }, }, }",
            ),
            ("src/lib/auth.ts", "export function session() {}\n"),
            ("vendor/lib/auth.ts", "export function session() {}\n"),
            (
                "src/home.ts",
                "import { session } from '@app/lib/auth';\nimport { can } from '@acme/policy';\nimport { deep } from '@acme/policy/deep';\nimport { session as s2 } from 'src/lib/auth.js';\nsession();\ncan();\ndeep();\ns2();\n",
            ),
            ("pnpm-workspace.yaml", "packages:\n  - 'packages/*'\n"),
            (
                "packages/policy/package.json",
                "{\"name\": \"@acme/policy\", \"exports\": {\".\": {\"import\": \"./dist/index.js\"}, \"./*\": \"./src/*.ts\"}}",
            ),
            ("packages/policy/src/index.ts", "export { can } from './can';\n"),
            ("packages/policy/src/can.ts", "export function can() {}\n"),
            ("packages/policy/src/deep.ts", "export function deep() {}\n"),
        ],
        "src/home.ts:5 call session -> src/lib/auth.ts#session calls exact
         src/home.ts:6 call can -> packages/policy/src/can.ts#can calls exact
         src/home.ts:7 call deep -> packages/policy/src/deep.ts#deep calls exact
         src/home.ts:8 call s2 -> src/lib/auth.ts#session calls exact",
    );
}

#[test]
fn receivers_by_field_parameter_property_and_interface() {
    check(
        &[
            (
                "src/svc.ts",
                "export class Svc {\n  build(): number { return 1; }\n  again(): this { return this; }\n}\nexport class Unrelated { build() {} }\nexport interface Shape { area(): number; }\nexport class Square implements Shape { area() { return 1; } }\n",
            ),
            (
                "src/users.ts",
                "import { Svc, Shape } from './svc';\nexport class Via {\n  private made = new Svc();\n  private told: Svc = new Svc();\n  constructor(private readonly svc: Svc) {}\n  build() {\n    this.svc.build();\n    this.made.build();\n    this.told.build();\n    this.svc.again().build();\n  }\n}\nexport function f(s: Shape, xs: Svc[], p: Promise<Svc>, o?: Svc) {\n  s.area();\n  for (const x of xs) x.build();\n  xs.forEach(y => y.build());\n  o?.build();\n}\nasync function g(p: Promise<Svc>) {\n  const v = await p;\n  v.build();\n}\n",
            ),
        ],
        "src/users.ts:7 call build -> src/svc.ts#Svc.build calls exact
         src/users.ts:8 call build -> src/svc.ts#Svc.build calls resolved
         src/users.ts:9 call build -> src/svc.ts#Svc.build calls exact
         src/users.ts:10 call build -> src/svc.ts#Svc.build calls resolved
         src/users.ts:14 call area -> src/svc.ts#Shape.area calls exact
         src/users.ts:15 call build -> src/svc.ts#Svc.build calls exact
         src/users.ts:16 call build -> src/svc.ts#Svc.build calls exact
         src/users.ts:17 call build -> src/svc.ts#Svc.build calls exact
         src/users.ts:21 call build -> src/svc.ts#Svc.build calls exact
         src/svc.ts:7 implement Shape -> src/svc.ts#Shape implements exact
         src/svc.ts#Square.area overrides src/svc.ts#Shape.area",
    );
}

#[test]
fn builtins_and_outside_packages_bind_to_no_namesake() {
    check(
        &[
            (
                "src/cache.ts",
                "export class Cache { get(k: string) {} }\nexport function map() {}\n",
            ),
            (
                "src/use.ts",
                "import { Cache as C2 } from 'lru';\nimport lodash from 'lodash';\nexport function f(q) {\n  const d = new Map<string, string>();\n  d.get('x');\n  lodash.map([]);\n  new C2().get('k');\n  q.get('z');\n  console.map();\n}\n",
            ),
        ],
        "src/use.ts:5 call get -> unbound
         src/use.ts:6 call map -> unbound
         src/use.ts:7 call get -> unbound
         src/use.ts:8 call get -> loose
         src/use.ts:9 call map -> unbound",
    );
}

#[test]
fn prototypes_object_literals_and_this() {
    check(
        &[(
            "lib/timer.js",
            "function Timer() {\n  this.n = 0;\n  this.advance(1);\n}\nTimer.prototype.advance = function (by) {\n  this.rewind(by);\n};\nTimer.prototype.rewind = function (by) {};\nconst tools = {\n  settle(by) { this.other(by); },\n  other: function (by) {},\n};\nfunction use() {\n  new Timer().advance(2);\n  tools.settle(1);\n}\n",
        )],
        "lib/timer.js:3 call advance -> lib/timer.js#Timer.advance calls exact
         lib/timer.js:6 call rewind -> lib/timer.js#Timer.rewind calls exact
         lib/timer.js:10 call other -> lib/timer.js#tools.other calls exact
         lib/timer.js:14 call advance -> lib/timer.js#Timer.advance calls exact
         lib/timer.js:15 call settle -> lib/timer.js#tools.settle calls exact",
    );
}

#[test]
fn constructors_supers_and_overloads() {
    check(
        &[(
            "a.ts",
            "export class Base {\n  constructor(a: string) {}\n  go(): void {}\n}\nexport class Sub extends Base {\n  constructor() { super('x'); }\n  go(): void { super.go(); }\n}\nfunction over(a: string): void;\nfunction over(a: string, b: number): void;\nfunction over(a: any, b?: any): void {}\nnew Sub();\nover('x');\n",
        )],
        "a.ts:6 call super -> a.ts#Base.constructor calls exact
         a.ts:7 call go -> a.ts#Base.go calls exact
         a.ts:12 new Sub -> a.ts#Sub calls exact
         a.ts:12 new Sub -> a.ts#Sub.constructor calls exact
         a.ts:13 call over -> a.ts#over calls exact
         a.ts#Sub.go overrides a.ts#Base.go",
    );
}

#[test]
fn elements_types_and_aliases() {
    check(
        &[
            (
                "src/Header.tsx",
                "export function Header(p: { title: string }) { return <h1/>; }\nexport type Options = { run(): void };\nexport type Both = Options & { more(): void };\n",
            ),
            (
                "src/App.tsx",
                "import { Header, type Both } from './Header';\nimport type { Options } from './Header';\nexport function App(o: Options, b: Both) {\n  o.run();\n  b.run();\n  b.more();\n  return <Header title='x'></Header>;\n}\n",
            ),
        ],
        "src/App.tsx:4 call run -> src/Header.tsx#Options.run calls exact
         src/App.tsx:6 call more -> src/Header.tsx#Both.more calls exact
         src/App.tsx:7 element Header -> src/Header.tsx#Header uses exact",
    );
}

#[test]
fn scripts_share_the_names_of_their_directory_and_declarations_are_everywhere() {
    check(
        &[
            ("web/a.js", "function boot() {}\n"),
            ("web/b.js", "boot();\n"),
            ("other/c.js", "boot();\n"),
            ("types.d.ts", "declare function ambient(): void;\n"),
            ("web/m.ts", "export {};\nambient();\nboot();\n"),
        ],
        "web/b.js:1 call boot -> web/a.js#boot calls exact
         other/c.js:1 call boot -> unbound
         web/m.ts:2 call ambient -> types.d.ts#ambient calls exact",
    );
}

#[test]
fn reexport_circles_end() {
    check(
        &[
            ("a.ts", "export * from './b';\nexport { x } from './b';\n"),
            (
                "b.ts",
                "export * from './a';\nexport { x } from './a';\nexport function real() {}\n",
            ),
            ("c.ts", "import { x, real } from './a';\nx();\nreal();\n"),
        ],
        "c.ts:3 call real -> b.ts#real calls exact",
    );
}

#[test]
fn a_local_that_names_itself_as_its_type_ends() {
    check(
        &[(
            "a.ts",
            "function f<T extends T, U extends V, V extends U>(a: T, b: U) {\n  a.go();\n  b.go();\n}\nfunction go() {}\n",
        )],
        "a.ts:2 call go -> loose
         a.ts:3 call go -> loose",
    );
}

#[test]
fn parameters_have_the_types_that_their_place_states() {
    check(
        &[
            (
                "t.ts",
                "export class Context { req: Req; text() {} }\nexport class Req { header() {} }\nexport type Next = () => void;\nexport type Handler<E = any> = (c: Context, next: Next) => void;\nexport type Either = Handler | ((c: Context) => string);\n",
            ),
            (
                "a.ts",
                "import type { Handler, Either, Context } from './t';\nexport const one: Handler = (c) => c.text();\nexport const two = (): Handler<string> => {\n  return function two(c, next) {\n    c.req.header();\n    next.text();\n  };\n};\nclass K {\n  run: Either = (c) => { c.text(); };\n  async later(): Promise<Handler> {\n    return (c) => c.text();\n  }\n}\nexport const three = (): Handler => (c) => c.text();\nconst four: (c: Context) => void = ({ req }) => req.header();\n",
            ),
        ],
        "a.ts:2 call text -> t.ts#Context.text calls exact
         a.ts:5 call header -> t.ts#Req.header calls exact
         !a.ts:6 call text -> t.ts
         a.ts:10 call text -> t.ts#Context.text calls resolved
         !a.ts:12 call text -> t.ts#Context.text calls exact
         a.ts:15 call text -> t.ts#Context.text calls exact
         a.ts:16 call header -> t.ts#Req.header calls exact",
    );
}

const CALLBACKS: &str = "export class Context { req: Req; text() {} }
export class Req { header() {} }
export class Stream { write() {} }
export type Handler<E = any> = (c: Context, next: () => void) => void;
export type Either<E> = Handler<E> | ((c: Context) => string);
export interface Route<E> {
  <P extends string>(handler: Either<E>): App;
  <P extends string>(path: P, ...handlers: [Either<E>, Either<E>]): App;
  (path: string, ...handlers: Handler[]): App;
}
export class App {
  get!: Route<any>;
  on(path: string, run: Handler): this;
  on(paths: string[], run: Handler): this;
  on(path: any, run: any): this { return this; }
  each<R extends Req, U>(of: (r: R, u: U) => void) {}
  constructor(first?: (s: Stream) => void) {}
}
export type Events = { opened?: (s: Stream) => void; closed(s: Stream): void };
export function upgrade(events: (c: Context) => Events | Promise<Events>) {}
export const stream = async (c: Context, ...cbs: ((s: Stream) => Promise<void>)[]) => {};
";

#[test]
fn a_callback_has_the_types_that_the_called_signature_states() {
    check(
        &[
            ("t.ts", CALLBACKS),
            (
                "a.ts",
                "import { App, stream, upgrade } from './t';
const app = new App((s) => s.write());
app.get('/x', (c) => c.text());
app.get((c) => c.req.header());
app.get('/y', (c) => c.text(), async function (c) { c.req.header(); });
app.on('/z', async (c) => c.text());
app.each((r, u) => { r.header(); u.write(); });
app.get('/s', (c) => stream(c, async (s) => { s.write(); }, (s) => s.write()));
upgrade((c) => ({ opened: (s) => s.write(), closed(s) { s.write(); c.text(); } }));
upgrade(async () => { return { closed: ({ write }) => write() }; });
app.get('/a').get('/b', ({ req }) => req.header());
",
            ),
        ],
        "a.ts:2 call write -> t.ts#Stream.write calls resolved
         a.ts:3 call text -> t.ts#Context.text calls resolved
         a.ts:4 call header -> t.ts#Req.header calls resolved
         a.ts:5 call text -> t.ts#Context.text calls resolved
         a.ts:5 call header -> t.ts#Req.header calls resolved
         a.ts:6 call text -> t.ts#Context.text calls resolved
         a.ts:7 call header -> t.ts#Req.header calls resolved
         a.ts:7 call write -> loose
         a.ts:8 call write -> t.ts#Stream.write calls resolved
         a.ts:9 call write -> t.ts#Stream.write calls resolved
         a.ts:9 call text -> t.ts#Context.text calls resolved
         a.ts:11 call header -> t.ts#Req.header calls resolved",
    );
}

#[test]
fn callbacks_of_signatures_that_differ_are_possible_and_of_outside_ones_unknown() {
    check(
        &[
            (
                "t.ts",
                "export class A { go() {} }\nexport class B { go() {} }\nexport interface On {\n  (name: 'a', cb: (a: A) => void): void;\n  (name: 'b', cb: (b: B) => void): void;\n}\nexport declare const on: On;\n",
            ),
            (
                "a.ts",
                "import { on } from './t';\nimport { each } from 'lib';\non('a', (x) => x.go());\neach((x) => x.go());\nunknown.each((x) => x.go());\n",
            ),
        ],
        "a.ts:3 call go -> t.ts#A.go calls possible
         a.ts:3 call go -> t.ts#B.go calls possible
         a.ts:4 call go -> loose
         a.ts:5 call go -> loose",
    );
}

#[test]
fn what_a_function_type_gives() {
    check(
        &[
            (
                "t.ts",
                "export class A { go() {} }\nexport type Make = (n: number) => A;\nexport interface Maker { (n: number): A }\n",
            ),
            (
                "a.ts",
                "import type { Make, Maker } from './t';\nexport function run(make: Make, maker: Maker) {\n  make(1).go();\n  maker(1).go();\n}\n",
            ),
        ],
        "a.ts:3 call go -> t.ts#A.go calls resolved
         a.ts:4 call go -> t.ts#A.go calls resolved",
    );
}

#[test]
fn signatures_without_semicolons_are_told_apart() {
    check(
        &[
            (
                "t.ts",
                "export class A { go() {} }
export type Take<T> = (a: A) => T;
export interface Route {
  <T>(take: Take<T>): Route

  // with a path
  <
    P extends string,
    T,
  >(path: P, take: Take<T>): Route
}
export declare const route: Route
",
            ),
            (
                "a.ts",
                "import { route } from './t'\nroute((a) => a.go())\nroute('/', (a) => a.go())\n",
            ),
        ],
        "a.ts:2 call go -> t.ts#A.go calls resolved
         a.ts:3 call go -> t.ts#A.go calls resolved",
    );
}

#[test]
fn a_callback_of_a_generic_type_has_the_argument_of_the_receiver() {
    check(
        &[
            (
                "t.ts",
                "export class A { go() {} }\nexport class Box<T> {\n  each(f: (x: T, n: number) => void): void {}\n  open: (f: (x: T) => void) => void;\n  free<U>(f: (u: U) => void): void {}\n}\n",
            ),
            (
                "a.ts",
                "import { A, Box } from './t';\nexport function run(box: Box<A>) {\n  box.each((x) => x.go());\n  box.open((x) => x.go());\n  box.free((x) => x.go());\n}\n",
            ),
        ],
        "a.ts:3 call go -> t.ts#A.go calls resolved
         a.ts:4 call go -> t.ts#A.go calls resolved
         a.ts:5 call go -> loose",
    );
}
