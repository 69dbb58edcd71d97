//! Arbitrary facts: whatever they say, linking ends, and every use is in one place.

use crate::facts::*;
use crate::languages::ALL;
use crate::resolve::{World, WorldFile, link};
use proptest::prelude::*;
use std::sync::Arc;

/// Numbers below a bound, drawn from a list over and over.
struct Draw<'d> {
    numbers: &'d [u16],
    at: usize,
}

impl Draw<'_> {
    fn below(&mut self, bound: usize) -> u32 {
        self.at += 1;
        let n = self.numbers[self.at % self.numbers.len()] as usize + self.at / self.numbers.len();
        (n % bound.max(1)) as u32
    }
    fn maybe(&mut self, bound: usize) -> Option<u32> {
        (bound > 0 && self.below(3) > 0).then(|| self.below(bound))
    }
}

const KINDS: &[Kind] = &[
    Kind::Class,
    Kind::Interface,
    Kind::TypeAlias,
    Kind::Function,
    Kind::Method,
    Kind::Constructor,
    Kind::Variable,
    Kind::Constant,
    Kind::Field,
    Kind::Namespace,
    Kind::Variant,
    Kind::Enum,
];

fn facts(d: &mut Draw<'_>) -> FileFacts {
    let names = 8;
    let mut f = FileFacts {
        names: std::iter::once("".into())
            .chain((1..names).map(|i| format!("n{i}").into()))
            .collect(),
        scopes: vec![ScopeFact {
            parent: None,
            kind: ScopeKind::File,
            symbol: None,
        }],
        lines: 100,
        ..FileFacts::default()
    };
    let symbols = 3 + d.below(10) as usize;
    for i in 1..8usize {
        let kinds = [
            ScopeKind::Type,
            ScopeKind::Function,
            ScopeKind::Block,
            ScopeKind::Module,
        ];
        f.scopes.push(ScopeFact {
            parent: Some(d.below(i)),
            kind: kinds[d.below(4) as usize],
            symbol: d.maybe(symbols),
        });
    }
    let scopes = f.scopes.len();
    for i in 0..60usize {
        let earlier = |d: &mut Draw<'_>| d.below(i.max(1)).min(i.saturating_sub(1) as u32);
        let scope = d.below(scopes);
        let name = 1 + d.below(names - 1);
        let expr = match d.below(18) {
            _ if i == 0 => Expr::Unknown,
            0..=3 => Expr::Name {
                name,
                scope,
                at: d.below(100),
            },
            4..=6 => Expr::Member { base: earlier(d), name },
            7 => Expr::Call {
                callee: earlier(d),
                args: d.below(3) as u8,
            },
            8 => Expr::New { ty: earlier(d) },
            9 => Expr::Typed { ty: earlier(d) },
            10 => Expr::Element { of: earlier(d) },
            11 => Expr::Apply {
                base: earlier(d),
                arg: earlier(d),
            },
            12 => Expr::This { scope },
            13 => Expr::Super { scope },
            14 => Expr::Symbol(d.below(symbols)),
            15 => Expr::Shape { scope },
            16 => Expr::Function { result: earlier(d) },
            _ => Expr::Either(earlier(d), earlier(d)),
        };
        f.exprs.push(expr);
    }
    let exprs = f.exprs.len();
    for i in 0..symbols {
        let supers = (0..d.below(3))
            .map(|_| Super {
                ty: d.below(exprs),
                implements: d.below(2) == 0,
            })
            .collect();
        f.symbols.push(SymbolFact {
            name: 1 + d.below(names - 1),
            kind: KINDS[d.below(KINDS.len()) as usize],
            parent: if i > 0 && d.below(2) == 0 {
                Some(d.below(i))
            } else {
                None
            },
            container: 0,
            owner: if d.below(4) == 0 { Some(d.below(exprs)) } else { None },
            scope: d.below(scopes),
            body: None,
            start: 1,
            end: 2,
            name_line: 1,
            bytes: (0, 1),
            signature: "".into(),
            doc: "".into(),
            ty: d.maybe(exprs),
            value: d.maybe(exprs),
            supers,
            params: Params { min: 0, max: 1 },
            flags: SymbolFlags(d.below(1 << 12) as u16),
        });
    }
    for i in 0..6 {
        let kinds = [
            ImportKind::Name,
            ImportKind::Module,
            ImportKind::Default,
            ImportKind::Star,
            ImportKind::Include,
        ];
        let modules = ["./f0", "./f1", "./f2", "f1", ".f2", ".", "crate::f1"];
        let name = format!("n{}", 1 + d.below(names - 1));
        f.imports.push(Import {
            kind: kinds[d.below(5) as usize],
            module: modules[d.below(modules.len()) as usize].into(),
            name: name.as_str().into(),
            alias: name.as_str().into(),
            scope: 0,
            line: i,
            type_only: false,
        });
        let import = i;
        f.exports.push(match d.below(4) {
            0 => Export::Local {
                name: name.into(),
                value: d.below(exprs),
            },
            1 => Export::From {
                name: name.into(),
                import,
            },
            2 => Export::Star { import },
            _ => Export::Whole { value: d.below(exprs) },
        });
    }
    for _ in 0..30 {
        let to = match d.below(3) {
            0 => Bound::Symbol(d.below(symbols)),
            1 => Bound::Import(d.below(6)),
            _ => Bound::Local {
                ty: d.maybe(exprs),
                value: d.maybe(exprs),
            },
        };
        f.bindings.push(Binding {
            scope: d.below(scopes),
            name: 1 + d.below(names - 1),
            from: d.below(100),
            to,
        });
    }
    for _ in 0..4 {
        f.members.push(Member {
            of: d.below(symbols),
            name: 1 + d.below(names - 1),
            ty: d.maybe(exprs),
            value: d.maybe(exprs),
        });
        f.impls.push(Impl {
            ty: d.below(exprs),
            super_ty: d.maybe(exprs),
        });
    }
    let roles = [
        Role::Call,
        Role::New,
        Role::Type,
        Role::Inherit,
        Role::Value,
        Role::Import,
    ];
    for line in 0..40 {
        f.refs.push(Ref {
            expr: d.below(exprs),
            name: 1 + d.below(names - 1),
            role: roles[d.below(roles.len()) as usize],
            line,
            within: d.below(symbols),
            args: d.below(3) as u8,
        });
    }
    f
}

fn world(numbers: &[u16], language: usize) -> World {
    let language = ALL[language % ALL.len()];
    let mut draw = Draw { numbers, at: 0 };
    let all: Vec<Arc<FileFacts>> = (0..3).map(|_| Arc::new(facts(&mut draw))).collect();
    let files = (0..3)
        .map(|i| WorldFile {
            path: format!("f{i}.{}", language.extensions[0]).into(),
            language: Some(language),
        })
        .collect();
    World::new(files, Box::new(all), Vec::new())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn linking_ends_and_every_use_is_in_one_place(
        numbers in prop::collection::vec(any::<u16>(), 50..400),
        language in 0usize..17,
    ) {
        let first = world(&numbers, language);
        // Asked in another order, by another world, the answers are the same.
        let second = world(&numbers, language);
        let backwards: Vec<_> = (0..3).rev().map(|f| link(&second, f)).collect();
        for file in 0..3u32 {
            let links = link(&first, file);
            prop_assert_eq!(&links, &backwards[2 - file as usize]);
            let mut sites: Vec<u32> = links.links.iter().map(|l| l.site).collect();
            prop_assert!(sites.is_sorted());
            sites.dedup();
            sites.extend(&links.loose);
            sites.extend(&links.unbound);
            sites.sort_unstable();
            prop_assert_eq!(sites, (0..40).collect::<Vec<u32>>());
        }
    }
}
