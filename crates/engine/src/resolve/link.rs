//! From one file's uses to its links.

use super::linker::Linker;
use super::links::{Confidence, FileId, FileLinks, Link, Relation, Target};
use super::rules::{NO_SPACE, Place, SpaceId};
use super::tables::Reach;
use super::value::{Hit, Thing, Value, What};
use super::world::World;
use crate::extract::last_part;
use crate::facts::{FILE_SYMBOL, ImportIx, ImportKind, Kind, Ref, Role, SymbolFlags};

/// How many imports of one line may stand between a use of an import and the import itself.
const APART: usize = 256;
/// Most files that an import of a whole package is linked to.
const PACKAGE_FILES: usize = 16;

/// Resolves every use of a file. Pure: the same world gives the same links, from any thread and in any order.
pub fn link(world: &World, file: FileId) -> FileLinks {
    if world.files[file as usize].language.is_none() {
        return FileLinks::default();
    }
    let linker = Linker::new(world, file);
    let view = world.view(file);
    let mut out = FileLinks::default();
    let imports = imports_of_refs(&view.facts);
    for (site, r) in view.facts.refs.iter().enumerate() {
        let site = site as u32;
        let value = linker.settle(|| match r.role {
            Role::Import => match imports[site as usize] {
                Some(import) => linker.choose(linker.import_target(file, import), 255),
                None => linker.choose(linker.eval(file, r.expr), 255),
            },
            Role::Call => linker.choose_for(linker.callee(file, r.expr), r),
            _ => linker.choose_for(linker.eval(file, r.expr), r),
        });
        // What was cut short is not proved to lead out of the tree.
        let unsure = value.is_unknown() || linker.is_short();
        let first = out.links.len();
        let many = linker.functions(&value) > 1;
        let most = match many {
            true if linker.are_branches(&value) => Confidence::Resolved,
            true => Confidence::Possible,
            false => Confidence::Exact,
        };
        for &(thing, confidence) in value.hits() {
            let confidence = confidence.max(most);
            linker.add(site, r, thing.what, confidence, &mut out.links);
        }
        if out.links.len() > first {
            out.links[first..].sort_unstable_by_key(|l| (l.target, l.confidence, l.relation));
            let mut kept = first + 1;
            for i in first + 1..out.links.len() {
                if out.links[i].target != out.links[kept - 1].target {
                    out.links[kept] = out.links[i];
                    kept += 1;
                }
            }
            out.links.truncate(kept);
        } else if unsure && linker.plausible(r) {
            out.loose.push(site);
        } else {
            out.unbound.push(site);
        }
    }
    linker.begin();
    out.overrides = linker.overrides();
    out.consulted = linker.consulted();
    out
}

/// Of each use that is an import: which one. Imports and their uses stand in the same order on a line.
fn imports_of_refs(facts: &crate::facts::FileFacts) -> Vec<Option<ImportIx>> {
    let mut order: Vec<ImportIx> = (0..facts.imports.len() as ImportIx).collect();
    order.sort_by_key(|&i| facts.imports[i as usize].line);
    // The place of the first import from here on that no use has taken.
    let mut free: Vec<usize> = (0..=order.len()).collect();
    let shows = |i: ImportIx, name: &str| {
        let import = &facts.imports[i as usize];
        match &*import.name {
            "" => {
                last_part(&import.module).split('.').next() == Some(name)
                    || last_part(&import.module) == name
                    || import.module.rsplit('.').next() == Some(name)
            }
            imported => imported == name,
        }
    };
    let mut out = vec![None; facts.refs.len()];
    for (site, r) in facts.refs.iter().enumerate() {
        if r.role != Role::Import {
            continue;
        }
        let from = order.partition_point(|&i| facts.imports[i as usize].line < r.line);
        let mut at = first_free(&mut free, from);
        let mut tried = 0;
        while at < order.len() && facts.imports[order[at] as usize].line == r.line && tried < APART {
            if shows(order[at], facts.name(r.name)) {
                free[at] = at + 1;
                out[site] = Some(order[at]);
                break;
            }
            at = first_free(&mut free, at + 1);
            tried += 1;
        }
    }
    out
}

/// Follows the marks of taken places to a free one, and makes the way there short.
fn first_free(free: &mut [usize], from: usize) -> usize {
    let mut at = from;
    while free[at] != at {
        free[at] = free[free[at]];
        at = free[at];
    }
    at
}

impl Linker<'_> {
    fn add(&self, site: u32, r: &Ref, what: What, confidence: Confidence, links: &mut Vec<Link>) {
        let mut sure = |target: Target, relation: Relation, confidence: Confidence| {
            links.push(Link {
                site,
                target,
                relation,
                confidence,
            })
        };
        // Constructors that the number of arguments does not tell apart.
        let one_of = |made: &[Target]| {
            let hits = made.iter().map(|&t| {
                let what = What::Def(t);
                (Thing { what, arg: None }, confidence)
            });
            match self.functions(&Value::of(hits.collect())) {
                0 | 1 => confidence,
                _ => confidence.max(Confidence::Possible),
            }
        };
        let file_symbol = |file: FileId| Target {
            file,
            symbol: FILE_SYMBOL,
        };
        match what {
            What::Def(target) => {
                let symbol = self.symbol(target);
                let relation = match r.role {
                    Role::Call | Role::New => Relation::Calls,
                    Role::Import => Relation::Imports,
                    Role::Implement => Relation::Implements,
                    Role::Inherit => match symbol.kind {
                        Kind::Interface | Kind::Trait | Kind::Protocol if self.kind_within(r) != Some(symbol.kind) => {
                            Relation::Implements
                        }
                        _ => Relation::Inherits,
                    },
                    _ => Relation::Uses,
                };
                sure(target, relation, confidence);
                for signature in self.signatures(target) {
                    sure(signature, relation, confidence);
                }
                let holds = matches!(
                    symbol.kind,
                    Kind::Variable | Kind::Constant | Kind::Field | Kind::Property | Kind::Object
                );
                if r.role == Role::Call && holds {
                    for operator in self.call_operators(what, r.args) {
                        sure(operator, relation, confidence);
                    }
                }
                if relation == Relation::Calls && symbol.kind.is_type() {
                    let made = self.constructors(target, r.args, self.traits(target.file).inherits_constructors);
                    let confidence = one_of(&made);
                    for constructor in made {
                        sure(constructor, relation, confidence);
                    }
                } else if relation == Relation::Calls
                    && symbol.kind == Kind::Constructor
                    && r.role == Role::New
                    && let Some(owner) = self.owner(target)
                {
                    sure(owner, relation, confidence);
                }
            }
            What::Above(t) if r.role == Role::Call => {
                // `super(…)`: the constructor of the base.
                if let Some(&base) = self.chain(t).types.get(1) {
                    let made = self.constructors(base, r.args, true);
                    if made.is_empty() {
                        sure(base, Relation::Calls, confidence);
                    }
                    let confidence = one_of(&made);
                    for constructor in made {
                        sure(constructor, Relation::Calls, confidence);
                    }
                }
            }
            What::Local(..) | What::Attr(..) if r.role == Role::Call => {
                for operator in self.call_operators(what, r.args) {
                    sure(operator, Relation::Calls, confidence);
                }
            }
            What::Instance(t) if matches!(r.role, Role::Call) => {
                // `this(…)` is another constructor; a value that is called runs its call operator.
                let expr = self.view(self.file).facts.exprs[r.expr as usize];
                if matches!(expr, crate::facts::Expr::This { .. }) {
                    let within = Target {
                        file: self.file,
                        symbol: r.within,
                    };
                    for constructor in self.constructors(t, r.args, false) {
                        if constructor != within {
                            sure(constructor, Relation::Calls, confidence);
                        }
                    }
                }
            }
            What::File(f) if r.role == Role::Import => sure(file_symbol(f), Relation::Imports, confidence),
            What::Space(s) if r.role == Role::Import => {
                let files = self.world.tables.files(s);
                if files.len() <= PACKAGE_FILES {
                    for &f in files {
                        sure(file_symbol(f), Relation::Imports, confidence);
                    }
                }
            }
            _ => {}
        }
    }

    fn kind_within(&self, r: &Ref) -> Option<Kind> {
        if r.within == FILE_SYMBOL {
            return None;
        }
        Some(self.view(self.file).facts.symbols[r.within as usize].kind)
    }

    /// The overload signatures beside a function, itself left out.
    pub(super) fn signatures(&self, target: Target) -> Vec<Target> {
        let view = self.view(target.file);
        let symbol = &view.facts.symbols[target.symbol as usize];
        let traits = self.traits(target.file);
        if traits.declares && symbol.kind.is_callable() {
            return self.declarations(target);
        }
        if !symbol.kind.is_callable() || !traits.overload_signatures {
            return Vec::new();
        }
        let beside = match symbol.parent {
            Some(parent) => view.children(parent, symbol.name),
            None => view.top(symbol.name),
        };
        beside
            .iter()
            .copied()
            .filter(|&s| s != target.symbol && view.facts.symbols[s as usize].flags.has(SymbolFlags::DECLARATION))
            .map(|symbol| Target {
                file: target.file,
                symbol,
            })
            .collect()
    }

    /// The declarations of a definition, in its file or another, that take as many arguments.
    fn declarations(&self, target: Target) -> Vec<Target> {
        let view = self.view(target.file);
        let symbol = self.symbol(target);
        if symbol.flags.has(SymbolFlags::DECLARATION) {
            return Vec::new();
        }
        let (name, hash) = (view.facts.name(symbol.name), view.hash(symbol.name));
        let family = self.world.family(target.file);
        let private = symbol.flags.has(SymbolFlags::FILE_PRIVATE);
        let owner = self.owner(target).filter(|_| symbol.owner.is_some());
        let space = self.entry_space(target);
        let entries = self.world.tables.named(hash).iter();
        entries
            .filter(|e| Some(e.family) == family && e.flags.has(SymbolFlags::DECLARATION) && e.kind.is_callable())
            .filter(|e| e.target.file == target.file || !(private || e.flags.has(SymbolFlags::FILE_PRIVATE)))
            .take(64)
            .filter(|e| match owner {
                Some(owner) => e.target.file == owner.file && self.symbol(e.target).parent == Some(owner.symbol),
                None => e.space == space && e.reach == Reach::Top,
            })
            .map(|e| e.target)
            .filter(|&t| self.symbol(t).params == symbol.params && self.is_named(t, name))
            .collect()
    }

    fn entry_space(&self, target: Target) -> SpaceId {
        let hash = self.view(target.file).hash(self.symbol(target).name);
        let entries = self.world.tables.named(hash).iter();
        entries
            .filter(|e| e.target == target)
            .map(|e| e.space)
            .next()
            .unwrap_or(NO_SPACE)
    }

    /// How many different things a value may be; a function and its overload signatures are one.
    fn functions(&self, value: &Value) -> usize {
        let hits = value.hits();
        if hits.len() < 2 {
            return hits.len();
        }
        let one_type = |a: &Hit, b: &Hit| match (a.0.what, b.0.what) {
            (What::Def(a), What::Def(b)) => self.one_type(a, b),
            _ => false,
        };
        let mut count = 0;
        for (n, hit) in hits.iter().enumerate() {
            if hits[..n].iter().any(|h| one_type(h, hit)) {
                continue;
            }
            let signature_of_another = match hit.0.what {
                What::Def(t) => self
                    .signatures(t)
                    .iter()
                    .any(|s| hits[..n].iter().any(|h| h.0.what == What::Def(*s))),
                _ => false,
            };
            count += usize::from(!signature_of_another);
        }
        count
    }

    /// Whether several definitions stand in branches of one file that exclude each other: in C a file with two functions or
    /// macros of one name at the top compiles only one of them, and an edit of either matters.
    fn are_branches(&self, value: &Value) -> bool {
        let mut file = None;
        value.hits().iter().all(|(thing, _)| match thing.what {
            What::Def(t) => {
                let symbol = self.symbol(t);
                let language = self.world.files[t.file as usize].language;
                language.is_some_and(|l| l.name == "c")
                    && *file.get_or_insert(t.file) == t.file
                    && symbol.parent.is_none()
                    && matches!(symbol.kind, Kind::Function | Kind::Macro)
                    && !symbol.flags.has(SymbolFlags::DECLARATION)
            }
            _ => false,
        })
    }

    /// The constructors of a type that take `args` arguments, the nearest in its chain if `inherited`.
    pub(super) fn constructors(&self, t: Target, args: u8, inherited: bool) -> Vec<Target> {
        let traits = self.traits(t.file);
        let chain = self.chain(t);
        let types: &[Target] = if chain.types.is_empty() {
            std::slice::from_ref(&t)
        } else {
            &chain.types
        };
        for &at in types.iter().take(if inherited { types.len() } else { 1 }) {
            let view = self.view(at.file);
            let mut found: Vec<Target> = view
                .all_children(at.symbol)
                .iter()
                .filter(|&&s| view.facts.symbols[s as usize].kind == Kind::Constructor)
                .filter(|&&s| {
                    let name = view.facts.name(view.facts.symbols[s as usize].name);
                    !traits.initializers.contains(&name)
                })
                .map(|&symbol| Target { file: at.file, symbol })
                .collect();
            if traits.declares {
                let owned = self.world.tables.all_owned(view.hash(self.symbol(at).name)).iter();
                let elsewhere = owned.take(256).map(|o| o.2).filter(|&m| {
                    self.world.family(m.file) == self.world.family(at.file)
                        && self.symbol(m).kind == Kind::Constructor
                        && self.owner(m) == Some(at)
                });
                found.extend(elsewhere);
            }
            if found.is_empty() || traits.overloads {
                for name in traits.constructors {
                    let value = self.own_member(at, name, super::hash::name_hash(name));
                    found.extend(value.hits().iter().filter_map(|(thing, _)| match thing.what {
                        What::Def(d) if self.symbol(d).kind.is_callable() => Some(d),
                        _ => None,
                    }));
                }
            }
            if !found.is_empty() {
                found.sort_unstable();
                found.dedup();
                let fitting: Vec<Target> = found.iter().copied().filter(|&c| self.takes(c, args)).collect();
                // A primary constructor is the class itself.
                let primary = self.symbol(at).params != crate::facts::Params { min: 0, max: 255 };
                // A struct without constructors in its body is made from its fields as well.
                let fields = traits.overloads && self.symbol(at).kind == Kind::Struct;
                if fitting.is_empty() && (fields || (primary && self.takes(at, args))) {
                    return Vec::new();
                }
                return self.implementations(if fitting.is_empty() { found } else { fitting });
            }
        }
        Vec::new()
    }

    pub(super) fn takes(&self, target: Target, args: u8) -> bool {
        let params = self.symbol(target).params;
        args == 255 || (params.min <= args && args <= params.max)
    }

    /// Of several definitions of one thing: those with a body, when there are any.
    fn implementations(&self, mut targets: Vec<Target>) -> Vec<Target> {
        if targets.len() > 1 {
            let body = |t: &Target| !self.symbol(*t).flags.has(SymbolFlags::DECLARATION);
            if targets.iter().any(body) {
                targets.retain(body);
            }
        }
        targets
    }

    /// Of several callables, those that take `args` arguments, if that decides; of a declaration and its
    /// implementation, the implementation.
    pub(super) fn choose(&self, value: Value, args: u8) -> Value {
        let Value::Many(hits) = &value else {
            return value;
        };
        let mut hits: Vec<Hit> = hits.to_vec();
        let target = |h: &Hit| match h.0.what {
            What::Def(t) => Some(t),
            _ => None,
        };
        let callables: Vec<Target> = hits
            .iter()
            .filter_map(target)
            .filter(|&t| self.symbol(t).kind.is_callable())
            .collect();
        if callables.len() < 2 {
            return value;
        }
        let fits = |h: &Hit| target(h).is_none_or(|t| !self.symbol(t).kind.is_callable() || self.takes(t, args));
        if hits.iter().any(|h| target(h).is_some() && fits(h)) {
            hits.retain(fits);
        }
        // A member wins over an extension; what stands in an extension block is a member.
        let extends = |h: &Hit| {
            target(h).is_some_and(|t| {
                let s = self.symbol(t);
                let apart = s.parent.is_some() || self.view(t.file).facts.name(s.container).is_empty();
                s.flags.has(SymbolFlags::EXTENSION) && apart
            })
        };
        if hits.iter().any(|h| target(h).is_some() && !extends(h)) {
            hits.retain(|h| !extends(h));
        }
        let body = |h: &Hit| target(h).is_none_or(|t| !self.symbol(t).flags.has(SymbolFlags::DECLARATION));
        if hits.iter().any(|h| target(h).is_some() && body(h)) {
            hits.retain(body);
        }
        Value::of(hits)
    }

    /// Of a field and methods of one name, what a call means, or what another use does.
    pub(super) fn field_or_method(&self, hits: &mut Vec<Hit>, call: bool) {
        let callable = |h: &Hit| match h.0.what {
            What::Def(t) => Some(self.symbol(t).kind.is_callable()),
            What::Attr(..) => Some(false),
            _ => None,
        };
        if hits.iter().any(|h| callable(h) == Some(call)) {
            hits.retain(|h| callable(h) != Some(!call));
        }
    }

    /// As [`Linker::choose`], with what the role of a use tells.
    fn choose_for(&self, value: Value, r: &Ref) -> Value {
        let Value::Many(hits) = &value else {
            return value;
        };
        let kind = |h: &Hit| match h.0.what {
            What::Def(t) => Some(self.symbol(t).kind),
            _ => None,
        };
        // A name may be a type and a value at once.
        let as_type = matches!(r.role, Role::Type | Role::Inherit | Role::Implement);
        let fits = |h: &Hit| match kind(h) {
            Some(k) if as_type => k.is_type(),
            Some(k) => !matches!(k, Kind::Interface | Kind::TypeAlias),
            None => true,
        };
        let mut kept: Vec<Hit> = hits.to_vec();
        if kept.iter().any(fits) {
            kept.retain(fits);
        }
        if r.role != Role::Import && kept.iter().any(|h| kind(h).is_some()) {
            kept.retain(|h| !matches!(h.0.what, What::File(_) | What::Space(_) | What::Dir(_)));
        }
        if self.traits(self.file).impl_blocks {
            self.field_or_method(&mut kept, r.role == Role::Call);
        }
        if self.traits(self.file).overloads {
            let holds = |k| {
                matches!(
                    k,
                    Kind::Variable | Kind::Constant | Kind::Field | Kind::Property | Kind::Variant
                )
            };
            let apart = |h: &Hit| match (r.role, kind(h)) {
                (Role::Call, Some(k)) => !holds(k),
                (Role::Value, Some(k)) => holds(k) || k.is_type(),
                _ => true,
            };
            if kept.iter().any(apart) {
                kept.retain(apart);
            }
        }
        let object = matches!(r.role, Role::Value);
        let value = match r.role {
            Role::Call => self.applied(self.file, Value::of(kept), r.args),
            Role::Import => Value::of(kept),
            _ => self.side(self.file, Value::of(kept), object),
        };
        let value = self.choose(value, r.args);
        let Value::Many(hits) = &value else {
            return value;
        };
        // Of overloads that take the same number of arguments, one that calls its name calls another.
        if r.role == Role::Call && self.traits(self.file).overloads {
            let within = What::Def(Target {
                file: self.file,
                symbol: r.within,
            });
            let others: Vec<Hit> = hits.iter().copied().filter(|h| h.0.what != within).collect();
            if others.len() < hits.len() {
                return Value::of(others);
            }
        }
        // A property and its setter are one thing: the getter stands for both.
        let getter = |h: &Hit| matches!(h.0.what, What::Def(t) if self.symbol(t).flags.has(SymbolFlags::GETTER));
        if hits.iter().any(getter) && hits.iter().all(|h| kind(h).is_some()) {
            return Value::of(hits.iter().copied().filter(getter).collect());
        }
        value
    }

    /// Whether any definition of the language family carries the name of a use.
    fn plausible(&self, r: &Ref) -> bool {
        let hash = self.view(self.file).hash(r.name);
        let family = self.world.family(self.file);
        self.world.tables.named(hash).iter().any(|e| Some(e.family) == family)
    }

    /// Whether an import leads nowhere in the tree.
    pub fn leads_out(&self, file: FileId, import: ImportIx) -> bool {
        let fact = &self.view(file).facts.imports[import as usize];
        fact.kind != ImportKind::Include && self.place_of(file, import) == Place::External
    }
}
