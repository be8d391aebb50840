//! A sorted map whose copies share what they have in common.

use std::borrow::Borrow;
use std::sync::Arc;
use std::{fmt, slice};

/// The maximum number of entries in a chunk.
const MOST: usize = 128;

type Chunk<K, V> = Arc<Vec<(K, V)>>;

/// A sorted map that consists of chunks. A change copies the list of chunks and the chunk that it is in, if copies of the
/// map share them: an edit of a large model costs little, and undo keeps only the differences.
pub struct SharedMap<K, V> {
    /// Sorted; none is empty.
    chunks: Arc<Vec<Chunk<K, V>>>,
    len: usize,
}

impl<K, V> SharedMap<K, V> {
    pub fn new() -> SharedMap<K, V> {
        SharedMap { chunks: Arc::default(), len: 0 }
    }

    /// Whether two maps share their whole content, so that they are equal; they may be equal without that.
    pub fn is_shared_with(&self, other: &SharedMap<K, V>) -> bool {
        Arc::ptr_eq(&self.chunks, &other.chunks)
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the entries in ascending order of their keys.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter { front: [].iter(), rest: self.chunks.iter(), back: [].iter(), left: self.len }
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator + Clone {
        self.iter().map(|(key, _)| key)
    }

    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + Clone {
        self.iter().map(|(_, value)| value)
    }

    pub fn clear(&mut self) {
        *self = SharedMap::new();
    }

    /// Returns the chunk and the index in it of a key, or else those at which it would be inserted.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<(usize, usize), (usize, usize)>
    where
        K: Borrow<Q>,
    {
        let begins_before = |chunk: &Chunk<K, V>| chunk.first().is_some_and(|(first, _)| first.borrow() <= key);
        let at = self.chunks.partition_point(begins_before).saturating_sub(1);
        let chunk = self.chunks.get(at).map(|chunk| &chunk[..]).unwrap_or_default();
        let index = chunk.binary_search_by(|(known, _)| known.borrow().cmp(key));
        index.map(|index| (at, index)).map_err(|index| (at, index))
    }

    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let (at, index) = self.find(key).ok()?;
        Some(&self.chunks.get(at)?.get(index)?.1)
    }

    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// Returns the entries from a key on, in ascending order.
    pub fn range_from<Q: Ord + ?Sized>(&self, key: &Q) -> RangeFrom<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let (Ok((at, index)) | Err((at, index))) = self.find(key);
        let first = self.chunks.get(at).and_then(|chunk| chunk.get(index..)).unwrap_or_default();
        let rest = self.chunks.get(at + 1..).unwrap_or_default();
        RangeFrom { front: first.iter(), rest: rest.iter() }
    }
}

impl<K: Ord + Clone, V: Clone> SharedMap<K, V> {
    fn chunk_mut(&mut self, at: usize) -> Option<&mut Vec<(K, V)>> {
        Arc::make_mut(&mut self.chunks).get_mut(at).map(Arc::make_mut)
    }

    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let (at, index) = self.find(key).ok()?;
        Some(&mut self.chunk_mut(at)?.get_mut(index)?.1)
    }

    /// Inserts a value and returns the one that the key had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let (at, index) = match self.find::<K>(&key) {
            Ok((at, index)) => {
                let (_, known) = self.chunk_mut(at)?.get_mut(index)?;
                return Some(std::mem::replace(known, value));
            }
            Err(place) => place,
        };
        self.len += 1;
        let chunks = Arc::make_mut(&mut self.chunks);
        let is_last = at + 1 >= chunks.len();
        match chunks.get_mut(at) {
            Some(chunk) if chunk.len() < MOST => Arc::make_mut(chunk).insert(index, (key, value)),
            // Keys that come in ascending order fill each chunk.
            Some(chunk) if !(is_last && index == chunk.len()) => {
                let lower = Arc::make_mut(chunk);
                let mut upper = lower.split_off(MOST / 2);
                match index.checked_sub(MOST / 2) {
                    Some(index) => upper.insert(index, (key, value)),
                    None => lower.insert(index, (key, value)),
                }
                chunks.insert(at + 1, Arc::new(upper));
            }
            _ => chunks.push(Arc::new(vec![(key, value)])),
        }
        None
    }

    /// Removes a key and returns its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let (at, index) = self.find(key).ok()?;
        self.len -= 1;
        let chunks = Arc::make_mut(&mut self.chunks);
        let chunk = chunks.get_mut(at)?;
        let (_, value) = Arc::make_mut(chunk).remove(index);
        let left = chunk.len();
        if left == 0 {
            chunks.remove(at);
        } else if chunks.get(at + 1).is_some_and(|next| left + next.len() <= MOST / 2) {
            let next = chunks.remove(at + 1);
            Arc::make_mut(chunks.get_mut(at)?).extend(next.iter().cloned());
        }
        Some(value)
    }

    /// Removes the entries that are not to be kept.
    pub fn retain(&mut self, mut keeps: impl FnMut(&K, &V) -> bool) {
        let mut chunks = Vec::with_capacity(self.chunks.len());
        for chunk in self.chunks.iter() {
            let mut entries = chunk.iter();
            let Some(first) = entries.position(|(key, value)| !keeps(key, value)) else {
                chunks.push(Arc::clone(chunk));
                continue;
            };
            let mut kept = chunk.get(..first).unwrap_or_default().to_vec();
            kept.extend(entries.filter(|(key, value)| keeps(key, value)).cloned());
            if !kept.is_empty() {
                chunks.push(Arc::new(kept));
            }
        }
        let len = chunks.iter().map(|chunk| chunk.len()).sum();
        // Copies stay shared if nothing is removed.
        if len != self.len {
            (self.chunks, self.len) = (Arc::new(chunks), len);
        }
    }
}

impl<K, V> Clone for SharedMap<K, V> {
    fn clone(&self) -> SharedMap<K, V> {
        SharedMap { chunks: Arc::clone(&self.chunks), len: self.len }
    }
}

impl<K, V> Default for SharedMap<K, V> {
    fn default() -> SharedMap<K, V> {
        SharedMap::new()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for SharedMap<K, V> {
    fn eq(&self, other: &SharedMap<K, V>) -> bool {
        self.is_shared_with(other) || (self.len == other.len && self.iter().eq(other.iter()))
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SharedMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Ord + Clone, V: Clone> Extend<(K, V)> for SharedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        entries.into_iter().for_each(|(key, value)| drop(self.insert(key, value)));
    }
}

impl<'a, K, V> IntoIterator for &'a SharedMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}

/// The entries of a map, in ascending order of their keys.
pub struct Iter<'a, K, V> {
    /// The remaining entries of the first and of the last chunk.
    front: slice::Iter<'a, (K, V)>,
    back: slice::Iter<'a, (K, V)>,
    /// The chunks between them.
    rest: slice::Iter<'a, Chunk<K, V>>,
    left: usize,
}

impl<'a, K, V> Iter<'a, K, V> {
    /// Returns the next entry without taking it.
    pub fn peek(&self) -> Option<(&'a K, &'a V)> {
        self.clone().next()
    }

    /// Skips the chunks that two maps share, as long as both iterators are at the start of one.
    pub fn skip_shared(&mut self, other: &mut Iter<'a, K, V>) {
        while self.front.len() == 0 && other.front.len() == 0 {
            match (self.rest.as_slice().first(), other.rest.as_slice().first()) {
                (Some(own), Some(others)) if Arc::ptr_eq(own, others) => {
                    for iter in [&mut *self, &mut *other] {
                        iter.rest.next();
                        iter.left -= own.len();
                    }
                }
                _ => return,
            }
        }
    }
}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Iter { front: self.front.clone(), back: self.back.clone(), rest: self.rest.clone(), left: self.left }
    }
}

impl<K, V> Default for Iter<'_, K, V> {
    fn default() -> Self {
        Iter { front: [].iter(), back: [].iter(), rest: [].iter(), left: 0 }
    }
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        let (key, value) = loop {
            match (self.front.next(), self.rest.as_slice().first()) {
                (Some(entry), _) => break entry,
                (None, Some(chunk)) => {
                    self.rest.next();
                    self.front = chunk.iter();
                }
                (None, None) => break self.back.next()?,
            }
        };
        self.left -= 1;
        Some((key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<'a, K, V> DoubleEndedIterator for Iter<'a, K, V> {
    fn next_back(&mut self) -> Option<(&'a K, &'a V)> {
        let (key, value) = loop {
            match (self.back.next_back(), self.rest.as_slice().last()) {
                (Some(entry), _) => break entry,
                (None, Some(chunk)) => {
                    self.rest.next_back();
                    self.back = chunk.iter();
                }
                (None, None) => break self.front.next_back()?,
            }
        };
        self.left -= 1;
        Some((key, value))
    }
}

impl<K, V> ExactSizeIterator for Iter<'_, K, V> {}

/// The entries of a map from a key on.
pub struct RangeFrom<'a, K, V> {
    /// The remaining entries of a chunk.
    front: slice::Iter<'a, (K, V)>,
    rest: slice::Iter<'a, Chunk<K, V>>,
}

impl<'a, K, V> Iterator for RangeFrom<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        loop {
            if let Some((key, value)) = self.front.next() {
                return Some((key, value));
            }
            self.front = self.rest.next()?.iter();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn copies_share_until_one_of_them_changes() {
        let mut map = SharedMap::new();
        map.insert(1, "one");
        let mut copy = map.clone();
        assert!(copy.is_shared_with(&map));
        copy.insert(2, "two");
        assert!(!copy.is_shared_with(&map));
        assert_eq!((map.len(), copy.len()), (1, 2));
        copy.remove(&2);
        assert_eq!(copy, map);
    }

    #[test]
    fn a_change_copies_one_chunk() {
        let mut map = SharedMap::new();
        map.extend((0..10_000).map(|key| (key, Arc::new(key))));
        let mut copy = map.clone();
        copy.insert(5_000, Arc::new(0));
        let pairs = map.chunks.iter().zip(copy.chunks.iter());
        assert_eq!(pairs.filter(|(own, copied)| !Arc::ptr_eq(own, copied)).count(), 1);
        assert!(map.chunks.len() <= 10_000_usize.div_ceil(MOST), "keys in ascending order fill the chunks");
    }

    /// Random changes, beside a map of the standard library; from time to time a copy is made, which stays as it is.
    #[test]
    fn it_is_a_sorted_map() {
        let mut random = 7_u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % below
        };
        let (mut map, mut known) = (SharedMap::new(), BTreeMap::new());
        let mut copies = Vec::new();
        for step in 0..20_000_u64 {
            let key = next(3_000);
            // It grows, and shrinks again.
            let grows = step / 5_000 % 2 == 0;
            match next(8) {
                0..5 if grows => assert_eq!(map.insert(key, step), known.insert(key, step)),
                5 => {
                    assert_eq!(map.get_mut(&key).map(|value| *value += 1), known.get_mut(&key).map(|value| *value += 1))
                }
                6 if step % 500 == 0 => {
                    map.retain(|key, _| key % 5 != step % 5);
                    known.retain(|key, _| key % 5 != step % 5);
                }
                _ => assert_eq!(map.remove(&key), known.remove(&key)),
            }
            assert_eq!(map.get(&key), known.get(&key));
            assert_eq!((map.len(), map.contains_key(&key)), (known.len(), known.contains_key(&key)));
            if step % 1_000 == 0 {
                copies.push((map.clone(), known.clone()));
                assert!(map.range_from(&key).eq(known.range(key..)));
                assert!(map.iter().rev().eq(known.iter().rev()));
                let mut ends = (map.iter(), known.iter());
                while ends.0.len() > 0 {
                    assert_eq!((ends.0.next(), ends.0.next_back()), (ends.1.next(), ends.1.next_back()));
                }
                assert_eq!(ends.1.next(), None);
            }
        }
        for (copy, known) in copies {
            assert!(copy.iter().eq(known.iter()));
            assert_eq!(copy.iter().len(), known.len());
            assert!(copy.chunks.iter().all(|chunk| !chunk.is_empty() && chunk.len() <= MOST));
        }
    }
}
