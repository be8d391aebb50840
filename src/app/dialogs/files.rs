//! The built-in file dialog, for machines without a platform dialog.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui::{self, Key, Rect, ScrollArea, TextEdit, vec2};

use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::action::path_request::{ANY_EXTENSION, PathQuestion};
use crate::app::store::files::{file_name, with_extension};
use crate::app::store::latest::LatestWorker;
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::TEXT;
use crate::app::ui::widgets::{self, theme_of};
use crate::format::Formats;

pub struct FileBrowser {
    question: PathQuestion,
    folder: PathBuf,
    /// The text of the field: a name in the folder, or a full path.
    text: String,
    /// The entries of the folder, once they are read.
    entries: Vec<Entry>,
    /// Reads folders in the background: a slow network must not block the window.
    reader: LatestWorker<PathBuf, std::io::Result<Vec<Entry>>>,
    problem: Option<String>,
    is_old: bool,
    /// The file exists and the user was warned.
    was_warned: bool,
}

struct Entry {
    path: PathBuf,
    name: String,
    is_folder: bool,
}

impl FileBrowser {
    pub fn new(
        ctx: &egui::Context,
        question: PathQuestion,
        formats: &Formats,
        folder: Option<PathBuf>,
        name: &str,
    ) -> FileBrowser {
        let here = || std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        let home = || directories::UserDirs::new().map(|dirs| dirs.home_dir().to_owned());
        let folder = folder.or_else(home).unwrap_or_else(here);
        let is_named = !question.request.is_reading();
        let text = if is_named { name.to_owned() } else { String::new() };
        let extensions: Vec<&'static str> =
            question.request.filters(formats).into_iter().flat_map(|(_, known)| known).collect();
        let ctx = ctx.clone();
        let reader = LatestWorker::new(Arc::new(move || ctx.request_repaint()), move |folder: PathBuf, _| {
            read_folder(&folder, &extensions)
        });
        let mut browser = FileBrowser {
            question,
            folder,
            text,
            entries: Vec::new(),
            reader,
            problem: None,
            is_old: false,
            was_warned: false,
        };
        browser.read();
        browser
    }

    pub fn into_question(self) -> PathQuestion {
        self.question
    }

    /// Returns whether the question belongs to the open document.
    pub fn is_of_document(&self) -> bool {
        self.question.request.is_of_document()
    }

    fn read(&mut self) {
        self.entries.clear();
        self.problem = None;
        self.reader.ask(self.folder.clone());
    }

    /// Takes the folder's entries that arrived since the last frame.
    fn poll(&mut self) {
        match self.reader.poll() {
            Some(Ok(entries)) => self.entries = entries,
            Some(Err(error)) => self.problem = Some(format!("The folder cannot be read: {error}")),
            None => {}
        }
    }

    fn enter(&mut self, folder: PathBuf) {
        self.folder = folder;
        if self.question.request.is_reading() || self.question.request.is_folder() {
            self.text.clear();
        }
        self.read();
    }

    /// Returns the path that the field names, which is the folder if it is empty.
    pub fn typed_path(&self) -> PathBuf {
        let text = self.text.trim();
        if text.is_empty() {
            return self.folder.clone();
        }
        let text = match (text.strip_prefix("~/"), directories::UserDirs::new()) {
            (Some(rest), Some(dirs)) => dirs.home_dir().join(rest),
            _ => PathBuf::from(text),
        };
        self.folder.join(text)
    }

    /// Returns the longest common completion of the text, as in a shell.
    fn complete(&mut self) {
        let typed = self.text.rsplit('/').next().unwrap_or_default().to_lowercase();
        let fitting = self.entries.iter().filter(|entry| entry.name.to_lowercase().starts_with(&typed));
        let mut names = fitting.map(|entry| (entry.name.clone(), entry.is_folder));
        let Some((first, is_folder)) = names.next() else { return };
        let rest: Vec<String> = names.map(|(name, _)| name).collect();
        if rest.is_empty() && is_folder {
            let folder = self.folder.join(first);
            self.text.clear();
            self.enter(folder);
            return;
        }
        let common =
            |a: &str, b: &str| a.chars().zip(b.chars()).take_while(|(x, y)| x == y).map(|(x, _)| x).collect::<String>();
        self.text = rest.iter().fold(first, |shared, name| common(&shared, name));
    }

    /// Opens the folder, or returns the file, that the field names.
    fn accept(&mut self) -> DialogResponse {
        let is_for_folder = self.question.request.is_folder();
        if self.text.trim().is_empty() {
            return match is_for_folder {
                true => DialogResponse::Path(self.question.clone(), self.folder.clone()),
                false => DialogResponse::Open,
            };
        }
        let path = self.typed_path();
        if path.is_dir() {
            self.text.clear();
            self.enter(path);
            return DialogResponse::Open;
        }
        if self.question.request.is_reading() {
            if path.exists() {
                return DialogResponse::Path(self.question.clone(), path);
            }
            self.problem = Some(format!("There is no file {}", path.display()));
            return DialogResponse::Open;
        }
        if is_for_folder {
            return DialogResponse::Path(self.question.clone(), path);
        }
        let path = with_extension(path, self.question.request.extension());
        if path.exists() && !self.was_warned {
            self.problem = Some(format!("{} already exists; press again to overwrite it", file_name(&path)));
            self.was_warned = true;
            return DialogResponse::Open;
        }
        DialogResponse::Path(self.question.clone(), path)
    }
}

pub fn show_ui(ctx: &egui::Context, browser: &mut FileBrowser) -> DialogResponse {
    browser.poll();
    let (verb, hint) = match &browser.question.request {
        request if request.is_folder() => ("Use folder", "Name of a new folder, or a path; empty for this folder"),
        request if request.is_reading() => ("Open", "Name or path; Tab completes it"),
        _ => ("Save", "Name or path; Tab completes it"),
    };
    window_ui(ctx, "files", 560.0, |ui| {
        let theme = theme_of(ui.ctx());
        title_ui(ui, browser.question.request.title());
        ui.horizontal(|ui| {
            let parent = browser.folder.parent().map(Path::to_owned);
            let up = widgets::icon_button_if_ui(ui, Icon::Up, "Parent folder", parent.is_some());
            if let (true, Some(parent)) = (up.clicked(), parent) {
                browser.enter(parent);
            }
            ui.add(egui::Label::new(widgets::weak(ui, browser.folder.display().to_string())).truncate());
        });
        let mut answer = list_ui(ui, browser);
        let tab = ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, Key::Tab));
        let field = ui.add(TextEdit::singleline(&mut browser.text).desired_width(f32::INFINITY).hint_text(hint));
        ui.ctx().accesskit_node_builder(field.id, |node| node.set_label("File name"));
        if field.changed() {
            browser.was_warned = false;
            browser.problem = None;
        }
        if tab && field.has_focus() {
            browser.complete();
        }
        let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if !std::mem::replace(&mut browser.is_old, true) || entered {
            field.request_focus();
        }
        if let Some(problem) = &browser.problem {
            ui.label(egui::RichText::new(problem).color(theme.error).size(crate::app::ui::theme::TEXT_SMALL));
        }
        buttons_ui(ui, |ui| {
            if widgets::main_button_ui(ui, verb).clicked() || entered {
                answer = browser.accept();
            }
            if widgets::second_button_ui(ui, "Cancel").clicked() {
                answer = DialogResponse::Closed;
            }
        });
        answer
    })
}

fn list_ui(ui: &mut egui::Ui, browser: &mut FileBrowser) -> DialogResponse {
    let theme = theme_of(ui.ctx());
    let mut chosen = None;
    let mut opened = false;
    egui::Frame::new().stroke(egui::Stroke::new(1.0, theme.line)).corner_radius(6).inner_margin(4).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        ScrollArea::vertical().max_height(280.0).min_scrolled_height(280.0).auto_shrink(false).show(ui, |ui| {
            if browser.entries.is_empty() {
                let text = match browser.reader.is_busy() {
                    true => "Reading…",
                    false if browser.question.request.is_folder() => "No folders in this folder",
                    false => "No files of this type in this folder",
                };
                ui.label(widgets::weak(ui, text));
            }
            for (number, entry) in browser.entries.iter().enumerate() {
                let is_named = browser.text == entry.name;
                let row = widgets::selectable_row_ui(ui, &entry.name, 26.0, is_named, |ui, rect| {
                    let icon = Rect::from_center_size(rect.left_center() + vec2(14.0, 0.0), vec2(14.0, 14.0));
                    let (picture, color) = match entry.is_folder {
                        true => (Icon::Open, theme.text_weak),
                        false => (Icon::New, theme.accent),
                    };
                    picture.paint(ui.painter(), icon, color);
                    let room = Rect::from_min_max(rect.left_top() + vec2(30.0, 0.0), rect.right_bottom());
                    widgets::text_in(ui, room, &entry.name, style::plain(TEXT), theme.text);
                });
                if row.clicked() {
                    chosen = Some(number);
                }
                opened |= row.double_clicked();
            }
        });
    });
    let Some(entry) = chosen.and_then(|number| browser.entries.get(number)) else { return DialogResponse::Open };
    if entry.is_folder {
        let folder = entry.path.clone();
        browser.enter(folder);
        return DialogResponse::Open;
    }
    browser.text = entry.name.clone();
    if opened { browser.accept() } else { DialogResponse::Open }
}

/// Folders first, then the files with one of these extensions, each by name. Hidden ones are left out.
fn read_folder(folder: &Path, extensions: &[&str]) -> std::io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        let name = file_name(&path);
        let is_folder = path.is_dir();
        if !name.starts_with('.') && (is_folder || extensions.iter().any(|known| has_extension(&path, known))) {
            entries.push(Entry { path, name, is_folder });
        }
    }
    entries.sort_by_key(|entry| (!entry.is_folder, entry.name.to_lowercase()));
    Ok(entries)
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    wanted == ANY_EXTENSION || path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_shows_folders_and_files_of_the_type() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("zeta")).expect("a folder");
        for name in ["b.simx", "A.SIMX", "notes.txt", ".hidden.simx"] {
            std::fs::write(folder.path().join(name), "").expect("a file");
        }
        let entries = read_folder(folder.path(), &["simx"]).expect("it is there");
        let names: Vec<&str> = entries.iter().map(|entry| &*entry.name).collect();
        assert_eq!(names, ["zeta", "A.SIMX", "b.simx"]);
        assert_eq!(read_folder(folder.path(), &["pem", ANY_EXTENSION]).expect("it is there").len(), 4);
        assert!(read_folder(&folder.path().join("none"), &["simx"]).is_err());
    }
}
