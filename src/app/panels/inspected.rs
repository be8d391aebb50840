//! The view that the inspector shows, and the functions that its parts share.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::{self, RichText, Sense, Ui, vec2};

use crate::app::doc::derived::{Derived, DiagnosticList};
use crate::app::store::run::{RunSession, TakesEffect};
use crate::app::ui::theme::{SPACE, TEXT, TEXT_TITLE};
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{picture, style};
use crate::block::{BlockDef, Registry};
use crate::engine::Engines;
use crate::model::{Block, BlockId, BlockKind, Model, Scope, Simulation, in_scope};

/// Returns when a new value of a block's parameter takes effect.
pub type ActsOf<'a> = dyn Fn(BlockId, &str) -> TakesEffect + 'a;

/// The data that the inspector shows.
pub struct InspectorView<'a> {
    pub simulation: &'a Simulation,
    pub registry: &'a Registry,
    pub model: &'a Arc<Model>,
    pub selection: &'a BTreeSet<BlockId>,
    pub derived: &'a Derived,
    pub diagnostics: &'a DiagnosticList,
    /// During a run: returns when a new value of a parameter takes effect.
    pub acts: Option<&'a ActsOf<'a>>,
    pub stops_at_non_finite: bool,
    /// The name of the chosen engine, and its thread limit.
    pub engine: (&'a Engines, &'a str, Option<usize>),
    /// The engines that cannot run the document, with reasons; `None` while unknown.
    pub verdicts: Option<&'a crate::app::store::engines::Verdicts>,
    pub run: &'a RunSession,
    /// The shown instance of the model.
    pub path: &'a [BlockId],
}

impl InspectorView<'_> {
    /// Calls `f` with the scope of the shown instance of the model.
    pub fn in_scope<R>(&self, f: impl FnMut(&Scope) -> R) -> R {
        in_scope(self.simulation, self.path, self.model, f)
    }
}

/// Returns the definition of a library block.
pub fn def_of(registry: &Registry, kind: &BlockKind) -> Option<&'static BlockDef> {
    match kind {
        BlockKind::Library { group, name } => registry.get(group, name),
        _ => None,
    }
}

/// Draws the title, a line about it, and the picture of a block.
pub fn head_ui(ui: &mut Ui, title: &str, about: &str, picture: Option<(&Block, &Registry)>) {
    let theme = theme_of(ui.ctx());
    ui.horizontal(|ui| {
        if let Some((block, registry)) = picture {
            let (rect, _) = ui.allocate_exact_size(vec2(44.0, 32.0), Sense::hover());
            picture::paint_block(ui.painter(), rect, block, registry, theme);
        }
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            ui.add(egui::Label::new(RichText::new(title).font(style::strong(TEXT_TITLE - 0.5))).truncate());
            ui.add(egui::Label::new(widgets::weak(ui, about)).truncate());
        });
    });
    ui.add_space(SPACE);
}

/// Draws the formula of a block.
pub fn formula_ui(ui: &mut Ui, formula: &str) {
    let theme = theme_of(ui.ctx());
    egui::Frame::new()
        .fill(style::mix(theme.panel, theme.text, 0.05))
        .corner_radius(5)
        .inner_margin(vec2(8.0, 5.0))
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.label(RichText::new(formula).size(TEXT));
        });
}
