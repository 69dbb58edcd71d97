//! Small sources and what extraction says about them.

use super::LANGUAGE;
use crate::extract::extract;
use crate::facts::Export;
use crate::languages::testing::{check, imports, locals, refs, show, symbols, types};

const SOURCE: &str = r#"
local text = require("text")
local M = {}
require "side"
local z = require("x.y").z
-- Pads.
function M.pad(s) return " " .. s end
function M:go(x, ...)
  self.n = Dep.new(x)
  self:step()
  return M.pad(x)
end
M.other = function(q) return q() end
M.K = 1
local function row(s) return text.pad(s) end
function glob() row "x" end
local f = function(y) end
local T = { name = "x", run = function(self) self:stop() end, ["k"] = function() end }
local C = setmetatable({}, { __index = Base })
C.__index = C
function C.new()
  local self = setmetatable({}, C)
  self:init()
  return self
end
local limit, LIMIT = 1, 2
for i, v in ipairs(xs) do v:f(i) end
print(row("x"), M.pad)
return M
"#;

#[test]
fn definitions_of_every_kind() {
    check(
        symbols(&LANGUAGE, SOURCE),
        "object M 3-3 - private
         function M.pad 7-7 -
         method M.go 8-12 -
         function M.other 13-13 - assigned
         field M.K 14-14 - assigned
         function row 15-15 - private
         function glob 16-16 -
         function f 17-17 - private assigned
         object T 18-18 - private
         function T.run 18-18 T assigned
         function T.k 18-18 T assigned
         object C 19-19 - private
         function C.new 21-25 -
         variable limit 26-26 - private
         constant LIMIT 26-26 - private",
    );
    let facts = extract(&LANGUAGE, SOURCE);
    let pad = &facts.symbols[1];
    assert_eq!((&*pad.signature, &*pad.doc), ("function M.pad(s)", "Pads."));
}

#[test]
fn every_use_site_counts() {
    check(
        refs(&LANGUAGE, SOURCE),
        "import text 2 <file>
         import ? 4 <file>
         import z 5 <file>
         value this.n 9 M.go
         call Dep.new 9 M.go
         value Dep 9 M.go
         call this.step 10 M.go
         call M.pad 11 M.go
         value M 11 M.go
         call q 13 M.other
         call text.pad 15 row
         value text 15 row
         call row 16 glob
         call self.stop 18 T.run
         inherit Base 19 C
         call setmetatable 19 C
         value C.__index 20 <file>
         value C 20 <file>
         value C 20 <file>
         call setmetatable 22 C.new
         value C 22 C.new
         call self.init 23 C.new
         call ipairs 27 <file>
         value xs 27 <file>
         call v.f 27 <file>
         call print 28 <file>
         call row 28 <file>
         value M.pad 28 <file>
         value M 28 <file>
         value M 29 <file>",
    );
}

#[test]
fn modules_hand_out_what_they_return() {
    check(
        imports(&LANGUAGE, SOURCE),
        "module text as text
         include side
         name x.y z as z",
    );
    let shown = |source: &str| -> Vec<String> {
        let facts = extract(&LANGUAGE, source);
        let one = |e: &Export| match e {
            Export::Whole { value } => format!("= {}", show(&facts, *value)),
            Export::Local { name, value } => format!("{name} = {}", show(&facts, *value)),
            _ => "?".to_owned(),
        };
        facts.exports.iter().map(one).collect()
    };
    assert_eq!(shown(SOURCE), ["= M"]);
    assert_eq!(
        shown("local function a() end\nreturn { a = a, b = function() end, c = 1 }\n"),
        ["a = a", "b = <b>", "c = lit"]
    );
}

#[test]
fn what_locals_and_members_are() {
    check(
        locals(&LANGUAGE, SOURCE),
        "s
         x
         q
         s
         y
         self = this
         self = new(C)
         i
         v = elem(xs)
         M#n = Dep.new()",
    );
    check(
        types(&LANGUAGE, SOURCE)
            .into_iter()
            .filter(|l| l.starts_with('C') || l.starts_with("M.go"))
            .collect(),
        "M.go = M.pad()
         C < Base
         C.new = self",
    );
}

#[test]
fn a_required_module_can_be_used_in_place() {
    let source = "M = {}\nM.sub = require('a.sub')\nrequire('b').run()\nlocal ok, c = pcall(require, 'c')\n";
    check(
        imports(&LANGUAGE, source),
        "module a.sub as require a.sub
         module b as require b
         include c",
    );
    check(
        refs(&LANGUAGE, source),
        "import require a.sub 2 <file>
         import require b 3 <file>
         call require b.run 3 <file>
         call pcall 4 ok
         import ? 4 ok
         value require 4 ok",
    );
}

#[test]
fn broken_and_deep_sources_do_not_stop_it() {
    let chain = format!("x = a{}\nfunction f() end\n", ".b()".repeat(3000));
    let deep = format!("x = {}1{}\n", "{".repeat(2000), "}".repeat(2000));
    for source in ["function M.", "local =", "return", "for i in", "x.y =", &deep] {
        extract(&LANGUAGE, source);
    }
    assert!(symbols(&LANGUAGE, &chain).contains(&"function f 2-2 -".to_owned()));
}
