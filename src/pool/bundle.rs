//! A sweep as it travels: the file, the values, and the tables that blocks read.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::message::{PoolMessage, PoolMessageError, join, split};
use crate::block::{DataColumn, DataTable, FileError, Files, ForeignDescription, ForeignModel, ForeignUse, RowWriter};
use crate::sampling::SampleDesign;

/// The maximum length of a bundle, in bytes: it goes to the process that runs the model in one frame.
pub const MAX_BUNDLE: usize = 60 << 20;

/// All that a worker needs to compute any run of a sweep. Equal sweeps have equal bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepBundle {
    pub head: BundleHead,
    /// The content of the simulation file.
    pub file: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BundleHead {
    /// The name of the file; its extension says the format.
    pub name: String,
    pub skip_invalid_models: bool,
    /// `PATH=VALUES`, as on the command line.
    pub vary: Vec<String>,
    pub draws: u64,
    pub seed: u64,
    /// `PATH=VALUE`, as on the command line.
    pub set: Vec<String>,
    pub steps: u64,
    pub delta: Option<f64>,
    pub engine: String,
    pub signals: String,
    pub every: Option<u64>,
    /// The longest time of a run, in milliseconds.
    pub run_limit_ms: u64,
    /// The tables that blocks read, by the paths in the model.
    pub tables: BTreeMap<String, SentTable>,
    /// The name of the design, empty for independent random values.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub design: String,
}

impl BundleHead {
    /// Returns the name that stands for a design.
    pub fn name_of(design: SampleDesign) -> String {
        if design == SampleDesign::Random { String::new() } else { design.name().to_owned() }
    }

    /// Returns the design; `None` if this program does not have it.
    pub fn design(&self) -> Option<SampleDesign> {
        if self.design.is_empty() { Some(SampleDesign::Random) } else { SampleDesign::by_name(&self.design) }
    }
}

/// A table as it travels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentTable {
    columns: Vec<(String, Vec<f64>)>,
    interval: Option<f64>,
}

impl PoolMessage for SweepBundle {
    const KIND: u8 = 5;

    fn to_bytes(&self) -> Vec<u8> {
        join(Self::KIND, &self.head, &self.file)
    }

    fn of_bytes(bytes: &[u8]) -> Result<SweepBundle, PoolMessageError> {
        let (head, file) = split(Self::KIND, bytes, MAX_BUNDLE)?;
        Ok(SweepBundle { head, file: file.to_vec() })
    }
}

/// Returns the hash of some bytes, as 64 hexadecimal digits.
pub fn hash_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl SentTable {
    fn of(table: &DataTable) -> SentTable {
        let columns = table.columns.iter().map(|column| (column.name.clone(), column.values.clone()));
        SentTable { columns: columns.collect(), interval: table.interval }
    }

    fn table(&self) -> DataTable {
        let column = |(name, values): &(String, Vec<f64>)| DataColumn { name: name.clone(), values: values.clone() };
        DataTable { columns: self.columns.iter().map(column).collect(), interval: self.interval }
    }
}

/// Notes the tables that blocks read. They read nothing else of this machine: a worker has no files.
#[derive(Debug)]
pub struct TableRecorder {
    files: Arc<dyn Files>,
    tables: Mutex<BTreeMap<String, Arc<DataTable>>>,
}

impl TableRecorder {
    pub fn new(files: Arc<dyn Files>) -> TableRecorder {
        TableRecorder { files, tables: Mutex::default() }
    }

    /// Returns the tables that were read.
    pub fn tables(&self) -> BTreeMap<String, SentTable> {
        let tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        tables.iter().map(|(path, table)| (path.clone(), SentTable::of(table))).collect()
    }
}

impl Files for TableRecorder {
    fn table(&self, path: &str) -> Result<Arc<DataTable>, FileError> {
        let table = self.files.table(path)?;
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        tables.insert(path.to_owned(), Arc::clone(&table));
        Ok(table)
    }

    fn create(&self, _: &str, _: &[String]) -> Result<Box<dyn RowWriter>, FileError> {
        Err(FileError::Unavailable)
    }

    fn foreign(&self, _: &str, _: &ForeignUse) -> Result<ForeignModel, FileError> {
        Err(FileError::Unavailable)
    }

    fn foreign_description(&self, path: &str) -> Option<Arc<ForeignDescription>> {
        self.files.foreign_description(path)
    }
}

/// The tables of a bundle.
#[derive(Debug)]
pub(super) struct SentTables(BTreeMap<String, Arc<DataTable>>);

impl SentTables {
    pub fn of(head: &BundleHead) -> SentTables {
        SentTables::of_tables(&head.tables)
    }

    pub fn of_tables(tables: &BTreeMap<String, SentTable>) -> SentTables {
        SentTables(tables.iter().map(|(path, table)| (path.clone(), Arc::new(table.table()))).collect())
    }
}

impl Files for SentTables {
    fn table(&self, path: &str) -> Result<Arc<DataTable>, FileError> {
        self.0.get(path).cloned().ok_or(FileError::Unavailable)
    }

    fn create(&self, _: &str, _: &[String]) -> Result<Box<dyn RowWriter>, FileError> {
        Err(FileError::Unavailable)
    }
}
