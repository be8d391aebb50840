//! The quantiles of the runs of a sweep over time.

use super::SweepCurve;

/// The quantiles of the runs over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bands {
    /// Seconds.
    pub times: Vec<f64>,
    /// For each of [`Bands::PARTS`] the quantile at each time; NaN where no run has a value.
    pub values: Vec<Vec<f64>>,
}

impl Bands {
    pub const PARTS: [f64; 7] = [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0];

    /// Computes the quantiles with linear interpolation between ranks (R. J. Hyndman, Y. Fan: Sample
    /// quantiles in statistical packages, The American Statistician 50, 1996, definition 7).
    pub fn of(times: Vec<f64>, curves: &[SweepCurve]) -> Bands {
        let mut values = vec![vec![f64::NAN; times.len()]; Bands::PARTS.len()];
        let mut ranked: Vec<f64> = Vec::with_capacity(curves.len());
        for index in 0..times.len() {
            ranked.clear();
            let here = curves.iter().filter_map(|curve| curve.values.get(index));
            ranked.extend(here.copied().filter(|value| value.is_finite()));
            ranked.sort_unstable_by(f64::total_cmp);
            for (band, part) in values.iter_mut().zip(Bands::PARTS) {
                if let Some(to) = band.get_mut(index) {
                    *to = quantile(&ranked, part);
                }
            }
        }
        Bands { times, values }
    }
}

fn quantile(ranked: &[f64], part: f64) -> f64 {
    let at = part * ranked.len().saturating_sub(1) as f64;
    let below = at.floor() as usize;
    match (ranked.get(below), ranked.get(below + 1)) {
        (Some(low), Some(high)) => low + (high - low) * (at - below as f64),
        (Some(last), None) => *last,
        (None, _) => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(run: u64, values: &[f64]) -> SweepCurve {
        SweepCurve { run, values: values.to_vec(), measures: Default::default() }
    }

    /// The first quartile of 1 to 5 is 2, the median 3; that of 1, 2 is interpolated.
    #[test]
    fn bands_lie_where_ranks_say() {
        let curves: Vec<SweepCurve> =
            [3.0, 1.0, 5.0, 2.0, 4.0].iter().zip(0..).map(|(value, run)| curve(run, &[*value])).collect();
        let bands = Bands::of(vec![0.0], &curves);
        let got: Vec<f64> = bands.values.iter().map(|band| band[0]).collect();
        assert_eq!(got, [1.0, 1.2, 2.0, 3.0, 4.0, 4.8, 5.0]);
        let bands = Bands::of(vec![0.0, 1.0], &[curve(0, &[1.0]), curve(1, &[2.0, f64::NAN])]);
        assert_eq!((bands.values[2][0], bands.values[3][0]), (1.25, 1.5));
        assert!(bands.values.iter().all(|band| band[1].is_nan()), "no run has a value there");
    }
}
