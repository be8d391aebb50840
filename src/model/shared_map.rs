//! A map that copies share.

use std::collections::{BTreeMap, btree_map};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A sorted map that is copied only when it is changed while copies share it: an edit of a wire copies no blocks, and
/// undo keeps only what differs.
#[derive(Debug, PartialEq)]
pub struct SharedMap<K, V>(Arc<BTreeMap<K, V>>);

impl<K, V> SharedMap<K, V> {
    pub fn new() -> SharedMap<K, V> {
        SharedMap(Arc::new(BTreeMap::new()))
    }

    /// Whether two maps share their content, so that they are equal; it may be equal without that.
    pub fn is_shared_with(&self, other: &SharedMap<K, V>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<K, V> Clone for SharedMap<K, V> {
    fn clone(&self) -> SharedMap<K, V> {
        SharedMap(Arc::clone(&self.0))
    }
}

impl<K, V> Default for SharedMap<K, V> {
    fn default() -> SharedMap<K, V> {
        SharedMap::new()
    }
}

impl<K, V> Deref for SharedMap<K, V> {
    type Target = BTreeMap<K, V>;

    fn deref(&self) -> &BTreeMap<K, V> {
        &self.0
    }
}

impl<K: Clone, V: Clone> DerefMut for SharedMap<K, V> {
    fn deref_mut(&mut self) -> &mut BTreeMap<K, V> {
        Arc::make_mut(&mut self.0)
    }
}

impl<'a, K, V> IntoIterator for &'a SharedMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = btree_map::Iter<'a, K, V>;

    fn into_iter(self) -> btree_map::Iter<'a, K, V> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
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
}
