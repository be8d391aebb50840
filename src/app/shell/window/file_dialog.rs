//! The platform's file dialog. The only place of the window that names the platform's file dialog.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui;

use crate::app::action::path_request::PathQuestion;
use crate::app::store::background::{Background, Progress};
use crate::format::Formats;

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
    pub fn remove_made(&self) {
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
