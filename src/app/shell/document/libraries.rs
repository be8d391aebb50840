//! The user's own blocks: read, extended by a model of the document, and copied again where they are newer.

use std::sync::Arc;

use crate::app::action::command::Panel;
use crate::app::dialogs::{Dialog, LibraryUpdate};
use crate::app::shell::app::App;
use crate::app::store::jobs::About;
use crate::app::store::libraries::Libraries;
use crate::diff::diff;
use crate::format::content_hash;
use crate::model::{Change, LibraryLink, replaced_model};

impl App {
    /// Reads the user's own blocks; `finish` then reports the result.
    pub(crate) fn load_library(&mut self, finish: impl FnOnce(&mut App) + Send + 'static) {
        let folder = self.settings.library_folder();
        let formats = Arc::clone(&self.components.formats);
        let about = About { title: "Reading the library".to_owned(), path: folder.clone(), must_end: false };
        self.jobs.start(
            about,
            move || Libraries::load(folder, &formats),
            move |app, libraries| {
                app.documents.libraries = libraries;
                finish(app);
            },
        );
    }

    /// Reads the user's own blocks again.
    pub(crate) fn reload_library(&mut self) {
        self.load_library(|app| {
            let folder =
                app.documents.libraries.folder().map(|folder| folder.display().to_string()).unwrap_or_default();
            let (problem, files) =
                (app.documents.libraries.problems().next(), app.documents.libraries.groups().count());
            match (problem, files) {
                (Some(problem), _) => app.complain(format!("The library could not be read completely: {problem}")),
                (None, 0) => app.say(format!("There is no .simx file in {folder}")),
                (None, 1) => app.say(format!("Read one file from {folder}")),
                (None, count) => app.say(format!("Read {count} files from {folder}")),
            }
        });
    }

    /// Adds a model to the user's library.
    pub(crate) fn keep_model(&mut self, name: &Arc<str>) {
        let Some(file) = &self.file else { return };
        let (simulation, folder) = (Arc::clone(file.simulation()), self.settings.library_folder());
        let about = About { title: format!("Writing {name}"), path: folder.clone(), must_end: true };
        let (kept, name) = (Arc::clone(name), Arc::clone(name));
        let formats = Arc::clone(&self.components.formats);
        let work = move || Libraries::unread(folder).keep(&formats, &simulation, &kept);
        self.jobs.start(about, work, move |app, result| match result {
            Ok(path) => app.load_library(move |app| {
                app.window.layout.show(Panel::Blocks);
                app.say(format!("Added {name} to your library: {}", path.display()));
            }),
            Err(problem) => app.complain(format!("{name} was not added to your library: {}", problem.message)),
        });
    }

    /// Shows what an update of a model from its library changes; the dialog applies it.
    pub(crate) fn ask_library_update(&mut self, name: &Arc<str>) {
        let Some(file) = &self.file else { return };
        let simulation = file.simulation();
        let Some(model) = simulation.model(name) else { return };
        let newer = self.documents.libraries.newer(model);
        let Some((item, link)) = newer.and_then(|item| Some((item, item.link()?))) else {
            return self.say(format!("{name} is as in its library"));
        };
        let Some(mut updated) = replaced_model(&item.simulation, &item.name, simulation, name) else {
            return self.complain(format!("{name} cannot be updated: its library has a model that contains itself"));
        };
        updated.link(&link);
        let changes = diff(simulation, &updated.simulation);
        let lines =
            changes.iter().filter(|change| !change.is_layout).map(|change| format!("{} {change}", change.sign()));
        let old = LibraryLink::of(model).map(|link| link.hash);
        let update = LibraryUpdate {
            model: name.to_string(),
            library: item.group.clone(),
            lines: lines.collect(),
            is_changed_here: content_hash(simulation, name) != old,
            instances: simulation.users_of(name).count(),
            change: Change::new(format!("Update {name} from the library"), updated.edits),
        };
        self.open_dialog(Dialog::LibraryUpdate(Box::new(update)));
    }
}
