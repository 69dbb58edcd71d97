use crate::resolve::testing::check;

const MANIFEST: (&str, &str) = ("Cargo.toml", "[package]\nname = \"app\"\n");

#[test]
fn modules_are_told_by_their_declarations() {
    check(
        &[
            MANIFEST,
            (
                "src/lib.rs",
                "pub mod net;\nmod util;\n#[path = \"odd/place.rs\"]\nmod placed;\nmod outer {\n    pub mod deep;\n}\nmod gone;\n\npub fn top() {}\n\nfn f() {\n    net::open();\n    net::wire::send();\n    util::help();\n    placed::here();\n    outer::deep::down();\n    gone::open();\n}\n",
            ),
            ("src/net/mod.rs", "pub mod wire;\npub fn open() {}\n"),
            (
                "src/net/wire.rs",
                "use super::open;\npub fn send() {\n    open();\n    super::open();\n    crate::top();\n    super::super::top();\n    self::again();\n}\nfn again() {}\n",
            ),
            ("src/util.rs", "pub fn help() {}\n"),
            ("src/odd/place.rs", "pub fn here() {}\n"),
            (
                "src/outer/deep.rs",
                "pub fn down() {\n    crate::top();\n    super::super::top();\n}\n",
            ),
        ],
        "src/lib.rs:1 import net -> src/net/mod.rs imports exact
         src/lib.rs:13 call open -> src/net/mod.rs#open calls exact
         src/lib.rs:14 call send -> src/net/wire.rs#send calls exact
         src/lib.rs:15 call help -> src/util.rs#help calls exact
         src/lib.rs:16 call here -> src/odd/place.rs#here calls exact
         src/lib.rs:17 call down -> src/outer/deep.rs#down calls exact
         src/lib.rs:18 call open -> unbound
         src/net/wire.rs:1 import open -> src/net/mod.rs#open imports exact
         src/net/wire.rs:3 call open -> src/net/mod.rs#open calls exact
         src/net/wire.rs:4 call open -> src/net/mod.rs#open calls exact
         src/net/wire.rs:5 call top -> src/lib.rs#top calls exact
         src/net/wire.rs:6 call top -> src/lib.rs#top calls exact
         src/net/wire.rs:7 call again -> src/net/wire.rs#again calls exact
         src/outer/deep.rs:2 call top -> src/lib.rs#top calls exact
         src/outer/deep.rs:3 call top -> src/lib.rs#top calls exact",
    );
}

#[test]
fn a_module_does_not_see_what_is_around_it() {
    check(
        &[
            MANIFEST,
            (
                "src/lib.rs",
                "use std::fs::read;\nuse helper::assist;\nmod helper {\n    pub fn assist() {}\n    pub fn other() { outside(); super::outside(); }\n}\nfn outside() {}\nmacro_rules! shout { () => {} }\nmod tests {\n    use super::*;\n    fn t() { outside(); assist(); shout!(); read(); helper::other(); }\n}\n",
            ),
        ],
        "src/lib.rs:5 call outside -> unbound
         src/lib.rs:5 call outside -> src/lib.rs#outside calls exact
         src/lib.rs:11 call outside -> src/lib.rs#outside calls exact
         src/lib.rs:11 call assist -> src/lib.rs#helper.assist calls exact
         src/lib.rs:11 call shout -> src/lib.rs#shout calls exact
         src/lib.rs:11 call read -> unbound
         src/lib.rs:11 call other -> src/lib.rs#helper.other calls exact",
    );
}

#[test]
fn crates_of_the_workspace_reexports_and_globs() {
    check(
        &[
            ("Cargo.toml", "[workspace]\nmembers = [\"core\", \"cli\"]\n"),
            ("core/Cargo.toml", "[package]\nname = \"my-core\"\n"),
            (
                "core/src/lib.rs",
                "mod inner;\npub use inner::{Wire, open as start};\npub mod prelude { pub use crate::inner::*; }\n#[macro_export]\nmacro_rules! made { () => {} }\n",
            ),
            (
                "core/src/inner.rs",
                "pub struct Wire;\nimpl Wire { pub fn new() -> Self { Wire } pub fn send(&self) {} }\npub fn open() {}\npub enum Kind { A, B(u8) }\n",
            ),
            (
                "cli/Cargo.toml",
                "[package]\nname = \"cli\"\n[dependencies]\nmy-core = { path = \"../core\" }\nrenamed = { package = \"my-core\", path = \"../core\" }\nserde = \"1\"\n",
            ),
            (
                "cli/src/main.rs",
                "use my_core::Wire;\nuse my_core::prelude::*;\nuse Kind::*;\nuse serde::open as outside;\nextern crate renamed as other;\n\nfn main() {\n    let w = Wire::new();\n    w.send();\n    my_core::start();\n    open();\n    other::start();\n    ::my_core::start();\n    renamed::start();\n    outside();\n    B(1);\n    my_core::made!();\n    serde::open();\n}\n",
            ),
            (
                "cli/tests/it.rs",
                "mod common;\nfn t() { common::go(); my_core::start(); }\n",
            ),
            ("cli/tests/common/mod.rs", "pub fn go() { crate::common::go(); }\n"),
        ],
        "cli/src/main.rs:1 import Wire -> core/src/inner.rs#Wire imports exact
         cli/src/main.rs:8 call new -> core/src/inner.rs#Wire.new calls exact
         cli/src/main.rs:9 call send -> core/src/inner.rs#Wire.send calls resolved
         cli/src/main.rs:10 call start -> core/src/inner.rs#open calls exact
         cli/src/main.rs:11 call open -> core/src/inner.rs#open calls exact
         cli/src/main.rs:12 call start -> core/src/inner.rs#open calls exact
         cli/src/main.rs:13 call start -> core/src/inner.rs#open calls exact
         cli/src/main.rs:14 call start -> core/src/inner.rs#open calls exact
         cli/src/main.rs:15 call outside -> unbound
         cli/src/main.rs:16 call B -> core/src/inner.rs#Kind.B calls exact
         cli/src/main.rs:17 call made -> core/src/lib.rs#made calls exact
         cli/src/main.rs:18 call open -> unbound
         cli/tests/it.rs:2 call go -> cli/tests/common/mod.rs#go calls exact
         cli/tests/it.rs:2 call start -> core/src/inner.rs#open calls exact
         cli/tests/common/mod.rs:1 call go -> cli/tests/common/mod.rs#go calls exact",
    );
}

#[test]
fn inherent_members_come_before_those_of_traits_and_defaults_last() {
    check(
        &[
            MANIFEST,
            (
                "src/lib.rs",
                "pub trait Feed {\n    fn pull(&self) -> u8;\n    fn twice(&self) -> u8 { self.pull() }\n}\npub struct A { n: u8 }\nimpl A {\n    pub fn pull(&self) -> u8 { self.n() }\n    fn n(&self) -> u8 { self.n }\n}\nimpl Feed for A {\n    fn pull(&self) -> u8 { 1 }\n}\npub struct B<T> { inner: T }\nimpl<T> Feed for B<T> {\n    fn pull(&self) -> u8 { 2 }\n}\nimpl Feed for Vec<A> {\n    fn pull(&self) -> u8 { 3 }\n}\nfn f(a: &A, b: B<u8>, d: &dyn Feed, g: impl Feed) {\n    a.pull();\n    b.pull();\n    d.pull();\n    g.pull();\n    b.twice();\n    a.absent();\n    Feed::pull(a);\n}\nfn h<F: Feed, G>(f: F, g: G) where G: Feed { f.pull(); g.twice(); }\nfn absent() {}\n",
            ),
        ],
        "src/lib.rs:7 call n -> src/lib.rs#A.n calls exact
         src/lib.rs:8 value n -> src/lib.rs#A.n uses exact
         src/lib.rs:3 call pull -> src/lib.rs#Feed.pull calls exact
         src/lib.rs:21 call pull -> src/lib.rs#A.pull calls exact
         src/lib.rs:22 call pull -> src/lib.rs#B.pull calls exact
         src/lib.rs:23 call pull -> src/lib.rs#Feed.pull calls exact
         src/lib.rs:23 call pull -> src/lib.rs#Feed.pull calls exact
         src/lib.rs:25 call twice -> src/lib.rs#Feed.twice calls exact
         src/lib.rs:26 call absent -> unbound
         src/lib.rs:27 call pull -> src/lib.rs#Feed.pull calls exact
         src/lib.rs:29 call pull -> src/lib.rs#Feed.pull calls resolved
         src/lib.rs:29 call twice -> src/lib.rs#Feed.twice calls resolved
         src/lib.rs#B.pull overrides src/lib.rs#Feed.pull",
    );
}

#[test]
fn pointers_results_and_elements_hand_on_what_they_hold() {
    check(
        &[
            MANIFEST,
            (
                "src/lib.rs",
                "use std::sync::{Arc, Mutex};\ntype Result<T> = std::result::Result<T, String>;\npub struct W;\nimpl W {\n    fn go(&self) -> &Self { self }\n}\nstruct H { one: Arc<Mutex<W>>, many: Vec<W>, maybe: Option<Box<W>> }\nfn make() -> Result<W> { Ok(W) }\nimpl H {\n    fn all(&mut self, map: std::collections::HashMap<String, W>) -> Result<()> {\n        self.one.lock().unwrap().go();\n        for w in &self.many {\n            w.go();\n        }\n        for w in self.many.iter() {\n            w.go();\n        }\n        if let Some(w) = &self.maybe {\n            w.go();\n        }\n        let Some(v) = map.get(\"a\") else { return Ok(()) };\n        v.go();\n        let w = make()?;\n        w.go().go();\n        let w = &self.many[0];\n        w.go();\n        self.many.iter().for_each(|x| { x.go(); });\n        Ok(())\n    }\n}\n",
            ),
        ],
        "src/lib.rs:11 call go -> src/lib.rs#W.go calls resolved
         src/lib.rs:13 call go -> src/lib.rs#W.go calls exact
         src/lib.rs:16 call go -> src/lib.rs#W.go calls exact
         src/lib.rs:19 call go -> src/lib.rs#W.go calls exact
         src/lib.rs:24 call go -> src/lib.rs#W.go calls resolved
         src/lib.rs:26 call go -> src/lib.rs#W.go calls exact",
    );
}

#[test]
fn dereferencing_and_blocks_for_all_types_give_members() {
    check(
        &[
            MANIFEST,
            (
                "src/lib.rs",
                "use std::ops::Deref;\npub struct In;\nimpl In { fn low(&self) {} }\npub struct Out(In);\nimpl Deref for Out {\n    type Target = In;\n    fn deref(&self) -> &In { &self.0 }\n}\npub trait Ext { fn extra(&self) {} fn more(&self); }\nimpl<T> Ext for T { fn more(&self) { self.extra() } }\npub trait Text { fn shout(&self); }\nimpl Text for str { fn shout(&self) {} }\nfn f(o: Out, s: &str) {\n    o.low();\n    o.extra();\n    o.more();\n    s.shout();\n    s.len();\n}\nfn len() {}\n",
            ),
        ],
        "src/lib.rs:14 call low -> src/lib.rs#In.low calls resolved
         src/lib.rs:15 call extra -> src/lib.rs#Ext.extra calls resolved
         src/lib.rs:16 call more -> src/lib.rs#T.more calls resolved
         src/lib.rs:17 call shout -> loose
         src/lib.rs:18 call len -> unbound
         src/lib.rs#str.shout overrides src/lib.rs#Text.shout",
    );
}

#[test]
fn variants_fields_and_patterns() {
    check(
        &[
            MANIFEST,
            (
                "src/lib.rs",
                "pub struct W;\nimpl W { fn go(&self) {} }\npub enum E { One(W), Two { w: W }, Three }\nimpl E {\n    const DEF: E = E::Three;\n    fn run(&self) {\n        match self {\n            E::One(w) => w.go(),\n            Self::Two { w } => w.go(),\n            E::Three => self.run(),\n        }\n        E::Three.run();\n        Self::DEF.run();\n    }\n}\nfn f() {\n    let w = 1;\n    let w = W;\n    w.go();\n    E::One(w).run();\n}\n",
            ),
        ],
        "src/lib.rs:8 call go -> src/lib.rs#W.go calls exact
         src/lib.rs:9 call go -> src/lib.rs#W.go calls exact
         src/lib.rs:10 call run -> src/lib.rs#E.run calls exact
         src/lib.rs:12 call run -> src/lib.rs#E.run calls exact
         src/lib.rs:13 call run -> src/lib.rs#E.run calls exact
         src/lib.rs:20 call One -> src/lib.rs#E.One calls exact
         src/lib.rs:20 call run -> src/lib.rs#E.run calls exact",
    );
}

#[test]
fn a_library_and_a_program_share_a_folder_and_undeclared_modules_are_found_by_their_place() {
    check(
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"app\"\n[[bin]]\nname = \"x\"\npath = \"code/x.rs\"\n",
            ),
            (
                "src/lib.rs",
                "macro_rules! mods { ($n:ident) => { mod $n; } }\nmods!(hidden);\npub fn lib() { hidden::peek(); }\n",
            ),
            ("src/hidden.rs", "pub fn peek() { crate::lib(); }\n"),
            ("src/main.rs", "mod only;\nfn main() { app::lib(); only::go(); }\n"),
            ("src/only.rs", "pub fn go() { crate::main(); }\n"),
            ("code/x.rs", "mod part;\nfn main() { part::p(); }\nfn near() {}\n"),
            ("code/part.rs", "pub fn p() { crate::near(); super::near(); }\n"),
        ],
        "src/hidden.rs:1 call lib -> src/lib.rs#lib calls exact
         src/main.rs:2 call lib -> src/lib.rs#lib calls exact
         src/main.rs:2 call go -> src/only.rs#go calls exact
         src/only.rs:1 call main -> src/main.rs#main calls exact
         code/x.rs:2 call p -> code/part.rs#p calls exact
         code/part.rs:1 call near -> code/x.rs#near calls exact",
    );
}

#[test]
fn a_field_and_a_method_may_share_a_name() {
    check(
        &[
            MANIFEST,
            (
                "src/lib.rs",
                "pub struct S;\nimpl S { fn go(&self) {} }\npub struct H { stats: Option<S> }\nimpl H {\n    fn stats(&self) -> u8 { 0 }\n    fn f(&mut self) {\n        if let Some(s) = self.stats.as_mut() { s.go(); }\n        self.stats();\n    }\n}\n",
            ),
        ],
        "src/lib.rs:7 value stats -> src/lib.rs#H.stats uses exact
         src/lib.rs:7 call go -> src/lib.rs#S.go calls exact
         src/lib.rs:8 call stats -> src/lib.rs#H.stats calls exact",
    );
}

#[test]
fn tuples_branches_and_variants_by_a_glob() {
    check(
        &[
            MANIFEST,
            (
                "src/lib.rs",
                "#[derive(Default)]\npub struct W;\nimpl W { fn go(&self) {} fn pair() -> (u8, Option<W>) { (0, None) } }\npub enum E { A(W), B { w: W } }\nfn f(e: E, list: Vec<(u8, W)>, c: bool) {\n    use E::*;\n    match e {\n        A(ref w) => w.go(),\n        B { w } => w.go(),\n    }\n    let (_, b) = W::pair();\n    b.unwrap().go();\n    let (x, y) = (W, 1);\n    x.go();\n    for (_, w) in list.iter() {\n        w.go();\n    }\n    let d = W::default();\n    d.go();\n    let m = match Some(1) { Some(_) => W::default(), None => return };\n    m.go();\n    let i = if c { W::default() } else { W };\n    i.go();\n}\n",
            ),
        ],
        "src/lib.rs:8 call go -> src/lib.rs#W.go calls exact
         src/lib.rs:9 call go -> src/lib.rs#W.go calls exact
         src/lib.rs:12 call go -> src/lib.rs#W.go calls resolved
         src/lib.rs:14 call go -> src/lib.rs#W.go calls exact
         src/lib.rs:16 call go -> src/lib.rs#W.go calls resolved
         src/lib.rs:19 call go -> src/lib.rs#W.go calls resolved
         src/lib.rs:21 call go -> src/lib.rs#W.go calls resolved
         src/lib.rs:23 call go -> src/lib.rs#W.go calls resolved",
    );
}

#[test]
fn a_parameter_that_only_a_block_bounds_and_an_argument_of_a_generic_type() {
    check(
        &[
            MANIFEST,
            (
                "src/lib.rs",
                "pub trait Sink { fn put(&self); }\npub struct Core<'s, M: 's, S> { m: M, sink: S, p: std::marker::PhantomData<&'s ()> }\nimpl<'s, M, S: Sink> Core<'s, M, S> {\n    fn f(&self) { self.sink.put(); }\n}\npub struct W;\nimpl W { fn go(&self) {} }\npub struct Bag<T> { items: Vec<T>, one: T }\nimpl<T> Bag<T> {\n    fn get(&self) -> Option<&T> { None }\n}\nfn g(b: Bag<W>) {\n    b.get().unwrap().go();\n    b.one.go();\n    for w in &b.items { w.go(); }\n}\n",
            ),
        ],
        "src/lib.rs:4 call put -> src/lib.rs#Sink.put calls resolved
         src/lib.rs:13 call go -> src/lib.rs#W.go calls exact
         src/lib.rs:14 call go -> src/lib.rs#W.go calls resolved
         src/lib.rs:15 call go -> src/lib.rs#W.go calls resolved",
    );
}

#[test]
fn closures_and_bounds_of_associated_types() {
    check(
        &[
            MANIFEST,
            (
                "src/lib.rs",
                "pub trait Fault { fn raise() -> Self; fn tell(&self); }\npub trait Sink { type Error: Fault; fn last(&self) -> Self::Error; }\npub struct W(u8);\nimpl W { fn go(&self) {} fn key(&self) -> u8 { self.0 } }\nfn make() -> W { W(1) }\nfn f<S: Sink>(s: S, mut list: Vec<W>) {\n    S::Error::raise();\n    s.last().tell();\n    let m = || make();\n    m().go();\n    list.sort_by(|a, b| a.key().cmp(&b.key()));\n}\n",
            ),
        ],
        "src/lib.rs:7 call raise -> src/lib.rs#Fault.raise calls exact
         src/lib.rs:8 call tell -> src/lib.rs#Fault.tell calls resolved
         src/lib.rs:10 call go -> src/lib.rs#W.go calls resolved
         src/lib.rs:11 call key -> src/lib.rs#W.key calls exact",
    );
}

#[test]
fn a_module_and_what_it_hands_out_may_share_a_name() {
    check(
        &[
            MANIFEST,
            (
                "src/lib.rs",
                "mod run;\npub use crate::run::run;\nfn f() { run(); crate::run::run(); }\n",
            ),
            ("src/run.rs", "pub fn run() {}\n"),
            ("src/main.rs", "fn main() { app::run(); }\n"),
        ],
        "src/lib.rs:2 import run -> src/run.rs#run imports exact
         src/lib.rs:3 call run -> src/run.rs#run calls exact
         src/main.rs:1 call run -> src/run.rs#run calls exact",
    );
}

/// What is iterated over, collected, listed, pushed and zipped keeps the type of its elements.
#[test]
fn elements_keep_their_type() {
    check(
        &[
            MANIFEST,
            (
                "src/lib.rs",
                "use std::collections::BTreeMap;\npub struct Step;\nimpl Step {\n    fn run(&self) -> u32 { 1 }\n    fn made(n: u32) -> Step { Step }\n}\nstruct Other;\nimpl Other { fn run(&self) {} }\nstruct Plan { steps: BTreeMap<String, Step> }\nfn of_values(p: Plan) { p.steps.values().map(AsRef::as_ref).filter(|s| s.run() == 1).count(); }\nfn of_an_array() { for s in [Step::made(1), Step::made(2)] { s.run(); } }\nfn of_a_macro(one: Step) { let mut all = vec![one]; while let Some(s) = all.pop() { s.run(); } }\nfn of_pushes() { let mut all = Vec::new(); all.push(Step::made(1)); for s in all { s.run(); } }\nfn of_pairs(a: Vec<Other>, b: Vec<Step>) { for (_, s) in a.iter().zip(&b) { s.run(); } }\nfn of_a_collection(n: Vec<u32>) { let all = n.into_iter().map(Step::made).collect::<Vec<Step>>(); for s in all { s.run(); } }\nfn of_a_mapping(n: Vec<u32>) { for s in n.into_iter().map(Step::made) { s.run(); } }\nfn of_a_kept(v: Vec<Step>) { let it = v.into_iter().rev(); for s in it { s.run(); } }\nfn of_nothing(v: Vec<u32>) { for s in v.iter().map(|x| x + 1) { s.run(); } }\n",
            ),
        ],
        "src/lib.rs:10 call run -> src/lib.rs#Step.run calls exact
         src/lib.rs:11 call made -> src/lib.rs#Step.made calls exact
         src/lib.rs:11 call made -> src/lib.rs#Step.made calls exact
         src/lib.rs:11 call run -> src/lib.rs#Step.run calls resolved
         src/lib.rs:12 call run -> src/lib.rs#Step.run calls resolved
         src/lib.rs:13 call made -> src/lib.rs#Step.made calls exact
         src/lib.rs:13 call run -> src/lib.rs#Step.run calls resolved
         src/lib.rs:14 call run -> src/lib.rs#Step.run calls exact
         src/lib.rs:15 call run -> src/lib.rs#Step.run calls exact
         src/lib.rs:16 call run -> src/lib.rs#Step.run calls resolved
         src/lib.rs:17 call run -> src/lib.rs#Step.run calls exact
         src/lib.rs:18 call run -> loose",
    );
}

/// The first name of a path is no local, whatever locals there are.
#[test]
fn a_path_begins_at_no_local() {
    check(
        &[
            MANIFEST,
            (
                "src/lib.rs",
                "mod tool;\nfn use_it(name: &str) {\n    let tool = name.trim();\n    if let Some(tool) = tool::get(tool) { tool.start(); }\n    assert!(tool::get(tool).is_some());\n}\n",
            ),
            (
                "src/tool.rs",
                "pub struct Tool;\nimpl Tool { pub fn start(&self) {} }\npub fn get(name: &str) -> Option<Tool> { None }\n",
            ),
        ],
        "src/lib.rs:1 import tool -> src/tool.rs imports exact
         src/lib.rs:4 call get -> src/tool.rs#get calls exact
         src/lib.rs:4 call start -> src/tool.rs#Tool.start calls resolved
         src/lib.rs:5 call get -> src/tool.rs#get calls exact
         src/lib.rs:5 call is_some -> unbound",
    );
}

/// What a wrapper's methods leave inside is still there; branches and blocks give what they end in.
#[test]
fn wrappers_and_branches_keep_what_is_inside() {
    check(
        &[
            MANIFEST,
            (
                "src/lib.rs",
                "struct Part;\nimpl Part { fn fit(&self) {} }\nfn found() -> Result<Part, String> { Err(String::new()) }\nfn mapped() -> Result<(), u32> { let p = found().map_err(|e| 1)?; p.fit(); Ok(()) }\nfn blocked() -> Result<(), String> { let p = { let n = 1; found()? }; p.fit(); Ok(()) }\nfn paired(n: u32) { let (name, p) = match n { 1 => (\"a\", Part::new()), _ => (\"b\", Part::new()) }; }\nfn picked(n: u32) { let (_, p) = if n > 1 { (1, make()) } else { (2, make()) }; p.fit(); }\nfn make() -> Part { Part }\n#[derive(Parser)]\nstruct Options;\nimpl Options { fn paths(&self) {} }\nfn start() { let o = Options::parse(); o.paths(); }\n",
            ),
        ],
        "src/lib.rs:3 call new -> unbound
         src/lib.rs:4 call found -> src/lib.rs#found calls exact
         src/lib.rs:4 call map_err -> unbound
         src/lib.rs:4 call fit -> src/lib.rs#Part.fit calls resolved
         src/lib.rs:5 call found -> src/lib.rs#found calls exact
         src/lib.rs:5 call fit -> src/lib.rs#Part.fit calls resolved
         src/lib.rs:6 call new -> unbound
         src/lib.rs:6 call new -> unbound
         src/lib.rs:7 call make -> src/lib.rs#make calls exact
         src/lib.rs:7 call make -> src/lib.rs#make calls exact
         src/lib.rs:7 call fit -> src/lib.rs#Part.fit calls resolved
         src/lib.rs:12 call parse -> unbound
         src/lib.rs:12 call paths -> src/lib.rs#Options.paths calls resolved",
    );
}

/// A trait for types of other crates may be meant where nothing is known of the receiver, if it is in sight.
#[test]
fn a_trait_for_types_from_outside_is_possible() {
    check(
        &[
            MANIFEST,
            (
                "src/ext.rs",
                "use std::path::Path;\npub trait Tidy { fn tidy(&self) -> u32; fn join(&self) {} }\nimpl Tidy for Path { fn tidy(&self) -> u32 { self.depth() } }\nimpl Gone { fn depth(&self) -> u32 { self.height() }\n fn height(&self) -> u32 { 2 } }\n",
            ),
            (
                "src/lib.rs",
                "mod ext;\nmod far;\nuse ext::Tidy;\nfn f(p: &std::path::Path) { p.parent().tidy(); p.parent().join(); }\n",
            ),
            ("src/far.rs", "fn g() { made().tidy(); }\n"),
        ],
        "src/ext.rs:3 call depth -> unbound
         src/ext.rs:4 call height -> src/ext.rs#Gone.height calls exact
         src/far.rs:1 call tidy -> loose
         src/lib.rs:4 call tidy -> src/ext.rs#Tidy.tidy calls possible
         src/lib.rs:4 call join -> loose",
    );
}
