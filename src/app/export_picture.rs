//! Asks what is to be drawn and where it goes, and writes it on a thread of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossbeam_channel::{Receiver, bounded};
use eframe::egui::Color32;

use super::dialogs::{Dialog, PictureExport};
use super::drawing::{self, PictureError};
use super::files::Asking;
use super::panels::plots;
use super::state::App;
use super::theme::Theme;

/// Pixels of a .png a point of a plot.
const PLOT_SCALE: f32 = 3.0;

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

    /// Writes a plot as it is seen, light, on white.
    pub fn export_plot(&mut self, path: &Path) {
        let Some(file) = &self.file else { return };
        let plot = self.plot_to_export;
        let Some(spec) = file.plot_list.plots.get(plot) else { return };
        let theme = Theme { panel: Color32::WHITE, ..Theme::light() };
        let others = plots::others(&self.run);
        let source = plots::Source {
            simulation: file.simulation(),
            list: &file.plot_list,
            recording: self.run.recording(),
            others: &others,
            band: None,
            end: self.run.end(),
            theme: &theme,
        };
        let Some(shown) = self.plots.picture(&source, plot, 2400) else { return };
        let drawing = plots::drawing_of(&source, spec, plot, &shown);
        match drawing::export_drawings(path, &[drawing], PLOT_SCALE) {
            Ok(_) => self.say(format!("Wrote {}", path.display())),
            Err(error) => {
                let help = "choose another folder, or another format";
                self.dialog = Dialog::problem("The picture was not exported", &error.to_string(), help, Some(path));
            }
        }
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
