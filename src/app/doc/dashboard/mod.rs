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
    BindingKind, Candidate, candidates, candidates_of_block, number_of, set_param, set_param_text, text_of_param,
    with_scale_of,
};
pub use kind::WidgetKind;
pub use motion::{Motion, MotionProperty};
pub use pinned::{WidgetHost, pinned, pinned_edit, signals_of_pinned};

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

    /// Returns the value at a position of the scale, rounded to a thousandth of it.
    pub fn value(&self, part: f64) -> f64 {
        let width = self.high - self.low;
        let unit = 10_f64.powf((width.abs().max(1e-300) / 1000.0).log10().floor());
        let value = self.low + width * part.clamp(0.0, 1.0);
        // Dividing by an integer gives the nearest decimal.
        let rounded =
            if unit < 1.0 { (value * (1.0 / unit).round()).round() / (1.0 / unit).round() } else { value.round() };
        rounded.clamp(self.low.min(self.high), self.low.max(self.high))
    }
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
        assert_eq!(widget.value(0.333_333), 3.33);
        assert_eq!(widget.value(2.0), 10.0);
        let widget = Widget { low: -1.0, high: 1.0, ..widget };
        assert_eq!((widget.value(0.5), widget.value(0.05)), (0.0, -0.9));
        let widget = Widget { low: 5.0, high: 5.0, ..widget };
        assert_eq!((widget.part(5.0), widget.value(0.7)), (0.0, 5.0));
        let widget = Widget { low: 0.0, high: 1e6, ..widget };
        assert_eq!(widget.value(0.123_456_789), 123_457.0);
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
