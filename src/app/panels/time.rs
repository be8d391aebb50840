//! The time bar in the toolbar: a slider over all steps of the current run, the shown time and step.

use eframe::egui::{self, CornerRadius, FontId, Id, Rect, Response, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use crate::app::action::{Action, RunAction};
use crate::app::doc::typed;
use crate::app::store::run::{RunSession, RunState};
use crate::app::ui::field::{EditedField, Field};
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::theme::TEXT_SMALL;
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{numbers, style};

/// The state of the time bar.
#[derive(Default)]
pub struct TimeBarState {
    pub editing: EditedField,
    /// A field takes the focus in the next frame.
    pub wants_focus: bool,
}

/// Which fields there is room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fields {
    TimeAndStep,
    Time,
}

/// The label of the field of the time.
const TIME: &str = "Time shown";
/// The label of the field of the step.
const STEP: &str = "Step shown";

/// Draws the field of the step, from right to left; a typed step is shown, or run to if it is in the future.
pub fn step_field_ui(ui: &mut Ui, editing: &mut EditedField, run: &RunSession, actions: &mut Vec<Action>) {
    let step = run.shown_step().map_or(String::new(), numbers::grouped);
    let field = Field::new(STEP, &step).width(78.0).number(Wanted::Whole);
    let chosen = field_ui(ui, editing, field, &typed::whole, "A step, such as 120");
    ui.add_space(2.0);
    ui.label(widgets::weak(ui, "step"));
    actions.extend(chosen.map(|step| Action::Run(RunAction::GoToStep(step))));
}

/// Draws the field of the time, as [`step_field_ui`]. It also takes steps: `step 120`.
pub fn time_field_ui(ui: &mut Ui, editing: &mut EditedField, run: &RunSession, actions: &mut Vec<Action>) {
    let delta = run.recording().delta;
    let time = run.shown_step().map_or(String::new(), |step| numbers::digits(step as f64 * delta, 7));
    let of_time = |text: &str| {
        if let Some(step) = text.trim().strip_prefix("step") {
            return typed::whole(step);
        }
        let seconds = typed::number_with(text, "s")?;
        let step = (seconds / delta).round();
        (0.0..9e15).contains(&step).then_some(step as u64)
    };
    let field = Field::new(TIME, &time).width(72.0).number(Wanted::One).unit("s");
    let chosen = field_ui(ui, editing, field, &of_time, "Seconds, such as 1.5, or a step: “step 120”");
    actions.extend(chosen.map(|step| Action::Run(RunAction::GoToStep(step))));
}

/// Gives a field the focus, if it was asked for.
pub fn focus(ui: &Ui, state: &mut TimeBarState, fields: Fields) {
    if std::mem::take(&mut state.wants_focus) {
        let id = field_id(if fields == Fields::TimeAndStep { STEP } else { TIME });
        ui.memory_mut(|memory| memory.request_focus(id));
    }
}

fn field_id(label: &str) -> Id {
    Id::unique(("time bar", label))
}

/// Draws a field of the time bar; returns a step that was typed.
fn field_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    field: Field,
    read: &dyn Fn(&str) -> Option<u64>,
    expected: &str,
) -> Option<u64> {
    let id = field_id(field.label());
    let problem = |text: &str| if read(text).is_none() { Some(expected.to_owned()) } else { None };
    let field = field.hint("0").id(id).digits(FontId::monospace(TEXT_SMALL));
    field.text_ui(ui, editing, &problem).and_then(|text| read(&text))
}

/// Draws the slider over all steps; completed ones are filled. A click or drag shows a step.
pub fn slider_ui(ui: &mut Ui, run: &RunSession, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let size = vec2(ui.available_width().max(40.0), 26.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    let record = run.runs().current();
    let done = record.map_or(0, |record| record.steps);
    let is_growing = run.shows_live() && run.is_active();
    let count = if is_growing { record.and_then(|record| record.planned).unwrap_or(done).max(done) } else { done };
    let shown = run.shown_step();
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
        let color = match run.state {
            RunState::Failed(_) | RunState::PausedByError(_) => theme.error,
            _ => theme.accent,
        };
        ui.painter().rect_filled(of(0, last), CornerRadius::same(2), style::mix(theme.panel, color, 0.55));
    }
    for change in record.into_iter().flat_map(|record| &record.changes).filter(|change| change.step < count).take(400) {
        let x = x_of(change.step);
        ui.painter().vline(x, track.top() - 5.0..=track.bottom() + 5.0, Stroke::new(1.5, theme.warning));
    }
    if let Some((_, step)) = record.and_then(|record| record.branched) {
        let x = x_of(step.min(count));
        ui.painter().circle_filled(pos2(x, track.center().y), 3.5, theme.warning);
    }
    if let Some(step) = shown {
        let center = pos2(x_of(step.min(count.saturating_sub(1))), track.center().y);
        let is_held = response.hovered() || response.dragged() || response.has_focus();
        let fill = if run.chosen_step().is_some() { theme.accent } else { theme.panel };
        let radius = if is_held { 7.0 } else { 6.0 };
        ui.painter().circle(center, radius, fill, Stroke::new(2.0, theme.accent));
    }
    widgets::focus_ring(ui, &response, 5);
    choose_ui(ui, run, &response, track, count, actions);
}

fn choose_ui(ui: &Ui, run: &RunSession, response: &Response, track: Rect, count: u64, actions: &mut Vec<Action>) {
    let Some(last) = run.last_step() else { return };
    let step_at = |x: f32| {
        let part = f64::from(((x - track.left()) / track.width().max(1.0)).clamp(0.0, 1.0));
        ((part * count.saturating_sub(1) as f64).round() as u64).min(last)
    };
    let is_pressed = response.dragged() || response.clicked() || response.is_pointer_button_down_on();
    if let Some(at) = response.interact_pointer_pos().filter(|_| is_pressed) {
        actions.push(Action::Run(RunAction::ChooseStep(Some(step_at(at.x)))));
    } else if let Some(at) = response.hover_pos() {
        let step = step_at(at.x);
        let time = numbers::seconds(step as f64 * run.recording().delta);
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
            let now = run.shown_step().unwrap_or(last);
            actions.push(Action::Run(RunAction::ChooseStep(Some(now.saturating_add_signed(by).min(last)))));
        }
    }
}
