//! Tabs of the diagram, and the view that is split in two.

use crate::app::canvas::Canvas;
use crate::app::panels::tabs::Tabs;
use crate::app::shell::app::App;
use crate::app::shell::document::open_file::Side;
use crate::model::{BlockId, BlockKind};

impl App {
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
}
