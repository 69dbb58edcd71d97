//! Small sources and what extraction says about them.

use super::LANGUAGE;
use crate::extract::extract;
use crate::facts::{Params, SymbolFlags};
use crate::languages::testing::{check, imports, locals, refs, symbols, types};

#[test]
fn definitions_of_every_kind() {
    let source = r#"<?php
namespace App\Models;
const TOP = 1;
define('OTHER', 2);
#[Entity]
abstract class User extends Base\Model implements I, \J {
    use T;
    const A = 1, B = self::A;
    private ?Foo $foo = null;
    public static int|Bar $count;
    /** @var Foo[] */
    protected array $list;
    public function __construct(private readonly Dep $dep, ?Foo $x = null) {}
    public static function make(): static { return new static(); }
    abstract protected function draw(): void;
    function run() {
        $f = function ($q): Foo { return $q; };
        $o = new class extends Foo { function in() {} };
    }
}
interface Shape extends J, K { public function area(); }
trait T { function z() {} }
enum Suit: string implements HasLabel { case Hearts = 'H'; }
function top(int $a, $b = DEF) {}
$handler = fn(Foo $x) => $x->go();
"#;
    check(
        symbols(&LANGUAGE, source),
        "constant TOP 3-3 -
         constant OTHER 4-4 -
         class User 5-20 -
         constant User.A 8-8 User static
         constant User.B 8-8 User static
         property User.foo 9-9 User
         property User.count 10-10 User static
         property User.list 12-12 User
         constructor User.__construct 13-13 User
         property User.dep 13-13 User
         method User.make 14-14 User static
         method User.draw 15-15 User declaration
         method User.run 16-19 User
         function User.run.f 17-17 User.run assigned
         class User.run.class@anonymous 18-18 User.run
         method User.run.class@anonymous.in 18-18 User.run.class@anonymous
         interface Shape 21-21 -
         method Shape.area 21-21 Shape declaration
         trait T 22-22 -
         method T.z 22-22 T
         enum Suit 23-23 -
         variant Suit.Hearts 23-23 Suit static
         function top 24-24 -
         function handler 25-25 - assigned",
    );
    check(
        types(&LANGUAGE, source)
            .into_iter()
            .filter(|l| l.contains([':', '<', '=']))
            .collect(),
        "TOP = lit
         OTHER = lit
         User < Base.Model, I, ::J, T
         User.A = lit
         User.B = Self.A
         User.foo: Foo = lit
         User.count: Bar
         User.list: ?[Foo]
         User.dep: Dep
         User.make: Self
         User.draw: lit
         User.run.f: Foo
         User.run.class@anonymous < Foo
         Shape < J, K
         Suit < HasLabel
         Suit.Hearts: Self
         handler = $x.go()",
    );
    assert_eq!(&*extract(&LANGUAGE, source).package, "App.Models");
}

#[test]
fn every_use_site_counts() {
    let source = r#"<?php
class A {
    #[Route("/")]
    function run(Foo $a): ?Bar {
        $this->foo->bar($y)?->baz();
        self::make(); static::LIMIT; parent::run(); User::$count; Other::class;
        new \App\Foo; new static();
        $h = $this->go(...);
        echo "hi {$this->name} {$a->b(1)}";
        $text = <<<TEXT
        Dear {$this->body($a)} "done" {
        TEXT;
        $s = match(true) { $x instanceof Foo => a(), default => b() };
        usort($x, [self::class, 'cmp']); array_map('helper', $xs); call_user_func([$this, 'late']);
        try {} catch (E1 | \E2 $e) {}
        return namespace\f() ?? \strlen(LIMIT);
    }
}
run(1, 2);
"#;
    check(
        refs(&LANGUAGE, source),
        "decorator Route 3 A.run
         type Foo 4 A.run
         type Bar 4 A.run
         call this.foo.bar().baz 5 A.run
         call this.foo.bar 5 A.run
         value this.foo 5 A.run
         call Self.make 6 A.run
         value Self.LIMIT 6 A.run
         call super.run 6 A.run
         value User.count 6 A.run
         value User 6 A.run
         value Other 6 A.run
         new ::App.Foo 7 A.run
         new Self 7 A.run
         value this.go 8 A.run
         value this.name 9 A.run
         call $a.b 9 A.run
         call this.body 11 A.run
         type Foo 13 A.run
         call a 13 A.run
         call b 13 A.run
         call usort 14 A.run
         value Self.cmp 14 A.run
         call array_map 14 A.run
         value helper 14 A.run
         call call_user_func 14 A.run
         value this.late 14 A.run
         type E1 15 A.run
         type ::E2 15 A.run
         call f 16 A.run
         call ::strlen 16 A.run
         value LIMIT 16 A.run
         call run 19 <file>",
    );
}

#[test]
fn what_variables_and_members_are() {
    let source = r#"<?php
class A {
    /**
     * @param Foo[] $list
     * @return Foo|null
     */
    function f(array $list, Dep $dep, int ...$rest) {
        $this->dep = $dep;
        $x = new Foo;
        foreach ($list as $k => $v) {}
        [$a, $b] = pair();
        $y = $cond ? new A : $x;
        $z ??= clone $y;
        if ($q instanceof Bar && $q) {}
    }
    function g() { if ($a) { return new Foo; } return null; }
}
"#;
    check(
        locals(&LANGUAGE, source),
        "$list: ?[Foo]
         $dep: Dep
         $rest: ?[lit]
         $x = new(Foo)
         $k
         $v = elem($list)
         $a
         $b
         $y = (new(A)|$x)
         $z = $y
         $q: Bar
         A#dep = $dep",
    );
    check(
        types(&LANGUAGE, source),
        "A
         A.f: Foo
         A.g = new(Foo)",
    );
}

#[test]
fn imports_of_every_form() {
    let source = "<?php\nuse Foo\\Bar as Baz, Foo\\Qux;\nuse Plain;\nuse function Foo\\helper;\nuse Grp\\{A, Sub\\B as C};\n\
                  require_once __DIR__ . '/x.php';\ninclude 'y.php';\nrequire dirname(__DIR__) . '/z.php';\n";
    check(
        imports(&LANGUAGE, source),
        r"name Foo Bar as Baz
         name Foo Qux as Qux
         name  Plain as Plain
         name Foo helper as helper
         name Grp A as A
         name Grp\Sub B as C
         include ./x.php
         include y.php
         include ../z.php",
    );
}

#[test]
fn headers_documentation_visibility_and_parameters() {
    let source = "<?php\n/** About A. */\nfinal class A\n{\n    /**\n     * Does it.\n     */\n    #[Attr]\n    private function go(int $a,\n        $b = 1): ?Foo\n    {\n    }\n}\n";
    let facts = extract(&LANGUAGE, source);
    let seen: Vec<(&str, &str, u32, bool)> = facts
        .symbols
        .iter()
        .map(|s| (&*s.signature, &*s.doc, s.start, s.flags.has(SymbolFlags::EXPORTED)))
        .collect();
    assert_eq!(
        seen,
        [
            ("final class A", "About A.", 3, true),
            ("private function go(int $a, $b = 1): ?Foo", "Does it.", 8, false),
        ]
    );
    assert_eq!(facts.symbols[1].params, Params { min: 1, max: 2 });
}

#[test]
fn tests_are_known() {
    let source = "<?php\nclass ATest extends TestCase {\n function testA() {}\n function setUp(): void {}\n /** @test */\n function it() {}\n function help() {}\n}\n";
    check(
        symbols(&LANGUAGE, source),
        "class ATest 2-8 - test
         method ATest.testA 3-3 ATest test
         method ATest.setUp 4-4 ATest test
         method ATest.it 6-6 ATest test
         method ATest.help 7-7 ATest",
    );
}

#[test]
fn broken_and_deep_sources_do_not_stop_it() {
    let chain = format!("<?php\n$x = $a{};\nfunction f() {{}}\n", "->b()".repeat(3000));
    let deep = format!("<?php\n$x = {}1{};\n", "[".repeat(2000), "]".repeat(2000));
    for source in [
        "<?php class A extends {",
        "<?php function f(",
        "<?php use ;",
        "<html>",
        "<?php $x->",
        &deep,
    ] {
        extract(&LANGUAGE, source);
    }
    assert!(symbols(&LANGUAGE, &chain).contains(&"function f 3-3 -".to_owned()));
}
