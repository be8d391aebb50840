//! Damaged files: any result except a panic or a hang is allowed, and a loaded file can be saved.

use std::fs;
use std::path::Path;

use super::identity::FULL;
use super::{check_identity, try_load};

/// A linear congruential generator, for the same damage on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// The samples, and a file with every feature of XML.
fn samples() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "simx"));
    paths.sort();
    assert_eq!(paths.len(), 10);
    let mut samples: Vec<_> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    samples.push(FULL.as_bytes().to_vec());
    samples
}

/// A file that can be loaded loses nothing.
fn check(bytes: &[u8]) {
    if try_load(bytes).is_ok() {
        check_identity(std::str::from_utf8(bytes).unwrap());
    }
}

#[test]
fn cut_anywhere() {
    for sample in samples() {
        for end in (0..sample.len()).step_by(3) {
            check(&sample[..end]);
        }
    }
}

#[test]
fn bytes_changed() {
    const MARKS: &[u8] = b"<>/&;\"'=!-?[] \n\r\tx0\0\xFF";
    let mut random = Random(1);
    for sample in samples() {
        for _ in 0..600 {
            let mut bytes = sample.clone();
            for _ in 0..=random.below(3) {
                let place = random.below(bytes.len());
                match random.below(3) {
                    0 => bytes[place] = MARKS[random.below(MARKS.len())],
                    1 => bytes[place] ^= 1 << random.below(8),
                    _ => drop(bytes.remove(place)),
                }
            }
            check(&bytes);
        }
    }
}

#[test]
fn parts_moved() {
    let mut random = Random(2);
    for sample in samples() {
        for _ in 0..300 {
            let mut bytes = sample.clone();
            let (one, other) = (random.below(bytes.len()), random.below(bytes.len()));
            let part: Vec<u8> = bytes[one.min(other)..one.max(other)].to_vec();
            let place = random.below(bytes.len());
            bytes.splice(place..place, part);
            check(&bytes);
        }
    }
}
