//! A map from keys of the document to values, each with a small number for the spatial index.

use std::hash::Hash;

use super::FastMap;

#[derive(Debug)]
pub struct Slab<K, V> {
    slots: Vec<Option<(K, V)>>,
    free: Vec<u32>,
    numbers: FastMap<K, u32>,
}

impl<K, V> Default for Slab<K, V> {
    fn default() -> Slab<K, V> {
        Slab { slots: Vec::new(), free: Vec::new(), numbers: FastMap::default() }
    }
}

impl<K: Hash + Eq + Clone, V> Slab<K, V> {
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn number(&self, key: &K) -> Option<u32> {
        self.numbers.get(key).copied()
    }

    pub fn at(&self, number: u32) -> Option<&V> {
        self.slots.get(number as usize)?.as_ref().map(|(_, value)| value)
    }

    pub fn at_mut(&mut self, number: u32) -> Option<&mut V> {
        self.slots.get_mut(number as usize)?.as_mut().map(|(_, value)| value)
    }

    pub fn get(&self, key: &K) -> Option<&V> {
        self.at(self.number(key)?)
    }

    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.at_mut(self.number(key)?)
    }

    /// Replaces the value of a key.
    pub fn insert(&mut self, key: K, value: V) -> u32 {
        if let Some(number) = self.number(&key) {
            if let Some(slot) = self.slots.get_mut(number as usize) {
                *slot = Some((key, value));
            }
            return number;
        }
        let number = match self.free.pop() {
            Some(number) => {
                if let Some(slot) = self.slots.get_mut(number as usize) {
                    *slot = Some((key.clone(), value));
                }
                number
            }
            None => {
                self.slots.push(Some((key.clone(), value)));
                (self.slots.len() - 1) as u32
            }
        };
        self.numbers.insert(key, number);
        number
    }

    pub fn remove(&mut self, key: &K) -> Option<V> {
        let number = self.numbers.remove(key)?;
        self.free.push(number);
        self.slots.get_mut(number as usize)?.take().map(|(_, value)| value)
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, &K, &V)> {
        let numbered = self.slots.iter().enumerate();
        numbered.filter_map(|(number, slot)| slot.as_ref().map(|(key, value)| (number as u32, key, value)))
    }

    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.slots.iter().flatten().map(|(_, value)| value)
    }
}
