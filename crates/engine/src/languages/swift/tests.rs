//! What Swift sources must give.

use super::LANGUAGE;
use crate::languages::testing::*;

#[test]
fn a_call_at_the_end_of_an_operation_is_a_call() {
    let got = refs(&LANGUAGE, "func f(n: Int) -> Int {\n  return n + Store.blank()\n}\n");
    let call = |u: &String| u.to_lowercase().contains("call") && u.contains("blank");
    assert!(got.iter().any(call), "{got:?}");
}

#[test]
fn definitions() {
    let text = r#"
import Foundation
import struct Net.Client
/// A shop.
@objc
public final class Shop<T: Item>: Base, Open {
    static let shared = Shop()
    private(set) var items: [Item] = [], n = 1
    weak var delegate: Delegate?
    var count: Int { return items.count }
    init(n: Int = 0, _ name: String...) { super.init() }
    deinit { }
    override func find(name: String, by n: Int = 1) async throws -> Item? { nil }
    static func make() -> Self { Self() }
    class func other() {}
    subscript(i: Int) -> Item { items[i] }
    enum Mode: String { case on, off = "x"; case pair(Item, n: Int) }
    typealias H = [Foo]
}
extension Outer.Shop: Closed where T: Foo { func close() {} }
extension Shop { struct Inner { let x: Int } }
protocol Open: AnyObject { associatedtype E; func open(); var x: Int { get } }
actor Act { func go() { func local() {} } }
private let global = 3
class ShopTests: XCTestCase { func testWorks() { } }
"#;
    check(
        symbols(&LANGUAGE, text),
        "class Shop 5-19 -
         property Shop.shared 7-7 Shop static
         property Shop.items 8-8 Shop
         property Shop.n 8-8 Shop
         property Shop.delegate 9-9 Shop
         property Shop.count 10-10 Shop getter
         constructor Shop.init 11-11 Shop
         method Shop.deinit 12-12 Shop
         method Shop.find 13-13 Shop override
         method Shop.make 14-14 Shop static
         method Shop.other 15-15 Shop static
         method Shop.subscript 16-16 Shop
         enum Shop.Mode 17-17 Shop
         variant Shop.Mode.on 17-17 Shop.Mode static
         variant Shop.Mode.off 17-17 Shop.Mode static
         variant Shop.Mode.pair 17-17 Shop.Mode static
         type Shop.H 18-18 Shop
         method Outer.Shop.close 20-20 - extension
         struct Shop.Inner 21-21 - extension
         property Shop.Inner.x 21-21 Shop.Inner
         protocol Open 22-22 -
         type Open.E 22-22 Open
         method Open.open 22-22 Open declaration
         property Open.x 22-22 Open declaration
         class Act 23-23 -
         method Act.go 23-23 Act
         function Act.go.local 23-23 Act.go
         constant global 24-24 - private
         class ShopTests 25-25 -
         method ShopTests.testWorks 25-25 ShopTests test",
    );
    check_among(
        types(&LANGUAGE, text),
        "Shop < Base, Open
         Shop.shared = Shop()
         Shop.items: ?[Item] = lit
         Shop.delegate: Delegate
         Shop.find: Item
         Shop.make: Self
         Shop.init: Self
         Shop.H: ?[Foo]",
    );
    check_among(
        params(&LANGUAGE, text),
        "Shop.init 0..*
         Shop.find 1..2",
    );
    check_among(
        headers(&LANGUAGE, text),
        "public final class Shop<T: Item>: Base, Open // A shop.",
    );
    check(
        imports(&LANGUAGE, text),
        "star Foundation
         name Net Client as Client",
    );
    let facts = crate::extract::extract(&LANGUAGE, text);
    let impls: Vec<_> = facts
        .impls
        .iter()
        .map(|i| (show(&facts, i.ty), i.super_ty.map(|s| show(&facts, s))))
        .collect();
    assert_eq!(
        impls,
        [
            ("Outer.Shop".to_owned(), Some("Closed".to_owned())),
            ("Shop".to_owned(), None)
        ]
    );
}

#[test]
fn uses() {
    let text = r#"
func f(item: Item?, map: [Key: Foo], _ any: Any) {
    let a = item?.bar(1)!.baz as! Box
    for i in repo.all() { i.go() }
    if let lid = any as? Lid, lid.ok { lid.shut() }
    guard let x = y else { return }
    switch any {
    case let b as Box: b.open()
    case .on: one()
    case Mode.off: break
    default: break
    }
    items.map { $0.name }.filter { (x: Item) -> Bool in x.ok }
    run(helper, self.go, Foo.bar)
    let t = "hi \(item.name)"
    do { try go() } catch let e as Bad { e.show() }
    map[key].go()
    Store.shared.flush()
    Shop<Foo>(x: 1).go()
    animate(withDuration: 1) { self.done() } completion: { _ in end() }
    foo { [weak self] in self?.go() }
    Self.blank()
    set(.init(x), .dark)
    @Wrapped var w: Int = 1
}
"#;
    check(
        refs(&LANGUAGE, text),
        "type Item 2 f
         type Key 2 f
         type Foo 2 f
         type Any 2 f
         value item.bar().baz 3 f
         call item.bar 3 f
         type Box 3 f
         call repo.all 4 f
         value repo 4 f
         call i.go 4 f
         type Lid 5 f
         value lid.ok 5 f
         call lid.shut 5 f
         value y 6 f
         type Box 8 f
         call b.open 8 f
         value any.on 9 f
         call one 9 f
         value Mode.off 10 f
         value Mode 10 f
         call items.map().filter 13 f
         call items.map 13 f
         value items 13 f
         value $0.name 13 f
         type Item 13 f
         type Bool 13 f
         value x.ok 13 f
         call run 14 f
         value helper 14 f
         value this.go 14 f
         value Foo.bar 14 f
         value Foo 14 f
         value item.name 15 f
         call go 16 f
         type Bad 16 f
         call e.show 16 f
         call elem(map).go 17 f
         value key 17 f
         call Store.shared.flush 18 f
         value Store.shared 18 f
         value Store 18 f
         call Shop().go 19 f
         call Shop 19 f
         type Foo 19 f
         call animate 20 f
         call this.done 20 f
         call end 20 f
         call foo 21 f
         call this.go 21 f
         call Self.blank 22 f
         call set 23 f
         call ?.init 23 f
         value ?.dark 23 f
         decorator Wrapped 24 f
         type Int 24 f",
    );
    check_among(
        locals(&LANGUAGE, text),
        "item: Item
         map: ?[Foo]
         a = typed(Box)
         i = elem(repo.all())
         lid = typed(Lid)
         x = y
         b: Box
         x: Item
         e: Bad",
    );
}

#[test]
fn deep_nesting_is_read() {
    let deep = format!("func f() {{ {}x{} }}", "g(".repeat(500), ")".repeat(500));
    assert_eq!(refs(&LANGUAGE, &deep).len(), 501);
}
