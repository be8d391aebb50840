//! The linear analysis of the simulation at an operating point: frequency, step and impulse responses, poles
//! and zeros, root locus.

pub mod bode;
mod figures;
mod locus;
mod marks;
mod nichols;
mod rest;

use eframe::egui::{self, ScrollArea, Ui};

use self::rest::Rest;
use crate::app::action::{Action, LabAction};
use crate::app::doc::derived::Derived;
use crate::app::doc::typed;
use crate::app::store::lab::{Analysis, LoopMargins};
use crate::app::ui::icons::Icon;
use crate::app::ui::numbers;
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets::{self, theme_of};
use crate::block::math::Complex;
use crate::engine::{AnalysisError, LinearizeRequest, SignalElement};
use crate::model::{AddressMap, SignalKey, Simulation, place_of_signal};

/// The kind of figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Figure {
    #[default]
    Bode,
    Nyquist,
    Nichols,
    Poles,
    Locus,
    Step,
    Impulse,
}

impl Figure {
    const ALL: [(Figure, &'static str, &'static str); 7] = [
        (Figure::Bode, "Bode", "Gain and phase over frequency"),
        (Figure::Nyquist, "Nyquist", "The frequency response in the complex plane"),
        (Figure::Nichols, "Nichols", "Gain over phase of the open loop, with lines of the closed loop"),
        (Figure::Poles, "Pole map", "Poles and zeros in the complex plane"),
        (Figure::Locus, "Root locus", "The poles of the loop closed with negative feedback, for rising gains"),
        (Figure::Step, "Step", "The response to a step of height 1"),
        (Figure::Impulse, "Impulse", "The response to an impulse of area 1"),
    ];
}

#[derive(Default)]
pub struct AnalysisState {
    pub input: Option<SignalKey>,
    pub output: Option<SignalKey>,
    pub cuts: bool,
    /// The order of the Padé forms of delays, unless it is the default.
    pub pade_order: Option<usize>,
    pub is_at_rest: bool,
    pub rest: Rest,
    /// The error in the conditions of the equilibrium.
    pub problem: Option<String>,
    figure: Figure,
    /// Counts analyses; figures are fitted to each new one.
    generation: u64,
}

impl AnalysisState {
    /// Fits the figures to a new content.
    pub fn begin_figures(&mut self) {
        self.generation += 1;
    }

    /// Lets the chosen signals, parameters and blocks follow a change of the document.
    pub fn relocate(&mut self, map: &AddressMap) {
        for signal in self.input.iter_mut().chain(&mut self.output) {
            *signal = map.signal(signal);
        }
        self.rest.relocate(map);
    }

    pub fn wanted(&self) -> LinearizeRequest {
        let element = |signal: &Option<SignalKey>| signal.clone().map(|signal| SignalElement { signal, element: 0 });
        LinearizeRequest {
            inputs: element(&self.input).into_iter().collect(),
            outputs: element(&self.output).into_iter().collect(),
            cuts_inputs: self.cuts,
            pade_order: self.pade_order.unwrap_or(LinearizeRequest::DEFAULT_ORDER),
        }
    }
}

pub struct AnalysisView<'a> {
    pub simulation: &'a Simulation,
    pub derived: &'a Derived,
    /// Returns the outputs of the open model.
    pub signals: &'a dyn Fn() -> Vec<SignalKey>,
    /// Returns the signals at which the feedback loops of the simulation are opened.
    pub loops: &'a dyn Fn() -> Vec<SignalKey>,
    /// Returns the paths and values of the selected block's scalar parameters.
    pub params: &'a dyn Fn() -> Vec<(String, f64)>,
    /// Returns the value of a signal in the shown step.
    pub value: &'a dyn Fn(&SignalKey) -> Option<f64>,
    /// The first output of the selected block.
    pub selected: Option<SignalKey>,
    pub result: Option<&'a Result<Analysis, AnalysisError>>,
    pub is_busy: bool,
    /// The shown step; `None` before the first.
    pub step: Option<u64>,
    pub can_run: bool,
}

pub fn show_ui(ui: &mut Ui, state: &mut AnalysisState, view: &AnalysisView) -> Vec<Action> {
    let mut actions = Vec::new();
    egui::Frame::new().inner_margin(egui::Margin { left: 12, right: 8, top: 6, bottom: 4 }).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            loop_ui(ui, state, view);
            signal_ui(ui, "Input", "The analysis adds its input to this signal", &mut state.input, view);
            signal_ui(ui, "Output", "The output of the analysis", &mut state.output, view);
            let cut = widgets::check_ui(ui, &mut state.cuts, "Open the loop");
            cut.on_hover_text("Blocks that read the input signal see only the added input: the open-loop response");
            let rest = widgets::check_ui(ui, &mut state.is_at_rest, "At equilibrium");
            rest.on_hover_text("Around the nearest equilibrium, not around the step that is shown");
            let about = match (state.is_at_rest, view.step) {
                (true, _) => "Linearize at equilibrium".to_owned(),
                (false, Some(step)) => format!("Linearize at step {step}"),
                (false, None) => "Linearize at the start".to_owned(),
            };
            let button = ui.add_enabled(view.can_run, egui::Button::new(about));
            if button.on_hover_text("Exact, from the derivatives of all blocks").clicked() {
                state.begin_figures();
                actions.push(Action::Lab(LabAction::Analyse));
            }
            if let Some(Ok(analysis)) = view.result
                && !analysis.linear.delays.is_empty()
            {
                pade_ui(ui, &mut state.pade_order);
            }
            if view.is_busy {
                ui.spinner();
            }
        });
        if state.is_at_rest {
            rest::show_ui(ui, &mut state.rest, view);
        }
        if let Some(problem) = &state.problem {
            ui.colored_label(theme_of(ui.ctx()).error, problem);
        }
    });
    match view.result {
        None => {
            let what = "Choose a loop, or an input and an output, then linearize: Bode plot, poles, step response";
            widgets::empty_ui(ui, Icon::Curve, "No analysis yet", what);
        }
        Some(Err(error)) => {
            let theme = theme_of(ui.ctx());
            widgets::panel_frame().show(ui, |ui| ui.colored_label(theme.error, error.to_string()));
        }
        Some(Ok(analysis)) => result_ui(ui, state, view.simulation, analysis, &mut actions),
    }
    actions
}

/// Draws the order of the Padé forms that stand for delays.
fn pade_ui(ui: &mut Ui, order: &mut Option<usize>) {
    ui.label(widgets::weak(ui, "Padé order"));
    let mut wanted = order.unwrap_or(LinearizeRequest::DEFAULT_ORDER);
    let drag = ui.add(
        egui::DragValue::new(&mut wanted)
            .range(1..=LinearizeRequest::MAX_ORDER)
            .speed(0.05)
            .custom_parser(typed::dragged_whole),
    );
    ui.ctx().accesskit_node_builder(drag.id, |node| node.set_label("Padé order"));
    if drag.changed() {
        *order = Some(wanted);
    }
    drag.on_hover_text(
        "States, poles and zeros have a rational function of this order for each delay; the frequency response is exact",
    );
}

/// Draws a list of signals, with a button for that of the selected block.
fn signal_ui(ui: &mut Ui, label: &str, tip: &str, chosen: &mut Option<SignalKey>, view: &AnalysisView) {
    let shown = chosen.as_ref().map_or_else(|| "none".to_owned(), |signal| view.derived.name_of(signal));
    ui.label(widgets::weak(ui, label));
    let response = widgets::choice_ui(ui, label, &shown, 150.0, |ui| {
        ui.selectable_value(chosen, None, "none");
        for signal in (view.signals)() {
            let name = view.derived.name_of(&signal);
            ui.selectable_value(chosen, Some(signal), name);
        }
    });
    response.on_hover_text(tip);
    let target = ui.add_enabled(view.selected.is_some(), egui::Button::new("Selected").small());
    ui.ctx().accesskit_node_builder(target.id, |node| node.set_label(format!("{label}: selected block")));
    if target.on_hover_text("Use the output of the selected block").clicked() {
        chosen.clone_from(&view.selected);
    }
}

fn result_ui(
    ui: &mut Ui,
    state: &mut AnalysisState,
    simulation: &Simulation,
    analysis: &Analysis,
    actions: &mut Vec<Action>,
) {
    let Some(way) = &analysis.way else {
        ScrollArea::vertical().id_salt("analysis").auto_shrink(false).show(ui, |ui| {
            widgets::panel_frame().show(ui, |ui| text_ui(ui, simulation, analysis, actions));
        });
        return;
    };
    let (left, right) = (260.0_f32.min(ui.available_width() * 0.4), ui.available_height());
    ui.horizontal_top(|ui| {
        ui.allocate_ui_with_layout(egui::vec2(left, right), egui::Layout::top_down(egui::Align::Min), |ui| {
            ScrollArea::vertical().id_salt("analysis").auto_shrink(false).show(ui, |ui| {
                widgets::panel_frame().show(ui, |ui| text_ui(ui, simulation, analysis, actions));
            });
        });
        ui.vertical(|ui| {
            ui.horizontal(|ui| {
                for (figure, title, tip) in Figure::ALL {
                    ui.selectable_value(&mut state.figure, figure, title).on_hover_text(tip);
                }
            });
            figures::show_ui(ui, state.figure, way, state.generation);
        });
    });
}

/// Draws the numeric results.
fn text_ui(ui: &mut Ui, simulation: &Simulation, analysis: &Analysis, actions: &mut Vec<Action>) {
    let linear = &analysis.linear;
    let count = match linear.states.len() {
        1 => "1 state".to_owned(),
        count => format!("{count} states"),
    };
    ui.label(match linear.period {
        None => format!("{count}, continuous"),
        Some(period) => format!("{count}, every {}", numbers::seconds(period)),
    });
    if linear.left_out > 0 {
        let text = format!("{} more not on a path from the input to the output", linear.left_out);
        ui.label(widgets::weak(ui, text));
    }
    for delay in &linear.delays {
        let what = if linear.period.is_some() { "kept step by step" } else { "exact in the frequency response" };
        let text = format!("{}: {}, {what}", delay.block.text(simulation), numbers::seconds(delay.seconds));
        ui.label(widgets::weak(ui, text));
    }
    for block in &linear.still {
        let text = format!("{} is treated as constant", block.text(simulation));
        ui.label(widgets::weak(ui, text));
    }
    for state in analysis.restless() {
        let text = format!("{} has no equilibrium", state.block.text(simulation));
        ui.label(widgets::weak(ui, text));
    }
    found_ui(ui, analysis, actions);
    let poles = analysis.way.as_ref().map_or_else(|| linear.poles(), |way| way.channel.poles.clone());
    if let Some(way) = &analysis.way {
        let stable = match way.channel.is_stable() {
            Some(true) => "stable",
            Some(false) => "unstable",
            None => "poles not found",
        };
        ui.label(format!("{stable}, DC gain {}", numbers::digits(way.channel.steady_gain(), 5)));
        match &way.margins {
            Some(margins) => margins_ui(ui, simulation, margins),
            None => {
                let text = "No loop is opened, so there are no margins: choose a loop above";
                ui.label(widgets::weak(ui, text));
            }
        }
    }
    for (title, list) in [("Poles", poles), ("Zeros", analysis.way.as_ref().and_then(|way| way.channel.zeros.clone()))]
    {
        let Some(list) = list.filter(|list| !list.is_empty()) else { continue };
        widgets::section_ui(ui, title);
        for at in list {
            let mut text = complex_text(at);
            if let Some(way) = analysis.way.as_ref().filter(|_| title == "Poles") {
                let (frequency, damping) = way.channel.damping(at);
                // A pole at 0 of a sampled system is a delay, which has neither.
                if frequency.is_finite() && damping.is_finite() {
                    let (frequency, damping) = (numbers::digits(frequency, 4), numbers::digits(damping, 3));
                    text += &format!("   ω {frequency} rad/s, ζ {damping}");
                }
            }
            ui.label(text);
        }
    }
    widgets::section_ui(ui, "States");
    for (state, value) in linear.states.iter().zip(&linear.point) {
        let name = state.block.text(simulation);
        let element = if state.element > 0 { format!("[{}]", state.element) } else { String::new() };
        let age = state.age.map(|age| format!(", {age} back")).unwrap_or_default();
        ui.label(format!("{name}{element}{age} = {}", numbers::digits(*value, 6)));
    }
    ui.add_space(SPACE);
}

/// Draws the margins of the opened loop, with its name.
fn margins_ui(ui: &mut Ui, simulation: &Simulation, of: &LoopMargins) {
    let margins = &of.margins;
    let at = |at: Option<f64>| at.map(|at| format!(" at {} rad/s", numbers::digits(at, 4))).unwrap_or_default();
    let decibels = 20.0 * margins.gain.log10();
    let text = |value: f64, unit: &str| match value {
        value if value.is_finite() => numbers::digits(value, 4) + unit,
        _ => "infinite".to_owned(),
    };
    let title = ui.label(format!("Margins of the loop at › {}", place_of_signal(simulation, &of.at)));
    title.on_hover_text("The loop is opened at this signal; closed, it has negative feedback");
    ui.label(format!("gain margin {}{}", text(decibels, " dB"), at(margins.gain_at)));
    ui.label(format!("phase margin {}{}", text(margins.phase, "°"), at(margins.phase_at)));
}

/// Draws the list of the loops that are found; the chosen one is opened.
fn loop_ui(ui: &mut Ui, state: &mut AnalysisState, view: &AnalysisView) {
    let place = |signal: &SignalKey| format!("at › {}", place_of_signal(view.simulation, signal));
    let opened = state.input.clone().filter(|_| state.cuts && state.input == state.output);
    let shown = opened.as_ref().map_or_else(|| "none".to_owned(), &place);
    ui.label(widgets::weak(ui, "Loop"));
    let mut chosen = opened.clone();
    let response = widgets::choice_ui(ui, "Loop", &shown, 130.0, |ui| {
        ui.selectable_value(&mut chosen, None, "none");
        let loops = (view.loops)();
        if loops.is_empty() {
            ui.label(widgets::weak(ui, "The diagram has no feedback loop"));
        }
        for signal in loops {
            let text = place(&signal);
            ui.selectable_value(&mut chosen, Some(signal), text);
        }
    });
    response.on_hover_text("Opens a feedback loop at this signal, and shows its response and margins");
    if chosen != opened {
        state.cuts = chosen.is_some();
        (state.input, state.output) = (chosen.clone(), chosen);
    }
}

/// Draws the parameters found for the equilibrium.
fn found_ui(ui: &mut Ui, analysis: &Analysis, actions: &mut Vec<Action>) {
    if analysis.found.is_empty() {
        return;
    }
    widgets::section_ui(ui, "Found");
    for (path, values) in &analysis.found {
        let values: Vec<String> = values.iter().map(|value| numbers::digits(*value, 6)).collect();
        ui.label(format!("{path} = {}", values.join(" ")));
    }
    let take = ui.button("Apply these values");
    if take.on_hover_text("Set the parameters to these values; this can be undone").clicked() {
        actions.push(Action::Lab(LabAction::TakeFound));
    }
}

fn complex_text(at: Complex) -> String {
    let re = numbers::digits(at.re, 5);
    match at.im {
        0.0 => re,
        im => format!("{re} {} {}j", if im < 0.0 { "−" } else { "+" }, numbers::digits(im.abs(), 5)),
    }
}
