//! The editor of a table: rows and columns of numbers, to and from a spreadsheet as tab-separated text.

use std::sync::Arc;

use eframe::egui::{self, Event, Id, Key, Pos2, Rect, RichText, ScrollArea, Sense, Shape, Stroke, TextEdit, Ui, vec2};

use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::doc::typed;
use crate::app::ui::icons::Icon;
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::block::language::numbers;
use crate::block::{BlockDef, ParamDef, Registry, TableLayout, number_text, parse_number};
use crate::model::{Block, BlockId, BlockKind, Change, Edit, Scope, Simulation};

pub struct TableEditor {
    model: Arc<str>,
    block: BlockId,
    title: String,
    param: &'static ParamDef,
    table: TableLayout,
    /// The texts of all cells, row by row; rows have equal length. In a grid the first row and column are breakpoints,
    /// and the corner is empty.
    pub cells: Vec<Vec<String>>,
    /// The cell at which pasted cells start.
    at: (usize, usize),
}

const CELL: egui::Vec2 = vec2(84.0, 24.0);

impl TableEditor {
    /// Returns `None` if the parameter is not a table.
    pub fn of(
        simulation: &Simulation,
        registry: &Registry,
        model: &Arc<str>,
        id: BlockId,
        param: &'static ParamDef,
    ) -> Option<TableEditor> {
        let table = param.table?;
        let within = simulation.model(model)?;
        let block = within.block(id)?;
        let BlockKind::Library { group, name } = &block.kind else { return None };
        let def = registry.get(group, name)?;
        let scope = Scope::of_model(simulation, within);
        let column = |name: &str| column_of(block, def, name, &scope);
        let values = column(param.name)?;
        let cells = match table {
            TableLayout::Beside(other) => {
                let heads = column(other)?;
                let rows = heads.len().max(values.len());
                let cell = |column: &[String], row: usize| column.get(row).cloned().unwrap_or_default();
                (0..rows).map(|row| vec![cell(&heads, row), cell(&values, row)]).collect()
            }
            TableLayout::Grid { rows, columns } => {
                let (rows, columns) = (column(rows)?, column(columns)?);
                let width = columns.len().max(1);
                let first: Vec<String> = std::iter::once(String::new()).chain(columns.iter().cloned()).collect();
                let lines = rows.iter().enumerate().map(|(row, head)| {
                    let cells = (0..width).map(|at| values.get(row * width + at).cloned().unwrap_or_default());
                    std::iter::once(head.clone()).chain(cells).collect()
                });
                std::iter::once(first).chain(lines).collect()
            }
        };
        let title = format!("{} {id}", block.title());
        Some(TableEditor { model: Arc::clone(model), block: id, title, param, table, cells, at: (0, 0) })
    }

    fn is_grid(&self) -> bool {
        matches!(self.table, TableLayout::Grid { .. })
    }

    fn columns(&self) -> usize {
        self.cells.first().map_or(0, Vec::len)
    }

    fn is_corner(&self, row: usize, column: usize) -> bool {
        self.is_grid() && row == 0 && column == 0
    }

    fn is_wrong(&self, row: usize, column: usize) -> bool {
        let text = self.cells.get(row).and_then(|cells| cells.get(column));
        !self.is_corner(row, column) && text.is_some_and(|text| parse_number(text).is_err())
    }

    fn wrong_cells(&self) -> usize {
        let row = |row: usize| (0..self.columns()).filter(|column| self.is_wrong(row, *column)).count();
        (0..self.cells.len()).map(row).sum()
    }

    /// Returns the table as tab-separated text.
    pub fn text(&self) -> String {
        self.cells.iter().map(|row| row.join("\t") + "\n").collect()
    }

    /// Writes tab-separated text over the cells from `at` on; the table grows as needed.
    pub fn paste(&mut self, text: &str) {
        let lines: Vec<Vec<&str>> =
            text.lines().map(|line| line.trim_end_matches('\r').split('\t').collect()).collect();
        // A pasted whole grid includes its corner.
        let brings_corner = self.is_grid() && lines.len() > 1 && lines.first().is_some_and(|line| line.len() > 1);
        let (top, left) = if brings_corner && self.at == (0, 1) { (0, 0) } else { self.at };
        let width = lines.iter().map(Vec::len).max().unwrap_or(0);
        let columns = match self.is_grid() {
            true => self.columns().max(left + width),
            false => self.columns(),
        };
        let rows = self.cells.len().max(top + lines.len());
        self.cells.resize_with(rows, Vec::new);
        self.cells.iter_mut().for_each(|row| row.resize_with(columns, String::new));
        // Spreadsheets of many locales write decimal commas: one that is certain decides about all others, such as 1,234.
        let is_certain = |text: &str| text.contains(',') && typed::number(text).is_some();
        let has_decimal_commas = lines.iter().flatten().any(|text| is_certain(text));
        for (row, line) in self.cells.iter_mut().skip(top).zip(&lines) {
            for (cell, text) in row.iter_mut().skip(left).zip(line) {
                let text = text.trim();
                let with_point = text.replace(',', ".");
                let is_decimal = has_decimal_commas && parse_number(&with_point).is_ok();
                *cell = if is_decimal { with_point } else { typed::expression(text) };
            }
        }
        if self.is_grid()
            && let Some(corner) = self.cells.first_mut().and_then(|row| row.first_mut())
        {
            corner.clear();
        }
    }

    fn add_row(&mut self) {
        self.cells.push(vec![String::new(); self.columns()]);
    }

    fn remove_row(&mut self) {
        let first = usize::from(self.is_grid());
        if self.cells.len() > first + 1 {
            self.cells.remove(self.at.0.max(first).min(self.cells.len() - 1));
        }
    }

    fn add_column(&mut self) {
        self.cells.iter_mut().for_each(|row| row.push(String::new()));
    }

    fn remove_column(&mut self) {
        let column = self.at.1.max(1).min(self.columns().saturating_sub(1));
        if self.columns() > 2 {
            self.cells.iter_mut().for_each(|row| drop(row.remove(column)));
        }
    }

    /// The change that writes the table into the block.
    pub fn change(&self) -> Change {
        let set = |name: &'static str, values: Vec<String>| Edit::SetOption {
            model: Arc::clone(&self.model),
            id: self.block,
            name: name.into(),
            values: Some(values),
        };
        let cell = |row: &Vec<String>, column: usize| row.get(column).map(|text| text.trim().to_owned());
        let edits = match self.table {
            TableLayout::Beside(other) => {
                let column = |at: usize| self.cells.iter().filter_map(|row| cell(row, at)).collect();
                vec![set(other, column(0)), set(self.param.name, column(1))]
            }
            TableLayout::Grid { rows, columns } => {
                let heads = self.cells.iter().skip(1).filter_map(|row| cell(row, 0)).collect();
                let first = self.cells.first().into_iter().flat_map(|row| row.iter().skip(1));
                let first = first.map(|text| text.trim().to_owned()).collect();
                let values = self.cells.iter().skip(1).flat_map(|row| row.iter().skip(1));
                let values = values.map(|text| text.trim().to_owned()).collect();
                vec![set(rows, heads), set(columns, first), set(self.param.name, values)]
            }
        };
        Change::new(format!("Edit table of {}", self.title), edits)
    }
}

/// Returns the numbers of a parameter as texts; expressions are evaluated.
fn column_of(block: &Block, def: &BlockDef, name: &str, scope: &Scope) -> Option<Vec<String>> {
    let param = def.param(name)?;
    let Some(texts) = block.option_texts(name) else { return Some(param.default_texts()) };
    let mut cells = Vec::new();
    for text in texts {
        match parse_number(text) {
            Ok(_) => cells.push(text.trim().to_owned()),
            Err(_) => cells.extend(numbers(text, scope).ok()?.into_iter().map(number_text)),
        }
    }
    Some(cells)
}

pub fn show_ui(ctx: &egui::Context, editor: &mut TableEditor) -> DialogResponse {
    take_paste(ctx, editor);
    let width = (editor.columns() as f32 * (CELL.x + SPACE) + 60.0).clamp(420.0, ctx.content_rect().width() - 160.0);
    window_ui(ctx, "table", width, |ui| {
        title_ui(ui, &format!("{} of {}", editor.param.name, editor.title));
        tools_ui(ui, editor);
        let height = (ctx.content_rect().height() - 330.0).clamp(120.0, 380.0);
        cells_ui(ui, editor, height);
        if !editor.is_grid() {
            curve_ui(ui, editor);
        }
        let wrong = editor.wrong_cells();
        let theme = theme_of(ui.ctx());
        ui.label(match wrong {
            0 => widgets::weak(ui, "Paste cells from a spreadsheet with Ctrl+V; they go where the cursor is"),
            1 => RichText::new("One cell is not a number").color(theme.error).size(TEXT_SMALL),
            wrong => RichText::new(format!("{wrong} cells are not numbers")).color(theme.error).size(TEXT_SMALL),
        });
        buttons_ui(ui, |ui| {
            let apply = ui.add_enabled_ui(wrong == 0, |ui| widgets::main_button_ui(ui, "Apply")).inner;
            if apply.clicked() && wrong == 0 {
                return DialogResponse::Apply(editor.change());
            }
            if widgets::second_button_ui(ui, "Cancel").clicked() {
                DialogResponse::Closed
            } else {
                DialogResponse::Open
            }
        })
    })
}

/// Intercepts a paste of several cells before a text field takes it.
fn take_paste(ctx: &egui::Context, editor: &mut TableEditor) {
    let is_cells = |event: &Event| matches!(event, Event::Paste(text) if text.trim_end().contains(['\t', '\n']));
    let pasted = ctx.input_mut(|input| {
        let index = input.events.iter().position(is_cells)?;
        Some(input.events.remove(index))
    });
    if let Some(Event::Paste(text)) = pasted {
        editor.paste(&text);
        // A focused field would write its old text back.
        ctx.memory_mut(|memory| memory.stop_text_input());
    }
}

fn tools_ui(ui: &mut Ui, editor: &mut TableEditor) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = SPACE;
        let button = |ui: &mut Ui, icon: Icon, label: &str| {
            widgets::icon_button_ui(ui, icon, label).on_hover_text(label).clicked()
        };
        ui.label(widgets::weak(ui, "Rows"));
        if button(ui, Icon::Plus, "Add row") {
            editor.add_row();
        }
        if button(ui, Icon::Minus, "Remove row") {
            editor.remove_row();
        }
        if editor.is_grid() {
            ui.add_space(2.0 * SPACE);
            ui.label(widgets::weak(ui, "Columns"));
            if button(ui, Icon::Plus, "Add column") {
                editor.add_column();
            }
            if button(ui, Icon::Minus, "Remove column") {
                editor.remove_column();
            }
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let copy = ui.button("Copy all").on_hover_text("As text for a spreadsheet");
            if copy.clicked() {
                ui.ctx().copy_text(editor.text());
            }
        });
    });
}

fn cells_ui(ui: &mut Ui, editor: &mut TableEditor, height: f32) {
    let theme = theme_of(ui.ctx());
    if let TableLayout::Beside(other) = editor.table {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = SPACE;
            for head in [other, editor.param.name] {
                ui.add_sized(CELL, egui::Label::new(widgets::weak(ui, head)).truncate());
            }
        });
    }
    let (rows, columns) = (editor.cells.len(), editor.columns());
    let area = ScrollArea::both().max_height(height).auto_shrink([false, true]);
    area.show_rows(ui, CELL.y, rows, |ui, shown| {
        for row in shown {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = SPACE;
                for column in 0..columns {
                    if editor.is_corner(row, column) {
                        ui.allocate_exact_size(CELL, Sense::hover());
                        continue;
                    }
                    let is_wrong = editor.is_wrong(row, column);
                    let is_head = editor.is_grid() && (row == 0 || column == 0);
                    let Some(text) = editor.cells.get_mut(row).and_then(|cells| cells.get_mut(column)) else {
                        continue;
                    };
                    let id = Id::unique(("cell", row, column));
                    let mut field = TextEdit::singleline(text).id(id).desired_width(CELL.x - 8.0);
                    if is_wrong {
                        field = field.text_color(theme.error);
                    } else if is_head {
                        field = field.font(style::strong(TEXT));
                    }
                    let response = ui.add_sized(CELL, field);
                    let label = format!("Row {}, column {}", row + 1, column + 1);
                    ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(label));
                    if response.lost_focus() {
                        *text = typed::expression(text);
                    }
                    let question = typed::question(text, Wanted::One);
                    let response = question.into_iter().fold(response, egui::Response::on_hover_text);
                    if response.has_focus() || response.gained_focus() {
                        editor.at = (row, column);
                    }
                    if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
                        ui.memory_mut(|memory| memory.request_focus(Id::unique(("cell", row + 1, column))));
                    }
                }
            });
        }
    });
}

/// Draws the points as a curve, so that typing errors are visible.
fn curve_ui(ui: &mut Ui, editor: &TableEditor) {
    let theme = theme_of(ui.ctx());
    let point = |row: &Vec<String>| {
        let number = |at: usize| row.get(at).and_then(|text| parse_number(text).ok()).filter(|n| n.is_finite());
        Some((number(0)?, number(1)?))
    };
    let points: Vec<(f64, f64)> = editor.cells.iter().filter_map(point).collect();
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 90.0), Sense::hover());
    ui.painter().rect_filled(rect, 4.0, style::mix(theme.panel, theme.text, 0.04));
    let span = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    };
    let (left, right) = span(&mut points.iter().map(|(x, _)| *x));
    let (low, high) = span(&mut points.iter().map(|(_, y)| *y));
    let inner: Rect = rect.shrink(8.0);
    let part = |value: f64, from: f64, to: f64| if to > from { ((value - from) / (to - from)) as f32 } else { 0.5 };
    let at = |&(x, y): &(f64, f64)| {
        Pos2::new(
            inner.left() + part(x, left, right) * inner.width(),
            inner.bottom() - part(y, low, high) * inner.height(),
        )
    };
    let line: Vec<Pos2> = points.iter().map(at).collect();
    for point in &line {
        ui.painter().circle_filled(*point, 2.0, theme.accent);
    }
    ui.painter().add(Shape::line(line, Stroke::new(1.4, theme.accent)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn editor(group: &str, name: &str, param: &str) -> TableEditor {
        let registry = Registry::standard();
        let mut simulation = Simulation::new("Main");
        let model = simulation.model_mut("Main").expect("the root");
        model.add_block(Block::new(BlockId(0), BlockKind::library(group, name)));
        let param = registry.get(group, name).and_then(|def| def.param(param)).expect("the parameter");
        TableEditor::of(&simulation, &registry, &"Main".into(), BlockId(0), param).expect("a table")
    }

    fn values(change: &Change, wanted: &str) -> Vec<String> {
        let found = change.edits.iter().find_map(|edit| match edit {
            Edit::SetOption { name, values: Some(values), .. } if &**name == wanted => Some(values.clone()),
            _ => None,
        });
        found.unwrap_or_default()
    }

    #[test]
    fn two_columns_of_a_spreadsheet_become_breakpoints_and_values() {
        let mut editor = editor("Lookup", "1-D Lookup Table", "Table");
        editor.cells.truncate(1);
        editor.paste("0\t1,5\n2\t3\r\n4\t5e1\n");
        assert_eq!(editor.wrong_cells(), 0);
        assert_eq!(values(&editor.change(), "Breakpoints"), ["0", "2", "4"]);
        assert_eq!(values(&editor.change(), "Table"), ["1.5", "3", "5e1"]);
    }

    #[test]
    fn one_certain_decimal_comma_decides_about_the_others() {
        let mut editor = editor("Lookup", "1-D Lookup Table", "Table");
        editor.cells.truncate(1);
        editor.paste("0\t1,234\n0,5\t2,000\n");
        assert_eq!(editor.wrong_cells(), 0);
        assert_eq!(values(&editor.change(), "Table"), ["1.234", "2.000"]);
        // Alone it can be a group of digits, too.
        editor.paste("0\t1,234\n1\t2\n");
        assert_eq!((editor.wrong_cells(), &*editor.cells[0][1]), (1, "1,234"));
    }

    #[test]
    fn a_grid_goes_to_a_spreadsheet_and_comes_back() {
        let mut editor = editor("Lookup", "2-D Lookup Table", "Table");
        assert_eq!(editor.text(), "\t0\t1\n0\t0\t1\n1\t1\t2\n");
        editor.at = (0, 1);
        editor.paste("x\t1\t2\t3\n10\t11\t12\t13\n20\t21\t22\t23\n");
        assert_eq!(values(&editor.change(), "Breakpoints 1"), ["10", "20"]);
        assert_eq!(values(&editor.change(), "Breakpoints 2"), ["1", "2", "3"]);
        assert_eq!(values(&editor.change(), "Table"), ["11", "12", "13", "21", "22", "23"]);
    }

    #[test]
    fn what_is_no_number_is_counted() {
        let mut editor = editor("Lookup", "1-D Lookup Table", "Table");
        editor.paste("one\ttwo\n");
        assert_eq!(editor.wrong_cells(), 2);
    }
}
