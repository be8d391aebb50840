//! The tabs of open models, and the choice of the shown instance.

use eframe::egui::{self, CornerRadius, PopupCloseBehavior, Rect, Sense, Ui, WidgetInfo, vec2};

use crate::app::action::{Action, ViewAction};
use crate::app::doc::uses::path_text;
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, Selected, theme_of};
use crate::model::{BlockId, Simulation};

/// The path from the root to the model of each tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tabs {
    paths: Vec<Vec<BlockId>>,
    open: usize,
}

impl Default for Tabs {
    fn default() -> Tabs {
        Tabs { paths: vec![Vec::new()], open: 0 }
    }
}

impl Tabs {
    pub fn count(&self) -> usize {
        self.paths.len()
    }

    pub fn paths(&self) -> &[Vec<BlockId>] {
        &self.paths
    }

    pub fn open(&self) -> usize {
        self.open
    }

    /// Sets the path of the open tab.
    pub fn follow(&mut self, path: &[BlockId]) {
        if let Some(open) = self.paths.get_mut(self.open)
            && open != path
        {
            *open = path.to_vec();
        }
    }

    /// Opens a tab after the current one.
    pub fn add(&mut self, path: Vec<BlockId>) {
        self.open = (self.open + 1).min(self.paths.len());
        self.paths.insert(self.open, path);
    }

    /// Switches to a tab; returns its path.
    pub fn turn_to(&mut self, tab: usize) -> Option<Vec<BlockId>> {
        let path = self.paths.get(tab)?.clone();
        self.open = tab;
        Some(path)
    }

    /// Returns the next or previous tab, wrapping around.
    pub fn turn_by(&mut self, step: i64) -> Option<Vec<BlockId>> {
        let tab = (self.open as i64 + step).rem_euclid(self.paths.len() as i64);
        self.turn_to(tab as usize)
    }

    /// Closes a tab, except the last one; returns the path of the tab shown then.
    pub fn close(&mut self, tab: usize) -> Option<Vec<BlockId>> {
        if self.paths.len() < 2 || tab >= self.paths.len() {
            return None;
        }
        self.paths.remove(tab);
        if self.open > tab || self.open == self.paths.len() {
            self.open -= 1;
        }
        self.turn_to(self.open)
    }
}

const HEIGHT: f32 = 26.0;

/// The row of tabs; `titles` in the order of the tabs.
pub fn show_ui(ui: &mut Ui, tabs: &Tabs, titles: &[String]) -> Vec<Action> {
    let mut actions = Vec::new();
    egui::ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
        ui.horizontal_centered(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            for (tab, title) in titles.iter().enumerate() {
                tab_ui(ui, tab, title, tab == tabs.open, &mut actions);
            }
        });
    });
    actions
}

fn tab_ui(ui: &mut Ui, tab: usize, title: &str, selected: impl Into<Selected>, actions: &mut Vec<Action>) {
    let is_open = selected.into() == Selected::Yes;
    let theme = theme_of(ui.ctx());
    let color = if is_open { theme.text } else { theme.text_weak };
    let galley = ui.painter().layout_no_wrap(title.to_owned(), style::plain(TEXT_SMALL + 0.5), color);
    let (rect, response) = ui.allocate_exact_size(vec2(galley.size().x + 44.0, HEIGHT), Sense::click());
    response.widget_info(|| WidgetInfo::selected(egui::Role::Tab, true, is_open, format!("Tab {title}")));
    let fill = match (is_open, response.hovered()) {
        (true, _) => theme.raised,
        (false, true) => style::mix(theme.panel, theme.accent, 0.1),
        (false, false) => theme.panel,
    };
    let stroke = if is_open { egui::Stroke::new(1.0, theme.line) } else { egui::Stroke::NONE };
    ui.painter().rect(rect.shrink(1.0), CornerRadius::same(5), fill, stroke, egui::StrokeKind::Inside);
    widgets::focus_ring(ui, &response, 5);
    ui.painter().galley(rect.left_center() + vec2(10.0, -galley.size().y / 2.0), galley, color);
    let cross = Rect::from_center_size(rect.right_center() - vec2(14.0, 0.0), vec2(16.0, 16.0));
    let close = ui.interact(cross, response.id.with("close"), Sense::click());
    close.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, format!("Close tab {title}")));
    if close.hovered() {
        ui.painter().rect_filled(cross, 3.0, style::mix(theme.panel, theme.text, 0.12));
    }
    Icon::Close.paint(ui.painter(), cross.shrink(4.0), theme.text_weak);
    if close.clicked() || response.middle_clicked() {
        actions.push(Action::View(ViewAction::CloseTab(tab)));
    } else if response.clicked() && !is_open {
        actions.push(Action::View(ViewAction::OpenTab(tab)));
    }
}

/// Draws the choice of the shown instance, for models with several.
pub fn uses_ui(ui: &mut Ui, simulation: &Simulation, uses: &[Vec<BlockId>], path: &[BlockId]) -> Vec<Action> {
    let mut actions = Vec::new();
    if uses.len() < 2 {
        return actions;
    }
    let here = uses.iter().position(|known| known == path).map_or(0, |index| index + 1);
    let text = format!("Instance {here} of {}", uses.len());
    let button = ui.add(egui::Button::new(egui::RichText::new(text).size(TEXT_SMALL)));
    ui.ctx().accesskit_node_builder(button.id, |node| node.set_label("Instance of this model"));
    let button = button.on_hover_text("Values are shown for this instance; choose another");
    egui::Popup::menu(&button).close_behavior(PopupCloseBehavior::CloseOnClick).show(|ui| {
        ui.set_min_width(200.0);
        egui::ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
            for path_of_use in uses {
                let text = path_text(simulation, path_of_use);
                if ui.selectable_label(path_of_use == path, text).clicked() {
                    actions.push(Action::View(ViewAction::GoTo { path: path_of_use.clone(), block: None }));
                }
            }
        });
    });
    ui.add_space(SPACE);
    actions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_go_round_and_one_stays() {
        let mut tabs = Tabs::default();
        tabs.add(vec![BlockId(1)]);
        tabs.add(vec![BlockId(2)]);
        assert_eq!((tabs.count(), tabs.open()), (3, 2));
        assert_eq!(tabs.turn_by(1), Some(Vec::new()));
        assert_eq!(tabs.turn_by(-1), Some(vec![BlockId(2)]));
        assert_eq!(tabs.close(0), Some(vec![BlockId(2)]), "the open one stays open");
        assert_eq!(tabs.close(1), Some(vec![BlockId(1)]));
        assert_eq!(tabs.close(0), None);
        assert_eq!(tabs.count(), 1);
    }
}
