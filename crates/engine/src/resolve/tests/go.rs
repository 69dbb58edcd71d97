use crate::resolve::testing::check;

const MOD: (&str, &str) = ("go.mod", "module example.com/app\n\ngo 1.22\n");

#[test]
fn a_package_is_all_files_of_its_directory_and_its_external_tests_are_another() {
    check(
        &[
            MOD,
            (
                "a/one.go",
                "package a\n\nfunc helper() int { return 1 }\n\nfunc Open() {}\n",
            ),
            ("a/two.go", "package a\n\nfunc use() {\n\thelper()\n\tmissing()\n}\n"),
            ("a/in_test.go", "package a\n\nfunc probe() {\n\thelper()\n}\n"),
            (
                "a/ex_test.go",
                "package a_test\n\nimport \"example.com/app/a\"\n\nfunc check() {\n\ta.Open()\n\thelper()\n}\n",
            ),
            (
                "b/b.go",
                "package b\n\nfunc missing() {}\n\nfunc use() {\n\thelper()\n}\n",
            ),
        ],
        "a/two.go:4 call helper -> a/one.go#helper calls exact
         a/two.go:5 call missing -> unbound
         a/in_test.go:4 call helper -> a/one.go#helper calls exact
         a/ex_test.go:6 call Open -> a/one.go#Open calls exact
         a/ex_test.go:7 call helper -> unbound
         b/b.go:6 call helper -> unbound",
    );
}

#[test]
fn imports_by_path_alias_dot_and_real_name() {
    check(
        &[
            MOD,
            ("store/store.go", "package store\n\nfunc Get() {}\n"),
            ("go-odd/x.go", "package strange\n\nfunc Odd() {}\n"),
            ("flat/flat.go", "package flat\n\nfunc Flat() {}\n"),
            (
                "main.go",
                "package main\n\nimport (\n\t\"fmt\"\n\t\"example.com/app/store\"\n\tkept \"example.com/app/store\"\n\t\"example.com/app/go-odd\"\n\t. \"example.com/app/flat\"\n\t\"github.com/else/thing\"\n)\n\nfunc Println() {}\n\nfunc main() {\n\tstore.Get()\n\tkept.Get()\n\tstrange.Odd()\n\tFlat()\n\tfmt.Println()\n\tthing.Get()\n}\n",
            ),
        ],
        "main.go:4 import fmt -> unbound
         main.go:5 import store -> store/store.go imports exact
         main.go:15 call Get -> store/store.go#Get calls exact
         main.go:16 call Get -> store/store.go#Get calls exact
         main.go:17 call Odd -> go-odd/x.go#Odd calls exact
         main.go:18 call Flat -> flat/flat.go#Flat calls exact
         main.go:19 call Println -> unbound
         main.go:20 call Get -> unbound",
    );
}

#[test]
fn several_modules_replacements_and_vendored_packages() {
    check(
        &[
            (
                "app/go.mod",
                "module example.com/app\n\nreplace example.com/forked => ../fork\n",
            ),
            ("lib/go.mod", "module example.com/lib\n"),
            ("lib/deep/deep.go", "package deep\n\nfunc Deep() {}\n"),
            ("fork/go.mod", "module example.com/original\n"),
            ("fork/sub/sub.go", "package sub\n\nfunc Forked() {}\n"),
            ("app/vendor/example.org/kept/k.go", "package kept\n\nfunc Kept() {}\n"),
            (
                "app/main.go",
                "package main\n\nimport (\n\t\"example.com/lib/deep\"\n\t\"example.com/forked/sub\"\n\t\"example.org/kept\"\n\t\"example.com/application/deep\"\n)\n\nfunc main() {\n\tdeep.Deep()\n\tsub.Forked()\n\tkept.Kept()\n}\n",
            ),
        ],
        "app/main.go:4 import deep -> lib/deep/deep.go imports exact
         app/main.go:7 import deep -> unbound
         app/main.go:12 call Forked -> fork/sub/sub.go#Forked calls exact
         app/main.go:13 call Kept -> app/vendor/example.org/kept/k.go#Kept calls exact",
    );
}

#[test]
fn a_tree_without_module_follows_paths_of_its_host() {
    check(
        &[
            ("util/u.go", "package util\n\nfunc Trim() {}\n"),
            (
                "main.go",
                "package main\n\nimport \"github.com/me/proj/util\"\nimport s \"strings\"\n\nfunc main() {\n\tutil.Trim()\n\ts.Trim()\n}\n",
            ),
        ],
        "main.go:7 call Trim -> util/u.go#Trim calls exact
         main.go:8 call Trim -> unbound",
    );
}

#[test]
fn methods_by_receiver_field_parameter_and_result() {
    check(
        &[
            MOD,
            (
                "wire.go",
                "package app\n\nimport \"database/sql\"\n\ntype Wire struct {\n\tnext *Wire\n\tdb *sql.DB\n}\n\nfunc NewWire() (*Wire, error) { return &Wire{}, nil }\n\nfunc pair() (int, *Wire) { return 0, nil }\n\nfunc (w *Wire) Send() {}\n\nfunc (w *Wire) Exec() {}\n",
            ),
            (
                "use.go",
                "package app\n\ntype Other struct{}\n\nfunc (o Other) Send() {}\n\nfunc (w *Wire) all(list []*Wire, byName map[string]Wire, x any) {\n\tw.Send()\n\tw.next.Send()\n\tw.db.Exec()\n\tfor _, l := range list {\n\t\tl.Send()\n\t}\n\tbyName[\"a\"].Send()\n\tn, err := NewWire()\n\tn.Send()\n\terr.Error()\n\t_, p := pair()\n\tp.Send()\n\tx.(*Wire).Send()\n\tswitch v := x.(type) {\n\tcase Other:\n\t\tv.Send()\n\t}\n\tx.Send()\n\tlocal := &Wire{}\n\tlocal.Send()\n\tlocal.Absent()\n}\n\nfunc Absent() {}\n",
            ),
        ],
        "use.go:8 call Send -> wire.go#Wire.Send calls exact
         use.go:9 call Send -> wire.go#Wire.Send calls exact
         use.go:10 call Exec -> unbound
         use.go:12 call Send -> wire.go#Wire.Send calls exact
         use.go:14 call Send -> wire.go#Wire.Send calls exact
         use.go:16 call Send -> wire.go#Wire.Send calls resolved
         use.go:19 call Send -> wire.go#Wire.Send calls resolved
         use.go:20 call Send -> wire.go#Wire.Send calls exact
         use.go:23 call Send -> use.go#Other.Send calls exact
         use.go:25 call Send -> loose
         use.go:27 call Send -> wire.go#Wire.Send calls exact
         use.go:28 call Absent -> unbound",
    );
}

#[test]
fn embedding_promotes_the_shallowest_member() {
    check(
        &[
            MOD,
            (
                "a.go",
                "package app\n\nimport \"net/http\"\n\ntype Root struct{}\n\nfunc (Root) Name() {}\n\nfunc (Root) Only() {}\n\ntype Left struct{ Root }\n\ntype Right struct{}\n\nfunc (Right) Name() {}\n\ntype Both struct {\n\tLeft\n\t*Right\n\thttp.Handler\n}\n\nfunc f(b *Both) {\n\tb.Name()\n\tb.Only()\n\tb.Right.Name()\n\tb.ServeHTTP()\n}\n",
            ),
        ],
        "a.go:24 call Name -> a.go#Right.Name calls exact
         a.go:25 call Only -> a.go#Root.Only calls exact
         a.go:26 call Name -> a.go#Right.Name calls exact
         a.go:27 call ServeHTTP -> unbound
         a.go:19 inherit Right -> a.go#Right inherits exact",
    );
}

#[test]
fn a_type_implements_an_interface_by_having_its_methods() {
    check(
        &[
            MOD,
            (
                "a.go",
                "package app\n\nimport \"io\"\n\ntype Store interface {\n\tio.Closer\n\tGet()\n\tPut()\n}\n\ntype Full struct{ base }\n\ntype base struct{}\n\nfunc (base) Put() {}\n\nfunc (Full) Get() {}\n\ntype Half struct{}\n\nfunc (Half) Get() {}\n\nfunc use(s Store) {\n\ts.Get()\n}\n",
            ),
        ],
        "a.go:24 call Get -> a.go#Store.Get calls exact
         a.go#Full.Get overrides a.go#Store.Get
         !a.go#Half.Get overrides",
    );
}

#[test]
fn named_types_have_methods_and_elements() {
    check(
        &[
            MOD,
            (
                "a.go",
                "package app\n\ntype Item struct{}\n\nfunc (Item) Run() {}\n\ntype Items []Item\n\nfunc (i Items) Last() Item { return i[0] }\n\ntype Plain []Item\n\ntype Same = Item\n\ntype Do func()\n\nfunc (d Do) Run() {}\n\nfunc f(a Items, b Plain, c Same, d Do) {\n\ta.Last().Run()\n\ta[0].Run()\n\tb[0].Run()\n\tc.Run()\n\td.Run()\n\tItems(b).Last()\n}\n",
            ),
        ],
        "a.go:20 call Last -> a.go#Items.Last calls exact
         a.go:20 call Run -> a.go#Item.Run calls resolved
         a.go:21 call Run -> a.go#Item.Run calls exact
         a.go:22 call Run -> a.go#Item.Run calls exact
         a.go:23 call Run -> a.go#Item.Run calls exact
         a.go:24 call Run -> a.go#Do.Run calls exact
         a.go:25 call Last -> a.go#Items.Last calls exact",
    );
}

#[test]
fn generic_types_and_constraints() {
    check(
        &[
            MOD,
            (
                "a.go",
                "package app\n\ntype Box[T any] struct{ v T }\n\nfunc (b *Box[T]) Get() T { return b.v }\n\ntype Namer interface{ Name() }\n\nfunc each[T Namer](x T, b *Box[T]) {\n\tx.Name()\n\tb.Get()\n}\n\nfunc main() {\n\teach[Namer](nil, nil)\n}\n",
            ),
        ],
        "a.go:10 call Name -> a.go#Namer.Name calls resolved
         a.go:11 call Get -> a.go#Box.Get calls exact
         a.go:15 call each -> a.go#each calls exact",
    );
}

#[test]
fn types_without_a_name_have_members() {
    check(
        &[
            MOD,
            (
                "a.go",
                "package app\n\nimport \"sync\"\n\ntype Base struct{}\n\nfunc (Base) Up() {}\n\ntype W struct{}\n\nfunc (W) Go() {}\n\nvar once = sync.OnceValue(func() *W { return nil })\n\nfunc f() {\n\tcases := []struct {\n\t\tname string\n\t\tw    *W\n\t\tmake func() (W, error)\n\t\tBase\n\t}{{name: \"a\"}}\n\tfor _, c := range cases {\n\t\tc.w.Go()\n\t\tc.make().Go()\n\t\tc.Up()\n\t\tc.name.Go()\n\t}\n\tp := &struct{ *Base }{}\n\tp.Up()\n\tonce().Go()\n\tg := func() W { return W{} }\n\tg().Go()\n}\n",
            ),
        ],
        "a.go:23 call Go -> a.go#W.Go calls exact
         a.go:24 call Go -> a.go#W.Go calls resolved
         a.go:25 call Up -> a.go#Base.Up calls exact
         a.go:26 call Go -> unbound
         a.go:29 call Up -> a.go#Base.Up calls exact
         a.go:30 call Go -> a.go#W.Go calls resolved
         a.go:32 call Go -> a.go#W.Go calls resolved",
    );
}

#[test]
fn an_argument_of_a_generic_type_is_what_its_members_give() {
    check(
        &[
            MOD,
            (
                "a.go",
                "package app\n\ntype Store[K comparable, T any] struct {\n\tone T\n\tall map[K]T\n}\n\nfunc (s *Store[K, T]) Get(k K) T { return s.all[k] }\n\nfunc (s *Store[K, T]) All() map[K]T { return s.all }\n\ntype W struct{}\n\nfunc (W) Go() {}\n\nfunc f(s *Store[string, *W]) {\n\ts.Get(\"a\").Go()\n\tfor _, w := range s.All() {\n\t\tw.Go()\n\t}\n\ts.one.Go()\n}\n",
            ),
        ],
        "a.go:17 call Go -> a.go#W.Go calls resolved
         a.go:19 call Go -> a.go#W.Go calls resolved
         a.go:21 call Go -> a.go#W.Go calls resolved",
    );
}

#[test]
fn saying_that_a_type_implements_gives_it_no_members_and_signatures_count() {
    check(
        &[
            MOD,
            (
                "a.go",
                "package app\n\ntype Model interface {\n\tKey()\n\tName()\n}\n\ntype Base struct{}\n\nfunc (Base) Key() {}\n\ntype inner struct{ Base }\n\ntype Doc struct{ inner }\n\nfunc (Doc) Name() {}\n\nvar _ Model = (*Doc)(nil)\n\ntype Odd struct{}\n\nfunc (Odd) Key(n int) {}\n\nfunc (Odd) Name() {}\n\nfunc f(d *Doc) {\n\td.Key()\n}\n",
            ),
        ],
        "a.go:27 call Key -> a.go#Base.Key calls exact
         a.go#Doc.Name overrides a.go#Model.Name
         a.go#Base.Key overrides a.go#Model.Key
         !a.go#Odd",
    );
}

#[test]
fn a_function_in_assembly_is_one_of_those_for_several_systems() {
    check(
        &[
            MOD,
            ("x_amd64.go", "package app\n\nfunc find(b []byte) int\n"),
            (
                "x_other.go",
                "//go:build !amd64\n\npackage app\n\nfunc find(b []byte) int { return 0 }\n",
            ),
            ("use.go", "package app\n\nfunc use() {\n\tfind(nil)\n}\n"),
        ],
        "use.go:4 call find -> x_amd64.go#find calls possible
         use.go:4 call find -> x_other.go#find calls possible",
    );
}
