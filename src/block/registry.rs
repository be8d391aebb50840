//! The block definitions and solvers that a program knows.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::{BlockDef, Files, Method, NoFiles, library};

/// Block definitions by group and name, and solvers. The standard library is one registry; a program can add its own
/// blocks and solvers to a copy.
#[derive(Clone)]
pub struct Registry {
    defs: BTreeMap<(&'static str, &'static str), &'static BlockDef>,
    files: Arc<dyn Files>,
    methods: Vec<&'static dyn Method>,
    absent: Vec<Absent>,
}

/// A plug-in whose blocks cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// The group of its blocks: the name of the plug-in, or the name of its file if it has none.
    pub group: String,
    /// Why it is broken; none if the user has not switched it on.
    pub problem: Option<String>,
    /// The path of its file.
    pub path: String,
}

/// A block of the same group and name is known already.
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
    /// Returns a registry without blocks.
    pub fn empty() -> Registry {
        Registry { defs: BTreeMap::new(), files: Arc::new(NoFiles), methods: Vec::new(), absent: Vec::new() }
    }

    /// Returns a copy whose blocks access these files.
    pub fn with_files(&self, files: Arc<dyn Files>) -> Registry {
        Registry { files, ..self.clone() }
    }

    /// Returns the access to files; without [`Registry::with_files`] there are no files.
    pub fn files(&self) -> &dyn Files {
        &*self.files
    }

    /// Returns the access to files, to be kept.
    pub fn shared_files(&self) -> Arc<dyn Files> {
        Arc::clone(&self.files)
    }

    /// Returns the registry of the blocks in [`library`].
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
    /// Fails if the group has a block of that name.
    pub fn add(&mut self, def: &'static BlockDef) -> Result<(), RegistryError> {
        match self.defs.insert((def.group, def.name), def) {
            None => Ok(()),
            Some(known) => {
                self.defs.insert((known.group, known.name), known);
                Err(RegistryError { group: def.group, name: def.name })
            }
        }
    }

    /// Adds a solver, which replaces an added one of the same name; built-in solvers take precedence.
    pub fn add_method(&mut self, method: &'static dyn Method) {
        self.methods.retain(|known| known.name() != method.name());
        self.methods.push(method);
    }

    /// Returns the solvers that were added.
    pub fn methods(&self) -> &[&'static dyn Method] {
        &self.methods
    }

    /// Adds a plug-in whose blocks cannot be used, for the messages about them.
    pub fn add_absent(&mut self, absent: Absent) {
        self.absent.push(absent);
    }

    /// Returns the plug-in that has the blocks of a group, if they cannot be used.
    pub fn absent(&self, group: &str) -> Option<&Absent> {
        self.absent.iter().find(|absent| absent.group == group)
    }

    /// Whether any block is of this group.
    pub fn has_group(&self, group: &str) -> bool {
        self.defs.keys().any(|(known, _)| *known == group)
    }

    /// Returns a definition by group and name.
    pub fn get(&self, group: &str, name: &str) -> Option<&'static BlockDef> {
        // The map is covariant in the lifetime of its keys.
        let defs: &BTreeMap<(&str, &str), &'static BlockDef> = &self.defs;
        defs.get(&(group, name)).copied()
    }

    /// Returns all definitions, sorted by group and name.
    pub fn iter(&self) -> impl Iterator<Item = &'static BlockDef> {
        self.defs.values().copied()
    }
}
