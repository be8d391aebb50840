//! Changes a number by dragging its label: the longer the drag, the larger the steps.

use eframe::egui::{CursorIcon, Id, Key, Response, Ui};

/// The drag distance in pixels for a change by the number's magnitude; each further such distance is ten times as much.
const DECADE: f64 = 100.0;

/// The result of a drag.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scrubbed {
    /// The value during the drag.
    To(f64),
    /// The value at the end of a drag.
    Done(f64),
    /// The drag was cancelled; the original value.
    GivenUp(f64),
}

/// Returns the effect of dragging a label on a number, if any. Shift makes smaller steps.
pub fn scrub(ui: &Ui, label: &Response, value: f64, within: impl Fn(f64) -> f64) -> Option<Scrubbed> {
    if label.hovered() || label.dragged() {
        ui.set_cursor_icon(CursorIcon::ResizeHorizontal);
    }
    let memory = label.id.with("scrub");
    if label.drag_started() {
        ui.data_mut(|data| data.insert_temp(memory, Drag { from: value, at: value }));
    }
    let drag = ui.data(|data| data.get_temp::<Drag>(memory))?;
    let (is_fine, is_given_up) = ui.input(|input| (input.modifiers.shift, input.key_pressed(Key::Escape)));
    if label.drag_stopped() || is_given_up {
        ui.data_mut(|data| data.remove::<Drag>(memory));
        return match is_given_up {
            true => Some(Scrubbed::GivenUp(drag.from)),
            false => (drag.at != drag.from).then_some(Scrubbed::Done(drag.at)),
        };
    }
    let step = if is_fine { Step::Fine } else { Step::Whole };
    let at = within(moved(drag.from, f64::from(label.total_drag_delta()?.x), step));
    ui.data_mut(|data| data.insert_temp(memory, Drag { at, ..drag }));
    (at != drag.at).then_some(Scrubbed::To(at))
}

/// Returns the value of a drag in progress, to show instead of the original.
pub fn shown(ui: &Ui, label: Id) -> Option<f64> {
    ui.data(|data| data.get_temp::<Drag>(label.with("scrub"))).map(|drag| drag.at)
}

#[derive(Clone, Copy)]
struct Drag {
    from: f64,
    at: f64,
}

/// The step of a drag: a unit of the first digit, or a tenth of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Whole,
    Fine,
}

/// Returns a number moved by a drag distance in pixels, rounded to the step.
fn moved(from: f64, pixels: f64, step: Step) -> f64 {
    let own = if from == 0.0 { 1.0 } else { 10.0_f64.powf(from.abs().log10().floor()) };
    let unit = if step == Step::Fine { own / 10.0 } else { own };
    let far = pixels.abs();
    let way = if far <= DECADE { unit * far / DECADE } else { unit * 10.0_f64.powf((far - DECADE) / DECADE) };
    if way == 0.0 {
        return from;
    }
    // Two digits of the change, at least its first step.
    let exponent = way.max(unit / 10.0).log10().floor() as i32 - 1;
    let steps = (from + way.copysign(pixels)) / 10.0_f64.powi(exponent);
    // Parsing decimal text rounds correctly; a product of powers may not.
    format!("{}e{exponent}", steps.round()).parse().unwrap_or(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drag_goes_from_small_steps_to_large_ones() {
        let to = |from, pixels| moved(from, pixels, Step::Whole);
        assert_eq!([to(1.0, 0.0), to(1.0, 1.0), to(1.0, 50.0), to(1.0, 100.0)], [1.0, 1.01, 1.5, 2.0]);
        assert_eq!([to(1.0, 200.0), to(1.0, 300.0)], [11.0, 100.0]);
        assert_eq!([to(250.0, -30.0), to(250.0, -100.0), to(200.0, -200.0)], [220.0, 150.0, -800.0]);
        assert_eq!([to(0.0, 7.0), to(0.0, -200.0), to(-3e-6, 10.0)], [0.07, -10.0, -2.9e-6]);
        assert_eq!(moved(1.0, 50.0, Step::Fine), 1.05);
    }

    #[test]
    fn the_way_grows_with_the_drag() {
        for from in [0.0, 1.0, 9.99, -123.4, 1e9] {
            let ways: Vec<f64> = (0..400).map(|pixels| moved(from, f64::from(pixels), Step::Whole)).collect();
            assert!(ways.is_sorted(), "from {from}");
        }
    }
}
