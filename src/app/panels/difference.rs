//! The difference between the run that is shown and another, as a part of the panel of runs.

use crossbeam_channel::{Receiver, bounded};
use eframe::egui::{Rect, RichText, Ui, pos2, vec2};

use super::runs::View;
use crate::app::difference::{Apart, Tolerance, compare};
use crate::app::numbers;
use crate::app::plots::name_of;
use crate::app::runs::RunRecord;
use crate::app::state::Action;
use crate::app::style;
use crate::app::theme::TEXT_SMALL;
use crate::app::widgets::{self, theme_of};

/// What is compared: both runs with their steps, and how.
type Question = ((u64, u64), (u64, u64), Tolerance);

pub struct State {
    /// The run that the one that is shown is compared with.
    other: Option<u64>,
    tolerance: Tolerance,
    asked: Option<(Question, Receiver<Vec<Apart>>)>,
    answer: Option<(Question, Vec<Apart>)>,
}

impl Default for State {
    fn default() -> State {
        State { other: None, tolerance: Tolerance { absolute: 0.0, relative: 1e-9 }, asked: None, answer: None }
    }
}

impl State {
    /// The newest difference, which may still be that of the question before.
    fn answer(&mut self, ui: &Ui, question: Question, one: &RunRecord, other: &RunRecord) -> Option<&[Apart]> {
        if let Some((asked, answer)) = &self.asked
            && let Ok(found) = answer.try_recv()
        {
            self.answer = Some((*asked, found));
            self.asked = None;
        }
        let is_known = self.answer.as_ref().is_some_and(|(known, _)| *known == question);
        if !is_known && self.asked.is_none() {
            // Long runs take their time.
            let (sender, answer) = bounded(1);
            let (one, other, wake) = (one.recording.clone(), other.recording.clone(), ui.ctx().clone());
            std::thread::spawn(move || {
                let _ = sender.send(compare(&one, &other, question.2));
                wake.request_repaint();
            });
            self.asked = Some((question, answer));
        }
        self.answer.as_ref().map(|(_, answer)| answer.as_slice())
    }
}

pub fn show_ui(ui: &mut Ui, state: &mut State, view: &View, run: &RunRecord, actions: &mut Vec<Action>) {
    let runs = view.run.runs();
    if runs.len() < 2 {
        return;
    }
    widgets::section_ui(ui, "Difference");
    let other = state.other.and_then(|number| runs.get(number)).filter(|other| other.number != run.number);
    let shown = other.map_or("nothing", |other| &*other.name).to_owned();
    ui.horizontal(|ui| {
        ui.label(widgets::weak(ui, "to"));
        let width = (ui.available_width() - 8.0).max(60.0);
        let choice = widgets::choice_ui(ui, "Compare with", &shown, width, |ui| {
            if ui.selectable_label(state.other.is_none(), "nothing").clicked() {
                state.other = None;
            }
            for one in runs.iter().rev().filter(|one| one.number != run.number) {
                if ui.selectable_label(state.other == Some(one.number), &one.name).clicked() {
                    state.other = Some(one.number);
                }
            }
        });
        choice.on_hover_text("Each signal that both runs recorded, step by step");
    });
    let Some(other) = state.other.and_then(|number| runs.get(number)).filter(|other| other.number != run.number) else {
        return;
    };
    tolerance_ui(ui, &mut state.tolerance);
    // A run that goes on is compared anew when it has gone on by much, not at each step.
    let steps = |run: &RunRecord| if run.steps < 1 << 16 { run.steps } else { run.steps & !0xFFFF };
    let question = ((run.number, steps(run)), (other.number, steps(other)), state.tolerance);
    let Some(found) = state.answer(ui, question, run, other) else {
        ui.label(widgets::weak(ui, "Comparing…"));
        return;
    };
    if found.is_empty() {
        ui.label(widgets::weak(ui, "These runs recorded no signal in common"));
    }
    for apart in found {
        row_ui(ui, view, apart, actions);
    }
}

fn tolerance_ui(ui: &mut Ui, tolerance: &mut Tolerance) {
    ui.horizontal(|ui| {
        ui.label(widgets::weak(ui, "tolerance"));
        for (label, value, suffix) in
            [("Absolute tolerance", &mut tolerance.absolute, ""), ("Relative tolerance", &mut tolerance.relative, "×")]
        {
            let id = ui.make_persistent_id(label);
            let shown = format!("{value}");
            let mut text = ui.data(|data| data.get_temp::<String>(id)).unwrap_or_else(|| shown.clone());
            let read = |text: &str| text.trim().parse::<f64>().ok().filter(|value| *value >= 0.0 && value.is_finite());
            let wrong = read(&text).is_none().then(|| theme_of(ui.ctx()).error);
            let edit = eframe::egui::TextEdit::singleline(&mut text).id(id).desired_width(54.0);
            let response = ui.add(edit.text_color_opt(wrong));
            response.ctx.accesskit_node_builder(response.id, |node| node.set_label(label));
            if response.has_focus() {
                ui.data_mut(|data| data.insert_temp(id, text));
            } else if response.lost_focus() {
                ui.data_mut(|data| data.remove::<String>(id));
                *value = read(&text).unwrap_or(*value);
            }
            response.on_hover_text(label);
            if !suffix.is_empty() {
                ui.label(widgets::weak(ui, suffix));
            }
        }
    });
}

fn row_ui(ui: &mut Ui, view: &View, apart: &Apart, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let name = name_of(view.simulation, &apart.signal);
    let (text, color) = match (apart.largest, apart.beyond) {
        (None, _) => ("the same".to_owned(), theme.success),
        (Some((size, _)), None) => (format!("within, up to {}", size_text(size)), theme.success),
        (Some((size, _)), Some(step)) => {
            (format!("up to {}, beyond from step {}", size_text(size), numbers::grouped(step)), theme.error)
        }
    };
    let row = widgets::row_ui(ui, &format!("Difference of {name}: {text}"), 34.0, false, |ui, rect| {
        let upper = Rect::from_min_max(rect.min + vec2(6.0, 1.0), pos2(rect.right() - 4.0, rect.center().y));
        let lower = Rect::from_min_max(pos2(upper.left(), rect.center().y), rect.max - vec2(4.0, 2.0));
        widgets::text_in(ui, upper, &name, style::plain(TEXT_SMALL + 0.5), theme.text);
        widgets::text_in(ui, lower, &text, style::plain(TEXT_SMALL), color);
    });
    let mut about = format!("{} steps compared", numbers::grouped(apart.steps));
    if let Some((_, step)) = apart.largest {
        about.push_str(&format!("; largest at step {}", numbers::grouped(step)));
    }
    if apart.has_other_width {
        about.push_str("; the runs have different numbers of lanes");
    }
    let step = apart.beyond.or(apart.largest.map(|(_, step)| step));
    let row = row.on_hover_ui(|ui| {
        ui.label(RichText::new(about).size(TEXT_SMALL));
        if step.is_some() {
            ui.label(widgets::weak(ui, "Click to look at the first step that differs"));
        }
    });
    if let Some(step) = step.filter(|_| row.clicked()) {
        actions.push(Action::ChooseStep(Some(step)));
    }
}

/// What a difference is called; infinite where a value meets none.
fn size_text(size: f64) -> String {
    if size.is_infinite() { "no number".to_owned() } else { numbers::digits(size, 3) }
}
