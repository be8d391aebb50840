//! The palette: all blocks by group, with a search; they are dragged onto the diagram.

use eframe::egui::collapsing_header::CollapsingState;
use eframe::egui::{self, Id, LayerId, Order, Rect, RichText, ScrollArea, Ui, pos2, vec2};

use crate::app::action::{Action, EditAction, ViewAction};
use crate::app::doc::search;
use crate::app::store::libraries::Libraries;
use crate::app::store::settings;
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{picture, style};
use crate::block::{BlockDef, Face, Registry, library};
use crate::format::LibraryItem;
use crate::model::{BlockKind, Simulation};

#[derive(Default)]
pub struct BlocksState {
    pub search: String,
    /// The search field takes the focus in the next frame.
    pub wants_focus: bool,
    /// The number and the height of the rows above the fixed groups; `None` before they were drawn.
    above: Option<(usize, f32)>,
    /// The pending scroll offset of the list.
    offset: Option<f32>,
}

/// A kind of block that can be inserted.
pub struct Item {
    pub kind: BlockKind,
    pub title: String,
    /// Names in other programs; those of library blocks are in their definition.
    pub others: &'static [&'static str],
    pub about: String,
    pub group: String,
    pub def: Option<&'static BlockDef>,
}

const ROW: f32 = 32.0;

/// The data that the palette shows.
pub struct BlocksView<'a> {
    pub simulation: &'a Simulation,
    pub registry: &'a Registry,
    /// The rectangle of the diagram on the screen.
    pub canvas: Option<Rect>,
    /// Names of blocks as in the settings.
    pub favourites: &'a [String],
    pub used: &'a [String],
    pub libraries: &'a Libraries,
}

pub fn show_ui(ui: &mut Ui, state: &mut BlocksState, view: &BlocksView) -> Vec<Action> {
    let mut actions = Vec::new();
    widgets::panel_frame().show(ui, |ui| {
        let field = widgets::search_ui(ui, &mut state.search, "Search blocks");
        if std::mem::take(&mut state.wants_focus) {
            field.request_focus();
        }
        let query = state.search.trim();
        let found = (!query.is_empty()).then(|| {
            let mut found = find(query, view.simulation, view.registry);
            let own = view.libraries.groups().flat_map(|(group, items)| own_items(group, items));
            found.extend(own.filter(|item| search::fit(query, &item.title).is_some_and(|score| score > 200)));
            found
        });
        if let Some(best) = found.as_ref().and_then(|items| items.first())
            && field.lost_focus()
            && ui.input(|input| input.key_pressed(egui::Key::Enter))
        {
            actions.push(Action::Edit(EditAction::AddBlock(best.kind.clone())));
        }
        ui.add_space(SPACE);
        let mut grown = 0.0;
        let mut area = ScrollArea::vertical().auto_shrink(false);
        if let Some(offset) = state.offset.take() {
            area = area.vertical_scroll_offset(offset);
        }
        let shown = area.show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            match found {
                Some(items) if items.is_empty() => {
                    let text = format!("No block matches “{query}”");
                    let what = "Names from other programs work too: “constant”, “saturation”, “1/s”";
                    widgets::empty_ui(ui, Icon::Search, &text, what);
                }
                Some(items) => {
                    for item in &items {
                        item_ui(ui, item, view, true, &mut actions);
                    }
                }
                None => {
                    let top = ui.cursor().top();
                    let count = own_groups_ui(ui, view, &mut actions);
                    let height = ui.cursor().top() - top;
                    if let Some((before, was)) = state.above.replace((count, height))
                        && before != count
                    {
                        grown = height - was;
                    }
                    groups_ui(ui, view, &mut actions);
                }
            }
        });
        // Rows added above must not move the list under the pointer.
        let offset = shown.state.clamped_offset().y;
        if grown != 0.0 && offset > 0.0 {
            state.offset = Some((offset + grown).max(0.0));
            ui.ctx().request_discard("the palette has more rows");
        }
    });
    actions
}

/// Draws the favourites and recent blocks; returns the number of rows.
fn own_groups_ui(ui: &mut Ui, view: &BlocksView, actions: &mut Vec<Action>) -> usize {
    let mut count = 0;
    for (title, names, icon) in [("Favourites", view.favourites, Icon::Star), ("Recently used", view.used, Icon::Clock)]
    {
        let items: Vec<Item> = names.iter().filter_map(|name| item_called(name, view.registry)).collect();
        count += items.len();
        if !items.is_empty() {
            group_ui(ui, title, Sign::Icon(icon), items, view, actions);
        }
    }
    count
}

fn groups_ui(ui: &mut Ui, view: &BlocksView, actions: &mut Vec<Action>) {
    group_ui(ui, "Ports and models", Sign::Icon(Icon::Block), ports(), view, actions);
    let models: Vec<Item> = models(view.simulation).collect();
    if models.len() > 1 {
        group_ui(ui, "Models", Sign::Icon(Icon::Model), models, view, actions);
    }
    for (group, items) in view.libraries.groups().filter(|(_, items)| !items.is_empty()) {
        let items = own_items(group, items).collect();
        group_ui(ui, &format!("My library: {group}"), Sign::Icon(Icon::Star), items, view, actions);
    }
    for group in groups(view.registry) {
        let of_group = view.registry.iter().filter(|def| def.group == group && library::is_listed(def));
        let title = library::group_title(group);
        let mut items: Vec<Item> = of_group.map(library_item).collect();
        items.sort_by(|a, b| a.title.cmp(&b.title));
        group_ui(ui, title, Sign::Group(group), items, view, actions);
    }
}

/// The mark before a group's title.
enum Sign {
    Icon(Icon),
    /// The group's colour.
    Group(&'static str),
}

fn group_ui(ui: &mut Ui, title: &str, sign: Sign, items: Vec<Item>, view: &BlocksView, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let id = ui.make_persistent_id(("group", title));
    let mut fold = CollapsingState::load_with_default_open(ui.ctx(), id, true);
    let openness = fold.openness(ui.ctx());
    let head = widgets::row_ui(ui, &format!("Group {title}"), 26.0, false, |ui, rect| {
        let arrow = Rect::from_center_size(pos2(rect.left() + 8.0, rect.center().y), vec2(10.0, 10.0));
        widgets::arrow_ui(ui, arrow, openness, theme.text_weak);
        let place = Rect::from_center_size(pos2(rect.left() + 25.0, rect.center().y), vec2(12.0, 12.0));
        match sign {
            Sign::Icon(icon) => icon.paint(ui.painter(), place, theme.text_weak),
            Sign::Group(group) => group_sign_ui(ui, place, view.registry, group),
        }
        let mut room = Rect::from_min_max(rect.left_top() + vec2(40.0, 0.0), rect.right_bottom());
        room.min.x += widgets::text_in(ui, room, title, style::strong(TEXT_SMALL + 0.5), theme.text) + 8.0;
        widgets::text_in(ui, room, &items.len().to_string(), style::plain(TEXT_SMALL), theme.text_weak);
    });
    if head.clicked() || (head.has_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter))) {
        fold.toggle(ui);
    }
    fold.show_body_unindented(ui, |ui| {
        ui.push_id(title, |ui| {
            for item in &items {
                item_ui(ui, item, view, false, actions);
            }
            ui.add_space(SPACE);
        });
    });
}

/// The icon of the group's first block.
fn group_sign_ui(ui: &Ui, rect: Rect, registry: &Registry, group: &str) {
    let theme = theme_of(ui.ctx());
    let color = theme.group(group);
    ui.painter().rect_filled(rect, 3.0, style::mix(theme.panel, color, if theme.is_dark { 0.35 } else { 0.22 }));
    let strokes = registry.iter().filter(|def| def.group == group).find_map(|def| match def.look.face {
        Face::Strokes(strokes) => Some(strokes),
        _ => None,
    });
    let inner = rect.shrink(1.5);
    for points in strokes.unwrap_or_default() {
        let at = |&(x, y): &(f32, f32)| pos2(inner.left() + x * inner.width(), inner.top() + y * inner.height());
        let points = points.iter().map(at).collect();
        ui.painter().add(egui::Shape::line(points, egui::Stroke::new(1.1, color)));
    }
}

fn item_ui(ui: &mut Ui, item: &Item, view: &BlocksView, shows_group: bool, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let label = format!("{} ({})", item.title, item.group);
    let response = widgets::row_ui(ui, &label, ROW, false, |ui, rect| {
        item_row(ui, rect, item, view.registry, shows_group);
    });
    let response = response.on_hover_ui(|ui| {
        ui.set_max_width(280.0);
        ui.label(RichText::new(&item.title).font(style::strong(TEXT)));
        ui.label(&item.about);
        if let Some(def) = item.def.filter(|def| !def.formula.is_empty()) {
            ui.label(RichText::new(def.formula).color(theme.text_weak));
        }
        ui.label(widgets::weak(ui, "Drag onto the diagram, or double-click to insert; F1 for help"));
    });
    response.dnd_set_drag_payload(item.kind.clone());
    // Over the diagram the canvas draws the block in its real size.
    if response.dragged()
        && let Some(pointer) = ui.ctx().pointer_interact_pos()
        && view.canvas.is_none_or(|canvas| !canvas.contains(pointer))
    {
        let layer = LayerId::new(Order::Tooltip, Id::unique("dragged block"));
        let painter = ui.ctx().layer_painter(layer);
        let ghost = Rect::from_min_size(pointer + vec2(10.0, 8.0), vec2(34.0, 24.0));
        picture::paint_kind(&painter, ghost, &item.kind, view.registry, theme);
    }
    if response.double_clicked() || (response.has_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter))) {
        actions.push(Action::Edit(EditAction::AddBlock(item.kind.clone())));
    }
    if response.hovered() && ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::F1)) {
        actions.push(Action::View(ViewAction::Help(item.kind.clone())));
    }
    let name = settings::name_of(&item.kind);
    response.context_menu(|ui| {
        if ui.button("Insert").clicked() {
            actions.push(Action::Edit(EditAction::AddBlock(item.kind.clone())));
        }
        if let Some(name) = name {
            let text = match view.favourites.contains(&name) {
                true => "Remove from favourites",
                false => "Add to favourites",
            };
            if ui.button(text).clicked() {
                actions.push(Action::Edit(EditAction::Favourite(name)));
            }
        }
        ui.separator();
        if ui.button("Help").clicked() {
            actions.push(Action::View(ViewAction::Help(item.kind.clone())));
        }
    });
}

/// Returns the block with this name in the settings.
fn item_called(name: &str, registry: &Registry) -> Option<Item> {
    let (group, name) = name.split_once('/')?;
    registry.get(group, name).map(library_item)
}

/// Draws icon, title and group.
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
pub fn groups(registry: &Registry) -> Vec<&'static str> {
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
        title: def.title().to_owned(),
        others: &[],
        about: def.doc.to_owned(),
        group: def.group_title().to_owned(),
        def: Some(def),
    }
}

fn ports() -> Vec<Item> {
    let port = |kind, title: &str, others, about: &str| Item {
        kind,
        title: title.to_owned(),
        others,
        about: about.to_owned(),
        group: "Ports and models".to_owned(),
        def: None,
    };
    vec![
        port(
            BlockKind::entry("In"),
            "Entry",
            &["inport", "in1", "in", "input", "input port", "in_f"],
            "An input of the model; with an exit of the same name it passes a value to the next step",
        ),
        port(
            BlockKind::exit("Out"),
            "Exit",
            &["outport", "out1", "out", "output", "output port", "out_f"],
            "An output of the model",
        ),
        port(
            BlockKind::model(""),
            "Model",
            &["subsystem", "submodel", "super block", "superblock", "atomic subsystem", "hierarchy", "group"],
            "A block with a new, empty model; double-click to open it",
        ),
    ]
}

/// The blocks of a file of the user's library.
fn own_items<'a>(group: &'a str, items: Vec<&'a LibraryItem>) -> impl Iterator<Item = Item> + 'a {
    items.into_iter().map(move |item| Item {
        kind: BlockKind::model(&item.name),
        title: item.name.to_string(),
        others: &[],
        about: match item.doc() {
            "" => format!("A model of your library, from {group}; copied into files that have no model of this name"),
            doc => doc.to_owned(),
        },
        group: group.to_owned(),
        def: None,
    })
}

fn models(simulation: &Simulation) -> impl Iterator<Item = Item> {
    simulation.models_in_order().into_iter().map(|model| Item {
        kind: BlockKind::model(&model.name),
        title: model.name.to_string(),
        others: &[],
        about: "A model of this file".to_owned(),
        group: "Models".to_owned(),
        def: None,
    })
}

/// Returns the matches of the search, the best first.
pub fn find(query: &str, simulation: &Simulation, registry: &Registry) -> Vec<Item> {
    let mut found: Vec<((i32, i32), Item)> = registry
        .iter()
        .filter(|def| library::is_listed(def))
        .filter_map(|def| Some((search::fit_block(query, def)?, library_item(def))))
        .chain(ports().into_iter().chain(models(simulation)).filter_map(|item| {
            let names = search::Names { title: &item.title, others: item.others, group: &item.group, doc: "" };
            Some((search::fit_names(query, &names)?, item))
        }))
        .collect();
    found.sort_by(|(a, first), (b, second)| b.cmp(a).then_with(|| first.title.cmp(&second.title)));
    found.into_iter().map(|(_, item)| item).take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Search texts, and the block that users of other programs mean by them.
    const WANTED: &[(&str, &str)] = &[
        ("constant", "Constant"),
        ("const", "Constant"),
        ("ramp", "Ramp"),
        ("triangle", "Triangle"),
        ("inport", "Entry"),
        ("outport", "Exit"),
        ("in1", "Entry"),
        ("subsystem", "Model"),
        ("integrator", "Integrator"),
        ("integrate", "Integrator"),
        ("1/s", "Integrator"),
        ("integr", "Integrator"),
        ("gain", "Gain"),
        ("sum", "Sum"),
        ("add", "Sum"),
        ("step", "Step"),
        ("sine", "Sine"),
        ("sine wave", "Sine"),
        ("pulse", "Pulse"),
        ("pulse generator", "Pulse"),
        ("scope", "Scope"),
        ("display", "Display"),
        ("mux", "Mux"),
        ("demux", "Demux"),
        ("switch", "Switch"),
        ("unit delay", "Unit Delay"),
        ("1/z", "Unit Delay"),
        ("saturation", "Saturate"),
        ("sat", "Saturate"),
        ("relay", "Relay"),
        ("dead zone", "Dead Zone"),
        ("transfer function", "Transfer Function"),
        ("transfer fcn", "Transfer Function"),
        ("pid", "PID Controller"),
        ("state space", "State Space"),
        ("product", "Product"),
        ("divide", "Product"),
        ("multiply", "Multiply"),
        ("clock", "Clock"),
        ("random", "Random"),
        ("lookup table", "1-D Lookup Table"),
        ("and", "Gate"),
        ("goto", "Goto"),
        ("from", "From"),
        ("terminator", "Terminator"),
        ("zero-order hold", "Zero-Order Hold"),
        ("zoh", "Zero-Order Hold"),
        ("derivative", "Derivative"),
        ("du/dt", "Derivative"),
        ("rate limiter", "Rate Limiter"),
        ("transport delay", "Transport Delay"),
        ("s-function", "Script"),
        ("comment", "Text"),
        ("matrix multiply", "Matrix Multiply"),
    ];

    #[test]
    fn what_users_type_finds_what_they_mean_first() {
        let (simulation, registry) = (Simulation::default(), Registry::standard());
        for (typed, wanted) in WANTED {
            let found = find(typed, &simulation, &registry);
            let titles: Vec<&str> = found.iter().take(3).map(|item| &*item.title).collect();
            assert_eq!(titles.first(), Some(wanted), "{typed}: {titles:?}");
        }
    }

    #[test]
    fn whole_words_come_before_beginnings_and_those_before_the_rest() {
        let order = ["sum", "weighted sum of all", "summing point", "the summing point", "resume", "s u m"];
        let scores = order.map(|text| search::fit("sum", text).expect(text));
        assert!(scores.is_sorted_by(|one, next| one > next), "{scores:?}");
        assert_eq!(search::fit("sum", "muse"), None);
    }

    /// Files keep their names, users read titles, and no two blocks are offered under one name.
    #[test]
    fn every_block_has_a_title_of_its_own_in_its_group() {
        let registry = Registry::standard();
        let mut seen = std::collections::BTreeSet::new();
        for def in registry.iter().filter(|def| library::is_listed(def)) {
            assert!(seen.insert((def.group, def.title())), "{}/{} is called as another", def.group, def.name);
        }
        let title = |group: &str, name: &str| registry.get(group, name).map(|def| (def.group_title(), def.title()));
        assert_eq!(title("Var", "Static"), Some(("Sources", "Constant")));
        assert_eq!(title("Var", "Ramp"), Some(("Sources", "Triangle")));
        assert_eq!(title("Var", "Line"), Some(("Sources", "Ramp")));
        assert!(registry.get("Math", "Integrate").is_some_and(|def| !library::is_listed(def)), "it is loadable");
    }
}
