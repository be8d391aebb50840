//! Asks what is to be drawn and where it goes, and writes it on a thread of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossbeam_channel::{Receiver, bounded};

use super::dialogs::{Dialog, PictureExport};
use super::drawing::{self, PictureError};
use super::files::Asking;
use super::state::App;

/// A picture that is being drawn.
pub struct Drawing {
    path: PathBuf,
    result: Receiver<Result<Vec<PathBuf>, PictureError>>,
}

impl App {
    pub(super) fn ask_picture(&mut self) {
        let Some(file) = &self.file else { return };
        let Some(model) = file.canvas.open_model(file.simulation()) else { return };
        let export = PictureExport::new(&model.name, &file.canvas.selection().blocks);
        self.dialog = Dialog::Picture(export);
    }

    /// Asks for the path of the picture that was chosen.
    pub(super) fn picture_chosen(&mut self, export: PictureExport) {
        let asking = Asking::ExportPicture(export.format);
        self.picture = Some(export);
        self.ask_path(asking);
    }

    pub(super) fn export_picture(&mut self, path: &Path) {
        let (Some(export), Some(file)) = (self.picture.take(), &self.file) else { return };
        let (simulation, registry) = (Arc::clone(file.simulation()), Arc::clone(&self.registry));
        let (sender, result) = bounded(1);
        let (target, wake) = (path.to_owned(), self.ctx.clone());
        std::thread::spawn(move || {
            let parts = export.parts(&simulation);
            let _ = sender.send(drawing::export(&target, &simulation, &registry, &parts, export.scale));
            wake.request_repaint();
        });
        self.drawing = Some(Drawing { path: path.to_owned(), result });
    }

    pub(super) fn poll_picture(&mut self) {
        let Some(result) = self.drawing.as_ref().and_then(|drawing| drawing.result.try_recv().ok()) else { return };
        let Some(Drawing { path, .. }) = self.drawing.take() else { return };
        match result {
            Ok(written) => match &written[..] {
                [one] => self.say(format!("Wrote {}", one.display())),
                several => self.say(format!("Wrote {} pictures beside {}", several.len(), path.display())),
            },
            Err(error) => {
                let help = "choose another folder, or another format";
                self.dialog = Dialog::problem("The picture was not exported", &error.to_string(), help, Some(&path));
            }
        }
    }
}
