//! Functions that extend a type from outside, where the receiver alone does not lead to them: it lies outside the tree, or
//! its type is not known, or they extend a type variable.

use super::linker::Linker;
use super::links::{Confidence, FileId, Target};
use super::rules::listed;
use super::tables::last_name;
use super::value::{Hit, Thing, Value, What};
use crate::facts::{Kind, SymbolFlags};

/// How an extension comes into a file's sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// It is not in sight.
    No,
    /// Through a package, a star import or the like.
    Near,
    /// It is imported by its name, or stands in the file itself.
    Named,
}

/// Most candidates of one name.
const MOST: usize = 64;

/// The extensions of a name in sight of a file that a receiver may have.
pub fn extensions(
    linker: &Linker<'_>,
    file: FileId,
    base: &Value,
    hash: u64,
    sight: &dyn Fn(Target) -> Sight,
) -> Value {
    let world = linker.world;
    let language = world.files[file as usize].language.map(|l| l.name);
    let mut out: Vec<Hit> = Vec::new();
    let candidates = world
        .tables
        .named(hash)
        .iter()
        .filter(|e| e.flags.has(SymbolFlags::EXTENSION))
        .take(MOST);
    for entry in candidates {
        let t = entry.target;
        if world.files[t.file as usize].language.map(|l| l.name) != language {
            continue;
        }
        let sight = sight(t);
        if sight == Sight::No {
            continue;
        }
        if let Some(confidence) = fits(linker, base, t, sight) {
            let what = What::Def(t);
            out.push((Thing { what, arg: None }, confidence));
        }
    }
    Value::of(out)
}

fn fits(linker: &Linker<'_>, base: &Value, extension: Target, sight: Sight) -> Option<Confidence> {
    let most = if sight == Sight::Named {
        Confidence::Resolved
    } else {
        Confidence::Possible
    };
    if base.is_unknown() {
        // A member of the unknown type may have the name as well, unless the file asks for the extension.
        return (sight == Sight::Named).then_some(Confidence::Resolved);
    }
    let owner = linker.symbol(extension).owner?;
    let facts = &linker.view(extension.file).facts;
    let any = last_name(facts, owner).is_some_and(|n| listed(linker.traits(extension.file).any_types, n));
    let extended = linker.eval(extension.file, owner);
    let inside: Vec<Target> = extended
        .hits()
        .iter()
        .filter_map(|(h, _)| match h.what {
            What::Def(t) | What::Instance(t) => Some(t),
            _ => None,
        })
        .collect();
    // A type from outside may conform to a protocol of the tree.
    let protocol = inside.iter().any(|&t| linker.symbol(t).kind == Kind::Protocol);
    let variable = !extended.is_unknown() && extended.hits().iter().any(|h| matches!(h.0.what, What::Local(..)));
    let held = linker.force(base.clone());
    if held.is_unknown() {
        return (sight == Sight::Named).then_some(Confidence::Resolved);
    }
    held.hits()
        .iter()
        .filter_map(|&(thing, confidence)| match thing.what {
            What::External if inside.is_empty() || protocol => Some(confidence.max(most)),
            What::Instance(t) | What::Def(t) => {
                let chain = linker.chain(t);
                if inside.iter().any(|i| chain.types.contains(i)) {
                    Some(confidence)
                } else if inside.is_empty() && (any || variable || chain.external || chain.unknown) {
                    Some(confidence.max(most))
                } else {
                    None
                }
            }
            _ => None,
        })
        .min()
}
