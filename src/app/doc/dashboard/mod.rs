//! The dashboard of a simulation: controls that set parameters and instruments that show signals, on their own panel.
//!
//! It is stored in the attribute `view:dashboard` of the simulation, so that undo and the file include it. Widgets on
//! the canvas are stored in an attribute of their block.
//!
//! | module | contents |
//! |---|---|
//! | `kind` | [`WidgetKind`] |
//! | `text` | the text form of widgets in an attribute |
//! | `bind` | the parameters and signals that widgets can be bound to; their values |
//! | `motion` | signals that move shapes |
//! | `pinned` | widgets beside blocks on the canvas |

mod bind;
mod kind;
mod motion;
mod pinned;
mod text;

pub use crate::model::PINNED;
pub use bind::{
    BindingKind, Candidate, candidates, candidates_of_block, limits_of_param, number_of, set_param, set_param_text,
    text_of_param, with_scale_of,
};
pub use kind::WidgetKind;
pub use motion::{Motion, MotionProperty};
pub use pinned::{WidgetHost, below, pinned, pinned_edit, signals_of_pinned};

use std::sync::Arc;

use crate::app::doc::reader::NameReader;
use crate::model::{BlockId, Change, DASHBOARD, Edit, ParamAddress, SignalKey};

/// The widgets on the panel, in drawing order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dashboard {
    pub widgets: Vec<Widget>,
}

/// A control or an instrument.
#[derive(Clone, Debug, PartialEq)]
pub struct Widget {
    pub kind: WidgetKind,
    /// Points from the panel's upper left corner.
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
    /// The title; if it is empty, the name of the binding is shown.
    pub label: String,
    pub binding: Option<Binding>,
    /// The stored address, `param=…` or `signal=…`, where it leads nowhere. It is kept until there is another binding.
    pub lost: Option<String>,
    /// The ends of its scale.
    pub low: f64,
    pub high: f64,
    /// The values that a button or switch sets when on and off; a lamp is lit from halfway between them.
    pub on: f64,
    pub off: f64,
    /// The named values of a list.
    pub choices: Vec<(String, f64)>,
    /// The image of a picture widget.
    pub image: Option<Image>,
    /// The motions of a shape; `color` is its own colour: red, green, blue.
    pub motions: Vec<Motion>,
    pub color: Option<[u8; 3]>,
}

/// An image in a .png file.
#[derive(Clone, Debug, PartialEq)]
pub enum Image {
    /// The path of the file, relative to the simulation's file.
    Beside(String),
    /// The bytes of the file.
    Embedded(Arc<[u8]>),
}

impl Image {
    /// Maximum size of an image embedded in the document, in bytes.
    pub const MAX_BYTES: usize = 256 << 10;
}

/// The parameter or signal that a widget is bound to.
#[derive(Clone, Debug, PartialEq)]
pub enum Binding {
    Param(ParamKey),
    Signal(SignalKey),
}

/// One number of a block's parameter, with the block's path from the root. All instances of a model share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamKey {
    pub of: ParamAddress,
    /// The index of the element in a vector, from 0.
    pub element: usize,
}

impl ParamKey {
    /// Returns the key of the first number of a parameter.
    pub fn new(path: &[BlockId], block: BlockId, name: &str) -> ParamKey {
        ParamKey { of: ParamAddress::new(path, block, name), element: 0 }
    }
}

/// Grid of widget positions, in points.
pub const GRID: f32 = 8.0;
/// Minimum width and height of a widget, in points.
pub const SMALLEST: f32 = 32.0;

impl Widget {
    pub fn new(kind: WidgetKind, x: f32, y: f32) -> Widget {
        let (width, height) = kind.size();
        Widget {
            kind,
            x,
            y,
            width,
            height,
            label: String::new(),
            binding: None,
            lost: None,
            low: 0.0,
            high: 10.0,
            on: 1.0,
            off: 0.0,
            choices: Vec::new(),
            image: None,
            motions: Vec::new(),
            color: None,
        }
    }

    pub fn param(&self) -> Option<&ParamKey> {
        match &self.binding {
            Some(Binding::Param(param)) => Some(param),
            _ => None,
        }
    }

    pub fn signal(&self) -> Option<&SignalKey> {
        match &self.binding {
            Some(Binding::Signal(signal)) => Some(signal),
            _ => None,
        }
    }

    /// Returns the position of a value on the scale, 0 to 1.
    pub fn part(&self, value: f64) -> f64 {
        if self.high == self.low { 0.0 } else { ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0) }
    }

    /// Returns the value at a position of the scale: a multiple of a round step, which is 1, 2 or 5 times a power of ten
    /// and at most a hundredth of the scale.
    pub fn value(&self, part: f64) -> f64 {
        let value = self.rounded(self.low + (self.high - self.low) * part.clamp(0.0, 1.0), 100.0);
        value.clamp(self.low.min(self.high), self.low.max(self.high))
    }

    /// The same in steps that are a tenth as long.
    pub fn fine_value(&self, part: f64) -> f64 {
        let value = self.rounded(self.low + (self.high - self.low) * part.clamp(0.0, 1.0), 1000.0);
        value.clamp(self.low.min(self.high), self.low.max(self.high))
    }

    /// Returns the value at a position, which may be beyond an end of the scale: from [`Widget::BEYOND`] on, the value
    /// leaves the scale.
    pub fn value_beyond(&self, part: f64) -> f64 {
        let outside = match part {
            part if part > 1.0 + Widget::BEYOND => part - Widget::BEYOND,
            part if part < -Widget::BEYOND => part + Widget::BEYOND,
            part => return self.value(part),
        };
        self.rounded(self.low + (self.high - self.low) * outside, 20.0)
    }

    /// How far beyond its end a slider is dragged until the scale grows, as a part of its length.
    pub const BEYOND: f64 = 0.3;

    /// Returns the scale that contains a value: this one, or one that has grown at an end to a round number.
    pub fn scale_with(&self, value: f64) -> (f64, f64) {
        let (low, high) = (self.low.min(self.high), self.low.max(self.high));
        if !value.is_finite() || (low..=high).contains(&value) {
            return (self.low, self.high);
        }
        let unit = round_step((high - low).max((value - low).abs()).max((value - high).abs()) / 5.0);
        let (low, high) = match value < low {
            true => (multiple((value / unit).floor(), unit), high),
            false => (low, multiple((value / unit).ceil(), unit)),
        };
        if self.low <= self.high { (low, high) } else { (high, low) }
    }

    fn rounded(&self, value: f64, parts: f64) -> f64 {
        let unit = round_step((self.high - self.low).abs().max(1e-300) / parts);
        multiple((value / unit).round(), unit)
    }
}

/// Returns the greatest of 1, 2 and 5 times a power of ten that is at most `width`, which is above 0.
fn round_step(width: f64) -> f64 {
    let power = 10_f64.powf((width * (1.0 + 1e-9)).log10().floor());
    let digit = [5.0, 2.0].into_iter().find(|digit| digit * power <= width * (1.0 + 1e-9)).unwrap_or(1.0);
    digit * power
}

/// Returns `count` steps; a step below 1 is divided by, which gives the nearest decimal.
fn multiple(count: f64, step: f64) -> f64 {
    let value = if step < 1.0 { count / (1.0 / step).round() } else { count * step.round() };
    // No -0.
    value + 0.0
}

impl Dashboard {
    /// The attributes of the simulation that it is read from.
    pub const ATTRIBUTES: [&str; 1] = [DASHBOARD];

    pub fn read(reader: &NameReader) -> Dashboard {
        let text = reader.simulation.attributes.get(DASHBOARD).unwrap_or_default();
        Dashboard { widgets: text::read(text, text::PathBase::Root, reader) }
    }

    /// Returns the displayed signals.
    pub fn signals(&self) -> impl Iterator<Item = &SignalKey> {
        let moving = self.widgets.iter().flat_map(|widget| &widget.motions).map(|motion| &motion.signal);
        self.widgets.iter().filter_map(Widget::signal).chain(moving)
    }

    /// Returns the change that stores this dashboard in the document.
    pub fn change(&self, label: impl Into<String>) -> Change {
        Change::one(label, self.edit())
    }

    fn edit(&self) -> Edit {
        let value =
            Some(text::write(&self.widgets, text::PathBase::Root)).filter(|text| !text.is_empty()).map(Into::into);
        Edit::SetSimulationAttribute { name: DASHBOARD.into(), value }
    }

    /// Returns the dashboard with one widget changed.
    pub fn with(&self, number: usize, change: impl FnOnce(&mut Widget)) -> Dashboard {
        let mut changed = self.clone();
        if let Some(widget) = changed.widgets.get_mut(number) {
            change(widget);
        }
        changed
    }

    pub fn without(&self, number: usize) -> Dashboard {
        let mut changed = self.clone();
        if number < changed.widgets.len() {
            changed.widgets.remove(number);
        }
        changed
    }

    /// Returns the dashboard with a widget added in the first free space from the upper left corner.
    pub fn with_new(&self, kind: WidgetKind, binding: Option<Binding>, room: f32) -> Dashboard {
        self.with_widget(Widget { binding, ..Widget::new(kind, 0.0, 0.0) }, room)
    }

    /// Returns the dashboard with this widget moved to a free space.
    pub fn with_widget(&self, widget: Widget, room: f32) -> Dashboard {
        let mut changed = self.clone();
        let mut widget = Widget { x: 2.0 * GRID, y: 2.0 * GRID, ..widget };
        let overlaps = |widget: &Widget| {
            self.widgets.iter().any(|other| {
                widget.x < other.x + other.width + GRID
                    && other.x < widget.x + widget.width + GRID
                    && widget.y < other.y + other.height + GRID
                    && other.y < widget.y + widget.height + GRID
            })
        };
        while overlaps(&widget) {
            widget.x += GRID;
            if widget.x + widget.width > room.max(400.0) {
                (widget.x, widget.y) = (2.0 * GRID, widget.y + GRID);
            }
        }
        changed.widgets.push(widget);
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_give_round_numbers() {
        let widget = Widget { low: 0.0, high: 10.0, ..Widget::new(WidgetKind::Slider, 0.0, 0.0) };
        assert_eq!((widget.value(0.333_333), widget.fine_value(0.333_333)), (3.3, 3.33));
        assert_eq!(widget.value(2.0), 10.0);
        let widget = Widget { low: -1.0, high: 1.0, ..widget };
        assert_eq!((widget.value(0.5), widget.value(0.05)), (0.0, -0.9));
        let widget = Widget { low: 5.0, high: 5.0, ..widget };
        assert_eq!((widget.part(5.0), widget.value(0.7)), (0.0, 5.0));
        let widget = Widget { low: 0.0, high: 1e6, ..widget };
        assert_eq!((widget.value(0.123_456_789), widget.fine_value(0.123_456_789)), (120_000.0, 123_000.0));
        let widget = Widget { low: 0.0, high: 0.3, ..widget };
        assert_eq!((widget.value(0.5), widget.value(0.333)), (0.15, 0.1));
    }

    #[test]
    fn a_scale_grows_to_a_round_number_that_holds_the_value() {
        let widget = Widget { low: 0.0, high: 10.0, ..Widget::new(WidgetKind::Slider, 0.0, 0.0) };
        assert_eq!(widget.scale_with(7.0), (0.0, 10.0));
        assert_eq!(widget.scale_with(11.0), (0.0, 12.0));
        assert_eq!(widget.scale_with(173.0), (0.0, 180.0));
        assert_eq!(widget.scale_with(-3.0), (-4.0, 10.0));
        assert_eq!(widget.scale_with(f64::NAN), (0.0, 10.0));
        assert_eq!(Widget { low: 10.0, high: 0.0, ..widget.clone() }.scale_with(11.0), (12.0, 0.0));
        // Only a drag that clearly leaves the slider leaves its scale.
        assert_eq!([1.0, 1.2, 1.3].map(|part| widget.value_beyond(part)), [10.0; 3]);
        assert_eq!((widget.value_beyond(1.5), widget.value_beyond(-0.5)), (12.0, -2.0));
    }

    #[test]
    fn new_widgets_find_room() {
        let mut dashboard = Dashboard::default();
        for kind in WidgetKind::ALL.into_iter().chain(WidgetKind::ALL) {
            dashboard = dashboard.with_new(kind, None, 600.0);
        }
        for (number, one) in dashboard.widgets.iter().enumerate() {
            for other in &dashboard.widgets[..number] {
                let apart = one.x >= other.x + other.width
                    || other.x >= one.x + one.width
                    || one.y >= other.y + other.height
                    || other.y >= one.y + one.height;
                assert!(apart, "{one:?} lies on {other:?}");
            }
        }
    }
}
