//! The windows of scope blocks: a double click on the block opens one.

use std::sync::Arc;

use eframe::egui::{self, Rect, Ui, vec2};

use super::curves;
use super::curves::PlotData;
use super::own_window::{self, Stays};
use super::plot::{self, Target, swatch_ui, value_text};
use super::state::{PlotsPanelState, PlotsPanelView, Scope};
use super::view::{PlotView, Seen};
use crate::app::action::{Action, PlotsAction};
use crate::app::doc::plots::{PlotKind, PlotList, PlotSpec, scope_change, scope_of};
use crate::app::store::figures::{FigureKey, Figures};
use crate::app::ui::chart::Sides;
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::model::{SignalKey, model_at};

/// Returns all signals in open windows.
pub fn signals_of(
    scopes: &[Scope],
    simulation: &crate::model::Simulation,
    registry: &crate::block::Registry,
) -> Vec<SignalKey> {
    let of = |scope: &Scope| {
        let model = model_at(simulation, &scope.path)?;
        Some(crate::app::doc::plots::inputs_of(simulation, registry, &scope.path, model, scope.block))
    };
    scopes.iter().filter_map(of).flatten().collect()
}

/// Draws the windows in front of everything.
pub fn windows_ui(ctx: &egui::Context, state: &mut PlotsPanelState, view: &PlotsPanelView) -> Vec<Action> {
    let mut actions = Vec::new();
    let mut scopes = std::mem::take(&mut state.scopes);
    state.common.figures.get_or_insert_with(|| Figures::new(ctx)).poll();
    scopes.retain_mut(|scope| window_ui(ctx, state, view, scope, &mut actions));
    state.scopes = scopes;
    state.fit_to(view.list);
    own_window::plots_ui(ctx, state, view, &mut actions);
    actions
}

/// Draws a window; returns whether it stays open.
fn window_ui(
    ctx: &egui::Context,
    state: &mut PlotsPanelState,
    view: &PlotsPanelView,
    scope: &mut Scope,
    actions: &mut Vec<Action>,
) -> bool {
    let Some(model) = model_at(view.simulation, &scope.path) else { return false };
    let Some(block) = model.block(scope.block) else { return false };
    let mut spec = scope_of(view.simulation, view.registry, &scope.path, model, scope.block);
    // Signals in no plot have no own colour.
    for (number, trace) in spec.traces.iter_mut().enumerate() {
        if trace.color.is_none() && !view.list.contains(&trace.signal) {
            trace.color = Some(number);
        }
    }
    let title = format!("{} {}", block.title(), block.id);
    let id = egui::Id::unique(("scope", &scope.path, scope.block));
    let window = (title.as_str(), vec2(480.0, 320.0));
    let is_detached = scope.is_detached;
    let mut content = |ui: &mut Ui, actions: &mut Vec<Action>| {
        head_ui(ui, view, model, scope, &spec, actions);
        content_ui(ui, state, view, scope, (&spec, &title), actions);
    };
    let stays = match is_detached {
        true => own_window::show_ui(ctx, id.with("detached"), window, actions, &mut content),
        false => own_window::within_ui(ctx, id, window, &mut |ui| content(ui, actions)),
    };
    stays == Stays::Open
}

fn block_number(scope: &Scope) -> u64 {
    let path = scope.path.iter().chain([&scope.block]);
    path.fold(0, |number, id| number.wrapping_mul(1_000_003).wrapping_add(id.0 as u64).wrapping_add(1))
}

fn head_ui(
    ui: &mut Ui,
    view: &PlotsPanelView,
    model: &Arc<crate::model::Model>,
    scope: &mut Scope,
    spec: &PlotSpec,
    actions: &mut Vec<Action>,
) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = SPACE;
        widgets::choice_ui(ui, "Show as", spec.kind.label(), 130.0, |ui| {
            for kind in PlotKind::ALL {
                if ui.selectable_label(spec.kind == kind, kind.label()).clicked() && kind != spec.kind {
                    let spec = PlotSpec { kind, ..spec.clone() };
                    let label = format!("Show scope as {}", kind.label().to_lowercase());
                    actions.push(Action::Apply(scope_change(label, view.simulation, model, scope.block, &spec)));
                }
            }
        });
        let fit = widgets::icon_button_ui(ui, Icon::Fit, "Show all of the scope");
        if fit.on_hover_text("Show the whole run").clicked() {
            (scope.view, scope.time) = (PlotView::default(), Seen::All);
        }
        let (name, about) = match scope.is_detached {
            true => ("Return to the program's window", "Show it within the program's window"),
            false => ("Open in its own window", "Make it a window of the desktop"),
        };
        if widgets::icon_button_ui(ui, Icon::Window, name).on_hover_text(about).clicked() {
            scope.is_detached = !scope.is_detached;
        }
        let add = widgets::icon_button_ui(ui, Icon::Curve, "Show in the plots");
        if add.on_hover_text("Add these curves to the plots panel").clicked() {
            actions
                .push(Action::Plots(PlotsAction::Plot(spec.traces.iter().map(|trace| trace.signal.clone()).collect())));
        }
    });
}

fn content_ui(
    ui: &mut Ui,
    state: &mut PlotsPanelState,
    view: &PlotsPanelView,
    scope: &mut Scope,
    (spec, title): (&PlotSpec, &str),
    actions: &mut Vec<Action>,
) {
    let key = FigureKey::Scope(block_number(scope));
    let theme = theme_of(ui.ctx());
    let rect = ui.available_rect_before_wrap();
    if spec.traces.is_empty() {
        widgets::empty_ui(ui, Icon::Curve, "Nothing is connected", "Wire a signal to the block");
        return;
    }
    let source = PlotData { others: view.others, ..view.source(theme) };
    let below = 20.0;
    let plot_rect = Rect::from_min_max(rect.min, rect.max - vec2(0.0, below));
    let (chosen, label, least) = (view.chosen, title.to_owned(), Sides::default());
    let target = Target { spec, key, chosen, label, least, kept: spec.x_range, has_cursors: true, hides_x: false };
    let done = plot::show_ui(ui, plot_rect, &source, (&mut scope.view, &mut scope.time), &mut state.common, &target);
    if let Some(cursors) = done.cursors {
        actions.push(Action::Apply(PlotList::cursor_change("Move cursor", Some(cursors))));
    }
    if let (Some(turn), Some(model)) = (done.turned, model_at(view.simulation, &scope.path)) {
        let spec = PlotSpec { view_angles: Some(turn), ..spec.clone() };
        actions.push(Action::Apply(scope_change("Rotate scope", view.simulation, model, scope.block, &spec)));
    }
    let mut at = plot_rect.left_bottom() + vec2(8.0, below / 2.0);
    for trace in &spec.traces {
        let color = curves::color_of(view.list, trace, theme);
        let swatch = Rect::from_center_size(at + vec2(7.0, 0.0), vec2(14.0, 8.0));
        swatch_ui(ui, swatch, trace, color);
        let value = value_text(&source, &trace.signal, done.pointed.or(view.chosen));
        let text = format!("{}  {value}", view.derived.name_of(&trace.signal));
        let galley = ui.painter().layout_no_wrap(text, style::plain(TEXT_SMALL), theme.text);
        ui.painter().galley(at + vec2(20.0, -galley.size().y / 2.0), galley.clone(), theme.text);
        at.x += galley.size().x + 36.0;
    }
    ui.allocate_rect(rect, egui::Sense::hover());
}
