//! Random numbers without a state.

/// The increment that distinguishes the keys of a draw.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// Returns a uniform number in [0, 1) with 53 bits, from seed, stream, counter and element index alone. Stream 0 is that
/// of no stream.
///
/// Rounds of the finaliser of `SplitMix64` (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014),
/// each over one of the keys. All not-a-number keys are equal.
pub fn random(seed: f64, stream: f64, counter: f64, element: usize) -> f64 {
    let mut hash = STEP;
    let bits = |key: f64| if key.is_nan() { f64::NAN.to_bits() } else { key.to_bits() };
    if stream != 0.0 {
        hash = mix(hash ^ bits(stream)).wrapping_mul(5).wrapping_add(STEP);
    }
    for key in [bits(seed), bits(counter), element as u64] {
        hash = mix(hash ^ key).wrapping_add(STEP);
    }
    (mix(hash) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Returns the number of the stream of a kind of block, such as `Var/Noise`, within model blocks whose seeds and
/// iterations are `levels`, from the outermost to the innermost. Levels that are 0 change nothing. It is an integer below
/// 2⁵², to which a number of iterations can be added exactly.
pub fn stream(kind: &str, levels: impl Iterator<Item = (u64, u64)>) -> f64 {
    let mut hash = kind.bytes().fold(STEP, |hash, byte| mix(hash ^ u64::from(byte)).wrapping_add(STEP));
    for (seed, iteration) in levels {
        if seed != 0 {
            hash = mix(hash ^ seed).wrapping_add(STEP);
        }
        if iteration != 0 {
            hash = mix(hash ^ iteration).wrapping_mul(5).wrapping_add(STEP);
        }
    }
    (mix(hash) >> 12) as f64
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
