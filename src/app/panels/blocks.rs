//! The palette: all blocks by group, with a search; they are dragged onto the diagram.

use eframe::egui::collapsing_header::CollapsingState;
use eframe::egui::{self, Id, LayerId, Order, Rect, RichText, ScrollArea, Ui, pos2, vec2};

use super::items::{self, FoundItems, Item, ItemSource, groups, item_called, library_item, own_items};
use crate::app::action::{Action, EditAction, ViewAction};
use crate::app::store::libraries::Libraries;
use crate::app::store::settings;
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{picture, style};
use crate::block::search;
use crate::block::{Face, Registry, library};
use crate::model::BlockKind;

#[derive(Default)]
pub struct BlocksState {
    pub search: String,
    /// The search field takes the focus in the next frame.
    pub wants_focus: bool,
    /// The number and the height of the rows above the fixed groups; `None` before they were drawn.
    above: Option<(usize, f32)>,
    /// The pending scroll offset of the list.
    offset: Option<f32>,
    palette: Palette,
    found: FoundItems,
}

/// The groups of the palette, found once for each state of their content.
#[derive(Default)]
struct Palette {
    of: Option<PaletteSource>,
    groups: Vec<Group>,
    /// The number of groups of favourites and recent blocks, which come first.
    own: usize,
}

/// The content of the groups.
struct PaletteSource {
    items: ItemSource,
    favourites: Vec<String>,
    used: Vec<String>,
    libraries: Libraries,
}

/// A group of the palette.
struct Group {
    title: String,
    sign: Sign,
    items: Vec<Item>,
}

const ROW: f32 = 32.0;

/// The data that the palette shows.
pub struct BlocksView<'a> {
    pub items: &'a ItemSource,
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
        let mut palette = std::mem::take(&mut state.palette);
        palette.follow(view);
        let mut matches = std::mem::take(&mut state.found);
        let found = (!query.is_empty()).then(|| {
            let found = matches.of(query, view.items);
            let own = palette.groups.iter().filter(|group| matches!(group.sign, Sign::Library));
            let own = own.flat_map(|group| &group.items);
            let own = own.filter(|item| search::fit(query, &item.title).is_some_and(|score| score > 200));
            found.iter().chain(own).collect::<Vec<_>>()
        });
        if let Some(best) = found.as_ref().and_then(|items| items.first())
            && field.lost_focus()
            && ui.input(|input| input.key_pressed(egui::Key::Enter))
        {
            actions.push(Action::Edit(EditAction::AddBlock(best.new_block())));
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
                    ui.vertical_centered(|ui| {
                        let code = ui.button("Write it as code");
                        if code.on_hover_text("Insert a Function block, which runs your own code").clicked() {
                            actions.push(Action::Edit(EditAction::AddBlock(
                                BlockKind::library("User", "Function").into(),
                            )));
                        }
                    });
                }
                Some(items) => {
                    for item in items {
                        item_ui(ui, item, view, Shows::TitleAndGroup, &mut actions);
                    }
                }
                None => {
                    let top = ui.cursor().top();
                    let (own, others) = palette.groups.split_at(palette.own);
                    own.iter().for_each(|group| group_ui(ui, group, view, &mut actions));
                    let count = own.iter().map(|group| group.items.len()).sum();
                    let height = ui.cursor().top() - top;
                    if let Some((before, was)) = state.above.replace((count, height))
                        && before != count
                    {
                        grown = height - was;
                    }
                    others.iter().for_each(|group| group_ui(ui, group, view, &mut actions));
                }
            }
        });
        // Rows added above must not move the list under the pointer.
        let offset = shown.state.clamped_offset().y;
        if grown != 0.0 && offset > 0.0 {
            state.offset = Some((offset + grown).max(0.0));
            ui.ctx().request_discard("the palette has more rows");
        }
        (state.palette, state.found) = (palette, matches);
    });
    actions
}

impl Palette {
    /// Finds the groups again if their content has changed.
    fn follow(&mut self, view: &BlocksView) {
        let is_same = |of: &PaletteSource| {
            of.items.is_same(view.items)
                && of.libraries.is_same(view.libraries)
                && of.favourites == view.favourites
                && of.used == view.used
        };
        if self.of.as_ref().is_some_and(is_same) {
            return;
        }
        let registry = &view.items.registry;
        let group = |title: &str, sign, items| Group { title: title.to_owned(), sign, items };
        self.groups.clear();
        for (title, names, icon) in
            [("Favourites", view.favourites, Icon::Star), ("Recently used", view.used, Icon::Clock)]
        {
            let items: Vec<Item> = names.iter().filter_map(|name| item_called(name, registry)).collect();
            self.groups.extend((!items.is_empty()).then(|| group(title, Sign::Icon(icon), items)));
        }
        self.own = self.groups.len();
        self.groups.push(group("Ports and models", Sign::Icon(Icon::Block), items::ports()));
        if view.items.models.len() > 1 {
            self.groups.push(group("Models", Sign::Models, items::models(&view.items.models).collect()));
        }
        for (name, of_file) in view.libraries.groups().filter(|(_, items)| !items.is_empty()) {
            let items = own_items(name, of_file).collect();
            self.groups.push(group(&format!("My library: {name}"), Sign::Library, items));
        }
        for name in groups(registry) {
            let of_group = registry.iter().filter(|def| def.group == name && library::is_listed(def));
            let mut items: Vec<Item> = of_group.map(library_item).collect();
            items.sort_by(|a, b| a.title.cmp(&b.title));
            self.groups.push(group(library::group_title(name), Sign::Group(name), items));
        }
        self.of = Some(PaletteSource {
            items: view.items.clone(),
            favourites: view.favourites.to_vec(),
            used: view.used.to_vec(),
            libraries: view.libraries.clone(),
        });
    }
}

/// The mark before a group's title.
enum Sign {
    Icon(Icon),
    /// The models of the file, of which there may be many.
    Models,
    /// A file of the user's library.
    Library,
    /// The group's colour.
    Group(&'static str),
}

fn group_ui(ui: &mut Ui, Group { title, sign, items }: &Group, view: &BlocksView, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let id = ui.make_persistent_id(("group", title));
    let mut fold = CollapsingState::load_with_default_open(ui.ctx(), id, true);
    let openness = fold.openness(ui.ctx());
    let head = widgets::row_ui(ui, &format!("Group {title}"), 26.0, |ui, rect| {
        let arrow = Rect::from_center_size(pos2(rect.left() + 8.0, rect.center().y), vec2(10.0, 10.0));
        widgets::arrow_ui(ui, arrow, openness, theme.text_weak);
        let icon_rect = Rect::from_center_size(pos2(rect.left() + 25.0, rect.center().y), vec2(12.0, 12.0));
        match sign {
            Sign::Icon(icon) => icon.paint(ui.painter(), icon_rect, theme.text_weak),
            Sign::Models => Icon::Model.paint(ui.painter(), icon_rect, theme.text_weak),
            Sign::Library => Icon::Star.paint(ui.painter(), icon_rect, theme.text_weak),
            Sign::Group(group) => group_sign_ui(ui, icon_rect, &view.items.registry, group),
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
            let mut row_ui = |ui: &mut Ui, item: &Item| item_ui(ui, item, view, Shows::Title, actions);
            match sign {
                // Their number grows with the file.
                Sign::Models | Sign::Library => widgets::visible_rows_ui(ui, ROW, items, |ui, item| {
                    ui.push_id(&item.title, |ui| row_ui(ui, item));
                }),
                Sign::Icon(_) | Sign::Group(_) => items.iter().for_each(|item| row_ui(ui, item)),
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

fn item_ui(ui: &mut Ui, item: &Item, view: &BlocksView, shows: Shows, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let label = format!("{} ({})", item.title, item.group);
    let response = widgets::row_ui(ui, &label, ROW, |ui, rect| {
        item_row(ui, rect, item, &view.items.registry, shows);
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
    response.dnd_set_drag_payload(item.new_block());
    // Over the diagram the canvas draws the block in its real size.
    if response.dragged()
        && let Some(pointer) = ui.ctx().pointer_interact_pos()
        && view.canvas.is_none_or(|canvas| !canvas.contains(pointer))
    {
        let layer = LayerId::new(Order::Tooltip, Id::unique("dragged block"));
        let painter = ui.ctx().layer_painter(layer);
        let ghost = Rect::from_min_size(pointer + vec2(10.0, 8.0), vec2(34.0, 24.0));
        picture::paint_kind(&painter, ghost, &item.kind, &view.items.registry, theme);
    }
    if response.double_clicked() || (response.has_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter))) {
        actions.push(Action::Edit(EditAction::AddBlock(item.new_block())));
    }
    if response.hovered() && ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::F1)) {
        actions.push(Action::View(ViewAction::Help(item.kind.clone())));
    }
    let name = settings::name_of(&item.kind);
    response.context_menu(|ui| {
        if ui.button("Insert").clicked() {
            actions.push(Action::Edit(EditAction::AddBlock(item.new_block())));
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

/// The text of a row beside the icon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    Title,
    TitleAndGroup,
}

/// Draws the icon and the names of an item.
pub fn item_row(ui: &Ui, rect: Rect, item: &Item, registry: &Registry, shows: Shows) {
    let theme = theme_of(ui.ctx());
    let icon = Rect::from_center_size(pos2(rect.left() + 22.0, rect.center().y), vec2(30.0, 21.0));
    picture::paint_kind(ui.painter(), icon, &item.kind, registry, theme);
    let mut room = Rect::from_min_max(pos2(rect.left() + 46.0, rect.top()), rect.right_bottom() - vec2(6.0, 0.0));
    let width = widgets::fitted_text_in(ui, room, &item.title, theme.text);
    if shows == Shows::TitleAndGroup {
        room.min.x += width + 8.0;
        widgets::text_in(ui, room, &item.group, style::plain(TEXT_SMALL), theme.text_weak);
    }
}
