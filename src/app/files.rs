//! Reading and writing simulations, and asking the user for a path. The only place of the window that names the
//! platform's file dialog.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, bounded};
use eframe::egui;

use super::drawing::Format;
use crate::block::FileWay;
use crate::format::{self, Formats, LoadOptions, Loader as _, SaveError};
use crate::model::{Block, BlockId, Connection, Diagnostic, Fragment, Simulation};

pub const EXTENSION: &str = "simx";

/// The length and CRC-32 of a simulation as it would be written to a .simx file; none where it cannot be.
pub fn fingerprint(simulation: &Simulation) -> Option<String> {
    let bytes = format::simx::Simx.write(simulation).ok()?;
    Some(format!("{:08x} ({} bytes)", crc32fast::hash(&bytes), bytes.len()))
}

/// A file that was read.
pub struct Opened {
    pub simulation: Simulation,
    pub diagnostics: Vec<Diagnostic>,
}

/// Why a file could not be read or written, and what to do.
#[derive(Clone, Debug)]
pub struct FileProblem {
    pub message: String,
    pub help: String,
}

/// Reads a file.
///
/// # Errors
/// Where it cannot be read or nothing in it can be understood.
pub fn open(path: &Path) -> Result<Opened, FileProblem> {
    format::open(path, &LoadOptions::default()).map(opened).map_err(unreadable)
}

/// Reads a text that comes with the program.
///
/// # Errors
/// Where it is no simulation.
pub fn read(text: &str) -> Result<Opened, FileProblem> {
    format::simx::Simx.read(text.as_bytes(), &LoadOptions::default()).map(opened).map_err(unreadable)
}

/// Writes a file, all or nothing.
///
/// # Errors
/// Where it cannot be written; the old file is then as it was.
pub fn save(path: &Path, simulation: &Simulation) -> Result<(), FileProblem> {
    format::save(path, simulation).map_err(|error| {
        let help = match error {
            SaveError::UnknownFormat { .. } => "give the file the extension .simx",
            SaveError::Unwritable(_) => "choose another folder with “Save as…”; the old file is as it was",
            _ => "the old file is as it was",
        };
        FileProblem { message: error.to_string(), help: help.to_owned() }
    })
}

fn opened(mut loaded: format::Loaded) -> Opened {
    let places = loaded.places;
    loaded.diagnostics.iter_mut().for_each(|found| places.locate(found));
    Opened { simulation: loaded.simulation, diagnostics: loaded.diagnostics }
}

fn unreadable(error: format::LoadError) -> FileProblem {
    let place = error.place().map(|place| format!("line {}: ", place.line)).unwrap_or_default();
    FileProblem { message: format!("{place}{error}"), help: error.help().to_owned() }
}

/// The name of the model that holds what is on the clipboard.
const CLIPBOARD: &str = "Clipboard";

/// Blocks as the text of a file with one model.
pub fn text_of(fragment: &Fragment) -> Option<String> {
    let mut simulation = Simulation::new(CLIPBOARD);
    let model = simulation.model_mut(CLIPBOARD)?;
    for block in &fragment.blocks {
        model.add_block(Block::clone(block));
    }
    for connection in &fragment.connections {
        model.connect(Connection::clone(connection));
    }
    let bytes = format::simx::Simx.write(&simulation).ok()?;
    String::from_utf8(bytes).ok()
}

/// The blocks of the root model that a text holds, if it is a simulation.
pub fn fragment_of(text: &str) -> Option<Fragment> {
    if !text.contains("<simulation") {
        return None;
    }
    let opened = read(text).ok()?;
    let root = opened.simulation.root_model()?;
    let ids: Vec<BlockId> = root.blocks.keys().copied().collect();
    Some(Fragment::of(root, &ids)).filter(|fragment| !fragment.is_empty())
}

/// Writing on a thread of its own.
pub struct SaveJob {
    pub path: PathBuf,
    pub revision: u64,
    result: Receiver<Result<(), FileProblem>>,
}

impl SaveJob {
    pub fn start(ctx: &egui::Context, path: PathBuf, simulation: Arc<Simulation>, revision: u64) -> SaveJob {
        let (sender, result) = bounded(1);
        let target = path.clone();
        let wake = ctx.clone();
        std::thread::spawn(move || {
            let _ = sender.send(save(&target, &simulation));
            wake.request_repaint();
        });
        SaveJob { path, revision, result }
    }

    /// The result, when it is there.
    pub fn poll(&self) -> Option<Result<(), FileProblem>> {
        self.result.try_recv().ok()
    }

    /// Waits for the result.
    pub fn wait(&self) -> Result<(), FileProblem> {
        let lost = || FileProblem { message: "the file was not written".to_owned(), help: String::new() };
        self.result.recv().unwrap_or_else(|_| Err(lost()))
    }
}

/// What a path is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asking {
    Open,
    SaveAs,
    ExportCsv,
    SaveRun,
    OpenRun,
    ExportPicture(Format),
    ExportModel,
    ImportModel,
    /// The file that a block reads or writes.
    OfBlock(FileWay),
    ExportPlot(Format),
    /// A picture for the dashboard.
    Picture,
}

impl Asking {
    /// Whether the file must be there.
    pub fn is_reading(self) -> bool {
        matches!(
            self,
            Asking::Open | Asking::OpenRun | Asking::ImportModel | Asking::OfBlock(FileWay::Reads) | Asking::Picture
        )
    }

    pub fn title(self) -> &'static str {
        match self {
            Asking::Open => "Open simulation",
            Asking::SaveAs => "Save simulation as",
            Asking::SaveRun => "Save run",
            Asking::OpenRun => "Open run",
            Asking::ExportCsv => "Export curves",
            Asking::ExportPicture(_) | Asking::ExportPlot(_) => "Export picture",
            Asking::ExportModel => "Export model",
            Asking::ImportModel => "Import model",
            Asking::OfBlock(_) => "Choose file",
            Asking::Picture => "Choose picture",
        }
    }

    pub fn extension(self) -> &'static str {
        match self {
            Asking::Open | Asking::SaveAs | Asking::ExportModel | Asking::ImportModel => EXTENSION,
            Asking::ExportCsv | Asking::OfBlock(_) => "csv",
            Asking::SaveRun | Asking::OpenRun => super::run_file::EXTENSION,
            Asking::ExportPicture(format) | Asking::ExportPlot(format) => format.extension(),
            Asking::Picture => "png",
        }
    }

    /// The kinds of files to choose from, with their extensions; the first one is shown first.
    pub fn filters(self) -> Vec<(&'static str, Vec<&'static str>)> {
        let formats = Formats::standard();
        let each = formats.iter().map(|loader| (loader.title(), loader.extensions().to_vec()));
        match self {
            Asking::Open | Asking::ImportModel => {
                let all = formats.iter().flat_map(|loader| loader.extensions()).copied().collect();
                std::iter::once(("Simulations", all)).chain(each).collect()
            }
            Asking::SaveAs | Asking::ExportModel => each.collect(),
            Asking::OfBlock(FileWay::Writes) => vec![("Comma-separated values", vec!["csv"])],
            Asking::OfBlock(FileWay::Reads) => vec![("Tables and sounds", vec!["csv", "wav"])],
            Asking::SaveRun | Asking::OpenRun => vec![("Runs", vec![super::run_file::EXTENSION])],
            Asking::ExportCsv => vec![("Comma-separated values", vec!["csv"]), ("Parquet", vec!["parquet"])],
            Asking::ExportPicture(format) | Asking::ExportPlot(format) => vec![("Picture", vec![format.extension()])],
            Asking::Picture => vec![("Picture", vec!["png"])],
        }
    }
}

/// The platform's file dialog, open on a thread of its own.
pub struct Chooser {
    pub asking: Asking,
    answer: Receiver<Option<PathBuf>>,
    since: Instant,
    pub folder: Option<PathBuf>,
    pub name: String,
}

/// How the platform's dialog ended.
pub enum Chosen {
    Path(PathBuf),
    Nothing,
    /// It answered before anybody could have seen it: there is none on this machine.
    NoDialog,
}

/// A user needs longer than this to say no.
const NOBODY_SAW_IT: Duration = Duration::from_millis(250);

impl Chooser {
    pub fn start(ctx: &egui::Context, asking: Asking, folder: Option<PathBuf>, name: String) -> Chooser {
        let mut dialog = rfd::AsyncFileDialog::new().set_title(asking.title());
        for (title, extensions) in asking.filters() {
            dialog = dialog.add_filter(title, &extensions);
        }
        if !asking.is_reading() {
            dialog = dialog.set_file_name(&name);
        }
        if let Some(folder) = &folder {
            dialog = dialog.set_directory(folder);
        }
        let (sender, answer) = bounded(1);
        let wake = ctx.clone();
        let since = Instant::now();
        // Both futures are begun on this thread, where some platforms want them.
        let pick = asking.is_reading().then(|| dialog.clone().pick_file());
        let save = (!asking.is_reading()).then(|| dialog.save_file());
        std::thread::spawn(move || {
            let file = pick.and_then(block_on).or_else(|| save.and_then(block_on));
            let _ = sender.send(file.map(|file| file.path().to_owned()));
            wake.request_repaint();
        });
        Chooser { asking, answer, since, folder, name }
    }

    pub fn poll(&self) -> Option<Chosen> {
        match self.answer.try_recv() {
            Ok(Some(path)) => Some(Chosen::Path(path)),
            Ok(None) if self.since.elapsed() < NOBODY_SAW_IT => Some(Chosen::NoDialog),
            Ok(None) => Some(Chosen::Nothing),
            Err(crossbeam_channel::TryRecvError::Empty) => None,
            Err(crossbeam_channel::TryRecvError::Disconnected) => Some(Chosen::NoDialog),
        }
    }
}

/// Waits on this thread for a future to end.
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

/// Gives a path the extension that its kind of file has, unless it has one.
pub fn with_extension(path: PathBuf, extension: &str) -> PathBuf {
    match path.extension() {
        Some(_) => path,
        None => path.with_extension(extension),
    }
}
