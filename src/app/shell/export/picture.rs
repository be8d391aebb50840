//! Exports pictures: asks what is drawn and the path, and writes in the background.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::Color32;

use crate::app::action::path_request::{PathRequest, PictureExport};
use crate::app::canvas;
use crate::app::dialogs::Dialog;
use crate::app::drawing::{self, PictureError, PictureTarget};
use crate::app::panels::{dashboard, plots};
use crate::app::shell::app::App;
use crate::app::store::files::file_name;
use crate::app::store::jobs::About;
use crate::app::ui::theme::Theme;

/// Pixels per point in a .png of a plot.
const PLOT_SCALE: f32 = 3.0;

impl App {
    pub(crate) fn ask_picture(&mut self) {
        let Some(file) = &self.file else { return };
        let Some(model) = file.canvas.open_model(file.simulation()) else { return };
        let export = PictureExport::new(&model.name, &file.canvas.selection().blocks);
        self.open_dialog(Dialog::Picture(export));
    }

    /// Asks for the path of the chosen picture.
    pub(crate) fn picture_chosen(&mut self, export: PictureExport) {
        self.ask_path(PathRequest::ExportPicture(export));
    }

    /// Writes a plot as displayed, in the light theme on white.
    pub fn export_plot(&mut self, plot: usize, path: PathBuf) {
        let Some(file) = &mut self.file else { return };
        let Some(spec) = file.derived.plots().plots.get(plot) else { return };
        let theme = Theme { panel: Color32::WHITE, ..Theme::light() };
        let others = plots::others(&file.run);
        let source = plots::PlotData {
            simulation: file.document.simulation(),
            derived: &file.derived,
            list: file.derived.plots(),
            recording: file.run.recording(),
            program: file.program.as_deref(),
            others: &others,
            band: None,
            is_stale: false,
            end: file.run.end(),
            theme: &theme,
        };
        let Some(shown) = file.panels.plots.picture(&source, plot, plots::PICTURE_WIDTH) else { return };
        let drawing = plots::drawing_of(&source, spec, plot, &shown);
        self.write_picture(path, move |target| drawing::export_drawings(target, &[drawing], PLOT_SCALE));
    }

    pub(crate) fn export_picture(&mut self, export: PictureExport, path: PathBuf) {
        let Some(file) = &self.file else { return };
        let (simulation, registry) = (Arc::clone(file.simulation()), Arc::clone(&self.blocks.registry));
        self.write_picture(path, move |target| {
            let parts = export.parts(&simulation);
            canvas::export(target, &simulation, &registry, &parts, (export.scale, dashboard::picture_ui))
        });
    }

    fn write_picture(
        &mut self,
        path: PathBuf,
        write: impl FnOnce(PictureTarget) -> Result<Vec<PathBuf>, PictureError> + Send + 'static,
    ) {
        let about = About { title: format!("Drawing {}", file_name(&path)), path: Some(path.clone()), must_end: false };
        let (target, mut outputs) = (path.clone(), self.outputs());
        self.jobs.start(
            about,
            move || write(PictureTarget { path: &target, outputs: &mut outputs }),
            move |app, result| match result {
                Ok(written) => match &written[..] {
                    [one] => app.say(format!("Wrote {}", one.display())),
                    several => app.say(format!("Wrote {} pictures next to {}", several.len(), path.display())),
                },
                Err(error) => {
                    let help = "choose another folder, or another format";
                    let title = "The picture was not exported";
                    app.open_dialog(Dialog::problem(title, &error.to_string(), help, Some(&path)));
                }
            },
        );
    }
}
