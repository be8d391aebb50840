//! The library of a model block: the menu that updates or unlinks its copy, and the text in the tooltip.

use std::sync::Arc;

use eframe::egui::Ui;

use super::OverlayContext;
use super::menu::item;
use super::tooltip::weak_ui;
use crate::app::canvas::CanvasOutput;
use crate::app::canvas::scene::BlockView;
use crate::model::{BlockId, Change, LibraryLink};

impl OverlayContext<'_> {
    /// Shows what can be done with the link of a block's model to its library.
    pub fn library_menu_ui(&self, ui: &mut Ui, id: BlockId, output: &mut CanvasOutput) {
        let Some((name, _)) = self.open.scene.block(id).and_then(|block| self.link_of(block)) else { return };
        if self.view.outdated.contains(&name) && item(ui, "Update from library…") {
            output.library_update = Some(Arc::clone(&name));
        }
        if item(ui, "Unlink from library") {
            output.changes.push(Change::new(format!("Unlink {name} from the library"), LibraryLink::removal(&name)));
        }
    }

    /// Says which library a block's model comes from, and whether it is newer there.
    pub fn library_text_ui(&self, ui: &mut Ui, block: &BlockView) {
        let Some((name, link)) = self.link_of(block) else { return };
        weak_ui(ui, self.view, &format!("From the library “{}”", link.library));
        if self.view.outdated.contains(&name) {
            ui.label("The library has a newer version");
        }
    }

    fn link_of(&self, block: &BlockView) -> Option<(Arc<str>, LibraryLink)> {
        let model = block.inner.as_ref()?;
        let link = LibraryLink::of(self.view.document.simulation.model(&model.name)?)?;
        Some((Arc::clone(&model.name), link))
    }
}
