use crate::resolve::testing::check;

const TREE: &[(&str, &str)] = &[
    (
        "src/a/text.lua",
        r#"local M = {}
local function row(s) return s end
function M.pad(s) return row(s) end
function M:go() self:step(); return M.pad(1) end
function M:step() end
return M
"#,
    ),
    (
        "src/a/shape/init.lua",
        r#"local Base = require("a.base")
local C = setmetatable({}, { __index = Base })
C.__index = C
function C.new()
  local self = setmetatable({}, C)
  self:init()
  self:shared()
  return self
end
function C:init() end
return C
"#,
    ),
    (
        "src/a/base.lua",
        r#"local Base = {}
Base.__index = Base
function Base:shared() end
return Base
"#,
    ),
    (
        "src/fns.lua",
        r#"local function one() end
function glob() one() end
return { one = one, two = function() return one() end }
"#,
    ),
    (
        "main.lua",
        r#"local text = require("a.text")
local shape = require "a.shape"
local fns = require("fns")
text.pad("x")
text:go()
text.row(1)
local s = shape.new()
s:init()
s:shared()
fns.one()
fns.two()
glob()
print(string.format("x"))
unknown:init()
require("a.text").pad(2)
"#,
    ),
];

#[test]
fn required_modules_and_their_tables() {
    check(
        TREE,
        "main.lua:4 call pad -> src/a/text.lua#M.pad calls exact
         main.lua:5 call go -> src/a/text.lua#M.go calls exact
         main.lua:7 call new -> src/a/shape/init.lua#C.new calls exact
         main.lua:10 call one -> src/fns.lua#one calls exact
         main.lua:15 call pad -> src/a/text.lua#M.pad calls exact
         !main.lua:6 call row -> src/a/text.lua#row",
    );
}

#[test]
fn self_and_values_of_classes() {
    check(
        TREE,
        "src/a/text.lua:4 call step -> src/a/text.lua#M.step calls exact
         src/a/shape/init.lua:6 call init -> src/a/shape/init.lua#C.init calls exact
         src/a/shape/init.lua:7 call shared -> src/a/base.lua#Base.shared calls exact
         main.lua:8 call init -> src/a/shape/init.lua#C.init calls resolved
         main.lua:9 call shared -> src/a/base.lua#Base.shared calls resolved",
    );
}

#[test]
fn locals_globals_and_libraries() {
    check(
        TREE,
        "src/a/text.lua:3 call row -> src/a/text.lua#row calls exact
         main.lua:12 call glob -> src/fns.lua#glob calls resolved
         main.lua:13 call print -> unbound
         main.lua:13 call format -> unbound",
    );
}

#[test]
fn a_local_that_a_function_statement_fills_is_that_function() {
    check(
        &[(
            "a.lua",
            "local f\nlocal function g() f() end\nfunction f() f() end\nf()\n",
        )],
        "a.lua:3 call f -> a.lua#f calls exact
         a.lua:4 call f -> a.lua#f calls exact",
    );
}
