//! Writes the report of the open simulation in the background.

use std::path::PathBuf;
use std::sync::Arc;

use crate::app::dialogs::Dialog;
use crate::app::model_report::{Curves, ReportSource, write};
use crate::app::shell::app::App;
use crate::app::store::engines::engine_of;
use crate::app::store::files::file_name;
use crate::app::store::jobs::About;
use crate::format::FileKind;

impl App {
    /// Writes a report with the curves of the current run. Without a current run, or if the document has changed since,
    /// the simulation runs for the report.
    pub(crate) fn export_report(&mut self, path: PathBuf) {
        let Some(file) = &self.file else { return };
        let current = file.run.runs().current().filter(|_| !file.run.is_stale);
        let engine = engine_of(&self.settings, &self.components.engines);
        let curves = match (current, engine) {
            (Some(run), _) => Curves::Recorded(Box::new(run.clone())),
            (None, Some(engine)) => Curves::Computed { engine, steps: None },
            (None, None) => Curves::None,
        };
        let source = ReportSource {
            simulation: Arc::clone(file.simulation()),
            registry: Arc::clone(&self.blocks.registry),
            file: file.path.clone(),
            curves,
            set: Vec::new(),
            removed: file.removed.clone(),
        };
        let about = About { title: format!("Writing {}", file_name(&path)), path: Some(path.clone()), must_end: false };
        let (target, outputs) = (path.clone(), self.outputs());
        let kind = FileKind::of_extension(&path).unwrap_or(FileKind::Html);
        self.jobs.start(
            about,
            move || outputs.write(&target, kind, |file| write(&source, file)),
            move |app, result| match result {
                Ok(()) => app.say(format!("Wrote {}", path.display())),
                Err(error) => {
                    let help = "mend the error and export again, or choose another folder";
                    app.open_dialog(Dialog::problem(
                        "The report was not written",
                        &error.to_string(),
                        help,
                        Some(&path),
                    ));
                }
            },
        );
    }
}
