//! Navigation in the open document: history, tabs and split view, help and libraries.

use std::path::Path;
use std::sync::Arc;

use super::open_file::Side;
use super::state::App;
use crate::app::action::command::{Command, FileCommand, Panel};
use crate::app::canvas::Canvas;
use crate::app::panels::help::HelpPage;
use crate::app::panels::tabs::Tabs;
use crate::app::store::jobs::About;
use crate::app::store::libraries::Libraries;
use crate::app::store::manual::Chapter;
use crate::model::{BlockId, BlockKind};

impl App {
    pub(super) fn go_in_history(&mut self, steps: i64) {
        let Some(file) = &mut self.file else { return };
        for _ in 0..steps.unsigned_abs() {
            let _ = if steps < 0 { file.document.undo().is_some() } else { file.document.redo().is_some() };
        }
        let label = file.document.undo_labels().next().map(str::to_owned);
        self.say(label.map_or_else(|| "As opened".to_owned(), |label| format!("State after: {label}")));
        self.refresh();
    }

    /// Reads the user's own blocks; `finish` then reports the result.
    pub(super) fn load_library(&mut self, finish: impl FnOnce(&mut App) + Send + 'static) {
        let folder = self.settings.library_folder();
        let formats = Arc::clone(&self.components.formats);
        let about = About { title: "Reading the library".to_owned(), path: folder.clone(), must_end: false };
        self.jobs.start(
            about,
            move || Libraries::load(folder, &formats),
            move |app, libraries| {
                app.libraries = libraries;
                finish(app);
            },
        );
    }

    /// Reads the user's own blocks again.
    pub(super) fn reload_library(&mut self) {
        self.load_library(|app| {
            let folder = app.libraries.folder().map(|folder| folder.display().to_string()).unwrap_or_default();
            let (problem, files) = (app.libraries.problems().next(), app.libraries.groups().count());
            match (problem, files) {
                (Some(problem), _) => app.complain(format!("The library could not be read completely: {problem}")),
                (None, 0) => app.say(format!("There is no .simx file in {folder}")),
                (None, 1) => app.say(format!("Read one file from {folder}")),
                (None, count) => app.say(format!("Read {count} files from {folder}")),
            }
        });
    }

    /// Adds a model to the user's library.
    pub(super) fn keep_model(&mut self, name: &Arc<str>) {
        let Some(file) = &self.file else { return };
        let (simulation, folder) = (Arc::clone(file.simulation()), self.settings.library_folder());
        let about = About { title: format!("Writing {name}"), path: folder.clone(), must_end: true };
        let (kept, name) = (Arc::clone(name), Arc::clone(name));
        let formats = Arc::clone(&self.components.formats);
        let work = move || Libraries::unread(folder).keep(&formats, &simulation, &kept);
        self.jobs.start(about, work, move |app, result| match result {
            Ok(path) => app.load_library(move |app| {
                app.layout.show(Panel::Blocks);
                app.say(format!("Added {name} to your library: {}", path.display()));
            }),
            Err(problem) => app.complain(format!("{name} was not added to your library: {}", problem.message)),
        });
    }

    /// Opens the folder of a file in the platform's file manager.
    pub(super) fn show_in_folder(&mut self, path: &Path) {
        let program = match std::env::consts::OS {
            "windows" => "explorer",
            "macos" => "open",
            _ => "xdg-open",
        };
        let folder = path.parent().unwrap_or(path).to_owned();
        let about = About { title: "Opening the folder".to_owned(), ..About::default() };
        let text = path.display().to_string();
        let work = move || std::process::Command::new(program).arg(&folder).status();
        self.jobs.start(about, work, move |app, result| match result {
            Ok(status) if status.success() => {}
            _ => app.complain(format!("No file manager found; the file is {text}")),
        });
    }

    pub(super) fn turn_tab(&mut self, turn: impl FnOnce(&mut Tabs) -> Option<Vec<BlockId>>) {
        self.with_file(|file| {
            if let Some(path) = turn(&mut file.tabs) {
                file.canvas.go_to(path, None);
            }
        });
    }

    /// Opens the selected model block, or the open model, in a new tab.
    pub(super) fn open_in_tab(&mut self) {
        self.with_file(|file| {
            let simulation = file.document.simulation();
            let mut path = file.canvas.path().to_vec();
            let selected = file.canvas.selection().single_block();
            let model = file.canvas.open_model(simulation);
            if let Some(block) = selected.and_then(|id| model.and_then(|model| model.block(id)))
                && matches!(block.kind, BlockKind::Model { .. })
            {
                path.push(block.id);
            }
            file.tabs.add(path.clone());
            file.canvas.go_to(path, None);
        });
    }

    /// Splits the view, or returns to the diagram last clicked.
    pub(super) fn split(&mut self) {
        self.with_file(|file| {
            file.other = match file.other.take() {
                Some(_) => None,
                None => {
                    let mut other = Canvas::new();
                    other.go_to(file.canvas.path().to_vec(), None);
                    other.fit();
                    file.canvas.fit();
                    file.side = Side::Left;
                    Some(other)
                }
            };
        });
    }

    pub(super) fn help_on_selection(&mut self) {
        let Some(file) = &mut self.file else { return };
        let model = file.canvas.open_model(file.document.simulation());
        let selected = file.canvas.selection().blocks.first();
        let block = selected.and_then(|id| model.and_then(|model| model.block(*id)));
        match block {
            Some(block) => file.panels.help.turn_to(HelpPage::Block(block.kind.clone())),
            None => file.panels.help.ask(),
        }
        self.layout.show(Panel::Help);
    }

    /// Shows the manual: a chapter, or the list of all. Without a simulation it is shown beside an empty one, in which its
    /// steps can be followed.
    pub(super) fn show_manual(&mut self, chapter: Option<&'static Chapter>) {
        if self.file.is_none() {
            self.dispatch(Command::File(FileCommand::New));
        }
        self.with_file(|file| match chapter {
            Some(chapter) => file.panels.help.turn_to(HelpPage::Chapter(chapter)),
            None => file.panels.help.turn_to_contents(),
        });
        self.layout.show(Panel::Help);
    }
}
