//! The palette: all blocks by group, found by typing, dragged onto the diagram.

use eframe::egui::{self, Id, LayerId, Order, Rect, RichText, ScrollArea, Ui, pos2, vec2};

use crate::app::picture;
use crate::app::search;
use crate::app::state::Action;
use crate::app::style;
use crate::app::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::widgets::{self, theme_of};
use crate::block::{BlockDef, Registry, library};
use crate::model::{BlockKind, Simulation};

#[derive(Default)]
pub struct State {
    pub search: String,
    /// The search field is to get the keyboard.
    pub wants_focus: bool,
}

/// Something that can be put into a diagram.
pub struct Item {
    pub kind: BlockKind,
    pub title: String,
    pub about: String,
    pub group: String,
    pub def: Option<&'static BlockDef>,
}

const ROW: f32 = 32.0;

/// What all rows need.
struct List<'a> {
    registry: &'a Registry,
    /// Where the diagram is.
    canvas: Option<Rect>,
}

pub fn show_ui(
    ui: &mut Ui,
    state: &mut State,
    simulation: &Simulation,
    registry: &Registry,
    canvas: Option<Rect>,
) -> Vec<Action> {
    let list = List { registry, canvas };
    let mut actions = Vec::new();
    widgets::panel_frame().show(ui, |ui| {
        let field = widgets::search_ui(ui, &mut state.search, "Search blocks");
        if std::mem::take(&mut state.wants_focus) {
            field.request_focus();
        }
        let found = if state.search.trim().is_empty() { None } else { Some(find(&state.search, simulation, registry)) };
        if let Some(best) = found.as_ref().and_then(|items| items.first())
            && field.lost_focus()
            && ui.input(|input| input.key_pressed(egui::Key::Enter))
        {
            actions.push(Action::AddBlock(best.kind.clone()));
        }
        ui.add_space(SPACE);
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            match found {
                Some(items) if items.is_empty() => {
                    let text = format!("No block is called “{}”", state.search.trim());
                    ui.add_space(2.0 * SPACE);
                    ui.label(widgets::weak(ui, text));
                }
                Some(items) => {
                    for item in &items {
                        item_ui(ui, item, &list, true, &mut actions);
                    }
                }
                None => groups_ui(ui, simulation, &list, &mut actions),
            }
        });
    });
    actions
}

fn groups_ui(ui: &mut Ui, simulation: &Simulation, list: &List, actions: &mut Vec<Action>) {
    group_ui(ui, "Ports", ports(), list, actions);
    let models: Vec<Item> = models(simulation).collect();
    if models.len() > 1 {
        group_ui(ui, "Models", models, list, actions);
    }
    for group in groups(list.registry) {
        let items = list.registry.iter().filter(|def| def.group == group).map(library_item).collect();
        group_ui(ui, group, items, list, actions);
    }
}

fn group_ui(ui: &mut Ui, title: &str, items: Vec<Item>, list: &List, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let heading = RichText::new(title).font(style::strong(TEXT_SMALL)).color(theme.text_weak);
    let header = egui::CollapsingHeader::new(heading).id_salt(("group", title)).default_open(true);
    header.icon(widgets::fold_arrow).show_unindented(ui, |ui| {
        for item in &items {
            item_ui(ui, item, list, false, actions);
        }
        ui.add_space(SPACE);
    });
}

fn item_ui(ui: &mut Ui, item: &Item, list: &List, shows_group: bool, actions: &mut Vec<Action>) {
    let List { registry, canvas } = *list;
    let theme = theme_of(ui.ctx());
    let label = format!("{} ({})", item.title, item.group);
    let response = widgets::row_ui(ui, &label, ROW, false, |ui, rect| {
        item_row(ui, rect, item, registry, shows_group);
    });
    let response = response.on_hover_ui(|ui| {
        ui.set_max_width(280.0);
        ui.label(RichText::new(&item.title).font(style::strong(TEXT)));
        ui.label(&item.about);
        if let Some(def) = item.def.filter(|def| !def.formula.is_empty()) {
            ui.label(RichText::new(def.formula).color(theme.text_weak));
        }
        ui.label(widgets::weak(ui, "Drag onto the diagram, or double-click to insert"));
    });
    response.dnd_set_drag_payload(item.kind.clone());
    // Over the diagram the canvas draws the block itself, in its own size.
    if response.dragged()
        && let Some(pointer) = ui.ctx().pointer_interact_pos()
        && canvas.is_none_or(|canvas| !canvas.contains(pointer))
    {
        let layer = LayerId::new(Order::Tooltip, Id::unique("dragged block"));
        let painter = ui.ctx().layer_painter(layer);
        let ghost = Rect::from_min_size(pointer + vec2(10.0, 8.0), vec2(34.0, 24.0));
        picture::paint_kind(&painter, ghost, &item.kind, registry, theme);
    }
    if response.double_clicked() || (response.has_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter))) {
        actions.push(Action::AddBlock(item.kind.clone()));
    }
}

/// Picture, title and, behind it, the group.
pub fn item_row(ui: &Ui, rect: Rect, item: &Item, registry: &Registry, shows_group: bool) {
    let theme = theme_of(ui.ctx());
    let icon = Rect::from_center_size(pos2(rect.left() + 22.0, rect.center().y), vec2(30.0, 21.0));
    picture::paint_kind(ui.painter(), icon, &item.kind, registry, theme);
    let mut room = Rect::from_min_max(pos2(rect.left() + 46.0, rect.top()), rect.right_bottom() - vec2(6.0, 0.0));
    let width = widgets::text_in(ui, room, &item.title, style::plain(TEXT), theme.text);
    if shows_group {
        room.min.x += width + 8.0;
        widgets::text_in(ui, room, &item.group, style::plain(TEXT_SMALL), theme.text_weak);
    }
}

/// The groups in the order of the library.
fn groups(registry: &Registry) -> Vec<&'static str> {
    let mut groups: Vec<&'static str> = Vec::new();
    for def in library::defs().chain(registry.iter()) {
        if !groups.contains(&def.group) {
            groups.push(def.group);
        }
    }
    groups
}

fn library_item(def: &'static BlockDef) -> Item {
    Item {
        kind: BlockKind::library(def.group, def.name),
        title: def.name.to_owned(),
        about: def.doc.to_owned(),
        group: def.group.to_owned(),
        def: Some(def),
    }
}

fn ports() -> Vec<Item> {
    let port = |kind, title: &str, about: &str| Item {
        kind,
        title: title.to_owned(),
        about: about.to_owned(),
        group: "Ports".to_owned(),
        def: None,
    };
    vec![
        port(
            BlockKind::entry("In"),
            "Entry",
            "A value that comes into the model; with an exit of the same name it carries a value from step to step",
        ),
        port(BlockKind::exit("Out"), "Exit", "A value that the model gives out"),
    ]
}

fn models(simulation: &Simulation) -> impl Iterator<Item = Item> {
    simulation.models_in_order().into_iter().map(|model| Item {
        kind: BlockKind::model(&model.name),
        title: model.name.to_string(),
        about: "A model of this file".to_owned(),
        group: "Models".to_owned(),
        def: None,
    })
}

/// What fits the search, the best first.
pub fn find(query: &str, simulation: &Simulation, registry: &Registry) -> Vec<Item> {
    let mut found: Vec<(i32, Item)> = registry
        .iter()
        .filter_map(|def| Some((search::fit_block(query, def)?, library_item(def))))
        .chain(ports().into_iter().chain(models(simulation)).filter_map(|item| {
            let score = search::fit(query, &item.title).map(|score| score + 500);
            let by_group = search::fit(query, &item.group).filter(|score| *score > 200);
            Some((score.max(by_group)?, item))
        }))
        .collect();
    found.sort_by(|(a, first), (b, second)| b.cmp(a).then_with(|| first.title.cmp(&second.title)));
    found.into_iter().map(|(_, item)| item).take(60).collect()
}
