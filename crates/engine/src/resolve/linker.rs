//! A [`Linker`] works for one file: it remembers what it worked out, so that a chain of uses costs each step once, and it
//! notes whose facts it looked at.
//!
//! Evaluation is bounded: by depth, by steps per use, and by a stack of open tasks that stops circles. A result that such a
//! bound cut short is used but never remembered, so that no other result depends on who asked first. Where depth cut it, what
//! lies deeper is worked out by itself, from the bottom of an empty stack, and remembered; then the use is tried again. So a
//! chain of aliases or re-exports may be longer than any stack. See `Linker::settle`.

use super::hash::{FastMap, FastSet};
use super::links::{FileId, Target};
use super::rules::{Place, Traits};
use super::types::Chain;
use super::value::{Task, Thing, Value};
use super::view::FileView;
use super::world::World;
use crate::facts::{ExprId, ImportIx, SymbolFact};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Deepest stack of open tasks.
const DEPTH: usize = 72;
/// Most steps for one use.
const STEPS: u32 = 4000;
/// Most times that the uses of one file are begun again from a deeper place.
const RESTARTS: u32 = 4096;
/// Steps of uses that a bound cut short, all uses of a file together, after which such a use gets [`FEW`] steps.
const WASTE: u32 = 1 << 20;
/// Most steps for one use where very many were in vain.
const FEW: u32 = 200;

/// Where evaluation goes on when the stack of open tasks was full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Resume {
    /// An expression.
    Expr(FileId, ExprId),
    /// An import.
    Import(FileId, ImportIx),
    /// A name that a place hands out, and its hash.
    Handed(Place, Box<str>, u64),
    /// What a variable, field or getter holds.
    Value(Target),
    /// What a local, or a member that is no symbol, holds.
    Held(Thing),
    /// What calling a function gives.
    Returned(Target),
}

/// Resolves the uses of one file.
pub struct Linker<'w> {
    /// All files.
    pub world: &'w World,
    /// The file whose uses are resolved.
    pub file: FileId,
    consulted: RefCell<FastSet<FileId>>,
    last_consulted: Cell<FileId>,
    known: RefCell<FastMap<Task, Value>>,
    pub(super) own: RefCell<Vec<Option<Value>>>,
    pub(super) chains: RefCell<FastMap<Target, Rc<Chain>>>,
    pub(super) includes: RefCell<FastMap<FileId, Rc<FastSet<FileId>>>>,
    open: RefCell<Vec<Task>>,
    steps: Cell<u32>,
    cut: Cell<bool>,
    /// A bound other than a circle cut the use at hand short.
    short: Cell<bool>,
    /// The stack was full and nobody has said yet where to go on.
    full: Cell<bool>,
    resume: RefCell<Option<Resume>>,
    restarts: Cell<u32>,
    wasted: Cell<u32>,
}

impl<'w> Linker<'w> {
    /// A linker for `file`, which must have a language.
    pub fn new(world: &'w World, file: FileId) -> Self {
        let exprs = world.view(file).facts.exprs.len();
        Linker {
            world,
            file,
            consulted: RefCell::default(),
            last_consulted: Cell::new(file),
            known: RefCell::default(),
            own: RefCell::new(vec![None; exprs]),
            chains: RefCell::default(),
            includes: RefCell::default(),
            open: RefCell::default(),
            steps: Cell::new(0),
            cut: Cell::new(false),
            short: Cell::new(false),
            full: Cell::new(false),
            resume: RefCell::default(),
            restarts: Cell::new(0),
            wasted: Cell::new(0),
        }
    }

    /// The facts of a file, noted as consulted.
    pub fn view(&self, file: FileId) -> &'w FileView {
        if file != self.last_consulted.get() {
            self.last_consulted.set(file);
            self.consulted.borrow_mut().insert(file);
        }
        self.world.view(file)
    }

    /// Whether a file has facts.
    pub fn has_facts(&self, file: FileId) -> bool {
        self.world.files[file as usize].language.is_some()
    }

    /// The files whose facts were looked at, this one left out.
    pub fn consulted(&self) -> Vec<FileId> {
        let mut out: Vec<FileId> = self
            .consulted
            .borrow()
            .iter()
            .copied()
            .filter(|&f| f != self.file)
            .collect();
        out.sort_unstable();
        out
    }

    /// The traits of a file's language.
    pub fn traits(&self, file: FileId) -> &'static Traits {
        self.world.rules(file).traits()
    }

    /// A definition's facts.
    pub fn symbol(&self, target: Target) -> &'w SymbolFact {
        &self.view(target.file).facts.symbols[target.symbol as usize]
    }

    /// Begins a new use: the bounds start again.
    pub fn begin(&self) {
        self.steps.set(0);
        self.cut.set(false);
        self.short.set(false);
        self.full.set(false);
        self.resume.borrow_mut().take();
        debug_assert!(self.open.borrow().is_empty());
    }

    /// Works out a new use. When the stack was full on the way, the tasks that it had no room for are done first, each from an
    /// empty stack, and the use is begun again: it then finds them done.
    pub(super) fn settle(&self, work: impl Fn() -> Value) -> Value {
        let mut waiting: Vec<Resume> = Vec::new();
        loop {
            self.begin();
            let value = match waiting.last() {
                None => Some(work()),
                Some(deeper) => {
                    self.take_up(deeper);
                    None
                }
            };
            let next = self.resume.borrow_mut().take();
            let again = next.filter(|next| self.restarts.get() < RESTARTS && !waiting.contains(next));
            match (again, value) {
                (Some(next), _) => {
                    self.restarts.set(self.restarts.get() + 1);
                    waiting.push(next);
                }
                (None, Some(value)) => {
                    if self.short.get() {
                        self.wasted.set(self.wasted.get().saturating_add(self.steps.get()));
                    }
                    return value;
                }
                (None, None) => {
                    waiting.pop();
                }
            }
        }
    }

    fn take_up(&self, deeper: &Resume) {
        match deeper {
            Resume::Expr(file, expr) => drop(self.eval(*file, *expr)),
            Resume::Import(file, import) => drop(self.import_target(*file, *import)),
            Resume::Handed(place, name, hash) => drop(self.exported(*place, name, *hash)),
            Resume::Value(target) => drop(self.value_of(*target)),
            Resume::Held(thing) => drop(self.force_thing(*thing)),
            Resume::Returned(target) => drop(self.returned(*target, &|| Value::Unknown)),
        }
    }

    /// Whether a bound, not a circle, cut the use at hand short: that nothing was found then proves nothing.
    pub(super) fn is_short(&self) -> bool {
        self.short.get()
    }

    /// Notes where to go on, if the stack was full below and nobody below could say.
    pub(super) fn resumes(&self, at: impl FnOnce() -> Resume) {
        if self.full.replace(false) {
            self.resume.borrow_mut().get_or_insert_with(at);
        }
    }

    /// Does a task unless it is open already or a bound is reached. The result is remembered if nothing cut it.
    pub(super) fn task(&self, task: Task, work: impl FnOnce() -> Value) -> Value {
        if let Some(known) = self.known.borrow().get(&task) {
            return known.clone();
        }
        self.bounded(task, work, |value| {
            self.known.borrow_mut().insert(task, value.clone());
        })
    }

    /// Does a task within the bounds and hands a result that nothing cut to `keep`.
    pub(super) fn bounded<T: Default>(&self, task: Task, work: impl FnOnce() -> T, keep: impl FnOnce(&T)) -> T {
        self.steps.set(self.steps.get() + 1);
        {
            let mut open = self.open.borrow_mut();
            let circle = open.contains(&task);
            let deep = open.len() >= DEPTH;
            let most = if self.wasted.get() > WASTE { FEW } else { STEPS };
            if circle || deep || self.steps.get() > most {
                self.cut.set(true);
                self.short.set(self.short.get() || !circle);
                self.full.set(deep && !circle);
                return T::default();
            }
            open.push(task);
        }
        let before = self.cut.replace(false);
        let value = work();
        self.open.borrow_mut().pop();
        if self.cut.get() {
            return value;
        }
        self.cut.set(before);
        keep(&value);
        value
    }

    /// Whether the supertypes of a type are being worked out: whoever asks for them now goes round in a circle.
    pub fn seeks_bases(&self, of: Target) -> bool {
        self.open.borrow().contains(&Task::Bases(of))
    }
}
