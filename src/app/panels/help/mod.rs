//! Help: the chapters of the manual, and a page about each block.

mod block;
mod chapter;

use eframe::egui::{self, Color32, Label, Response, RichText, ScrollArea, Ui, vec2};

use self::chapter::ChapterState;
use super::blocks::{self, Shows};
use super::items::{self, FoundItems, Item, ItemSource};
use crate::app::action::Action;
use crate::app::store::manual::{CHAPTERS, Chapter, chapters_with};
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::block::{BlockDef, Registry, library};
use crate::model::BlockKind;

/// A page of the help.
#[derive(Clone, Debug, PartialEq)]
pub enum HelpPage {
    Block(BlockKind),
    Chapter(&'static Chapter),
}

#[derive(Default)]
pub struct HelpState {
    page: Option<HelpPage>,
    /// The selection that last changed the page.
    followed: Option<BlockKind>,
    search: String,
    wants_focus: bool,
    found: FoundItems,
    chapter: ChapterState,
}

impl HelpState {
    /// Shows a page.
    pub fn turn_to(&mut self, page: HelpPage) {
        self.page = Some(page);
        self.search.clear();
    }

    /// Shows the list of all pages.
    pub fn turn_to_contents(&mut self) {
        self.page = None;
        self.search.clear();
    }

    /// Returns the state for the next document: the page stays unless it is about a block of this one.
    pub fn for_next_document(&self) -> HelpState {
        let is_general = |page: &HelpPage| !matches!(page, HelpPage::Block(BlockKind::Model { .. }));
        HelpState { page: self.page.clone().filter(is_general), ..HelpState::default() }
    }

    /// Shows the list of all pages, with the focus in the search.
    pub fn ask(&mut self) {
        self.wants_focus = true;
    }
}

pub fn show_ui(ui: &mut Ui, state: &mut HelpState, source: &ItemSource, selected: Option<&BlockKind>) -> Vec<Action> {
    let registry = &source.registry;
    // A chapter stays while its steps are followed in the diagram.
    if let Some(kind) = selected
        && state.followed.as_ref() != Some(kind)
        && !matches!(state.page, Some(HelpPage::Chapter(_)))
    {
        state.followed = Some(kind.clone());
        state.turn_to(HelpPage::Block(kind.clone()));
    }
    let mut actions = Vec::new();
    widgets::panel_frame().show(ui, |ui| {
        ui.horizontal(|ui| {
            let has_page = state.page.is_some() || !state.search.is_empty();
            let all = widgets::icon_button_if_ui(ui, Icon::Up, "All pages", has_page);
            if all.on_hover_text("Show the chapters of the manual and all blocks").clicked() && has_page {
                state.turn_to_contents();
            }
            let field = ui.push_id("help", |ui| widgets::search_ui(ui, &mut state.search, "Search help")).inner;
            if std::mem::take(&mut state.wants_focus) {
                field.request_focus();
            }
        });
        ui.add_space(SPACE);
        let page = state.page.clone();
        let query = state.search.trim().to_owned();
        // Tables of a chapter may be wider than the panel.
        let area = match page {
            Some(HelpPage::Chapter(_)) if query.is_empty() => ScrollArea::both(),
            _ => ScrollArea::vertical(),
        };
        area.id_salt((page.as_ref().map(|page| format!("{page:?}")), &query)).auto_shrink(false).show(ui, |ui| {
            let next = match page {
                _ if !query.is_empty() => found_ui(ui, &query, state.found.of(&query, source), registry),
                Some(HelpPage::Block(kind)) => block::page_ui(ui, &kind, registry, &mut actions).map(HelpPage::Block),
                Some(HelpPage::Chapter(of)) => {
                    chapter::show_ui(ui, &mut state.chapter, of, &mut actions).map(HelpPage::Chapter)
                }
                None => contents_ui(ui, registry),
            };
            if let Some(page) = next {
                state.turn_to(page);
            }
        });
    });
    actions
}

fn found_ui(ui: &mut Ui, query: &str, found: &[Item], registry: &Registry) -> Option<HelpPage> {
    let chapters = chapters_with(query);
    if found.is_empty() && chapters.is_empty() {
        ui.label(widgets::weak(ui, format!("No page matches “{query}”; names from other programs work too")));
    }
    let mut turned = None;
    if !chapters.is_empty() {
        widgets::section_ui(ui, "Manual");
        for (chapter, line) in chapters {
            turned = chapter_link_ui(ui, chapter, &line).or(turned);
        }
    }
    if !found.is_empty() {
        widgets::section_ui(ui, "Blocks");
    }
    ui.spacing_mut().item_spacing.y = 1.0;
    for item in found {
        let label = format!("Help on {}", item.title);
        let row = widgets::row_ui(ui, &label, 30.0, |ui, rect| {
            blocks::item_row(ui, rect, item, registry, Shows::TitleAndGroup);
        });
        if row.on_hover_text(&item.about).clicked() {
            turned = Some(HelpPage::Block(item.kind.clone()));
        }
    }
    turned
}

/// Draws a chapter's title as a link, with a line below it.
fn chapter_link_ui(ui: &mut Ui, chapter: &'static Chapter, line: &str) -> Option<HelpPage> {
    ui.spacing_mut().item_spacing.y = 1.0;
    let is_clicked = ui.link(RichText::new(chapter.title()).size(TEXT)).clicked();
    ui.label(RichText::new(line).size(TEXT_SMALL).color(theme_of(ui.ctx()).text_weak));
    ui.add_space(SPACE);
    is_clicked.then_some(HelpPage::Chapter(chapter))
}

/// Lists the chapters, and the blocks by group.
fn contents_ui(ui: &mut Ui, registry: &Registry) -> Option<HelpPage> {
    widgets::section_ui(ui, "Manual");
    let chosen = CHAPTERS.iter().filter_map(|chapter| chapter_link_ui(ui, chapter, chapter.about)).last();
    widgets::section_ui(ui, "Blocks");
    ui.label("Select a block in the diagram to read about it, or choose one here.");
    let mut turned = None;
    for group in items::groups(registry) {
        widgets::section_ui(ui, library::group_title(group));
        let of_group = registry.iter().filter(|def| def.group == group && library::is_listed(def));
        turned = links_ui(ui, of_group, None).or(turned);
    }
    chosen.or(turned.map(HelpPage::Block))
}

fn links_ui(
    ui: &mut Ui,
    defs: impl Iterator<Item = &'static BlockDef>,
    here: Option<&'static BlockDef>,
) -> Option<BlockKind> {
    let mut turned = None;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(2.5 * SPACE, 0.5 * SPACE);
        for def in defs {
            if here.is_some_and(|here| std::ptr::eq(here, def)) {
                ui.add(Label::new(RichText::new(def.title()).font(style::strong(TEXT_SMALL + 0.5))).extend());
            } else if link_ui(ui, def).on_hover_text(def.doc).clicked() {
                turned = Some(BlockKind::library(def.group, def.name));
            }
        }
    });
    turned
}

/// Draws a block's name as a link without a line break.
fn link_ui(ui: &mut Ui, def: &BlockDef) -> Response {
    let font = egui::FontId::proportional(TEXT_SMALL + 0.5);
    let width = ui.fonts_mut(|fonts| fonts.layout_no_wrap(def.title().to_owned(), font, Color32::WHITE).size().x);
    // A wrapped link would start in the middle of a line.
    if width > ui.available_size_before_wrap().x {
        ui.end_row();
    }
    ui.link(RichText::new(def.title()).size(TEXT_SMALL + 0.5))
}
