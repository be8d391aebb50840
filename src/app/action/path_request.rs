//! The questions for a path: what it is for, and the data for using it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{AfterSave, Range};
use crate::app::drawing::{Format, Part};
use crate::app::store::files::{EXTENSION, with_extension};
use crate::app::store::pools::PoolFile;
use crate::app::store::run_file;
use crate::block::{FileAccess, ParamDef};
use crate::export::c::Precision;
use crate::export::fmu::Version;
use crate::format::Formats;
use crate::model::{BlockId, Simulation};

/// The purpose of a path, with the data for using it.
#[derive(Clone, Debug)]
pub enum PathRequest {
    /// The number and revision of the document whose changes the user agreed to lose.
    Open {
        given_up: Option<(u64, u64)>,
    },
    /// Saves the simulation to another file, then continues.
    SaveAs {
        after: Option<AfterSave>,
    },
    /// The samples of a plot, or of all that is recorded.
    ExportCsv {
        plot: Option<usize>,
        range: Range,
    },
    /// The number of the run.
    SaveRun(u64),
    OpenRun,
    ExportPicture(PictureExport),
    ExportReport,
    /// The folder for C code.
    ExportCode(CodeExport),
    ExportFmu(FmuExport),
    ExportPlot {
        plot: usize,
        format: Format,
    },
    /// The name of the model.
    ExportModel(Arc<str>),
    ImportModel,
    /// The file to compare with.
    Compare,
    /// A file with measured curves.
    Data,
    /// A file with values for the variables of the simulation.
    Values,
    /// The file that a parameter of a block names, which the block reads or writes.
    OfBlock {
        model: Arc<str>,
        block: BlockId,
        param: &'static ParamDef,
        access: FileAccess,
    },
    /// The picture that a widget of the dashboard shows.
    Picture {
        widget: usize,
    },
    /// A file of the pool with this number in the dialog of pools.
    PoolFile {
        pool: usize,
        file: PoolFile,
    },
}

/// The extensions of files with measured curves.
pub const DATA_EXTENSIONS: [&str; 9] = ["csv", "tsv", "txt", "dat", "parquet", "npz", "npy", "mat", "wav"];

/// Returns whether a file has measured curves, by its extension.
pub fn is_data(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|own| DATA_EXTENSIONS.iter().any(|known| own.eq_ignore_ascii_case(known)))
}

/// Stands in a list of extensions for all of them.
pub const ANY_EXTENSION: &str = "*";

/// A request with its document.
#[derive(Clone, Debug)]
pub struct PathQuestion {
    pub request: PathRequest,
    /// The number of the document, if one is open.
    pub document: Option<u64>,
}

/// The options of an export.
#[derive(Clone, Debug)]
pub struct PictureExport {
    pub what: What,
    pub format: Format,
    /// Pixels per point of a .png.
    pub scale: f32,
    pub model: Arc<str>,
    pub selection: BTreeSet<BlockId>,
}

/// How C code is exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeExport {
    /// The models of the simulation, the root first.
    pub models: Vec<Arc<str>>,
    /// The model whose entries become inputs, and whose exits outputs.
    pub model: Arc<str>,
    /// Whether parameters are constants; otherwise they can be changed in the code.
    pub inlines_parameters: bool,
    /// Whether the mathematics is in the file of the code.
    pub is_single_file: bool,
    pub precision: Precision,
    /// Whether the code is compiled and compared with the simulation.
    pub is_compared: bool,
}

/// How an FMU is exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FmuExport {
    /// The models of the simulation, the root first.
    pub models: Vec<Arc<str>>,
    /// The model whose entries become inputs, and whose exits outputs.
    pub model: Arc<str>,
    /// Of the standard.
    pub version: Version,
    /// Whether parameters are constants; otherwise they can be changed.
    pub inlines_parameters: bool,
    /// Whether it is compiled where it is used.
    pub is_source_only: bool,
}

/// The parts of a diagram that are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Model,
    Selection,
    All,
}

impl PathRequest {
    /// Returns whether it asks for a folder, which need not exist.
    pub fn is_folder(&self) -> bool {
        matches!(self, PathRequest::ExportCode(_))
    }

    /// Returns whether the file must exist.
    pub fn is_reading(&self) -> bool {
        matches!(
            self,
            PathRequest::Open { .. }
                | PathRequest::OpenRun
                | PathRequest::ImportModel
                | PathRequest::Compare
                | PathRequest::Values
                | PathRequest::Data
                | PathRequest::OfBlock { access: FileAccess::Read | FileAccess::Run, .. }
                | PathRequest::Picture { .. }
                | PathRequest::PoolFile { .. }
        )
    }

    pub fn title(&self) -> &'static str {
        match self {
            PathRequest::Open { .. } => "Open simulation",
            PathRequest::SaveAs { .. } => "Save simulation as",
            PathRequest::SaveRun(_) => "Save run",
            PathRequest::OpenRun => "Open run",
            PathRequest::ExportCsv { .. } => "Export curves",
            PathRequest::ExportPicture(_) | PathRequest::ExportPlot { .. } => "Export picture",
            PathRequest::ExportReport => "Export report",
            PathRequest::ExportModel(_) => "Export model",
            PathRequest::ExportCode(_) => "Choose folder for C code",
            PathRequest::ExportFmu(_) => "Export FMU",
            PathRequest::ImportModel => "Import model",
            PathRequest::Compare => "Compare with file",
            PathRequest::Values => "Load values",
            PathRequest::Data => "Choose measured curves",
            PathRequest::OfBlock { .. } => "Choose file",
            PathRequest::Picture { .. } => "Choose picture",
            PathRequest::PoolFile { file, .. } => match file {
                PoolFile::Credentials => "Choose credentials",
                PoolFile::Key | PoolFile::CertificateKey => "Choose key",
                PoolFile::Authority | PoolFile::Certificate => "Choose certificate",
            },
        }
    }

    pub fn extension(&self) -> &'static str {
        match self {
            PathRequest::Open { .. }
            | PathRequest::SaveAs { .. }
            | PathRequest::ExportModel(_)
            | PathRequest::Compare
            | PathRequest::ImportModel => EXTENSION,
            PathRequest::ExportCsv { .. } | PathRequest::OfBlock { .. } | PathRequest::Data => "csv",
            PathRequest::SaveRun(_) | PathRequest::OpenRun => run_file::EXTENSION,
            PathRequest::ExportPicture(export) => export.format.extension(),
            PathRequest::ExportPlot { format, .. } => format.extension(),
            PathRequest::ExportReport => "html",
            PathRequest::Values => "m",
            PathRequest::Picture { .. } => "png",
            PathRequest::ExportCode(_) | PathRequest::PoolFile { .. } => "",
            PathRequest::ExportFmu(_) => "fmu",
        }
    }

    /// Returns the file types with their extensions; the first is preselected.
    pub fn filters(&self, formats: &Formats) -> Vec<(&'static str, Vec<&'static str>)> {
        let each = formats.iter().map(|loader| (loader.title(), loader.extensions().to_vec()));
        match self {
            PathRequest::Open { .. } | PathRequest::ImportModel | PathRequest::Compare => {
                let all = formats.iter().flat_map(|loader| loader.extensions()).copied().collect();
                std::iter::once(("Simulations", all)).chain(each).collect()
            }
            PathRequest::SaveAs { .. } | PathRequest::ExportModel(_) => {
                let written = formats.iter().filter(|loader| !loader.is_read_only());
                written.map(|loader| (loader.title(), loader.extensions().to_vec())).collect()
            }
            PathRequest::OfBlock { access: FileAccess::Write, .. } => vec![("Comma-separated values", vec!["csv"])],
            PathRequest::OfBlock { access: FileAccess::Read, .. } => vec![("Tables and sounds", vec!["csv", "wav"])],
            PathRequest::OfBlock { access: FileAccess::Run, .. } => vec![("Functional Mock-up Units", vec!["fmu"])],
            PathRequest::SaveRun(_) | PathRequest::OpenRun => vec![("Runs", vec![run_file::EXTENSION])],
            PathRequest::ExportCsv { .. } => {
                vec![("Comma-separated values", vec!["csv"]), ("Parquet", vec!["parquet"])]
            }
            PathRequest::ExportPicture(_) | PathRequest::ExportPlot { .. } => {
                vec![("Picture", vec![self.extension()])]
            }
            PathRequest::Data => {
                vec![("Measured curves", DATA_EXTENSIONS.to_vec())]
            }
            PathRequest::Values => vec![("Values", vec!["m", "mat", "csv"])],
            PathRequest::ExportReport => vec![("Web page", vec!["html"]), ("PDF", vec!["pdf"])],
            PathRequest::Picture { .. } => vec![("Picture", vec!["png"])],
            PathRequest::ExportFmu(_) => vec![("Functional Mock-up Units", vec!["fmu"])],
            PathRequest::ExportCode(_) => Vec::new(),
            PathRequest::PoolFile { file, .. } => {
                vec![("Keys and certificates", file.extensions().to_vec()), ("All files", vec![ANY_EXTENSION])]
            }
        }
    }

    /// Returns whether it is about the open document, and has no meaning without it.
    pub fn is_of_document(&self) -> bool {
        !matches!(self, PathRequest::Open { .. } | PathRequest::PoolFile { .. })
    }

    /// Returns the chosen path, with the extension of its type added if it has none.
    pub fn completed(&self, path: PathBuf) -> PathBuf {
        match self {
            _ if self.is_reading() || self.is_folder() => path,
            _ => with_extension(path, self.extension()),
        }
    }
}

impl CodeExport {
    pub fn new(simulation: &Simulation) -> CodeExport {
        CodeExport {
            models: models_of(simulation),
            model: Arc::clone(&simulation.root),
            inlines_parameters: false,
            is_single_file: false,
            precision: Precision::Double,
            is_compared: false,
        }
    }
}

impl FmuExport {
    pub fn new(simulation: &Simulation) -> FmuExport {
        FmuExport {
            models: models_of(simulation),
            model: Arc::clone(&simulation.root),
            version: Version::Two,
            inlines_parameters: false,
            is_source_only: false,
        }
    }
}

/// Returns the names of all models, the root first.
fn models_of(simulation: &Simulation) -> Vec<Arc<str>> {
    let root = Arc::clone(&simulation.root);
    let others = simulation.models_in_order().into_iter().map(|model| Arc::clone(&model.name));
    std::iter::once(Arc::clone(&root)).chain(others.filter(|name| *name != root)).collect()
}

impl PictureExport {
    pub fn new(model: &Arc<str>, selection: &BTreeSet<BlockId>) -> PictureExport {
        let what = if selection.len() > 1 { What::Selection } else { What::Model };
        let (model, selection) = (Arc::clone(model), selection.clone());
        PictureExport { what, format: Format::Svg, scale: 2.0, model, selection }
    }

    pub fn parts(&self, simulation: &Simulation) -> Vec<Part> {
        let model = Arc::clone(&self.model);
        match self.what {
            What::Model => vec![Part { model, blocks: None }],
            What::Selection => vec![Part { model, blocks: Some(self.selection.clone()) }],
            What::All => Part::all(simulation),
        }
    }
}
