//! The toolbar: files, undo, and the run: its buttons, speed, time bar and end.

use eframe::egui::{self, Align2, CornerRadius, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2};

use super::time::{self, Fields, TimeBarState};
use crate::app::action::command::{Command, CommandStates, EditCommand, FileCommand, RunCommand, ViewCommand};
use crate::app::action::{Action, RunAction};
use crate::app::doc::typed;
use crate::app::store::run::{RunSession, RunState};
use crate::app::store::speed::SpeedChoice;
use crate::app::ui::control;
use crate::app::ui::field::{EditedField, Field};
use crate::app::ui::icons::Icon;
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::theme::{SPACE, TEXT, ThemeChoice};
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{numbers, style};
use crate::model::{Change, Edit, Simulation};

/// The widths of the window, in points, from which the toolbar has more than the run needs.
const WITH_FILES: f32 = 1000.0;
const WITH_STEPS: f32 = 1180.0;
const WITH_FACTOR: f32 = 860.0;
/// The choices of the playback speed in simulated seconds per second.
const RATES: [f64; 7] = [0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0];

/// The content of the toolbar.
pub struct ToolbarView<'a> {
    pub commands: &'a dyn CommandStates,
    pub run: &'a RunSession,
    pub simulation: &'a Simulation,
    pub speed: SpeedChoice,
    /// The playback speed in simulated seconds per second.
    pub play_rate: f64,
    /// The number of steps of the step commands.
    pub step_by: u64,
}

pub fn show_ui(ui: &mut Ui, state: &mut TimeBarState, view: &ToolbarView) -> Vec<Action> {
    let mut actions = Vec::new();
    let width = ui.ctx().content_rect().width();
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        // Narrow windows hide buttons that menus have.
        if width >= WITH_FILES {
            for command in
                [Command::File(FileCommand::New), Command::File(FileCommand::Open), Command::File(FileCommand::Save)]
            {
                command_button_ui(ui, view, command, &mut actions);
            }
            divider_ui(ui);
            for command in [Command::Edit(EditCommand::Undo), Command::Edit(EditCommand::Redo)] {
                command_button_ui(ui, view, command, &mut actions);
            }
            divider_ui(ui);
        }
        run_ui(ui, view, &mut actions);
        if width >= WITH_STEPS {
            step_by_ui(ui, view, &mut actions);
        }
        ui.add_space(SPACE);
        speed_ui(ui, view, &mut actions);
        ui.add_space(SPACE);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            theme_button_ui(ui, &mut actions);
            divider_ui(ui);
            let fields = if width >= WITH_STEPS { Fields::TimeAndStep } else { Fields::Time };
            let rect = ui.available_rect_before_wrap();
            control::mark(ui.ctx(), control::TIME, rect);
            time_ui(ui, state, view, fields, &mut actions);
        });
    });
    actions
}

/// Draws the time bar from right to left: branch, end, shown step and time, slider, playback.
fn time_ui(ui: &mut Ui, state: &mut TimeBarState, view: &ToolbarView, fields: Fields, actions: &mut Vec<Action>) {
    time::focus(ui, state, fields);
    command_button_ui(ui, view, Command::Run(RunCommand::Branch), actions);
    command_button_ui(ui, view, Command::Run(RunCommand::FollowRun), actions);
    ui.add_space(SPACE);
    if fields == Fields::TimeAndStep {
        time::step_field_ui(ui, &mut state.editing, view.run, actions);
        ui.add_space(SPACE);
    }
    ui.label(widgets::weak(ui, "s"));
    ui.add_space(2.0);
    stop_time_ui(ui, &mut state.editing, view, actions);
    ui.label(widgets::weak(ui, "of"));
    ui.add_space(2.0);
    time::time_field_ui(ui, &mut state.editing, view.run, actions);
    ui.add_space(SPACE);
    let replay = if view.run.is_playing() { Icon::Pause } else { Icon::Replay };
    let room = ui.available_rect_before_wrap();
    let button = Rect::from_min_size(room.min, vec2(28.0, room.height()));
    ui.scope_builder(egui::UiBuilder::new().max_rect(button), |ui| {
        icon_ui(ui, view, Command::Run(RunCommand::PlayRecorded), replay, actions);
    });
    let slider = room.with_min_x(button.right() + 2.0);
    ui.scope_builder(egui::UiBuilder::new().max_rect(slider), |ui| time::slider_ui(ui, view.run, actions));
}

fn icon_ui(ui: &mut Ui, view: &ToolbarView, command: Command, icon: Icon, actions: &mut Vec<Action>) {
    let Some(def) = command.def() else { return };
    let can = view.commands.can(def.needs);
    let response = widgets::icon_button_if_ui(ui, icon, &view.commands.label_of(def), can);
    if response.on_hover_text(def.tooltip_text(ui.ctx())).clicked() && can {
        actions.push(Action::Command(command));
    }
}

/// Draws the number of steps of Step and Step back.
fn step_by_ui(ui: &mut Ui, view: &ToolbarView, actions: &mut Vec<Action>) {
    let mut by = view.step_by;
    let drag = egui::DragValue::new(&mut by)
        .range(1..=1_000_000_000_u64)
        .prefix("by ")
        .speed(0.2)
        .custom_parser(typed::dragged_whole);
    let response = ui.add_sized(vec2(46.0, 26.0), drag);
    response.ctx.accesskit_node_builder(response.id, |node| node.set_label("Steps at a time"));
    if response.on_hover_text("The number of steps of Step and Step back").changed() {
        actions.push(Action::Run(RunAction::StepBy(by.max(1))));
    }
}

fn command_button_ui(ui: &mut Ui, view: &ToolbarView, command: Command, actions: &mut Vec<Action>) -> Option<Response> {
    let def = command.def()?;
    let label = view.commands.label_of(def);
    let response = widgets::icon_button_if_ui(
        ui,
        def.icon.unwrap_or(Icon::Block),
        label.trim_end_matches('…'),
        view.commands.can(def.needs),
    );
    let tooltip = match command {
        Command::Edit(EditCommand::Undo) | Command::Edit(EditCommand::Redo) => {
            format!("{label}\n{}", def.tooltip_text(ui.ctx()))
        }
        _ => def.tooltip_text(ui.ctx()),
    };
    let response = response.on_hover_text(tooltip);
    if response.clicked() && view.commands.can(def.needs) {
        actions.push(Action::Command(command));
    }
    Some(response)
}

fn run_ui(ui: &mut Ui, view: &ToolbarView, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let is_running = matches!(view.run.state, RunState::Running | RunState::Preparing);
    // One button that runs, pauses or resumes.
    let (command, label, icon) = match view.run.state {
        RunState::Running | RunState::Preparing => (Command::Run(RunCommand::Pause), "Pause", Icon::Pause),
        RunState::Paused | RunState::PausedByError(_) => (Command::Run(RunCommand::Run), "Resume", Icon::Run),
        _ => (Command::Run(RunCommand::Run), "Run", Icon::Run),
    };
    let (rect, response) = ui.allocate_exact_size(vec2(92.0, 28.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("{label} simulation")));
    control::mark(ui.ctx(), control::RUN, rect);
    let base = if is_running { theme.raised } else { theme.accent };
    let fill = match (response.is_pointer_button_down_on(), response.hovered()) {
        (true, _) => style::mix(base, theme.text, 0.2),
        (_, true) => style::mix(base, theme.text, 0.1),
        _ => base,
    };
    let text = if is_running { theme.text } else { theme.on_accent };
    let stroke = if is_running { Stroke::new(1.0, theme.line) } else { Stroke::NONE };
    ui.painter().rect(rect, CornerRadius::same(6), fill, stroke, StrokeKind::Inside);
    if response.has_focus() {
        ui.painter().rect_stroke(
            rect.expand(2.0),
            CornerRadius::same(8),
            Stroke::new(1.5, theme.accent),
            StrokeKind::Inside,
        );
    }
    let icon_rect = Rect::from_center_size(rect.left_center() + vec2(19.0, 0.0), vec2(13.0, 13.0));
    icon.paint(ui.painter(), icon_rect, text);
    let at = rect.left_center() + vec2(32.0, 0.0);
    ui.painter().text(at, Align2::LEFT_CENTER, label, style::strong(TEXT), text);
    if let Some(def) = command.def() {
        let response = response.on_hover_text(def.tooltip_text(ui.ctx()));
        if response.clicked() {
            actions.push(Action::Command(command));
        }
    }
    ui.add_space(SPACE);
    command_button_ui(ui, view, Command::Run(RunCommand::StepBack), actions);
    command_button_ui(ui, view, Command::Run(RunCommand::Step), actions);
    let tint = view.run.is_active().then_some(theme.error);
    if let Some(def) = Command::Run(RunCommand::Stop).def() {
        let can = view.commands.can(def.needs);
        let stop = widgets::tinted_icon_button_ui(ui, Icon::Stop, "Stop", can, tint);
        if stop.on_hover_text(def.tooltip_text(ui.ctx())).clicked() && can {
            actions.push(Action::Command(Command::Run(RunCommand::Stop)));
        }
    }
    command_button_ui(ui, view, Command::Run(RunCommand::Restart), actions);
}

/// Draws the speed of the run; its list has that of playback too.
fn speed_ui(ui: &mut Ui, view: &ToolbarView, actions: &mut Vec<Action>) {
    let is_wide = ui.ctx().content_rect().width() > WITH_FACTOR;
    let response = widgets::choice_ui(ui, "Speed", &view.speed.label(), if is_wide { 126.0 } else { 100.0 }, |ui| {
        for choice in SpeedChoice::all() {
            if ui.selectable_label(view.speed == choice, choice.label()).clicked() {
                actions.push(Action::Command(Command::Run(RunCommand::Speed(choice))));
            }
        }
        widgets::section_ui(ui, "Playback");
        for rate in RATES {
            if ui.selectable_label(view.play_rate == rate, format!("Play at {rate}×")).clicked() {
                actions.push(Action::Run(RunAction::SetPlayRate(rate)));
            }
        }
    });
    response.on_hover_text("Speed of the run, and of the playback of recorded steps");
    if let SpeedChoice::RealTime(factor) = view.speed
        && is_wide
    {
        let mut own = factor;
        let drag = egui::DragValue::new(&mut own)
            .range(1e-4..=1e6)
            .speed(0.01 * factor)
            .max_decimals(4)
            .suffix("×")
            .custom_parser(|text| typed::number_with(text, "×"));
        let response = ui.add_sized(vec2(56.0, 26.0), drag);
        response.ctx.accesskit_node_builder(response.id, |node| node.set_label("Times real time"));
        if response.on_hover_text("Simulated seconds per second: drag, or click and type").changed() {
            actions.push(Action::Run(RunAction::SetSpeed(SpeedChoice::RealTime(own))));
        }
    }
}

/// Draws the stop time in seconds, which sets the number of steps.
fn stop_time_ui(ui: &mut Ui, editing: &mut EditedField, view: &ToolbarView, actions: &mut Vec<Action>) {
    let simulation = view.simulation;
    let is_wide = ui.ctx().content_rect().width() >= WITH_STEPS;
    let total = simulation.steps as f64 * simulation.delta;
    let shown = if simulation.steps == 0 { "never".to_owned() } else { numbers::digits(total, 9) };
    let steps_of = |text: &str| match text.trim() {
        "" | "never" | "0" => Some(0),
        text => {
            let steps = (typed::number_with(text, "s")? / simulation.delta).round();
            (1.0..9e15).contains(&steps).then_some(steps as u64)
        }
    };
    let problem = |text: &str| match steps_of(text) {
        Some(_) => None,
        None => Some("Seconds, at least one step, or “never”".to_owned()),
    };
    // Long times are shown whole where there is space.
    let width = (8.0 * shown.chars().count() as f32).clamp(48.0, if is_wide { 110.0 } else { 48.0 });
    let about = "The simulated time in seconds at which the run ends; “never” runs until it is stopped";
    let typed = ui.scope(|ui| {
        let field = Field::new("Stop at", &shown).width(width).number(Wanted::One).unit("s");
        field.digits(style::plain(TEXT)).text_ui(ui, editing, &problem)
    });
    typed.response.on_hover_text(about);
    if let Some(steps) = typed.inner.and_then(|text| steps_of(&text)).filter(|steps| *steps != simulation.steps) {
        let label = match steps {
            0 => "Run until stopped".to_owned(),
            steps => format!("Stop at {}", numbers::seconds(steps as f64 * simulation.delta)),
        };
        actions.push(Action::Apply(Change::one(label, Edit::SetSteps(steps))));
    }
}

fn theme_button_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let (icon, choice, label) = match theme.is_dark {
        true => (Icon::Sun, ThemeChoice::Light, "Light theme"),
        false => (Icon::Moon, ThemeChoice::Dark, "Dark theme"),
    };
    if widgets::icon_button_ui(ui, icon, label).on_hover_text(label).clicked() {
        actions.push(Action::Command(Command::View(ViewCommand::Theme(choice))));
    }
}

fn divider_ui(ui: &mut Ui) {
    let theme = theme_of(ui.ctx());
    let (rect, _) = ui.allocate_exact_size(vec2(13.0, 20.0), Sense::hover());
    ui.painter().vline(
        rect.center().x,
        rect.y_range(),
        Stroke::new(1.0, style::mix(theme.window, theme.text_weak, 0.3)),
    );
}
