//! Public models that lie beside this repository: what becomes of the blocks of each, as expected data.
//!
//! A change that loses a block is noticed here. Where the models are not there, nothing is compared. The table is written
//! anew with UPDATE_GOLDEN=1; read the difference before it is committed.

use std::path::{Path, PathBuf};

use simulate::import::{Class, ImportOptions, import};

/// The folders, their tables, and the ends of the names of models.
const TABLES: [(&str, &str, &[&str]); 2] =
    [("simulink", "corpus.csv", &["slx", "mdl"]), ("scilab", "xcos.csv", &["zcos", "xcos", "cos", "cosf"])];
const HEAD: &str = "file,blocks,exact,approximated,placeholders,missing";

fn files(folder: &Path, ends: &[&str], found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        match path.extension().and_then(|end| end.to_str()) {
            Some(end) if ends.contains(&end) => found.push(path),
            _ if path.is_dir() => files(&path, ends, found),
            _ => {}
        }
    }
}

#[test]
fn each_file_has_the_blocks_that_it_had() {
    TABLES.into_iter().for_each(|(folder, table, ends)| compare(folder, table, ends));
}

fn compare(folder: &str, table: &str, ends: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("../shared/imports").join(folder);
    let known = root.join("tests/imports").join(table);
    let mut found = Vec::new();
    files(&folder, ends, &mut found);
    if found.is_empty() {
        eprintln!("skipped: the public models are not beside the repository");
        return;
    }
    let mut rows = vec![HEAD.to_owned()];
    for path in found {
        let name = path.strip_prefix(&folder).expect("it lies there").display().to_string();
        let bytes = std::fs::read(&path).expect("it can be read");
        let row = match import(&path, &bytes, &ImportOptions::default()) {
            Ok(imported) => {
                let report = &imported.report;
                let [exact, approximated, placeholders] =
                    [Class::Exact, Class::Approximated, Class::Placeholder].map(|class| report.count(class));
                format!("{},{exact},{approximated},{placeholders},{}", report.entries.len(), report.missing.len())
            }
            Err(error) => format!("refused: {error},,,,"),
        };
        rows.push(format!("{name},{row}"));
    }
    let table = rows.join("\n") + "\n";
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&known, &table).expect("the table is written");
    }
    assert_eq!(std::fs::read_to_string(&known).unwrap_or_default(), table, "see the first lines of this file");
}
