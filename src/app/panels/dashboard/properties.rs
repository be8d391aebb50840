//! What can be set about a widget while it is placed.

use eframe::egui::{self, RichText, ScrollArea, Ui};

use super::{State, View};
use crate::app::dashboard::{Candidate, Wanted, Widget, WidgetKind, candidates};
use crate::app::icons::Icon;
use crate::app::panels::param::{field_ui, row_ui};
use crate::app::state::Action;
use crate::app::theme::{SPACE, TEXT_SMALL};
use crate::app::widgets;

const ROW: f32 = 22.0;

pub fn show_ui(ui: &mut Ui, state: &mut State, view: &View, actions: &mut Vec<Action>) {
    let Some(number) = state.selected else { return };
    let Some(widget) = view.dashboard.widgets.get(number) else { return };
    ScrollArea::vertical().id_salt("properties").auto_shrink(false).show(ui, |ui| {
        widgets::panel_frame().show(ui, |ui| {
            ui.push_id(number, |ui| {
                ui.horizontal(|ui| {
                    ui.label(RichText::new(widget.kind.label()).text_style(crate::app::style::title()));
                    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                        let remove = widgets::icon_button_ui(ui, Icon::Close, "Remove widget", true);
                        if remove.on_hover_text("Remove it from the dashboard (Delete)").clicked() {
                            let change = view.dashboard.without(number).change("Remove from dashboard");
                            actions.push(Action::Apply(change));
                            state.selected = None;
                        }
                    });
                });
                if widget.kind != WidgetKind::Text {
                    binding_ui(ui, state, view, number, widget, actions);
                    ui.add_space(2.0 * SPACE);
                }
                fields_ui(ui, state, view, number, widget, actions);
            });
        });
    });
}

fn fields_ui(ui: &mut Ui, state: &mut State, view: &View, number: usize, widget: &Widget, actions: &mut Vec<Action>) {
    let mut set = |label: &str, change: &dyn Fn(&mut Widget)| {
        actions.push(Action::Apply(view.dashboard.with(number, change).change(label)));
    };
    let hint = widget.binding.as_ref().map(|binding| binding.name(view.simulation)).unwrap_or_default();
    let typed = row_ui(ui, "Label", "What stands above it", |ui| {
        let width = ui.available_width();
        field_ui(ui, &mut state.editing, "Label", &widget.label, &hint, width, &|_| None)
    });
    if let Some(text) = typed {
        set("Set label", &|widget| widget.label = text.trim().to_owned());
    }
    let is_number = |text: &str| match text.trim().parse::<f64>() {
        Ok(value) if value.is_finite() => None,
        _ => Some("A number".to_owned()),
    };
    type Place = fn(&mut Widget) -> &mut f64;
    let mut rows: Vec<(&str, &str, f64, Place)> = Vec::new();
    if widget.kind.has_scale() {
        rows.push(("From", "The begin of the scale", widget.low, |widget| &mut widget.low));
        rows.push(("To", "The end of the scale", widget.high, |widget| &mut widget.high));
    }
    if widget.kind.has_states() {
        rows.push(("On", "The value that is on", widget.on, |widget| &mut widget.on));
        rows.push(("Off", "The value that is off", widget.off, |widget| &mut widget.off));
    }
    for (label, about, value, place) in rows {
        let typed = row_ui(ui, label, about, |ui| {
            let width = ui.available_width();
            field_ui(ui, &mut state.editing, label, &value.to_string(), "", width, &is_number)
        });
        if let Some(Ok(value)) = typed.map(|text| text.trim().parse::<f64>()) {
            set(&format!("Set {}", label.to_lowercase()), &|widget| *place(widget) = value);
        }
    }
    if widget.kind == WidgetKind::Choice {
        let shown: Vec<String> = widget.choices.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let typed = row_ui(ui, "Offers", "Names with values: Slow = 1; Fast = 10", |ui| {
            let width = ui.available_width();
            let check = |text: &str| match choices_of(text) {
                Some(_) => None,
                None => Some("Names with values: Slow = 1; Fast = 10".to_owned()),
            };
            let hint = "Slow = 1; Fast = 10";
            field_ui(ui, &mut state.editing, "Offers", &shown.join("; "), hint, width, &check)
        });
        if let Some(choices) = typed.and_then(|text| choices_of(&text)) {
            set("Set choices", &|widget| widget.choices.clone_from(&choices));
        }
    }
}

/// `Slow = 1; Fast = 10`.
fn choices_of(text: &str) -> Option<Vec<(String, f64)>> {
    let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (name, value) = part.rsplit_once('=')?;
            Some((name.trim().to_owned(), value.trim().parse().ok().filter(|v: &f64| v.is_finite())?))
        })
        .collect()
}

fn binding_ui(ui: &mut Ui, state: &mut State, view: &View, number: usize, widget: &Widget, actions: &mut Vec<Action>) {
    let is_control = widget.kind.is_control();
    widgets::section_ui(ui, if is_control { "Sets the parameter" } else { "Shows the signal" });
    match &widget.binding {
        Some(binding) => ui.label(binding.name(view.simulation)),
        None => ui.label(widgets::weak(ui, "Nothing yet: choose from the list")),
    };
    ui.add_space(SPACE);
    widgets::search_ui(ui, &mut state.search, if is_control { "Find a parameter" } else { "Find a signal" });
    let is_known =
        state.known.as_ref().is_some_and(|(revision, of, _)| (*revision, *of) == (view.revision, is_control));
    if !is_known {
        let wanted = if is_control { Wanted::Params } else { Wanted::Signals };
        state.known = Some((view.revision, is_control, candidates(view.simulation, view.registry, wanted)));
    }
    let Some((_, _, known)) = &state.known else { return };
    let wanted = state.search.to_lowercase();
    let found: Vec<&Candidate> = known.iter().filter(|one| one.name.to_lowercase().contains(&wanted)).collect();
    if found.is_empty() {
        ui.label(widgets::weak(ui, "Nothing is called that"));
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let height = (found.len() as f32 * ROW).clamp(ROW, 154.0);
    ScrollArea::vertical().id_salt("bind").max_height(height).auto_shrink(false).show_rows(
        ui,
        ROW,
        found.len(),
        |ui, rows| {
            for candidate in found.get(rows).unwrap_or_default() {
                let is_bound = widget.binding.as_ref() == Some(&candidate.binding);
                let row = widgets::row_ui(ui, &format!("Bind to {}", candidate.name), ROW, is_bound, |ui, rect| {
                    let theme = widgets::theme_of(ui.ctx());
                    let room = rect.shrink2(egui::vec2(6.0, 0.0));
                    widgets::text_in(ui, room, &candidate.name, crate::app::style::plain(TEXT_SMALL + 0.5), theme.text);
                });
                if row.clicked() && !is_bound {
                    let dashboard =
                        view.dashboard.with(number, |widget| widget.binding = Some(candidate.binding.clone()));
                    actions.push(Action::Apply(dashboard.change(format!("Bind to {}", candidate.name))));
                }
            }
        },
    );
}
