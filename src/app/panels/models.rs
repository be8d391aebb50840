//! The models of the file as a tree: root, instances; add, rename, remove.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::{self, Key, Rect, ScrollArea, Ui, pos2, vec2};

use crate::app::action::new_block::NewBlock;
use crate::app::action::{Action, FileAction, ViewAction};
use crate::app::doc::derived::{ModelTree, TreeRow};
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::model::{BlockKind, Change, Edit, LibraryLink, Model, Simulation};

#[derive(Default)]
pub struct ModelsState {
    renaming: Option<Renaming>,
}

/// The name of a model while it is edited.
struct Renaming {
    model: Arc<str>,
    text: String,
    /// The field takes the focus in the next frame.
    is_new: bool,
}

impl Renaming {
    fn of(model: &Arc<str>) -> Renaming {
        Renaming { model: Arc::clone(model), text: model.to_string(), is_new: true }
    }
}

/// The content of the panel.
pub struct ModelsView<'a> {
    pub simulation: &'a Simulation,
    pub tree: &'a ModelTree,
    /// The name of the open model.
    pub open: Option<&'a str>,
    /// The models of which their library has a newer version.
    pub outdated: &'a BTreeSet<Arc<str>>,
}

/// The maximum number of listed instances.
const MAX_INSTANCES: usize = 200;
const ROW: f32 = 28.0;

pub fn show_ui(ui: &mut Ui, state: &mut ModelsState, view: &ModelsView) -> Vec<Action> {
    let mut actions = Vec::new();
    let ModelsView { simulation, tree, .. } = *view;
    widgets::panel_frame().show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.label(widgets::weak(ui, count_text(simulation.models.len())));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let add = widgets::icon_button_ui(ui, Icon::Plus, "Add model");
                if add.on_hover_text("Add an empty model").clicked() {
                    let name: Arc<str> = simulation.free_model_name("Model").into();
                    let edit = Edit::AddModel { name: Arc::clone(&name) };
                    actions.push(Action::Apply(Change::one(format!("Add model {name}"), edit)));
                    state.renaming = Some(Renaming::of(&name));
                }
            });
        });
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            reveal(ui, state, tree.rows.iter().map(|row| &row.model));
            widgets::visible_rows_ui(ui, ROW, &tree.rows, |ui, TreeRow { model, around, is_chosen }| {
                let row = (model, around.len(), *is_chosen);
                ui.push_id((around, model), |ui| row_ui(ui, state, view, row, &mut actions));
            });
            if !tree.rest.is_empty() {
                widgets::section_ui(ui, "Not used under the root");
                reveal(ui, state, tree.rest.iter());
                widgets::visible_rows_ui(ui, ROW, &tree.rest, |ui, model| {
                    ui.push_id(model, |ui| row_ui(ui, state, view, (model, 0, true), &mut actions));
                });
            }
        });
    });
    actions
}

/// Scrolls to the row whose name begins to be edited, since only visible rows are drawn.
fn reveal<'a>(ui: &Ui, state: &ModelsState, mut names: impl Iterator<Item = &'a Arc<str>>) {
    let renaming = state.renaming.as_ref().filter(|renaming| renaming.is_new);
    if let Some(row) = renaming.and_then(|renaming| names.position(|name| *name == renaming.model)) {
        let top = ui.cursor().top() + row as f32 * (ROW + ui.spacing().item_spacing.y);
        ui.scroll_to_rect(Rect::from_min_size(pos2(ui.cursor().left(), top), vec2(1.0, ROW)), None);
    }
}

fn row_ui(
    ui: &mut Ui,
    state: &mut ModelsState,
    view: &ModelsView,
    (name, depth, is_chosen): (&Arc<str>, usize, bool),
    actions: &mut Vec<Action>,
) {
    let ModelsView { simulation, tree, open, outdated } = *view;
    let Some(model) = simulation.model(name) else { return };
    let theme = theme_of(ui.ctx());
    let indent = 14.0 * depth as f32;
    if let Some(renaming) = &mut state.renaming
        && renaming.model == model.name
    {
        let ending = ui
            .horizontal(|ui| {
                ui.set_height(ROW);
                ui.add_space(indent + 22.0);
                rename_ui(ui, simulation, renaming)
            })
            .inner;
        match ending {
            Ending::Open => {}
            Ending::Cancelled => state.renaming = None,
            Ending::Done(action) => {
                actions.extend(action);
                state.renaming = None;
            }
        }
        return;
    }
    let is_root = simulation.root == model.name;
    let is_open = open == Some(&*model.name);
    let users = tree.users(&model.name);
    let count = users.map_or(0, |users| users.instances);
    let label = format!("Model {}", model.name);
    let response = widgets::selectable_row_ui(ui, &label, ROW, is_open, |ui, rect| {
        let icon = Rect::from_center_size(pos2(rect.left() + indent + 14.0, rect.center().y), vec2(13.0, 13.0));
        Icon::Model.paint(ui.painter(), icon, if is_root { theme.accent } else { theme.text_weak });
        let mut room = Rect::from_min_max(pos2(rect.left() + indent + 28.0, rect.top()), rect.right_bottom());
        let font = if is_root { style::strong(TEXT) } else { style::plain(TEXT) };
        let color = if is_chosen { theme.text } else { theme.text_weak };
        room.min.x += widgets::text_in(ui, room, &model.name, font, color) + 8.0;
        let note = match (is_root, count) {
            (true, _) => "root".to_owned(),
            _ if !is_chosen => "variant, not chosen".to_owned(),
            _ if outdated.contains(&model.name) => "newer in the library".to_owned(),
            (_, 0 | 1) => String::new(),
            (_, count) => format!("{count} instances"),
        };
        widgets::text_in(ui, room, &note, style::plain(TEXT_SMALL), theme.text_weak);
    });
    let used = match (is_root, users) {
        (true, _) => "This is the root model".to_owned(),
        (_, None) => "Not used".to_owned(),
        (_, Some(users)) => {
            format!("Used in {}", users.models.iter().map(|user| &**user).collect::<Vec<_>>().join(", "))
        }
    };
    let blocks = model.blocks.len();
    let link = LibraryLink::of(model);
    let from = link.as_ref().map(|link| format!("\nFrom the library “{}”", link.library)).unwrap_or_default();
    let newer = if outdated.contains(&model.name) { ", which has a newer version" } else { "" };
    let response =
        response.on_hover_text(format!("{used}\n{blocks} blocks{from}{newer}\nDouble-click to open, drag to insert"));
    response.dnd_set_drag_payload(NewBlock::from(BlockKind::model(&model.name)));
    if response.double_clicked() || (response.has_focus() && ui.input(|i| i.key_pressed(Key::Enter))) {
        actions.push(Action::View(ViewAction::OpenModel { model: Arc::clone(&model.name), block: None }));
    }
    response.context_menu(|ui| {
        if ui.button("Open").clicked() {
            actions.push(Action::View(ViewAction::OpenModel { model: Arc::clone(&model.name), block: None }));
        }
        if ui.button("Open in new tab").clicked() {
            actions.push(Action::View(ViewAction::OpenModelInTab(Arc::clone(&model.name))));
        }
        uses_ui(ui, simulation, model, actions);
        let keep = ui.button("Add to my library");
        if keep.on_hover_text("Add the model to the palette, for all files").clicked() {
            actions.push(Action::File(FileAction::KeepModel(Arc::clone(&model.name))));
        }
        if outdated.contains(&model.name) && ui.button("Update from library…").clicked() {
            actions.push(Action::File(FileAction::AskLibraryUpdate(Arc::clone(&model.name))));
        }
        if link.is_some() && ui.button("Unlink from library").clicked() {
            let edits = LibraryLink::removal(&model.name);
            actions.push(Action::Apply(Change::new(format!("Unlink {} from the library", model.name), edits)));
        }
        ui.separator();
        if ui.button("Rename").clicked() {
            state.renaming = Some(Renaming::of(&model.name));
        }
        if ui.add_enabled(!is_root, egui::Button::new("Make root")).clicked() {
            let edit = Edit::SetRoot(Arc::clone(&model.name));
            actions.push(Action::Apply(Change::one(format!("Make {} the root", model.name), edit)));
        }
        let can_go = !is_root && users.is_none();
        if ui.add_enabled(can_go, egui::Button::new("Remove")).on_disabled_hover_text(&used).clicked() {
            let edit = Edit::RemoveModel { name: Arc::clone(&model.name) };
            actions.push(Action::Apply(Change::one(format!("Remove model {}", model.name), edit)));
        }
    });
}

/// Draws the instances of the model; a click goes to one.
fn uses_ui(ui: &mut Ui, simulation: &Simulation, model: &Model, actions: &mut Vec<Action>) {
    let uses: Vec<_> = simulation.users_of(&model.name).take(MAX_INSTANCES).collect();
    ui.add_enabled_ui(!uses.is_empty(), |ui| {
        ui.menu_button("Used by", |ui| {
            ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
                for (user, id) in uses {
                    let title = user.block(id).map(|block| block.title().to_owned()).unwrap_or_default();
                    if ui.button(format!("{}: {title} {id}", user.name)).clicked() {
                        actions.push(Action::View(ViewAction::OpenModel {
                            model: Arc::clone(&user.name),
                            block: Some(id),
                        }));
                        ui.close();
                    }
                }
            });
        });
    });
}

enum Ending {
    Open,
    Cancelled,
    Done(Option<Action>),
}

fn rename_ui(ui: &mut Ui, simulation: &Simulation, renaming: &mut Renaming) -> Ending {
    let Renaming { model: name, text, is_new } = renaming;
    let theme = theme_of(ui.ctx());
    let problem = match (text.trim(), simulation.model(text.trim())) {
        ("", _) => Some("A name is missing"),
        (wanted, Some(_)) if wanted != &**name => Some("This name is taken"),
        _ => None,
    };
    let field = ui.add(
        egui::TextEdit::singleline(text).desired_width(f32::INFINITY).text_color_opt(problem.map(|_| theme.error)),
    );
    field.widget_info(|| {
        let mut info = egui::WidgetInfo::text_edit(true, "", text.as_str(), "");
        info.label = Some("Model name".to_owned());
        info
    });
    if let Some(problem) = problem {
        field.show_tooltip_text(problem);
    }
    if std::mem::take(is_new) {
        field.request_focus();
    }
    if ui.input(|input| input.key_pressed(Key::Escape)) {
        return Ending::Cancelled;
    }
    if !field.lost_focus() {
        return Ending::Open;
    }
    let wanted = text.trim();
    let is_other = problem.is_none() && wanted != &**name;
    Ending::Done(is_other.then(|| {
        let edit = Edit::RenameModel { from: Arc::clone(name), to: wanted.into() };
        Action::Apply(Change::one(format!("Rename {name} to {wanted}"), edit))
    }))
}

fn count_text(count: usize) -> String {
    match count {
        1 => "One model".to_owned(),
        count => format!("{count} models"),
    }
}
