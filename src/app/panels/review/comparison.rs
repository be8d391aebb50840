//! The choice of the other state, and the list of changes by model.

use eframe::egui::{self, Color32, Rect, RichText, ScrollArea, Ui, pos2, vec2};

use super::diagrams::DiagramsState;
use super::{ReviewView, results};
use crate::app::action::command::{Command, FileCommand};
use crate::app::action::{Action, ReviewAction};
use crate::app::store::comparison::Compared;
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL, Theme};
use crate::app::ui::widgets::{self, theme_of};
use crate::diff::{Change, Mark, Section, can_be_taken, sections};

const ROW: f32 = 24.0;
/// The share of the width that the list has.
const LIST: f32 = 0.36;

#[derive(Default)]
pub struct ComparisonState {
    /// The revision that the rest belongs to.
    revision: Option<u64>,
    selected: Option<Change>,
    /// The name of the model that both diagrams show, as the newer state has it, or the other where it is gone.
    model: Option<String>,
    hides_layout: bool,
    diagrams: DiagramsState,
    /// The results of both states are shown instead of the diagrams.
    shows_results: bool,
    /// The signal whose curves are shown.
    signal: Option<String>,
}

pub fn show_ui(ui: &mut Ui, state: &mut ComparisonState, view: &ReviewView, actions: &mut Vec<Action>) {
    let Some(other) = view.comparison.other() else {
        let what = "The changes are listed here, with both diagrams beside each other";
        return widgets::empty_ui(ui, Icon::Search, "Choose what to compare with", what);
    };
    if state.shows_results {
        return results::show_ui(ui, &mut state.signal, &view.comparison.runs);
    }
    let Some(found) = view.comparison.found() else {
        return widgets::empty_ui(ui, Icon::Search, "Comparing…", "You can go on working");
    };
    if found.changes.is_empty() {
        return widgets::empty_ui(ui, Icon::Check, "No differences", &format!("This is the state {}", other.name));
    }
    state.revision = Some(found.revision);
    let shown = |change: &&Change| !(state.hides_layout && change.is_layout);
    let changes: Vec<Change> = found.changes.iter().filter(shown).cloned().collect();
    let sections = sections(&changes);
    let room = ui.available_rect_before_wrap();
    let (list, diagrams) = room.split_left_right_at_fraction(LIST);
    let mut left = ui.new_child(egui::UiBuilder::new().id_salt("changes").max_rect(list));
    list_ui(&mut left, state, &sections, view, found, actions);
    let mut right =
        ui.new_child(egui::UiBuilder::new().id_salt("diagrams").max_rect(diagrams.shrink2(vec2(SPACE, 0.0))));
    let shown = state.model.as_deref();
    let section = sections.iter().find(|section| section.second.or(section.first) == shown).or(sections.first());
    if let Some(section) = section {
        let names = [&*other.name, "now"];
        let states = [&other.simulation, &found.simulation];
        state.diagrams.show_ui(&mut right, section, (names, states), view.registry);
    }
    ui.allocate_rect(room, egui::Sense::hover());
}

/// Draws the name of the other state, and the buttons that choose another.
pub fn head_ui(ui: &mut Ui, state: &mut ComparisonState, view: &ReviewView, actions: &mut Vec<Action>) {
    match view.comparison.other() {
        Some(other) => ui.label(RichText::new(format!("With {}", other.name)).font(style::strong(TEXT))),
        None => ui.label("Compare with"),
    };
    let mut command = |ui: &mut Ui, text: &str, is_possible: bool, hint: &str, command: FileCommand| {
        let button = ui.add_enabled(is_possible, egui::Button::new(text));
        if button.on_hover_text(hint).clicked() {
            actions.push(Action::Command(Command::File(command)));
        }
    };
    command(ui, "File…", true, "Another file", FileCommand::CompareFile);
    let hint =
        if view.has_file { "Its file in the last commit" } else { "Save it first: only a file can be in a commit" };
    command(ui, "Last commit", view.has_file, hint, FileCommand::CompareCommit);
    let states = view.document.states();
    let now = view.document.undo_labels().count();
    ui.add_enabled_ui(states.len() > 1, |ui| {
        ui.menu_button("Earlier state…", |ui| {
            ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
                for (number, (label, _)) in states.iter().enumerate().filter(|(number, _)| *number != now) {
                    let text = label.map_or_else(|| "As opened".to_owned(), |label| format!("After: {label}"));
                    if ui.button(text).clicked() {
                        actions.push(Action::Review(ReviewAction::CompareWithHistory(number)));
                        ui.close();
                    }
                }
            });
        });
    });
    if view.comparison.other().is_some() {
        ui.separator();
        ui.selectable_value(&mut state.shows_results, false, "Changes");
        ui.selectable_value(&mut state.shows_results, true, "Results");
        ui.separator();
        if state.shows_results {
            run_ui(ui, view, actions);
        } else {
            state.diagrams.choice_ui(ui);
            ui.checkbox(&mut state.hides_layout, "Hide layout");
        }
        if ui.button("End").on_hover_text("End the comparison").clicked() {
            actions.push(Action::Review(ReviewAction::End));
        }
    }
}

fn run_ui(ui: &mut Ui, view: &ReviewView, actions: &mut Vec<Action>) {
    if view.comparison.runs.is_busy() {
        if ui.button("Stop").clicked() {
            actions.push(Action::Review(ReviewAction::StopBoth));
        }
        return;
    }
    let hint = "The same run of both states: their curves over each other, and the largest difference of each signal";
    if ui.button("Run both").on_hover_text(hint).clicked() {
        actions.push(Action::Review(ReviewAction::RunBoth));
    }
}

/// A row of the list.
enum Row<'s> {
    Model(&'s Section<'s>),
    Change(&'s Section<'s>, &'s Change),
}

fn list_ui(
    ui: &mut Ui,
    state: &mut ComparisonState,
    sections: &[Section],
    view: &ReviewView,
    found: &Compared,
    actions: &mut Vec<Action>,
) {
    let rows: Vec<Row> = sections
        .iter()
        .flat_map(|section| {
            let changes = section.changes.iter().map(move |change| Row::Change(section, change));
            [Row::Model(section)].into_iter().chain(changes)
        })
        .collect();
    // While the document is compared again, its places may be others.
    let is_current = found.revision == view.document.revision();
    ui.spacing_mut().item_spacing.y = 1.0;
    ScrollArea::vertical().auto_shrink(false).show_rows(ui, ROW, rows.len(), |ui, seen| {
        for row in seen.filter_map(|number| rows.get(number)) {
            match row {
                Row::Model(section) => {
                    let size = vec2(ui.available_width(), ROW);
                    let (rect, _) = ui.allocate_exact_size(size, egui::Sense::hover());
                    let room = rect.shrink2(vec2(6.0, 0.0));
                    let font = style::strong(TEXT_SMALL + 0.5);
                    widgets::text_in(ui, room, section.title, font, theme_of(ui.ctx()).text);
                }
                Row::Change(section, change) => change_ui(ui, state, (section, change), is_current, actions),
            }
        }
    });
}

fn change_ui(
    ui: &mut Ui,
    state: &mut ComparisonState,
    (section, change): (&Section, &Change),
    is_current: bool,
    actions: &mut Vec<Action>,
) {
    let theme = theme_of(ui.ctx());
    let text = format!("{} {change}", change.sign());
    let is_selected = state.selected.as_ref() == Some(change);
    let response = widgets::selectable_row_ui(ui, &text, ROW, is_selected, |_, _| ());
    let rect = response.rect;
    let button =
        Rect::from_min_max(pos2(rect.right() - 78.0, rect.top() + 1.0), pos2(rect.right() - 4.0, rect.bottom() - 1.0));
    let room = Rect::from_min_max(rect.min + vec2(10.0, 0.0), pos2(button.left() - 6.0, rect.bottom()));
    // The heading says the model.
    let shown = text.replacen(&format!("{}/", section.title), "", 1);
    widgets::text_in(ui, room, &shown, style::plain(TEXT), color_of(Mark::of(change), theme));
    if can_be_taken(change) {
        let middle = egui::Layout::right_to_left(egui::Align::Center);
        let mut over = ui.new_child(egui::UiBuilder::new().id_salt(&text).max_rect(button).layout(middle));
        over.spacing_mut().button_padding.y = 1.0;
        let take = egui::Button::new(RichText::new("Take back").size(TEXT_SMALL)).small();
        let take = over.add_enabled(is_current, take).on_hover_text("As in the other state; this can be undone");
        ui.ctx().accesskit_node_builder(take.id, |node| node.set_label(format!("Take back {text}")));
        if take.clicked() {
            actions.push(Action::Review(ReviewAction::Take(Box::new(change.clone()))));
        }
    }
    let response = response.on_hover_text(&text);
    if response.clicked() || (response.has_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter))) {
        state.selected = Some(change.clone());
        state.model = section.second.or(section.first).map(str::to_owned);
        let block = |place: &Option<crate::diff::Place>| place.as_ref().and_then(|place| place.block);
        state.diagrams.go_to([block(&change.first_place), block(&change.second_place)]);
    }
}

/// The colour of a mark.
pub fn color_of(mark: Mark, theme: &Theme) -> Color32 {
    match mark {
        Mark::Moved => theme.text_weak,
        Mark::Changed => theme.warning,
        Mark::Removed => theme.error,
        Mark::Added => theme.success,
    }
}
