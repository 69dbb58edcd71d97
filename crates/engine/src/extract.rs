//! The walk over a syntax tree that turns a file into [`FileFacts`].
//!
//! One loop drives a tree cursor over the whole tree; a language says, by a table, which node kinds it cares about
//! and what each one means. Nothing here recurses over the tree, so depth of nesting is bounded by memory only.

use crate::facts::*;
use crate::languages::Language;
use crate::lexical::{Lexical, ScopeRules};
use crate::resolve::hash::{FastMap, TextMap};
use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tree_sitter::{Node, ParseOptions, Parser};

/// Whether the walk goes into a node's children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// Visit the children; what was opened for the node is closed behind them.
    Into,
    /// Leave the children out: the language dealt with them.
    Over,
}

/// What a language does with the nodes that its table names.
pub trait Extract: Sync {
    /// Node kind → a number of the language's own, handed back to [`Extract::enter`]. Kinds that are not listed are walked
    /// through. Anonymous nodes are never handed over.
    fn table(&self) -> &'static [(&'static str, u16)];

    /// Called before a node's children are visited. Scopes and definitions that it opens are closed when the node is left.
    fn enter<'t>(&self, role: u16, node: Node<'t>, cx: &mut Cx<'t>) -> Walk;

    /// Whether a file with one of the language's extensions is in the language: several share `inc`.
    fn claims(&self, _extension: &str, _text: &str) -> bool {
        true
    }

    /// What to parse in place of the text, where the grammar cannot read it as it stands.
    fn readable(&self, _text: &str) -> Option<Readable> {
        None
    }

    /// Called when the walk of a file is over, before the facts are closed.
    fn finish(&self, _cx: &mut Cx<'_>) {}

    /// How names are seen through scopes; used to leave out uses of mere locals.
    fn scope_rules(&self) -> ScopeRules;
}

/// A text with pieces blanked out, so that a grammar can read the rest.
#[derive(Debug)]
pub struct Readable {
    /// The text; what is left of it stands where it stood, since nodes are cut out of the whole text.
    pub text: String,
    /// The bytes that were blanked out, in order.
    pub blanks: Vec<(usize, usize)>,
}

/// Longest time that one file may take to parse. A file that needs more has no symbols and says so in its health.
pub const PARSE_LIMIT: Duration = Duration::from_secs(10);
/// Deepest expression that is described; what is nested deeper is [`Expr::Unknown`].
pub const EXPR_DEPTH: u32 = 48;
/// Most scopes inside each other. What is nested deeper shares the innermost of them, and its names are not looked up: uses there
/// are found by name only. Every look-up outwards ends within so many steps.
pub const SCOPE_DEPTH: usize = 1000;
/// Most bytes of the text of a container; of a longer one the end stays, behind a mark.
pub const CONTAINER: usize = 400;
/// Stands for the part of a container that is left out.
pub const SHORTENED: &str = "…";
/// Most bytes of source that a signature is made from.
const HEADER: usize = 2400;
/// Most bytes of source that a doc comment is made from.
const COMMENT: usize = 8000;

/// How many levels up, and how many siblings of one place, are searched for a node.
const NEAR: usize = 8;

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Parses `text` and extracts its facts. Never fails: what cannot be read is said in [`FileFacts::health`].
pub fn extract(language: &'static Language, text: &str) -> FileFacts {
    PARSER.with_borrow_mut(|parser| {
        let grammar = (language.grammar)();
        if parser.set_language(&grammar).is_err() {
            return empty(
                text,
                Health {
                    syntax_errors: false,
                    truncated: true,
                },
            );
        }
        let started = Instant::now();
        let mut late = |_: &tree_sitter::ParseState| {
            if started.elapsed() > PARSE_LIMIT {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let readable = language.extract.readable(text);
        let bytes = readable.as_ref().map_or(text, |r| r.text.as_str()).as_bytes();
        let tree = parser.parse_with_options(
            &mut |at, _| &bytes[at.min(bytes.len())..],
            None,
            Some(ParseOptions::new().progress_callback(&mut late)),
        );
        let Some(tree) = tree else {
            parser.reset();
            return empty(
                text,
                Health {
                    syntax_errors: false,
                    truncated: true,
                },
            );
        };
        let mut cx = Cx::new(text, language);
        cx.blanks = readable.as_ref().map(|r| r.blanks.clone()).unwrap_or_default();
        cx.facts.health.syntax_errors = tree.root_node().has_error();
        walk(language.extract, tree.root_node(), &mut cx);
        language.extract.finish(&mut cx);
        cx.close(language.extract.scope_rules())
    })
}

fn empty(text: &str, health: Health) -> FileFacts {
    FileFacts {
        names: vec!["".into()],
        scopes: vec![ScopeFact {
            parent: None,
            kind: ScopeKind::File,
            symbol: None,
        }],
        lines: count_lines(text),
        health,
        ..FileFacts::default()
    }
}

/// Lines of a text; a last line without line end counts, an empty text has none.
pub fn count_lines(text: &str) -> u32 {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).count() as u32;
    ends + u32::from(!text.is_empty() && !text.ends_with('\n'))
}

fn walk<'t>(extract: &dyn Extract, root: Node<'t>, cx: &mut Cx<'t>) {
    let roles = cx.language.roles();
    let mut cursor = root.walk();
    // Of each node that we are inside: the depth of the open stacks before it was entered.
    let mut marks: Vec<(usize, usize)> = Vec::new();
    loop {
        let mut node = cursor.node();
        let mark = (cx.scopes.len(), cx.symbols.len());
        let role = if node.is_named() {
            roles.get(node.kind_id() as usize).copied().unwrap_or(0)
        } else {
            0
        };
        let into = role == 0 || {
            cx.field = cursor.field_name();
            cx.current = Some(node);
            extract.enter(role, node, cx) == Walk::Into
        };
        if into && cursor.goto_first_child() {
            marks.push(mark);
            cx.path.push(node);
            cx.levels.push(cx.siblings.len());
            continue;
        }
        cx.restore(mark);
        loop {
            if cursor.goto_next_sibling() {
                cx.siblings.push(node);
                break;
            }
            if !cursor.goto_parent() {
                return;
            }
            if let (Some(parent), Some(level)) = (cx.path.pop(), cx.levels.pop()) {
                cx.siblings.truncate(level);
                node = parent;
            }
            if let Some(mark) = marks.pop() {
                cx.restore(mark);
            }
        }
    }
}

/// What a language writes into while its file is walked.
pub struct Cx<'t> {
    /// The file's text.
    pub text: &'t str,
    /// The file's language.
    pub language: &'static Language,
    /// The facts so far.
    pub facts: FileFacts,
    /// Free for the language: small pieces of state between nodes, by name.
    pub notes: FastMap<&'static str, u32>,
    /// Free for the language: what a node's parent decided about it, by [`Node::id`]. See [`Cx::mark`].
    marks: FastMap<usize, u32>,
    /// Expressions already described, by [`Node::id`], so that one node is described once.
    pub described: FastMap<usize, ExprId>,
    /// Names that a scope hands to another one (Python `global` and `nonlocal`).
    pub redirected: FastMap<(ScopeId, NameId), ScopeId>,
    /// What [`Extract::readable`] blanked out.
    pub blanks: Vec<(usize, usize)>,
    /// The last binding of a name in a scope: index into the bindings.
    latest: FastMap<(ScopeId, NameId), u32>,
    /// The field of its parent under which the node being entered stands.
    pub field: Option<&'t str>,
    path: Vec<Node<'t>>,
    /// The node being entered.
    current: Option<Node<'t>>,
    /// Of the node being entered and of each node on the path to it: the siblings before it.
    siblings: Vec<Node<'t>>,
    /// Where in `siblings` those of each node on the path end and those of its child begin.
    levels: Vec<usize>,
    /// The container of what stands in a definition, by that definition's own container and name.
    containers: FastMap<(NameId, NameId), NameId>,
    interned: TextMap<&'t str, NameId>,
    interned_owned: TextMap<Box<str>, NameId>,
    scopes: Vec<ScopeId>,
    symbols: Vec<SymbolIx>,
}

impl<'t> Cx<'t> {
    fn new(text: &'t str, language: &'static Language) -> Self {
        let facts = FileFacts {
            names: vec!["".into()],
            scopes: vec![ScopeFact {
                parent: None,
                kind: ScopeKind::File,
                symbol: None,
            }],
            lines: count_lines(text),
            ..FileFacts::default()
        };
        let mut interned = TextMap::default();
        interned.insert("", 0);
        Cx {
            text,
            language,
            facts,
            notes: FastMap::default(),
            marks: FastMap::default(),
            described: FastMap::default(),
            redirected: FastMap::default(),
            blanks: Vec::new(),
            latest: FastMap::default(),
            field: None,
            path: Vec::new(),
            current: None,
            siblings: Vec::new(),
            levels: Vec::new(),
            containers: FastMap::default(),
            interned,
            interned_owned: TextMap::default(),
            scopes: vec![0],
            symbols: Vec::new(),
        }
    }

    fn restore(&mut self, (scopes, symbols): (usize, usize)) {
        self.scopes.truncate(scopes);
        self.symbols.truncate(symbols);
    }

    // ---- text

    /// The source of a node.
    pub fn src(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// The 1-based line on which a node starts.
    pub fn line(&self, node: Node<'_>) -> u32 {
        node.start_position().row as u32 + 1
    }

    /// The 1-based line on which a node ends. A node that ends just behind a line end ends on the line before.
    pub fn end_line(&self, node: Node<'_>) -> u32 {
        let end = node.end_position();
        let row = end.row as u32 + 1;
        if end.column == 0 && end.row > node.start_position().row {
            row - 1
        } else {
            row
        }
    }

    /// Interns a name that is a piece of the source.
    pub fn name(&mut self, name: &'t str) -> NameId {
        if let Some(&id) = self.interned.get(name) {
            return id;
        }
        if let Some(&id) = self.interned_owned.get(name) {
            return id;
        }
        let id = self.facts.names.len() as NameId;
        self.facts.names.push(name.into());
        self.interned.insert(name, id);
        id
    }

    /// Interns a name that was put together.
    pub fn name_owned(&mut self, name: &str) -> NameId {
        if let Some(&id) = self.interned.get(name) {
            return id;
        }
        if let Some(&id) = self.interned_owned.get(name) {
            return id;
        }
        let id = self.facts.names.len() as NameId;
        self.facts.names.push(name.into());
        self.interned_owned.insert(name.into(), id);
        id
    }

    // ---- where we are

    /// The parent of the node being entered. [`Node::parent`] searches from the root, which is quadratic in deep trees.
    pub fn parent(&self) -> Option<Node<'t>> {
        self.path.last().copied()
    }

    /// The ancestors of the node being entered, nearest first; at most [`SCOPE_DEPTH`].
    pub fn ancestors(&self) -> impl Iterator<Item = Node<'t>> + '_ {
        self.path.iter().rev().copied().take(SCOPE_DEPTH)
    }

    /// The parent of the node being entered, or of one around it; see [`Cx::parent`].
    pub fn parent_of(&self, node: Node<'t>) -> Option<Node<'t>> {
        if self.current == Some(node) {
            return self.parent();
        }
        let near = self.path.iter().rev().take(NEAR);
        match near.enumerate().find(|(_, n)| **n == node) {
            Some((up, _)) => self.path.len().checked_sub(up + 2).map(|at| self.path[at]),
            None => node.parent(),
        }
    }

    /// The siblings before a node, nearest first: of the node being entered, one around it, or a sibling before these.
    /// [`Node::prev_sibling`] searches from the root and through all siblings.
    pub fn before(&self, node: Node<'t>) -> impl Iterator<Item = Node<'t>> + '_ {
        let known = self.known_before(node);
        let searched = if known.is_none() { node.prev_sibling() } else { None };
        let known = known.unwrap_or(&[]).iter().rev().copied();
        known.chain(std::iter::successors(searched, Node::prev_sibling))
    }

    fn known_before(&self, node: Node<'t>) -> Option<&[Node<'t>]> {
        let mut end = self.siblings.len();
        let mut here = self.current;
        for up in 0..NEAR.min(self.levels.len() + 1) {
            let start = match self.levels.len().checked_sub(up + 1) {
                Some(level) => self.levels[level],
                None => 0,
            };
            let level = &self.siblings[start..end];
            if here == Some(node) {
                return Some(level);
            }
            let from = level.partition_point(|s| s.start_byte() < node.start_byte());
            if let Some(at) = level[from..].iter().take(NEAR).position(|s| *s == node) {
                return Some(&level[..from + at]);
            }
            end = start;
            here = self.path.len().checked_sub(up + 1).map(|at| self.path[at]);
        }
        None
    }

    /// The innermost open scope.
    pub fn scope(&self) -> ScopeId {
        self.scopes.last().copied().unwrap_or(0)
    }

    /// The innermost open definition, [`FILE_SYMBOL`] outside any.
    pub fn within(&self) -> SymbolIx {
        self.symbols.last().copied().unwrap_or(FILE_SYMBOL)
    }

    /// The innermost open definition, if any.
    pub fn innermost(&self) -> Option<SymbolIx> {
        self.symbols.last().copied()
    }

    /// The innermost open definition of a type (class, trait, …), if any.
    pub fn enclosing_type(&self) -> Option<SymbolIx> {
        self.symbols
            .iter()
            .rev()
            .take(SCOPE_DEPTH)
            .copied()
            .find(|&s| self.facts.symbols[s as usize].kind.is_type())
    }

    /// Whether the innermost open definition is a callable, so that a definition here is nested in code.
    pub fn in_callable(&self) -> bool {
        self.symbols
            .last()
            .is_some_and(|&s| self.facts.symbols[s as usize].kind.is_callable())
    }

    /// Innermost open scope that is a function or the file: where `var`-like declarations live.
    pub fn function_scope(&self) -> ScopeId {
        let found = self.scopes.iter().rev().copied().find(|&s| {
            matches!(
                self.facts.scopes[s as usize].kind,
                ScopeKind::Function | ScopeKind::File | ScopeKind::Type | ScopeKind::Module
            )
        });
        found.unwrap_or(0)
    }

    // ---- opening

    /// Whether no more scopes are made here; see [`SCOPE_DEPTH`].
    fn is_deep(&self) -> bool {
        self.scopes.len() >= SCOPE_DEPTH
    }

    /// Opens a scope for the node being entered.
    pub fn open_scope(&mut self, kind: ScopeKind) -> ScopeId {
        if self.is_deep() {
            return self.scope();
        }
        let id = self.facts.scopes.len() as ScopeId;
        self.facts.scopes.push(ScopeFact {
            parent: Some(self.scope()),
            kind,
            symbol: None,
        });
        self.scopes.push(id);
        id
    }

    /// Makes a scope inside the current one without opening it: what stands in a header is seen from outside, while
    /// parameters are bound inside. The body opens it with [`Cx::reopen`].
    pub fn make_scope(&mut self, kind: ScopeKind, symbol: Option<SymbolIx>) -> ScopeId {
        if self.is_deep() {
            return self.scope();
        }
        let id = self.facts.scopes.len() as ScopeId;
        self.facts.scopes.push(ScopeFact {
            parent: Some(self.scope()),
            kind,
            symbol,
        });
        if let Some(symbol) = symbol {
            self.facts.symbols[symbol as usize].body = Some(id);
        }
        id
    }

    /// Opens a scope that was made before, for the node being entered.
    pub fn reopen(&mut self, scope: ScopeId) {
        if !self.is_deep() {
            self.scopes.push(scope);
        }
    }

    /// Does something inside a scope that was made before.
    pub fn inside<T>(&mut self, scope: ScopeId, work: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(scope);
        let done = work(self);
        self.scopes.pop();
        done
    }

    // ---- what a parent says about a node

    /// Leaves word for a node that the walk has yet to come to.
    pub fn mark(&mut self, node: Node<'_>, word: u32) {
        self.marks.insert(node.id(), word);
    }

    /// The word left for a node.
    pub fn marked(&self, node: Node<'_>) -> Option<u32> {
        self.marks.get(&node.id()).copied()
    }

    /// Opens a definition and its scope for the node being entered: what follows lies within it.
    pub fn open_symbol(&mut self, symbol: SymbolIx, kind: ScopeKind) -> ScopeId {
        let deep = self.is_deep();
        let id = self.open_scope(kind);
        if !deep {
            self.facts.scopes[id as usize].symbol = Some(symbol);
            self.facts.symbols[symbol as usize].body = Some(id);
        }
        self.symbols.push(symbol);
        id
    }

    /// Opens a definition that has no scope of its own (a field with an initial value): uses inside belong to it.
    pub fn open_plain(&mut self, symbol: SymbolIx) {
        self.symbols.push(symbol);
    }

    // ---- definitions

    /// Adds a definition that spans `node`, named by `name`, and binds its name in the current scope. `node` should take in
    /// decorators and attributes. Container, parent and lines are filled in; the signature is the source from `node`
    /// to `body` (or its first line), without decorators if `head` starts behind them.
    pub fn define(&mut self, kind: Kind, node: Node<'t>, name: Node<'t>) -> SymbolIx {
        let text = self.src(name);
        let id = self.name(text);
        let line = self.line(name);
        self.define_named(kind, node, id, line)
    }

    /// As [`Cx::define`], for a name that is not a node of its own.
    pub fn define_named(&mut self, kind: Kind, node: Node<'t>, name: NameId, name_line: u32) -> SymbolIx {
        let ix = self.define_unbound(kind, node, name, name_line);
        let scope = self.scope();
        self.add_binding(scope, name, 0, Bound::Symbol(ix));
        ix
    }

    /// As [`Cx::define_named`], without a binding: for members that are reached through their owner only.
    pub fn define_unbound(&mut self, kind: Kind, node: Node<'t>, name: NameId, name_line: u32) -> SymbolIx {
        let ix = self.facts.symbols.len() as SymbolIx;
        let parent = self.symbols.last().copied();
        let container = parent.map_or(0, |p| self.container_in(p));
        let scope = self.scope();
        let (start, end) = (self.line(node), self.end_line(node));
        self.facts.symbols.push(SymbolFact {
            name,
            kind,
            parent,
            container,
            owner: None,
            scope,
            body: None,
            start,
            end,
            name_line,
            bytes: (node.start_byte() as u32, node.end_byte() as u32),
            signature: "".into(),
            doc: "".into(),
            ty: None,
            value: None,
            supers: Vec::new(),
            params: Params { min: 0, max: 255 },
            flags: SymbolFlags::default(),
        });
        ix
    }

    /// The container of what stands in a definition.
    fn container_in(&mut self, parent: SymbolIx) -> NameId {
        let p = &self.facts.symbols[parent as usize];
        let key = (p.container, p.name);
        if let Some(&known) = self.containers.get(&key) {
            return known;
        }
        let qualified = self.facts.qualified(parent);
        let id = self.name_owned(&shortened(&qualified));
        self.containers.insert(key, id);
        id
    }

    /// The definition behind an index, to fill in more.
    pub fn symbol(&mut self, ix: SymbolIx) -> &mut SymbolFact {
        &mut self.facts.symbols[ix as usize]
    }

    /// States that the definition belongs to a type that stands elsewhere: `owner` names it, `container` is its dotted text.
    pub fn set_owner(&mut self, ix: SymbolIx, owner: ExprId, container: &str) {
        let container = self.name_owned(&shortened(container));
        let s = self.symbol(ix);
        s.owner = Some(owner);
        s.container = container;
    }

    /// Sets the signature: the source from `from` up to `to`, white space folded, trailing `{`, `:` and `=` removed.
    pub fn sign(&mut self, ix: SymbolIx, from: usize, to: usize) {
        let raw = self.text.get(from..to.max(from)).unwrap_or("");
        let folded = fold(head(raw, HEADER), 300);
        let trimmed = folded.trim_end_matches([' ', '{', '=', ':']).to_owned();
        self.symbol(ix).signature = trimmed.into();
    }

    /// Sets the signature from the start of `node` to the start of its field `body`, or to the end of its first line.
    pub fn sign_to_body(&mut self, ix: SymbolIx, node: Node<'t>, body: Option<Node<'t>>) {
        let end = match body {
            Some(b) => b.start_byte(),
            None => {
                let rest = self.text.get(node.start_byte()..node.end_byte()).unwrap_or("");
                node.start_byte() + rest.find('\n').unwrap_or(rest.len())
            }
        };
        self.sign(ix, node.start_byte(), end);
    }

    /// As [`Cx::sign`] for the source in `from..to` up to `body`, or else of its first line, and never more than a header
    /// can need: in minified code one line may be the whole file.
    pub fn sign_head(&mut self, ix: SymbolIx, from: usize, to: usize, body: Option<Node<'t>>) {
        let mut limit = to.min(from + 1200).min(self.text.len());
        while !self.text.is_char_boundary(limit) {
            limit -= 1;
        }
        let end = match body {
            Some(b) => b.start_byte().min(limit),
            None => {
                let rest = self.text.get(from..limit).unwrap_or("");
                let lead = rest.len() - rest.trim_start().len();
                from + lead + rest[lead..].find('\n').unwrap_or(rest.len() - lead)
            }
        };
        self.sign(ix, from, end);
    }

    /// Sets the doc comment from its raw source: comment markers and common indentation go, 2,000 characters stay.
    pub fn document(&mut self, ix: SymbolIx, raw: &str) {
        let doc = clean_doc(head(raw, COMMENT));
        if !doc.is_empty() {
            self.symbol(ix).doc = doc.into();
        }
    }

    /// Sets the doc comment from the run of comments right above `node` (no blank line between), whose kinds the
    /// language names. Returns whether there was one.
    pub fn document_above(&mut self, ix: SymbolIx, node: Node<'t>, comments: &[&str]) -> bool {
        let mut first: Option<Node<'t>> = None;
        let mut below = node;
        let mut before = self.before(node).peekable();
        while let Some(previous) = before.next() {
            let touches = previous.end_position().row + 1 >= below.start_position().row
                || (previous.end_position().column == 0 && previous.end_position().row >= below.start_position().row);
            if !comments.contains(&previous.kind()) || !touches {
                break;
            }
            // A comment behind code on its own line belongs to that code.
            if before.peek().is_some_and(|p| {
                p.end_position().row == previous.start_position().row
                    && !comments.contains(&p.kind())
                    && p.end_position().column > 0
            }) {
                break;
            }
            first = Some(previous);
            below = previous;
        }
        drop(before);
        let Some(first) = first else { return false };
        let raw = self
            .text
            .get(first.start_byte()..node.start_byte())
            .unwrap_or("")
            .trim();
        self.document(ix, raw);
        true
    }

    // ---- bindings

    /// Binds a name in a scope.
    pub fn add_binding(&mut self, scope: ScopeId, name: NameId, from: u32, to: Bound) {
        self.latest.insert((scope, name), self.facts.bindings.len() as u32);
        self.facts.bindings.push(Binding { scope, name, from, to });
    }

    /// What a name was last bound to in a scope (not in the scopes around it), as far as the walk has come.
    pub fn bound(&self, scope: ScopeId, name: NameId) -> Option<Bound> {
        let &ix = self.latest.get(&(scope, name))?;
        Some(self.facts.bindings[ix as usize].to)
    }

    /// Binds a local (variable, parameter, pattern, type parameter) in the current scope, visible from byte `from`.
    pub fn bind(&mut self, name: &'t str, from: usize, ty: Option<ExprId>, value: Option<ExprId>) {
        let scope = self.scope();
        self.bind_in(scope, name, from, ty, value);
    }

    /// As [`Cx::bind`], in a named scope.
    pub fn bind_in(&mut self, scope: ScopeId, name: &'t str, from: usize, ty: Option<ExprId>, value: Option<ExprId>) {
        let name = self.name(name);
        self.add_binding(scope, name, from as u32, Bound::Local { ty, value });
    }

    // ---- expressions

    /// Adds an expression.
    pub fn expr(&mut self, expr: Expr) -> ExprId {
        let expr = match expr {
            Expr::Name { .. } | Expr::This { .. } | Expr::Super { .. } | Expr::SelfType { .. } if self.is_deep() => {
                Expr::Unknown
            }
            expr => expr,
        };
        self.facts.exprs.push(expr);
        (self.facts.exprs.len() - 1) as ExprId
    }

    /// A plain name as seen from here.
    pub fn name_expr(&mut self, node: Node<'t>) -> ExprId {
        let text = self.src(node);
        self.name_expr_of(text, node.start_byte())
    }

    /// A plain name as seen from here, given as text.
    pub fn name_expr_of(&mut self, text: &'t str, at: usize) -> ExprId {
        let (name, scope) = (self.name(text), self.scope());
        self.expr(Expr::Name {
            name,
            scope,
            at: at as u32,
        })
    }

    /// `base.name`.
    pub fn member_expr(&mut self, base: ExprId, name: &'t str) -> ExprId {
        let name = self.name(name);
        self.expr(Expr::Member { base, name })
    }

    // ---- uses

    /// Adds a use of `expr` whose last name is `name`, at `node`'s line.
    pub fn refer(&mut self, role: Role, expr: ExprId, name: Node<'t>, args: u8) {
        let text = self.src(name);
        let id = self.name(text);
        let line = self.line(name);
        self.refer_named(role, expr, id, line, args);
    }

    /// As [`Cx::refer`], for a name that is not a node of its own.
    pub fn refer_named(&mut self, role: Role, expr: ExprId, name: NameId, line: u32, args: u8) {
        let within = self.within();
        self.facts.refs.push(Ref {
            expr,
            name,
            role,
            line,
            within,
            args,
        });
    }

    /// Adds an import, binds its alias (if it has one) in the current scope and adds its use of role
    /// [`Role::Import`] at `node`. Returns its index.
    pub fn import(&mut self, kind: ImportKind, module: &str, name: &str, alias: &str, node: Node<'t>) -> ImportIx {
        let scope = self.scope();
        let line = self.line(node);
        let ix = self.facts.imports.len() as ImportIx;
        self.facts.imports.push(Import {
            kind,
            module: module.into(),
            name: name.into(),
            alias: alias.into(),
            scope,
            line,
            type_only: false,
        });
        if !alias.is_empty() {
            let bound = self.name_owned(alias);
            self.add_binding(scope, bound, 0, Bound::Import(ix));
        }
        let shown = if !name.is_empty() { name } else { last_part(module) };
        let shown = self.name_owned(shown);
        // The use of an import evaluates the import itself, not a name: see `Expr::Name` at its own scope.
        let expr = if alias.is_empty() {
            self.expr(Expr::Unknown)
        } else {
            let bound = self.name_owned(alias);
            self.expr(Expr::Name {
                name: bound,
                scope,
                at: node.end_byte() as u32,
            })
        };
        self.refer_named(Role::Import, expr, shown, line, 255);
        ix
    }

    fn close(self, rules: ScopeRules) -> FileFacts {
        let mut facts = self.facts;
        let lexical = Lexical::new(&facts);
        let mut refs = std::mem::take(&mut facts.refs);
        refs.retain(|r| {
            let local_may_go = matches!(r.role, Role::Value | Role::Type | Role::Decorator);
            !(local_may_go && is_mere_local(&facts, &lexical, rules, r.expr))
        });
        refs.sort_by_key(|r| r.line);
        facts.refs = refs;
        facts
    }
}

/// A plain name that stands for a local only: nobody searches for its uses.
fn is_mere_local(facts: &FileFacts, lexical: &Lexical, rules: ScopeRules, expr: ExprId) -> bool {
    let Expr::Name { name, scope, at } = facts.exprs[expr as usize] else {
        return false;
    };
    lexical.is_local(facts, rules, scope, name, at)
}

/// The last part of a module as written: `a.b.c` → `c`, `./store/index.js` → `index.js`.
pub fn last_part(module: &str) -> &str {
    let cut = module
        .trim_matches(['"', '\'', '<', '>'])
        .trim_end_matches(['/', '.', ':', '\\']);
    cut.rsplit(['/', ':', '\\']).next().unwrap_or(cut)
}

/// A container short enough to be stored with each of many definitions.
fn shortened(container: &str) -> Cow<'_, str> {
    let Some(mut from) = container.len().checked_sub(CONTAINER).filter(|&n| n > 0) else {
        return Cow::Borrowed(container);
    };
    while !container.is_char_boundary(from) {
        from += 1;
    }
    let kept = container[from..].find('.').map_or("", |dot| &container[from + dot..]);
    Cow::Owned(format!("{SHORTENED}{kept}"))
}

/// The beginning of a source text.
fn head(raw: &str, most: usize) -> &str {
    let mut end = raw.len().min(most);
    while !raw.is_char_boundary(end) {
        end -= 1;
    }
    &raw[..end]
}

/// Folds runs of white space to single blanks and cuts at `most` characters.
pub fn fold(text: &str, most: usize) -> String {
    let mut out = String::new();
    for (n, word) in text.split_whitespace().enumerate() {
        if n > 0 {
            out.push(' ');
        }
        out.push_str(word);
        if out.len() >= most * 4 {
            break;
        }
    }
    if out.chars().count() > most {
        out.chars().take(most).collect()
    } else {
        out
    }
}

/// A comment or docstring without its markers.
pub fn clean_doc(raw: &str) -> String {
    let mut lines = Vec::new();
    for line in raw.lines() {
        let mut l = line.trim();
        for marker in ["/**", "/*!", "/*", "///", "//!", "//", "##", "#", "---", "--", "*/"] {
            if let Some(rest) = l.strip_prefix(marker) {
                l = rest;
                break;
            }
        }
        l = l.trim_end_matches("*/").trim();
        if let Some(rest) = l.strip_prefix("* ") {
            l = rest.trim_start();
        } else if l == "*" {
            l = "";
        }
        for quote in ["\"\"\"", "'''"] {
            l = l.trim_start_matches(quote).trim_end_matches(quote);
        }
        lines.push(l.trim());
    }
    let text = lines.join("\n");
    let text = text.trim();
    if text.chars().count() > 2000 {
        text.chars().take(2000).collect()
    } else {
        text.to_owned()
    }
}
