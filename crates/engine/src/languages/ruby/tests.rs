//! Small sources and what extraction says about them.

use super::LANGUAGE;
use crate::extract::extract;
use crate::facts::{Params, SymbolFlags};
use crate::languages::testing::{check, imports, locals, refs, symbols, types};

#[test]
fn definitions_of_every_kind() {
    let source = r#"
module Outer::Inner
  VERSION = "1"
  Point = Struct.new(:x, :y) do
    def dist; x + y end
  end
  Error = Class.new(StandardError)
  class Foo < Base
    attr_accessor :a
    attr_reader :b, "c"
    attr_writer :d
    alias old first
    alias_method :z, :first
    define_method(:dyn) { |q| q.run }
    @@count = 0
    def first(a)
      helper = ->(x) { x }
    end
    def self.make = new
    class << self
      def other; end
    end
    private def hidden; end
    def ==(o); end
    def name=(v); end
    delegate :size, to: :list
  end
end
def Foo.away; end
def top; end
ADD = lambda { |a, b| a + b }
$glob = 1
module Util
  module_function
  def pad; end
end
"#;
    check(
        symbols(&LANGUAGE, source),
        "module Outer.Inner 2-28 -
         constant Outer.Inner.VERSION 3-3 Outer.Inner
         struct Outer.Inner.Point 4-6 Outer.Inner
         property Outer.Inner.Point.x 4-4 Outer.Inner.Point getter
         property Outer.Inner.Point.y 4-4 Outer.Inner.Point getter
         method Outer.Inner.Point.dist 5-5 Outer.Inner.Point
         class Outer.Inner.Error 7-7 Outer.Inner
         class Outer.Inner.Foo 8-27 Outer.Inner
         property Outer.Inner.Foo.a 9-9 Outer.Inner.Foo getter
         property Outer.Inner.Foo.a= 9-9 Outer.Inner.Foo
         property Outer.Inner.Foo.b 10-10 Outer.Inner.Foo getter
         property Outer.Inner.Foo.c 10-10 Outer.Inner.Foo getter
         property Outer.Inner.Foo.d= 11-11 Outer.Inner.Foo
         method Outer.Inner.Foo.old 12-12 Outer.Inner.Foo assigned
         method Outer.Inner.Foo.z 13-13 Outer.Inner.Foo assigned
         method Outer.Inner.Foo.dyn 14-14 Outer.Inner.Foo assigned
         field Outer.Inner.Foo.@@count 15-15 Outer.Inner.Foo
         method Outer.Inner.Foo.first 16-18 Outer.Inner.Foo
         function Outer.Inner.Foo.first.helper 17-17 Outer.Inner.Foo.first assigned
         method Outer.Inner.Foo.make 19-19 Outer.Inner.Foo static
         method Outer.Inner.Foo.other 21-21 Outer.Inner.Foo static
         method Outer.Inner.Foo.hidden 23-23 Outer.Inner.Foo
         method Outer.Inner.Foo.== 24-24 Outer.Inner.Foo
         method Outer.Inner.Foo.name= 25-25 Outer.Inner.Foo
         method Outer.Inner.Foo.size 26-26 Outer.Inner.Foo assigned
         function Foo.away 29-29 - static
         function top 30-30 -
         function ADD 31-31 - assigned
         variable $glob 32-32 -
         module Util 33-36 -
         method Util.pad 35-35 Util static",
    );
}

#[test]
fn bare_names_are_calls_unless_they_are_locals() {
    let source = r##"
class A
  def go(given)
    local = make 1
    helper
    local.run 2
    given
    [1].each { |item| item; later item }
    item
    Other.tally 4
    local&.read(5)
    "#{fmt(local)}"
    <<~T
      #{inner}
    T
    helper = 1
    helper
    self.size = 3
    list.map(&:name)
    super
  end
  def self.build
    helper
    new(1)
    self.class_thing
  end
end
helper
"##;
    check(
        refs(&LANGUAGE, source),
        "call this.make 4 A.go
         call this.helper 5 A.go
         call local.run 6 A.go
         call lit.each 8 A.go
         call this.later 8 A.go
         call this.item 9 A.go
         call Other.tally 10 A.go
         value Other 10 A.go
         call local.read 11 A.go
         call this.fmt 12 A.go
         call this.inner 14 A.go
         call this.size= 18 A.go
         call elem(this.list()).name 19 A.go
         call this.list().map 19 A.go
         call this.list 19 A.go
         call super.go 20 A.go
         call Self.helper 23 A.build
         new Self 24 A.build
         call Self.class_thing 25 A.build
         call helper 28 <file>",
    );
}

#[test]
fn mixins_bases_and_declarations() {
    let source = r#"
class A < M::Base
  include Comparable, M::Mixin
  extend ClassMethods
  before_action :check, if: :ready?
  private :one
  rescue_from Err, with: :failed
  def one
    method(:two)
    target.send(:three)
    x = ::Top.new
  rescue Err, M::Other => e
    e.message
  end
end
"#;
    check(
        refs(&LANGUAGE, source),
        "inherit M.Base 2 A
         value M 2 A
         implement Comparable 3 A
         implement M.Mixin 3 A
         value M 3 A
         implement ClassMethods 4 A
         value this.check 5 A
         value this.ready? 5 A
         call Self.before_action 5 A
         value this.one 6 A
         value this.failed 7 A
         call Self.rescue_from 7 A
         value Err 7 A
         value this.two 9 A.one
         call this.method 9 A.one
         value this.target().three 10 A.one
         call this.target().send 10 A.one
         call this.target 10 A.one
         new ::Top 11 A.one
         type Err 12 A.one
         type M.Other 12 A.one
         value M 12 A.one
         call e.message 13 A.one",
    );
    check(
        types(&LANGUAGE, source),
        "A < M.Base, Comparable, M.Mixin, ClassMethods
         A.one = new(::Top)",
    );
}

#[test]
fn what_locals_and_members_are() {
    let source = r#"
class A
  attr_reader :dep
  def initialize(a)
    @dep = Dep.new(a)
    @list ||= []
    b = c = a || Foo.new
    a.items.each { |it| it }
    d, e = one, Two.new
    for f in a.all do end
    Foo.new.tap { |g| g }
    h = self.class.build
  rescue Err => err
  end
  def given
    return Foo.new if x
    @dep
  end
end
"#;
    check(
        locals(&LANGUAGE, source),
        "a
         b = (a|new(Foo))
         c = (a|new(Foo))
         it
         it = elem(a.items())
         d = this.one()
         e = new(Two)
         f = elem(a.all())
         g
         g = new(Foo)
         h = Self.build()
         err: Err
         A#@dep = new(Dep)
         A#@list = lit",
    );
    check(
        types(&LANGUAGE, source),
        "A
         A.dep = this.@dep
         A.initialize = Self.build()
         A.given = (new(Foo)|this.@dep)",
    );
}

#[test]
fn required_files_are_imports() {
    let source = "require 'set'\nrequire_relative \"gauge\"\nrequire_relative '../a/b'\nautoload :Foo, 'foo/bar'\nrequire name\n";
    check(
        imports(&LANGUAGE, source),
        "include set
         include ./gauge
         include ../a/b
         include foo/bar",
    );
    assert_eq!(
        refs(&LANGUAGE, source),
        [
            "import ? 1 <file>",
            "import ? 2 <file>",
            "import ? 3 <file>",
            "import ? 4 <file>",
            "call require 5 <file>",
            "call name 5 <file>"
        ]
    );
}

#[test]
fn headers_documentation_visibility_and_parameters() {
    let source = "# About A.\nclass A\n  # Does it.\n  # Twice.\n  def go(a, b = 1)\n  end\n\n  # Adds.\n  def add(*a); end\n  private\n  \
                  # Hidden.\n  def low; end\nend\n";
    let facts = extract(&LANGUAGE, source);
    let seen: Vec<(&str, &str, Params, bool)> = facts
        .symbols
        .iter()
        .map(|s| (&*s.signature, &*s.doc, s.params, s.flags.has(SymbolFlags::EXPORTED)))
        .collect();
    assert_eq!(
        seen,
        [
            ("class A", "About A.", Params { min: 0, max: 255 }, true),
            ("def go(a, b = 1)", "Does it.\nTwice.", Params { min: 1, max: 2 }, true),
            ("def add(*a)", "Adds.", Params { min: 0, max: 255 }, true),
            ("def low", "Hidden.", Params { min: 0, max: 0 }, false),
        ]
    );
}

#[test]
fn tests_and_their_helpers_are_known() {
    let source = "class ATest < Minitest::Test\n  def test_a; end\n  def setup; end\n  def other; end\nend\n\
                  describe Foo do\n  let(:bar) { Foo.new }\n  it(\"works\") { bar.run }\nend\n";
    check(
        symbols(&LANGUAGE, source),
        "class ATest 1-5 - test
         method ATest.test_a 2-2 ATest test
         method ATest.setup 3-3 ATest test
         method ATest.other 4-4 ATest
         method bar 7-7 - test assigned",
    );
}

#[test]
fn patterns_bind_names_and_use_constants() {
    let source = "def f(x)\n  case x\n  in {name: String => n, age:} then n + age\n  in [first, *rest] then first\n  in M::Foo(a:) then a\n  end\nend\n";
    check(
        refs(&LANGUAGE, source),
        "value String 3 f
         value M.Foo 5 f
         value M 5 f",
    );
}

#[test]
fn broken_and_deep_sources_do_not_stop_it() {
    let chain = format!("x = a{}\ndef f; end\n", ".b".repeat(3000));
    let deep = format!("x = {}y{}\ndef f; end\n", "(".repeat(2000), ")".repeat(2000));
    for source in [
        "def",
        "class A <",
        "def f(\n",
        "class << self",
        "x =",
        "a.b =",
        "alias",
        &deep,
    ] {
        extract(&LANGUAGE, source);
    }
    assert!(symbols(&LANGUAGE, &chain).contains(&"function f 2-2 -".to_owned()));
}
