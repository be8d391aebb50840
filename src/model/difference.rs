//! The difference between two states of a map of a model, found by comparing both in parallel.

use std::cmp::Ordering;
use std::sync::Arc;

use super::SharedMap;

/// The keys with a new or changed value, and the removed keys; both sorted.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct KeyDifference<K> {
    pub changed: Vec<K>,
    pub gone: Vec<K>,
}

/// Shared values are equal and are skipped: a pointer occurs under one key only.
pub fn difference<K: Ord + Clone, V>(
    before: Option<&SharedMap<K, Arc<V>>>,
    now: &SharedMap<K, Arc<V>>,
) -> KeyDifference<K> {
    let mut found = KeyDifference { changed: Vec::new(), gone: Vec::new() };
    if before.is_some_and(|before| before.is_shared_with(now)) {
        return found;
    }
    let mut before = before.map(SharedMap::iter).unwrap_or_default();
    let mut now = now.iter();
    loop {
        before.skip_shared(&mut now);
        let order = match (before.peek(), now.peek()) {
            (None, None) => return found,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((_, old)), Some((_, new))) if Arc::ptr_eq(old, new) => {
                before.next();
                now.next();
                continue;
            }
            (Some((old, _)), Some((new, _))) => old.cmp(new),
        };
        if order.is_lt() {
            found.gone.extend(before.next().map(|(key, _)| key.clone()));
        } else {
            found.changed.extend(now.next().map(|(key, _)| key.clone()));
        }
        if order.is_eq() {
            before.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of many entries, so that the maps share chunks.
    #[test]
    fn what_differs_between_many_is_found() {
        let mut before = SharedMap::new();
        before.extend((0..1000_u32).map(|key| (2 * key, Arc::new(key))));
        for removed in [0, 2, 500, 998, 1998] {
            for added in [1, 251, 1001, 1999] {
                for replaced in [4, 254, 256, 996, 1996] {
                    let mut now = before.clone();
                    now.remove(&removed);
                    now.insert(replaced, Arc::new(0));
                    // Enough for a chunk to be split.
                    (0..70).for_each(|more| drop(now.insert(added + 2 * more, Arc::new(0))));
                    let mut changed: Vec<u32> = (0..70).map(|more| added + 2 * more).chain([replaced]).collect();
                    changed.sort_unstable();
                    let found = difference(Some(&before), &now);
                    assert_eq!(found, KeyDifference { changed, gone: vec![removed] });
                }
            }
        }
    }

    #[test]
    fn what_is_new_another_or_gone_is_found() {
        let shared = Arc::new("shared");
        let map = |pairs: &[(u32, &Arc<&'static str>)]| {
            let mut map = SharedMap::new();
            map.extend(pairs.iter().map(|(key, value)| (*key, Arc::clone(value))));
            map
        };
        let (gone, old, new) = (Arc::new("gone"), Arc::new("same text"), Arc::new("same text"));
        let before = map(&[(1, &gone), (2, &shared), (4, &old)]);
        let now = map(&[(2, &shared), (3, &gone), (4, &new), (9, &new)]);
        let found = difference(Some(&before), &now);
        assert_eq!(found, KeyDifference { changed: vec![3, 4, 9], gone: vec![1] });
        assert_eq!(difference(None, &before).changed, [1, 2, 4]);
        assert_eq!(difference(Some(&now), &map(&[])).gone, [2, 3, 4, 9]);
        assert_eq!(difference(Some(&now), &now), KeyDifference::default());
    }
}
