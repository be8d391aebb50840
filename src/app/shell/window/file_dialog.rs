//! Asks the user for a path. The only place of the window that names the platform's file dialog.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui;

use crate::app::action::path_request::{PathQuestion, PathRequest};
use crate::app::dialogs::{Dialog, FileBrowser};
use crate::app::shell::app::App;
use crate::app::store::background::{Background, Progress};
use crate::app::store::files::file_name;
use crate::exported::OnChanged;
use crate::format::{Formats, LoadOptions, Outputs, file_stem};

/// The platform's file dialog, open on a background thread.
pub struct Chooser {
    pub question: PathQuestion,
    answer: Background<Option<PathBuf>>,
    since: Instant,
    pub folder: Option<PathBuf>,
    pub name: String,
    /// The folder that was made so that the dialog can begin there.
    made: Option<PathBuf>,
}

/// The result of the platform's dialog.
pub enum Chosen {
    Path(PathBuf),
    Nothing,
    /// It closed immediately: the platform has no dialog.
    NoDialog,
}

/// A faster cancel cannot come from a user.
const NOBODY_SAW_IT: Duration = Duration::from_millis(250);

impl Chooser {
    pub fn start(
        ctx: &egui::Context,
        question: PathQuestion,
        formats: &Formats,
        folder: Option<PathBuf>,
        name: String,
    ) -> Chooser {
        let asking = &question.request;
        let mut dialog = rfd::AsyncFileDialog::new().set_title(asking.title());
        for (title, extensions) in asking.filters(formats) {
            dialog = dialog.add_filter(title, &extensions);
        }
        if !asking.is_reading() && !asking.is_folder() {
            dialog = dialog.set_file_name(&name);
        }
        // A dialog for folders begins only in one that exists.
        let new = folder.as_ref().filter(|_| asking.is_folder() && !name.is_empty()).map(|folder| folder.join(&name));
        let made = new.clone().filter(|folder| std::fs::create_dir(folder).is_ok());
        if let Some(folder) = new.filter(|folder| folder.is_dir()).as_ref().or(folder.as_ref()) {
            dialog = dialog.set_directory(folder);
        }
        let since = Instant::now();
        // Some platforms require creating the future on this thread.
        let dialog: Pin<Box<dyn Future<Output = Option<rfd::FileHandle>> + Send>> = match asking {
            _ if asking.is_folder() => Box::pin(dialog.pick_folder()),
            _ if asking.is_reading() => Box::pin(dialog.pick_file()),
            _ => Box::pin(dialog.save_file()),
        };
        let answer = Background::start(ctx, || block_on(dialog).map(|file| file.path().to_owned()));
        Chooser { question, answer, since, folder, name, made }
    }

    /// Removes the folder that was made for the dialog, if it is still empty.
    fn remove_made(&self) {
        if let Some(made) = &self.made {
            let _ = std::fs::remove_dir(made);
        }
    }

    pub fn poll(&self) -> Option<Chosen> {
        match self.answer.poll() {
            Progress::Done(Some(path)) => Some(Chosen::Path(path)),
            Progress::Done(None) if self.since.elapsed() < NOBODY_SAW_IT => Some(Chosen::NoDialog),
            Progress::Done(None) => Some(Chosen::Nothing),
            Progress::Busy => None,
            Progress::Lost => Some(Chosen::NoDialog),
        }
    }
}

/// Blocks this thread until a future completes.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut context = std::task::Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(value) => return value,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}

impl App {
    /// Asks for a path. While a question is open, another one is refused with a message.
    pub(crate) fn ask_path(&mut self, request: PathRequest) {
        if let Some(open) = &self.chooser {
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
        self.chooser = Some(Chooser::start(&self.ctx, question, &self.components.formats, folder, name));
    }

    pub(crate) fn poll_chooser(&mut self) {
        let Some(chosen) = self.chooser.as_ref().and_then(Chooser::poll) else { return };
        let Some(chooser) = self.chooser.take() else { return };
        chooser.remove_made();
        match chosen {
            Chosen::Path(path) => self.take_path(chooser.question, path),
            Chosen::Nothing => {}
            Chosen::NoDialog => {
                let (formats, folder) = (&self.components.formats, chooser.folder);
                let browser = FileBrowser::new(&self.ctx, chooser.question, formats, folder, &chooser.name);
                // The dialog that asked for the file comes back after the answer.
                if self.dialog.is_open() {
                    self.waiting_dialogs.push_front(std::mem::take(&mut self.dialog));
                }
                self.open_dialog(Dialog::Files(browser));
            }
        }
    }

    /// Returns the path that the open question suggests.
    pub fn suggested_path(&self) -> Option<PathBuf> {
        match (&self.chooser, &self.dialog) {
            (Some(chooser), _) => chooser.folder.as_ref().map(|folder| folder.join(&chooser.name)),
            (None, Dialog::Files(browser)) => Some(browser.typed_path()),
            _ => None,
        }
    }

    /// Answers the open question for a path. Returns false if none is open.
    pub fn choose_path(&mut self, path: PathBuf) -> bool {
        if let Some(chooser) = self.chooser.take() {
            chooser.remove_made();
            self.take_path(chooser.question, path);
            return true;
        }
        match std::mem::take(&mut self.dialog) {
            Dialog::Files(browser) => {
                self.take_path(browser.into_question(), path);
                true
            }
            other => {
                self.dialog = other;
                false
            }
        }
    }

    /// Returns the rule for written files: they replace neither the document's file nor the files that its blocks have
    /// read.
    pub(crate) fn outputs(&self) -> Outputs {
        let read = self.file.as_ref().and_then(|file| file.path.as_ref());
        Outputs::new(&self.components.formats).reading(read).reading(self.registry.files().read_files())
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
