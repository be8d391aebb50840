//! Follows the signals of a run and says whether a requirement is met, and by how much.

use super::{Figure, Relation, When};
use crate::engine::Samples;
use crate::measure::Series;

/// Whether a run meets a condition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Verdict {
    /// How far the run is from violating the condition, in the unit of its signal; below 0 where it violates it.
    pub margin: f64,
    /// The step at which it is violated: the first one, or the last step of the run for conditions on the whole run.
    pub violated_at: Option<u64>,
}

/// A condition, with the indices of the watched signals.
#[derive(Clone, Debug)]
pub(super) enum Watched {
    Value {
        watch: usize,
        relation: Relation,
        bound: f64,
        when: When,
        steps: (u64, u64),
    },
    Figure {
        watch: usize,
        figure: Figure,
        relation: Relation,
        bound: f64,
    },
    /// The reference at each step from the first one on.
    Follows {
        watch: usize,
        first: u64,
        reference: Vec<f64>,
        tolerance: f64,
    },
    Check {
        passes: usize,
        margin: usize,
    },
}

impl Watched {
    /// The unit in which margins of different conditions compare.
    pub fn scale(&self) -> f64 {
        let size = match self {
            Watched::Value { bound, .. } | Watched::Figure { bound, .. } => bound.abs(),
            Watched::Follows { tolerance, .. } => tolerance.abs(),
            Watched::Check { .. } => 1.0,
        };
        if size > 0.0 { size } else { 1.0 }
    }
}

/// The margin in one step, where the condition holds in all steps or in none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StepMargin {
    pub margin: f64,
    /// The element of the signal that it is of.
    pub element: usize,
    /// The derivative of the margin by this element.
    pub slope: f64,
}

impl Watched {
    /// The signal whose values the margin depends on.
    pub fn signal(&self) -> usize {
        match self {
            Watched::Value { watch, .. } | Watched::Figure { watch, .. } | Watched::Follows { watch, .. } => *watch,
            Watched::Check { margin, .. } => *margin,
        }
    }

    /// Returns the margin of the elements of the signal in a step; `None` if the condition is not about this step alone.
    pub fn in_step(&self, step: u64, row: &[f64]) -> Option<StepMargin> {
        let of = |margin: &dyn Fn(f64) -> (f64, f64)| {
            let margins = row.iter().enumerate().map(|(element, value)| {
                let (margin, slope) = margin(*value);
                StepMargin { margin, element, slope }
            });
            margins.reduce(|least, one| if one.margin.is_nan() || one.margin < least.margin { one } else { least })
        };
        match self {
            Watched::Value { relation, bound, steps, .. } => {
                let is_within = step >= steps.0 && step <= steps.1;
                is_within.then(|| of(&|value| (relation.margin(value, *bound), relation.slope())))?
            }
            Watched::Follows { first, reference, tolerance, .. } => {
                let known = reference.get(usize::try_from(step.checked_sub(*first)?).ok()?)?;
                of(&|value| (tolerance - (value - known).abs(), -(value - known).signum()))
            }
            Watched::Check { .. } => of(&|value| (value, 1.0)),
            Watched::Figure { .. } => None,
        }
    }
}

/// The state of a condition in a run.
pub(super) struct Monitor<'a> {
    of: &'a Watched,
    verdict: Verdict,
    /// For a figure, the values of each element.
    series: Vec<Vec<f64>>,
}

impl<'a> Monitor<'a> {
    pub fn new(of: &'a Watched) -> Monitor<'a> {
        let margin = match of {
            Watched::Value { when: When::Eventually, .. } => f64::NEG_INFINITY,
            _ => f64::INFINITY,
        };
        Monitor { of, verdict: Verdict { margin, violated_at: None }, series: Vec::new() }
    }

    /// Takes the samples of some steps.
    pub fn take(&mut self, samples: &Samples) {
        let (first, count) = (samples.first(), samples.len());
        let of = |watch: usize| samples.watches().get(watch).map_or(&[][..], |watch| &*watch.values);
        let width = |watch: usize| of(watch).len().checked_div(count).unwrap_or(1).max(1);
        let row = |watch: usize, index: usize| {
            of(watch).get(index * width(watch)..(index + 1) * width(watch)).unwrap_or_default()
        };
        if let Watched::Figure { watch, .. } = self.of {
            let (values, width) = (of(*watch), width(*watch));
            self.series.resize(width, Vec::new());
            for (index, series) in self.series.iter_mut().enumerate() {
                series.extend(values.iter().skip(index).step_by(width));
            }
            return;
        }
        for (index, step) in (first..).take(count).enumerate() {
            let Some(StepMargin { margin, .. }) = self.of.in_step(step, row(self.of.signal(), index)) else { continue };
            match self.of {
                Watched::Value { when: When::Eventually, .. } if margin > self.verdict.margin => {
                    self.verdict.margin = margin;
                }
                Watched::Value { when: When::Eventually, .. } => {}
                Watched::Value { relation, .. } => self.lower(margin, step, relation.holds(margin)),
                Watched::Check { passes, .. } => {
                    let holds = row(*passes, index).iter().all(|passes| *passes != 0.0);
                    self.lower(margin, step, holds);
                }
                Watched::Follows { .. } | Watched::Figure { .. } => self.lower(margin, step, margin >= 0.0),
            }
        }
    }

    fn lower(&mut self, margin: f64, step: u64, holds: bool) {
        if margin.is_nan() || margin < self.verdict.margin {
            self.verdict.margin = margin;
        }
        if !holds && self.verdict.violated_at.is_none() {
            self.verdict.violated_at = Some(step);
        }
    }

    /// Returns the verdict after the last step.
    pub fn end(mut self, (delta, last): (f64, u64)) -> Verdict {
        let holds = match self.of {
            Watched::Value { relation, when: When::Eventually, .. } => relation.holds(self.verdict.margin),
            Watched::Figure { figure, relation, bound, .. } => {
                let figures = self.series.iter().map(|values| figure.of(Series { values, start: 0.0, delta }));
                self.verdict.margin = least(figures.map(|value| relation.margin(value, *bound)));
                relation.holds(self.verdict.margin)
            }
            _ => return self.verdict,
        };
        self.verdict.violated_at = if holds { None } else { Some(last) };
        self.verdict
    }
}

/// Returns the least of numbers; not-a-number if one of them is.
fn least(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::INFINITY, |least, value| if value.is_nan() || value < least { value } else { least })
}
