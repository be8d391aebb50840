//! The parts of the look that the user chooses besides the theme: the typeface of names, and the unit of angles.

use std::sync::Arc;

use eframe::egui::{self, FontFamily, Id};
use serde::{Deserialize, Serialize};

use super::{numbers, style};
use crate::listed::listed;

listed! {
    /// The typeface of names, values and expressions.
    #[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
    pub enum NameFace {
        /// I, l and 1, O and 0 differ.
        #[default]
        #[serde(rename = "Distinct")]
        Distinct,
        /// The typeface of all other texts.
        #[serde(rename = "Text")]
        Text,
    }
}

listed! {
    /// The unit in which the inspector shows angles beside their value in radians.
    #[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
    pub enum AngleUnit {
        #[default]
        #[serde(rename = "Radians")]
        Radians,
        #[serde(rename = "Degrees")]
        Degrees,
    }
}

impl NameFace {
    pub fn title(self) -> &'static str {
        match self {
            NameFace::Distinct => "Distinct: I, l and 1 differ",
            NameFace::Text => "As other text",
        }
    }

    /// Installs the typeface in the window.
    pub fn install(self, ctx: &egui::Context) {
        let mut fonts = style::fonts();
        if self == NameFace::Text
            && let Some(text) = fonts.families.get(&FontFamily::Proportional).cloned()
        {
            fonts.families.insert(style::names(), text);
        }
        ctx.set_fonts(fonts);
    }
}

impl AngleUnit {
    pub fn title(self) -> &'static str {
        match self {
            AngleUnit::Radians => "Radians",
            AngleUnit::Degrees => "Degrees beside radians",
        }
    }

    pub fn of(ctx: &egui::Context) -> AngleUnit {
        *ctx.data(|data| data.get_temp::<Arc<AngleUnit>>(Id::unique("unit of angles"))).unwrap_or_default()
    }

    /// Installs it as the window's unit of angles.
    pub fn install(self, ctx: &egui::Context) {
        ctx.data_mut(|data| data.insert_temp(Id::unique("unit of angles"), Arc::new(self)));
    }

    /// Returns a value in radians, or radians per something, as a text in degrees; `None` for any other unit, and where
    /// radians are enough.
    pub fn note(self, value: f64, unit: &str) -> Option<String> {
        let rest = unit.trim().strip_prefix("rad")?;
        let is_angle = rest.is_empty() || rest.starts_with(['/', '*', '^']);
        if self == AngleUnit::Radians || !is_angle || !value.is_finite() {
            return None;
        }
        Some(format!("= {}°{}", numbers::digits(value.to_degrees(), 4), super::units::shown(rest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_noted_in_degrees() {
        let note = |value, unit| AngleUnit::Degrees.note(value, unit);
        assert_eq!(note(std::f64::consts::PI, "rad").as_deref(), Some("= 180°"));
        assert_eq!(note(1.0, "rad/s").as_deref(), Some("= 57.3°/s"));
        assert_eq!((note(1.0, "radius"), note(1.0, "m"), note(1.0, "")), (None, None, None));
        assert_eq!(AngleUnit::Radians.note(1.0, "rad"), None);
    }
}
