//! `source x` and `. x`: which file is taken in.

use crate::extract::{Cx, last_part};
use crate::facts::ImportKind;
use tree_sitter::Node;

/// The path in the argument of `source`. What stands for the script's own directory becomes `./`; a path that begins with
/// another variable keeps it as written.
pub(super) fn source<'t>(argument: Node<'t>, cx: &mut Cx<'t>) {
    let written = cx.src(argument).trim_matches(['"', '\'']);
    let module = match written.strip_prefix(['$', '`']) {
        None => written.to_owned(),
        Some(_) => {
            // Behind the expansion at the start, whatever is nested in it.
            let Some(end) = expansion_end(written) else { return };
            let (head, rest) = written.split_at(end);
            let own = ["dirname", "BASH_SOURCE", "$0", "${0", "SCRIPT_DIR", "script_dir"];
            if own.iter().any(|o| head.contains(o)) {
                format!(".{rest}")
            } else {
                written.to_owned()
            }
        }
    };
    if module.is_empty() || module == "." {
        return;
    }
    cx.import(ImportKind::Include, &module, "", "", argument);
    let last = cx.name_owned(last_part(&module));
    if let Some(added) = cx.facts.refs.last_mut() {
        added.name = last;
    }
}

/// The helper that a Bats test loads: a path with or without its `.bash`.
pub(super) fn load<'t>(argument: Node<'t>, cx: &mut Cx<'t>) {
    let written = cx.src(argument).trim_matches(['"', '\'']);
    if written.is_empty() || written.contains(['$', '`', ' ']) {
        return;
    }
    let module = if last_part(written).contains('.') {
        written.to_owned()
    } else {
        format!("{written}.bash")
    };
    cx.import(ImportKind::Include, &module, "", "", argument);
}

/// Where the expansion that `text` begins with ends.
fn expansion_end(text: &str) -> Option<usize> {
    if let Some(rest) = text.strip_prefix('`') {
        return rest.find('`').map(|at| at + 2);
    }
    let mut depth = 0;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            '/' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}
