//! The arrangement of the panels as movable tabs, stored in the settings.

use eframe::egui::{self, Color32, Rect, Stroke, Ui, Visuals, WidgetText};
use egui_tiles::{Behavior, Container, Linear, LinearDir, SimplificationOptions, TabState, Tile, TileId, Tiles, Tree};

use crate::app::action::command::Panel;
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::theme_of;

pub struct Layout {
    tree: Tree<Panel>,
    /// The rectangle of the diagram in the last frame.
    pub canvas_rect: Option<Rect>,
    /// The rectangles of the panels that were drawn in the last frame.
    rects: Vec<(Panel, Rect)>,
    /// A row that was made higher, with its share before and now.
    given: Option<(TileId, f32, f32)>,
}

/// The height of a row that is given room, as a multiple of all others.
const ROOM: f32 = 1.4;

impl Default for Layout {
    fn default() -> Layout {
        let mut tiles = Tiles::default();
        let mut tabs = |panels: &[Panel]| {
            let panes: Vec<TileId> = panels.iter().map(|panel| tiles.insert_pane(*panel)).collect();
            let first = panes.first().copied();
            let tabs = tiles.insert_tab_tile(panes);
            if let (Some(first), Some(Tile::Container(Container::Tabs(tabs)))) = (first, tiles.get_mut(tabs)) {
                tabs.set_active(first);
            }
            tabs
        };
        let left = tabs(&[Panel::Blocks, Panel::Models, Panel::History]);
        let canvas = tabs(&[Panel::Canvas]);
        let right = tabs(&[Panel::Inspector, Panel::Runs, Panel::Help]);
        let bottom = tabs(&[
            Panel::Plots,
            Panel::Dashboard,
            Panel::Problems,
            Panel::Import,
            Panel::Review,
            Panel::Step,
            Panel::Analysis,
            Panel::Sweep,
            Panel::Find,
        ]);
        let middle = linear(&mut tiles, LinearDir::Vertical, &[(canvas, 0.66), (bottom, 0.34)]);
        let root = linear(&mut tiles, LinearDir::Horizontal, &[(left, 0.165), (middle, 0.605), (right, 0.23)]);
        Layout {
            tree: Tree::new(egui::Id::unique("panels"), root, tiles),
            canvas_rect: None,
            rects: Vec::new(),
            given: None,
        }
    }
}

fn linear(tiles: &mut Tiles<Panel>, dir: LinearDir, parts: &[(TileId, f32)]) -> TileId {
    let mut linear = Linear::new(dir, parts.iter().map(|(id, _)| *id).collect());
    for (id, share) in parts {
        linear.shares.set_share(*id, *share);
    }
    tiles.insert_new(Tile::Container(Container::Linear(linear)))
}

impl Layout {
    /// An empty layout, a placeholder while the real one is borrowed.
    pub fn none() -> Layout {
        Layout { tree: Tree::empty(egui::Id::unique("no panels")), canvas_rect: None, rects: Vec::new(), given: None }
    }

    /// Restores the stored arrangement, or the default if it is invalid.
    pub fn restore(remembered: Option<&serde_json::Value>) -> Layout {
        let tree: Option<Tree<Panel>> = remembered.and_then(|value| serde_json::from_value(value.clone()).ok());
        let mut layout = tree.map_or_else(Layout::default, |tree| Layout {
            tree,
            canvas_rect: None,
            rects: Vec::new(),
            given: None,
        });
        for panel in Panel::all() {
            if layout.tree.tiles.find_pane(&panel).is_none() && !layout.add(panel) {
                return Layout::default();
            }
        }
        layout
    }

    /// Adds a panel that the arrangement does not have, since a newer version brought it, to the tabs where it is in the
    /// default arrangement. False where none of those tabs is left.
    fn add(&mut self, panel: Panel) -> bool {
        let default = Layout::default();
        let beside = default.tree.tiles.find_pane(&panel).and_then(|id| default.tree.tiles.parent_of(id));
        let Some(Tile::Container(container)) = beside.and_then(|tabs| default.tree.tiles.get(tabs)) else {
            return false;
        };
        let neighbours = container.children().filter_map(|id| default.tree.tiles.get_pane(id));
        let tiles = &mut self.tree.tiles;
        let tabs = neighbours.filter(|known| **known != panel).find_map(|known| {
            let id = tiles.find_pane(known)?;
            tiles.parent_of(id)
        });
        let Some(tabs) = tabs else { return false };
        let id = tiles.insert_pane(panel);
        if let Some(Tile::Container(container)) = tiles.get_mut(tabs) {
            container.add_child(id);
        }
        true
    }

    pub fn remember(&self) -> Option<serde_json::Value> {
        serde_json::to_value(&self.tree).ok()
    }

    /// Returns whether the panel is open and its tab is active.
    pub fn is_shown(&self, panel: Panel) -> bool {
        let Some(id) = self.tree.tiles.find_pane(&panel) else { return false };
        self.tree.tiles.is_visible(id) && self.tree.active_tiles().contains(&id)
    }

    /// Opens the panel and activates its tab.
    pub fn show(&mut self, panel: Panel) {
        if let Some(id) = self.tree.tiles.find_pane(&panel) {
            self.tree.set_visible(id, true);
            self.tree.make_active(|tile, _| tile == id);
        }
    }

    /// Makes the row of a panel at least as high as all others of its column, until [`Layout::take_room_back`].
    pub fn give_room(&mut self, panel: Panel) {
        self.take_room_back();
        let tiles = &mut self.tree.tiles;
        let row = tiles.find_pane(&panel).and_then(|id| tiles.parent_of(id));
        let Some((row, column)) = row.and_then(|row| Some((row, tiles.parent_of(row)?))) else { return };
        let Some(Tile::Container(Container::Linear(column))) = tiles.get_mut(column) else { return };
        let others: f32 = column.children.iter().filter(|id| **id != row).map(|id| column.shares[*id]).sum();
        let before = column.shares[row];
        let wanted = others * ROOM;
        if column.dir == LinearDir::Vertical && before < wanted {
            column.shares.set_share(row, wanted);
            self.given = Some((row, before, wanted));
        }
    }

    /// Gives the row its height before [`Layout::give_room`], unless the user has set another since.
    pub fn take_room_back(&mut self) {
        let Some((row, before, given)) = self.given.take() else { return };
        let tiles = &mut self.tree.tiles;
        let Some(column) = tiles.parent_of(row) else { return };
        if let Some(Tile::Container(Container::Linear(column))) = tiles.get_mut(column)
            && column.shares[row] == given
        {
            column.shares.set_share(row, before);
        }
    }

    /// Toggles a panel.
    pub fn toggle(&mut self, panel: Panel) {
        match (self.is_shown(panel), self.tree.tiles.find_pane(&panel)) {
            (true, Some(id)) => self.tree.set_visible(id, false),
            _ => self.show(panel),
        }
    }

    /// Draws all panels; `show` draws one.
    pub fn ui(&mut self, ui: &mut Ui, problems: usize, show: &mut dyn FnMut(&mut Ui, Panel)) {
        let canvas_tile = self.tree.tiles.find_pane(&Panel::Canvas);
        let mut frame = Frame { show, problems, canvas_tile, rects: Vec::new() };
        self.tree.ui(&mut frame, ui);
        self.rects = frame.rects;
        self.canvas_rect = self.rect_of(Panel::Canvas);
    }

    /// Returns where a panel was in the last frame, if it was drawn.
    pub fn rect_of(&self, panel: Panel) -> Option<Rect> {
        self.rects.iter().find(|(known, _)| *known == panel).map(|(_, rect)| *rect)
    }
}

struct Frame<'a> {
    show: &'a mut dyn FnMut(&mut Ui, Panel),
    problems: usize,
    canvas_tile: Option<TileId>,
    rects: Vec<(Panel, Rect)>,
}

impl Behavior<Panel> for Frame<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, panel: &mut Panel) -> egui_tiles::UiResponse {
        let theme = theme_of(ui.ctx());
        let rect = ui.max_rect();
        let fill = if *panel == Panel::Canvas { theme.canvas } else { theme.panel };
        ui.painter().rect_filled(rect, 0.0, fill);
        self.rects.push((*panel, rect));
        ui.push_id(*panel, |ui| {
            ui.set_clip_rect(ui.clip_rect().intersect(rect));
            (self.show)(ui, *panel);
        });
        egui_tiles::UiResponse::None
    }

    fn tab_title_for_pane(&mut self, panel: &Panel) -> WidgetText {
        let title = match (*panel, self.problems) {
            (Panel::Problems, count) if count > 0 => format!("Problems ({count})"),
            _ => panel.title().to_owned(),
        };
        egui::RichText::new(title).font(style::strong(TEXT_SMALL + 0.5)).into()
    }

    fn tab_title_for_tile(&mut self, tiles: &Tiles<Panel>, id: TileId) -> WidgetText {
        match tiles.get(id) {
            Some(Tile::Pane(panel)) => {
                let panel = *panel;
                self.tab_title_for_pane(&panel)
            }
            _ => "Panels".into(),
        }
    }

    fn is_tab_bar_visible(&self, _: TileId, tabs: &egui_tiles::Tabs) -> bool {
        // The diagram alone needs no tab: breadcrumbs name it.
        tabs.children.len() != 1 || tabs.children.first().copied() != self.canvas_tile
    }

    fn tab_bar_height(&self, _: &egui::Style) -> f32 {
        30.0
    }

    fn gap_width(&self, _: &egui::Style) -> f32 {
        1.0
    }

    fn min_size(&self) -> f32 {
        90.0
    }

    fn simplification_options(&self) -> SimplificationOptions {
        SimplificationOptions { all_panes_must_have_tabs: true, ..SimplificationOptions::default() }
    }

    fn tab_hover_cursor_icon(&self) -> egui::CursorIcon {
        egui::CursorIcon::PointingHand
    }

    fn tab_title_spacing(&self, _: &Visuals) -> f32 {
        3.0 * SPACE
    }

    fn tab_bar_color(&self, visuals: &Visuals) -> Color32 {
        theme(visuals).window
    }

    fn tab_bg_color(&self, visuals: &Visuals, _: &Tiles<Panel>, _: TileId, state: &TabState) -> Color32 {
        if state.active { theme(visuals).panel } else { Color32::TRANSPARENT }
    }

    fn tab_outline_stroke(&self, _: &Visuals, _: &Tiles<Panel>, _: TileId, _: &TabState) -> Stroke {
        Stroke::NONE
    }

    fn tab_bar_hline_stroke(&self, visuals: &Visuals) -> Stroke {
        Stroke::new(1.0, theme(visuals).line)
    }

    fn tab_text_color(&self, visuals: &Visuals, _: &Tiles<Panel>, _: TileId, state: &TabState) -> Color32 {
        if state.active { theme(visuals).text } else { theme(visuals).text_weak }
    }

    fn resize_stroke(&self, style: &egui::Style, state: egui_tiles::ResizeState) -> Stroke {
        let theme = theme(&style.visuals);
        match state {
            egui_tiles::ResizeState::Idle => Stroke::new(1.0, theme.line),
            egui_tiles::ResizeState::Hovering | egui_tiles::ResizeState::Dragging => Stroke::new(2.0, theme.accent),
        }
    }
}

fn theme(visuals: &Visuals) -> crate::app::ui::theme::Theme {
    if visuals.dark_mode { crate::app::ui::theme::Theme::dark() } else { crate::app::ui::theme::Theme::light() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_arrangement_has_every_panel() {
        let layout = Layout::default();
        for panel in Panel::all() {
            assert!(layout.tree.tiles.find_pane(&panel).is_some(), "{panel:?}");
        }
    }

    #[test]
    fn a_panel_of_a_newer_version_joins_the_arrangement_of_the_user() {
        let mut layout = Layout::default();
        let pane = |layout: &Layout, panel| layout.tree.tiles.find_pane(&panel).expect("it is there");
        let (step, sweep) = (pane(&layout, Panel::Step), pane(&layout, Panel::Sweep));
        layout.tree.remove_recursively(step);
        layout.tree.set_visible(sweep, false);
        let restored = Layout::restore(layout.remember().as_ref());
        assert!(!restored.tree.tiles.is_visible(pane(&restored, Panel::Sweep)), "the rest is as the user left it");
        let tabs = |panel| restored.tree.tiles.parent_of(pane(&restored, panel));
        assert_eq!(tabs(Panel::Step), tabs(Panel::Plots));
    }
}
