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
