//! Asks the user for a path, and does what it was asked for.

use std::path::{Path, PathBuf};

use super::file_dialog::{Chooser, Chosen};
use crate::app::action::path_request::{PathQuestion, PathRequest};
use crate::app::dialogs::{Dialog, FileBrowser};
use crate::app::shell::app::App;
use crate::app::store::files::file_name;
use crate::exported::OnChanged;
use crate::format::{LoadOptions, Outputs, file_stem};

impl App {
    /// Asks for a path. While a question is open, another one is refused with a message.
    pub(crate) fn ask_path(&mut self, request: PathRequest) {
        if let Some(open) = &self.window.chooser {
            let title = open.question.request.title();
            return self.complain(format!("Answer the open file dialog first: {title}"));
        }
        let of_file = self.file.as_ref().and_then(|file| file.path.clone());
        let folder = of_file.as_deref().and_then(Path::parent).map(Path::to_owned);
        let folder = folder.or_else(|| self.settings.folder.clone()).filter(|folder| folder.is_dir());
        let stem = self.file.as_ref().map(|file| {
            let name = file.path.as_deref().map_or_else(|| file.name.clone(), file_name);
            Path::new(&name).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or(name)
        });
        let stem = match &request {
            PathRequest::ExportModel(name) => Some(file_stem(name)),
            _ => stem,
        };
        let stem = stem.unwrap_or_else(|| "Untitled".to_owned());
        let (folder, name) = match (&request, self.code_folder()) {
            (PathRequest::ExportCode(_), Some(last)) => (Some(last), String::new()),
            (PathRequest::ExportCode(_), None) => (folder, format!("{} C code", file_stem(&stem))),
            _ => (folder, format!("{stem}.{}", request.extension())),
        };
        let question = PathQuestion { request, document: self.file.as_ref().map(|file| file.number) };
        self.window.chooser = Some(Chooser::start(&self.ctx, question, &self.components.formats, folder, name));
    }

    pub(crate) fn poll_chooser(&mut self) {
        let Some(chosen) = self.window.chooser.as_ref().and_then(Chooser::poll) else { return };
        let Some(chooser) = self.window.chooser.take() else { return };
        chooser.remove_made();
        match chosen {
            Chosen::Path(path) => self.take_path(chooser.question, path),
            Chosen::Nothing => {}
            Chosen::NoDialog => {
                let (formats, folder) = (&self.components.formats, chooser.folder);
                let browser = FileBrowser::new(&self.ctx, chooser.question, formats, folder, &chooser.name);
                // The dialog that asked for the file comes back after the answer.
                if self.window.dialog.is_open() {
                    self.window.waiting_dialogs.push_front(std::mem::take(&mut self.window.dialog));
                }
                self.open_dialog(Dialog::Files(browser));
            }
        }
    }

    /// Returns the path that the open question suggests.
    pub fn suggested_path(&self) -> Option<PathBuf> {
        match (&self.window.chooser, &self.window.dialog) {
            (Some(chooser), _) => chooser.folder.as_ref().map(|folder| folder.join(&chooser.name)),
            (None, Dialog::Files(browser)) => Some(browser.typed_path()),
            _ => None,
        }
    }

    /// Answers the open question for a path. Returns false if none is open.
    pub fn choose_path(&mut self, path: PathBuf) -> bool {
        if let Some(chooser) = self.window.chooser.take() {
            chooser.remove_made();
            self.take_path(chooser.question, path);
            return true;
        }
        match std::mem::take(&mut self.window.dialog) {
            Dialog::Files(browser) => {
                self.take_path(browser.into_question(), path);
                true
            }
            other => {
                self.window.dialog = other;
                false
            }
        }
    }

    /// Returns the rule for written files: they replace neither the document's file nor the files that its blocks have
    /// read.
    pub(crate) fn outputs(&self) -> Outputs {
        let read = self.file.as_ref().and_then(|file| file.path.as_ref());
        Outputs::new(&self.components.formats).reading(read).reading(self.blocks.registry.files().read_files())
    }

    /// Uses the path, if the document of the request is still open.
    pub(crate) fn take_path(&mut self, question: PathQuestion, path: PathBuf) {
        let PathQuestion { request, document } = question;
        if request.is_of_document() && self.file.as_ref().map(|file| file.number) != document {
            return self.complain(format!("{}: its simulation is closed", request.title()));
        }
        let path = request.completed(path);
        match request {
            PathRequest::Open { given_up } => self.open_over(path, LoadOptions::default(), given_up),
            PathRequest::SaveAs { after } => self.save_as(path, after),
            PathRequest::SaveRun(run) => self.save_run(run, path),
            PathRequest::OpenRun => self.open_run(path),
            PathRequest::ExportModel(model) => self.export_model(&model, path),
            PathRequest::ImportModel => self.import_model(path),
            PathRequest::Compare => self.compare_with_path(path),
            PathRequest::Data => self.fit_to_file(path, None),
            PathRequest::Values => self.load_values(path),
            PathRequest::OfBlock { model, block, param, .. } => self.file_of_block_chosen(model, block, param, path),
            #[cfg(not(feature = "pool"))]
            PathRequest::PoolFile { .. } => {}
            #[cfg(feature = "pool")]
            PathRequest::PoolFile { pool, file } => self.pool_file_chosen(pool, file, &path),
            PathRequest::Picture { widget } => self.board_picture_chosen(widget, path),
            PathRequest::ExportCsv { plot, range } => self.export(path, plot, range),
            PathRequest::ExportPlot { plot, format: _ } => self.export_plot(plot, path),
            PathRequest::ExportPicture(export) => self.export_picture(export, path),
            PathRequest::ExportReport => self.export_report(path),
            PathRequest::ExportCode(export) => {
                self.remember_code_folder(&path);
                self.export_code(&export, path, OnChanged::Refuse);
            }
            PathRequest::ExportFmu(export) => self.export_fmu(&export, path),
        }
    }
}
