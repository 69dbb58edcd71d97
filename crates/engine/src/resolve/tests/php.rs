use crate::resolve::testing::check;

const TREE: &[(&str, &str)] = &[
    (
        "src/A.php",
        r#"<?php
namespace App\Models;
use App\Support\Str as S;
use function App\Support\helper;
use const App\Support\LIMIT;
class Model extends Base implements Shape {
    use Walks;
    public function __construct(private Dep $dep) { parent::__construct(1); }
    public function run(): static {
        $this->dep->go();
        $this->walk();
        self::make();
        static::make();
        S::pad(LIMIT);
        helper(1);
        strlen("x");
        glob_fn();
        local_fn();
        $this->inherited();
        return $this;
    }
    public static function make(): self { return new self(new Dep()); }
    public function area() {}
}
function local_fn() {}
"#,
    ),
    (
        "src/B.php",
        r#"<?php
namespace App\Models;
abstract class Base { public function __construct(int $n) {} public function inherited() { $this->hook(); } }
class Dep { public function go() {} }
interface Shape { public function area(); }
trait Walks { public function walk() { $this->area(); } public function inherited() {} }
class Kid extends Base { public function hook() {} }
"#,
    ),
    (
        "src/S.php",
        r#"<?php
namespace App\Support;
const LIMIT = 3;
class Str { public static function pad($n) {} }
function helper($n) {}
"#,
    ),
    (
        "inc/global.php",
        r#"<?php
function glob_fn() {}
class Dep { public function go() {} }
"#,
    ),
    (
        "main.php",
        r#"<?php
require __DIR__ . '/inc/global.php';
use App\Models;
use App\Models\{Model, Kid};
function main(Models\Shape $s) {
    $m = Model::make();
    $m->run()->run();
    $s->area();
    $k = new Kid(1);
    $k->inherited();
    (new \App\Models\Dep())->go();
    $d = new Dep();
    $d->go();
    new \Exception("x");
    array_map('glob_fn', []);
}
"#,
    ),
];

#[test]
fn names_by_use_namespace_and_root() {
    check(
        TREE,
        "src/A.php:14 call pad -> src/S.php#Str.pad calls exact
         src/A.php:15 call helper -> src/S.php#helper calls exact
         src/A.php:14 value LIMIT -> src/S.php#LIMIT uses exact
         src/A.php:18 call local_fn -> src/A.php#local_fn calls exact
         main.php:5 type Shape -> src/B.php#Shape uses exact
         main.php:11 new Dep -> src/B.php#Dep calls exact
         main.php:12 new Dep -> inc/global.php#Dep calls exact",
    );
}

#[test]
fn functions_fall_back_to_the_root_and_classes_do_not() {
    check(
        TREE,
        "src/A.php:17 call glob_fn -> inc/global.php#glob_fn calls exact
         src/A.php:16 call strlen -> unbound
         !src/A.php:8 type Dep -> inc/global.php
         main.php:14 new Exception -> unbound",
    );
}

#[test]
fn own_inherited_and_mixed_in_members() {
    check(
        TREE,
        "src/A.php:8 call __construct -> src/B.php#Base.__construct calls exact
         src/A.php:10 call go -> src/B.php#Dep.go calls exact
         src/A.php:11 call walk -> src/B.php#Walks.walk calls exact
         src/A.php:12 call make -> src/A.php#Model.make calls exact
         src/A.php:13 call make -> src/A.php#Model.make calls exact
         src/A.php:19 call inherited -> src/B.php#Walks.inherited calls exact
         src/B.php:3 call hook -> src/B.php#Kid.hook calls possible
         src/A.php#Model.area overrides src/B.php#Shape.area",
    );
}

#[test]
fn constructors_and_results() {
    check(
        TREE,
        "main.php:9 new Kid -> src/B.php#Base.__construct calls exact
         src/A.php:22 new self -> src/A.php#Model.__construct calls exact
         main.php:7 call run -> src/A.php#Model.run calls resolved
         main.php:10 call inherited -> src/B.php#Base.inherited calls exact",
    );
}

#[test]
fn included_files_and_names_as_text() {
    check(
        TREE,
        "main.php:2 import global -> inc/global.php imports exact
         main.php:15 value glob_fn -> inc/global.php#glob_fn uses exact",
    );
}

#[test]
fn a_closure_in_a_method_is_code_of_its_class() {
    check(
        &[(
            "a.php",
            "<?php\nclass A {\n  static function make() {}\n  function go() {}\n  function run() {\n    $f = function () {\n      self::make();\n      $this->go();\n    };\n    $f();\n  }\n}\n",
        )],
        "a.php:7 call make -> a.php#A.make calls exact
         a.php:8 call go -> a.php#A.go calls exact",
    );
}
