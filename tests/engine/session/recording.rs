//! The pyramid of a recording agrees with its samples, at any zoom.

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use simulate::engine::{Chunk, Column, Extent, Recording, SpillFile, SpilledChunk};
use simulate::model::{BlockId, SignalKey};

fn column(values: &[f64]) -> Column {
    let mut column = Column::default();
    values.iter().for_each(|value| column.push(*value));
    column
}

fn naive(values: &[f64]) -> Extent {
    values.iter().fold(Extent::EMPTY, |extent, value| extent.with(*value))
}

proptest! {
    #![proptest_config(crate::random_cases(200))]

    #[test]
    fn the_extent_of_any_range_is_that_of_its_samples(
        values in proptest::collection::vec(prop_oneof![9 => -1e3..1e3, 1 => Just(f64::NAN)], 0..1500),
        a in 0usize..1600, b in 0usize..1600,
    ) {
        let (start, end) = (a.min(b), a.max(b));
        let clipped = start.min(values.len())..end.min(values.len());
        prop_assert_eq!(column(&values).extent(start as u64..end as u64), naive(&values[clipped]));
    }

    #[test]
    fn buckets_cover_their_range_without_overlap(
        values in proptest::collection::vec(-1e3..1e3, 1..1500),
        a in 0usize..1600, b in 0usize..1600, count in 1usize..50,
    ) {
        let (start, end) = (a.min(b), a.max(b));
        let range = start.min(values.len())..end.min(values.len());
        match column(&values).buckets(start as u64..end as u64, count) {
            None => prop_assert!(range.len() <= count),
            Some(buckets) => {
                // Buckets have fixed borders, so one may be incomplete at each end.
                prop_assert!(buckets.len() <= count + 1, "{} buckets", buckets.len());
                prop_assert_eq!(buckets[0].steps.0, range.start as u64);
                let ends = buckets.iter().skip(1).map(|bucket| bucket.steps.0 as usize).chain([range.end]);
                for (bucket, end) in buckets.iter().zip(ends) {
                    prop_assert_eq!(bucket.steps.1 as usize + 1, end);
                    prop_assert_eq!(bucket.extremes.extent(), naive(&values[bucket.steps.0 as usize..end]));
                }
            }
        }
    }

    /// The extremes come in the order of the samples, whatever levels of the pyramid they are from.
    #[test]
    fn which_extreme_comes_first_is_known_for_any_range(
        values in proptest::collection::vec(prop_oneof![20 => -5i8..5, 1 => Just(i8::MAX)], 0..9000),
        a in 0usize..9000, b in 0usize..9000,
    ) {
        let values: Vec<f64> = values.into_iter().map(|v| if v == i8::MAX { f64::NAN } else { f64::from(v) }).collect();
        let range = a.min(b).min(values.len())..a.max(b).min(values.len());
        let extremes = column(&values).extremes(range.start as u64..range.end as u64);
        let samples = &values[range];
        let extent = naive(samples);
        let place = |wanted: f64| samples.iter().position(|value| *value == wanted);
        match (place(extent.low), place(extent.high)) {
            (Some(low), Some(high)) if low <= high => {
                prop_assert_eq!((extremes.early, extremes.late), (extent.low, extent.high));
            }
            (Some(_), Some(_)) => prop_assert_eq!((extremes.early, extremes.late), (extent.high, extent.low)),
            _ => prop_assert!(extremes.is_empty()),
        }
    }

    /// In each pixel column a line through the corners of the buckets begins, turns and ends at the same values, in the
    /// same order, as the line through all samples.
    #[test]
    fn a_curve_far_out_is_the_curve_of_all_samples(
        seed in proptest::collection::vec(-1e3..1e3, 64..400),
        width in 1usize..60, doublings in 1u32..6, kind in 0usize..3,
    ) {
        let per_point = 2usize.pow(doublings);
        let value = |n: usize| match kind {
            0 => seed[n * 7 % seed.len()],
            1 => seed[n * 3 / per_point % seed.len()],
            _ => n as f64 * if seed[0] < 0.0 { -1.0 } else { 1.0 },
        };
        let values: Vec<f64> = (0..width * per_point).map(value).collect();
        let column = column(&values);
        let mut corners = vec![Vec::new(); width];
        let Some(buckets) = column.buckets(0..u64::MAX, 2 * width) else { return Ok(()) };
        for bucket in &buckets {
            let samples = bucket.steps.1 - bucket.steps.0 + 1;
            prop_assert!(samples <= per_point as u64, "no wider than a point of the screen");
            bucket.corners(|step, value| corners[step as usize / per_point].push(value));
        }
        let turns = |line: &[f64]| {
            let extent = naive(line);
            let place = |wanted: f64| line.iter().position(|value| *value == wanted);
            let is_rising = place(extent.low) < place(extent.high);
            (line[0], extent.low, extent.high, is_rising || extent.low == extent.high, line[line.len() - 1])
        };
        for (samples, line) in values.chunks(per_point).zip(&mut corners) {
            let last = samples[samples.len() - 1];
            // Repeated values count once.
            if line.last() != Some(&last) {
                prop_assert!(false, "the line ends at {:?}, the samples at {last}", line.last());
            }
            prop_assert_eq!(turns(line), turns(samples));
        }
    }
}

#[test]
fn a_gap_at_the_edge_of_a_bucket_stays_a_gap() {
    let values: Vec<f64> = (0..64).map(|n| if n == 16 || n == 31 { f64::NAN } else { f64::from(n) }).collect();
    let buckets = column(&values).buckets(0..64, 4).expect("fewer than samples");
    let corners = |place: usize| {
        let mut corners: Vec<f64> = Vec::new();
        buckets[place].corners(|_, value| corners.push(value));
        corners
    };
    assert_eq!(corners(0), [0.0, 15.0]);
    let second = corners(1);
    assert!(second[0].is_nan() && second[3].is_nan(), "{second:?}");
    assert_eq!(second[1..3], [17.0, 30.0]);
}

/// A line that stays where it is has one corner in each bucket.
#[test]
fn a_constant_value_is_one_corner() {
    for value in [3.0, f64::NAN, f64::INFINITY] {
        let buckets = column(&[value; 64]).buckets(0..64, 4).expect("fewer than samples");
        for bucket in &buckets {
            let mut count = 0;
            bucket.corners(|_, corner| count += usize::from(corner.to_bits() == value.to_bits()));
            assert_eq!(count, 1, "{value}");
            bucket.corners(|_, corner| assert_eq!(corner.to_bits(), value.to_bits()));
        }
    }
}

/// A cache for a column of some length is not valid for another column of that length.
#[test]
fn a_column_has_a_number_of_its_own_until_samples_are_taken_back() {
    let signal = SignalKey::new(&[], BlockId(0), "Output");
    let mut recording = Recording::new(1.0);
    recording.append(&signal, 0, 1, &[1.0, 2.0, 3.0]);
    let of = |recording: &Recording| recording.columns(&signal)[0].generation();
    let first = of(&recording);
    recording.append(&signal, 3, 1, &[4.0]);
    assert_eq!(of(&recording), first, "what is known of its samples stays true");
    let branch = recording.clone();
    assert_ne!(of(&branch), first, "the two may go on differently");
    recording.truncate(9);
    assert_eq!(of(&recording), first, "nothing was taken back");
    recording.truncate(2);
    assert_ne!(of(&recording), first);
}

#[test]
fn what_no_axis_can_show_has_no_extent() {
    let values = [1.0, f64::INFINITY, -2.0, f64::NEG_INFINITY, f64::NAN];
    assert_eq!(column(&values).extent(0..5), Extent { low: -2.0, high: 1.0 });
    assert!(column(&[f64::INFINITY]).extent(0..1).is_empty());
}

#[test]
fn samples_that_were_left_out_are_no_numbers() {
    let signal = SignalKey::new(&[], BlockId(0), "Output");
    let mut recording = Recording::new(0.5);
    recording.append(&signal, 10, 2, &[1.0, 2.0, 3.0, 4.0]);
    recording.append(&signal, 14, 2, &[5.0, 6.0]);
    let [first, second] = recording.columns(&signal) else { panic!("two lanes") };
    assert_eq!((first.steps(), second.steps()), (10..15, 10..15));
    assert_eq!([first.at_step(9), first.at_step(10), first.at_step(14)], [None, Some(1.0), Some(5.0)]);
    assert!(second.at_step(12).is_some_and(f64::is_nan));
    assert_eq!(second.extent(0..100), Extent { low: 2.0, high: 6.0 });
}

/// Four chunks and a rest, of a curve without repetitions.
fn long() -> Vec<f64> {
    (0..4 * Chunk::LEN + 777).map(|n| ((n * 7919) % 100_003) as f64 - if n == 70_000 { 1e9 } else { 0.0 }).collect()
}

#[test]
fn long_columns_are_whole_across_chunks() {
    let values = long();
    let column = column(&values);
    assert_eq!(column.values(), values);
    assert_eq!((column.len(), column.chunks().len(), column.last()), (values.len(), 4, values.last().copied()));
    let chunk = Chunk::LEN as u64;
    for (start, end) in [
        (0, 5 * chunk),
        (1, 4 * chunk + 1),
        (chunk - 1, chunk + 1),
        (chunk, 2 * chunk),
        (chunk + 5, 4 * chunk + 700),
        (69_999, 70_001),
        (4 * chunk, 4 * chunk + 777),
        (9, 9),
        (8 * chunk, 9 * chunk),
    ] {
        let clipped = (start as usize).min(values.len())..(end as usize).min(values.len());
        assert_eq!(column.extent(start..end), naive(&values[clipped.clone()]), "{start}..{end}");
        assert_eq!(column.range(start..end), values[clipped], "{start}..{end}");
    }
}

#[test]
fn what_is_forgotten_can_be_recorded_again() {
    let signal = SignalKey::new(&[], BlockId(0), "Output");
    let values = long();
    for step in [0, 5, Chunk::LEN, Chunk::LEN + 1, 2 * Chunk::LEN + 40, values.len(), values.len() + 9] {
        let mut recording = Recording::new(1.0);
        recording.append(&signal, 3, 1, &values);
        recording.truncate(step as u64);
        let kept = step.saturating_sub(3).min(values.len());
        assert_eq!(recording.columns(&signal)[0].len(), kept);
        recording.append(&signal, 3 + kept as u64, 1, &values[kept..]);
        let again = &recording.columns(&signal)[0];
        assert_eq!(again.values(), values, "from {step} on");
        assert_eq!(again.extent(0..u64::MAX), naive(&values));
    }
}

/// A spill file that takes everything at once, and loses every second chunk.
#[derive(Debug, Default)]
struct Drawer {
    taken: Mutex<usize>,
}

#[derive(Debug)]
struct InDrawer(Option<Arc<[f64]>>);

impl SpillFile for Drawer {
    fn offer(&self, chunk: &Arc<Chunk>) {
        let mut taken = self.taken.lock().unwrap();
        *taken += 1;
        chunk.spill(Box::new(InDrawer((*taken % 2 == 1).then(|| chunk.values()))));
    }
}

impl SpilledChunk for InDrawer {
    fn read(&self) -> Option<Arc<[f64]>> {
        self.0.clone()
    }
}

#[test]
fn a_spill_file_takes_samples_out_of_memory_and_the_curve_stays() {
    let signal = SignalKey::new(&[], BlockId(0), "Output");
    let values = long();
    let mut recording = Recording::with_spill_file(1.0, Arc::new(Drawer::default()));
    values.chunks(1000).enumerate().for_each(|(n, part)| recording.append(&signal, n as u64 * 1000, 1, part));
    let column = &recording.columns(&signal)[0];
    assert!(column.chunks().iter().all(|chunk| !chunk.is_in_memory()));
    assert!(recording.size() < values.len() * 8 / 10, "only the pyramid and the tail: {}", recording.size());
    assert_eq!(column.range(0..Chunk::LEN as u64), values[..Chunk::LEN]);
    assert_eq!(column.extent(0..u64::MAX), naive(&values), "extents stay");
    let lost = column.range(Chunk::LEN as u64..2 * Chunk::LEN as u64);
    assert!(lost.len() == Chunk::LEN && lost.iter().all(|value| value.is_nan()), "what is lost has no value");
    assert_eq!(column.at_step(5), Some(values[5]));
}

/// All samples are in memory, and the summaries need less memory than the samples.
#[test]
fn the_size_of_a_recording_is_that_of_its_samples_and_a_little_more() {
    let signal = SignalKey::new(&[], BlockId(0), "Output");
    let values = long();
    for count in [300, values.len()] {
        let mut recording = Recording::new(1.0);
        recording.append(&signal, 0, 1, &values[..count]);
        let samples = count * size_of::<f64>();
        assert!((samples..2 * samples).contains(&recording.size()), "{} for {samples}", recording.size());
    }
}

#[test]
fn the_size_of_a_recording_counts_every_byte() {
    let signal = SignalKey::new(&[], BlockId(0), "Output");
    let mut recording = Recording::new(1.0);
    recording.append(&signal, 0, 1, &vec![1.0; 2 * Chunk::LEN + 100]);
    // 100 samples have one complete group, with two ends and two extremes.
    let tail = (100 + 4) * size_of::<f64>();
    assert_eq!(recording.size(), 2 * (Chunk::RESIDENT + Chunk::LEN * size_of::<f64>()) + tail);
}

/// So many chunks that their extremes have a pyramid of their own: it forgets what the recording forgets.
#[test]
fn what_is_forgotten_is_in_no_summary() {
    let signal = SignalKey::new(&[], BlockId(0), "Output");
    let count = 65 * Chunk::LEN;
    let mut recording = Recording::new(1.0);
    recording.append(&signal, 0, 1, &vec![1e9; count]);
    recording.truncate(1000);
    recording.append(&signal, 1000, 1, &vec![2.0; count - 1000]);
    let column = &recording.columns(&signal)[0];
    assert_eq!(column.extent(0..count as u64), Extent { low: 2.0, high: 1e9 });
    assert_eq!(column.extent(1000..count as u64), Extent { low: 2.0, high: 2.0 });
    recording.truncate(0);
    recording.append(&signal, 0, 1, &vec![3.0; count]);
    assert_eq!(recording.columns(&signal)[0].extent(0..u64::MAX), Extent { low: 3.0, high: 3.0 });
}
