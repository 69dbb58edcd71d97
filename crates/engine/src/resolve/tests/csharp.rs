use crate::resolve::testing::check;

#[test]
fn namespaces_usings_and_what_is_external() {
    check(
        &[
            (
                "a/Wire.cs",
                "namespace App.Net\n{\n    public class Wire { public void Send() {} public static void Open() {} }\n}\n",
            ),
            (
                "b/Wire.cs",
                "namespace Other;\npublic class Wire { public void Send() {} }\n",
            ),
            (
                "c/One.cs",
                "using App.Net;\nusing Line = App.Net.Wire;\nusing static App.Net.Wire;\n\nnamespace App.Shop;\n\nclass One\n{\n    void F(Wire w, Line l)\n    {\n        w.Send();\n        l.Send();\n        Open();\n        Net.Wire.Open();\n        global::App.Net.Wire.Open();\n    }\n}\n",
            ),
            (
                "c/Two.cs",
                "namespace App { class Two { void F(Net.Wire w) { w.Send(); Near.Go(); } } }\nnamespace App.Net { class Three { void F(Wire w) { w.Send(); } } }\n",
            ),
            (
                "c/Near.cs",
                "namespace App { static class Near { public static void Go() {} } }\n",
            ),
            (
                "d/Out.cs",
                "using Vendor;\nnamespace Lone;\nclass Out { void F(Wire w) { w.Send(); Missing.Send(); } }\n",
            ),
        ],
        "c/One.cs:11 call Send -> a/Wire.cs#Wire.Send calls exact
         c/One.cs:12 call Send -> a/Wire.cs#Wire.Send calls exact
         c/One.cs:13 call Open -> a/Wire.cs#Wire.Open calls exact
         c/One.cs:14 call Open -> a/Wire.cs#Wire.Open calls exact
         c/One.cs:15 call Open -> a/Wire.cs#Wire.Open calls exact
         c/Two.cs:1 call Send -> a/Wire.cs#Wire.Send calls exact
         c/Two.cs:1 call Go -> c/Near.cs#Near.Go calls exact
         c/Two.cs:2 call Send -> a/Wire.cs#Wire.Send calls exact
         d/Out.cs:3 call Send -> unbound",
    );
}

#[test]
fn partial_classes_extension_methods_global_usings_and_attributes() {
    check(
        &[
            ("Usings.cs", "global using App.Ext;\n"),
            (
                "a/P1.cs",
                "namespace App;\npublic partial class P\n{\n    public P(int n) {}\n    public void F() { G(); this.G(1); }\n    public void G(int a) {}\n}\n",
            ),
            (
                "a/P2.cs",
                "namespace App;\npublic partial class P { public void G() { G(2); } }\n",
            ),
            (
                "a/Ext.cs",
                "namespace App.Ext;\npublic static class PExt\n{\n    public static void Extra(this App.P p, int n) { n.Odd(); }\n    public static void Odd(this int n) {}\n}\npublic class MarkAttribute : System.Attribute {}\n",
            ),
            (
                "b/Use.cs",
                "namespace App.Use;\n[Mark]\nclass Use { void F(P p) { p.Extra(1); p.G(); new P(3); p.Absent(); } }\n",
            ),
        ],
        "a/P1.cs:5 call G -> a/P2.cs#P.G calls exact
         a/P1.cs:5 call G -> a/P1.cs#P.G calls exact
         a/P2.cs:2 call G -> a/P1.cs#P.G calls exact
         a/Ext.cs:4 call Odd -> a/Ext.cs#PExt.Odd calls possible
         b/Use.cs:2 decorator Mark -> a/Ext.cs#MarkAttribute uses exact
         b/Use.cs:3 call Extra -> a/Ext.cs#PExt.Extra calls exact
         b/Use.cs:3 call G -> a/P2.cs#P.G calls exact
         b/Use.cs:3 new P -> a/P1.cs#P.P calls exact
         b/Use.cs:3 call Absent -> unbound",
    );
}
