//! Pages about blocks: what each does, its formula, ports, parameters and example, from its definition.

use eframe::egui::{self, Color32, Label, Response, RichText, ScrollArea, Sense, Ui, vec2};

use super::blocks::{self, Shows};
use super::inspected::formula_ui;
use super::items::{self, FoundItems, Item, ItemSource};
use super::param::limits_of;
use crate::app::action::{Action, EditAction, FileAction};
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL, TEXT_TITLE};
use crate::app::ui::widgets::{self, sentence, theme_of};
use crate::app::ui::{picture, style};
use crate::block::{BlockDef, ParamDef, Registry, Settings, library};
use crate::model::{BlockKind, library_ports};

/// Below this width the title is below the icon.
const NARROW: f32 = 215.0;

#[derive(Default)]
pub struct HelpState {
    page: Option<BlockKind>,
    /// The selection that last changed the page.
    followed: Option<BlockKind>,
    search: String,
    wants_focus: bool,
    found: FoundItems,
}

impl HelpState {
    /// Shows a block's page.
    pub fn turn_to(&mut self, kind: BlockKind) {
        self.page = Some(kind);
        self.search.clear();
    }

    /// Returns the state for the next document: the page stays if it is about a block of the library.
    pub fn for_next_document(&self) -> HelpState {
        let page = self.page.clone().filter(|page| matches!(page, BlockKind::Library { .. }));
        HelpState { page, ..HelpState::default() }
    }

    /// Shows the list of all blocks, with the focus in the search.
    pub fn ask(&mut self) {
        self.wants_focus = true;
    }
}

pub fn show_ui(ui: &mut Ui, state: &mut HelpState, source: &ItemSource, selected: Option<&BlockKind>) -> Vec<Action> {
    let registry = &source.registry;
    if let Some(kind) = selected
        && state.followed.as_ref() != Some(kind)
    {
        state.followed = Some(kind.clone());
        state.turn_to(kind.clone());
    }
    let mut actions = Vec::new();
    widgets::panel_frame().show(ui, |ui| {
        ui.horizontal(|ui| {
            let has_page = state.page.is_some() || !state.search.is_empty();
            let all = widgets::icon_button_if_ui(ui, Icon::Up, "All blocks", has_page);
            if all.on_hover_text("Show the list of all blocks").clicked() && has_page {
                state.page = None;
                state.search.clear();
            }
            let field = ui.push_id("help", |ui| widgets::search_ui(ui, &mut state.search, "Search help")).inner;
            if std::mem::take(&mut state.wants_focus) {
                field.request_focus();
            }
        });
        ui.add_space(SPACE);
        let page = state.page.clone();
        let query = state.search.trim().to_owned();
        ScrollArea::vertical()
            .id_salt((page.as_ref().map(|kind| format!("{kind:?}")), &query))
            .auto_shrink(false)
            .show(ui, |ui| {
                let turned = match page {
                    _ if !query.is_empty() => found_ui(ui, &query, state.found.of(&query, source), registry),
                    Some(kind) => page_ui(ui, &kind, registry, &mut actions),
                    None => contents_ui(ui, registry),
                };
                if let Some(kind) = turned {
                    state.turn_to(kind);
                }
            });
    });
    actions
}

fn found_ui(ui: &mut Ui, query: &str, found: &[Item], registry: &Registry) -> Option<BlockKind> {
    if found.is_empty() {
        ui.label(widgets::weak(ui, format!("No page matches “{query}”; names from other programs work too")));
    }
    let mut turned = None;
    ui.spacing_mut().item_spacing.y = 1.0;
    for item in found {
        let label = format!("Help on {}", item.title);
        let row = widgets::row_ui(ui, &label, 30.0, |ui, rect| {
            blocks::item_row(ui, rect, item, registry, Shows::TitleAndGroup);
        });
        if row.on_hover_text(&item.about).clicked() {
            turned = Some(item.kind.clone());
        }
    }
    turned
}

/// Lists all pages by group.
fn contents_ui(ui: &mut Ui, registry: &Registry) -> Option<BlockKind> {
    let mut turned = None;
    ui.label("Select a block in the diagram to read about it, or choose one here.");
    for group in items::groups(registry) {
        widgets::section_ui(ui, library::group_title(group));
        let of_group = registry.iter().filter(|def| def.group == group && library::is_listed(def));
        turned = links_ui(ui, of_group, None).or(turned);
    }
    turned
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

fn page_ui(ui: &mut Ui, kind: &BlockKind, registry: &Registry, actions: &mut Vec<Action>) -> Option<BlockKind> {
    let BlockKind::Library { group, name } = kind else {
        port_page_ui(ui, kind, registry);
        return None;
    };
    let Some(def) = registry.get(group, name) else {
        let text = match registry.absent(group) {
            Some(absent) if absent.problem.is_none() => format!("the plug-in “{group}” is off: see Help › Plug-ins"),
            Some(_) => format!("the plug-in “{group}” is broken: see Help › Plug-ins"),
            None => format!("{group} / {name} is unknown"),
        };
        widgets::empty_ui(ui, Icon::Block, "No page found", &text);
        return None;
    };
    head_ui(ui, kind, def.title(), def.group_title(), registry);
    ui.horizontal(|ui| {
        if ui.button("Insert").on_hover_text("Insert this block into the diagram").clicked() {
            actions.push(Action::Edit(EditAction::AddBlock(kind.clone())));
        }
    });
    ui.add_space(SPACE);
    ui.label(RichText::new(sentence(def.doc)).size(TEXT + 0.5));
    if !def.formula.is_empty() {
        formula_ui(ui, def.formula);
    }
    let ports = library_ports(def, &Settings::defaults(def));
    if !(ports.inputs.is_empty() && ports.outputs.is_empty()) {
        widgets::section_ui(ui, "Ports");
        grid_ui(ui, "ports", |ui| {
            for (side, names) in [("Inputs", &ports.inputs), ("Outputs", &ports.outputs)] {
                if !names.is_empty() {
                    let names: Vec<&str> = names.iter().map(|name| &**name).collect();
                    entry_ui(ui, side, &names.join(", "), "");
                }
            }
        });
    }
    if !def.params.is_empty() {
        widgets::section_ui(ui, "Parameters");
        grid_ui(ui, "params", |ui| {
            for param in def.params {
                entry_ui(ui, param.name, param.doc, &facts(param));
            }
        });
    }
    examples_ui(ui, def, actions);
    if !def.aliases.is_empty() {
        widgets::section_ui(ui, "In other programs");
        ui.label(widgets::weak(ui, def.aliases.join(", ")));
    }
    widgets::section_ui(ui, &format!("More in {}", def.group_title()));
    links_ui(ui, registry.iter().filter(|known| known.group == def.group && library::is_listed(known)), Some(def))
}

fn examples_ui(ui: &mut Ui, def: &'static BlockDef, actions: &mut Vec<Action>) {
    if def.examples.is_empty() {
        return;
    }
    widgets::section_ui(ui, if def.examples.len() == 1 { "Example" } else { "Examples" });
    for (number, example) in def.examples.iter().enumerate() {
        ui.horizontal(|ui| {
            let open = ui.button("Open").on_hover_text("Open it as a new simulation");
            let label = format!("Open example {}: {}", number + 1, example.doc);
            ui.ctx().accesskit_node_builder(open.id, |node| node.set_label(label));
            if open.clicked() {
                actions.push(Action::File(FileAction::OpenBlockExample(def, number)));
            }
            let options = example.options.iter().map(|(name, values)| format!("{name} = {}", values.join(" ")));
            let options = options.collect::<Vec<_>>().join(", ");
            ui.label(RichText::new(example.doc).size(TEXT_SMALL + 0.5)).on_hover_text(options);
        });
    }
}

/// `Default 1 s, at least 0`.
fn facts(param: &ParamDef) -> String {
    let default = param.default_texts().join(" ");
    let unit = if param.unit.is_empty() { String::new() } else { format!(" {}", param.unit) };
    let mut facts = match default.as_str() {
        "" => Vec::new(),
        default => vec![format!("Default {default}{unit}")],
    };
    facts.extend(Some(limits_of(param)).filter(|limits| !limits.is_empty()).map(|limits| limits.to_lowercase()));
    if let crate::block::ParamKind::Choice { of, .. } = param.kind {
        facts.push(format!("one of {}", of.join(", ")));
    }
    facts.join(", ")
}

fn head_ui(ui: &mut Ui, kind: &BlockKind, title: &str, about: &str, registry: &Registry) {
    let theme = theme_of(ui.ctx());
    let picture_ui = |ui: &mut Ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(78.0, 56.0), Sense::hover());
        picture::paint_kind(ui.painter(), rect.shrink(2.0), kind, registry, theme);
    };
    let title_ui = |ui: &mut Ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        ui.label(RichText::new(title).font(style::strong(TEXT_TITLE + 1.0)));
        ui.label(widgets::weak(ui, about));
    };
    if ui.available_width() < NARROW {
        picture_ui(ui);
        title_ui(ui);
        return;
    }
    ui.horizontal(|ui| {
        picture_ui(ui);
        ui.vertical(|ui| {
            ui.add_space(2.0 * SPACE);
            title_ui(ui);
        });
    });
}

fn grid_ui(ui: &mut Ui, name: &str, content: impl FnOnce(&mut Ui)) {
    ui.push_id(name, |ui| {
        ui.spacing_mut().item_spacing.y = SPACE;
        content(ui);
    });
}

/// Draws a name at the left and its description at the right.
fn entry_ui(ui: &mut Ui, name: &str, text: &str, facts: &str) {
    let theme = theme_of(ui.ctx());
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0 * SPACE;
        let width = (ui.available_width() * 0.36).min(120.0);
        ui.allocate_ui(vec2(width, 0.0), |ui| {
            ui.set_width(width);
            ui.label(RichText::new(name).font(style::strong(TEXT_SMALL + 0.5)));
        });
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            if !text.is_empty() {
                ui.label(RichText::new(sentence(text)).size(TEXT_SMALL + 0.5));
            }
            if !facts.is_empty() {
                ui.label(RichText::new(facts).size(TEXT_SMALL).color(theme.text_weak));
            }
        });
    });
}

/// Draws the pages of entries, exits and model blocks.
fn port_page_ui(ui: &mut Ui, kind: &BlockKind, registry: &Registry) {
    match kind {
        BlockKind::Entry { .. } => {
            head_ui(ui, kind, "Entry", "Ports", registry);
            ui.label("An input of the model. Each instance of the model has an input port for it.");
            widgets::section_ui(ui, "Value for the next step");
            ui.label(
                "An entry and an exit of one name are a pair: at the end of each step the entry takes the value of the \
                 exit. In the first step it has its initial value. A pair is not a port.",
            );
            widgets::section_ui(ui, "Roles");
            grid_ui(ui, "roles", |ui| {
                for (role, about) in super::roles::ENTRY_ROLES {
                    entry_ui(ui, role.name(), about, "");
                }
            });
        }
        BlockKind::Exit { .. } => {
            head_ui(ui, kind, "Exit", "Ports", registry);
            ui.label("An output of the model. Each instance of the model has an output port for it.");
            widgets::section_ui(ui, "While the model is disabled");
            ui.label("An exit of a conditional model holds its last value, or resets to its initial value.");
        }
        BlockKind::Model { model } => {
            head_ui(ui, kind, model, "A model of this file", registry);
            ui.label(
                "An instance of another model. Its unpaired entries and exits are its ports; the variables of the model \
                 are its parameters. A change of the model affects all its instances.",
            );
            widgets::section_ui(ui, "Variants");
            ui.label(
                "With variants the block is an instance of one of several models. Before each run, the first whose condition \
                 is not 0 is chosen. Conditions are expressions in the variables of the simulation. The other models are \
                 checked, too; what is wrong with them is a warning.",
            );
        }
        BlockKind::Library { .. } => {}
    }
}
