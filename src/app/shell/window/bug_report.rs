//! The report about the program, for a question or an error.

use crate::app::dialogs::{Dialog, ReportPreview};
use crate::app::shell::app::App;
use crate::app::store::jobs::About;
use crate::app::store::report::{LINES, Report, facts_of_document, facts_of_machine};
use crate::app::store::{files, log};

impl App {
    /// Makes the report and shows it.
    pub(crate) fn show_report(&mut self) {
        let mut facts = facts_of_machine();
        let (size, scale) = (self.ctx.content_rect().size(), self.ctx.pixels_per_point());
        facts.push(("Window", format!("{} × {} points, scale {scale}", size.x.round(), size.y.round())));
        facts.push(("Engine", self.settings.engine.clone()));
        if let Some(file) = &self.file {
            facts.extend(facts_of_document(file.simulation(), file.diagnostics.all()));
        }
        let folder = self.settings.home.as_ref().and_then(|_| log::folder());
        let simulation = self.file.as_ref().map(|file| file.snapshot().simulation);
        let about = About { title: "Making the report".to_owned(), ..About::default() };
        let work = move || Report {
            facts,
            log: folder.map(|folder| log::last_lines(&folder, LINES)).unwrap_or_default(),
            document: simulation.and_then(|simulation| files::simx_of(&simulation)),
        };
        self.jobs
            .start(about, work, |app, report| app.open_dialog(Dialog::Report(Box::new(ReportPreview::new(report)))));
    }
}
