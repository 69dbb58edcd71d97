//! The tables over all files: from a name to the definitions that carry it.
//!
//! They are made of one [`Summary`] per file, which is small and a pure function of the file's facts and its space, so that an
//! edit replaces the summaries of the edited files only. Names are kept as hashes ([`name_hash`]); whoever follows an
//! entry into the facts of its file compares the name there.

use super::hash::{FastMap, TextMap, name_hash};
use super::links::{FileId, Target};
use super::rules::{NO_SPACE, SpaceId};
use crate::facts::{Expr, ExprId, FileFacts, Kind, SymbolFlags, SymbolIx};
use crate::languages::Family;
use serde::{Deserialize, Serialize};

/// How a definition can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Reach {
    /// It stands at the top of a file, a namespace or a module.
    Top,
    /// It is a member of a type.
    Member,
    /// It stands inside code.
    Inner,
}

/// One definition in a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// Hash of the bare name.
    pub name: u64,
    /// The definition.
    pub symbol: SymbolIx,
    /// Its kind.
    pub kind: Kind,
    /// Its flags.
    pub flags: SymbolFlags,
    /// How it is reached.
    pub reach: Reach,
    /// Index into [`Summary::spaces`]; `u16::MAX` when it is in none.
    pub space: u16,
}

/// A member that states its owner away from the type, and by which name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owned {
    /// Hash of the last name of the owner as written.
    pub owner: u64,
    /// Hash of the member's name.
    pub name: u64,
    /// The member.
    pub symbol: SymbolIx,
}

/// What the tables need of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Keys of the spaces that the file adds to; the first is the file's own, if it has one.
    pub spaces: Vec<Box<str>>,
    /// Whether the file has a space of its own.
    pub spaced: bool,
    /// Whether the file hands out names beyond its definitions.
    pub exports: bool,
    /// All definitions.
    pub named: Vec<Named>,
    /// Members defined away from their type.
    pub owned: Vec<Owned>,
    /// Hash of the last name of a stated supertype → the type that states it.
    pub supers: Vec<(u64, SymbolIx)>,
    /// Hash of the last name of a type → index of an `impl` for it.
    pub impls: Vec<(u64, u32)>,
}

const NONE: u16 = u16::MAX;
/// Longest key of a namespace or module inside a file. What is nested so deep that its key is longer is no space.
pub const SPACE_KEY: usize = 1000;

impl Summary {
    /// The summary of a file whose top-level definitions belong to `space`.
    pub fn new(facts: &FileFacts, space: Option<&str>) -> Self {
        let mut out = Summary {
            spaces: space.map(Into::into).into_iter().collect(),
            spaced: space.is_some(),
            exports: !facts.exports.is_empty(),
            ..Summary::default()
        };
        // Of each symbol that is a namespace or module: the index of its space.
        let mut inner: FastMap<SymbolIx, u16> = FastMap::default();
        let mut known: TextMap<Box<str>, u16> = out.spaces.iter().map(|k| (k.clone(), 0)).collect();
        let file_space = if space.is_some() { 0 } else { NONE };
        for (ix, s) in facts.symbols.iter().enumerate() {
            let ix = ix as SymbolIx;
            let name = facts.name(s.name);
            let (reach, space) = match s.parent {
                // A function that extends a type stands where it is written; Swift's extensions are part of the type.
                _ if s.owner.is_some()
                    && !(s.flags.has(SymbolFlags::EXTENSION) && facts.name(s.container).is_empty()) =>
                {
                    (Reach::Member, NONE)
                }
                None => (Reach::Top, file_space),
                Some(p) => match inner.get(&p) {
                    Some(&space) => (Reach::Top, space),
                    // A constant of an enum that is bound beside the enum (C) is as near as the enum.
                    None if s.kind == Kind::Variant && s.scope == facts.symbols[p as usize].scope => {
                        match facts.symbols[p as usize].parent {
                            None => (Reach::Top, file_space),
                            Some(outer) => match inner.get(&outer) {
                                Some(&space) => (Reach::Top, space),
                                None => (Reach::Member, NONE),
                            },
                        }
                    }
                    None if facts.symbols[p as usize].kind.is_callable() => (Reach::Inner, NONE),
                    None => (Reach::Member, NONE),
                },
            };
            if matches!(s.kind, Kind::Namespace | Kind::Module) && reach == Reach::Top && space != NONE {
                let outer = &out.spaces[space as usize];
                let key = if outer.is_empty() {
                    name.to_owned()
                } else {
                    format!("{outer}.{name}")
                };
                let at = match known.get(key.as_str()) {
                    Some(&at) => Some(at),
                    None if key.len() > SPACE_KEY || out.spaces.len() >= NONE as usize => None,
                    None => {
                        let at = out.spaces.len() as u16;
                        out.spaces.push(key.as_str().into());
                        known.insert(key.into(), at);
                        Some(at)
                    }
                };
                // What lies in no space is a member of its namespace all the same.
                if let Some(at) = at {
                    inner.insert(ix, at);
                }
            }
            out.named.push(Named {
                name: name_hash(name),
                symbol: ix,
                kind: s.kind,
                flags: s.flags,
                reach,
                space,
            });
            if let Some(owner) = s.owner {
                let owner = match last_name(facts, owner) {
                    Some(owner) => owner,
                    None => facts.name(s.container).rsplit('.').next().unwrap_or(""),
                };
                out.owned.push(Owned {
                    owner: name_hash(owner),
                    name: name_hash(name),
                    symbol: ix,
                });
            }
            for sup in &s.supers {
                if let Some(last) = last_name(facts, sup.ty) {
                    out.supers.push((name_hash(last), ix));
                }
            }
        }
        for (ix, i) in facts.impls.iter().enumerate() {
            if i.super_ty.is_some()
                && let Some(last) = last_name(facts, i.ty)
            {
                out.impls.push((name_hash(last), ix as u32));
            }
        }
        out
    }
}

/// The last name of an expression: `a.b.C<D>` → `C`.
pub fn last_name(facts: &FileFacts, expr: ExprId) -> Option<&str> {
    let mut at = expr;
    for _ in 0..64 {
        match facts.exprs[at as usize] {
            Expr::Name { name, .. } | Expr::Rooted { name } | Expr::Member { name, .. } => {
                return Some(facts.name(name));
            }
            Expr::Symbol(s) => return Some(facts.name(facts.symbols[s as usize].name)),
            Expr::Apply { base, arg } => {
                // A pointer or reference has no base of its own.
                at = if matches!(facts.exprs[base as usize], Expr::Unknown) {
                    arg
                } else {
                    base
                };
            }
            Expr::Typed { ty } | Expr::New { ty } => at = ty,
            Expr::Call { callee, .. } => at = callee,
            Expr::Unwrap { of } | Expr::Element { of } => at = of,
            _ => return None,
        }
    }
    None
}

/// A definition in the table of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Hash of the bare name.
    pub name: u64,
    /// The space that holds it, [`NO_SPACE`] when none does.
    pub space: SpaceId,
    /// The definition.
    pub target: Target,
    /// Its kind.
    pub kind: Kind,
    /// Its flags.
    pub flags: SymbolFlags,
    /// How it is reached.
    pub reach: Reach,
    /// Its language's family.
    pub family: Family,
}

/// The tables.
#[derive(Debug, Default)]
pub struct Tables {
    entries: Vec<Entry>,
    by_name: FastMap<u64, (u32, u32)>,
    owned: Vec<(u64, u64, Target)>,
    supers: Vec<(u64, Target)>,
    impls: Vec<(u64, FileId, u32)>,
    keys: Vec<(Family, Box<str>)>,
    key_ids: FastMap<u64, Vec<SpaceId>>,
    files_of: Vec<Vec<FileId>>,
    exporters_of: Vec<Vec<FileId>>,
    space_of: Vec<SpaceId>,
}

fn key_hash(family: Family, key: &str) -> u64 {
    name_hash(key) ^ ((family as u64 + 1) << 56)
}

impl Tables {
    /// Merges the summaries of files 0, 1, …; `None` for a file of no language.
    pub fn new<'s>(summaries: impl Iterator<Item = Option<(Family, &'s Summary)>> + Clone) -> Self {
        let mut keys: Vec<(Family, Box<str>)> = Vec::new();
        let mut seen: FastMap<u64, Vec<SpaceId>> = FastMap::default();
        for (family, summary) in summaries.clone().flatten() {
            for key in &summary.spaces {
                // Every prefix of a key is a space too, so that `com.foo.Bar` can be followed part by part.
                let ends = key.match_indices('.').map(|(i, _)| i).chain([key.len()]);
                for end in ends {
                    let part = &key[..end];
                    let ids = seen.entry(key_hash(family, part)).or_default();
                    if !ids
                        .iter()
                        .any(|&id| keys[id as usize].0 == family && &*keys[id as usize].1 == part)
                    {
                        ids.push(keys.len() as SpaceId);
                        keys.push((family, part.into()));
                    }
                }
            }
        }
        let mut out = Tables {
            files_of: vec![Vec::new(); keys.len()],
            exporters_of: vec![Vec::new(); keys.len()],
            keys,
            key_ids: seen,
            ..Tables::default()
        };
        for (file, summary) in summaries.enumerate() {
            let file = file as FileId;
            let Some((family, summary)) = summary else {
                out.space_of.push(NO_SPACE);
                continue;
            };
            let ids: Vec<SpaceId> = summary
                .spaces
                .iter()
                .map(|k| out.space(family, k).unwrap_or(NO_SPACE))
                .collect();
            out.space_of.push(if summary.spaced { ids[0] } else { NO_SPACE });
            for &id in &ids {
                out.files_of[id as usize].push(file);
                if summary.exports {
                    out.exporters_of[id as usize].push(file);
                }
            }
            let target = |symbol| Target { file, symbol };
            out.entries.extend(summary.named.iter().map(|n| Entry {
                name: n.name,
                space: ids.get(n.space as usize).copied().unwrap_or(NO_SPACE),
                target: target(n.symbol),
                kind: n.kind,
                flags: n.flags,
                reach: n.reach,
                family,
            }));
            out.owned
                .extend(summary.owned.iter().map(|o| (o.owner, o.name, target(o.symbol))));
            out.supers.extend(summary.supers.iter().map(|(n, s)| (*n, target(*s))));
            out.impls.extend(summary.impls.iter().map(|(n, i)| (*n, file, *i)));
        }
        out.entries.sort_unstable_by_key(|e| (e.name, e.space, e.target));
        out.owned.sort_unstable();
        out.supers.sort_unstable();
        out.impls.sort_unstable();
        let mut from = 0;
        while from < out.entries.len() {
            let name = out.entries[from].name;
            let mut to = from;
            while to < out.entries.len() && out.entries[to].name == name {
                to += 1;
            }
            out.by_name.insert(name, (from as u32, to as u32));
            from = to;
        }
        out
    }

    /// All definitions of a name, by space, file and symbol.
    pub fn named(&self, name: u64) -> &[Entry] {
        match self.by_name.get(&name) {
            Some(&(from, to)) => &self.entries[from as usize..to as usize],
            None => &[],
        }
    }

    /// Definitions of a name in a space.
    pub fn in_space(&self, space: SpaceId, name: u64) -> &[Entry] {
        let all = self.named(name);
        let from = all.partition_point(|e| e.space < space);
        let to = all.partition_point(|e| e.space <= space);
        &all[from..to]
    }

    /// Members of a name whose owner, as written, ends in `owner`.
    pub fn owned(&self, owner: u64, name: u64) -> &[(u64, u64, Target)] {
        let from = self.owned.partition_point(|o| (o.0, o.1) < (owner, name));
        let to = self.owned.partition_point(|o| (o.0, o.1) <= (owner, name));
        &self.owned[from..to]
    }

    /// All members whose owner, as written, ends in `owner`.
    pub fn all_owned(&self, owner: u64) -> &[(u64, u64, Target)] {
        let from = self.owned.partition_point(|o| o.0 < owner);
        let to = self.owned.partition_point(|o| o.0 <= owner);
        &self.owned[from..to]
    }

    /// Types that state a supertype whose last name is `name`.
    pub fn subtypes(&self, name: u64) -> &[(u64, Target)] {
        let from = self.supers.partition_point(|o| o.0 < name);
        let to = self.supers.partition_point(|o| o.0 <= name);
        &self.supers[from..to]
    }

    /// `impl` facts (file, index) for a type whose last name is `name`.
    pub fn impls(&self, name: u64) -> &[(u64, FileId, u32)] {
        let from = self.impls.partition_point(|o| o.0 < name);
        let to = self.impls.partition_point(|o| o.0 <= name);
        &self.impls[from..to]
    }

    /// The space of a key.
    pub fn space(&self, family: Family, key: &str) -> Option<SpaceId> {
        let ids = self.key_ids.get(&key_hash(family, key))?;
        ids.iter()
            .copied()
            .find(|&id| self.keys[id as usize].0 == family && &*self.keys[id as usize].1 == key)
    }

    /// The key of a space.
    pub fn key(&self, space: SpaceId) -> &str {
        &self.keys[space as usize].1
    }

    /// The language family of a space.
    pub fn family(&self, space: SpaceId) -> Family {
        self.keys[space as usize].0
    }

    /// Files that add to a space.
    pub fn files(&self, space: SpaceId) -> &[FileId] {
        &self.files_of[space as usize]
    }

    /// Files that add to a space and hand out names beyond their definitions.
    pub fn exporters(&self, space: SpaceId) -> &[FileId] {
        &self.exporters_of[space as usize]
    }

    /// The space of a file's top level.
    pub fn space_of(&self, file: FileId) -> SpaceId {
        self.space_of[file as usize]
    }
}
