//! The parameters that vary, given as `PATH=VALUES`, and the values of each run.

use crate::block::{Unary, ValueError, math, parse_number};
use crate::sampling::{DesignSize, SampleDesign, SampleError};

/// A parameter or variable with its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Vary {
    /// The path, as in [`super::super::Override`].
    pub path: String,
    pub values: Values,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Each value is used.
    List(Vec<f64>),
    /// A random value for each run, uniform between the limits.
    Uniform { low: f64, high: f64 },
    /// A random value for each run whose logarithm is uniform.
    LogUniform { low: f64, high: f64 },
    /// A random value for each run, normally distributed.
    Normal { mean: f64, deviation: f64 },
}

#[derive(Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VaryError {
    #[error(
        "{0}: expected PATH=from:to:count, PATH=from:to:count:log, PATH=a,b,c, PATH=uniform(low,high), \
         PATH=loguniform(low,high) or PATH=normal(mean,deviation)"
    )]
    Malformed(String),
    #[error("{0}: {1}")]
    Number(String, ValueError),
    #[error("{0}: {1}")]
    Range(String, &'static str),
    #[error("{0} is given twice; give all its values in one list")]
    Twice(String),
}

/// The maximum number of runs.
pub const MAX_RUNS: u64 = 100_000_000;

impl Vary {
    /// Parses `PATH=VALUES`.
    ///
    /// # Errors
    /// If the text is malformed or a value is invalid.
    pub fn parse(text: &str) -> Result<Vary, VaryError> {
        let malformed = || VaryError::Malformed(text.to_owned());
        let number = |part: &str| parse_number(part.trim()).map_err(|error| VaryError::Number(text.to_owned(), error));
        let range = |problem| VaryError::Range(text.to_owned(), problem);
        // A block name may contain `=`, a list of numbers cannot.
        let (path, values) = text.rsplit_once('=').ok_or_else(malformed)?;
        let values = values.trim();
        let call = |name: &str| values.strip_prefix(name)?.trim().strip_prefix('(')?.strip_suffix(')')?.split_once(',');
        let values = if let Some((low, high)) = call("loguniform") {
            let (low, high) = (number(low)?, number(high)?);
            let is_sound = low > 0.0 && high.is_finite() && low <= high;
            is_sound
                .then_some(Values::LogUniform { low, high })
                .ok_or_else(|| range("the limits must be positive, the lower one first"))?
        } else if let Some((low, high)) = call("uniform") {
            let (low, high) = (number(low)?, number(high)?);
            let is_sound = low.is_finite() && high.is_finite() && low <= high;
            is_sound.then_some(Values::Uniform { low, high }).ok_or_else(|| range("the lower limit must come first"))?
        } else if let Some((mean, deviation)) = call("normal") {
            let (mean, deviation) = (number(mean)?, number(deviation)?);
            let is_sound = mean.is_finite() && deviation.is_finite() && deviation >= 0.0;
            is_sound
                .then_some(Values::Normal { mean, deviation })
                .ok_or_else(|| range("the deviation must be at least 0"))?
        } else if values.contains(':') {
            let parts: Vec<&str> = values.split(':').map(str::trim).collect();
            let (ends, count, spacing) = match parts[..] {
                [from, to, count] => ([from, to], count, Spacing::Linear),
                [from, to, count, "log"] => ([from, to], count, Spacing::Logarithmic),
                _ => return Err(malformed()),
            };
            let [from, to] = [number(ends[0])?, number(ends[1])?];
            let count: u64 = count.parse().map_err(|_| range("the count must be an integer"))?;
            if count == 0 || count > MAX_RUNS {
                return Err(range("the count must be an integer from 1 to 100 million"));
            }
            if spacing == Spacing::Logarithmic && !(from > 0.0 && to > 0.0) {
                return Err(range("the limits of a logarithmic range must be positive"));
            }
            Values::List(spacing.values(from, to, count))
        } else {
            Values::List(values.split(',').map(number).collect::<Result<_, _>>()?)
        };
        Ok(Vary { path: path.trim().to_owned(), values })
    }

    /// Returns the number of values; 1 for random values.
    pub fn count(&self) -> u64 {
        match &self.values {
            Values::List(values) => values.len() as u64,
            Values::Uniform { .. } | Values::LogUniform { .. } | Values::Normal { .. } => 1,
        }
    }

    /// Whether its values are random ones.
    pub fn is_random(&self) -> bool {
        !matches!(self.values, Values::List(_))
    }
}

impl Values {
    /// Returns the value at a quantile of the distribution, from 0 to 1; `None` for a list.
    fn at(&self, quantile: f64) -> Option<f64> {
        Some(match self {
            Values::List(_) => return None,
            Values::Uniform { low, high } => low + (high - low) * quantile,
            Values::LogUniform { low, .. } if quantile <= 0.0 => *low,
            Values::LogUniform { high, .. } if quantile >= 1.0 => *high,
            Values::LogUniform { low, high } => {
                let ln = |value: f64| Unary::Ln.value(value);
                Unary::Exp.value(ln(*low) + (ln(*high) - ln(*low)) * quantile)
            }
            // The quantiles of 0 and 1 are infinite.
            Values::Normal { mean, deviation } => {
                let quantile = quantile.clamp(f64::EPSILON / 4.0, 1.0 - f64::EPSILON / 2.0);
                mean + deviation * Unary::Probit.value(quantile)
            }
        })
    }
}

/// How the values of a range are spaced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spacing {
    Linear,
    Logarithmic,
}

impl Spacing {
    /// Returns spaced values, with exactly both limits.
    fn values(self, from: f64, to: f64, count: u64) -> Vec<f64> {
        let last = (count - 1).max(1) as f64;
        let ln = |value| Unary::Ln.value(value);
        let value = |index: u64| match self {
            _ if index == 0 => from,
            _ if index == count - 1 => to,
            Spacing::Logarithmic => Unary::Exp.value(ln(from) + (ln(to) - ln(from)) * index as f64 / last),
            // Multiplying first keeps integer steps between integer limits exact.
            Spacing::Linear => from + (to - from) * index as f64 / last,
        };
        (0..count).map(value).collect()
    }
}

/// The runs of a sweep: `draws` samples for every combination of listed values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Runs {
    pub varied: Vec<Vary>,
    /// The number of samples of the design.
    pub draws: u64,
    pub seed: u64,
    /// How the random values are chosen.
    pub design: SampleDesign,
}

/// Why a design does not fit the varied parameters.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DesignError {
    #[error(
        "the design needs random parameters: PATH=uniform(low,high), PATH=loguniform(low,high) or \
         PATH=normal(mean,deviation)"
    )]
    NoRandom,
    #[error("{0} has listed values; give its range as {0}=uniform(low,high) or {0}=loguniform(low,high)")]
    Listed(String),
    #[error(transparent)]
    Size(#[from] SampleError),
}

/// Morris's levels include both ends, at which normal distributions are infinite: theirs are these quantiles.
const NORMAL_ENDS: (f64, f64) = (0.025, 0.975);

impl Runs {
    /// Returns the number of runs; `None` if it exceeds the limit of a sweep.
    pub fn count(&self) -> Option<u64> {
        let points = self.design.points(self.draws, self.size().dims)?;
        let counts = self.varied.iter().map(Vary::count).chain([points]);
        counts.into_iter().try_fold(1u64, u64::checked_mul).filter(|count| *count <= MAX_RUNS)
    }

    /// Returns the size of the design: its coordinates are those of the random parameters.
    pub fn size(&self) -> DesignSize {
        let dims = self.varied.iter().filter(|vary| vary.is_random()).count();
        DesignSize { samples: self.draws, dims, seed: self.seed }
    }

    /// Describes the design with its samples and its seed; empty for independent values.
    pub fn design_text(&self) -> String {
        match self.design {
            SampleDesign::Random => String::new(),
            design => format!("{}, {} samples, seed {}", design.name(), self.draws, self.seed),
        }
    }

    /// # Errors
    /// If the design does not fit the parameters.
    pub fn check(&self) -> Result<(), DesignError> {
        let size = self.size();
        if self.design == SampleDesign::Random {
            return Ok(());
        }
        if let Some(listed) = self.varied.iter().find(|vary| self.design.has_indices() && !vary.is_random()) {
            return Err(DesignError::Listed(listed.path.clone()));
        }
        if size.dims == 0 {
            return Err(DesignError::NoRandom);
        }
        Ok(self.design.check(&size)?)
    }

    /// Returns the values of a run, which depend only on its number; the last parameter varies fastest. Each combination
    /// of listed values has the same samples, unless they are independent ones.
    pub fn values(&self, run: u64) -> Vec<f64> {
        let size = self.size();
        let points = self.design.points(self.draws, size.dims).unwrap_or(u64::MAX).max(1);
        let mut rest = run / points;
        let point = match self.design {
            SampleDesign::Random => Vec::new(),
            design => design.point(&size, run % points),
        };
        let mut coordinates = point.into_iter().rev();
        let mut values: Vec<f64> = Vec::with_capacity(self.varied.len());
        for (axis, vary) in self.varied.iter().enumerate().rev() {
            let mut quantile = || match self.design {
                SampleDesign::Random => math::random(self.seed as f64, 0.0, run as f64, axis),
                _ => coordinates.next().unwrap_or(f64::NAN),
            };
            values.push(match &vary.values {
                Values::List(list) => {
                    let index = rest % list.len().max(1) as u64;
                    rest /= list.len().max(1) as u64;
                    list.get(index as usize).copied().unwrap_or(f64::NAN)
                }
                values => {
                    let (low, high) = match (values, self.design) {
                        (Values::Normal { .. }, SampleDesign::Morris) => NORMAL_ENDS,
                        _ => (0.0, 1.0),
                    };
                    let quantile = quantile();
                    values.at(low + (high - low) * quantile).unwrap_or(f64::NAN)
                }
            });
        }
        values.reverse();
        values
    }
}
