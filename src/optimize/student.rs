//! Student's t-distribution.

/// Returns the value that the absolute value of a t-distributed number exceeds with a probability of `1 − level`.
pub fn student_quantile(level: f64, degrees: f64) -> f64 {
    if !(level > 0.0 && level < 1.0 && degrees > 0.0) {
        return f64::NAN;
    }
    let outside = |t: f64| incomplete_beta(degrees / 2.0, 0.5, degrees / (degrees + t * t));
    let (mut low, mut high) = (0.0, 1.0);
    while outside(high) > 1.0 - level && high < 1e15 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if outside(middle) > 1.0 - level { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Returns the regularized incomplete beta function by its continued fraction (Lentz's method).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let log_front = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * libm::log(x) + b * libm::log1p(-x);
    let apart = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let (mut c, mut d) = (1.0, 1.0 / apart(1.0 - (a + b) * x / (a + 1.0)));
    let mut sum = d;
    for m in 1..300 {
        let m = f64::from(m);
        for term in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / apart(1.0 + term * d);
            c = apart(1.0 + term / c);
            sum *= d * c;
        }
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    libm::exp(log_front) * sum / a
}
