//! The block definitions a program knows, found by group and name.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::{BlockDef, Files, Method, NoFiles, library};

/// Definitions by group and name. The standard library is one; a program can add its own rows to a copy, and solvers.
#[derive(Clone)]
pub struct Registry {
    defs: BTreeMap<(&'static str, &'static str), &'static BlockDef>,
    files: Arc<dyn Files>,
    methods: Vec<&'static dyn Method>,
}

#[derive(Debug, thiserror::Error)]
#[error("the block {group}/{name} exists already")]
pub struct RegistryError {
    group: &'static str,
    name: &'static str,
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Registry").field("defs", &self.defs.keys()).finish_non_exhaustive()
    }
}

impl Registry {
    pub fn empty() -> Registry {
        Registry { defs: BTreeMap::new(), files: Arc::new(NoFiles), methods: Vec::new() }
    }

    /// The same blocks, which find their files here.
    pub fn with_files(&self, files: Arc<dyn Files>) -> Registry {
        Registry { files, ..self.clone() }
    }

    /// Where blocks find their files; without [`Registry::with_files`] nowhere.
    pub fn files(&self) -> &dyn Files {
        &*self.files
    }

    /// The blocks of [`library`].
    pub fn standard() -> Arc<Registry> {
        static STANDARD: OnceLock<Arc<Registry>> = OnceLock::new();
        let standard = STANDARD.get_or_init(|| {
            let defs = library::defs().map(|def| ((def.group, def.name), def)).collect();
            Arc::new(Registry { defs, ..Registry::empty() })
        });
        Arc::clone(standard)
    }

    /// Adds a definition.
    ///
    /// # Errors
    /// Where the group has a block of that name.
    pub fn add(&mut self, def: &'static BlockDef) -> Result<(), RegistryError> {
        match self.defs.insert((def.group, def.name), def) {
            None => Ok(()),
            Some(known) => {
                self.defs.insert((known.group, known.name), known);
                Err(RegistryError { group: def.group, name: def.name })
            }
        }
    }

    /// Adds a solver. One of that name that was added before goes; the program's own come first.
    pub fn add_method(&mut self, method: &'static dyn Method) {
        self.methods.retain(|known| known.name() != method.name());
        self.methods.push(method);
    }

    /// The solvers that were added.
    pub fn methods(&self) -> &[&'static dyn Method] {
        &self.methods
    }

    pub fn get(&self, group: &str, name: &str) -> Option<&'static BlockDef> {
        // A map keyed by static names is also one keyed by names of any shorter life.
        let defs: &BTreeMap<(&str, &str), &'static BlockDef> = &self.defs;
        defs.get(&(group, name)).copied()
    }

    /// All definitions, sorted by group and name.
    pub fn iter(&self) -> impl Iterator<Item = &'static BlockDef> {
        self.defs.values().copied()
    }
}
