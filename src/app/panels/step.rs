//! The trace of one step: which blocks ran in which order and why, which did not, and their execution time.

use eframe::egui::{self, Key, Rect, RichText, ScrollArea, Ui, pos2, vec2};

use crate::app::action::{Action, LabAction, ViewAction};
use crate::app::doc::signal_value::value_text;
use crate::app::doc::uses::path_text;
use crate::app::store::lab::Lab;
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, Selected, theme_of};
use crate::app::ui::{numbers, style};
use crate::engine::{BlockExecution, Cause, IdleReason, Profile, StepTrace};
use crate::model::{BlockAddress, Simulation};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tab {
    #[default]
    Order,
    Idle,
    Costs,
}

#[derive(Default)]
pub struct StepState {
    tab: Tab,
    /// The index of the selected execution in the order.
    selected: Option<usize>,
    /// The list scrolls to it.
    scrolls: bool,
}

impl StepState {
    pub fn shows_costs(&self) -> bool {
        self.tab == Tab::Costs
    }
}

pub struct StepView<'a> {
    pub simulation: &'a Simulation,
    pub lab: &'a Lab,
    pub is_running: bool,
    pub has_run: bool,
}

const ROW: f32 = 24.0;

pub fn show_ui(ui: &mut Ui, state: &mut StepState, view: &StepView) -> Vec<Action> {
    let mut actions = Vec::new();
    egui::Frame::new().inner_margin(egui::Margin { left: 12, right: 8, top: 6, bottom: 2 }).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            let order = ui.selectable_value(&mut state.tab, Tab::Order, "Order");
            order.on_hover_text("The execution order of the blocks in the shown step, with reasons");
            let idle = view.lab.record.as_ref().map_or(0, |record| record.idle.len());
            let title = if idle > 0 { format!("Did not run ({idle})") } else { "Did not run".to_owned() };
            let idle = ui.selectable_value(&mut state.tab, Tab::Idle, title);
            idle.on_hover_text("Which blocks did not run in the step, and why not");
            let costs = ui.selectable_value(&mut state.tab, Tab::Costs, "Execution time");
            costs.on_hover_text("The number and duration of block executions, from this step on");
            if view.lab.is_busy() {
                ui.spinner();
            }
        });
    });
    if view.is_running {
        let what = "Pause the run or choose one of its steps to see the order of its blocks";
        widgets::empty_ui(ui, Icon::Pause, "The run is in progress", what);
        return actions;
    }
    match (state.tab, &view.lab.record, &view.lab.profile) {
        (Tab::Costs, _, Some(profile)) => costs_ui(ui, view.simulation, profile, &mut actions),
        (Tab::Order, Some(record), _) => order_ui(ui, state, view.simulation, record, &mut actions),
        (Tab::Idle, Some(record), _) => idle_ui(ui, view.simulation, record, &mut actions),
        _ if view.has_run => widgets::empty_ui(ui, Icon::Search, "Tracing…", "The step is executed again with tracing"),
        _ => widgets::empty_ui(ui, Icon::Step, "No step yet", "Run a step to see which blocks ran in it"),
    }
    actions
}

fn order_ui(
    ui: &mut Ui,
    state: &mut StepState,
    simulation: &Simulation,
    record: &StepTrace,
    actions: &mut Vec<Action>,
) {
    let last = record.len().saturating_sub(1);
    state.selected = state.selected.map(|selected| selected.min(last));
    let mut wanted = None;
    egui::Frame::new().inner_margin(egui::Margin { left: 12, right: 8, top: 2, bottom: 2 }).show(ui, |ui| {
        ui.horizontal(|ui| {
            let selected = state.selected;
            if widgets::icon_button_if_ui(ui, Icon::StepBack, "Previous block execution", selected != Some(0)).clicked()
            {
                wanted = Some(selected.map_or(0, |selected| selected.saturating_sub(1)));
            }
            if widgets::icon_button_if_ui(ui, Icon::Step, "Next block execution", selected != Some(last)).clicked() {
                wanted = Some(selected.map_or(0, |selected| (selected + 1).min(last)));
            }
            ui.label(widgets::weak(ui, head(record)));
        });
    });
    if let Some(failure) = &record.failure {
        let theme = theme_of(ui.ctx());
        egui::Frame::new().inner_margin(egui::Margin { left: 12, right: 8, top: 0, bottom: 2 }).show(ui, |ui| {
            ui.label(RichText::new(format!("The step cannot be completed: {}", failure.problem)).color(theme.error));
        });
    }
    let detail = state.selected.and_then(|selected| record.execution(selected));
    let (width, height) = (ui.available_width(), ui.available_height());
    let left = if detail.is_some() { (width * 0.62).max(width - 420.0) } else { width };
    ui.horizontal_top(|ui| {
        ui.allocate_ui_with_layout(vec2(left, height), egui::Layout::top_down(egui::Align::Min), |ui| {
            list_frame().show(ui, |ui| {
                wanted = list_ui(ui, state, simulation, record).or(wanted);
            });
        });
        if let Some(execution) = &detail {
            ui.separator();
            ui.vertical(|ui| detail_ui(ui, execution));
        }
    });
    if let Some(number) = wanted
        && let Some(execution) = record.execution(number)
    {
        state.scrolls = state.selected != Some(number);
        state.selected = Some(number);
        let input = match execution.cause {
            Cause::Input(name) => Some(name.to_owned()),
            _ => None,
        };
        actions.push(Action::Lab(LabAction::ShowExecution { block: execution.block, input }));
    }
}

/// Draws the executions in order; returns the next selection.
fn list_ui(ui: &mut Ui, state: &mut StepState, simulation: &Simulation, record: &StepTrace) -> Option<usize> {
    let last = record.len().saturating_sub(1);
    let mut wanted = None;
    ui.spacing_mut().item_spacing.y = 1.0;
    let mut area = ScrollArea::vertical().id_salt("order").auto_shrink(false);
    if let (true, Some(selected)) = (std::mem::take(&mut state.scrolls), state.selected) {
        area = area.vertical_scroll_offset((selected as f32 * (ROW + 1.0) - 2.0 * ROW).max(0.0));
    }
    area.show_rows(ui, ROW, record.len(), |ui, rows| {
        for number in rows {
            let Some(execution) = record.execution(number) else { continue };
            let response = firing_ui(ui, simulation, number, &execution, state.selected == Some(number));
            if response.clicked() {
                wanted = Some(number);
                response.request_focus();
            }
            if response.has_focus() {
                let (up, down) = ui.input(|input| (input.key_pressed(Key::ArrowUp), input.key_pressed(Key::ArrowDown)));
                match (up, down) {
                    (true, _) => wanted = Some(number.saturating_sub(1)),
                    (_, true) => wanted = Some((number + 1).min(last)),
                    _ => {}
                }
            }
        }
    });
    wanted
}

fn list_frame() -> egui::Frame {
    egui::Frame::new().inner_margin(egui::Margin { left: 6, right: 6, top: 0, bottom: 4 })
}

fn head(record: &StepTrace) -> String {
    let mut text = format!("Step {}, {}: {} executions", record.step, numbers::seconds(record.time), record.len());
    match record.minor_passes {
        0 => {}
        1 => text += ", and one minor step of the solver",
        count => text += &format!(", and {count} minor steps of the solver"),
    }
    text
}

fn firing_ui(
    ui: &mut Ui,
    simulation: &Simulation,
    number: usize,
    execution: &BlockExecution,
    selected: impl Into<Selected>,
) -> egui::Response {
    let is_selected = selected.into() == Selected::Yes;
    let theme = theme_of(ui.ctx());
    let block = text_of(simulation, &execution.block);
    let why = why(execution);
    let label = format!("{}: {block}, {why}", number + 1);
    widgets::selectable_row_ui(ui, &label, ROW, is_selected, |ui, rect| {
        let room = rect.shrink2(vec2(8.0, 0.0));
        let count = Rect::from_min_max(room.min, pos2(room.left() + 44.0, room.bottom()));
        widgets::text_in(ui, count, &(number + 1).to_string(), style::plain(TEXT_SMALL), theme.text_weak);
        let right = Rect::from_min_max(pos2(room.left() + 0.55 * room.width(), room.top()), room.max);
        let name = Rect::from_min_max(pos2(count.right() + 4.0, room.top()), pos2(right.left() - 8.0, room.bottom()));
        widgets::text_in(ui, name, &block, style::plain(TEXT), theme.text);
        widgets::text_in(ui, right, &why, style::plain(TEXT_SMALL), theme.text_weak);
    })
}

fn why(execution: &BlockExecution) -> String {
    let mut text = match execution.cause {
        Cause::StepStart => "first: no direct feedthrough".to_owned(),
        Cause::Source => "no inputs to wait for".to_owned(),
        Cause::Input(name) => format!("“{name}” arrived"),
        Cause::Iteration => "next iteration".to_owned(),
        Cause::Subsystem => "its subsystem started, all inputs were ready".to_owned(),
    };
    if execution.run > 0 {
        text += &format!(", execution {} in this step", execution.run + 1);
    }
    if execution.holds.is_some() {
        text += ", holds until its sample time";
    }
    text
}

fn detail_ui(ui: &mut Ui, execution: &BlockExecution) {
    let theme = theme_of(ui.ctx());
    widgets::panel_frame().show(ui, |ui| {
        ScrollArea::vertical().id_salt("values").auto_shrink(false).show(ui, |ui| {
            for (title, values) in [("In", &execution.inputs), ("Out", &execution.outputs)] {
                ui.label(RichText::new(title).font(style::strong(TEXT_SMALL)).color(theme.text_weak));
                if values.is_empty() {
                    ui.label(widgets::weak(ui, "nothing"));
                }
                for (name, elements) in values {
                    ui.label(format!("{name} = {}", elements_text(elements)));
                }
            }
        });
    });
}

/// Formats the elements of a value; long vectors are abbreviated.
fn elements_text(elements: &[f64]) -> String {
    const MAX_ELEMENTS: usize = 8;
    let shown: Vec<String> = elements.iter().take(MAX_ELEMENTS).map(|element| element_text(*element)).collect();
    match elements.len() {
        1 => shown.concat(),
        count if count > MAX_ELEMENTS => format!("[{}, …] {count} elements", shown.join(", ")),
        _ => format!("[{}]", shown.join(", ")),
    }
}

fn element_text(element: f64) -> String {
    match element {
        f64::INFINITY => "infinite".to_owned(),
        f64::NEG_INFINITY => "minus infinity".to_owned(),
        element => value_text(element, 10),
    }
}

fn idle_ui(ui: &mut Ui, simulation: &Simulation, record: &StepTrace, actions: &mut Vec<Action>) {
    if record.idle.is_empty() {
        widgets::empty_ui(ui, Icon::Check, "Every block ran", "Blocks without inputs in this step are listed here");
        return;
    }
    let theme = theme_of(ui.ctx());
    list_frame().show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        ScrollArea::vertical().id_salt("idle").auto_shrink(false).show_rows(ui, ROW, record.idle.len(), |ui, rows| {
            for idle in rows.filter_map(|row| record.idle.get(row)) {
                let block = text_of(simulation, &idle.block);
                let reason = reason_text(simulation, &idle.reason);
                let row = widgets::row_ui(ui, &format!("{block}: {reason}"), ROW, |ui, rect| {
                    two_in(ui, rect, &block, &reason, theme.text_weak);
                });
                if row.clicked() {
                    let input = match &idle.reason {
                        IdleReason::Waits { input, .. } => Some(input.clone()),
                        _ => None,
                    };
                    actions.push(Action::Lab(LabAction::ShowExecution { block: idle.block.clone(), input }));
                }
            }
        });
    });
}

fn two_in(ui: &Ui, rect: Rect, name: &str, text: &str, color: egui::Color32) {
    let theme = theme_of(ui.ctx());
    let room = rect.shrink2(vec2(8.0, 0.0));
    let right = Rect::from_min_max(pos2(room.left() + 0.4 * room.width(), room.top()), room.max);
    let left = Rect::from_min_max(room.min, pos2(right.left() - 8.0, room.bottom()));
    widgets::text_in(ui, left, name, style::plain(TEXT), theme.text);
    widgets::text_in(ui, right, text, style::plain(TEXT_SMALL), color);
}

fn reason_text(simulation: &Simulation, reason: &IdleReason) -> String {
    match reason {
        IdleReason::Unconnected { input } => format!("nothing is connected to “{input}”"),
        IdleReason::Waits { input, source } => {
            format!("no value for “{input}”: {} did not run", text_of(simulation, source))
        }
        IdleReason::Subsystem { model_block } => {
            format!("its subsystem did not run: {}", text_of(simulation, model_block))
        }
        IdleReason::NoIterations => "zero iterations".to_owned(),
        IdleReason::Ended => "the step ended first".to_owned(),
    }
}

fn costs_ui(ui: &mut Ui, simulation: &Simulation, profile: &Profile, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let total = profile.total();
    egui::Frame::new().inner_margin(egui::Margin { left: 12, right: 8, top: 2, bottom: 2 }).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            let each = numbers::span(total / profile.steps.max(1) as f64);
            let text =
                format!("Over {} steps from {} on; {each} per step in the interpreter", profile.steps, profile.first);
            ui.label(widgets::weak(ui, text)).on_hover_text(
                "Each block is timed by itself over many executions with the values of a step. Machine code is faster, \
                 mostly by a similar factor for all blocks",
            );
            if ui.button("Show on the diagram").on_hover_text("Colour the blocks by their execution time").clicked() {
                actions.push(Action::Command(crate::app::action::command::Command::Run(
                    crate::app::action::command::RunCommand::ToggleHeat,
                )));
            }
        });
    });
    list_frame().show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        ScrollArea::vertical().id_salt("costs").auto_shrink(false).show_rows(
            ui,
            ROW,
            profile.blocks.len(),
            |ui, rows| {
                for cost in rows.filter_map(|row| profile.blocks.get(row)) {
                    let block = text_of(simulation, &cost.block);
                    let share = if total > 0.0 { cost.total() / total } else { 0.0 };
                    let text = format!(
                        "{:.1} %   {} executions per step, {} each",
                        100.0 * share,
                        numbers::digits(cost.runs as f64 / profile.steps.max(1) as f64, 3),
                        numbers::span(cost.each)
                    );
                    let row = widgets::row_ui(ui, &format!("{block}: {text}"), ROW, |ui, rect| {
                        let bar = rect.shrink2(vec2(4.0, 3.0));
                        let bar = Rect::from_min_size(bar.min, vec2(bar.width() * share as f32, bar.height()));
                        ui.painter().rect_filled(bar, 3.0, theme.warning.gamma_multiply(0.22));
                        two_in(ui, rect, &block, &text, theme.text_weak);
                    });
                    if row.clicked() {
                        let BlockAddress { path, block } = cost.block.clone();
                        actions.push(Action::View(ViewAction::GoTo { path, block: Some(block) }));
                    }
                }
            },
        );
    });
    ui.add_space(SPACE);
}

/// `Inverse #2 / Product #1`.
fn text_of(simulation: &Simulation, address: &BlockAddress) -> String {
    let title = address.find(simulation).map_or("", |block| block.title());
    let name = format!("{title} {}", address.block);
    match address.path.is_empty() {
        true => name,
        false => format!("{} / {name}", path_text(simulation, &address.path)),
    }
}
