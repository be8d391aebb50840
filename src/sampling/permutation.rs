//! Permutations by seed, element by element.

use crate::block::math::random;

/// The numbers from which a permutation is made.
#[derive(Clone, Copy)]
pub(super) struct PermutationKey {
    pub seed: u64,
    pub stream: f64,
    pub element: usize,
}

/// The rounds of the network; four are enough for numbers that look independent.
const ROUNDS: u32 = 6;

impl PermutationKey {
    /// Returns the element at `index` of a permutation of the numbers below `count`, without making the others.
    ///
    /// A Feistel network permutes the numbers below the next power of 4; results that are too large are permuted again
    /// until they fit (Black and Rogaway: Ciphers with arbitrary finite domains, 2002).
    pub fn permuted(self, index: u64, count: u64) -> u64 {
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        let half = bits.div_ceil(2);
        let mask = (1u64 << half) - 1;
        let mut value = index;
        loop {
            let (mut left, mut right) = (value >> half & mask, value & mask);
            for round in 0..ROUNDS {
                let counter = right as f64 + f64::from(round) / f64::from(ROUNDS + 1);
                let random = random(self.seed as f64, self.stream, counter, self.element);
                (left, right) = (right, left ^ (random * (mask + 1) as f64) as u64);
            }
            value = left << half | right;
            if value < count || count == 0 {
                return value;
            }
        }
    }
}

/// Returns a permutation of the numbers below `count`; `draw` returns a random number of [0, 1) for an index.
pub(super) fn shuffled(count: usize, draw: impl Fn(usize) -> f64) -> Vec<usize> {
    let mut all: Vec<usize> = (0..count).collect();
    for index in (1..count).rev() {
        // The product may be rounded up.
        all.swap(index, ((draw(index) * (index + 1) as f64) as usize).min(index));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_occurs_once() {
        for count in [1, 2, 3, 4, 5, 16, 17, 63, 64, 65, 1000] {
            for element in 0..5 {
                let key = PermutationKey { seed: 7, stream: 2.0, element };
                let mut all: Vec<u64> = (0..count).map(|index| key.permuted(index, count)).collect();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..count), "{count}");
            }
        }
    }

    /// Of 6000 keys, each of the 6 orders of 3 numbers has about 1000, and each number of 10 is at each place about 600
    /// times: five standard deviations are 145 and 117.
    #[test]
    fn all_orders_are_as_likely() {
        let key = |element| PermutationKey { seed: 1, stream: 2.0, element };
        let mut orders = std::collections::BTreeMap::new();
        let mut places = [[0i32; 10]; 10];
        for element in 0..6000 {
            let order: Vec<u64> = (0..3).map(|index| key(element).permuted(index, 3)).collect();
            *orders.entry(order).or_insert(0i32) += 1;
            (0..10).for_each(|index| places[index as usize][key(element).permuted(index, 10) as usize] += 1);
        }
        assert_eq!(orders.len(), 6);
        assert!(orders.values().all(|count| (count - 1000).abs() < 145), "{orders:?}");
        assert!(places.iter().flatten().all(|count| (count - 600).abs() < 117), "{places:?}");
    }
}
