//! Readable dumps of facts, for tables of small sources and what extraction must say about them.

use crate::extract::extract;
use crate::facts::*;
use crate::languages::Language;

/// The definitions of `text`: `kind qualified start-end parent [marks]`, one a line.
pub fn symbols(language: &'static Language, text: &str) -> Vec<String> {
    let facts = extract(language, text);
    (0..facts.symbols.len())
        .map(|ix| symbol(&facts, ix as SymbolIx))
        .collect()
}

/// The uses of `text`: `role expression line within`, one a line.
pub fn refs(language: &'static Language, text: &str) -> Vec<String> {
    let facts = extract(language, text);
    facts
        .refs
        .iter()
        .map(|r| {
            let role = format!("{:?}", r.role).to_lowercase();
            format!("{role} {} {} {}", show(&facts, r.expr), r.line, place(&facts, r.within))
        })
        .collect()
}

/// The locals of `text`: `name: type = value`, one a line, then the members that are no symbols.
pub fn locals(language: &'static Language, text: &str) -> Vec<String> {
    let facts = extract(language, text);
    let typed = |name: String, ty: Option<ExprId>, value: Option<ExprId>| {
        let ty = ty.map(|e| format!(": {}", show(&facts, e))).unwrap_or_default();
        let value = value.map(|e| format!(" = {}", show(&facts, e))).unwrap_or_default();
        format!("{name}{ty}{value}")
    };
    let locals = facts.bindings.iter().filter_map(|b| match b.to {
        Bound::Local { ty, value } => Some(typed(facts.name(b.name).to_owned(), ty, value)),
        _ => None,
    });
    let members = facts.members.iter().map(|m| {
        typed(
            format!("{}#{}", facts.qualified(m.of), facts.name(m.name)),
            m.ty,
            m.value,
        )
    });
    locals.chain(members).collect()
}

/// The types and values of the definitions of `text`: `qualified: type = value < supertypes`, one a line.
pub fn types(language: &'static Language, text: &str) -> Vec<String> {
    let facts = extract(language, text);
    (0..facts.symbols.len())
        .map(|ix| {
            let s = &facts.symbols[ix];
            let mut line = facts.qualified(ix as SymbolIx);
            if let Some(ty) = s.ty {
                line += &format!(": {}", show(&facts, ty));
            }
            if let Some(value) = s.value {
                line += &format!(" = {}", show(&facts, value));
            }
            for (n, base) in s.supers.iter().enumerate() {
                line += if n == 0 { " < " } else { ", " };
                line += &show(&facts, base.ty);
            }
            line
        })
        .collect()
}

/// The parameter counts of the callables of `text`: `qualified min..max`, `*` when there is no greatest, one a line.
pub fn params(language: &'static Language, text: &str) -> Vec<String> {
    let facts = extract(language, text);
    let callables = (0..facts.symbols.len()).filter(|&ix| facts.symbols[ix].kind.is_callable());
    callables
        .map(|ix| {
            let params = facts.symbols[ix].params;
            let max = if params.max == 255 {
                "*".to_owned()
            } else {
                params.max.to_string()
            };
            format!("{} {}..{max}", facts.qualified(ix as SymbolIx), params.min)
        })
        .collect()
}

/// The signatures and doc comments of the definitions of `text`: `signature // doc`, one a line.
pub fn headers(language: &'static Language, text: &str) -> Vec<String> {
    let facts = extract(language, text);
    let header = |s: &SymbolFact| {
        let doc = s.doc.replace('\n', " ");
        if doc.is_empty() {
            s.signature.to_string()
        } else {
            format!("{} // {doc}", s.signature)
        }
    };
    facts.symbols.iter().map(header).collect()
}

/// The imports of `text`: `kind module name as alias`, one a line; what is empty is left out.
pub fn imports(language: &'static Language, text: &str) -> Vec<String> {
    let facts = extract(language, text);
    facts
        .imports
        .iter()
        .map(|i| {
            let mut line = format!("{:?} {}", i.kind, i.module).to_lowercase();
            if i.kind == ImportKind::Name {
                line = format!("name {} {}", i.module, i.name);
            } else {
                line.replace_range(line.len() - i.module.len().., &i.module);
            }
            if !i.alias.is_empty() {
                line += &format!(" as {}", i.alias);
            }
            line
        })
        .collect()
}

/// What `text` hands out: `symbol name` for a definition with the export flag, then `local name value`,
/// `from name module imported`, `star module`, `whole value`, one a line.
pub fn exports(language: &'static Language, text: &str) -> Vec<String> {
    let facts = extract(language, text);
    let flagged = facts.symbols.iter().enumerate().filter_map(|(ix, s)| {
        let exported = s.flags.has(SymbolFlags::EXPORTED);
        exported.then(|| format!("symbol {}", facts.qualified(ix as SymbolIx)))
    });
    let stated = facts.exports.iter().map(|e| match e {
        Export::Local { name, value } => format!("local {name} {}", show(&facts, *value)),
        Export::From { name, import } => {
            let i = &facts.imports[*import as usize];
            format!("from {name} {} {}", i.module, i.name).trim_end().to_owned()
        }
        Export::Star { import } => format!("star {}", facts.imports[*import as usize].module),
        Export::Whole { value } => format!("whole {}", show(&facts, *value)),
    });
    flagged.chain(stated).collect()
}

/// The supertypes that `text` states away from their type: `type: supertype`, one a line.
pub fn impls(language: &'static Language, text: &str) -> Vec<String> {
    let facts = extract(language, text);
    let show_impl = |i: &Impl| {
        let of = i.super_ty.map_or_else(|| "-".to_owned(), |s| show(&facts, s));
        format!("{}: {of}", show(&facts, i.ty))
    };
    facts.impls.iter().map(show_impl).collect()
}

fn symbol(facts: &FileFacts, ix: SymbolIx) -> String {
    let s = &facts.symbols[ix as usize];
    let parent = s.parent.map_or_else(|| "-".to_owned(), |p| place(facts, p));
    let marks = [
        (SymbolFlags::STATIC, "static"),
        (SymbolFlags::FILE_PRIVATE, "private"),
        (SymbolFlags::DECLARATION, "declaration"),
        (SymbolFlags::DEFAULT_EXPORT, "default"),
        (SymbolFlags::TEST, "test"),
        (SymbolFlags::ASSIGNED, "assigned"),
        (SymbolFlags::EXTENSION, "extension"),
        (SymbolFlags::ENTRY, "entry"),
        (SymbolFlags::GETTER, "getter"),
        (SymbolFlags::ASYNC, "async"),
        (SymbolFlags::OVERRIDE, "override"),
    ];
    let mut line = format!(
        "{} {} {}-{} {parent}",
        s.kind.as_str(),
        facts.qualified(ix),
        s.start,
        s.end
    );
    for (bit, word) in marks {
        if s.flags.has(bit) {
            line.push(' ');
            line.push_str(word);
        }
    }
    line
}

fn place(facts: &FileFacts, ix: SymbolIx) -> String {
    if ix == FILE_SYMBOL {
        "<file>".to_owned()
    } else {
        facts.qualified(ix)
    }
}

/// An expression as text: `a.b()`, `new T`, `T[arg]`, `elem(x)`, `inner(x)`, `typed(T)`, `(a|b)`, `this`, `super`, `Self`, `::a`, `lit`, `?`.
pub fn show(facts: &FileFacts, id: ExprId) -> String {
    match facts.exprs[id as usize] {
        Expr::Unknown => "?".to_owned(),
        Expr::Name { name, .. } => facts.name(name).to_owned(),
        Expr::Rooted { name } => format!("::{}", facts.name(name)),
        Expr::Member { base, name } => format!("{}.{}", show(facts, base), facts.name(name)),
        Expr::Call { callee, .. } => format!("{}()", show(facts, callee)),
        Expr::New { ty } => format!("new({})", show(facts, ty)),
        Expr::Typed { ty } => format!("typed({})", show(facts, ty)),
        Expr::Element { of } => format!("elem({})", show(facts, of)),
        Expr::Unwrap { of } => format!("inner({})", show(facts, of)),
        Expr::Apply { base, arg } => format!("{}[{}]", show(facts, base), show(facts, arg)),
        Expr::This { .. } => "this".to_owned(),
        Expr::Super { .. } => "super".to_owned(),
        Expr::SelfType { .. } => "Self".to_owned(),
        Expr::Symbol(ix) => format!("<{}>", facts.qualified(ix)),
        Expr::Literal => "lit".to_owned(),
        Expr::Either(a, b) => format!("({}|{})", show(facts, a), show(facts, b)),
        Expr::Shape { scope } => {
            let members = facts.bindings.iter().filter(|b| b.scope == scope);
            let members: Vec<String> = members
                .map(|b| match b.to {
                    Bound::Local { ty: Some(e), .. } | Bound::Local { value: Some(e), .. } => {
                        format!("{}: {}", facts.name(b.name), show(facts, e))
                    }
                    _ => facts.name(b.name).to_owned(),
                })
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        Expr::Function { result } => format!("fn({})", show(facts, result)),
    }
}

/// Compares a dump with the lines of `expected`, white space around them aside.
#[track_caller]
pub fn check(dump: Vec<String>, expected: &str) {
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    assert_eq!(dump.join("\n"), expected.join("\n"));
}

/// Every line of `expected` must be in the dump; nothing is said about others.
#[track_caller]
pub fn check_among(dump: Vec<String>, expected: &str) {
    for line in expected.lines().map(str::trim).filter(|l| !l.is_empty()) {
        assert!(
            dump.iter().any(|d| d == line),
            "missing: {line}\nin:\n{}",
            dump.join("\n")
        );
    }
}
