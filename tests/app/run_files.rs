//! Run files that were changed in many ways are refused or read, within a bound of memory. `RUN_FILES=1000000` tries more.

use std::ops::Range;
use std::sync::Arc;

use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use simulate::app::store::run_file::{self, RunFileError};
use simulate::app::store::runs::{RunRecord, RunSource};
use simulate::engine::ParamChange;
use simulate::model::{BlockId, ParamAddress, SignalKey, Simulation};

use crate::memory::peaked;

/// Signature and length, before the header.
const BEFORE_HEAD: usize = 16;

/// What is put in the place of a number of the header, or of eight bytes.
const NUMBERS: [&str; 10] =
    ["0", "1", "-1", "3", "4294967296", "9223372036854775807", "18446744073709551615", "1e308", "null", "\"NaN\""];

/// Returns the bytes of a run with two signals, a change and an edit.
fn good() -> Vec<u8> {
    let mut simulation = Simulation::new("Main");
    (simulation.delta, simulation.steps) = (0.25, 40);
    let mut run = RunRecord::new(RunSource::new(Arc::new(simulation), Some("a.simx".into())), Some(40));
    run.recording.append(&SignalKey::new(&[BlockId(7)], BlockId(3), "Output"), 12, 2, &[0.5, -0.0, f64::INFINITY, 2.0]);
    run.recording.append(&SignalKey::new(&[], BlockId(4), "Output"), 0, 1, &[1.0, 2.0, 3.0]);
    let change = ParamChange { step: 13, param: ParamAddress::new(&[], BlockId(3), "Gain"), values: vec![0.1] };
    run.changes = vec![change];
    run.edits = vec![(3, "Move".to_owned())];
    run.steps = 15;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("good.simrun");
    run_file::save(&path, &run).expect("it is written");
    std::fs::read(path).expect("it is there")
}

/// Returns where the numbers of the header stand.
fn numbers(file: &[u8], head: &Range<usize>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in head.clone().filter(|at| file[*at].is_ascii_digit()) {
        match found.last_mut() {
            Some(last) if last.end == at => last.end += 1,
            _ => found.push(at..at + 1),
        }
    }
    found
}

/// Changes a file in one to four places, with its checksum put right and, mostly, the length of its header.
fn changed(good: &[u8], random: &mut TestRng) -> Vec<u8> {
    let mut file = good[..good.len() - 4].to_vec();
    let length = u64::from_le_bytes(good[8..16].try_into().expect("eight bytes")) as usize;
    let mut head = BEFORE_HEAD..BEFORE_HEAD + length;
    let below = |random: &mut TestRng, end: usize| random.next_u64() as usize % end.max(1);
    for _ in 0..=below(random, 4) {
        let at = below(random, file.len());
        match below(random, 6) {
            0 => file[at] = random.next_u32() as u8,
            1 => file.truncate(at),
            2 => {
                let end = (at + below(random, 64)).min(file.len());
                let part = file[at..end].to_vec();
                file.splice(at..at, part);
            }
            3 => file.extend(random.next_u64().to_le_bytes()),
            _ => {
                let all = numbers(&file, &(head.start..head.end.min(file.len())));
                let Some(place) = all.get(below(random, all.len())) else { continue };
                let number = NUMBERS[below(random, NUMBERS.len())];
                head.end = head.end + number.len() - place.len();
                file.splice(place.clone(), number.bytes());
            }
        }
        if file.len() < BEFORE_HEAD {
            break;
        }
    }
    if file.len() >= BEFORE_HEAD && below(random, 8) > 0 {
        file[8..16].copy_from_slice(&((head.end - head.start) as u64).to_le_bytes());
    }
    file.extend(crc32fast::hash(&file).to_le_bytes());
    file
}

#[test]
fn changed_run_files_are_refused_or_read() {
    let tries = std::env::var("RUN_FILES").map_or(3000, |tries| tries.parse().expect("a number"));
    let good = good();
    let mut random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..tries {
        let file = changed(&good, &mut random);
        let (result, peak) = peaked(|| run_file::read(&file).map(drop));
        match result {
            Ok(()) => read += 1,
            Err(RunFileError::Unreadable(error)) => panic!("nothing is read from the disk: {error}"),
            Err(_) => refused += 1,
        }
        // The simulation in the header may give a document that is larger than its text.
        let most = (1 << 20) + 64 * file.len();
        assert!(peak <= most, "{} bytes take {peak} bytes of memory", file.len());
    }
    // Both ways are tried.
    assert!(read > tries / 50 && refused > tries / 50, "{read} were read, {refused} refused");
}
