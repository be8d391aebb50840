//! Axes: values to positions and back, and tick values. Independent of the window.

/// A range of values along an edge, mapped to 0 at its start and 1 at its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    pub low: f64,
    pub high: f64,
    pub is_log: bool,
}

/// A value with a grid line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tick {
    pub value: f64,
    /// A major tick: the line is stronger and labelled with the value.
    pub is_main: bool,
}

/// A grid line of a vertical axis, with its number if there is room for it.
#[derive(Clone, Debug, PartialEq)]
pub struct GridLine {
    pub value: f64,
    pub text: Option<String>,
    /// As of a [`Tick`].
    pub is_main: bool,
}

/// Maximum number of decades on an automatically fitted axis, counted from the highest value.
const MAX_DECADES: f64 = 12.0;
/// The minimum and maximum number of labelled intervals.
const MIN_PARTS: f32 = 2.4;
const MAX_PARTS: f32 = 8.0;
/// The maximum number of labelled intervals of a high vertical axis, where more would only be noise.
const MOST_PARTS: f32 = 10.0;
/// The minimum number of numbers at a vertical axis.
const MIN_NUMBERS: usize = 3;
/// The minimum distance of numbers above each other, and of minor lines, in points.
const CLOSEST: f64 = 9.0;
const MIN_MINOR: f64 = 5.0;
/// Number of lines above which there is no grid.
const MAX_LINES: f64 = 200.0;

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    Linear,
    Log,
}

impl From<bool> for Scale {
    fn from(is_log: bool) -> Scale {
        if is_log { Scale::Log } else { Scale::Linear }
    }
}

impl Axis {
    pub fn new(low: f64, high: f64) -> Axis {
        Axis { low, high, is_log: false }
    }

    /// Returns an axis that shows these values with a margin, a fraction of their range. On a logarithmic axis, values
    /// up to 0 are left out.
    pub fn fitted(low: f64, high: f64, margin: f64, scale: impl Into<Scale>) -> Axis {
        let is_log = scale.into() == Scale::Log;
        if is_log {
            let high = if high.is_finite() && high > 0.0 { high } else { 1.0 };
            let least = high * 10_f64.powf(-MAX_DECADES);
            let low = if low.is_finite() && low > least { low } else { least };
            let low = if low < high { low } else { high / 10.0 };
            let room = (high / low).powf(margin);
            return Axis { low: low / room, high: high * room, is_log };
        }
        let (low, high) = match (low, high) {
            (low, high) if !(low.is_finite() && high.is_finite()) || low > high => (-1.0, 1.0),
            (low, high) if high - low <= low.abs().max(high.abs()) * 1e-12 => {
                (low - low.abs().max(1.0) * 0.5, high + high.abs().max(1.0) * 0.5)
            }
            range => range,
        };
        let room = (high - low) * margin;
        Axis { low: low - room, high: high + room, is_log }
    }

    /// Returns the position of a value, 0 at the start and 1 at the end; NaN if it has none.
    pub fn part(&self, value: f64) -> f64 {
        let (low, high, value) = (self.of(self.low), self.of(self.high), self.of(value));
        (value - low) / (high - low)
    }

    pub fn value(&self, part: f64) -> f64 {
        let (low, high) = (self.of(self.low), self.of(self.high));
        self.back(low + (high - low) * part)
    }

    /// Zooms about a position: a factor below 1 shows a smaller range.
    pub fn zoomed(&self, about: f64, factor: f64) -> Axis {
        self.between(about - about * factor, about + (1.0 - about) * factor)
    }

    /// Shifts the axis by a fraction of its range.
    pub fn shifted(&self, by: f64) -> Axis {
        self.between(by, 1.0 + by)
    }

    /// Returns the axis between two positions of this one.
    pub fn between(&self, from: f64, to: f64) -> Axis {
        let (low, high) = (self.value(from), self.value(to));
        // Ranges that f64 cannot resolve or represent are refused.
        let is_enough = (high - low) > low.abs().max(high.abs()) * 1e-13 && high.is_finite() && low.is_finite();
        match is_enough && (!self.is_log || low > 0.0) {
            true => Axis { low, high, is_log: self.is_log },
            false => *self,
        }
    }

    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    fn of(&self, value: f64) -> f64 {
        if self.is_log { value.log10() } else { value }
    }

    fn back(&self, value: f64) -> f64 {
        if self.is_log { 10_f64.powf(value) } else { value }
    }

    /// Whether it is logarithmic and spans enough decades to be labelled with powers of ten.
    pub fn has_decades(&self) -> bool {
        self.is_log && self.of(self.high) - self.of(self.low) >= 1.5
    }

    /// Returns the ticks on `length` points; labels are at least `apart` points from each other.
    pub fn ticks(&self, length: f32, apart: f32) -> Vec<Tick> {
        let parts = parts(length, apart);
        match self.is_log {
            true => self.log_ticks(parts),
            false => self.linear_ticks(parts),
        }
    }

    /// Returns the ticks of an axis in degrees: fractions of a turn, if they are far enough apart.
    pub fn angle_ticks(&self, length: f32, apart: f32) -> Vec<Tick> {
        let least = self.width() / parts(length, apart);
        let step = [15.0, 30.0, 45.0, 90.0, 180.0, 360.0].into_iter().find(|step| *step >= least);
        let Some(step) = step.filter(|step| *step <= 3.0 * least) else { return self.ticks(length, apart) };
        let (first, last) = ((self.low / step).ceil() as i32, (self.high / step).floor() as i32);
        (first..=last).map(|number| Tick { value: f64::from(number) * step, is_main: true }).collect()
    }

    /// Returns the grid lines of a vertical axis of `length` points. Numbers are `apart` points from each other where the
    /// axis is high; they come closer where fewer than three would be left.
    pub fn grid_lines(&self, length: f32, apart: f32, is_angle: bool) -> Vec<GridLine> {
        let mut apart = apart.max(length / MOST_PARTS).min(length / MIN_PARTS);
        let of = |apart: f32| if is_angle { self.angle_ticks(length, apart) } else { self.ticks(length, apart) };
        let count = |ticks: &[Tick]| ticks.iter().filter(|tick| tick.is_main).count();
        let mut ticks = of(apart);
        while count(&ticks) < MIN_NUMBERS && length / apart < MAX_PARTS {
            apart *= 0.8;
            ticks = of(apart);
        }
        if self.has_decades() && count(&ticks) < MIN_NUMBERS {
            // Between two powers of ten, 2 and 5 have numbers too.
            let digit = |value: f64| (value / 10_f64.powf(value.log10().floor())).round();
            ticks.iter_mut().for_each(|tick| tick.is_main |= matches!(digit(tick.value), 2.0 | 5.0));
        }
        let place = |value: f64| self.part(value) * f64::from(length);
        let main: Vec<f64> = ticks.iter().filter(|tick| tick.is_main).map(|tick| place(tick.value)).collect();
        let pitch = main.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(f64::INFINITY, f64::min);
        // Numbers that would touch each other: every other one is left out.
        let every = if pitch < CLOSEST && main.len() >= 2 * MIN_NUMBERS - 1 { 2 } else { 1 };
        let minor = ticks.windows(2).map(|pair| (place(pair[1].value) - place(pair[0].value)).abs());
        let has_minor = self.is_log || minor.fold(f64::INFINITY, f64::min) >= MIN_MINOR;
        // Zero keeps its number where three are left.
        let zero = ticks.iter().filter(|tick| tick.is_main).position(|tick| tick.value == 0.0).unwrap_or(0);
        let mut number = if zero % every == 1 && main.len() >= 2 * MIN_NUMBERS { 1 } else { 0 };
        let line = |tick: Tick| {
            let has_text = tick.is_main && number % every == 0;
            number += usize::from(tick.is_main);
            let text = has_text.then(|| self.number(tick.value, length, apart));
            GridLine { value: tick.value, text, is_main: tick.is_main }
        };
        ticks.into_iter().filter(|tick| tick.is_main || has_minor).map(line).collect()
    }

    /// Returns major ticks at 1, 2 or 5 times a power of ten, and minor ones between.
    fn linear_ticks(&self, parts: f64) -> Vec<Tick> {
        let (main, weak) = step_of(self.width() / parts);
        let minor = main / weak;
        let (first, last) = ((self.low / minor).ceil(), (self.high / minor).floor());
        if !(first.is_finite() && last.is_finite()) || last - first > MAX_LINES {
            return Vec::new();
        }
        let tick = |number: f64| Tick { value: number * minor, is_main: (number % weak).abs() < 0.5 };
        (0..=(last - first).max(-1.0) as i32).map(|number| tick(first + f64::from(number))).collect()
    }

    /// Returns major ticks at powers of ten, all or every few, and minor ones at their multiples; ranges below two
    /// decades get the ticks of a linear axis.
    fn log_ticks(&self, parts: f64) -> Vec<Tick> {
        let (low, high) = (self.of(self.low), self.of(self.high));
        if !(low.is_finite() && high.is_finite()) {
            return Vec::new();
        }
        if high - low < 1.5 {
            return self.linear_ticks(parts);
        }
        let every = ((high - low) / parts).ceil().max(1.0);
        let mut ticks = Vec::new();
        let mut power = (low / every).floor() * every;
        while power <= high && (ticks.len() as f64) < MAX_LINES {
            let value = 10_f64.powf(power);
            ticks.push(Tick { value, is_main: true });
            if every == 1.0 {
                ticks.extend((2..10).map(|times| Tick { value: value * f64::from(times), is_main: false }));
            } else {
                let between = (1..every as i32).map(|n| Tick { value: value * 10_f64.powi(n), is_main: false });
                ticks.extend(between);
            }
            power += every;
        }
        ticks.retain(|tick| tick.value >= self.low && tick.value <= self.high);
        ticks
    }

    /// Formats a tick's value with as many decimals as the tick distance requires.
    pub fn number(&self, value: f64, length: f32, apart: f32) -> String {
        let parts = parts(length, apart);
        if self.is_log && self.of(self.high) - self.of(self.low) >= 1.5 {
            return crate::app::ui::numbers::digits(value, 3);
        }
        let (step, _) = step_of(self.width() / parts);
        if value.abs() < step * 1e-6 {
            return "0".to_owned();
        }
        let decimals = (-step.abs().log10().floor()).clamp(0.0, 12.0) as usize;
        match value.abs() {
            v if v >= 1e6 || (v < 1e-4 && step < 1e-4) => {
                let digits = (v.log10().floor() - step.log10().floor()).clamp(0.0, 12.0) as usize + 1;
                crate::app::ui::numbers::digits(value, digits.max(2))
            }
            _ => format!("{value:.decimals$}"),
        }
    }

    /// Rounds a value read from the axis to the resolution of `length` points.
    pub fn reading(&self, value: f64, length: f32) -> String {
        let step = self.width() / f64::from(length.max(1.0));
        let digits = (value.abs().max(step).log10().floor() - step.log10().floor()).clamp(2.0, 14.0) as usize + 1;
        crate::app::ui::numbers::digits(value, digits)
    }
}

/// Returns the maximum number of labelled intervals on a length: at least two, which just fit in a low figure.
fn parts(length: f32, apart: f32) -> f64 {
    f64::from((length / apart).max(MIN_PARTS))
}

/// Returns the smallest step of 1, 2 or 5 times a power of ten that is at least `least`, and its number of
/// subdivisions.
fn step_of(least: f64) -> (f64, f64) {
    let power = 10_f64.powf(least.log10().floor());
    match least / power {
        ratio if ratio <= 1.0 => (power, 5.0),
        ratio if ratio <= 2.0 => (2.0 * power, 4.0),
        ratio if ratio <= 5.0 => (5.0 * power, 5.0),
        _ => (10.0 * power, 5.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_values_are_each_others_inverse() {
        for axis in [Axis::new(-3.0, 7.0), Axis { low: 1e-3, high: 1e4, is_log: true }] {
            for part in [-0.5, 0.0, 0.25, 1.0, 1.5] {
                assert!((axis.part(axis.value(part)) - part).abs() < 1e-12);
            }
        }
        let log = Axis { low: 1.0, high: 100.0, is_log: true };
        assert!((log.part(10.0) - 0.5).abs() < 1e-12);
        assert!(log.part(-1.0).is_nan());
    }

    #[test]
    fn zooming_keeps_the_value_under_the_pointer() {
        for axis in [Axis::new(2.0, 12.0), Axis { low: 0.1, high: 1000.0, is_log: true }] {
            let about = axis.value(0.3);
            let zoomed = axis.zoomed(0.3, 0.5);
            assert!((zoomed.part(about) - 0.3).abs() < 1e-9);
            assert!((zoomed.part(axis.value(0.8)) - 1.3).abs() < 1e-9);
        }
    }

    #[test]
    fn nobody_zooms_beyond_what_numbers_tell_apart() {
        let mut axis = Axis::new(1.0, 2.0);
        (0..200).for_each(|_| axis = axis.zoomed(0.5, 0.5));
        assert!(axis.low < axis.high);
        let mut axis = Axis::new(-1.0, 1.0);
        (0..3000).for_each(|_| axis = axis.zoomed(0.5, 4.0));
        assert!(axis.low.is_finite() && axis.high.is_finite());
    }

    #[test]
    fn marks_stand_at_round_numbers() {
        let axis = Axis::new(-0.3, 1.1);
        let main: Vec<f64> =
            axis.ticks(300.0, 60.0).iter().filter(|tick| tick.is_main).map(|tick| tick.value).collect();
        assert_eq!(main, [0.0, 0.5, 1.0]);
        assert_eq!(axis.number(0.5, 300.0, 60.0), "0.5");
        assert_eq!(axis.number(-1e-17, 300.0, 60.0), "0");
        let log = Axis { low: 0.5, high: 2e4, is_log: true };
        let main: Vec<f64> = log.ticks(300.0, 40.0).iter().filter(|tick| tick.is_main).map(|tick| tick.value).collect();
        assert_eq!(main, [1.0, 10.0, 100.0, 1000.0, 10_000.0]);
        assert_eq!(log.ticks(300.0, 40.0).iter().filter(|tick| !tick.is_main).count(), 5 + 4 * 8 + 1);
    }

    #[test]
    fn degrees_have_marks_at_parts_of_a_turn() {
        let values = |low, high| -> Vec<f64> {
            Axis::new(low, high).angle_ticks(150.0, 30.0).iter().map(|tick| tick.value).collect()
        };
        assert_eq!(values(-190.0, 10.0), [-180.0, -135.0, -90.0, -45.0, 0.0]);
        assert_eq!(values(-95.0, 5.0), [-90.0, -60.0, -30.0, 0.0]);
        // A small range gets the ticks of any axis.
        assert_eq!(values(-1.0, 1.0).len(), Axis::new(-1.0, 1.0).ticks(150.0, 30.0).len());
    }

    #[test]
    fn a_low_figure_has_numbers_too() {
        for (low, high) in [(-73.0, 12.0), (-190.0, -80.0), (0.0, 1.0), (-0.3, 1.1), (3.0, 6.9)] {
            let ticks = Axis::new(low, high).ticks(34.0, 30.0);
            let count = ticks.iter().filter(|tick| tick.is_main).count();
            assert!((1..=4).contains(&count), "{low} to {high}: {count}");
        }
    }

    #[test]
    fn a_vertical_axis_has_at_least_three_numbers_that_do_not_touch() {
        // Heights of a plot of 60 points to a whole screen; ranges with all leading digits.
        for length in [34.0, 40.0, 54.0, 60.0, 80.0, 120.0, 300.0, 900.0_f32] {
            for low in [-73.0, -1.0, -0.3, 0.0, 0.1, 3.0, 990.0, 1e6] {
                for digits in 10..100 {
                    let axis = Axis::new(low, low + f64::from(digits) * 0.13);
                    let lines = axis.grid_lines(length, 30.0, false);
                    let numbers: Vec<&GridLine> = lines.iter().filter(|line| line.text.is_some()).collect();
                    assert!(numbers.len() >= 3, "{axis:?} on {length}: {numbers:?}");
                    let at = |line: &GridLine| axis.part(line.value) * f64::from(length);
                    let least = numbers.windows(2).map(|pair| at(pair[1]) - at(pair[0])).fold(f64::INFINITY, f64::min);
                    assert!(least >= 9.0 || length < 50.0, "{axis:?} on {length}: {numbers:?} {least}");
                    // Each number is written so that it says where it is.
                    for line in numbers {
                        let written: f64 = line.text.as_deref().unwrap_or_default().parse().expect("a number");
                        assert!((axis.part(written) - axis.part(line.value)).abs() < 0.01, "{line:?}");
                    }
                }
            }
        }
        let decades = |low, high| Axis { low, high, is_log: true }.grid_lines(54.0, 30.0, false);
        for (low, high) in [(1e-3, 1e9), (0.5, 40.0), (0.11, 9.0), (1.0, 1e4)] {
            let numbers = decades(low, high).iter().filter(|line| line.text.is_some()).count();
            assert!(numbers >= 3, "{low} to {high}: {numbers}");
        }
        let angles = Axis::new(-95.0, 5.0).grid_lines(54.0, 30.0, true);
        assert!(angles.iter().filter(|line| line.text.is_some()).count() >= 3, "{angles:?}");
    }

    #[test]
    fn any_values_can_be_fitted() {
        for (low, high) in
            [(f64::INFINITY, f64::NEG_INFINITY), (3.0, 3.0), (0.0, 0.0), (-1e300, 1e300), (f64::NAN, 1.0)]
        {
            for is_log in [false, true] {
                let axis = Axis::fitted(low, high, 0.08, is_log);
                assert!(axis.low < axis.high, "{low} to {high}: {axis:?}");
                assert!(!is_log || axis.low > 0.0);
            }
        }
    }
}
