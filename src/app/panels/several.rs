//! The properties that several selected blocks have in common. They are found once for a selection, not in each frame: all
//! blocks of a large model may be selected.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use eframe::egui::Ui;

use super::inspected::{InspectorView, def_of, head_ui};
use super::param::{self, Current};
use super::parameters::{is_alike, set};
use crate::app::action::Action;
use crate::app::ui::field::EditedField;
use crate::app::ui::widgets;
use crate::block::{BlockDef, ParamDef, Registry};
use crate::model::{Block, BlockId, BlockKind, Model, param_texts};

/// The number of different values of a parameter that are looked for: one more than are shown.
const MAX_VALUES: usize = 4;

/// What the selected blocks of one state of a model have in common.
pub struct Several {
    model: Arc<Model>,
    /// The address of the registry.
    registry: usize,
    selection: BTreeSet<BlockId>,
    pub blocks: Vec<Arc<Block>>,
    /// The first kinds with their numbers of blocks, as text.
    about: String,
    kinds: usize,
    /// None if some of the blocks are not of the library.
    shared: Option<Vec<SharedParam>>,
}

/// A parameter that all blocks have.
struct SharedParam {
    def: &'static BlockDef,
    param: &'static ParamDef,
    current: Current,
}

impl Several {
    /// Returns what the selected blocks have in common: `known`, if it is that.
    pub fn of(view: &InspectorView, known: Option<Several>) -> Several {
        let is_it = |known: &Several| {
            Arc::ptr_eq(&known.model, view.model)
                && known.registry == address_of(view.registry)
                && known.selection == *view.selection
        };
        known.filter(is_it).unwrap_or_else(|| Several::new(view))
    }

    fn new(view: &InspectorView) -> Several {
        let blocks: Vec<Arc<Block>> = view.selection.iter().filter_map(|id| view.model.block(*id).cloned()).collect();
        // Each kind with its number of blocks, and its definition.
        let mut kinds: BTreeMap<(&str, &str), (usize, Option<&'static BlockDef>)> = BTreeMap::new();
        let mut defs: Option<Vec<&'static BlockDef>> = Some(Vec::with_capacity(blocks.len()));
        for block in &blocks {
            let kind = match &block.kind {
                BlockKind::Library { group, .. } => (&**group, block.kind.title()),
                BlockKind::Model { model } => ("Model", &**model),
                BlockKind::Entry { .. } => ("Ports", "Input"),
                BlockKind::Exit { .. } => ("Ports", "Output"),
            };
            let (count, def) = kinds.entry(kind).or_insert_with(|| (0, def_of(view.registry, &block.kind)));
            *count += 1;
            // Blocks of a kind differ in the arguments of their code only.
            match def.filter(|_| matches!(block.kind, BlockKind::Library { .. })) {
                Some(def) => {
                    defs.iter_mut().for_each(|defs| defs.push(def.with_arguments(|option| block.option_texts(option))))
                }
                None => defs = None,
            }
        }
        let about: Vec<String> =
            kinds.iter().take(4).map(|((_, name), (count, _))| format!("{count} {name}")).collect();
        let more = if kinds.len() > 4 { format!(" and {} more kinds", kinds.len() - 4) } else { String::new() };
        Several {
            about: about.join(", ") + &more,
            kinds: kinds.len(),
            shared: defs.map(|defs| shared(&blocks, &defs)),
            model: Arc::clone(view.model),
            registry: address_of(view.registry),
            selection: view.selection.clone(),
            blocks,
        }
    }

    /// Returns the units of all rows.
    pub fn units(&self) -> impl Iterator<Item = &'static str> {
        self.shared.iter().flatten().map(|shared| shared.param.unit)
    }

    /// Draws the rows.
    pub fn show_ui(&self, ui: &mut Ui, editing: &mut EditedField, view: &InspectorView, actions: &mut Vec<Action>) {
        head_ui(ui, &format!("{} blocks", self.blocks.len()), &self.about, None);
        let Some(shared) = &self.shared else {
            ui.label(widgets::weak(ui, "Select only library blocks to set their parameters together"));
            return;
        };
        if shared.is_empty() {
            ui.label(widgets::weak(ui, "These blocks have no parameter in common"));
            return;
        }
        let is_one_kind = self.kinds == 1;
        let title = if is_one_kind { "Common parameters" } else { "Parameters that all selected blocks have" };
        widgets::section_ui(ui, title);
        for SharedParam { def, param, current } in shared {
            let new = view.in_scope(|scope| param::param_ui(ui, editing, def, param, current, (scope, &[])));
            if new.is_some() {
                set(view, &self.blocks.iter().collect::<Vec<_>>(), param, new, actions);
            }
        }
    }
}

/// Returns the parameters of equal name and kind in all blocks.
fn shared(blocks: &[Arc<Block>], defs: &[&'static BlockDef]) -> Vec<SharedParam> {
    let Some((def, others)) = defs.split_first() else { return Vec::new() };
    let different: BTreeMap<*const BlockDef, &'static BlockDef> =
        others.iter().map(|other| (std::ptr::from_ref(*other), *other)).collect();
    let is_shared = |param: &&ParamDef| {
        different.values().all(|other| other.param(param.name).is_some_and(|own| is_alike(own, param)))
    };
    let current = |param: &ParamDef| {
        let mut values: Vec<Vec<String>> = Vec::new();
        for (block, def) in blocks.iter().zip(defs) {
            let texts = def.param(param.name).map(|own| param_texts(block, own)).unwrap_or_default();
            if !values.contains(&texts) {
                values.push(texts);
            }
            if values.len() >= MAX_VALUES {
                break;
            }
        }
        match &mut values[..] {
            [same] => Current::Same(std::mem::take(same)),
            several => Current::Mixed(several.iter().map(|texts| texts.join(" ")).collect()),
        }
    };
    let params = def.params.iter().filter(is_shared);
    params.map(|param| SharedParam { def, param, current: current(param) }).collect()
}

fn address_of(registry: &Registry) -> usize {
    std::ptr::from_ref(registry).addr()
}
