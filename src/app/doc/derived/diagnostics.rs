//! The diagnostics of the open document, by model and counted.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, LazyLock};

use crate::model::{BlockId, Diagnostic};

/// Diagnostics, errors first. Copies share the contents.
#[derive(Clone, Debug, Default)]
pub struct DiagnosticList {
    all: Arc<[Diagnostic]>,
    /// The indices in the list, by model.
    of_model: Arc<BTreeMap<Arc<str>, Vec<usize>>>,
    errors: usize,
}

impl DiagnosticList {
    /// `found` by the last check after those of loading, which the check may repeat.
    pub fn new(of_loading: &[Diagnostic], found: Vec<Diagnostic>) -> DiagnosticList {
        let key = |one: &Diagnostic| (one.code, one.location.model.clone(), one.location.block, one.message.clone());
        let known: HashSet<_> = of_loading.iter().map(key).collect();
        let further = found.into_iter().filter(|one| !known.contains(&key(one)));
        let mut all: Vec<Diagnostic> = of_loading.iter().cloned().chain(further).collect();
        all.sort_by_key(|one| std::cmp::Reverse(one.severity));
        let mut of_model: BTreeMap<Arc<str>, Vec<usize>> = BTreeMap::new();
        for (index, found) in all.iter().enumerate() {
            if let Some(model) = &found.location.model {
                of_model.entry(Arc::clone(model)).or_default().push(index);
            }
        }
        let errors = all.iter().filter(|found| found.is_error()).count();
        DiagnosticList { all: all.into(), of_model: Arc::new(of_model), errors }
    }

    /// Returns the list without diagnostics.
    pub fn none() -> &'static DiagnosticList {
        static NONE: LazyLock<DiagnosticList> = LazyLock::new(DiagnosticList::default);
        &NONE
    }

    /// Returns all, errors first.
    pub fn all(&self) -> &[Diagnostic] {
        &self.all
    }

    /// Whether this is a copy of the other list.
    pub fn is_same(&self, other: &DiagnosticList) -> bool {
        Arc::ptr_eq(&self.all, &other.all)
    }

    /// Returns the errors.
    pub fn errors(&self) -> &[Diagnostic] {
        self.all.get(..self.errors).unwrap_or_default()
    }

    /// Returns the number of warnings.
    pub fn warnings(&self) -> usize {
        self.all.len() - self.errors
    }

    /// Returns those of a model, errors first.
    pub fn of_model(&self, model: &str) -> impl Iterator<Item = &Diagnostic> {
        self.of_model.get(model).into_iter().flatten().filter_map(|index| self.all.get(*index))
    }

    /// Returns those of a block, errors first.
    pub fn of_block(&self, model: &str, block: BlockId) -> impl Iterator<Item = &Diagnostic> {
        self.of_model(model).filter(move |found| found.location.block == Some(block))
    }
}
