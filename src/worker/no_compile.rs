//! Sources of FMUs on systems where their code does not run yet: they are not compiled.

use std::path::Path;

use crate::format::fmu::FmuSources;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    #[error("it has only sources, which are compiled on Linux only for now")]
    Unsupported,
}

/// # Errors
/// Always.
pub fn compile(_: &FmuSources, _: &Path, _: &Path) -> Result<(), CompileError> {
    Err(CompileError::Unsupported)
}
