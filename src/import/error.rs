//! Why a file cannot be imported.

use std::path::PathBuf;

/// Why a file cannot be imported. The message says what to do where that is known, and does not contain the path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    #[error("the file is a pointer of Git LFS, not the model itself; fetch it with “git lfs pull”")]
    LfsPointer,
    #[error("the file has conflict marks of a version control system; resolve the conflict first")]
    Conflict,
    #[error("this is no model: {0}")]
    NoModel(&'static str),
    #[error("the archive cannot be read: {0}")]
    Archive(String),
    #[error("the archive is refused: {0}")]
    Refused(String),
    #[error("the part {part} is missing; the file is incomplete or of another kind")]
    MissingPart { part: String },
    #[error("{part}, line {line}: {problem}")]
    Malformed { part: String, line: usize, problem: String },
    #[error("{part}: {problem}")]
    Limit { part: String, problem: String },
    #[error("the part {0} contains itself")]
    Ring(String),
    #[error("{option}: {problem}")]
    Value { option: String, problem: String },
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: std::io::Error },
}

impl ImportError {
    /// A stable code for scripts.
    pub fn code(&self) -> &'static str {
        match self {
            ImportError::LfsPointer => "lfs-pointer",
            ImportError::Conflict => "conflict",
            ImportError::NoModel(_) => "no-model",
            ImportError::Archive(_) | ImportError::MissingPart { .. } => "damaged",
            ImportError::Refused(_) | ImportError::Limit { .. } | ImportError::Ring(_) => "refused",
            ImportError::Malformed { .. } => "malformed",
            ImportError::Value { .. } => "value",
            ImportError::File { .. } => "unreadable",
        }
    }
}
