//! The seven models written by hand: each one plain loop over local variables or arrays.

use super::models::seven::{H, link, tap};

/// A model's loop: runs `log.len()` steps from `first` on and notes its output in each.
pub type Hand = Box<dyn FnMut(u64, &mut [f64])>;

/// All with this sine: the engines' own to compare bits, the library's to measure against.
pub fn all(sin: fn(f64) -> f64) -> Vec<Hand> {
    vec![pid(), lorenz(), chain(), wide(sin), nested(), vector(), fir(sin)]
}

fn square(step: u64) -> f64 {
    if (step / 5000).is_multiple_of(2) { 1.0 } else { 0.0 }
}

fn pid() -> Hand {
    let (mut x, mut v, mut integral, mut filter) = (0.0, 0.0, 0.0, 0.0);
    Box::new(move |first, log| {
        for (step, out) in (first..).zip(log) {
            *out = x;
            let e = square(step) - x;
            let n = 100.0 * (2.0 * e - filter);
            let u = 8.0 * e + integral + n;
            let a = u - 1.2 * v - 4.0 * x;
            x += H * v;
            v += H * a;
            integral += H * (3.0 * e);
            filter += H * n;
        }
    })
}

fn lorenz() -> Hand {
    fn rates([x, y, z]: [f64; 3]) -> [f64; 3] {
        [10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z]
    }
    let mut s = [1.0; 3];
    Box::new(move |_, log| {
        for out in log {
            *out = s[0];
            let at = |part: f64, k: [f64; 3]| [0, 1, 2].map(|i| s[i] + part * H * k[i]);
            let k1 = rates(s);
            let k2 = rates(at(0.5, k1));
            let k3 = rates(at(0.5, k2));
            let k4 = rates(at(1.0, k3));
            s = [0, 1, 2].map(|i| s[i] + H * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0);
        }
    })
}

fn chain() -> Hand {
    let gains: Vec<f64> = (0..1000).map(link).collect();
    Box::new(move |first, log| {
        for (step, out) in (first..).zip(log) {
            let mut y = step as f64 * H;
            for gain in &gains {
                y *= gain;
            }
            *out = y;
        }
    })
}

fn wide(sin: fn(f64) -> f64) -> Hand {
    let frequencies: Vec<f64> = (0..1000).map(|i| 0.5 + 0.01 * f64::from(i)).collect();
    let gains: Vec<f64> = (0..1000).map(|i| 1.0 + 0.001 * f64::from(i)).collect();
    let mut states = vec![0.0; 1000];
    Box::new(move |first, log| {
        for (step, out) in (first..).zip(log) {
            let t = step as f64 * H;
            let mut sum = 0.0;
            for ((x, frequency), gain) in states.iter_mut().zip(&frequencies).zip(&gains) {
                sum += *x;
                *x += H * (gain * sin(frequency * t));
            }
            *out = sum;
        }
    })
}

fn nested() -> Hand {
    let gains: Vec<f64> = (0..100).map(|i| 0.5 + 0.01 * f64::from(i)).collect();
    let mut states = vec![[0.0; 4]; 100];
    Box::new(move |first, log| {
        for (step, out) in (first..).zip(log) {
            let wave = square(step);
            let mut sum = 0.0;
            for (gain, [a, b, c, d]) in gains.iter().zip(&mut states) {
                let u = gain * wave;
                sum += 1.5 * *b + 1.5 * *d;
                let rates = [2.0 * u - 3.0 * *a, 2.0 * *a - 3.0 * *b, 2.0 * u - 3.0 * *c, 2.0 * *c - 3.0 * *d];
                *a += H * rates[0];
                *b += H * rates[1];
                *c += H * rates[2];
                *d += H * rates[3];
            }
            *out = sum;
        }
    })
}

fn vector() -> Hand {
    let c: Vec<f64> = (0..1000).map(|i| 1.0 + 0.001 * f64::from(i)).collect();
    let mut states = vec![0.0; 1000];
    Box::new(move |_, log| {
        for out in log {
            *out = states[0];
            for (x, c) in states.iter_mut().zip(&c) {
                *x += H * (2.0 * (c - 0.5 * *x));
            }
        }
    })
}

fn fir(sin: fn(f64) -> f64) -> Hand {
    let taps: [f64; 64] = std::array::from_fn(tap);
    let mut past = [0.0; 63];
    Box::new(move |first, log| {
        for (step, out) in (first..).zip(log) {
            let u = sin(20.0 * (step as f64 * H));
            let mut sum = taps[0] * u;
            for (tap, x) in taps[1..].iter().zip(&past) {
                sum += tap * x;
            }
            past.copy_within(0..62, 1);
            past[0] = u;
            *out = sum;
        }
    })
}
