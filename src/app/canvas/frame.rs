//! One frame of the canvas: update the scene, read the input, draw.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui::{self, Align2, FontId, Id, Rect, Response, Sense, Ui, Vec2, WidgetInfo, vec2};

use super::draw::{self, Decorations, Detail, DrawContext, HighlightInModel, LodMesh};
use super::edit::OpenModel;
use super::edit::insert::wire_to_splice;
use super::edit::prepared::Prepared;
use super::edit::suggest::suggestions;
use super::gesture::guides::guides;
use super::gesture::hit::Hit;
use super::gesture::{Gesture, Wire};
use super::overlay::strip::strip_ui;
use super::overlay::{MenuChoice, OverlayContext};
use super::scene::{BlockView, Scene};
use super::{Canvas, CanvasOutput, CanvasView, DocumentView, Selection};
use crate::app::action::new_block::NewBlock;
use crate::app::ui::theme::{TEXT, TEXT_TITLE};
use crate::model::{Model, Severity};

/// Number of changed blocks above which those out of view are deferred.
const AT_ONCE: usize = 300;
/// Time budget of a frame for deferred blocks and routes: the time left after drawing, within these bounds. A frame
/// that shows a change gets the minimum, and one that shows an edit routes nothing, so that neither drags nor edits
/// wait for other wires.
const FRAME: Duration = Duration::from_millis(12);
const MIN_WORK: Duration = Duration::from_millis(2);
const MAX_WORK: Duration = Duration::from_millis(8);
/// Size up to which a selection is checked in every frame for removed items.
const MAX_CHECKED: usize = 500;
/// Maximum number of outlines that follow the pointer.
const MAX_GHOSTS: usize = 1500;
/// Maximum number of blocks listed for a screen reader.
const MAX_SPOKEN: usize = 200;
/// Maximum number of blocks whose ports are listed.
const MAX_SPOKEN_PORTS: usize = 60;

/// The context that the parts of the canvas share in one frame.
#[derive(Clone, Copy)]
pub(super) struct FrameContext<'a> {
    pub ui: &'a Ui,
    pub response: &'a Response,
    pub view: &'a DocumentView<'a>,
    /// The open model.
    pub model: &'a Arc<Model>,
}

impl Canvas {
    /// Shows the open model in the remaining space of `ui`.
    pub fn ui(&mut self, ui: &mut Ui, view: &CanvasView) -> CanvasOutput {
        let mut output = CanvasOutput::default();
        let rect = ui.available_rect_before_wrap();
        let response = ui.allocate_rect(rect, Sense::click_and_drag());
        self.view.id = Some(response.id);
        if std::mem::take(&mut self.gesture.wants_focus) {
            response.request_focus();
        }
        self.view.screen = Some(rect);
        let start = Instant::now();
        self.follow_path(&view.document);
        let Some(model) = self.open_model(view.document.simulation).cloned() else {
            let painter = ui.painter_at(rect);
            painter.rect_filled(rect, 0.0, view.theme.canvas);
            hint_ui(&painter, rect, view, "Nothing to show", "The simulation has no root model");
            return output;
        };

        let is_other = self.scene.model().is_none_or(|known| !Arc::ptr_eq(known, &model));
        if self.view.recent.turn_to(&mut self.scene, &model) {
            self.view.lod_mesh = LodMesh::default();
        }
        let revision = self.scene.revision();
        let is_edited = !self.scene.shows(view.document.simulation);
        self.follow_document(&view.document, &model);
        let spare = match self.scene.revision() == revision {
            true => FRAME.saturating_sub(self.view.drawn_in).clamp(MIN_WORK, MAX_WORK),
            false => MIN_WORK,
        };
        // A large selection is checked only when the model has changed.
        if is_other || self.selection.blocks.len() + self.selection.wires.len() < MAX_CHECKED {
            self.forget_what_is_gone(&model);
        }
        self.overlay.highlight.take_if(|highlight| !highlight.follow(&view.document));
        self.view.move_camera(&mut self.scene, view.document.registry);
        self.scene
            .work_on(view.document.registry, self.view.transform().visible(), &mut || start.elapsed() < spare * 2 / 3);
        let held_before = self.gesture.current.moved();
        let frame = FrameContext { ui, response: &response, view: &view.document, model: &model };
        self.input(&frame, &mut output);
        // After the release the drag is shown for one more frame, since the document changes with the next.
        if !self.gesture.current.is_idle() || held_before.is_empty() {
            self.follow_document(&view.document, &model);
        }

        if !is_edited {
            self.scene.route_some(self.view.transform().visible(), &mut || start.elapsed() < spare);
        }
        if self.scene.is_routing() {
            ui.ctx().request_repaint();
        }
        let painter = ui.painter_at(rect);
        let worked = start.elapsed();
        let mut lod_mesh = std::mem::take(&mut self.view.lod_mesh);
        let frame = FrameContext { ui, response: &response, view: &view.document, model: &model };
        self.draw(&frame, &painter, view, &mut lod_mesh);
        self.view.lod_mesh = lod_mesh;
        self.overlay_ui(ui, &response, view, &mut output);

        if !output.changes.is_empty() {
            ui.ctx().request_repaint();
        }
        self.view.drawn_in = start.elapsed().saturating_sub(worked);
        output
    }

    fn follow_document(&mut self, view: &DocumentView, model: &Arc<Model>) {
        self.scene.update_soon(view.simulation, model, view.registry, &self.gesture.current.moved(), AT_ONCE);
    }

    /// Shortens the path to the levels that still exist.
    fn follow_path(&mut self, view: &DocumentView) {
        let depth = self.view.breadcrumbs(view.simulation).len().saturating_sub(1);
        if depth < self.view.path.len() {
            let path = self.view.path.get(..depth).unwrap_or_default().to_vec();
            self.go_to(path, None);
        }
    }

    /// Drops what the selection and the gesture hold of blocks and wires that are removed.
    fn forget_what_is_gone(&mut self, model: &Model) {
        let Selection { blocks, wires } = &mut self.selection;
        blocks.retain(|id| model.blocks.contains_key(id));
        wires.retain(|key| model.connections.contains_key(key));
        let is_there = match &self.gesture.current {
            Gesture::Move(held) => held.from.keys().all(|id| model.blocks.contains_key(id)),
            Gesture::Segment { key, .. } => model.connections.contains_key(key),
            Gesture::Resize { block, .. } => model.blocks.contains_key(block),
            _ => true,
        };
        if !is_there {
            self.gesture.current = Gesture::Idle;
        }
    }

    /// Draws what lies over the diagram, and takes the user's choices there.
    fn overlay_ui(&mut self, ui: &mut Ui, response: &Response, view: &CanvasView, output: &mut CanvasOutput) {
        let (is_idle, transform) = (self.gesture.current.is_idle(), self.view.transform());
        let shown = self.view.shown;
        let Canvas { view: own, selection, scene, gesture, overlay } = self;
        let Some(open) = OpenModel::of(own, scene, selection, &view.document) else { return };
        let center = match shown.minimap {
            true => overlay.minimap.ui(ui, view, (scene, open.model), transform),
            false => None,
        };
        let context = OverlayContext { open, view, transform };
        if shown.strip && is_idle && overlay.editing.is_none() && overlay.code.is_none() {
            strip_ui(ui, &context, output);
        }
        overlay.loop_offer_ui(ui, &context, &gesture.current, output);
        overlay.begin_awaited(scene);
        overlay.editing_ui(ui, &context, own.id, output);
        overlay.code_ui(ui, &context, own.id, output);
        let choice = context.menu_ui(response, overlay.menu.clone(), output);
        // At low zoom the pointer is always over something.
        let is_typing = overlay.editing.is_some() || gesture.is_by_keys;
        let is_free = is_idle && !is_typing && overlay.offer.is_none() && !response.context_menu_opened();
        if is_free && transform.zoom() >= 0.3 {
            context.tooltip_ui(response, &gesture.hover);
        }
        if let Some(center) = center {
            self.view.camera_mut().center = center;
        }
        match choice {
            Some(MenuChoice::Open(id)) => self.open_block(&view.document, id, output),
            Some(MenuChoice::ArrangeAll) => {
                self.selection = Selection::default();
                output.changes.extend(self.edit(&view.document, |open| open.arrange()));
            }
            None => {}
        }
    }

    fn draw(&self, frame: &FrameContext, painter: &egui::Painter, view: &CanvasView, lod_mesh: &mut LodMesh) {
        let FrameContext { ui, response, model, .. } = *frame;
        let transform = self.view.transform();
        let mut context = DrawContext { painter, transform, theme: view.theme, detail: Detail::at(transform.zoom()) };
        let mut problems = HashMap::new();
        let faulty = view.diagnostics.of_model(&model.name).flat_map(|problem| &problem.location.wires).collect();
        for problem in view.diagnostics.of_model(&model.name) {
            if let Some(id) = problem.location.block {
                let known = problems.entry(id).or_insert(Severity::Warning);
                *known = problem.severity.max(*known);
            }
        }
        let heat = view.heat.and_then(|heat| heat.within(&self.view.path));
        let hottest = heat.map_or(0.0, |heat| heat.values().copied().fold(0.0, f64::max));
        // A wire has one colour, and the legend explains which kind.
        let watched = view.watched.iter().filter(|(key, _)| key.path == self.view.path && !self.view.shown.rates);
        let decorations = Decorations {
            selection: &self.selection,
            hover: if self.gesture.current.is_idle() { &self.gesture.hover } else { &Hit::Empty },
            watched: watched.map(|(key, color)| ((key.block, &*key.output), *color)).collect(),
            problems,
            faulty,
            hidden_wire: match &self.gesture.current {
                Gesture::Segment { key, branch: None, .. } => Some(key),
                Gesture::Wire(wire) => wire.detached.as_ref(),
                _ => None,
            },
            wiring: self.gesture.current.wire(),
            highlight: self
                .overlay
                .highlight
                .as_ref()
                .map(|highlight| HighlightInModel::of(&highlight.trace, &self.view.path)),
            changed: self.overlay.changed.strengths(&model.name),
            shows_rates: self.view.shown.rates,
            hides_grid: !self.view.shown.grid,
            shows_values: self.view.shown.values || view.is_scrubbed,
            heat,
            hottest,
            hidden_loose: match &self.gesture.current {
                Gesture::Wire(wire) => wire.loose.map(|number| (wire.fixed.block(), number)),
                _ => None,
            },
        };
        let blocks = draw::scene_ui(&mut context, view, &self.scene, &decorations, &self.view.path, lod_mesh);
        speak(ui, response.id, &context, &blocks, &self.selection);
        self.gesture_ui(&context, &view.document, response, model);
        match (self.view.shown.rates, view.heat) {
            (true, _) => draw::legend_ui(&context, view),
            (false, Some(_)) => draw::heat_legend_ui(&context, hottest),
            (false, None) => {}
        }
        if view.is_running {
            draw::running_ui(&context);
        }
        if self.scene.block_count() == 0 {
            let hint = "Drag a block from the palette, or double-click to insert one";
            hint_ui(painter, transform.screen, view, "This model is empty", hint);
        }
    }

    fn gesture_ui(&self, context: &DrawContext, view: &DocumentView, response: &Response, model: &Arc<Model>) {
        match &self.gesture.current {
            Gesture::Idle if context.painter.ctx().input(|input| input.modifiers.alt) => {
                let hovered = match self.gesture.hover {
                    Hit::Block(id) => self.open(view).map(|open| open.joins_to_be(id)),
                    _ => None,
                };
                for points in hovered.unwrap_or_default() {
                    draw::suggested_wire_ui(context, &points);
                }
            }
            Gesture::Idle | Gesture::Pan => {}
            Gesture::Marquee { from, to, .. } => draw::marquee_ui(context, Rect::from_two_pos(*from, *to)),
            Gesture::Move(held) => {
                if !held.is_copy {
                    draw::guides_ui(context, &self.scene, held.from.keys().copied());
                }
                if held.shift != Vec2::ZERO {
                    draw::alignment_ui(context, &guides(&self.scene, held, context.transform.visible()));
                }
                if let Some(block) = held.loose_block(&self.scene) {
                    wires_to_be_ui(context, &self.scene, block);
                }
                let Some((ids, shift)) = self.gesture.current.ghosts() else { return };
                let visible = context.transform.visible();
                let is_seen = |block: &&BlockView| {
                    Rect::from_min_size(block.position + shift, block.outline.rect.size()).intersects(visible)
                };
                let seen = ids.iter().filter_map(|id| self.scene.block(*id)).filter(is_seen);
                for block in seen.take(MAX_GHOSTS) {
                    draw::ghost_ui(context, &block.outline.moved_to(block.position + shift), "");
                }
            }
            Gesture::Resize { block, size, .. } => {
                if let Some(block) = self.scene.block(*block) {
                    let mut outline = block.outline.clone();
                    outline.body = Rect::from_min_size(outline.body.min, *size);
                    draw::ghost_ui(context, &outline, "");
                }
            }
            Gesture::Wire(wire) => wire_ui(context, &self.scene, wire),
            Gesture::Segment { branch: Some(wire), .. } => wire_ui(context, &self.scene, wire),
            Gesture::Segment { .. } => {
                draw::moved_wire_ui(context, &self.gesture.current.dragged_wire().unwrap_or_default())
            }
        }
        // A block that is dragged here from the palette.
        if let Some(block) = response.dnd_hover_payload::<NewBlock>()
            && let Some(pointer) = response.ctx.pointer_latest_pos()
            && let Some(new) = Prepared::new(view, model, NewBlock::clone(&block), context.transform.to_model(pointer))
        {
            wires_to_be_ui(context, &self.scene, &new.view);
            draw::ghost_ui(context, &new.view.outline, new.block.title());
        }
    }
}

/// Draws the wire into which a block would be inserted, or the wires that it would get.
fn wires_to_be_ui(context: &DrawContext, scene: &Scene, block: &BlockView) {
    if let Some(wire) = wire_to_splice(scene, block).and_then(|key| scene.wire(&key)) {
        draw::moved_wire_ui(context, &wire.points);
        return;
    }
    for suggestion in suggestions(scene, block) {
        draw::suggested_wire_ui(context, &suggestion.points);
    }
}

/// Lists what is in view for screen readers and tests. The cost is negligible if none is active.
fn speak(ui: &Ui, canvas: Id, context: &DrawContext, blocks: &[&BlockView], selection: &Selection) {
    // Blocks move under the pointer with the view; that is not an id clash.
    ui.ctx().allow_widget_id_changes_in(context.transform.screen);
    if blocks.len() > MAX_SPOKEN {
        return;
    }
    let has_ports = context.detail >= Detail::Drawings && blocks.len() <= MAX_SPOKEN_PORTS;
    for block in blocks {
        let id = block.block.id;
        let rect = context.rect(block.outline.body).intersect(context.transform.screen);
        let is_selected = selection.blocks.contains(&id);
        let response = ui.interact(rect, canvas.with(("block of the diagram", id)), Sense::hover());
        response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, is_selected, block.label()));
        if !has_ports {
            continue;
        }
        let inputs = block.ports.inputs.iter().zip(&block.outline.inputs).map(|(name, at)| ("Input", name, at));
        let outputs = block.ports.outputs.iter().zip(&block.outline.outputs).map(|(name, at)| ("Output", name, at));
        for (side, name, at) in inputs.chain(outputs) {
            let area = Rect::from_center_size(context.at(*at), vec2(10.0, 10.0)).intersect(context.transform.screen);
            let response = ui.interact(area, canvas.with(("port of the diagram", id, side, name)), Sense::hover());
            let label = || format!("{side} {name} of {} {id}", block.block.title());
            response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, label()));
        }
    }
}

fn hint_ui(painter: &egui::Painter, rect: Rect, view: &CanvasView, title: &str, hint: &str) {
    let middle = rect.center();
    let weak = view.theme.text_weak;
    painter.text(middle - vec2(0.0, 6.0), Align2::CENTER_BOTTOM, title, FontId::proportional(TEXT_TITLE), weak);
    painter.text(middle + vec2(0.0, 6.0), Align2::CENTER_TOP, hint, FontId::proportional(TEXT), weak);
}

/// Draws a wire that follows the pointer, red if it may not end there.
fn wire_ui(context: &DrawContext, scene: &Scene, wire: &Wire) {
    let is_refused = wire.target.as_ref().is_some_and(|target| target.refusal.is_some());
    let color = if is_refused { context.theme.error } else { context.theme.accent };
    let target = wire.target.as_ref();
    for hop in target.and_then(|target| target.refusal.as_ref()).into_iter().flat_map(|refusal| &refusal.wires) {
        if let Some(hop) = scene.wire(hop) {
            draw::hop_ui(context, &hop.points);
        }
    }
    draw::loose_wire_ui(context, &wire.points(scene), color);
    if let Some(target) = target {
        match is_refused {
            true => draw::refused_target_ui(context, target.at),
            false => draw::target_ui(context, target.at),
        }
        match (&target.refusal, &target.note) {
            (Some(refusal), _) => draw::note_ui(context, target.at, &refusal.text, context.theme.error),
            (None, Some(note)) => draw::note_ui(context, target.at, note, context.theme.warning),
            (None, None) => {}
        }
    }
}
