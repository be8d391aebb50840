//! The files of numbers that blocks read.

use std::cell::RefCell;
use std::path::PathBuf;

use simulate::block::Files;
use simulate::format::Folder;

use crate::meter::{MEGABYTE, Memory};

/// Each cell is a number, and in the first line a column with a name.
pub const MEMORY: Memory = Memory { fixed: 16 * MEGABYTE, times: 300 };

thread_local! {
    static FOLDER: RefCell<Option<PathBuf>> = const { RefCell::new(None) };
}

/// Returns a folder in memory, where there is one.
fn folder() -> PathBuf {
    FOLDER.with_borrow_mut(|folder| {
        let make = || {
            let memory = PathBuf::from("/dev/shm");
            let base = if memory.is_dir() { memory } else { std::env::temp_dir() };
            let path = base.join(format!("simulate-fuzz-{}", std::process::id()));
            std::fs::create_dir_all(&path).expect("the folder can be made");
            path
        };
        folder.get_or_insert_with(make).clone()
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
        for column in &table.columns {
            assert!(table.column(&column.name).is_some());
        }
    }
}
