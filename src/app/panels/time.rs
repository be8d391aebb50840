//! The time bar: a slider over all steps of the current run, the shown step and time, and commands at that step.

use eframe::egui::{
    self, Align2, CornerRadius, FontId, Id, Rect, Response, Role, Sense, Stroke, TextEdit, Ui, WidgetInfo, pos2, vec2,
};

use crate::app::action::command::{Command, CommandStates, RunCommand};
use crate::app::action::{Action, RunAction};
use crate::app::store::run::RunSession;
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{numbers, style};

/// The state of the time bar.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeBarState {
    /// The step field takes the focus in the next frame.
    pub wants_focus: bool,
}

/// The content of the time bar.
pub struct TimeBarView<'a> {
    pub commands: &'a dyn CommandStates,
    pub run: &'a RunSession,
    /// The playback speed in simulated seconds per second.
    pub play_rate: f64,
    /// The number of steps of the step commands.
    pub step_by: u64,
}

/// The choices of the playback speed in simulated seconds per second.
const RATES: [f64; 7] = [0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0];

pub fn show_ui(ui: &mut Ui, state: &mut TimeBarState, view: &TimeBarView) -> Vec<Action> {
    let mut actions = Vec::new();
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        buttons_ui(ui, view, &mut actions);
        ui.add_space(SPACE);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            command_ui(ui, view, Command::Run(RunCommand::Branch), Icon::Branch, &mut actions);
            command_ui(ui, view, Command::Run(RunCommand::FollowRun), Icon::Follow, &mut actions);
            ui.add_space(SPACE);
            fields_ui(ui, state, view, &mut actions);
            ui.add_space(SPACE);
            slider_ui(ui, view, &mut actions);
        });
    });
    actions
}

fn buttons_ui(ui: &mut Ui, view: &TimeBarView, actions: &mut Vec<Action>) {
    let has_steps = view.run.last_step().is_some();
    let to_first = widgets::icon_button_if_ui(ui, Icon::First, "Go to first step", has_steps);
    if to_first.on_hover_text("Show the first step").clicked() && has_steps {
        actions.push(Action::Run(RunAction::ChooseStep(Some(0))));
    }
    command_ui(ui, view, Command::Run(RunCommand::StepBack), Icon::StepBack, actions);
    let icon = if view.run.is_playing() { Icon::Pause } else { Icon::Run };
    command_ui(ui, view, Command::Run(RunCommand::PlayRecorded), icon, actions);
    command_ui(ui, view, Command::Run(RunCommand::Step), Icon::Step, actions);
    let to_last = widgets::icon_button_if_ui(ui, Icon::Last, "Go to last step", has_steps);
    if to_last.on_hover_text("Show the latest step").clicked() && has_steps {
        actions.push(Action::Run(RunAction::ChooseStep(view.run.last_step())));
    }
    ui.add_space(SPACE);
    let rate = view.play_rate;
    let choice = widgets::choice_ui(ui, "Play speed", &format!("{rate}×"), 62.0, |ui| {
        for choice in RATES {
            if ui.selectable_label(rate == choice, format!("{choice}×")).clicked() {
                actions.push(Action::Run(RunAction::SetPlayRate(choice)));
            }
        }
    });
    choice.on_hover_text("Playback speed in simulated seconds per second");
    let mut by = view.step_by;
    let drag = egui::DragValue::new(&mut by).range(1..=1_000_000_000_u64).prefix("by ").speed(0.2);
    let response = ui.add_sized(vec2(58.0, 24.0), drag);
    name(&response, "Steps at a time");
    if response.on_hover_text("The number of steps of Step and Step back").changed() {
        actions.push(Action::Run(RunAction::StepBy(by.max(1))));
    }
}

fn command_ui(ui: &mut Ui, view: &TimeBarView, command: Command, icon: Icon, actions: &mut Vec<Action>) {
    let Some(def) = command.def() else { return };
    let can = view.commands.can(def.needs);
    let label = view.commands.label_of(def);
    // The toolbar has a button of that name too.
    let response = widgets::icon_button_if_ui(ui, icon, &format!("{label} (time bar)"), can);
    if response.on_hover_text(def.tooltip_text(ui.ctx())).clicked() && can {
        actions.push(Action::Command(command));
    }
}

/// The label of the field of the step.
const STEP: &str = "Step shown";

/// Draws step and time; a typed one is shown, or run to if it is in the future.
fn fields_ui(ui: &mut Ui, state: &mut TimeBarState, view: &TimeBarView, actions: &mut Vec<Action>) {
    let delta = view.run.recording().delta;
    let shown = view.run.shown_step();
    if std::mem::take(&mut state.wants_focus) {
        let id = field_id(ui, STEP);
        ui.memory_mut(|memory| memory.request_focus(id));
    }
    // Right to left: the last first.
    ui.label(widgets::weak(ui, "s"));
    let time = shown.map_or(String::new(), |step| numbers::digits(step as f64 * delta, 7));
    let of_time = |text: &str| {
        let seconds = text.trim().trim_end_matches('s').trim().parse::<f64>().ok()?;
        let step = (seconds / delta).round();
        (0.0..9e15).contains(&step).then_some(step as u64)
    };
    let by_time = field_ui(ui, "Time shown", &time, 74.0, &of_time);
    ui.label(widgets::weak(ui, "at"));
    let step = shown.map_or(String::new(), numbers::grouped);
    let of_step = |text: &str| text.trim().replace([',', ' '], "").parse::<u64>().ok();
    let by_step = field_ui(ui, STEP, &step, 84.0, &of_step);
    ui.label(widgets::weak(ui, "step"));
    if let Some(step) = by_step.or(by_time) {
        actions.push(Action::Run(RunAction::GoToStep(step)));
    }
}

fn field_id(ui: &Ui, label: &str) -> Id {
    ui.make_persistent_id(label)
}

/// A field that returns its text once, on Enter or when the focus is lost. Escape discards it.
fn field_ui(ui: &mut Ui, label: &str, shown: &str, width: f32, read: &dyn Fn(&str) -> Option<u64>) -> Option<u64> {
    let theme = theme_of(ui.ctx());
    let id = field_id(ui, label);
    let mut text = ui.data(|data| data.get_temp::<String>(id)).unwrap_or_else(|| shown.to_owned());
    let is_wrong = text != shown && read(&text).is_none();
    let edit = TextEdit::singleline(&mut text)
        .id(id)
        .desired_width(width)
        .font(FontId::monospace(TEXT_SMALL))
        .align(Align2::RIGHT_CENTER)
        .text_color_opt(is_wrong.then_some(theme.error));
    let response = ui.add(edit);
    name(&response, label);
    if response.has_focus() {
        ui.data_mut(|data| data.insert_temp(id, text));
        return None;
    }
    if response.lost_focus() {
        ui.data_mut(|data| data.remove::<String>(id));
        let is_given_up = ui.input(|input| input.key_pressed(egui::Key::Escape));
        return read(&text).filter(|_| !is_given_up && text != shown);
    }
    None
}

/// Draws the slider over all steps; completed ones are filled. A click or drag shows a step.
fn slider_ui(ui: &mut Ui, view: &TimeBarView, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let size = vec2(ui.available_width().max(40.0), 26.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    let Some(run) = view.run.runs().current() else { return };
    let done = run.steps;
    let is_growing = view.run.shows_live() && view.run.is_active();
    let count = if is_growing { run.planned.unwrap_or(done).max(done) } else { done };
    let shown = view.run.shown_step();
    let text = shown.map_or(String::new(), |step| format!("step {step} of {count}"));
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::Slider, done > 0, "Step of the run");
        info.value = shown.map(|step| step as f64);
        info.current_text_value = Some(text.clone());
        info
    });
    let track = Rect::from_min_max(rect.left_center() + vec2(8.0, -2.0), rect.right_center() + vec2(-8.0, 2.0));
    let x_of = |step: u64| track.left() + track.width() * (step as f64 / count.saturating_sub(1).max(1) as f64) as f32;
    ui.painter().rect_filled(track, CornerRadius::same(2), style::mix(theme.panel, theme.text, 0.16));
    let of = |from: u64, to: u64| Rect::from_x_y_ranges(x_of(from)..=x_of(to), track.y_range());
    if let Some(last) = done.checked_sub(1) {
        ui.painter().rect_filled(of(0, last), CornerRadius::same(2), style::mix(theme.panel, theme.accent, 0.55));
    }
    for change in run.changes.iter().filter(|change| change.step < count).take(400) {
        let x = x_of(change.step);
        ui.painter().vline(x, track.top() - 5.0..=track.bottom() + 5.0, Stroke::new(1.5, theme.warning));
    }
    if let Some((_, step)) = run.branched {
        let x = x_of(step.min(count));
        ui.painter().circle_filled(pos2(x, track.center().y), 3.5, theme.warning);
    }
    if let Some(step) = shown {
        let center = pos2(x_of(step.min(count.saturating_sub(1))), track.center().y);
        let is_held = response.hovered() || response.dragged() || response.has_focus();
        let fill = if view.run.chosen_step().is_some() { theme.accent } else { theme.panel };
        let radius = if is_held { 7.0 } else { 6.0 };
        ui.painter().circle(center, radius, fill, Stroke::new(2.0, theme.accent));
    }
    widgets::focus_ring(ui, &response, 5);
    choose_ui(ui, view, &response, track, count, actions);
    if done == 0 {
        ui.painter().text(
            rect.center(),
            Align2::CENTER_CENTER,
            "No step yet",
            FontId::proportional(TEXT_SMALL),
            theme.text_weak,
        );
    }
}

fn choose_ui(ui: &Ui, view: &TimeBarView, response: &Response, track: Rect, count: u64, actions: &mut Vec<Action>) {
    let Some(last) = view.run.last_step() else { return };
    let step_at = |x: f32| {
        let part = f64::from(((x - track.left()) / track.width().max(1.0)).clamp(0.0, 1.0));
        ((part * count.saturating_sub(1) as f64).round() as u64).min(last)
    };
    let is_pressed = response.dragged() || response.clicked() || response.is_pointer_button_down_on();
    if let Some(at) = response.interact_pointer_pos().filter(|_| is_pressed) {
        actions.push(Action::Run(RunAction::ChooseStep(Some(step_at(at.x)))));
    } else if let Some(at) = response.hover_pos() {
        let step = step_at(at.x);
        let time = numbers::seconds(step as f64 * view.run.recording().delta);
        response.clone().on_hover_text_at_pointer(format!("step {} at {time}", numbers::grouped(step)));
    }
    if response.has_focus() {
        let page = (count / 20).max(1) as i64;
        let moves = [
            (egui::Key::ArrowLeft, -1),
            (egui::Key::ArrowRight, 1),
            (egui::Key::PageDown, -page),
            (egui::Key::PageUp, page),
            (egui::Key::Home, -(1 << 50)),
            (egui::Key::End, 1 << 50),
        ];
        let pressed = |key| ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, key));
        ui.memory_mut(|memory| {
            let filter = egui::EventFilter { horizontal_arrows: true, ..egui::EventFilter::default() };
            memory.set_focus_lock_filter(response.id, filter);
        });
        for (_, by) in moves.into_iter().filter(|(key, _)| pressed(*key)) {
            let now = view.run.shown_step().unwrap_or(last);
            actions.push(Action::Run(RunAction::ChooseStep(Some(now.saturating_add_signed(by).min(last)))));
        }
    }
}

fn name(response: &Response, label: &str) {
    response.ctx.accesskit_node_builder(response.id, |node| node.set_label(label.to_owned()));
}
