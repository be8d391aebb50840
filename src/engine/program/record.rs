//! The past of a signal as a solver of variable step has seen it: a polynomial for each of its steps.
//!
//! A step is smooth, since a solver ends one wherever something jumps or bends. So a value between two of its points comes
//! from that step alone, and a jump between two steps stays one.

use std::collections::VecDeque;

use crate::block::RecordRead;

/// The past of a signal: adjacent segments from old to new.
#[derive(Debug, Default, PartialEq)]
pub struct Record {
    /// The elements of the signal.
    width: usize,
    /// Of each segment [`HEAD`] numbers, and the signal at [`POINTS`] times.
    numbers: VecDeque<f64>,
}

/// The current time in seconds with the signal there, and the changes of both along a direction.
#[derive(Clone, Copy)]
pub struct CurrentSignal<'a> {
    pub time: f64,
    pub d_time: f64,
    pub signal: &'a [f64],
    pub d_signal: &'a [f64],
}

/// The number of equally spaced points of a segment, both ends among them: as many as give the order of the dense output
/// of the solvers.
pub const POINTS: usize = 5;
/// The begin and the end of a segment in seconds, the time of the last jump up to its begin, and that of the last jump or
/// kink.
const HEAD: usize = 4;
const BEGIN: usize = 0;
const END: usize = 1;
const JUMP: usize = 2;
const KINK: usize = 3;
/// A change by less than this part of a value is rounding.
const ROUNDING: f64 = 1e-9;
/// Two segments meet in a kink if their slopes differ by more than this fraction of the signal's change in both.
const BEND: f64 = 0.02;
const CUBE_ROOT_OF_EPSILON: f64 = 6e-6;
/// Halvings of an interval until it is as short as numbers are exact.
const HALVINGS: usize = 60;

impl Clone for Record {
    fn clone(&self) -> Record {
        Record { width: self.width, numbers: self.numbers.clone() }
    }

    // In the memory that is there: engines copy records at both ends of each run.
    fn clone_from(&mut self, other: &Record) {
        self.width = other.width;
        self.numbers.clone_from(&other.numbers);
    }
}

impl Record {
    /// An empty record of a signal of this width.
    pub fn new(width: usize) -> Record {
        Record { width, numbers: VecDeque::new() }
    }

    /// Returns the record that has these numbers; `None` if they are not whole segments.
    pub fn of_numbers(width: usize, numbers: Vec<f64>) -> Option<Record> {
        let record = Record { width, numbers: numbers.into() };
        record.numbers.len().is_multiple_of(record.size()).then_some(record)
    }

    pub fn numbers(&self) -> impl ExactSizeIterator<Item = f64> {
        self.numbers.iter().copied()
    }

    /// The size of a segment.
    fn size(&self) -> usize {
        HEAD + POINTS * self.width
    }

    fn count(&self) -> usize {
        self.numbers.len() / self.size()
    }

    fn head(&self, segment: usize, number: usize) -> f64 {
        self.numbers[segment * self.size() + number]
    }

    fn span(&self, segment: usize) -> (f64, f64) {
        (self.head(segment, BEGIN), self.head(segment, END))
    }

    fn points(&self, segment: usize, element: usize) -> [f64; POINTS] {
        let first = segment * self.size() + HEAD + element;
        std::array::from_fn(|point| self.numbers[first + point * self.width])
    }

    fn last(&self) -> Option<usize> {
        self.count().checked_sub(1)
    }

    /// The time in seconds up to which the signal is known; −∞ if it is not yet.
    pub fn end(&self) -> f64 {
        self.last().map_or(f64::NEG_INFINITY, |last| self.head(last, END))
    }

    /// The latest known value of an element; 0 if there is none.
    pub fn newest(&self, element: usize) -> f64 {
        self.last().map_or(0.0, |last| self.points(last, element)[POINTS - 1])
    }

    /// Replaces the record by constants up to a time in seconds: one element gets a value, the others keep their latest.
    pub fn hold(&mut self, time: f64, element: usize, value: f64) {
        let mut values: Vec<f64> = (0..self.width).map(|element| self.newest(element)).collect();
        values[element] = value;
        self.numbers.clear();
        self.mark(time, &values);
    }

    /// The number of leading segments for which `is_so`, which holds for all segments up to one.
    fn leading(&self, is_so: impl Fn(usize) -> bool) -> usize {
        let (mut low, mut high) = (0, self.count());
        while low < high {
            let middle = low.midpoint(high);
            if is_so(middle) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The last segment that begins up to a time; the first one if none does.
    fn segment_at(&self, at: f64) -> usize {
        self.leading(|segment| self.head(segment, BEGIN) <= at).saturating_sub(1)
    }

    /// Appends a step of the solver between two times in seconds, with the signal at [`POINTS`] times.
    pub fn push(&mut self, (begin, end): (f64, f64), points: &[f64]) {
        let before = self.last().filter(|&last| self.head(last, END) == begin);
        let (mut jump, mut kink) = (begin, begin);
        if let Some(before) = before {
            jump = self.head(before, JUMP);
            let is_mark = self.head(before, BEGIN) == begin;
            if is_mark {
                self.numbers.truncate(before * self.size());
            } else if !self.bends_to(before, end, points) {
                kink = self.head(before, KINK);
            }
        }
        self.numbers.extend([begin, end, jump, kink]);
        self.numbers.extend(points);
    }

    /// Whether the slope changes between a segment and the points that follow up to `end`.
    fn bends_to(&self, before: usize, end: f64, points: &[f64]) -> bool {
        let (start, middle) = self.span(before);
        (0..self.width).any(|element| {
            let old = self.points(before, element);
            let new: [f64; POINTS] = std::array::from_fn(|point| points[point * self.width + element]);
            let (slope_before, slope_behind) = (slope(&old, 1.0) / (middle - start), slope(&new, 0.0) / (end - middle));
            let (low, high) =
                old.iter().chain(&new).fold((old[0], old[0]), |(low, high), x| (low.min(*x), high.max(*x)));
            let change = (slope_behind - slope_before).abs() * (middle - start).min(end - middle);
            change > BEND * (high - low) + ROUNDING * high.abs().max(low.abs())
        })
    }

    /// Notes the value of the signal at a time in seconds, which is the end of the last step, if it jumps to that value.
    pub fn mark(&mut self, time: f64, value: &[f64]) {
        let is_same = |segment: usize| {
            (0..self.width).all(|element| {
                let before = self.points(segment, element)[POINTS - 1];
                let size = before.abs().max(value[element].abs());
                (value[element] - before).abs() <= ROUNDING * size || before.to_bits() == value[element].to_bits()
            })
        };
        if self.last().is_some_and(|last| self.head(last, END) == time && is_same(last)) {
            return;
        }
        self.numbers.extend([time; HEAD]);
        (0..POINTS).for_each(|_| self.numbers.extend(value));
    }

    /// Forgets the points after a time in seconds, since the solver starts again there.
    pub fn cut(&mut self, time: f64) {
        let kept = self.leading(|segment| self.head(segment, BEGIN) < time);
        self.numbers.truncate(kept * self.size());
        let Some(last) = self.last().filter(|_| self.end() > time) else { return };
        let (begin, end) = self.span(last);
        let part = (time - begin) / (end - begin) / (POINTS - 1) as f64;
        let first = last * self.size();
        for element in 0..self.width {
            let points = self.points(last, element);
            for point in 0..POINTS {
                self.numbers[first + HEAD + point * self.width + element] = value(&points, part * point as f64);
            }
        }
        self.numbers[first + END] = time;
    }

    /// Forgets the points before a time in seconds.
    pub fn forget(&mut self, time: f64) {
        let unused = self.segment_at(time);
        if unused > 0 {
            self.numbers.drain(..unused * self.size());
        }
    }

    /// Sets `to` to the result of a read at a time in seconds; `now` is the current time, with the signal there.
    pub fn read(&self, read: RecordRead, at: f64, (now, signal): (f64, &[f64]), to: &mut [f64]) {
        match read {
            RecordRead::Value => self.value(at, to),
            RecordRead::ValueUpToNow if at >= now => {
                to.iter_mut().enumerate().for_each(|(element, to)| *to = element_of(signal, element));
            }
            RecordRead::ValueUpToNow => self.value_up_to(at, now, signal, to),
            RecordRead::JumpBefore => to.fill(self.jump_before(at)),
            RecordRead::JumpAfter => to.fill(self.jump_after(at)),
            RecordRead::KinkAfter => to.fill(self.kink_after(at)),
            RecordRead::TimeOf => to.fill(self.time_of(at, now, signal)),
        }
    }

    /// Sets `to` to the derivative of the result of a read at a time in seconds, along a direction in which that time
    /// changes by `d_at`.
    pub fn tangent(&self, (read, at, d_at): (RecordRead, f64, f64), now: CurrentSignal, to: &mut [f64]) {
        let is_known = at <= self.end() || now.time <= self.end();
        match read {
            RecordRead::Value => {
                self.slope(at, to);
                to.iter_mut().for_each(|slope| *slope *= d_at);
            }
            RecordRead::ValueUpToNow if is_known => self.tangent((RecordRead::Value, at, d_at), now, to),
            RecordRead::ValueUpToNow => {
                let weight = self.weight_of_now(at, now.time);
                let [by_time, at_now] =
                    [at, now.time].map(|time| self.slope_up_to(time, now.time, now.signal, to.len()));
                for (element, to) in to.iter_mut().enumerate() {
                    // If only the current time changes, it is as if the signal had been another there.
                    let moved = element_of(now.d_signal, element) - at_now[element] * now.d_time;
                    *to = by_time[element] * d_at + weight * moved;
                }
            }
            RecordRead::JumpBefore | RecordRead::JumpAfter | RecordRead::KinkAfter => to.fill(0.0),
            RecordRead::TimeOf => {
                let time = self.time_of(at, now.time, now.signal);
                let speed = self.slope_up_to(time, now.time, &now.signal[..1], 1)[0];
                to.fill(if speed > 0.0 { d_at / speed } else { 0.0 });
            }
        }
    }

    /// The derivative by the time of [`Record::value_up_to`].
    fn slope_up_to(&self, at: f64, now: f64, signal: &[f64], width: usize) -> Vec<f64> {
        let mut values = [(); 2].map(|()| vec![0.0; width]);
        if at <= self.end() {
            self.slope(at, &mut values[0]);
            return std::mem::take(&mut values[0]);
        }
        // Of a cubic polynomial, nearly exact.
        let apart = CUBE_ROOT_OF_EPSILON * (now - self.end());
        let times = [(at - apart).max(self.end()), at + apart];
        values.iter_mut().zip(times).for_each(|(to, time)| self.extrapolated(time, now, signal, to));
        values[1].iter().zip(&values[0]).map(|(new, old)| (new - old) / (times[1] - times[0])).collect()
    }

    /// The share of the signal now in [`Record::value_up_to`] at a time behind the last step.
    fn weight_of_now(&self, at: f64, now: f64) -> f64 {
        let Some(last) = self.last() else { return 1.0 };
        let (begin, end) = self.span(last);
        let others: &[f64] = if end > begin { &[end, begin.midpoint(end), begin] } else { &[end] };
        others.iter().map(|other| (at - other) / (now - other)).product()
    }

    /// Sets `to` to the signal at a time in seconds, where it jumps to the value behind the jump. What is not known is the
    /// first or the last value.
    pub fn value(&self, at: f64, to: &mut [f64]) {
        self.compute(at, to, |points, part, _| value(points, part));
    }

    /// Sets `to` to the derivative of the signal by the time, per second.
    pub fn slope(&self, at: f64, to: &mut [f64]) {
        self.compute(
            at,
            to,
            |points, part, span| {
                if span > 0.0 && (0.0..=1.0).contains(&part) { slope(points, part) / span } else { 0.0 }
            },
        );
    }

    fn compute(&self, at: f64, to: &mut [f64], of: impl Fn(&[f64; POINTS], f64, f64) -> f64) {
        if self.numbers.is_empty() {
            return to.fill(0.0);
        }
        let segment = self.segment_at(at);
        let (begin, end) = self.span(segment);
        let part = if end > begin { (at - begin) / (end - begin) } else { 1.0 };
        to.iter_mut().enumerate().for_each(|(element, to)| *to = of(&self.points(segment, element), part, end - begin));
    }

    /// Sets `to` to the signal at a time in seconds that may be later than the last step, up to `now`, where the signal is
    /// `signal`. There it is a cubic polynomial through three points of the last step.
    pub fn value_up_to(&self, at: f64, now: f64, signal: &[f64], to: &mut [f64]) {
        match at <= self.end() {
            true => self.value(at, to),
            false => self.extrapolated(at, now, signal, to),
        }
    }

    /// The same at a time behind the last step.
    fn extrapolated(&self, at: f64, now: f64, signal: &[f64], to: &mut [f64]) {
        let Some(last) = self.last().filter(|_| now > self.end()) else {
            return to.iter_mut().enumerate().for_each(|(element, to)| *to = element_of(signal, element));
        };
        let (begin, end) = self.span(last);
        for (element, to) in to.iter_mut().enumerate() {
            let [old, _, middle, _, new] = self.points(last, element);
            let times = [now, end, begin.midpoint(end), begin];
            let values = [element_of(signal, element), new, middle, old];
            // Just behind a jump there is only a line.
            *to = newton(&times, &values, if end > begin { 4 } else { 2 }, at);
        }
    }

    /// The time in seconds of the last jump up to a time; −∞ if there is none.
    pub fn jump_before(&self, at: f64) -> f64 {
        match self.leading(|segment| self.head(segment, BEGIN) <= at) {
            0 => f64::NEG_INFINITY,
            count => self.head(count - 1, JUMP),
        }
    }

    /// The time in seconds of the first jump after a time; infinite if there is none yet.
    pub fn jump_after(&self, at: f64) -> f64 {
        self.first_after(JUMP, at)
    }

    /// The time in seconds of the first jump or kink after a time; infinite if there is none yet.
    pub fn kink_after(&self, at: f64) -> f64 {
        self.first_after(KINK, at)
    }

    fn first_after(&self, number: usize, at: f64) -> f64 {
        let segment = self.leading(|segment| self.head(segment, number) <= at);
        if segment < self.count() { self.head(segment, number) } else { f64::INFINITY }
    }

    /// The last time in seconds at which the first element, which never falls, was at most `level`: between the first
    /// known time and `now`, where it is `signal`.
    pub fn time_of(&self, level: f64, now: f64, signal: &[f64]) -> f64 {
        let segment = self.leading(|segment| self.points(segment, 0)[0] <= level).saturating_sub(1);
        let Some(last) = self.last() else { return now };
        let (mut low, mut high) = self.span(segment);
        if segment == last && self.points(last, 0)[POINTS - 1] <= level {
            (low, high) = (high, now);
        }
        let mut reached = [0.0];
        for _ in 0..HALVINGS {
            let middle = low.midpoint(high);
            self.value_up_to(middle, now, &signal[..1], &mut reached);
            if reached[0] <= level { low = middle } else { high = middle }
        }
        low
    }
}

fn element_of(elements: &[f64], element: usize) -> f64 {
    if elements.len() == 1 { elements[0] } else { elements[element] }
}

/// Differences of equally spaced points, for Newton's form of the polynomial through them.
fn differences(points: &[f64; POINTS]) -> [f64; POINTS] {
    let mut made = *points;
    for order in 1..POINTS {
        (order..POINTS).rev().for_each(|point| made[point] -= made[point - 1]);
    }
    made
}

/// The polynomial through equally spaced points, at a part of the way from the first to the last; at both ends and beyond
/// them the point there.
fn value(points: &[f64; POINTS], part: f64) -> f64 {
    if part >= 1.0 {
        return points[POINTS - 1];
    }
    let at = part.max(0.0) * (POINTS - 1) as f64;
    let made = differences(points);
    (1..POINTS).rev().fold(0.0, |sum, order| (made[order] + sum) * (at - (order - 1) as f64) / order as f64) + points[0]
}

/// Its derivative by that part.
fn slope(points: &[f64; POINTS], part: f64) -> f64 {
    let at = part * (POINTS - 1) as f64;
    let made = differences(points);
    let (mut sum, mut slope) = (0.0, 0.0);
    for order in (1..POINTS).rev() {
        let factor = (at - (order - 1) as f64) / order as f64;
        slope = slope * factor + (made[order] + sum) / order as f64;
        sum = (made[order] + sum) * factor;
    }
    slope * (POINTS - 1) as f64
}

/// The polynomial through the first `count` of points at any times, at a time.
fn newton(times: &[f64; 4], values: &[f64; 4], count: usize, at: f64) -> f64 {
    let mut made = *values;
    for order in 1..count {
        for point in (order..count).rev() {
            made[point] = (made[point] - made[point - 1]) / (times[point] - times[point - order]);
        }
    }
    (0..count - 1).rev().fold(made[count - 1], |sum, point| made[point] + (at - times[point]) * sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A step of x² from `begin` to `end`.
    fn pushed(record: &mut Record, begin: f64, end: f64) {
        let points: Vec<f64> = (0..POINTS).map(|point| begin + (end - begin) * point as f64 / 4.0).collect();
        record.push((begin, end), &points.iter().map(|x| x * x).collect::<Vec<f64>>());
    }

    fn at(record: &Record, time: f64) -> f64 {
        let mut value = [0.0];
        record.value(time, &mut value);
        value[0]
    }

    #[test]
    fn what_is_smooth_is_exact_between_the_points() {
        let mut record = Record::new(1);
        [0.0, 0.5, 2.0].windows(2).for_each(|pair| pushed(&mut record, pair[0], pair[1]));
        for time in [0.0, 0.1, 0.5, 1.3, 2.0] {
            assert!((at(&record, time) - time * time).abs() < 1e-14, "at {time}");
            let mut slope = [0.0];
            record.slope(time, &mut slope);
            assert!((slope[0] - 2.0 * time).abs() < 1e-13, "at {time}");
        }
        assert_eq!((record.jump_after(0.0), record.kink_after(0.0)), (f64::INFINITY, f64::INFINITY));
        // Up to 3, where it is 9.
        let mut value = [0.0];
        record.value_up_to(2.5, 3.0, &[9.0], &mut value);
        assert!((value[0] - 6.25).abs() < 1e-14);
        assert!((record.time_of(1.69, 3.0, &[9.0]) - 1.3).abs() < 1e-14);
        assert!((record.time_of(6.25, 3.0, &[9.0]) - 2.5).abs() < 1e-14);
    }

    #[test]
    fn jumps_and_kinks_stay_where_they_are() {
        let mut record = Record::new(1);
        record.mark(0.0, &[0.0]);
        pushed(&mut record, 0.0, 1.0);
        record.mark(1.0, &[5.0]);
        assert_eq!((record.jump_before(0.5), record.jump_after(0.5)), (0.0, 1.0));
        record.push((1.0, 2.0), &[5.0; POINTS]);
        record.push((2.0, 3.0), &[5.0, 6.0, 7.0, 8.0, 9.0]);
        assert_eq!((at(&record, 1.0), at(&record, 1.0_f64.next_down())), (5.0, 1.0_f64.next_down().powi(2)));
        assert_eq!((record.jump_before(2.5), record.jump_after(1.0)), (1.0, f64::INFINITY));
        assert_eq!((record.kink_after(1.0), record.kink_after(2.0)), (2.0, f64::INFINITY));
        assert_eq!(record.jump_before(-1.0), f64::NEG_INFINITY);
    }

    #[test]
    fn what_is_cut_is_as_if_it_had_never_been() {
        let mut record = Record::new(1);
        record.mark(0.0, &[0.0]);
        pushed(&mut record, 0.0, 1.0);
        pushed(&mut record, 1.0, 2.0);
        record.cut(0.5);
        assert_eq!(record.end(), 0.5);
        assert!((at(&record, 0.3) - 0.09).abs() < 1e-15 && at(&record, 0.7) == 0.25);
        record.cut(0.5);
        pushed(&mut record, 0.5, 2.0);
        record.forget(0.6);
        assert!((at(&record, 0.2) - 0.25).abs() < 1e-15, "only the step from 0.5 is left");
        let numbers: Vec<f64> = record.numbers().collect();
        assert_eq!(Record::of_numbers(1, numbers.clone()), Some(record));
        assert_eq!(Record::of_numbers(1, numbers[1..].to_vec()), None);
    }
}
