//! The kinds of controls and instruments.

/// The kind of a widget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WidgetKind {
    Slider,
    Knob,
    Rotary,
    Field,
    Expression,
    Switch,
    Button,
    Choice,
    Radio,
    Gauge,
    HalfGauge,
    QuarterGauge,
    Bar,
    Lamp,
    Display,
    Plot,
    Text,
    Picture,
    Rectangle,
    Circle,
    Line,
}

impl WidgetKind {
    /// Controls, then instruments, then decoration.
    pub const ALL: [WidgetKind; 21] = [
        WidgetKind::Slider,
        WidgetKind::Knob,
        WidgetKind::Rotary,
        WidgetKind::Field,
        WidgetKind::Expression,
        WidgetKind::Switch,
        WidgetKind::Button,
        WidgetKind::Choice,
        WidgetKind::Radio,
        WidgetKind::Gauge,
        WidgetKind::HalfGauge,
        WidgetKind::QuarterGauge,
        WidgetKind::Bar,
        WidgetKind::Lamp,
        WidgetKind::Display,
        WidgetKind::Plot,
        WidgetKind::Text,
        WidgetKind::Picture,
        WidgetKind::Rectangle,
        WidgetKind::Circle,
        WidgetKind::Line,
    ];

    pub fn label(self) -> &'static str {
        match self {
            WidgetKind::Slider => "Slider",
            WidgetKind::Knob => "Knob",
            WidgetKind::Rotary => "Rotary switch",
            WidgetKind::Field => "Number field",
            WidgetKind::Expression => "Expression field",
            WidgetKind::Switch => "Switch",
            WidgetKind::Button => "Push button",
            WidgetKind::Choice => "List",
            WidgetKind::Radio => "Radio buttons",
            WidgetKind::Gauge => "Gauge",
            WidgetKind::HalfGauge => "Half gauge",
            WidgetKind::QuarterGauge => "Quarter gauge",
            WidgetKind::Bar => "Bar",
            WidgetKind::Lamp => "Lamp",
            WidgetKind::Display => "Display",
            WidgetKind::Plot => "Plot",
            WidgetKind::Text => "Text",
            WidgetKind::Picture => "Picture",
            WidgetKind::Rectangle => "Rectangle",
            WidgetKind::Circle => "Circle",
            WidgetKind::Line => "Line",
        }
    }

    /// Returns the name in files.
    pub fn name(self) -> &'static str {
        match self {
            WidgetKind::Slider => "slider",
            WidgetKind::Knob => "knob",
            WidgetKind::Rotary => "rotary",
            WidgetKind::Field => "field",
            WidgetKind::Expression => "expression",
            WidgetKind::Switch => "switch",
            WidgetKind::Button => "button",
            WidgetKind::Choice => "choice",
            WidgetKind::Radio => "radio",
            WidgetKind::Gauge => "gauge",
            WidgetKind::HalfGauge => "halfgauge",
            WidgetKind::QuarterGauge => "quartergauge",
            WidgetKind::Bar => "bar",
            WidgetKind::Lamp => "lamp",
            WidgetKind::Display => "display",
            WidgetKind::Plot => "plot",
            WidgetKind::Text => "text",
            WidgetKind::Picture => "picture",
            WidgetKind::Rectangle => "rectangle",
            WidgetKind::Circle => "circle",
            WidgetKind::Line => "line",
        }
    }

    /// Returns whether it sets a parameter.
    pub fn is_control(self) -> bool {
        matches!(
            self,
            WidgetKind::Slider
                | WidgetKind::Knob
                | WidgetKind::Rotary
                | WidgetKind::Field
                | WidgetKind::Expression
                | WidgetKind::Switch
                | WidgetKind::Button
                | WidgetKind::Choice
                | WidgetKind::Radio
        )
    }

    /// Returns whether it shows a signal.
    pub fn is_instrument(self) -> bool {
        !self.is_control() && self.can_be_bound()
    }

    pub fn can_be_bound(self) -> bool {
        !self.is_shape() && self != WidgetKind::Picture
    }

    /// Returns whether signals can move it.
    pub fn is_shape(self) -> bool {
        matches!(self, WidgetKind::Text | WidgetKind::Rectangle | WidgetKind::Circle | WidgetKind::Line)
    }

    /// Returns whether it has a scale with two ends.
    pub fn has_scale(self) -> bool {
        matches!(self, WidgetKind::Slider | WidgetKind::Knob | WidgetKind::Bar) || self.is_dial()
    }

    /// Returns whether it is a gauge with a pointer.
    pub fn is_dial(self) -> bool {
        matches!(self, WidgetKind::Gauge | WidgetKind::HalfGauge | WidgetKind::QuarterGauge)
    }

    /// Returns whether it has the values on and off.
    pub fn has_states(self) -> bool {
        matches!(self, WidgetKind::Switch | WidgetKind::Button | WidgetKind::Lamp)
    }

    /// Returns whether it offers named values.
    pub fn has_choices(self) -> bool {
        matches!(self, WidgetKind::Choice | WidgetKind::Radio | WidgetKind::Rotary)
    }

    /// Returns the initial width and height.
    pub fn size(self) -> (f32, f32) {
        match self {
            WidgetKind::Slider | WidgetKind::Bar => (208.0, 64.0),
            WidgetKind::Knob | WidgetKind::Gauge => (128.0, 136.0),
            WidgetKind::Rotary => (168.0, 136.0),
            WidgetKind::HalfGauge => (160.0, 128.0),
            WidgetKind::QuarterGauge => (128.0, 128.0),
            WidgetKind::Radio => (128.0, 112.0),
            WidgetKind::Field | WidgetKind::Choice | WidgetKind::Display => (144.0, 64.0),
            WidgetKind::Expression => (176.0, 64.0),
            WidgetKind::Switch | WidgetKind::Button | WidgetKind::Lamp => (112.0, 64.0),
            WidgetKind::Plot => (320.0, 176.0),
            WidgetKind::Text => (208.0, 40.0),
            WidgetKind::Picture => (192.0, 144.0),
            WidgetKind::Rectangle => (64.0, 40.0),
            WidgetKind::Circle => (48.0, 48.0),
            WidgetKind::Line => (96.0, 32.0),
        }
    }
}
