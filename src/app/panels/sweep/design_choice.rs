//! The choice of the design of a sweep, with the number of its samples and its seed.

use eframe::egui::{self, Ui};

use crate::app::doc::typed;
use crate::app::ui::theme::SPACE;
use crate::app::ui::{form, widgets};
use crate::sampling::SampleDesign;

/// Returns the title of a design, and what it does.
fn about(design: SampleDesign) -> [&'static str; 2] {
    match design {
        SampleDesign::Random => ["Grid", "Every combination of the values; random values are independent"],
        SampleDesign::LatinHypercube => {
            ["Latin hypercube", "Each of as many equal parts of each range as there are samples has one value"]
        }
        SampleDesign::Sobol => ["Sobol sequence", "Fills the ranges evenly; best with a power of 2"],
        SampleDesign::Halton => ["Halton sequence", "Fills the ranges evenly, with any number of samples"],
        SampleDesign::Morris => {
            ["Morris screening", "Changes one parameter after the other and shows the effect of each; few runs"]
        }
        SampleDesign::SobolIndices => {
            ["Sobol indices", "Shows the share of each parameter in the variance of the results; many runs"]
        }
    }
}

/// Draws the fields of a design: the draws of a grid or the samples of another design, and the seed.
pub(super) fn design_ui(ui: &mut Ui, design: &mut SampleDesign, [draws, samples]: [&mut u64; 2], seed: &mut u64) {
    let [title, what] = about(*design);
    form::row_ui(ui, "Design", what, |ui| {
        widgets::choice_ui(ui, "Design", title, choice_width(ui), |ui| {
            for one in SampleDesign::ALL {
                let [title, what] = about(one);
                ui.selectable_value(design, one, title).on_hover_text(what);
            }
        });
    });
    let (title, hint, number) = match *design {
        SampleDesign::Random => ("Draws", "The number of runs per combination, for random values", draws),
        SampleDesign::Morris => ("Trajectories", "Each has one run more than there are parameters", samples),
        SampleDesign::SobolIndices => ("Samples", "Each has two runs more than there are parameters", samples),
        _ => ("Samples", "The number of runs for each combination of listed values", samples),
    };
    form::row_ui(ui, title, hint, |ui| {
        let field = ui.add(egui::DragValue::new(number).range(1..=100_000).custom_parser(typed::dragged_whole));
        ui.ctx().accesskit_node_builder(field.id, |node| node.set_label(title));
        field.on_hover_text(hint);
        ui.add_space(SPACE);
        ui.label(widgets::weak(ui, "Seed"));
        let field = ui.add(egui::DragValue::new(seed).range(0..=1_000_000).custom_parser(typed::dragged_whole));
        field.on_hover_text("The same seed gives the same random values");
    });
}

/// The width of the choices of this panel.
pub(super) fn choice_width(ui: &Ui) -> f32 {
    (ui.available_width() - 2.0 * SPACE).min(180.0)
}
