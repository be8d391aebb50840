//! The bar that says what became of the blocks of a file of another program, and the values that files give it.

use std::path::PathBuf;

use eframe::egui::{Align, Frame, Layout, Margin, Panel as Bar, Ui};

use crate::app::action::command::Panel;
use crate::app::action::path_request::PathRequest;
use crate::app::doc::import_lines::without_value;
use crate::app::panels::import::Shows;
use crate::app::shell::app::App;
use crate::app::store::files::{FileProblem, file_name};
use crate::app::store::jobs::About;
use crate::app::ui::icons::Icon;
use crate::app::ui::widgets;
use crate::import::{GivenValues, ImportError};
use crate::model::Change;

/// A button of the bar.
enum Pressed {
    Show,
    ShowMissing,
    Save,
    Dismiss,
}

impl App {
    /// Draws the bar, until the user dismisses it.
    pub(crate) fn imported_ui(&mut self, ui: &mut Ui) {
        let Some(file) = self.file.as_ref().filter(|file| file.shows_import) else { return };
        let Some(report) = file.import.as_ref().map(|import| import.report()) else { return };
        let text = match report.origin.as_str() {
            "" => format!("Imported: {}", report.blocks_text()),
            origin => format!("Imported from {origin}: {}", report.blocks_text()),
        };
        let missing = without_value(file.simulation()).count();
        // A file that is saved as .simx already needs no such button.
        let formats = &self.components.formats;
        let is_foreign =
            file.path.as_ref().and_then(|path| formats.of_path(path)).is_some_and(|format| format.is_read_only());
        let frame = Frame::new().fill(widgets::theme_of(ui.ctx()).panel);
        let strip = frame.inner_margin(Margin { left: 10, right: 8, top: 4, bottom: 4 });
        let mut pressed = None;
        Bar::top("imported").frame(strip).show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.label(text);
                let show = ui.button("Show").on_hover_text("List the blocks, with what is approximated or missing");
                pressed = show.clicked().then_some(Pressed::Show);
                if missing > 0 {
                    let label =
                        if missing == 1 { "1 missing value".to_owned() } else { format!("{missing} missing values") };
                    let button = ui
                        .button(label)
                        .on_hover_text("Names that the model uses and nothing sets; it runs once all have a value");
                    pressed = button.clicked().then_some(Pressed::ShowMissing).or(pressed.take());
                }
                if is_foreign {
                    let save = ui.button("Save as .simx…").on_hover_text("The imported file itself is never written");
                    pressed = save.clicked().then_some(Pressed::Save).or(pressed.take());
                }
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    let hide = widgets::icon_button_ui(ui, Icon::Close, "Hide");
                    if hide.on_hover_text("Hide this bar; the Import panel keeps the list").clicked() {
                        pressed = Some(Pressed::Dismiss);
                    }
                });
            });
        });
        match pressed {
            None => {}
            Some(Pressed::Show) => self.show_import(Shows::default()),
            Some(Pressed::ShowMissing) => self.show_import(Shows::Missing),
            Some(Pressed::Save) => self.ask_path(PathRequest::SaveAs { after: None }),
            Some(Pressed::Dismiss) => self.with_file(|file| file.shows_import = false),
        }
    }

    /// Shows the panel with a choice of its filter.
    pub(crate) fn show_import(&mut self, shows: Shows) {
        self.with_file(|file| file.panels.import.shows = shows);
        self.window.layout.show(Panel::Import);
    }

    /// Reads values for the variables of the open document from a file.
    pub(crate) fn load_values(&mut self, path: PathBuf) {
        let Some(number) = self.file.as_ref().map(|file| file.number) else { return };
        let about = About { title: format!("Reading {}", file_name(&path)), path: Some(path.clone()), must_end: false };
        let source = path.clone();
        let read = move || GivenValues::read(&source);
        self.jobs.start(about, read, move |app, result| app.values_read(number, path, result));
    }

    fn values_read(&mut self, number: u64, path: PathBuf, result: Result<GivenValues, ImportError>) {
        let Some(file) = self.file.as_ref().filter(|file| file.number == number) else { return };
        let title = "The values could not be read";
        let given = match result {
            Ok(given) => given,
            Err(error) => {
                let help = "write assignments in a .m file, arrays in a .mat file, or a name and a value in each line of a .csv";
                let problem = FileProblem { message: error.to_string(), help: help.to_owned() };
                return self.show_problem(title, &path, &problem);
            }
        };
        let (edits, changed) = given.edits(file.simulation());
        let name = file_name(&path);
        if changed.is_empty() {
            let why = given.problems.first().map(|problem| format!("; {problem}")).unwrap_or_default();
            return self.complain(format!("{name} has no new values for this model{why}"));
        }
        if !self.apply(&Change::new(format!("Load values from {name}"), edits)) {
            return;
        }
        let values = if changed.len() == 1 { "1 value".to_owned() } else { format!("{} values", changed.len()) };
        let left = self.file.as_ref().map_or(0, |file| without_value(file.simulation()).count());
        let left = match left {
            0 => String::new(),
            1 => "; 1 is still missing".to_owned(),
            left => format!("; {left} are still missing"),
        };
        match given.problems.first() {
            None => self.say(format!("Set {values} from {name}{left}")),
            Some(problem) => self.complain(format!("Set {values} from {name}{left}. Not read: {problem}")),
        }
    }
}
