//! The names of an imported model that had no value, each with its users and a field for the value.

use std::collections::BTreeMap;
use std::sync::Arc;

use eframe::egui::{self, Align, Layout, Rect, RichText, ScrollArea, Ui, UiBuilder, pos2, vec2};

use super::ImportView;
use crate::app::action::command::Panel;
use crate::app::action::{Action, FileAction, ViewAction};
use crate::app::doc::typed;
use crate::app::panels::variables::value_text;
use crate::app::ui::field::{EditedField, Field, Invalid};
use crate::app::ui::icons::Icon;
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, sentence, theme_of};
use crate::block::language::numbers;
use crate::model::imported::missing;
use crate::model::{BlockId, Change, Edit, Scope, Variable, VariableUsers};

#[derive(Default)]
pub struct MissingState {
    editing: EditedField,
    /// The users of each name, in a revision of the document.
    users: Option<(u64, BTreeMap<Arc<str>, VariableUsers>)>,
}

const ROW: f32 = 32.0;
/// The width of a name and of its field.
const NAME: f32 = 150.0;
const FIELD: f32 = 190.0;
/// How many users stand in the row; the others are in a menu.
const SHOWN_USERS: usize = 3;

pub fn show_ui(ui: &mut Ui, state: &mut MissingState, view: &ImportView, query: &str, actions: &mut Vec<Action>) {
    let all: Vec<(&Arc<str>, &Arc<Variable>)> = missing(view.simulation).collect();
    let left = all.iter().filter(|(_, variable)| variable.value.trim().is_empty()).count();
    head_ui(ui, (left, all.len()), view, actions);
    if all.is_empty() {
        return widgets::empty_ui(ui, Icon::Check, "No missing values", "Every name that the model uses has a value");
    }
    let query = query.trim().to_lowercase();
    let found: Vec<_> = all.into_iter().filter(|(name, _)| name.to_lowercase().contains(&query)).collect();
    if found.is_empty() {
        return widgets::empty_ui(ui, Icon::Search, "Nothing found", "No name matches the search");
    }
    let users = match state.users.take().filter(|(of, _)| *of == view.revision) {
        Some((_, users)) => users,
        None => {
            let names: Vec<Arc<str>> = missing(view.simulation).map(|(name, _)| Arc::clone(name)).collect();
            VariableUsers::of_each(view.simulation, view.registry, &names)
        }
    };
    ui.spacing_mut().item_spacing.y = 1.0;
    ScrollArea::vertical().auto_shrink(false).show_rows(ui, ROW, found.len(), |ui, rows| {
        let none = VariableUsers::default();
        for (name, variable) in rows.filter_map(|row| found.get(row)) {
            let (_, rect) = ui.allocate_space(vec2(ui.available_width(), ROW));
            let mut ui = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(name));
            let users = users.get(*name).unwrap_or(&none);
            row_ui(&mut ui, &mut state.editing, (name, variable), users, view, actions);
        }
    });
    state.users = Some((view.revision, users));
}

/// Says how many values are missing, and offers to read them from a file.
fn head_ui(ui: &mut Ui, (left, all): (usize, usize), view: &ImportView, actions: &mut Vec<Action>) {
    if all == 0 {
        return;
    }
    let theme = theme_of(ui.ctx());
    ui.horizontal_wrapped(|ui| {
        let load = ui.button("Load values…");
        if load.on_hover_text("From a script (.m), arrays (.mat), or a table of names and values (.csv)").clicked() {
            actions.push(Action::File(FileAction::AskValues));
        }
        if left > 0 {
            let verb = if left == 1 { "value is" } else { "values are" };
            ui.label(format!("{left} of {all} {verb} missing"));
            ui.label(widgets::weak(ui, "Type a number or an expression, such as 2*pi*50"));
            return;
        }
        match view.errors {
            None => ui.label(widgets::weak(ui, "All values are given; checking the model…")),
            Some(0) => ui.label(RichText::new("All values are given: the model can run").color(theme.success)),
            Some(errors) => {
                let errors = if errors == 1 { "1 error is".to_owned() } else { format!("{errors} errors are") };
                ui.label(format!("All values are given; {errors} left"));
                let show = ui.button("Show problems");
                if show.clicked() {
                    actions.push(Action::View(ViewAction::ShowPanel(Panel::Problems)));
                }
                show
            }
        };
    });
    ui.add_space(SPACE);
}

/// Draws a name, its field and its users.
fn row_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    (name, variable): (&Arc<str>, &Variable),
    users: &VariableUsers,
    view: &ImportView,
    actions: &mut Vec<Action>,
) {
    let theme = theme_of(ui.ctx());
    let rect = ui.max_rect();
    let is_given = !variable.value.trim().is_empty();
    let (icon, tint) = if is_given { (Icon::Check, theme.success) } else { (Icon::Warning, theme.warning) };
    let square = Rect::from_center_size(pos2(rect.left() + 14.0, rect.center().y), vec2(13.0, 13.0));
    icon.paint(ui.painter(), square, tint);
    let of_name = Rect::from_min_size(pos2(rect.left() + 30.0, rect.top()), vec2(NAME - 38.0, ROW));
    widgets::text_in(ui, of_name, name, style::plain(TEXT), theme.text);
    let label = ui.interact(of_name, ui.scope_id().with("name"), egui::Sense::hover());
    label.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &**name));
    label.on_hover_text(&**name);
    let room = Rect::from_min_max(pos2(rect.left() + NAME, rect.top()), rect.max);
    let mut ui = ui.new_child(UiBuilder::new().max_rect(room).layout(Layout::left_to_right(Align::Center)));
    let scope = Scope::of_simulation(view.simulation);
    let problem = |text: &str| match text.trim().is_empty() {
        true => None,
        false => numbers(text, &scope).err().map(|error| sentence(&error.to_string())),
    };
    let value = value_text(&variable.value, &scope);
    let (label, hint) = (format!("Value of {name}"), if is_given { "" } else { "no value" });
    let field = Field::new(&label, &variable.value).hint(hint).value(value.as_deref()).width(FIELD);
    if let Some(text) = field.number(Wanted::One).invalid(Invalid::Kept).text_ui(&mut ui, editing, &problem) {
        let variable = Some(Variable { value: typed::expression(&text).trim().into(), ..variable.clone() });
        let edit = Edit::SetVariable { model: None, name: Arc::clone(name), variable };
        actions.push(Action::Apply(Change::one(format!("Set {name}"), edit)));
    }
    users_ui(&mut ui, users, view, actions);
}

/// Draws the users of a name as links; those that do not fit are in a menu.
fn users_ui(ui: &mut Ui, users: &VariableUsers, view: &ImportView, actions: &mut Vec<Action>) {
    if users.is_empty() {
        ui.label(widgets::weak(ui, "not used any more"));
        return;
    }
    ui.label(widgets::weak(ui, "used by"));
    for (number, user) in users.blocks.iter().take(SHOWN_USERS).enumerate() {
        ui.push_id(number, |ui| user_ui(ui, user, view, actions));
    }
    let rest = users.blocks.get(SHOWN_USERS..).unwrap_or_default();
    if !rest.is_empty() {
        ui.menu_button(RichText::new(format!("and {} more", rest.len())).size(TEXT_SMALL), |ui| {
            ScrollArea::vertical().max_height(300.0).show_rows(ui, 20.0, rest.len(), |ui, rows| {
                for (number, user) in rows.filter_map(|row| Some((row, rest.get(row)?))) {
                    ui.push_id(number, |ui| user_ui(ui, user, view, actions));
                }
            });
        });
    }
    for variable in &users.variables {
        ui.label(widgets::weak(ui, format!("variable {variable}"))).on_hover_text("Another variable uses it");
    }
}

fn user_ui(ui: &mut Ui, (model, id): &(Arc<str>, BlockId), view: &ImportView, actions: &mut Vec<Action>) {
    let block = view.simulation.model(model).and_then(|model| model.block(*id));
    let title = block.map_or("", |block| block.title());
    let link = ui.link(RichText::new(title).size(TEXT_SMALL + 0.5)).on_hover_text(format!("In {model}"));
    if link.clicked() {
        actions.push(Action::View(ViewAction::OpenModel { model: Arc::clone(model), block: Some(*id) }));
    }
}
