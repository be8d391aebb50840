//! A recording's pyramid tells what the samples say, at any zoom.

use proptest::prelude::*;
use simulate::engine::{Column, Extent, Recording};
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
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

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
                // Borders stay where they are while the view moves, so one may be cut at each end.
                prop_assert!(buckets.len() <= count + 1, "{} buckets", buckets.len());
                prop_assert_eq!(buckets[0].0, range.start as u64);
                let ends = buckets.iter().skip(1).map(|bucket| bucket.0 as usize).chain([range.end]);
                for ((first, extent), end) in buckets.iter().zip(ends) {
                    prop_assert_eq!(*extent, naive(&values[*first as usize..end]));
                }
            }
        }
    }
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
