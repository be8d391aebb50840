//! The tuner of PID controllers: two sliders or a rule, the responses of the loop before and after, and its figures.
//!
//! | module | contents |
//! |---|---|
//! | `charts` | the responses in time and the Bode plot of the open loop, before and after |
//! | `controls` | the choices, the sliders and the button that writes the gains |
//! | `table` | gains and figures, before and after |

mod charts;
mod controls;
mod table;

use eframe::egui::{self, ScrollArea, Ui};

use self::charts::Domain;

use crate::app::action::command::Panel;
use crate::app::action::{Action, ViewAction};
use crate::app::panels::runs::block_name;
use crate::app::store::lab::{PidLoop, Suggestion, Tuner};
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets::{self, sentence, theme_of};
use crate::model::{AddressMap, BlockAddress, Simulation, model_at};
use crate::tuning::{BlockError, Kind, PidBlock, Rule, Target};

/// The width of the column of figures, in points.
const FIGURES: f32 = 250.0;
/// The width in which all fields have room, and the height that the figures need; below it they scroll.
const WIDE: f32 = 800.0;
const HIGH: f32 = 190.0;

/// Where the plant is linearized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Point {
    #[default]
    Start,
    Step,
    Equilibrium,
}

impl Point {
    const ALL: [(Point, &'static str, &'static str); 3] = [
        (Point::Start, "At the start", "Around the initial values"),
        (Point::Step, "At the shown step", "Around the values of the run at the step that is shown"),
        (Point::Equilibrium, "At equilibrium", "Around the equilibrium that is nearest to the initial values"),
    ];

    fn title(self) -> &'static str {
        Point::ALL.iter().find(|(point, ..)| *point == self).map_or("", |(_, title, _)| title)
    }
}

#[derive(Debug)]
pub struct TunerState {
    block: Option<BlockAddress>,
    pub rule: Rule,
    /// The terms of the controller; `None`: those that the block has.
    pub kind: Option<Kind>,
    /// In radians per second; `None` for one that suits the plant.
    pub bandwidth: Option<f64>,
    /// The phase margin in degrees.
    pub margin: f64,
    pub point: Point,
    /// The bandwidth that suits the plant, the middle of the slider.
    suited: Option<f64>,
    /// The block that was selected last, and the PID blocks of the simulation at a revision.
    selected: Option<BlockAddress>,
    known: Vec<BlockAddress>,
    known_at: Option<u64>,
    /// Counts the blocks; figures are fitted to each new one.
    generation: u64,
    /// The charts of a narrow panel.
    domain: Domain,
}

impl Default for TunerState {
    fn default() -> TunerState {
        TunerState {
            block: None,
            rule: Rule::default(),
            kind: None,
            bandwidth: None,
            margin: Target::MARGIN,
            point: Point::default(),
            suited: None,
            selected: None,
            known: Vec::new(),
            known_at: None,
            generation: 0,
            domain: Domain::default(),
        }
    }
}

impl TunerState {
    pub fn block(&self) -> Option<&BlockAddress> {
        self.block.as_ref()
    }

    /// Turns to a PID block that is newly selected. The block that is gone is replaced by the only one, if there is one.
    pub fn follow(
        &mut self,
        selected: Option<BlockAddress>,
        revision: u64,
        is_pid: impl Fn(&BlockAddress) -> bool,
        all: impl FnOnce() -> Vec<BlockAddress>,
    ) {
        if self.known_at != Some(revision) {
            (self.known, self.known_at) = (all(), Some(revision));
            self.block.take_if(|block| !is_pid(block));
        }
        if self.selected != selected {
            let chosen = selected.clone().filter(&is_pid);
            self.selected = selected;
            if chosen.is_some() {
                self.turn_to(chosen);
            }
        }
        if let (None, [only]) = (&self.block, &self.known[..]) {
            self.turn_to(Some(only.clone()));
        }
    }

    /// Shows another block; its type and its bandwidth are those that suit it.
    fn turn_to(&mut self, block: Option<BlockAddress>) {
        if self.block != block {
            (self.block, self.kind, self.bandwidth, self.suited) = (block, None, None, None);
            self.generation += 1;
        }
    }

    /// Lets the block follow a change of the document.
    pub fn relocate(&mut self, map: &AddressMap) {
        for block in self.block.iter_mut().chain(&mut self.selected) {
            *block = map.block(block);
        }
    }

    pub fn target(&self, block: &PidBlock) -> Target {
        let kind = self.kind.unwrap_or_else(|| Kind::of(&block.parallel()));
        let bandwidth = self.bandwidth.filter(|_| self.rule.has_bandwidth());
        Target { rule: self.rule, kind, bandwidth, margin: self.margin, filter: block.gains.n }
    }
}

pub struct TunerView<'a> {
    pub simulation: &'a Simulation,
    pub tuner: &'a Tuner,
    /// The simulation has no errors.
    pub has_program: bool,
    pub is_checked: bool,
    /// The shown step; `None` before the first.
    pub step: Option<u64>,
}

pub fn show_ui(ui: &mut Ui, state: &mut TunerState, view: &TunerView) -> Vec<Action> {
    let mut actions = Vec::new();
    if state.block.is_none() {
        no_block_ui(ui, state, view);
        return actions;
    }
    let of = view.tuner.of.as_ref().and_then(|of| of.as_ref().ok());
    let suggestion = view.tuner.suggestion.as_ref().and_then(|suggestion| suggestion.as_ref().ok());
    if let Some(suited) = suggestion.filter(|found| found.target.bandwidth.is_none()) {
        state.suited = Some(suited.tuned.bandwidth);
    }
    egui::Frame::new().inner_margin(egui::Margin { left: 12, right: 8, top: 6, bottom: 4 }).show(ui, |ui| {
        // In a narrow panel all fields are narrower, so that two lines are enough.
        let scale = (ui.available_width() / WIDE).clamp(0.62, 1.0);
        ui.horizontal_wrapped(|ui| controls::choices_ui(ui, state, view, (of, scale)));
        ui.add_enabled_ui(of.is_some(), |ui| {
            ui.horizontal_wrapped(|ui| {
                controls::sliders_ui(ui, state, of, suggestion);
                if let Some((of, suggestion)) = of.zip(suggestion) {
                    controls::apply_ui(ui, of, suggestion, &mut actions);
                }
            });
        });
    });
    match (&view.tuner.of, &view.tuner.suggestion) {
        _ if !view.has_program && view.is_checked => {
            problem_ui(ui, "The simulation has errors", "Mend them, then the controller can be tuned");
            ui.vertical_centered(|ui| {
                if ui.button("Show problems").clicked() {
                    actions.push(Action::View(ViewAction::ShowPanel(Panel::Problems)));
                }
            });
        }
        (Some(Err(error)), _) => error_ui(ui, error),
        (Some(Ok(_)), Some(Err(error))) => {
            problem_ui(ui, "No gains by this rule", &sentence(&error.to_string()));
        }
        (Some(Ok(of)), Some(Ok(suggestion))) => {
            ScrollArea::vertical().id_salt("loop").auto_shrink(false).show(ui, |ui| loop_ui(ui, state, of, suggestion));
        }
        _ => {}
    }
    actions
}

/// Draws the empty state: the PID blocks of the simulation, or how to get one.
fn no_block_ui(ui: &mut Ui, state: &mut TunerState, view: &TunerView) {
    let (title, what) = match state.known.is_empty() {
        true => (
            "No PID block",
            "Insert a PID controller block, and wire its output through the plant back to its input, then tune it here",
        ),
        false => ("No PID block selected", "Select one in the diagram, or choose one:"),
    };
    widgets::empty_ui(ui, Icon::Sliders, title, what);
    let mut chosen = None;
    ui.vertical_centered(|ui| {
        for block in state.known.iter().take(8) {
            if ui.button(name_of(view.simulation, &state.known, block)).clicked() {
                chosen = Some(block.clone());
            }
        }
    });
    if chosen.is_some() {
        state.turn_to(chosen);
    }
}

/// Returns the title of a PID block; where another has the same, with the models around it.
fn name_of(simulation: &Simulation, known: &[BlockAddress], block: &BlockAddress) -> String {
    let title = |of: &BlockAddress| {
        let model = model_at(simulation, &of.path);
        model.and_then(|model| model.block(of.block)).map_or_else(String::new, |block| block.title().to_owned())
    };
    let own = title(block);
    match known.iter().any(|other| other != block && title(other) == own) {
        true => block_name(simulation, &block.path, block.block),
        false => own,
    }
}

/// Draws why there is nothing to show, below the choices.
fn problem_ui(ui: &mut Ui, title: &str, what: &str) {
    widgets::empty_ui(ui, Icon::Warning, title, what);
}

fn error_ui(ui: &mut Ui, error: &BlockError) {
    let text = sentence(&error.to_string());
    let text = match error.advice() {
        "" => text,
        advice => format!("{text}.\n{advice}"),
    };
    problem_ui(ui, "This block cannot be tuned", &text);
}

/// Draws the figures and the curves of the loop.
fn loop_ui(ui: &mut Ui, state: &mut TunerState, of: &PidLoop, suggestion: &Suggestion) {
    let (left, height) = (FIGURES.min(ui.available_width() * 0.45), ui.available_height().max(HIGH));
    ui.horizontal_top(|ui| {
        ui.allocate_ui_with_layout(egui::vec2(left, height), egui::Layout::top_down(egui::Align::Min), |ui| {
            ScrollArea::vertical().id_salt("figures of the loop").auto_shrink(false).show(ui, |ui| {
                // Without a margin above, its first row is beside the titles of the charts.
                egui::Frame::new().inner_margin(egui::Margin { left: 12, right: 8, top: 0, bottom: 2 }).show(
                    ui,
                    |ui| {
                        table::show_ui(ui, of, suggestion);
                        notes_ui(ui, of, suggestion);
                    },
                );
            });
        });
        charts::show_ui(ui, height, &mut state.domain, state.generation, suggestion);
    });
}

/// Draws the limits of the numbers, and what Apply replaces.
fn notes_ui(ui: &mut Ui, of: &PidLoop, suggestion: &Suggestion) {
    let theme = theme_of(ui.ctx());
    ui.add_space(SPACE);
    if !suggestion.tuned.is_reached {
        let kind = suggestion.target.kind.name();
        let text = format!("A {kind} controller cannot have this phase margin at this bandwidth");
        ui.colored_label(theme.warning, text);
    }
    for (name, text) in &of.block.expressions {
        ui.label(widgets::weak(ui, format!("{name} is the expression “{text}”; Apply replaces it by a number")));
    }
    if of.block.instances > 1 {
        let text = format!("The model has {} instances; all get these gains", of.block.instances);
        ui.label(widgets::weak(ui, text));
    }
}
