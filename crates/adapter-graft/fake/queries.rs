//! The questions, over a graph that was built.

use crate::{Faults, Line, fail};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Hits that `grep` collects.
const MOST: usize = 300;

struct Graph {
    nodes: Vec<Value>,
    edges: Vec<Value>,
}

fn graph(dir: &Path) -> Option<Graph> {
    let whole: Value = serde_json::from_slice(&fs::read(dir.join(".graph/wiring.json")).ok()?).ok()?;
    Some(Graph {
        nodes: whole["nodes"].as_array()?.clone(),
        edges: whole["edges"].as_array()?.clone(),
    })
}

fn text<'a>(node: &'a Value, key: &str) -> &'a str {
    node[key].as_str().unwrap_or("")
}

fn lines(node: &Value) -> (usize, usize) {
    let span = text(node, "span").trim_start_matches('L');
    let (start, end) = span.split_once("-L").unwrap_or(("0", "0"));
    (start.parse().unwrap_or(0), end.parse().unwrap_or(0))
}

fn brief(node: &Value) -> Value {
    json!({"id": node["id"], "name": node["name"], "kind": node["kind"], "path": node["path"], "span": node["span"]})
}

impl Graph {
    fn in_degree(&self, id: &str) -> usize {
        self.edges
            .iter()
            .filter(|e| e["target"] == id && e["relation"] != "contains")
            .count()
    }

    fn node(&self, id: &str) -> Option<&Value> {
        self.nodes.iter().find(|n| n["id"] == id)
    }
}

pub fn ask(dir: &Path, line: &Line) -> Value {
    let query = line.word(0);
    let nothing =
        json!({"query": query, "mode": "empty", "hits": [], "note": "no matching nodes — try different words"});
    // Without an index it answers as if nothing matched.
    let Some(graph) = graph(dir) else { return nothing };
    let limit: usize = line.option("--limit", "-n").and_then(|n| n.parse().ok()).unwrap_or(8);
    if let Some(name) = query.strip_prefix("who calls ") {
        let target = graph
            .nodes
            .iter()
            .find(|n| n["name"] == name)
            .map(|n| text(n, "id").to_owned());
        let hits: Vec<Value> = graph
            .edges
            .iter()
            .filter(|e| Some(text(e, "target")) == target.as_deref() && e["relation"] == "calls")
            .filter_map(|e| graph.node(text(e, "source")))
            .map(|n| json!({"kind": "caller", "title": n["name"], "pointer": format!("{}:{}", text(n, "path"), text(n, "span")), "snippet": "", "relation": "calls", "score": 1}))
            .take(limit)
            .collect();
        return json!({"query": query, "mode": "structural", "subject": name, "hits": hits});
    }
    let words = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| w.len() > 2);
        words.map(str::to_lowercase).collect()
    };
    let asked = words(query);
    let mut hits: Vec<(usize, Value)> = graph
        .nodes
        .iter()
        .filter(|n| n["kind"] != "file")
        .filter_map(|n| {
            let named = words(text(n, "name")).intersection(&asked).count();
            let described = words(text(n, "signature")).intersection(&asked).count();
            let score = 3 * named + described;
            let hit = json!({"kind": "symbol", "title": format!("{} · {}", text(n, "name"), text(n, "kind")),
                "pointer": format!("{}:{}", text(n, "path"), text(n, "span")), "snippet": n["signature"], "score": score as f64 / 3.0});
            (score > 0).then_some((score, hit))
        })
        .collect();
    hits.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    if hits.is_empty() {
        return nothing;
    }
    let hits: Vec<Value> = hits.into_iter().map(|(_, hit)| hit).take(limit).collect();
    json!({"query": query, "mode": "lexical", "hits": hits, "coverage": 1, "coverageStrong": 0.5})
}

pub fn grep(dir: &Path, root: &Path, line: &Line, faults: &Faults) -> Value {
    let Some(graph) = graph(dir) else {
        fail("no graph — run graft build first")
    };
    let pattern = line.word(0);
    let Ok(regex) = regex::Regex::new(&from_javascript(pattern)) else {
        fail(&format!("invalid pattern {pattern:?}: SyntaxError"));
    };
    let scope = line.option("--in", "--in").unwrap_or("").trim_end_matches('/');
    let of_scope = |path: &str| scope.is_empty() || path.starts_with(&format!("{scope}/"));
    let files: Vec<&Value> = graph
        .nodes
        .iter()
        .filter(|n| n["kind"] == "file" && of_scope(text(n, "path")))
        .collect();
    if files.is_empty() && !scope.is_empty() {
        fail(&format!("nothing indexed under {scope:?}"));
    }
    let (mut groups, mut total, mut cut, mut unread): (Vec<(usize, Value)>, usize, usize, usize) = Default::default();
    for file in &files {
        let path = text(file, "path");
        let read = fs::read_to_string(root.join(path)).ok();
        let Some(content) = read.filter(|_| !faults.has("@stale")) else {
            unread += 1;
            continue;
        };
        for (at, content) in content.split('\n').enumerate() {
            if !regex.is_match(content) {
                continue;
            }
            if total == MOST {
                cut += 1;
                continue;
            }
            total += 1;
            let number = at + 1;
            let within = graph.nodes.iter().filter(|n| {
                let (start, end) = lines(n);
                n["kind"] != "file" && n["path"] == path && (start..=end).contains(&number)
            });
            let symbol = within.max_by_key(|n| lines(n).0);
            let id = symbol.map_or(Value::Null, |n| n["id"].clone());
            let hit = json!({"line": number, "text": content.trim().chars().take(160).collect::<String>()});
            let known = groups
                .iter_mut()
                .find(|(_, g)| g["path"] == path && g["symbol"]["id"] == id);
            match known {
                Some((_, group)) => group["hits"]
                    .as_array_mut()
                    .into_iter()
                    .for_each(|hits| hits.push(hit.clone())),
                None => {
                    let degree = symbol.map_or(0, |n| graph.in_degree(text(n, "id")));
                    let named = symbol.map_or(Value::Null, brief);
                    groups.push((
                        degree,
                        json!({"symbol": named, "path": path, "inDegree": degree, "hits": [hit]}),
                    ));
                }
            }
        }
    }
    groups.sort_by_key(|(degree, _)| std::cmp::Reverse(*degree));
    let groups: Vec<Value> = groups.into_iter().map(|(_, group)| group).collect();
    json!({"pattern": pattern, "filesSearched": files.len(), "totalHits": total, "groups": groups,
        "truncated": {"files": unread, "hits": cut}})
}

/// As much of JavaScript's dialect as the backend writes, for an engine without it.
fn from_javascript(pattern: &str) -> String {
    let pattern = pattern
        .replace(r"(?<=^\uFEFF?|\r)", "^")
        .replace(r"(?=\r|$)", "(?:\r?$)");
    let pattern = pattern.replace(r"|[\ud800-\udbff][\udc00-\udfff]", "");
    let pattern = match regex::Regex::new(r"\[(\\ud[89ab]..)\]\[(\\ud[c-f]..)\]") {
        Ok(halves) => halves.replace_all(&pattern, "$1$2").into_owned(),
        Err(_) => pattern,
    };
    let mut out = String::new();
    let mut rest = pattern.as_str();
    let mut units: Vec<u16> = Vec::new();
    while !rest.is_empty() {
        let unit = rest
            .strip_prefix("\\u")
            .and_then(|r| u16::from_str_radix(r.get(..4)?, 16).ok());
        if let Some(unit) = unit {
            units.push(unit);
            rest = &rest[6..];
            continue;
        }
        flush(&mut units, &mut out);
        let mut chars = rest.chars();
        out.extend(chars.next());
        if rest.starts_with('\\') {
            out.extend(chars.next());
        }
        rest = chars.as_str();
    }
    flush(&mut units, &mut out);
    out
}

fn flush(units: &mut Vec<u16>, out: &mut String) {
    for c in char::decode_utf16(units.drain(..)).map(|c| c.unwrap_or('\u{fffd}')) {
        out.push_str(&format!("\\u{{{:x}}}", c as u32));
    }
}

pub fn callers(dir: &Path, line: &Line) -> Value {
    let Some(graph) = graph(dir) else {
        fail(&format!("no graph at {}", dir.display()))
    };
    let query = line.word(0);
    let wanted = query.to_lowercase();
    let matching = |wanted: &str| -> Vec<&Value> {
        let is = |n: &&Value| {
            let (id, name) = (text(n, "id").to_lowercase(), text(n, "name").to_lowercase());
            n["kind"] != "file"
                && (name == wanted || id.ends_with(&format!("#{wanted}")) || id.ends_with(&format!(".{wanted}")))
        };
        graph.nodes.iter().filter(is).collect()
    };
    let mut found = matching(&wanted);
    if found.is_empty() && wanted.contains('.') {
        // A name that is not there becomes its last part.
        found = matching(wanted.rsplit('.').next().unwrap_or(""));
        if found.is_empty() {
            found = graph
                .nodes
                .iter()
                .filter(|n| n["kind"] == "file" && text(n, "path").ends_with(query))
                .collect();
        }
    }
    if found.is_empty() {
        fail(&format!("no symbol {query:?} in the graph"));
    }
    let depth: usize = line.option("--depth", "-d").and_then(|d| d.parse().ok()).unwrap_or(1);
    let inwards = line.option("--direction", "--direction") != Some("out");
    let (near, far) = if inwards {
        ("target", "source")
    } else {
        ("source", "target")
    };
    let matches: Vec<Value> = found
        .iter()
        .map(|subject| {
            let mut hits = Vec::new();
            let mut seen: BTreeSet<String> = [text(subject, "id").to_owned()].into();
            let mut edge: Vec<String> = seen.iter().cloned().collect();
            for depth in 1..=depth {
                let mut next = Vec::new();
                for step in graph.edges.iter().filter(|e| e["relation"] != "contains") {
                    if !edge.contains(&text(step, near).to_owned()) || !seen.insert(text(step, far).to_owned()) {
                        continue;
                    }
                    next.push(text(step, far).to_owned());
                    let mut hit = json!({"id": step[far], "relation": step["relation"], "depth": depth});
                    if let Some(node) = graph.node(text(step, far)) {
                        for key in ["name", "kind", "path", "span"] {
                            hit[key] = node[key].clone();
                        }
                    }
                    hits.push(hit);
                }
                edge = next;
            }
            json!({"symbol": brief(subject), "hits": hits})
        })
        .collect();
    json!({"query": query, "matches": matches})
}

pub fn skeleton(dir: &Path, line: &Line) -> Value {
    let file = line.word(0);
    let Some(graph) = graph(dir) else {
        return json!({"file": file, "entries": [], "note": "no wiring graph"});
    };
    let mut entries: Vec<&Value> = graph
        .nodes
        .iter()
        .filter(|n| n["kind"] != "file" && n["path"] == file)
        .collect();
    entries.sort_by_key(|n| lines(n));
    let entries: Vec<Value> = entries
        .iter()
        .map(|n| json!({"name": n["name"], "kind": n["kind"], "span": n["span"], "signature": n["signature"]}))
        .collect();
    match entries.is_empty() {
        true => json!({"file": file, "entries": [], "note": "no definitions indexed for this file"}),
        false => json!({"file": file, "entries": entries}),
    }
}

pub fn map(dir: &Path) -> Value {
    let Some(graph) = graph(dir) else {
        fail("no graph — run graft build first")
    };
    let first = |n: &Value| text(n, "path").split_once('/').map_or(".", |(dir, _)| dir).to_owned();
    let definitions = || graph.nodes.iter().filter(|n| n["kind"] != "file");
    let hub = |n: &Value| json!({"name": n["name"], "kind": n["kind"], "path": n["path"], "span": n["span"], "inDegree": graph.in_degree(text(n, "id"))});
    let dirs: BTreeSet<String> = graph.nodes.iter().map(first).collect();
    let dirs: Vec<Value> = dirs
        .iter()
        .map(|dir| {
            let below = |n: &&Value| first(n) == *dir;
            let hubs: Vec<Value> = definitions()
                .filter(below)
                .filter(|n| graph.in_degree(text(n, "id")) > 0)
                .map(hub)
                .take(3)
                .collect();
            json!({"path": dir, "files": graph.nodes.iter().filter(|n| n["kind"] == "file" && first(n) == *dir).count(),
                "symbols": definitions().filter(below).count(), "languages": ["python"], "hubs": hubs, "isFile": false})
        })
        .collect();
    let hotspots: Vec<Value> = definitions()
        .filter(|n| graph.in_degree(text(n, "id")) > 0)
        .map(hub)
        .take(12)
        .collect();
    json!({"totals": {"files": dirs.len(), "symbols": definitions().count(), "edges": graph.edges.len(), "languages": ["python"]},
        "dirs": dirs, "hotspots": hotspots, "dropped": 0})
}
