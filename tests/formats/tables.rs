//! Files of numbers that blocks read.

use simulate::block::Files as _;
use simulate::format::Folder;

/// Returns a WAV file of three samples of 16 bits and one channel.
fn wav(rate: u32) -> Vec<u8> {
    let mut file = b"RIFF\x2A\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
    file.extend(rate.to_le_bytes());
    file.extend((2 * rate).to_le_bytes());
    file.extend(b"\x02\0\x10\0data\x06\0\0\0\x00\x40\x00\xC0\0\0");
    file
}

/// Found with the fuzz target `tables`: the time from sample to sample was infinite.
#[test]
fn a_wav_file_without_a_sample_rate_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let read = |rate| {
        std::fs::write(folder.path().join("a.wav"), wav(rate)).expect("it is written");
        Folder::new(folder.path()).table("a.wav")
    };
    let table = read(8).expect("it is sound");
    assert_eq!((table.interval, &*table.columns[0].values), (Some(0.125), &[0.5, -0.5, 0.0][..]));
    let error = read(0).expect_err("it has no time").to_string();
    assert!(error.starts_with("the WAV file has a sample rate of 0"), "{error}");
}

/// Returns the columns of a file in `tests/formats/arrays`, which NumPy and SciPy have written.
fn columns(file: &str) -> Vec<(String, Vec<f64>)> {
    let folder = Folder::new(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/arrays"));
    let table = folder.table(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    table.columns.iter().map(|column| (column.name.clone(), column.values.clone())).collect()
}

/// The least and the greatest number of each kind, as SciPy writes them.
#[test]
fn numbers_of_every_kind_are_read() {
    let ends = |low: f64, high: f64| vec![low, high];
    let expected = [
        ("int8", ends(-128.0, 127.0)),
        ("uint8", ends(0.0, 255.0)),
        ("int16", ends(-32768.0, 32767.0)),
        ("uint16", ends(0.0, 65535.0)),
        ("int32", ends(-2147483648.0, 2147483647.0)),
        ("uint32", ends(0.0, 4294967295.0)),
        ("int64", ends(-9223372036854775808.0, 9223372036854775807.0)),
        ("uint64", ends(0.0, 18446744073709551615.0)),
        ("float32", ends(f64::from(f32::MIN), f64::from(f32::MAX))),
        ("float64", ends(f64::MIN, f64::MAX)),
    ];
    assert_eq!(columns("kinds.mat"), expected.map(|(kind, ends)| (kind.to_owned(), ends)));
}

/// The arrays with another number of rows than `time`, texts, structures and complex numbers are left out.
#[test]
fn arrays_of_numpy_and_scipy_are_read() {
    for file in ["numpy.npz", "compressed.npz", "scipy.mat", "compressed.mat"] {
        let mut expected = vec![
            ("time".to_owned(), vec![0.0, 0.25, 0.5]),
            ("speed".to_owned(), vec![1.5, -0.0, 1e-310]),
            ("pose[0]".to_owned(), vec![1.0, 3.0, 5.0]),
            ("pose[1]".to_owned(), vec![2.0, 4.0, 6.0]),
        ];
        if file.ends_with(".mat") {
            // There a row is a vector.
            expected.push(("row".to_owned(), vec![7.0, 8.0, 9.0]));
        }
        let found = columns(file);
        assert_eq!(found, expected, "{file}");
        assert!(found[1].1[1].is_sign_negative());
    }
    let expected = [("1".to_owned(), vec![0.0, 0.25, 0.5]), ("2".to_owned(), vec![1.5, 2.5, 3.5])];
    assert_eq!(columns("fortran.npy"), expected);
}

#[test]
fn broken_arrays_are_refused_or_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let read = |bytes: &[u8]| {
        std::fs::write(folder.path().join("a"), bytes).expect("it is written");
        Folder::new(folder.path()).table("a")
    };
    let arrays = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/arrays");
    for file in ["numpy.npz", "compressed.npz", "scipy.mat", "compressed.mat", "fortran.npy"] {
        let whole = std::fs::read(arrays.join(file)).expect("the file is there");
        for end in 0..whole.len() {
            // Whatever is cut off, there is an error or a table whose columns are of one length.
            if let Ok(table) = read(&whole[..end]) {
                assert!(table.columns.iter().all(|column| column.values.len() == table.rows()), "{file} to {end}");
            }
        }
    }
    let npy = |shape: &str| {
        let head = format!("{{'descr': '<f8', 'fortran_order': True, 'shape': {shape}, }}\n");
        [b"\x93NUMPY\x01\x00", &(head.len() as u16).to_le_bytes()[..], head.as_bytes()].concat()
    };
    for empty in ["(0, 1000000000000000000)", "(1000000000000000000, 0)", "(0,)", "()", "(1, 1, 1)"] {
        assert_eq!(read(&npy(empty)).expect("it is sound").columns.len(), 0, "{empty}");
    }
    for long in ["(2,)", "(18446744073709551615, 18446744073709551615)"] {
        assert!(read(&npy(long)).expect_err("it is too short").to_string().contains("ends in its elements"), "{long}");
    }
    let hdf = [b"MATLAB 7.3 MAT-file".as_slice(), &[b' '; 105], b"\0\x02IM", &[0; 200]].concat();
    assert!(read(&hdf).expect_err("it is HDF5").to_string().contains("version 7.3 (HDF5); save it with -v7"));
}

/// A file is no folder: the message does not speak of a link, which there is none of.
#[test]
fn a_path_through_a_file_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.csv"), "t,u\n0,1\n").expect("it is written");
    let files = Folder::new(folder.path());
    let read = files.table("a.csv/b.csv").expect_err("no folder").to_string();
    let written = files.create("a.csv/b.csv", &[]).err().expect("no folder").to_string();
    let opened = simulate::format::read_bounded(&folder.path().join("a.csv/b"), 9).expect_err("no folder").to_string();
    let begun = simulate::format::begin(&folder.path().join("a.csv/b")).expect_err("no folder").to_string();
    for message in [read, written, opened, begun] {
        assert!(message.contains("a part of the path is a file, not a folder"), "{message}");
    }
}
