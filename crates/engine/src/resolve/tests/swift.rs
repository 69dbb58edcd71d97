use crate::resolve::testing::check;

const PACKAGE: (&str, &str) = (
    "Package.swift",
    "let package = Package(name: \"Kit\", targets: [.target(name: \"Kit\"), .target(name: \"Base\"), .testTarget(name: \"KitTests\")])\n",
);

#[test]
fn modules_are_targets() {
    check(
        &[
            PACKAGE,
            (
                "Sources/Base/Wire.swift",
                "public struct Wire { public func send() {} }\npublic func help() {}\n",
            ),
            (
                "Sources/Kit/Wire.swift",
                "struct Wire { func send() {} }\nfunc f(w: Wire) { w.send() }\n",
            ),
            (
                "Tests/KitTests/T.swift",
                "import Base\nfunc t(w: Wire, v: Base.Wire) { w.send(); v.send(); help() }\n",
            ),
            (
                "Tests/KitTests/U.swift",
                "import Other\nfunc u(d: Data) { d.send(); t() }\n",
            ),
        ],
        "Sources/Kit/Wire.swift:2 call send -> Sources/Kit/Wire.swift#Wire.send calls exact
         Tests/KitTests/T.swift:2 call send -> Sources/Base/Wire.swift#Wire.send calls exact
         Tests/KitTests/T.swift:2 call help -> Sources/Base/Wire.swift#help calls exact
         !Tests/KitTests/T.swift:2 call send -> Sources/Kit
         Tests/KitTests/U.swift:2 call send -> unbound
         Tests/KitTests/U.swift:2 call t -> Tests/KitTests/T.swift#t calls exact",
    );
}

#[test]
fn extensions_protocols_and_initialisers() {
    check(
        &[
            (
                "A.swift",
                "protocol Runs { func run() }\nextension Runs { func twice() { run(); run() } }\nclass Base { init(n: Int) {}\n  func up() {} }\nclass A: Base {\n  init() { super.init(n: 1) }\n  func go() { up(); self.more(); more(2) }\n}\nextension A: Runs {\n  convenience init(a: Int, b: Int) { self.init() }\n  func run() { go() }\n  func more() { more(1) }\n  func more(_ n: Int) {}\n  var held: Int { go(); return 1 }\n}\n",
            ),
            (
                "B.swift",
                "extension String { func shout() {} }\nextension Runs { func thrice() {} }\nextension Data: Runs {}\nfunc g(d: Data) { d.thrice() }\nfunc f(a: A, s: String) { A(); A(a: 1, b: 2); a.twice(); a.run(); s.shout(); a.up() }\n",
            ),
        ],
        "A.swift:2 call run -> A.swift#Runs.run calls exact
         A.swift:6 call init -> A.swift#Base.init calls exact
         A.swift:7 call up -> A.swift#Base.up calls exact
         A.swift:7 call more -> A.swift#A.more calls exact
         A.swift:10 call init -> A.swift#A.init calls exact
         A.swift:11 call go -> A.swift#A.go calls exact
         A.swift:14 call go -> A.swift#A.go calls exact
         A.swift#A.run overrides A.swift#Runs.run
         B.swift:5 call A -> A.swift#A.init calls exact
         B.swift:5 call twice -> A.swift#Runs.twice calls exact
         B.swift:5 call run -> A.swift#A.run calls exact
         B.swift:5 call shout -> B.swift#String.shout calls possible
         B.swift:5 call up -> A.swift#Base.up calls exact
         B.swift:4 call thrice -> B.swift#Runs.thrice calls possible",
    );
}

#[test]
fn closures_have_the_types_that_the_called_signature_states() {
    check(
        &[
            (
                "Kit.swift",
                "class A { func go() {} }\nclass B { func go() {} }\nclass Guarded<Value> {\n  func write<U>(_ closure: (inout Value) throws -> U) -> U { fatalError() }\n}\nclass Job {\n  init(_ done: @escaping (A) -> Void) {}\n  func run(n: Int = 0, then next: ((A, B) -> Void)? = nil) {}\n}\n",
            ),
            (
                "Use.swift",
                "class Use {\n  private let state: Guarded<A>\n  func all(job: Job) {\n    state.write { s in\n      s.go()\n    }\n    state.write { $0.go() }\n    job.run { a, b in\n      b.go()\n    }\n    job.run(n: 1, then: { a, b in a.go() })\n    outside { x in x.go() }\n    outside { $0.go() }\n    _ = Job { a in a.go() }\n  }\n}\n",
            ),
        ],
        "Use.swift:5 call go -> Kit.swift#A.go calls resolved
         Use.swift:7 call go -> Kit.swift#A.go calls resolved
         Use.swift:9 call go -> Kit.swift#B.go calls resolved
         Use.swift:11 call go -> Kit.swift#A.go calls resolved
         Use.swift:12 call go -> loose
         Use.swift:13 call go -> loose
         Use.swift:14 call go -> Kit.swift#A.go calls resolved",
    );
}
