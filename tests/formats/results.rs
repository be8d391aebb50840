//! Files of results that are longer than the memory that may be taken for them.

use std::path::Path;

use parquet::column::reader::ColumnReader;
use parquet::file::reader::{FileReader, SerializedFileReader};
use simulate::block::Files as _;
use simulate::engine::UNSET;
use simulate::format::Folder;
use simulate::results;

use crate::memory::peaked;

const SIGNALS: usize = 40;
/// 22 MB of numbers, more than one row group of a .parquet file.
const ROWS: usize = 70_000;
/// What writing may take in bytes, whatever the number of rows.
const LIMIT: usize = 20 << 20;

/// Returns the number of a signal in a row: every seventh is unset.
fn value(row: usize, signal: usize) -> f64 {
    let number = row * SIGNALS + signal;
    if number.is_multiple_of(7) { UNSET } else { number as f64 / 8.0 }
}

fn write(path: &Path) -> usize {
    let names: Vec<String> = (0..SIGNALS).map(|signal| format!("s{signal}")).collect();
    let write = || {
        let mut table = results::create(path, &["step"], &names).expect("the folder is writable");
        let mut row = Vec::with_capacity(SIGNALS);
        for step in 0..ROWS {
            row.clear();
            row.extend((0..SIGNALS).map(|signal| value(step, signal)));
            table.row(&[step as i64], &row).expect("there is room");
        }
        table.finish().expect("there is room");
    };
    peaked(write).1
}

#[test]
fn long_results_are_written_in_bounded_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    for extension in ["npz", "mat"] {
        let name = format!("a.{extension}");
        let peak = write(&folder.path().join(&name));
        assert!(peak < LIMIT, "{extension}: {peak} bytes");
        let table = Folder::new(folder.path()).table(&name).expect("the file is sound");
        assert_eq!((table.columns.len(), table.rows()), (1 + SIGNALS, ROWS));
        for (number, column) in table.columns.iter().enumerate() {
            let expected = |row: usize| match number.checked_sub(1) {
                None => row as f64,
                Some(signal) => value(row, signal),
            };
            // In these files an unset value is not a number, too.
            let is_same = |found: f64, expected: f64| found == expected || found.is_nan() && expected.is_nan();
            let wrong = column.values.iter().enumerate().find(|(row, found)| !is_same(**found, expected(*row)));
            assert_eq!(wrong, None, "{extension}: {}", column.name);
        }
    }
}

#[test]
fn long_parquet_files_are_written_in_bounded_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.parquet");
    let peak = write(&path);
    assert!(peak < LIMIT, "{peak} bytes");
    let reader = SerializedFileReader::new(std::fs::File::open(&path).expect("it is there")).expect("it is sound");
    assert_eq!(reader.metadata().num_row_groups(), 2);
    let mut count = 0;
    for group in 0..2 {
        let group = reader.get_row_group(group).expect("it is sound");
        let rows = group.metadata().num_rows() as usize;
        for signal in [0, 1, SIGNALS - 1] {
            let column = group.get_column_reader(signal + 1).expect("it is sound");
            let ColumnReader::DoubleColumnReader(mut column) = column else { panic!("not of numbers") };
            let (mut values, mut levels) = (Vec::new(), Vec::new());
            while levels.len() < rows {
                column.read_records(rows, Some(&mut levels), None, &mut values).expect("it is sound");
            }
            let expected = (count..count + rows).map(|row| value(row, signal));
            assert!(expected.clone().map(|value| i16::from(!value.is_nan())).eq(levels), "{signal}");
            assert!(expected.filter(|value| !value.is_nan()).eq(values), "{signal}");
        }
        count += rows;
    }
    assert_eq!(count, ROWS);
}

/// No other file stays in the folder, whether the table was completed or not.
#[test]
fn nothing_is_left_of_a_long_table_but_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let signals: Vec<String> = (0..40_000).map(|number| format!("s{number}")).collect();
    for name in ["a.npz", "a.mat", "a.parquet"] {
        let mut table = results::create(&folder.path().join(name), &[], &signals).expect("the folder is writable");
        for _ in 0..30 {
            table.row(&[], &vec![1.0; 40_000]).expect("there is room");
        }
        drop(table);
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);
}
