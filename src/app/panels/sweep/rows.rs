//! The varied parameters of a sweep and their values.

use eframe::egui::{self, Ui};

use super::{SweepState, SweepView};
use crate::app::doc::typed;
use crate::app::ui::field::Field;
use crate::app::ui::icons::Icon;
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::theme::SPACE;
use crate::app::ui::{numbers, widgets};
use crate::sampling::SampleDesign;

/// A parameter or variable that can be varied.
#[derive(Clone, Debug)]
pub struct SweepParam {
    /// The displayed name, with the block's.
    pub name: String,
    /// As in `simulate sweep --vary`.
    pub path: String,
    pub value: f64,
    /// Of the selected block.
    pub is_selected: bool,
}

/// A varied parameter with its values, as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub path: String,
    pub values: RowValues,
    /// From and to, the limits, or mean and deviation.
    pub ends: [String; 2],
    /// The number of values of a range.
    pub count: String,
    pub list: String,
}

/// How the values of a row are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowValues {
    #[default]
    Range,
    Logarithmic,
    List,
    Uniform,
    Normal,
}

impl RowValues {
    const ALL: [RowValues; 5] =
        [RowValues::Range, RowValues::Logarithmic, RowValues::List, RowValues::Uniform, RowValues::Normal];

    fn title(self) -> &'static str {
        match self {
            RowValues::Range => "Range",
            RowValues::Logarithmic => "Log range",
            RowValues::List => "List",
            RowValues::Uniform => "Uniform",
            RowValues::Normal => "Normal",
        }
    }

    fn about(self) -> &'static str {
        match self {
            RowValues::Range => "Equally spaced values from one end to the other",
            RowValues::Logarithmic => "Values with equal ratios, both ends above 0",
            RowValues::List => "These values",
            RowValues::Uniform => "A random value between two limits for each run",
            RowValues::Normal => "A normally distributed random value for each run",
        }
    }

    /// The names of the two numbers.
    fn ends(self) -> Option<[&'static str; 2]> {
        match self {
            RowValues::Range | RowValues::Logarithmic => Some(["From", "To"]),
            RowValues::Uniform => Some(["Low", "High"]),
            RowValues::Normal => Some(["Mean", "Deviation"]),
            RowValues::List => None,
        }
    }
}

impl Row {
    /// Returns a range of values.
    pub fn range(path: &str, from: f64, to: f64, count: u64) -> Row {
        let list = format!("{from}, {to}");
        let ends = [from.to_string(), to.to_string()];
        Row { path: path.to_owned(), values: RowValues::Range, ends, count: count.to_string(), list }
    }

    /// Returns a range about a value.
    pub(super) fn about(path: &str, value: f64) -> Row {
        let (one, other) = if value == 0.0 { (-1.0, 1.0) } else { (0.5 * value, 1.5 * value) };
        Row::range(path, one.min(other), one.max(other), 21)
    }

    /// Returns the values as in `simulate sweep --vary`; in a design other than the grid, a range is a distribution.
    pub fn text(&self, design: SampleDesign) -> String {
        let [first, second] = self.ends.each_ref().map(|end| typed::expression(end));
        let count = typed::whole(&self.count).map_or_else(|| self.count.clone(), |count| count.to_string());
        match self.values {
            RowValues::Range if design != SampleDesign::Random => format!("uniform({first},{second})"),
            RowValues::Logarithmic if design != SampleDesign::Random => format!("loguniform({first},{second})"),
            RowValues::Range => format!("{first}:{second}:{count}"),
            RowValues::Logarithmic => format!("{first}:{second}:{count}:log"),
            RowValues::List => typed::list(&self.list),
            RowValues::Uniform => format!("uniform({first},{second})"),
            RowValues::Normal => format!("normal({first},{second})"),
        }
    }

    /// Returns the question about its first text that can be meant in two ways.
    pub fn question(&self) -> Option<String> {
        match self.values {
            RowValues::List => typed::question(&self.list, Wanted::Several),
            _ => self.ends.iter().find_map(|end| typed::question(end, Wanted::One)),
        }
    }
}

/// The open list of parameters.
#[derive(Default)]
pub struct ParamList {
    search: String,
    /// Found when the list is opened.
    params: Option<Vec<SweepParam>>,
}

/// Draws the varied parameters, and the button that adds one.
pub fn rows_ui(ui: &mut Ui, state: &mut SweepState, view: &SweepView) {
    let mut gone = None;
    for (number, row) in state.rows.iter_mut().enumerate() {
        if row_ui(ui, row, number + 1, state.design) {
            gone = Some(number);
        }
        ui.add_space(SPACE);
    }
    gone.into_iter().for_each(|number| drop(state.rows.remove(number)));
    let button = ui.button("Add parameter").on_hover_text("A parameter of a block, or a variable of all models");
    let is_open = egui::Popup::menu(&button)
        .close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside)
        .show(|ui| {
            ui.set_min_width(340.0);
            if let Some(row) = list_ui(ui, &mut state.list, view) {
                state.rows.push(row);
                ui.close();
            }
        })
        .is_some();
    if !is_open {
        state.list = ParamList::default();
    }
}

/// Draws a row; returns whether it is to be removed.
fn row_ui(ui: &mut Ui, row: &mut Row, number: usize, design: SampleDesign) -> bool {
    let label = |ui: &Ui, response: &egui::Response, text: String| {
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(text));
    };
    let is_gone = ui
        .horizontal(|ui| {
            let width = ui.available_width() - 38.0;
            let path = egui::TextEdit::singleline(&mut row.path).desired_width(width).hint_text("Plant/Motor#3.Gain");
            let path = ui.add(path).on_hover_text("The parameter, or a variable of the simulation");
            label(ui, &path, format!("Parameter {number}"));
            widgets::icon_button_ui(ui, Icon::Close, &format!("Remove parameter {number}")).clicked()
        })
        .inner;
    ui.horizontal(|ui| {
        let chosen = widgets::choice_ui(ui, &format!("Kind of values {number}"), row.values.title(), 88.0, |ui| {
            for values in RowValues::ALL {
                ui.selectable_value(&mut row.values, values, values.title()).on_hover_text(values.about());
            }
        });
        chosen.on_hover_text(row.values.about());
        let Some(names) = row.values.ends() else {
            let (label, width) = (format!("List {number}"), ui.available_width());
            let list = Field::new(&label, "").hint("1, 2, 5").width(width).number(Wanted::Several);
            list.live_ui(ui, &mut row.list, &|_| None).on_hover_text("Numbers, separated by commas");
            return;
        };
        let is_grid = design == SampleDesign::Random;
        let has_count = is_grid && matches!(row.values, RowValues::Range | RowValues::Logarithmic);
        let gaps = ui.spacing().item_spacing.x * 2.0;
        let width = ((ui.available_width() - gaps) / if has_count { 2.7 } else { 2.0 } - 9.0).max(36.0);
        for (text, name) in row.ends.iter_mut().zip(names) {
            let label = format!("{name} {number}");
            let end = Field::new(&label, "").hint(name).width(width).number(Wanted::One);
            end.live_ui(ui, text, &|_| None).on_hover_text(name);
        }
        if has_count {
            let label = format!("Count {number}");
            let count = Field::new(&label, "").hint("Count").width(0.7 * width).number(Wanted::Whole);
            let about = "Count: the number of values, with both ends";
            count.live_ui(ui, &mut row.count, &|_| None).on_hover_text(about);
        }
    });
    is_gone
}

/// Draws the list of parameters with its search; returns a row for the chosen one.
fn list_ui(ui: &mut Ui, list: &mut ParamList, view: &SweepView) -> Option<Row> {
    let is_new = list.params.is_none();
    let search = widgets::search_ui(ui, &mut list.search, "Find a parameter or variable");
    if is_new {
        search.request_focus();
    }
    let all = list.params.get_or_insert_with(|| (view.params)());
    let wanted = list.search.to_lowercase();
    let found: Vec<&SweepParam> = all.iter().filter(|param| param.name.to_lowercase().contains(&wanted)).collect();
    let mut chosen = None;
    if found.is_empty() {
        let text = if all.is_empty() { "No block has a numeric parameter" } else { "Nothing has this name" };
        ui.label(widgets::weak(ui, text));
    }
    egui::ScrollArea::vertical().max_height(300.0).auto_shrink([false, true]).show(ui, |ui| {
        let height = ui.spacing().interact_size.y;
        widgets::visible_rows_ui(ui, height, &found, |ui, param| {
            let value = numbers::digits(param.value, 5);
            let name = if param.is_selected { format!("{} (selected block)", param.name) } else { param.name.clone() };
            let row = widgets::row_ui(ui, &name, height, |ui, rect| {
                let theme = widgets::theme_of(ui.ctx());
                let font = crate::app::ui::style::plain(crate::app::ui::theme::TEXT);
                let inner = rect.shrink2(egui::vec2(2.0 * SPACE, 0.0));
                let color = if param.is_selected { theme.accent } else { theme.text };
                let left = egui::Rect::from_min_max(inner.min, inner.max - egui::vec2(70.0, 0.0));
                widgets::text_in(ui, left, &param.name, font.clone(), color);
                ui.painter().text(inner.right_center(), egui::Align2::RIGHT_CENTER, &value, font, theme.text_weak);
            });
            if row.clicked() {
                chosen = Some(Row::about(&param.path, param.value));
            }
        });
    });
    ui.separator();
    if ui.button("Type a path").clicked() {
        chosen = Some(Row::about("", 1.0));
    }
    chosen
}
