//! The state of an import.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use super::super::files::Files;
use super::super::report::Report;
use super::super::source::{Language, Source};
use super::super::values::Workspace;
use super::shapes::Shapes;
use super::tags::Tags;
use crate::block::Registry;
use crate::block::language::Matrix;
use crate::model::Simulation;

/// The deepest nesting of systems.
pub const MAX_DEPTH: usize = 60;
/// More blocks than any model has: libraries that contain each other would go on for ever.
pub const MAX_BLOCKS: usize = 1_000_000;

/// The state of an import.
pub struct Mapper {
    pub files: Files,
    pub registry: Arc<Registry>,
    pub simulation: Simulation,
    pub report: Report,
    pub workspace: Workspace,
    pub language: Language,
    /// The scopes of the systems that are open, the outermost first.
    pub frames: Vec<Frame>,
    /// The names of the workspace that expressions use, with the first user.
    pub used: BTreeMap<String, String>,
    /// Sample times and offsets above 0, in seconds.
    pub sample_times: Vec<f64>,
    pub has_continuous: bool,
    /// Libraries and models that were looked for, by name.
    pub known: BTreeMap<String, Option<Rc<Source>>>,
    /// The files that are open, each within the one before.
    pub open: Vec<String>,
    pub tags: Tags,
    pub shapes: Shapes,
    pub blocks: usize,
}

/// The scope of a system.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// The parameters of its mask, with their values where they are known.
    pub own: BTreeMap<String, Option<Matrix>>,
    /// The names of outer masks that it uses: its model gets them as variables too.
    pub passed: BTreeSet<String>,
    /// Whether names outside are hidden: that of a file of its own.
    pub is_closed: bool,
}
