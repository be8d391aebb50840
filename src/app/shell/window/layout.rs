//! The arrangement of the panels as movable tabs, stored in the settings.

use eframe::egui::{self, Color32, Rect, Stroke, Ui, Visuals, WidgetText};
use egui_tiles::{Behavior, Container, Linear, LinearDir, SimplificationOptions, TabState, Tile, TileId, Tiles, Tree};
use serde::{Deserialize, Serialize};

use crate::app::action::command::{Command, Panel, ViewCommand};
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};

pub struct Layout {
    tree: Tree<Panel>,
    /// The rectangle of the diagram in the last frame.
    pub canvas_rect: Option<Rect>,
    /// The rectangles of the panels that were drawn in the last frame.
    rects: Vec<(Panel, Rect)>,
    lower: LowerHeights,
    /// The tiles that are hidden while the lower panels have the whole window.
    hidden: Vec<TileId>,
}

/// The heights that the user gave the lower panels, as parts of the height that they share with the diagram.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq)]
#[serde(default)]
struct LowerHeights {
    usual: f32,
    /// While they show figures that need more: an analysis, a comparison, several plots.
    tall: f32,
    /// Which of the two they have now.
    is_tall: bool,
}

impl Default for LowerHeights {
    fn default() -> LowerHeights {
        LowerHeights { usual: 0.34, tall: 0.45, is_tall: false }
    }
}

/// The key of the heights beside those of the tree, which older versions pass over.
const LOWER: &str = "lower";

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
            Panel::Tuner,
            Panel::Fit,
            Panel::Response,
            Panel::Sweep,
            Panel::Find,
        ]);
        let middle = linear(
            &mut tiles,
            LinearDir::Vertical,
            &[(canvas, 1.0 - LowerHeights::default().usual), (bottom, LowerHeights::default().usual)],
        );
        let root = linear(&mut tiles, LinearDir::Horizontal, &[(left, 0.165), (middle, 0.605), (right, 0.23)]);
        Layout::of(Tree::new(egui::Id::unique("panels"), root, tiles))
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
        Layout::of(Tree::empty(egui::Id::unique("no panels")))
    }

    fn of(tree: Tree<Panel>) -> Layout {
        let lower = LowerHeights::default();
        Layout { tree, canvas_rect: None, rects: Vec::new(), lower, hidden: Vec::new() }
    }

    /// Restores the stored arrangement, or the default if it is invalid.
    pub fn restore(remembered: Option<&serde_json::Value>) -> Layout {
        let tree: Option<Tree<Panel>> = remembered.and_then(|value| serde_json::from_value(value.clone()).ok());
        let mut layout = tree.map_or_else(Layout::default, Layout::of);
        let lower = remembered.and_then(|value| serde_json::from_value(value.get(LOWER)?.clone()).ok());
        layout.lower = lower.unwrap_or_default();
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
        let mut tree = self.tree.clone();
        self.hidden.iter().for_each(|tile| tree.set_visible(*tile, true));
        let mut value = serde_json::to_value(&tree).ok()?;
        value.as_object_mut()?.insert(LOWER.to_owned(), serde_json::to_value(self.lower).ok()?);
        Some(value)
    }

    /// Returns the tabs that have a panel.
    fn tabs_of(&self, panel: Panel) -> Option<TileId> {
        self.tree.tiles.parent_of(self.tree.tiles.find_pane(&panel)?)
    }

    /// Gives the lower panels the height that their content needs: more while an analysis, a review or `tall_plots` are shown.
    /// Each of the two heights stays as the user drags it.
    pub fn fit_lower(&mut self, tall_plots: bool) {
        let Some(tabs) = self.tabs_of(Panel::Plots) else { return };
        let shows = |panel| self.tabs_of(panel) == Some(tabs) && self.is_shown(panel);
        let is_figure =
            [Panel::Analysis, Panel::Tuner, Panel::Fit, Panel::Response, Panel::Review].into_iter().any(shows);
        let is_tall = is_figure || (tall_plots && shows(Panel::Plots));
        let is_any = self.tree.tiles.is_visible_in_layout(tabs) && self.hidden.is_empty();
        let Some(part) = self.part_of(tabs).filter(|_| is_any) else { return };
        let now = if self.lower.is_tall { &mut self.lower.tall } else { &mut self.lower.usual };
        *now = part;
        if is_tall == self.lower.is_tall {
            return;
        }
        self.lower.is_tall = is_tall;
        // Where the user made the usual height the greater one, nothing shrinks.
        let wanted = if is_tall { self.lower.tall.max(self.lower.usual) } else { self.lower.usual };
        self.set_part(tabs, wanted);
    }

    /// Returns the part of the height that a tile has of the tiles above each other.
    fn part_of(&self, tile: TileId) -> Option<f32> {
        let linear = self.vertical_of(tile)?;
        let share = |tile: &TileId| linear.shares.iter().find(|(id, _)| *id == tile).map_or(1.0, |(_, share)| *share);
        let all: f32 = linear.children.iter().map(share).sum();
        (linear.children.len() > 1 && all > 0.0).then(|| share(&tile) / all)
    }

    fn vertical_of(&self, tile: TileId) -> Option<&Linear> {
        match self.tree.tiles.get(self.tree.tiles.parent_of(tile)?)? {
            Tile::Container(Container::Linear(linear)) if linear.dir == LinearDir::Vertical => Some(linear),
            _ => None,
        }
    }

    fn set_part(&mut self, tile: TileId, part: f32) {
        let Some(now) = self.part_of(tile).filter(|now| *now < 1.0) else { return };
        let Some(parent) = self.tree.tiles.parent_of(tile) else { return };
        let Some(Tile::Container(Container::Linear(linear))) = self.tree.tiles.get_mut(parent) else { return };
        let part = part.clamp(0.1, 0.9);
        let all: f32 = linear.children.iter().map(|child| linear.shares[*child]).sum();
        for child in linear.children.clone() {
            let share = linear.shares[child];
            let wanted = if child == tile { part * all } else { share * (1.0 - part) / (1.0 - now) };
            linear.shares.set_share(child, wanted);
        }
    }

    /// Returns whether the lower panels have the whole window.
    pub fn is_maximized(&self) -> bool {
        !self.hidden.is_empty()
    }

    /// Gives the lower panels the whole window, or the other panels their places again.
    pub fn toggle_maximized(&mut self) {
        if self.is_maximized() {
            self.end_maximized();
            return;
        }
        let mut tile = self.tabs_of(Panel::Plots);
        while let Some(inner) = tile {
            let parent = self.tree.tiles.parent_of(inner);
            if let Some(Container::Linear(linear)) = parent.and_then(|parent| self.tree.tiles.get_container(parent)) {
                let others = linear.children.iter().filter(|child| **child != inner);
                self.hidden.extend(others.filter(|child| self.tree.tiles.is_visible(**child)));
            }
            tile = parent;
        }
        self.hidden.iter().for_each(|tile| self.tree.set_visible(*tile, false));
    }

    fn is_behind_maximized(&self, tile: TileId) -> bool {
        let mut around = std::iter::successors(Some(tile), |tile| self.tree.tiles.parent_of(*tile));
        around.any(|tile| self.hidden.contains(&tile))
    }

    fn end_maximized(&mut self) {
        for tile in std::mem::take(&mut self.hidden) {
            self.tree.set_visible(tile, true);
        }
    }

    /// Returns whether the panel is open and its tab is active.
    pub fn is_shown(&self, panel: Panel) -> bool {
        let Some(id) = self.tree.tiles.find_pane(&panel) else { return false };
        self.tree.tiles.is_visible(id) && self.tree.active_tiles().contains(&id)
    }

    /// Returns whether the panel has a tab, be it behind another one.
    pub fn is_open(&self, panel: Panel) -> bool {
        let tile = self.tree.tiles.find_pane(&panel);
        tile.is_some_and(|id| self.tree.tiles.is_visible(id))
    }

    /// Opens the panel and activates its tab.
    pub fn show(&mut self, panel: Panel) {
        if let Some(id) = self.tree.tiles.find_pane(&panel) {
            // A panel that is hidden beside maximized ones is wanted now.
            if self.is_behind_maximized(id) {
                self.end_maximized();
            }
            self.tree.set_visible(id, true);
            self.tree.make_active(|tile, _| tile == id);
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
        let (lower, is_maximized) = (self.tabs_of(Panel::Plots), self.is_maximized());
        let mut frame =
            Frame { show, problems, canvas_tile, rects: Vec::new(), lower, is_maximized, is_toggled: false };
        self.tree.ui(&mut frame, ui);
        self.rects = frame.rects;
        if frame.is_toggled {
            self.toggle_maximized();
        }
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
    /// The tabs that can have the whole window.
    lower: Option<TileId>,
    is_maximized: bool,
    /// The button of the maximized panels was clicked.
    is_toggled: bool,
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

    fn top_bar_right_ui(&mut self, _: &Tiles<Panel>, ui: &mut Ui, tile: TileId, _: &egui_tiles::Tabs, _: &mut f32) {
        if self.lower != Some(tile) {
            return;
        }
        let (icon, label) = match self.is_maximized {
            true => (Icon::Restore, "Restore panels"),
            false => (Icon::Enlarge, "Maximize lower panels"),
        };
        let command = Command::View(ViewCommand::MaximizeLower).def();
        let tip = command.map_or_else(String::new, |def| def.tooltip_text(ui.ctx()));
        self.is_toggled |= widgets::icon_button_ui(ui, icon, label).on_hover_text(tip).clicked();
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
        2.5 * SPACE
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

    fn part(layout: &Layout) -> f32 {
        let tabs = layout.tabs_of(Panel::Plots).expect("tabs");
        layout.part_of(tabs).expect("a part of the height")
    }

    #[test]
    fn the_lower_panels_rise_for_an_analysis_and_remember_both_heights() {
        let mut layout = Layout::default();
        layout.fit_lower(false);
        assert!((part(&layout) - 0.34).abs() < 1e-6);
        layout.show(Panel::Analysis);
        layout.fit_lower(false);
        assert!((part(&layout) - 0.45).abs() < 1e-6);
        // The user drags the edge up, and later comes back.
        let tabs = layout.tabs_of(Panel::Plots).expect("tabs");
        layout.set_part(tabs, 0.6);
        layout.fit_lower(false);
        layout.show(Panel::Plots);
        layout.fit_lower(false);
        assert!((part(&layout) - 0.34).abs() < 1e-6);
        layout.fit_lower(true);
        assert!((part(&layout) - 0.6).abs() < 1e-6, "several plots have the height of an analysis");
        let mut restored = Layout::restore(layout.remember().as_ref());
        assert_eq!(restored.lower, layout.lower);
        restored.fit_lower(false);
        assert!((part(&restored) - 0.34).abs() < 1e-6);
        // One that is higher anyway keeps its height.
        restored.set_part(tabs, 0.7);
        restored.fit_lower(false);
        restored.fit_lower(true);
        assert!((part(&restored) - 0.7).abs() < 1e-6);
    }

    #[test]
    fn maximized_panels_are_not_remembered_and_end_where_another_is_shown() {
        let mut layout = Layout::default();
        let before = layout.remember();
        layout.toggle_maximized();
        assert!(layout.is_maximized() && layout.is_shown(Panel::Plots));
        assert!(!layout.is_shown(Panel::Canvas) && !layout.is_shown(Panel::Inspector));
        assert_eq!(layout.remember(), before);
        layout.show(Panel::Analysis);
        assert!(layout.is_maximized(), "it is one of them");
        layout.show(Panel::Inspector);
        assert!(!layout.is_maximized() && layout.is_shown(Panel::Canvas) && layout.is_shown(Panel::Inspector));
        layout.toggle_maximized();
        layout.toggle_maximized();
        assert!(layout.is_shown(Panel::Canvas) && layout.is_shown(Panel::Blocks));
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
