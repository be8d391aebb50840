//! Asks what is to be drawn and where it goes, and writes it.

use std::path::Path;
use std::sync::Arc;

use super::dialogs::{Dialog, PictureExport};
use super::drawing;
use super::files::Asking;
use super::state::App;

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
        let simulation = Arc::clone(file.simulation());
        let parts = export.parts(&simulation);
        match drawing::export(path, &simulation, &self.registry, &parts, export.scale) {
            Ok(written) => match &written[..] {
                [one] => self.say(format!("Wrote {}", one.display())),
                several => self.say(format!("Wrote {} pictures beside {}", several.len(), path.display())),
            },
            Err(error) => {
                let help = "choose another folder, or another format";
                self.dialog = Dialog::problem("The picture was not exported", &error.to_string(), help, Some(path));
            }
        }
    }
}
