//! Small sources and what extraction says about them.

use super::LANGUAGE;
use super::imports::package_name;
use crate::extract::extract;
use crate::facts::SymbolFlags;
use crate::languages::testing::{check, impls, imports, locals, refs, symbols, types};

const SERVER: &str = "package main

// Server doc.
type Server struct {
	*Base
	pkg.Mixin
	Name, Addr string
	inner struct{ X Foo }
	items map[string]*Item
}

type Runner interface {
	fmt.Stringer
	Run(ctx Ctx) (*Result, error)
}

// Run doc.
func (s *Server) Run(ctx Ctx) (*Result, error) {
	a, err := s.load(ctx)
	for i, it := range s.items {
		it.Do(i)
	}
	switch v := a.(type) {
	case *Foo:
		v.Bar()
	}
	return a, err
}

func (s *Stack[T]) Push(x T) {}
func main()                  {}
func TestX(t *testing.T)     {}
func Testify()               {}

var handler = func(w Writer) error { return run(w) }
";

#[test]
fn types_have_their_members() {
    check(
        symbols(&LANGUAGE, SERVER),
        "struct Server 4-10 -
         field Server.Name 7-7 Server
         field Server.Addr 7-7 Server
         field Server.inner 8-8 Server
         field Server.inner.X 8-8 Server.inner
         field Server.items 9-9 Server
         interface Runner 12-15 -
         method Runner.Run 14-14 Runner declaration
         method Server.Run 18-28 -
         method Stack.Push 30-30 -
         function main 31-31 - entry
         function TestX 32-32 - test
         function Testify 33-33 -
         function handler 35-35 -",
    );
    check(
        types(&LANGUAGE, SERVER),
        "Server < Base, pkg.Mixin
         Server.Name: lit
         Server.Addr: lit
         Server.inner
         Server.inner.X: Foo
         Server.items: lit[Item]
         Runner < fmt.Stringer
         Runner.Run: Result
         Server.Run: Result
         Stack.Push
         main
         TestX
         Testify
         handler: lit",
    );
    let facts = extract(&LANGUAGE, SERVER);
    assert_eq!(&*facts.package, "main");
    assert_eq!(&*facts.symbols[0].doc, "Server doc.");
    assert_eq!(&*facts.symbols[0].signature, "type Server struct");
    assert_eq!(
        &*facts.symbols[8].signature,
        "func (s *Server) Run(ctx Ctx) (*Result, error)"
    );
    let exported = |ix: usize| facts.symbols[ix].flags.has(SymbolFlags::EXPORTED);
    assert!(exported(0) && exported(8) && !exported(3) && !exported(10));
}

#[test]
fn locals_know_their_type_or_value() {
    check(
        locals(&LANGUAGE, SERVER),
        "s: Server
         ctx: Ctx
         a = s.load()
         err = s.load.1
         i = lit
         it = elem(s.items)
         v: Foo
         s: Stack[T]
         x: T
         T
         t: testing.T
         w: Writer
         Server#Base: Base
         Server#Mixin: pkg.Mixin",
    );
    check(
        locals(
            &LANGUAGE,
            "package p
func f[K comparable, V Num](m map[K]V, more ...Foo) (out []V) {
	x := &Server{}
	y := new(Item)
	z := make([]Foo, 0)
	var q Foo
	e := g().(*Foo)
	p, w := one(), two()
	select {
	case msg := <-ch:
	}
	var late Iface
}
",
        ),
        "K: lit
         V: Num
         m: lit[V]
         more: lit[Foo]
         out: lit[V]
         x = new(Server)
         y = new(Item)
         z = typed(lit[Foo])
         q: Foo
         e = typed(Foo)
         p = one()
         w = two()
         msg = elem(ch)
         late: Iface",
    );
}

#[test]
fn constants_repeat_the_type_above() {
    let source = "package p
type Color int
const (
	Red Color = iota
	Green
)
const one, two = 1, 2
const (
	A = Color(iota)
	B
	C = 3
	D
)
";
    check(
        types(&LANGUAGE, source),
        "Color: lit
         Red: Color = lit
         Green: Color
         one = lit
         two = lit
         A: Color = Color()
         B: Color
         C = lit
         D",
    );
    check(
        symbols(&LANGUAGE, source),
        "type Color 2-2 -
         constant Red 4-4 -
         constant Green 5-5 -
         constant one 7-7 -
         constant two 7-7 -
         constant A 9-9 -
         constant B 10-10 -
         constant C 11-11 -
         constant D 12-12 -",
    );
}

#[test]
fn uses_of_every_role() {
    check(
        refs(
            &LANGUAGE,
            "package p
import \"fmt\"
func f(s *Server) {
	x := &Server{Name: one, inner: g(two)}
	m := []Item{{Key: 1}}
	mm := map[string]int{Red: 2}
	go x.Run()
	defer s.Close()
	register(s.handle, f)
	fmt.Println(m[0].Sub().(*Foo).Z)
	g[int](x)
	h[int, string](x, 2)
	var r = new(Item)
	func() { local() }()
	_ = Color(3).Str(mm, string(b))
}
",
        ),
        "import fmt 2 <file>
         type Server 3 f
         new Server 4 f
         value typed(Server).Name 4 f
         value one 4 f
         value typed(Server).inner 4 f
         call g 4 f
         value two 4 f
         type Item 5 f
         value typed(Item).Key 5 f
         value Red 6 f
         call x.Run 7 f
         call s.Close 8 f
         call register 9 f
         value s.handle 9 f
         value f 9 f
         call fmt.Println 10 f
         value typed(Foo).Z 10 f
         call elem(m).Sub 10 f
         type Foo 10 f
         call g 11 f
         call h 12 f
         new Item 13 f
         call local 14 f
         call Color().Str 15 f
         call Color 15 f
         value b 15 f",
    );
}

#[test]
fn imports_are_bound_under_their_package() {
    check(
        imports(
            &LANGUAGE,
            "package p
import (
	\"net/http\"
	y \"gopkg.in/yaml.v3\"
	. \"dot/pkg\"
	_ \"side/effect\"
)
",
        ),
        "module net/http as http
         module gopkg.in/yaml.v3 as y
         star dot/pkg
         include side/effect",
    );
    for (path, name) in [
        ("fmt", "fmt"),
        ("github.com/x/foo/v2", "foo"),
        ("gopkg.in/yaml.v3", "yaml"),
        ("github.com/x/go-foo", "foo"),
        ("v2", "v2"),
    ] {
        assert_eq!(package_name(path), name, "{path}");
    }
}

#[test]
fn asserted_interfaces_are_supertypes() {
    check(
        impls(
            &LANGUAGE,
            "package p
var _ Runner = (*Server)(nil)
var _ io.Writer = Log{}
var _ = 3
",
        ),
        "Server: Runner
         Log: io.Writer",
    );
}

#[test]
fn absurd_nesting_is_survived() {
    for body in [
        format!("x := {}{}", "f(".repeat(20_000), ")".repeat(20_000)),
        format!("x{}", ".a()".repeat(5_000)),
        format!("x := T{}{}", "{A: T".repeat(3_000), "}".repeat(3_000)),
        format!("{}{}", "{".repeat(5_000), "}".repeat(5_000)),
        format!("var x {}int", "[]".repeat(5_000)),
    ] {
        let facts = extract(&LANGUAGE, &format!("package p\nfunc f() {{\n{body}\n}}\n"));
        assert_eq!(facts.lines, 4);
    }
}
