//! Navigation in the open document: tabs and split view, help and manual.

use std::path::Path;

use crate::app::action::command::{Command, FileCommand, Panel};
use crate::app::canvas::Canvas;
use crate::app::panels::help::HelpPage;
use crate::app::panels::tabs::Tabs;
use crate::app::shell::app::App;
use crate::app::shell::document::open_file::Side;
use crate::app::store::jobs::About;
use crate::app::store::manual::Chapter;
use crate::model::{BlockId, BlockKind};

impl App {
    /// Opens the folder of a file in the platform's file manager.
    pub(crate) fn show_in_folder(&mut self, path: &Path) {
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

    pub(crate) fn turn_tab(&mut self, turn: impl FnOnce(&mut Tabs) -> Option<Vec<BlockId>>) {
        self.with_file(|file| {
            if let Some(path) = turn(&mut file.tabs) {
                file.canvas.go_to(path, None);
            }
        });
    }

    /// Opens the selected model block, or the open model, in a new tab.
    pub(crate) fn open_in_tab(&mut self) {
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
    pub(crate) fn split(&mut self) {
        self.with_file(|file| {
            file.other = match file.other.take() {
                Some(_) => None,
                None => {
                    let mut other = Canvas::new();
                    other.go_to(file.canvas.path().to_vec(), None);
                    other.view.fit();
                    file.canvas.view.fit();
                    file.side = Side::Left;
                    Some(other)
                }
            };
        });
    }

    pub(crate) fn help_on_selection(&mut self) {
        let Some(file) = &mut self.file else { return };
        let model = file.canvas.open_model(file.document.simulation());
        let selected = file.canvas.selection().blocks.first();
        let block = selected.and_then(|id| model.and_then(|model| model.block(*id)));
        match block {
            Some(block) => file.panels.help.turn_to(HelpPage::Block(block.kind.clone())),
            None => file.panels.help.ask(),
        }
        self.window.layout.show(Panel::Help);
    }

    /// Shows the manual: a chapter, or the list of all. Without a simulation it is shown beside an empty one, in which its
    /// steps can be followed.
    pub(crate) fn show_manual(&mut self, chapter: Option<&'static Chapter>) {
        if self.file.is_none() {
            self.dispatch(Command::File(FileCommand::New));
        }
        self.with_file(|file| match chapter {
            Some(chapter) => file.panels.help.turn_to(HelpPage::Chapter(chapter)),
            None => file.panels.help.turn_to_contents(),
        });
        self.window.layout.show(Panel::Help);
    }
}
