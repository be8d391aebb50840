//! Random numbers without a state.

/// Returns a uniform number in [0, 1) with 53 bits, from seed, counter and element index alone.
///
/// Three rounds of the finaliser of `SplitMix64` (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// 2014), each over one of the three keys. All not-a-number keys are equal.
pub fn random(seed: f64, counter: f64, element: usize) -> f64 {
    let mut hash = 0x9E37_79B9_7F4A_7C15;
    let bits = |key: f64| if key.is_nan() { f64::NAN.to_bits() } else { key.to_bits() };
    for key in [bits(seed), bits(counter), element as u64] {
        hash = mix(hash ^ key).wrapping_add(0x9E37_79B9_7F4A_7C15);
    }
    (mix(hash) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
