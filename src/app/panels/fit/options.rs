//! The folded options of a fit: further starts, the loss, and exact confidence intervals.

use eframe::egui::{DragValue, Ui};

use super::state::FitState;
use crate::app::doc::typed;
use crate::app::ui::numbers;
use crate::app::ui::widgets;
use crate::optimize::Loss;

/// The largest number of starts.
const MAX_STARTS: u64 = 1000;

const LOSSES: [(Loss, &str, &str); 4] = [
    (Loss::Square, "Square", "The sum of squares: right for noise without outliers"),
    (Loss::Huber, "Huber", "The square up to the scale, and the size of the difference above"),
    (Loss::SoftL1, "Soft L1", "A smooth form of Huber's loss"),
    (Loss::Cauchy, "Cauchy", "Far outliers hardly count"),
];

pub fn show_ui(ui: &mut Ui, state: &mut FitState) {
    let options = &mut state.options;
    widgets::collapsing("Options").id_salt("options of the fit").show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.label(widgets::weak(ui, "Starts"));
            let starts = DragValue::new(&mut options.starts).range(1..=MAX_STARTS).custom_parser(typed::dragged_whole);
            let about = "The values of the simulation, and others spread between the bounds; more of them find a deeper \
                         minimum";
            let starts = ui.add(starts).on_hover_text(about);
            crate::app::ui::field::name(&starts, "Starts");
            ui.label(widgets::weak(ui, "Seed"));
            let seed = DragValue::new(&mut options.seed).range(0..=1_000_000_u64).custom_parser(typed::dragged_whole);
            ui.add(seed).on_hover_text("The same seed gives the same starts");
        });
        ui.horizontal(|ui| {
            ui.label(widgets::weak(ui, "Loss"));
            let of = |loss: Loss| LOSSES.iter().find(|(known, ..)| *known == loss);
            let (shown, about) = of(options.loss).map_or(("", ""), |(_, name, about)| (*name, *about));
            let response = widgets::choice_ui(ui, "Loss", shown, 90.0, |ui| {
                for (loss, name, about) in LOSSES {
                    ui.selectable_value(&mut options.loss, loss, name).on_hover_text(about);
                }
            });
            response.on_hover_text(about);
            if options.loss != Loss::Square {
                ui.label(widgets::weak(ui, "Scale"));
                let speed = 0.01 * options.loss_scale;
                let scale = DragValue::new(&mut options.loss_scale)
                    .range(1e-12..=1e12)
                    .speed(speed)
                    .custom_formatter(|value, _| numbers::digits(value, 4))
                    .custom_parser(typed::number);
                ui.add(scale).on_hover_text("The weighted difference from which it counts less");
            }
        });
        let text = "Intervals by profile likelihood";
        let about = "They hold where the model is far from linear in its parameters, and take many more runs";
        widgets::check_ui(ui, &mut options.has_profiles, text).on_hover_text(about);
    });
}
