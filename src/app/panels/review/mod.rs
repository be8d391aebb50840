//! The conflicts of a merge, to be settled, and the comparison of the document with another state.
//!
//! | module | contents |
//! |---|---|
//! | `conflicts` | a row for each conflict, with its sides |
//! | `comparison` | what is compared, and the list of changes |
//! | `diagrams` | both diagrams with one camera, beside or over each other |
//! | `results` | the results of both states |

mod comparison;
mod conflicts;
mod diagrams;
mod results;

use eframe::egui::Ui;

use self::comparison::ComparisonState;
use self::conflicts::ConflictsState;
use crate::app::action::Action;
use crate::app::store::comparison::DocumentComparison;
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets;
use crate::block::Registry;
use crate::model::Document;

#[derive(Default)]
pub struct ReviewState {
    shows: Shows,
    conflicts: ConflictsState,
    comparison: ComparisonState,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Shows {
    #[default]
    Conflicts,
    Comparison,
}

/// The content of the panel.
pub struct ReviewView<'a> {
    pub document: &'a Document,
    pub registry: &'a Registry,
    /// Whether the document has a file, which may be in a commit.
    pub has_file: bool,
    pub comparison: &'a DocumentComparison,
}

impl ReviewState {
    pub fn show_comparison(&mut self) {
        self.shows = Shows::Comparison;
        self.comparison = ComparisonState::default();
    }

    pub fn show_conflicts(&mut self) {
        self.shows = Shows::Conflicts;
    }
}

pub fn show_ui(ui: &mut Ui, state: &mut ReviewState, view: &ReviewView) -> Vec<Action> {
    let mut actions = Vec::new();
    widgets::panel_frame().show(ui, |ui| {
        let count = state.conflicts.follow(view.document);
        ui.horizontal_wrapped(|ui| {
            let conflicts = if count == 0 { "Conflicts".to_owned() } else { format!("Conflicts {count}") };
            ui.selectable_value(&mut state.shows, Shows::Conflicts, conflicts)
                .on_hover_text("What both sides of a merge changed in different ways");
            ui.selectable_value(&mut state.shows, Shows::Comparison, "Compare")
                .on_hover_text("What differs from another file, the last commit or an earlier state");
            ui.separator();
            match state.shows {
                Shows::Conflicts => conflicts::head_ui(ui, &state.conflicts, view, &mut actions),
                Shows::Comparison => comparison::head_ui(ui, &mut state.comparison, view, &mut actions),
            }
        });
        ui.add_space(SPACE);
        match state.shows {
            Shows::Conflicts => conflicts::show_ui(ui, &mut state.conflicts, view, &mut actions),
            Shows::Comparison => comparison::show_ui(ui, &mut state.comparison, view, &mut actions),
        }
    });
    actions
}
