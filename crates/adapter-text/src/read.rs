//! `read_file`: lines of one file, as they are.

use crate::{cut, no_such_file, protected};
use understory_core::answer::ReadAnswer;
use understory_core::limits::READ_CHARS;
use understory_core::path::RepoPath;
use understory_core::query::ReadQuery;
use understory_core::refusal::{Refusal, RefusalCode};
use understory_ports::context::CallContext;
use understory_ports::text_search::TextError;
use understory_tree_reader::{Content, MAX_BYTES, Reader, Resolved};

pub(crate) fn read(reader: &Reader<'_>, query: &ReadQuery, _cx: &CallContext) -> Result<ReadAnswer, TextError> {
    let path = &query.path;
    let file = match reader.resolve(path) {
        Resolved::File(file) => file,
        Resolved::Protected => return Err(protected().into()),
        Resolved::Dir(dir) => return Err(is_directory(reader, path, &dir).into()),
        Resolved::Nested(_) => {
            return Err(no_such_file(
                path,
                "lies in a nested repository, whose files are not part of the tree",
                vec![],
            )
            .into());
        }
        Resolved::BrokenLink => {
            return Err(no_such_file(path, "is a link that leads out of the tree or to nothing", vec![]).into());
        }
        Resolved::Missing => return Err(missing(reader, path).into()),
    };
    let text = match reader.read(&file) {
        Content::Text(text) => text,
        Content::Protected => return Err(protected().into()),
        Content::Binary => {
            return Err(unsupported(path, "is binary: it holds NUL bytes and has no lines to read").into());
        }
        Content::TooLarge => {
            return Err(unsupported(path, &format!("is longer than {} MiB", MAX_BYTES >> 20)).into());
        }
        Content::Unreadable => return Err(no_such_file(path, "cannot be read", vec![]).into()),
        Content::Missing => return Err(missing(reader, path).into()),
    };
    let staged = reader.tree().get(&file).is_some_and(|f| f.staged);
    Ok(ReadAnswer {
        path: path.clone(),
        staged,
        ..lines(&text, query)?
    })
}

/// The asked lines, line ends kept.
fn lines(text: &str, query: &ReadQuery) -> Result<ReadAnswer, Refusal> {
    let total = u32::try_from(text.split_inclusive('\n').count()).unwrap_or(u32::MAX);
    let mut answer = ReadAnswer {
        path: RepoPath::root(),
        start: query.start,
        end: query.start,
        total_lines: total,
        content: String::new(),
        staged: false,
    };
    if query.start > total {
        if total == 0 && query.start == 1 {
            (answer.start, answer.end) = (0, 0);
            return Ok(answer);
        }
        let last = match total {
            0 => "the file has no lines".to_owned(),
            1 => "the file has 1 line, numbered 1".to_owned(),
            n => format!("the file has {n} lines, numbered 1 to {n}"),
        };
        let message = format!("`start` is {}, and {last}.", query.start);
        return Err(Refusal::new(RefusalCode::BadArgument, message));
    }
    let last = if query.end == 0 { total } else { query.end.min(total) };
    let mut chars = 0;
    let wanted = text
        .split_inclusive('\n')
        .skip(query.start as usize - 1)
        .take((last - query.start + 1) as usize);
    for (number, line) in (query.start..).zip(wanted) {
        let of_line = line.chars().count();
        if chars + of_line > READ_CHARS {
            if chars == 0 {
                answer.content = cut::beginning(line, READ_CHARS);
            }
            break;
        }
        chars += of_line;
        answer.content.push_str(line);
        answer.end = number;
    }
    Ok(answer)
}

fn missing(reader: &Reader<'_>, path: &RepoPath) -> Refusal {
    no_such_file(path, "is no file of the tree", reader.near_files(path))
}

fn is_directory(reader: &Reader<'_>, path: &RepoPath, dir: &RepoPath) -> Refusal {
    let files = reader.open_files().into_iter().filter(|f| f.path.is_in(dir));
    let some = files.take(5).map(|f| f.path.to_string()).collect();
    no_such_file(path, "is a directory; `list_files` lists it", some)
}

fn unsupported(path: &RepoPath, why: &str) -> Refusal {
    Refusal::new(RefusalCode::Unsupported, format!("`{}` {why}.", path.display_escaped()))
}
