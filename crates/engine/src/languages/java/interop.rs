//! What Java, Kotlin and Scala see of each other: file classes, companions, accessors of properties.

use crate::facts::Kind;
use crate::resolve::hash::name_hash;
use crate::resolve::linker::Linker;
use crate::resolve::links::FileId;
use crate::resolve::rules::Place;
use crate::resolve::value::{Value, What};

/// The file that a class `UtilKt` of a package stands for: the top level of `Util.kt` or `util.kt`.
pub fn file_class(linker: &Linker<'_>, place: Place, name: &str) -> Place {
    let (Place::Space(space), Some(stem)) = (place, name.strip_suffix("Kt")) else {
        return Place::Unknown;
    };
    let mut low = stem.chars();
    let low: String = low.next().into_iter().flat_map(char::to_lowercase).chain(low).collect();
    let world = linker.world;
    for stem in [stem, &low] {
        for file in world.files_named(&format!("{stem}.kt")) {
            if world.space_of(file) == space {
                return Place::File(file);
            }
        }
    }
    Place::Unknown
}

fn language(linker: &Linker<'_>, file: FileId) -> &'static str {
    linker.world.files[file as usize].language.map_or("", |l| l.name)
}

/// `Foo.Companion` and `Foo.INSTANCE` are `Foo`, whose definition has the members of its companion.
pub fn singleton(linker: &Linker<'_>, base: &Value, name: &str) -> Value {
    if !matches!(name, "Companion" | "INSTANCE") {
        return Value::Unknown;
    }
    base.flat_map(|thing| match thing.what {
        What::Def(t) if language(linker, t.file) == "kotlin" && linker.symbol(t).kind.is_type() => {
            Value::One((thing, crate::resolve::Confidence::Exact))
        }
        _ => Value::Unknown,
    })
}

/// A property of Kotlin under the name of its accessor: `getSize` is `size`.
pub fn property(linker: &Linker<'_>, base: &Value, name: &str) -> Value {
    let Some(rest) = ["get", "set", "is"].iter().find_map(|p| name.strip_prefix(p)) else {
        return Value::Unknown;
    };
    if !rest.starts_with(|c: char| c.is_uppercase()) {
        return Value::Unknown;
    }
    let mut low = rest.chars();
    let low: String = low.next().into_iter().flat_map(char::to_lowercase).chain(low).collect();
    let boolean = format!("is{rest}");
    for property in [&*low, &boolean] {
        let found = member_in(linker, base, property, "kotlin", |k| {
            matches!(k, Kind::Property | Kind::Field | Kind::Constant)
        });
        if found.is_inside() {
            return found;
        }
    }
    Value::Unknown
}

/// An accessor of Java under the name of a property: `size` is `getSize`.
pub fn accessor(linker: &Linker<'_>, base: &Value, name: &str) -> Value {
    let mut high = name.chars();
    let high: String = high
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .chain(high)
        .collect();
    let boolean = name.starts_with("is").then(|| name.to_owned());
    for getter in [Some(format!("get{high}")), boolean].into_iter().flatten() {
        let found = member_in(linker, base, &getter, "java", |k| k == Kind::Method);
        if found.is_inside() {
            return found;
        }
    }
    Value::Unknown
}

fn member_in(linker: &Linker<'_>, base: &Value, name: &str, of: &str, kind: fn(Kind) -> bool) -> Value {
    let hash = name_hash(name);
    base.flat_map(|thing| {
        let found = linker.member(thing, name, hash);
        found.flat_map(|t| match t.what {
            What::Def(d) if language(linker, d.file) == of && kind(linker.symbol(d).kind) => {
                Value::one(t.what, crate::resolve::Confidence::Exact)
            }
            _ => Value::Unknown,
        })
    })
}
