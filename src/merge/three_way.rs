//! The value of three, and the order of a list of three.

use std::collections::{BTreeMap, BTreeSet};

/// The side whose value is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    Ours,
    Theirs,
    /// Both have changed it, in different ways.
    Conflict,
}

pub fn pick<T: PartialEq + ?Sized>(base: &T, ours: &T, theirs: &T) -> Pick {
    if ours == theirs || theirs == base {
        Pick::Ours
    } else if ours == base {
        Pick::Theirs
    } else {
        Pick::Conflict
    }
}

/// Returns the keys of three lists for which `keeps` is true, in an order that does not depend on which side is which:
/// each side's new keys follow the key that they follow there.
pub fn order<K: Ord + Clone>(base: &[K], sides: [&[K]; 2], keeps: impl Fn(&K) -> bool) -> Vec<K> {
    let spine = match sides.map(|side| is_reordered(base, side)) {
        [true, true] => sides[0].min(sides[1]),
        [true, false] => sides[0],
        [false, true] => sides[1],
        [false, false] => base,
    };
    let known: BTreeSet<&K> = spine.iter().collect();
    // The new keys behind each key of the spine, and those before the first.
    let behind = sides.map(|side| {
        let mut runs: BTreeMap<Option<&K>, Vec<&K>> = BTreeMap::new();
        let mut last = None;
        for key in side {
            match known.contains(key) {
                true => last = Some(key),
                false => runs.entry(last).or_default().push(key),
            }
        }
        runs
    });
    let mut emitted: BTreeSet<&K> = BTreeSet::new();
    let mut merged = Vec::with_capacity(base.len());
    let mut emit = |key| {
        if keeps(key) && emitted.insert(key) {
            merged.push(key.clone());
        }
    };
    for anchor in [None].into_iter().chain(spine.iter().map(Some)) {
        anchor.into_iter().for_each(&mut emit);
        let mut runs: Vec<&Vec<&K>> = behind.iter().filter_map(|runs| runs.get(&anchor)).collect();
        runs.sort();
        runs.into_iter().flatten().copied().for_each(&mut emit);
    }
    merged
}

/// Whether a side has the keys of the base in another order.
fn is_reordered<K: Ord>(base: &[K], side: &[K]) -> bool {
    let places: BTreeMap<&K, usize> = base.iter().enumerate().map(|(place, key)| (key, place)).collect();
    let places = side.iter().filter_map(|key| places.get(key));
    !places.is_sorted()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, ours: &str, theirs: &str, wanted: &str) {
        let keys = |text: &str| text.chars().collect::<Vec<char>>();
        let (base, ours, theirs) = (keys(base), keys(ours), keys(theirs));
        let is_in = |list: &[char], key: &char| list.contains(key);
        let keeps = |key: &char| match is_in(&base, key) {
            true => is_in(&ours, key) && is_in(&theirs, key),
            false => true,
        };
        let text: String = order(&base, [&ours, &theirs], keeps).into_iter().collect();
        let swapped: String = order(&base, [&theirs, &ours], keeps).into_iter().collect();
        assert_eq!((&*text, &*swapped), (wanted, wanted));
    }

    #[test]
    fn new_keys_stay_behind_those_that_they_follow() {
        check("abc", "abc", "abc", "abc");
        check("abc", "abxc", "abc", "abxc");
        check("abc", "yabc", "abcz", "yabcz");
        check("abc", "abcx", "abcz", "abcxz");
        check("abc", "abcx", "abcx", "abcx");
        // Behind a key that the other side has deleted.
        check("abc", "abxc", "ac", "axc");
        check("", "xy", "z", "xyz");
    }

    #[test]
    fn an_order_of_one_side_is_kept() {
        check("abc", "cab", "abc", "cab");
        check("abc", "cab", "abcz", "czab");
        check("abc", "cab", "bca", "bca");
    }

    #[test]
    fn a_value_is_that_of_the_side_that_changed_it() {
        assert_eq!(pick(&1, &1, &2), Pick::Theirs);
        assert_eq!(pick(&1, &2, &1), Pick::Ours);
        assert_eq!(pick(&1, &2, &2), Pick::Ours);
        assert_eq!(pick(&1, &2, &3), Pick::Conflict);
    }
}
