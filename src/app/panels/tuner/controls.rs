//! The controls of the tuner: what is tuned, by which rule, the sliders, and the button that writes the gains.

use std::sync::Arc;

use eframe::egui::{self, DragValue, Sense, Slider, Spinner, Ui, vec2};

use super::{Point, TunerState, TunerView, name_of};
use crate::app::action::Action;
use crate::app::doc::typed;
use crate::app::store::lab::{PidLoop, Suggestion};
use crate::app::ui::numbers;
use crate::app::ui::style;
use crate::app::ui::widgets::{self, theme_of};
use crate::model::BlockAddress;
use crate::tuning::{Kind, Rule};

/// The bandwidths of the slider, from the one that suits the plant.
const SPAN: f64 = 30.0;
/// The phase margins of the slider, in degrees; others can be typed.
const MARGINS: [f64; 2] = [20.0, 85.0];
/// The width of names, numbers and buttons in the line of the sliders, in points.
const BESIDE_SLIDERS: f32 = 515.0;
/// The width of the button that writes the gains, in points.
const APPLY: f32 = 72.0;

/// Draws the choices of block, type, rule and operating point.
pub fn choices_ui(ui: &mut Ui, state: &mut TunerState, view: &TunerView, (of, scale): (Option<&Arc<PidLoop>>, f32)) {
    ui.label(widgets::weak(ui, "Block"));
    let name = |block: &BlockAddress| name_of(view.simulation, &state.known, block);
    let shown = state.block.as_ref().map_or_else(String::new, name);
    let mut chosen = state.block.clone();
    let response = widgets::choice_ui(ui, "Block", &shown, 150.0 * scale, |ui| {
        for block in &state.known {
            ui.selectable_value(&mut chosen, Some(block.clone()), name(block));
        }
    });
    response.on_hover_text("The PID block that is tuned; a PID block that is selected in the diagram is taken");
    if chosen != state.block {
        state.turn_to(chosen);
    }
    ui.label(widgets::weak(ui, "Type"));
    let now = state.kind.or_else(|| of.map(|of| Kind::of(&of.block.parallel())));
    let mut kind = now;
    let response = widgets::choice_ui(ui, "Type", now.map_or("–", Kind::name), 70.0, |ui| {
        for each in Kind::ALL {
            ui.selectable_value(&mut kind, Some(each), each.name()).on_hover_text(each.about());
        }
    });
    response.on_hover_text("The terms of the controller");
    if kind != now {
        // Another type has another bandwidth that suits it.
        (state.kind, state.bandwidth, state.suited) = (kind, None, None);
    }
    ui.label(widgets::weak(ui, "Rule"));
    let response = widgets::choice_ui(ui, "Rule", state.rule.title(), 190.0 * scale, |ui| {
        for rule in Rule::ALL {
            ui.selectable_value(&mut state.rule, rule, rule.title()).on_hover_text(rule.about());
        }
    });
    response.on_hover_text(state.rule.about());
    ui.label(widgets::weak(ui, "Linearize"));
    let response = widgets::choice_ui(ui, "Linearize", state.point.title(), 140.0 * scale, |ui| {
        for (point, title, about) in Point::ALL {
            ui.selectable_value(&mut state.point, point, title).on_hover_text(about);
        }
    });
    response.on_hover_text(match (state.point, view.step) {
        (Point::Step, Some(step)) => format!("Around the values of step {step}"),
        (Point::Step, None) => "No step has run yet: around the initial values".to_owned(),
        _ => "The operating point around which the plant is linearized".to_owned(),
    });
    // The room is always there, so that nothing moves when work begins and ends.
    let (rect, _) = ui.allocate_exact_size(vec2(16.0, 16.0), Sense::hover());
    if view.tuner.is_busy() {
        ui.put(rect, Spinner::new().size(14.0));
    }
}

/// Draws the sliders of bandwidth and phase margin, each with its number.
pub fn sliders_ui(ui: &mut Ui, state: &mut TunerState, of: Option<&Arc<PidLoop>>, suggestion: Option<&Suggestion>) {
    ui.spacing_mut().slider_width = (0.5 * (ui.available_width() - BESIDE_SLIDERS)).clamp(60.0, 150.0);
    let theme = theme_of(ui.ctx());
    // The rail of a slider, which has the colour of a field otherwise.
    ui.visuals_mut().widgets.inactive.bg_fill = style::mix(theme.panel, theme.text_weak, 0.3);
    let is_free = state.rule.has_bandwidth();
    let now = state.bandwidth.filter(|_| is_free).or(suggestion.map(|found| found.tuned.bandwidth));
    let middle = state.suited.or(now).unwrap_or(1.0);
    let fastest = of.map_or(f64::INFINITY, |of| of.plant.fastest());
    let (low, high) = (middle / SPAN, (middle * SPAN).min(fastest.max(2.0 * middle)));
    let mut bandwidth = now.unwrap_or(middle);
    let before = bandwidth;
    ui.label(widgets::weak(ui, "Bandwidth"));
    let about = "Where the open loop has the gain 1: to the right faster, with more control effort";
    let slider = Slider::new(&mut bandwidth, low.min(before)..=high.max(before)).logarithmic(true);
    let slider = named(ui.add_enabled(is_free, slider.show_value(false).trailing_fill(true)), "Bandwidth");
    slider.on_hover_text(about).on_disabled_hover_text("The rule has no bandwidth to choose");
    let number = number_of(&mut bandwidth, (1e-9..=1e12, 0.01 * before), " rad/s");
    named(ui.add_enabled(is_free, number), "Bandwidth, rad/s").on_hover_text(about);
    let auto = ui.add_enabled(is_free && state.bandwidth.is_some(), egui::Button::new("Automatic").small());
    if auto.on_hover_text("The bandwidth that suits the plant").clicked() {
        state.bandwidth = None;
    } else if bandwidth != before {
        state.bandwidth = Some(bandwidth);
    }
    ui.label(widgets::weak(ui, "Phase margin"));
    let about = "To the right more robust and damped, to the left faster with more overshoot";
    let is_free = state.rule.has_margin();
    let range = MARGINS[0].min(state.margin)..=MARGINS[1].max(state.margin);
    let slider = Slider::new(&mut state.margin, range);
    let slider = named(ui.add_enabled(is_free, slider.show_value(false).trailing_fill(true)), "Phase margin");
    slider.on_hover_text(about).on_disabled_hover_text("The rule has no phase margin to choose");
    let number = number_of(&mut state.margin, (1.0..=120.0, 0.5), "°");
    named(ui.add_enabled(is_free, number), "Phase margin, degrees").on_hover_text(about);
}

/// A number that is dragged or typed.
fn number_of<'a>(
    value: &'a mut f64,
    (range, speed): (std::ops::RangeInclusive<f64>, f64),
    unit: &'static str,
) -> DragValue<'a> {
    DragValue::new(value)
        .range(range)
        .speed(speed)
        .suffix(unit)
        .custom_formatter(|value, _| numbers::digits(value, 4))
        .custom_parser(move |text| typed::number_with(text, unit.trim()))
}

/// Gives a widget a name for screen readers.
fn named(response: egui::Response, name: &str) -> egui::Response {
    response.ctx.accesskit_node_builder(response.id, |node| node.set_label(name));
    response
}

/// Draws the button that writes the gains.
pub fn apply_ui(ui: &mut Ui, of: &PidLoop, suggestion: &Suggestion, actions: &mut Vec<Action>) {
    let change = of.block.change(suggestion.own);
    // Without room it goes to the next line, since its text would be broken.
    if ui.available_size_before_wrap().x < APPLY {
        ui.end_row();
    }
    let apply = ui.add_enabled_ui(!change.edits.is_empty(), |ui| widgets::main_button_ui(ui, "Apply")).inner;
    let about = match &of.block.expressions[..] {
        [] => "Set the gains of the block to these; this can be undone".to_owned(),
        expressions => {
            let names: Vec<&str> = expressions.iter().map(|(name, _)| *name).collect();
            format!("Set the gains of the block to these; numbers replace the expressions of {}", names.join(", "))
        }
    };
    if apply.on_hover_text(about).on_disabled_hover_text("The block has these gains").clicked() {
        actions.push(Action::Apply(change));
    }
}
