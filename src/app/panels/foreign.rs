//! The parameters and ports of a foreign model that a block runs, by the names that the model gives them.

use std::sync::Arc;

use eframe::egui::Ui;

use super::inspected::InspectorView;
use crate::app::action::Action;
use crate::app::doc::typed;
use crate::app::ui::field::{EditedField, Field, Invalid};
use crate::app::ui::icons::Icon;
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::{form, widgets};
use crate::block::language::Formula;
use crate::block::{
    BlockDef, ForeignDescription, ForeignParam, ForeignUse, assignments, ports_in, ports_text, with_assignment,
};
use crate::model::{Block, Change, Edit};

/// More parameters than these are edited as one text.
const MAX_ROWS: usize = 200;

/// A foreign model whose description is known.
pub(super) struct ForeignPanel<'a> {
    view: &'a InspectorView<'a>,
    block: &'a Arc<Block>,
    model: Arc<ForeignDescription>,
    has_rows: bool,
}

impl<'a> ForeignPanel<'a> {
    /// Returns none if the block runs no foreign model, or if its file has not been read yet.
    pub fn of(view: &'a InspectorView<'a>, block: &'a Arc<Block>, def: &BlockDef) -> Option<ForeignPanel<'a>> {
        let file = block.option_texts(ForeignUse::FILE).filter(|_| def.runs_file())?.concat();
        let model = view.registry.files().foreign_description(&file)?;
        let are_plain = |name: &str| assignments(&text_of(block, name)).is_some();
        let has_rows = (1..=MAX_ROWS).contains(&model.parameters.len())
            && [ForeignUse::PARAMETERS, ForeignUse::TEXTS].into_iter().all(are_plain);
        Some(ForeignPanel { view, block, model, has_rows })
    }

    /// Returns the units of the parameters.
    pub fn units(&self) -> impl Iterator<Item = &str> {
        self.model.parameters.iter().map(|param| &*param.unit).filter(|_| self.has_rows)
    }

    /// Returns whether the rows stand for an option of the block.
    pub fn replaces(&self, option: &str) -> bool {
        self.has_rows && matches!(option, ForeignUse::PARAMETERS | ForeignUse::TEXTS)
    }

    /// Draws, in place of an option that the rows stand for, a row for each parameter that it holds.
    pub fn rows_ui(&self, ui: &mut Ui, editing: &mut EditedField, option: &str, actions: &mut Vec<Action>) {
        for param in self.model.parameters.iter().filter(|param| option_of(param) == option) {
            // A name of the model may be one of the block, too.
            let value = ui.push_id("foreign", |ui| self.row_ui(ui, editing, param)).inner;
            if let Some(value) = value {
                actions.extend(self.set(param, value.as_deref()));
            }
        }
    }

    /// Draws a parameter; returns its new text, or none in place of the text for the start value.
    fn row_ui(&self, ui: &mut Ui, editing: &mut EditedField, param: &ForeignParam) -> Option<Option<String>> {
        let options = text_of(self.block, option_of(param));
        let set = assignments(&options).into_iter().flatten().find(|(name, _)| *name == param.name);
        let current = set.map_or("", |(_, value)| value);
        let check = |text: &str| problem_with(param, text);
        let mut result = None;
        form::row_ui(ui, &param.title, &tooltip(param), |ui| {
            let width = form::value_width(ui);
            let field = Field::new(&param.title, current).hint(&param.start).width(width).invalid(Invalid::Kept);
            let field = if param.is_text { field } else { field.number(Wanted::One) };
            // A separator would make two values of one.
            let typed = field.text_ui(ui, editing, &check).filter(|text| !text.contains([';', '\n']));
            if let Some(text) = typed {
                let text = if param.is_text { text } else { typed::expression(&text) };
                result = Some(Some(text.trim().to_owned()).filter(|text| !text.is_empty()));
            }
            let is_set = set.is_some();
            form::end_ui(ui, &param.unit, |ui| {
                let reset = widgets::icon_button_if_ui(ui, Icon::Reset, &format!("Reset {}", param.title), is_set);
                if reset.on_hover_text("Back to the start value of the FMU").clicked() && is_set {
                    result = Some(None);
                }
            });
        });
        result
    }

    fn set(&self, param: &ForeignParam, value: Option<&str>) -> Option<Action> {
        let option = option_of(param);
        let text = with_assignment(&text_of(self.block, option), &param.name, value)?;
        let verb = if value.is_some() { "Set" } else { "Reset" };
        Some(self.change(format!("{verb} {} of {}", param.title, self.block.title()), &[(option, text)]))
    }

    /// Draws a button that gives the block the ports of the model where it has others.
    pub fn ports_ui(&self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let ForeignDescription { inputs, outputs, .. } = &*self.model;
        let ports = [(ForeignUse::INPUTS, inputs), (ForeignUse::OUTPUTS, outputs)];
        let is_same = |(option, all): &(&str, &Vec<_>)| ports_in(&text_of(self.block, option)) == **all;
        if ports.iter().all(is_same) {
            return;
        }
        let hint = "The block gets all inputs and outputs that the FMU has, in its order; wires keep to their names";
        if form::row_ui(ui, "", "", |ui| ui.button("Renew ports").on_hover_text(hint).clicked()) {
            let texts = ports.map(|(option, all)| (option, ports_text(all)));
            actions.push(self.change(format!("Renew the ports of {}", self.block.title()), &texts));
        }
    }

    fn change(&self, label: String, texts: &[(&'static str, String)]) -> Action {
        let edit = |(name, text): &(&'static str, String)| Edit::SetOption {
            model: Arc::clone(&self.view.model.name),
            id: self.block.id,
            name: (*name).into(),
            values: (!text.is_empty()).then(|| vec![text.clone()]),
        };
        Action::Apply(Change::new(label, texts.iter().map(edit).collect()))
    }
}

fn option_of(param: &ForeignParam) -> &'static str {
    if param.is_text { ForeignUse::TEXTS } else { ForeignUse::PARAMETERS }
}

fn text_of(block: &Block, option: &str) -> String {
    block.option_texts(option).unwrap_or_default().join("\n")
}

/// Returns the error in the text of a parameter; an empty text stands for the start value.
fn problem_with(param: &ForeignParam, text: &str) -> Option<String> {
    match text.trim() {
        "" => None,
        text if text.contains([';', '\n']) => Some("A value cannot contain a semicolon".to_owned()),
        _ if param.is_text => None,
        text => Formula::parse(&format!("x = {text}")).err().map(|error| error.problem),
    }
}

fn tooltip(param: &ForeignParam) -> String {
    let mut lines = vec![param.title.clone()];
    if !param.doc.is_empty() {
        lines.push(param.doc.clone());
    }
    if !param.start.is_empty() {
        lines.push(format!("Start value of the FMU: {} {}", param.start, param.unit).trim_end().to_owned());
    }
    if !param.is_text {
        lines.push("A value, [1 2 3], or an expression of the model's variables".to_owned());
    }
    lines.join("\n")
}
