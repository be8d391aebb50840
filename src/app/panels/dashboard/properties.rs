//! The settings of a widget while the layout is edited.

use std::borrow::Cow;

use eframe::egui::{self, RichText, ScrollArea, Ui};

use super::widget::{StoredWidget, WidgetSlot};
use super::{DashboardState, DashboardView};
use crate::app::action::{Action, DashboardAction};
use crate::app::doc::dashboard::{
    Binding, BindingKind, Candidate, Image, Motion, MotionProperty, Widget, WidgetHost, WidgetKind,
    candidates_of_block, with_scale_of,
};
use crate::app::doc::typed;
use crate::app::ui::field::{EditedField, Field};
use crate::app::ui::form::row_ui;
use crate::app::ui::icons::Icon;
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets;
use crate::model::SignalKey;

const ROW: f32 = 22.0;

pub fn show_ui(
    ui: &mut Ui,
    state: &mut DashboardState,
    view: &DashboardView,
    host: WidgetHost,
    slot: WidgetSlot,
    actions: &mut Vec<Action>,
) {
    let Some(stored) = StoredWidget::of(host, slot) else { return };
    let widget = stored.widget;
    ui.push_id((slot.block, slot.number), |ui| {
        ui.horizontal(|ui| {
            kind_ui(ui, host, slot, widget, actions);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let remove = widgets::icon_button_ui(ui, Icon::Close, "Remove widget");
                if remove.on_hover_text("Remove it (Delete)").clicked() {
                    actions.push(Action::Apply(host.without("Remove from dashboard", slot.number)));
                    (state.selected, state.pointed) = (None, None);
                }
            });
        });
        if widget.kind.can_be_bound() {
            binding_ui(ui, state, view, stored, actions);
            ui.add_space(2.0 * SPACE);
        }
        if widget.kind.is_shape() {
            moves_ui(ui, state, view, stored, actions);
        }
        fields_ui(ui, state, view, stored, actions);
        if widget.kind.is_shape() {
            color_ui(ui, host, slot, widget, actions);
        }
        if widget.kind == WidgetKind::Picture {
            picture_ui(ui, state, view, stored, actions);
        }
    });
}

/// Draws the choice of the kind, among those with the same binding.
fn kind_ui(ui: &mut Ui, host: WidgetHost, slot: WidgetSlot, widget: &Widget, actions: &mut Vec<Action>) {
    if !widget.kind.can_be_bound() {
        ui.label(RichText::new(widget.kind.label()).text_style(crate::app::ui::style::title()));
        return;
    }
    widgets::choice_ui(ui, "Kind of widget", widget.kind.label(), 150.0, |ui| {
        let others = WidgetKind::ALL.into_iter().filter(|kind| kind.can_be_bound());
        for kind in others.filter(|kind| kind.is_control() == widget.kind.is_control()) {
            if ui.selectable_label(kind == widget.kind, kind.label()).clicked() && kind != widget.kind {
                let label = format!("Show as {}", kind.label().to_lowercase());
                actions.push(Action::Apply(host.with(label, slot.number, |widget| {
                    widget.kind = kind;
                    (widget.width, widget.height) = kind.size();
                })));
            }
        }
    });
}

/// Draws the motions of a shape: property, signal, factor.
fn moves_ui(
    ui: &mut Ui,
    state: &mut DashboardState,
    view: &DashboardView,
    StoredWidget { host, slot, widget }: StoredWidget,
    actions: &mut Vec<Action>,
) {
    let known = view.derived.bindings(BindingKind::Signals, view.registry);
    ui.menu_button("Add motion", |ui| {
        let first = known.iter().find_map(|candidate| match &candidate.binding {
            Binding::Signal(signal) => Some(signal.clone()),
            Binding::Param(_) => None,
        });
        for what in MotionProperty::ALL {
            let button = ui.add_enabled(first.is_some(), egui::Button::new(what.label())).on_hover_text(what.about());
            if let Some(signal) = first.clone().filter(|_| button.clicked()) {
                ui.close();
                actions.push(Action::Apply(host.with("Bind shape", slot.number, |widget| {
                    widget.motions.push(Motion { what, signal, factor: what.factor() });
                })));
            }
        }
    });
    for (number, motion) in widget.motions.iter().enumerate() {
        let mut set = |label: &str, change: &dyn Fn(&mut Motion)| {
            actions.push(Action::Apply(host.with(label, slot.number, |widget| {
                widget.motions.get_mut(number).into_iter().for_each(change);
            })));
        };
        let shown =
            Binding::Signal(motion.signal.clone()).name(view.simulation, &|signal| view.derived.name_of(signal));
        row_ui(ui, motion.what.label(), motion.what.about(), |ui| {
            let width = ui.available_width() - 8.0;
            widgets::choice_ui(ui, &format!("Signal {}", number + 1), &shown, width, |ui| {
                for candidate in known.iter().take(500) {
                    let Binding::Signal(signal) = &candidate.binding else { continue };
                    if ui.selectable_label(*signal == motion.signal, &candidate.name).clicked() {
                        set("Bind shape", &|motion| motion.signal = signal.clone());
                    }
                }
            });
        });
        let mut is_gone = false;
        let label = format!("Factor {}", number + 1);
        let typed = row_ui(ui, "times", motion.what.about(), |ui| {
            let typed = number_ui(ui, &mut state.editing, &label, motion.factor, 34.0);
            is_gone = widgets::icon_button_ui(ui, Icon::Close, &format!("Unbind signal {}", number + 1)).clicked();
            typed
        });
        if let Some(factor) = typed {
            set("Set factor of shape", &|motion| motion.factor = factor);
        }
        if is_gone {
            actions.push(Action::Apply(host.with("Unbind shape", slot.number, |widget| {
                widget.motions.remove(number);
            })));
        }
    }
}

/// Draws the choice of the colour.
fn color_ui(ui: &mut Ui, host: WidgetHost, slot: WidgetSlot, widget: &Widget, actions: &mut Vec<Action>) {
    row_ui(ui, "Colour", "The colour of the shape", |ui| {
        let own = widget.color.map_or(widgets::theme_of(ui.ctx()).accent, |[r, g, b]| egui::Color32::from_rgb(r, g, b));
        for (name, color) in std::iter::once(("Own", own)).chain(crate::app::canvas::COLORS) {
            let text = RichText::new("■").color(color).size(16.0);
            let button = ui.add(egui::Button::new(text).frame(false).small());
            ui.ctx().accesskit_node_builder(button.id, |node| node.set_label(format!("Colour {name}")));
            if button.on_hover_text(name).clicked() {
                let [r, g, b, _] = color.to_array();
                actions.push(Action::Apply(host.with("Colour shape", slot.number, |widget| {
                    widget.color = Some([r, g, b]);
                })));
            }
        }
    });
}

/// Draws the choice of the picture file.
fn picture_ui(
    ui: &mut Ui,
    state: &mut DashboardState,
    view: &DashboardView,
    StoredWidget { host, slot, widget }: StoredWidget,
    actions: &mut Vec<Action>,
) {
    let (path, is_embedded) = match &widget.image {
        Some(Image::Beside(path)) => (path.as_str(), false),
        Some(Image::Embedded(_)) => ("", true),
        None => ("", false),
    };
    let hint = if is_embedded { "stored in the simulation" } else { "plant.png" };
    let typed = row_ui(ui, "File", "A .png file; its path is relative to the simulation's file", |ui| {
        let width = ui.available_width();
        Field::new("File", path).hint(hint).width(width).text_ui(ui, &mut state.editing, &|_| None)
    });
    if let Some(text) = typed {
        let image = Some(text.trim()).filter(|text| !text.is_empty()).map(|text| Image::Beside(text.to_owned()));
        actions.push(Action::Apply(host.with("Choose picture", slot.number, |widget| widget.image = image)));
    }
    row_ui(ui, "", "", |ui| {
        if ui.button("Choose file…").clicked() {
            actions.push(Action::Dashboard(DashboardAction::ChoosePicture { number: slot.number }));
        }
    });
    let can_embed = !path.is_empty();
    row_ui(ui, "", "", |ui| {
        let button = ui.add_enabled(can_embed, egui::Button::new("Store in the simulation"));
        let button = button.on_disabled_hover_text("Choose a file first");
        if button.on_hover_text("Store the picture in the simulation's file; up to 256 KB").clicked() {
            let path = view.folder.map_or_else(|| path.into(), |folder| folder.join(path));
            actions.push(Action::Dashboard(DashboardAction::KeepPicture {
                block: slot.block,
                number: slot.number,
                path,
            }));
        }
    });
}

fn fields_ui(
    ui: &mut Ui,
    state: &mut DashboardState,
    view: &DashboardView,
    StoredWidget { host, slot, widget }: StoredWidget,
    actions: &mut Vec<Action>,
) {
    let mut set = |label: &str, change: &dyn Fn(&mut Widget)| {
        actions.push(Action::Apply(host.with(label, slot.number, change)));
    };
    let hint = widget
        .binding
        .as_ref()
        .map(|binding| binding.name(view.simulation, &|signal| view.derived.name_of(signal)))
        .unwrap_or_default();
    let typed = row_ui(ui, "Label", "The text above the widget", |ui| {
        let width = ui.available_width();
        Field::new("Label", &widget.label).hint(&hint).width(width).text_ui(ui, &mut state.editing, &|_| None)
    });
    if let Some(text) = typed {
        set("Set label", &|widget| widget.label = text.trim().to_owned());
    }
    type WidgetNumber = fn(&mut Widget) -> &mut f64;
    let mut rows: Vec<(&str, &str, f64, WidgetNumber)> = Vec::new();
    let is_coloured = widget.motions.iter().any(|motion| motion.what == MotionProperty::Colour);
    if widget.kind.has_scale() || is_coloured {
        rows.push(("From", "The start of the scale", widget.low, |widget| &mut widget.low));
        rows.push(("To", "The end of the scale", widget.high, |widget| &mut widget.high));
    }
    if widget.kind.has_states() {
        rows.push(("On", "The value that is on", widget.on, |widget| &mut widget.on));
        rows.push(("Off", "The value that is off", widget.off, |widget| &mut widget.off));
    }
    for (label, about, value, number_of) in rows {
        let typed = row_ui(ui, label, about, |ui| number_ui(ui, &mut state.editing, label, value, 0.0));
        if let Some(value) = typed {
            set(&format!("Set {}", label.to_lowercase()), &|widget| *number_of(widget) = value);
        }
    }
    if widget.kind.has_choices() {
        let shown: Vec<String> = widget.choices.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let typed = row_ui(ui, "Choices", "Names with values: Slow = 1; Fast = 10", |ui| {
            let width = ui.available_width();
            let check = |text: &str| match choices_of(text) {
                Some(_) => None,
                None => Some("Names with values: Slow = 1; Fast = 10".to_owned()),
            };
            let hint = "Slow = 1; Fast = 10";
            Field::new("Choices", &shown.join("; ")).hint(hint).width(width).text_ui(ui, &mut state.editing, &check)
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
            Some((name.trim().to_owned(), typed::number(value)?))
        })
        .collect()
}

/// Draws a field for a finite number, leaving room beside it.
fn number_ui(ui: &mut Ui, editing: &mut EditedField, label: &str, value: f64, beside: f32) -> Option<f64> {
    let finite = typed::number;
    let check = |text: &str| finite(text).is_none().then(|| typed::number_problem(text, "A number"));
    let width = ui.available_width() - beside;
    let shown = value.to_string();
    let field = Field::new(label, &shown).width(width).number(Wanted::One);
    field.text_ui(ui, editing, &check).and_then(|text| finite(&text))
}

fn binding_ui(
    ui: &mut Ui,
    state: &mut DashboardState,
    view: &DashboardView,
    StoredWidget { host, slot, widget }: StoredWidget,
    actions: &mut Vec<Action>,
) {
    let is_control = widget.kind.is_control();
    widgets::section_ui(ui, if is_control { "Sets the parameter" } else { "Shows the signal" });
    match &widget.binding {
        Some(binding) => ui.label(binding.name(view.simulation, &|signal| view.derived.name_of(signal))),
        None => ui.label(widgets::weak(ui, "Nothing yet: choose from the list")),
    };
    ui.add_space(SPACE);
    let wanted = if is_control { BindingKind::Params } else { BindingKind::Signals };
    let known: Cow<[Candidate]> = match (slot.block, &widget.binding) {
        // A widget beside a block binds to that block.
        (Some(block), Some(binding)) => {
            let names = |signal: &SignalKey| view.derived.name_of(signal);
            let target = (binding.target().0, block);
            candidates_of_block((view.simulation, view.registry), target, wanted, &names).into()
        }
        _ => view.derived.bindings(wanted, view.registry).into(),
    };
    if known.len() > 1 || slot.block.is_none() {
        widgets::search_ui(ui, &mut state.search, if is_control { "Find a parameter" } else { "Find a signal" });
    } else {
        return;
    }
    let wanted = state.search.to_lowercase();
    let found: Vec<&Candidate> = known.iter().filter(|one| one.name.to_lowercase().contains(&wanted)).collect();
    if found.is_empty() {
        ui.label(widgets::weak(ui, "Nothing matches"));
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
                let row = widgets::selectable_row_ui(
                    ui,
                    &format!("Bind to {}", candidate.name),
                    ROW,
                    is_bound,
                    |ui, rect| {
                        let theme = widgets::theme_of(ui.ctx());
                        let room = rect.shrink2(egui::vec2(6.0, 0.0));
                        widgets::text_in(
                            ui,
                            room,
                            &candidate.name,
                            crate::app::ui::style::plain(TEXT_SMALL + 0.5),
                            theme.text,
                        );
                    },
                );
                if row.clicked() && !is_bound {
                    let label = format!("Bind to {}", candidate.name);
                    actions.push(Action::Apply(host.with(label, slot.number, |widget| {
                        let bound = Widget { binding: Some(candidate.binding.clone()), ..widget.clone() };
                        // A default scale adapts to the binding.
                        let is_fresh = widget.binding.is_none() && widget.kind.has_scale();
                        *widget =
                            if is_fresh { with_scale_of(bound, view.simulation, view.registry, None) } else { bound };
                    })));
                }
            }
        },
    );
}
