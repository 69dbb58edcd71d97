use crate::resolve::testing::check;

const TREE: &[(&str, &str)] = &[
    (
        "lib/app/base.rb",
        r#"require "app/util"
module App
  module Helper
    def pad(n)
      n
    end
  end
  class Base
    include Helper
    attr_reader :dep
    def initialize(dep)
      @dep = Dep.new(dep)
    end
    def run
      pad 1
      log "x"
      top_fun
      dep.go
      self.class.build
      Other.call
      puts "x"
      prepare
    end
    def self.build
      new(1)
    end
  end
  class Dep
    def initialize(n); end
    def go; end
  end
end
"#,
    ),
    (
        "lib/app/more.rb",
        r#"module App
  class Base
    def log(x); end
  end
  class Child < Base
    def run
      super
      log 2
    end
    def prepare; end
    def make(x)
      x.go
      Child.new(1).log(3)
    end
  end
end
def top_fun; end
"#,
    ),
    (
        "lib/app/util.rb",
        r#"module App::Util
  def self.twice(n); n; end
  extend self
  def thrice; end
end
class Other
  def self.call; App::Util.twice(1); App::Util.thrice; ::App::Base.new(2); end
  def call; end
end
"#,
    ),
    (
        "main.rb",
        r#"require_relative "lib/app/base"
include App
b = App::Base.build
b.run
App::Child.new(2).prepare
top_fun
require "set"
"#,
    ),
];

#[test]
fn bare_calls_are_members_then_top_level_functions() {
    check(
        TREE,
        "lib/app/base.rb:15 call pad -> lib/app/base.rb#App.Helper.pad calls exact
         lib/app/base.rb:16 call log -> lib/app/more.rb#App.Base.log calls exact
         lib/app/base.rb:17 call top_fun -> lib/app/more.rb#top_fun calls resolved
         lib/app/base.rb:21 call puts -> unbound
         lib/app/base.rb:22 call prepare -> lib/app/more.rb#App.Child.prepare calls possible
         main.rb:6 call top_fun -> lib/app/more.rb#top_fun calls resolved",
    );
}

#[test]
fn constants_by_nesting_ancestors_and_the_top() {
    check(
        TREE,
        "lib/app/base.rb:12 new Dep -> lib/app/base.rb#App.Dep calls exact
         lib/app/base.rb:20 value Other -> lib/app/util.rb#Other uses exact
         lib/app/util.rb:7 value Util -> lib/app/util.rb#App.Util uses exact
         lib/app/base.rb:9 implement Helper -> lib/app/base.rb#App.Helper implements exact",
    );
}

#[test]
fn making_a_value_runs_initialize_its_own_or_inherited() {
    check(
        TREE,
        "lib/app/base.rb:12 new Dep -> lib/app/base.rb#App.Dep.initialize calls exact
         lib/app/more.rb:13 new Child -> lib/app/base.rb#App.Base.initialize calls exact
         lib/app/base.rb:25 new new -> lib/app/base.rb#App.Base.initialize calls exact",
    );
}

#[test]
fn methods_of_the_class_and_of_its_values_differ() {
    check(
        TREE,
        "lib/app/base.rb:20 call call -> lib/app/util.rb#Other.call calls exact
         lib/app/util.rb:7 call twice -> lib/app/util.rb#App.Util.twice calls exact
         lib/app/util.rb:7 call thrice -> lib/app/util.rb#App.Util.thrice calls exact
         main.rb:3 call build -> lib/app/base.rb#App.Base.build calls exact",
    );
}

#[test]
fn parts_of_a_class_are_one() {
    check(
        TREE,
        "lib/app/more.rb:7 call run -> lib/app/base.rb#App.Base.run calls exact
         lib/app/more.rb:8 call log -> lib/app/more.rb#App.Base.log calls exact
         lib/app/more.rb#App.Child.run overrides lib/app/base.rb#App.Base.run",
    );
}

#[test]
fn readers_are_read_and_unknown_receivers_are_loose() {
    check(
        TREE,
        "lib/app/base.rb:18 call go -> lib/app/base.rb#App.Dep.go calls resolved
         lib/app/more.rb:12 call go -> loose",
    );
}

#[test]
fn required_files() {
    check(
        TREE,
        "lib/app/base.rb:1 import util -> lib/app/util.rb imports exact
         main.rb:1 import base -> lib/app/base.rb imports exact
         main.rb:7 import set -> unbound",
    );
}
