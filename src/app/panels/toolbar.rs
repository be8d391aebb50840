//! The toolbar: files, undo, the run with its progress and speed, zoom.

use eframe::egui::{
    self, Align2, CornerRadius, FontId, Margin, Rect, Response, Role, Sense, Stroke, StrokeKind, TextEdit, Ui,
    WidgetInfo, vec2,
};

use crate::app::action::command::{Command, CommandStates, EditCommand, FileCommand, RunCommand, ViewCommand};
use crate::app::action::{Action, RunAction};
use crate::app::store::run::{RunSession, RunState};
use crate::app::store::speed::SpeedChoice;
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL, ThemeChoice};
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{numbers, style};
use crate::model::{Change, Edit, Simulation};

/// The width in points of the theme button and of the zoom buttons.
const THEME: f32 = 32.0;
const ZOOM: f32 = 180.0;

/// The content of the toolbar.
pub struct ToolbarView<'a> {
    pub commands: &'a dyn CommandStates,
    pub run: &'a RunSession,
    pub simulation: &'a Simulation,
    pub speed: SpeedChoice,
    /// 1.0 is the natural size.
    pub zoom: f32,
}

pub fn show_ui(ui: &mut Ui, view: &ToolbarView) -> Vec<Action> {
    let mut actions = Vec::new();
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
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
        run_ui(ui, view, &mut actions);
        divider_ui(ui);
        speed_ui(ui, view, &mut actions);
        ui.add_space(2.0 * SPACE);
        stop_time_ui(ui, view, &mut actions);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            // Narrow windows hide buttons that menus have.
            if ui.available_width() > THEME {
                theme_button_ui(ui, &mut actions);
            }
            if ui.available_width() > ZOOM {
                divider_ui(ui);
                command_button_ui(ui, view, Command::View(ViewCommand::ZoomFit), &mut actions);
                command_button_ui(ui, view, Command::View(ViewCommand::ZoomIn), &mut actions);
                zoom_ui(ui, view, &mut actions);
                command_button_ui(ui, view, Command::View(ViewCommand::ZoomOut), &mut actions);
                divider_ui(ui);
                progress_ui(ui, view);
            }
        });
    });
    actions
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

fn speed_ui(ui: &mut Ui, view: &ToolbarView, actions: &mut Vec<Action>) {
    let width = if ui.ctx().content_rect().width() > 900.0 { 134.0 } else { 100.0 };
    let response = widgets::choice_ui(ui, "Speed", &view.speed.label(), width, |ui| {
        for choice in SpeedChoice::all() {
            if ui.selectable_label(view.speed == choice, choice.label()).clicked() {
                actions.push(Action::Command(Command::Run(RunCommand::Speed(choice))));
            }
        }
    });
    response.on_hover_text("Speed of the run");
    if let SpeedChoice::RealTime(factor) = view.speed {
        let mut own = factor;
        let drag = egui::DragValue::new(&mut own).range(1e-4..=1e6).speed(0.01 * factor).max_decimals(4).suffix("×");
        let response = ui.add_sized(vec2(64.0, 26.0), drag);
        response.ctx.accesskit_node_builder(response.id, |node| node.set_label("Times real time"));
        if response.on_hover_text("Simulated seconds per second: drag, or click and type").changed() {
            actions.push(Action::Run(RunAction::SetSpeed(SpeedChoice::RealTime(own))));
        }
    }
}

/// Draws the stop time in seconds, which sets the number of steps.
fn stop_time_ui(ui: &mut Ui, view: &ToolbarView, actions: &mut Vec<Action>) {
    let simulation = view.simulation;
    let theme = theme_of(ui.ctx());
    // Narrow windows show the field without its label.
    let is_wide = ui.ctx().content_rect().width() > 900.0;
    let label = ui.label(widgets::weak(ui, if is_wide { "Stop at" } else { "" }));
    ui.add_space(SPACE);
    let total = simulation.steps as f64 * simulation.delta;
    let shown = if simulation.steps == 0 { "never".to_owned() } else { numbers::digits(total, 9) };
    let id = ui.make_persistent_id("stop time");
    let mut text = ui.data(|data| data.get_temp::<String>(id)).unwrap_or_else(|| shown.clone());
    let steps_of = |text: &str| match text.trim() {
        "" | "never" | "0" => Some(0),
        text => {
            let seconds = text.trim_end_matches('s').trim().parse::<f64>().ok()?;
            let steps = (seconds / simulation.delta).round();
            (1.0..9e15).contains(&steps).then_some(steps as u64)
        }
    };
    let wrong = text != shown && steps_of(&text).is_none();
    let edit = TextEdit::singleline(&mut text)
        .id(id)
        // Long times are shown whole where there is space.
        .desired_width((8.0 * shown.chars().count() as f32).clamp(62.0, if is_wide { 110.0 } else { 62.0 }))
        .margin(Margin::symmetric(6, 4))
        .align(egui::Align2::RIGHT_CENTER)
        .text_color_opt(wrong.then_some(theme.error));
    let response = ui.add(edit).labelled_by(label.id);
    if !is_wide {
        response.ctx.accesskit_node_builder(response.id, |node| node.set_label("Stop at"));
    }
    ui.add_space(SPACE);
    ui.label(widgets::weak(ui, "s"));
    if response.has_focus() {
        ui.data_mut(|data| data.insert_temp(id, text));
    } else if response.lost_focus() {
        ui.data_mut(|data| data.remove::<String>(id));
        let is_given_up = ui.input(|input| input.key_pressed(egui::Key::Escape));
        if let Some(steps) = steps_of(&text).filter(|steps| *steps != simulation.steps && !is_given_up) {
            let label = match steps {
                0 => "Run until stopped".to_owned(),
                steps => format!("Stop at {}", numbers::seconds(steps as f64 * simulation.delta)),
            };
            actions.push(Action::Apply(Change::one(label, Edit::SetSteps(steps))));
        }
    }
    response.on_hover_text("The simulated time in seconds at which the run ends; “never” runs until it is stopped");
}

fn progress_ui(ui: &mut Ui, view: &ToolbarView) {
    let run = &view.run;
    if run.state == RunState::Idle {
        return;
    }
    let theme = theme_of(ui.ctx());
    let width = (ui.available_width() - 12.0).clamp(0.0, 260.0);
    if width < 90.0 {
        return;
    }
    let (rect, response) = ui.allocate_exact_size(vec2(width, 28.0), Sense::hover());
    let part = match run.steps {
        Some(steps) => (run.progress.step as f64 / steps.max(1) as f64).clamp(0.0, 1.0) as f32,
        None => 1.0,
    };
    let color = match run.state {
        RunState::Failed(_) | RunState::PausedByError(_) => theme.error,
        RunState::Paused | RunState::Stopped => theme.warning,
        RunState::Finished => theme.success,
        _ => theme.accent,
    };
    let bar =
        Rect::from_min_max(egui::pos2(rect.left(), rect.bottom() - 7.0), egui::pos2(rect.right(), rect.bottom() - 3.0));
    ui.painter().rect_filled(bar, 2.0, style::mix(theme.window, theme.text, 0.12));
    let mut filled = bar;
    filled.set_width(bar.width() * part);
    ui.painter().rect_filled(filled, 2.0, color);
    let steps = match run.steps {
        Some(steps) => format!("{} of {}", numbers::grouped(run.progress.step), numbers::grouped(steps)),
        None => numbers::grouped(run.progress.step),
    };
    let upper = Rect::from_min_max(rect.min, egui::pos2(rect.right(), bar.top() - 1.0));
    let font = FontId::proportional(TEXT_SMALL);
    ui.painter().text(upper.left_center(), Align2::LEFT_CENTER, steps, font.clone(), theme.text_weak);
    // Long runs show the remaining time.
    let time = match run.remaining().filter(|seconds| *seconds > 3.0) {
        Some(seconds) => format!("{} left", numbers::duration(seconds)),
        None => numbers::seconds(run.progress.time),
    };
    ui.painter().text(upper.right_center(), Align2::RIGHT_CENTER, time, font, theme.text);
    let mut about = format!(
        "{} steps, {}\n{} steps per second",
        numbers::grouped(run.progress.step),
        numbers::seconds(run.progress.time),
        numbers::rough(run.progress.steps_per_second)
    );
    if let Some(seconds) = run.remaining() {
        about.push_str(&format!("\n{} left", numbers::duration(seconds)));
    }
    response.on_hover_text(about);
}

fn zoom_ui(ui: &mut Ui, view: &ToolbarView, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let percent = format!("{:.0} %", view.zoom * 100.0);
    let (rect, response) = ui.allocate_exact_size(vec2(48.0, 26.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Zoom to 100 %"));
    let color = if response.hovered() { theme.text } else { theme.text_weak };
    ui.painter().text(rect.center(), Align2::CENTER_CENTER, percent, style::plain(TEXT_SMALL + 0.5), color);
    let tooltip = Command::View(ViewCommand::ZoomReset).def().map(|def| def.tooltip_text(ui.ctx())).unwrap_or_default();
    if response.on_hover_text(tooltip).clicked() {
        actions.push(Action::Command(Command::View(ViewCommand::ZoomReset)));
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
