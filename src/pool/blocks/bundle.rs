//! A model and the number of a remote block as they travel.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::bundle::{MAX_BUNDLE, SentTable, SentTables, TableRecorder};
use super::super::message::{PoolMessage, PoolMessageError, join, split};
use super::super::prepared::{Build, PoolParts};
use crate::block::Files;
use crate::engine::{Program, REMOTE_VERSION, RemoteError, RemoteService, compile};
use crate::format::{Formats, LoadOptions};

/// All that a worker needs to compute a remote block. Equal ones have equal bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockBundle {
    pub head: BlockHead,
    /// The simulation, as a `.simx` file.
    pub file: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockHead {
    /// The version of the engine's messages.
    pub messages: u32,
    /// The version of the program and the fingerprint of its block library, which the worker must have too.
    pub version: String,
    pub library: String,
    /// The number of the remote block.
    pub block: u64,
    /// Whether a step fails if a value becomes infinite or NaN, which its instructions check.
    pub refuses_non_finite: bool,
    /// The tables that blocks read, by the paths in the model.
    pub tables: BTreeMap<String, SentTable>,
}

impl PoolMessage for BlockBundle {
    const KIND: u8 = 6;

    fn to_bytes(&self) -> Vec<u8> {
        join(Self::KIND, &self.head, &self.file)
    }

    fn of_bytes(bytes: &[u8]) -> Result<BlockBundle, PoolMessageError> {
        let (head, file) = split(Self::KIND, bytes, MAX_BUNDLE)?;
        Ok(BlockBundle { head, file: file.to_vec() })
    }
}

/// The name of the simulation on its way; its extension says the format.
const NAME: &str = "model.simx";

impl BlockBundle {
    /// Packs a remote block of a program.
    ///
    /// # Errors
    /// If the model needs features that a worker does not have, or is too large.
    pub fn of(program: &Program, block: usize, formats: &Formats) -> Result<BlockBundle, RemoteError> {
        let refused = |problem: String| RemoteError::Refused(problem);
        let Some(remote) = &program.remote else { return Err(refused("there is no remote block".to_owned())) };
        let loader = formats.of_path(Path::new(NAME)).ok_or_else(|| refused("the format is missing".to_owned()))?;
        let file = loader.write(&remote.simulation).map_err(|error| refused(error.to_string()))?;
        // Compiled once more, to learn which tables are read.
        let recorder = Arc::new(TableRecorder::new(remote.registry.shared_files()));
        let registry = remote.registry.with_files(Arc::clone(&recorder) as Arc<dyn Files>);
        if let Err(found) = compile(&remote.simulation, &registry) {
            let first = found.iter().find(|found| found.is_error()).map_or("", |found| &found.message);
            return Err(refused(format!("a worker cannot run the model: {first}")));
        }
        let Build { version, library } = Build::of(&remote.registry);
        let (messages, tables) = (REMOTE_VERSION, recorder.tables());
        let (block, refuses_non_finite) = (block as u64, program.refuses_non_finite);
        let head = BlockHead { messages, version, library, block, refuses_non_finite, tables };
        let bundle = BlockBundle { head, file };
        if bundle.file.len() > MAX_BUNDLE / 2 {
            return Err(refused(format!("the model has {} bytes, too many for a pool", bundle.file.len())));
        }
        Ok(bundle)
    }

    /// Prepares the block.
    ///
    /// # Errors
    /// A sentence without a full stop if this program cannot compute it.
    pub fn prepare(&self, parts: &PoolParts) -> Result<RemoteService, String> {
        let BlockHead { messages, version, library, block, refuses_non_finite, tables } = &self.head;
        let (own, theirs) = (Build::of(&parts.registry), Build { version: version.clone(), library: library.clone() });
        if own != theirs {
            return Err(format!("the worker has {own}, the run needs {theirs}"));
        }
        if *messages != REMOTE_VERSION {
            return Err(format!("the worker speaks version {REMOTE_VERSION} of the protocol, the run {messages}"));
        }
        let options = LoadOptions::default();
        let loaded = parts.formats.parse(Path::new(NAME), &self.file, &options).map_err(|error| error.to_string())?;
        let registry = parts.registry.with_files(Arc::new(SentTables::of_tables(tables)));
        let mut program = compile(&loaded.simulation, &registry).map_err(|found| {
            let first = found.iter().find(|found| found.is_error()).map_or("it is invalid", |found| &found.message);
            format!("the worker cannot compile the model: {first}")
        })?;
        program.refuses_non_finite = *refuses_non_finite;
        let block = usize::try_from(*block).unwrap_or(usize::MAX);
        RemoteService::new(&Arc::new(program), block).ok_or_else(|| "the model has no such remote block".to_owned())
    }
}
