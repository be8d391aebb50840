//! What is drawn of the runs of a sweep.

use eframe::egui::{self, Ui};

use super::{SweepState, SweepView, bars, fan, scatter};
use crate::app::store::lab::Ensemble;
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets;
use crate::engine::SweepMeasure;

/// What is drawn of the runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SweepFigure {
    #[default]
    Curves,
    /// The effects or shares of the parameters.
    Indices,
    /// The measures of the runs over the parameters.
    Scatter,
}

/// Returns the name of a measure of a signal in texts.
pub(super) fn title_of(measure: SweepMeasure) -> &'static str {
    match measure {
        SweepMeasure::Last => "Last value",
        SweepMeasure::Minimum => "Minimum",
        SweepMeasure::Maximum => "Maximum",
        SweepMeasure::Mean => "Mean",
    }
}

pub(super) fn figure_ui(ui: &mut Ui, state: &mut SweepState, view: &SweepView, ensemble: &Ensemble) {
    let has_indices = ensemble.runs.design.has_indices();
    ui.horizontal(|ui| {
        ui.add_space(2.0 * SPACE);
        let figures = [
            (SweepFigure::Curves, "Curves", "The signal of all runs over time"),
            (SweepFigure::Indices, "Sensitivity", "How much each parameter changes the result"),
            (SweepFigure::Scatter, "Scatter", "The results of the runs over each parameter"),
        ];
        for (figure, title, what) in figures {
            if figure != SweepFigure::Indices || has_indices {
                ui.selectable_value(&mut state.figure, figure, title).on_hover_text(what);
            }
        }
        if state.figure == SweepFigure::Indices && has_indices {
            ui.add_space(2.0 * SPACE);
            let signal = state.signal.as_ref().map_or_else(String::new, |key| view.derived.name_of(key));
            ui.label(widgets::weak(ui, format!("of {signal}")));
            let chosen = widgets::choice_ui(ui, "Measure", title_of(state.measure), 110.0, |ui| {
                for measure in SweepMeasure::ALL {
                    ui.selectable_value(&mut state.measure, measure, title_of(measure));
                }
            });
            chosen.on_hover_text("The number of each run whose changes are explained");
        }
    });
    ui.add_space(SPACE);
    match state.figure {
        SweepFigure::Indices if has_indices => bars::bars_ui(ui, state, ensemble),
        SweepFigure::Scatter => {
            egui::ScrollArea::both().id_salt("scatter").auto_shrink(false).show(ui, |ui| {
                scatter::scatter_ui(ui, state, ensemble);
            });
        }
        _ => fan::fan_ui(ui, state, ensemble),
    }
}
