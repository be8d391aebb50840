//! The files of numbers that blocks read.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use simulate::block::{Files, Registry};
use simulate::format::Folder;
use simulate::model::{Block, BlockId, BlockKind, Simulation};
use tempfile::TempDir;

use super::trial;
use super::{MEGABYTE, Memory};

/// One of so many tables is also played back by a block.
const PLAYED: u32 = 8;

/// Each cell is a number, and in the first line a column with a name. A compressed array of bytes unpacks to a thousand
/// times its size, and each byte is a number in two places.
pub const MEMORY: Memory = Memory { fixed: 16 * MEGABYTE, times: 20_000 };

thread_local! {
    static FOLDER: RefCell<Option<TempDir>> = const { RefCell::new(None) };
}

/// Returns the folder for the file, which is within FUZZ_SCRATCH if that is set.
fn folder() -> PathBuf {
    FOLDER.with_borrow_mut(|folder| {
        let make = || {
            let within = std::env::var_os("FUZZ_SCRATCH").map_or_else(std::env::temp_dir, PathBuf::from);
            std::fs::create_dir_all(&within).expect("the folder can be made");
            TempDir::new_in(&within).expect("the folder can be made")
        };
        folder.get_or_insert_with(make).path().to_owned()
    })
}

pub fn run(data: &[u8]) {
    let folder = folder();
    std::fs::write(folder.join("table"), data).expect("the file can be written");
    // A new one each time: it remembers what it read.
    if let Ok(table) = Folder::new(&folder).table("table") {
        let rows = table.rows();
        assert!(table.columns.iter().all(|column| column.values.len() == rows), "columns differ in length");
        if let Some(interval) = table.interval {
            assert!(interval.is_finite() && interval > 0.0, "an interval of {interval} s");
        }
        // Columns are few in use, and each is searched among all.
        for column in table.columns.iter().take(100) {
            assert!(table.column(&column.name).is_some());
        }
        let hash = crc32fast::hash(data);
        if hash.is_multiple_of(PLAYED) {
            play(Folder::new(&folder), hash as usize / PLAYED as usize);
        }
    }
}

fn play(folder: Folder, choice: usize) {
    const BETWEEN: [&str; 3] = ["linear", "hold", "nearest"];
    const OUTSIDE: [&str; 4] = ["hold", "zero", "extrapolate", "repeat"];
    let mut simulation = Simulation::new("Main");
    simulation.delta = 0.25;
    let block = Block::new(BlockId(0), BlockKind::library("Var", "From File"))
        .with_option("File", &["table"])
        .with_option("Interpolation", &[BETWEEN[choice % 3]])
        .with_option("Outside", &[OUTSIDE[choice / 3 % 4]])
        .with_option("Delay", &["0.5"]);
    simulation.model_mut("Main").expect("the root").add_block(block);
    let registry = Registry::standard().with_files(Arc::new(folder));
    trial::run_with(&simulation, &registry, &["simple", "flat"], 5);
}
