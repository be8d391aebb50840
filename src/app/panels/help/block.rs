//! Pages about blocks: what each does, its formula, ports, parameters and example, from its definition.

use eframe::egui::{RichText, Sense, Ui, vec2};

use super::links_ui;
use crate::app::action::{Action, EditAction, FileAction};
use crate::app::panels::inspected::formula_ui;
use crate::app::panels::param::limits_of;
use crate::app::panels::roles;
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL, TEXT_TITLE};
use crate::app::ui::widgets::{self, sentence, theme_of};
use crate::app::ui::{picture, style};
use crate::block::{BlockDef, ParamDef, Registry, Settings, library};
use crate::model::{BlockKind, library_ports};

/// Below this width the title is below the icon.
const NARROW: f32 = 215.0;

pub fn page_ui(ui: &mut Ui, kind: &BlockKind, registry: &Registry, actions: &mut Vec<Action>) -> Option<BlockKind> {
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
            actions.push(Action::Edit(EditAction::AddBlock(kind.clone().into())));
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
            head_ui(ui, kind, "Input", "Ports", registry);
            ui.label("An input of the model. Each instance of the model has an input port for it.");
            widgets::section_ui(ui, "Value for the next step");
            ui.label(
                "An input and an output of one name are a pair: at the end of each step the input takes the value of the \
                 output. In the first step it has its initial value. A pair is not a port.",
            );
            widgets::section_ui(ui, "Roles");
            grid_ui(ui, "roles", |ui| {
                for (role, about) in roles::ENTRY_ROLES {
                    entry_ui(ui, role.name(), about, "");
                }
            });
        }
        BlockKind::Exit { .. } => {
            head_ui(ui, kind, "Output", "Ports", registry);
            ui.label("An output of the model. Each instance of the model has an output port for it.");
            widgets::section_ui(ui, "While the model is disabled");
            ui.label("An output of a conditional model holds its last value, or resets to its initial value.");
        }
        BlockKind::Model { model } => {
            head_ui(ui, kind, model, "A model of this file", registry);
            ui.label(
                "An instance of another model. Its unpaired inputs and outputs are its ports; the variables of the model \
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
