//! Colours, spacing and sizes: one scale of each, in light and dark.
//!
//! Each colour has one meaning. Calm colours dominate; selection, errors and running have strong ones.

use eframe::egui::Color32;
use serde::{Deserialize, Serialize};

use crate::listed::listed;

/// Unit of spacing in points. Gaps are 1, 2, 3, 4 or 6 units.
pub const SPACE: f32 = 4.0;
pub const RADIUS: u8 = 6;

/// Font sizes in points.
pub const TEXT_SMALL: f32 = 11.5;
pub const TEXT: f32 = 13.5;
pub const TEXT_TITLE: f32 = 16.0;
pub const TEXT_HERO: f32 = 28.0;

listed! {
    /// The theme of the settings.
    #[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
    pub enum ThemeChoice {
        #[serde(rename = "Light")]
        Light,
        #[serde(rename = "Dark")]
        Dark,
        #[default]
        #[serde(rename = "System")]
        System,
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    pub is_dark: bool,
    /// Window background: bars, gaps between panels.
    pub window: Color32,
    pub panel: Color32,
    /// Fields, buttons, hovered rows.
    pub raised: Color32,
    pub line: Color32,
    /// The outline of boxes to tick.
    pub outline: Color32,
    pub text: Color32,
    pub text_weak: Color32,
    /// Selection, focus, the primary button.
    pub accent: Color32,
    pub on_accent: Color32,
    pub error: Color32,
    pub warning: Color32,
    pub success: Color32,
    pub canvas: Color32,
    pub grid: Color32,
    pub block_fill: Color32,
    pub block_stroke: Color32,
    pub wire: Color32,
    /// A wire of a vector signal.
    pub wire_wide: Color32,
    /// Alignment guides during a drag.
    pub guide: Color32,
    /// Curve colours, in order of use; distinguishable with colour blindness.
    pub curves: [Color32; 8],
}

const fn rgb(hex: u32) -> Color32 {
    Color32::from_rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

impl Theme {
    pub const fn light() -> Theme {
        Theme {
            is_dark: false,
            window: rgb(0xE9ECF0),
            panel: rgb(0xF8F9FB),
            raised: rgb(0xFFFFFF),
            line: rgb(0xD5DAE1),
            outline: rgb(0x7C8796),
            text: rgb(0x1E2530),
            text_weak: rgb(0x566070),
            accent: rgb(0x1F5AE0),
            on_accent: rgb(0xFFFFFF),
            error: rgb(0xC92A2A),
            warning: rgb(0x8A5A00),
            success: rgb(0x1F7A33),
            canvas: rgb(0xFDFDFE),
            grid: rgb(0xE4E8EE),
            block_fill: rgb(0xFFFFFF),
            block_stroke: rgb(0x4A5563),
            wire: rgb(0x3B4654),
            wire_wide: rgb(0x6D4BC3),
            guide: rgb(0xE8590C),
            curves: [
                rgb(0x2563EB),
                rgb(0xE8590C),
                rgb(0x2B8A3E),
                rgb(0xAE3EC9),
                rgb(0xA67C00),
                rgb(0x0C8599),
                rgb(0xC92A2A),
                rgb(0x5C4033),
            ],
        }
    }

    pub const fn dark() -> Theme {
        Theme {
            is_dark: true,
            window: rgb(0x15181D),
            panel: rgb(0x1C2026),
            raised: rgb(0x272C34),
            line: rgb(0x343B46),
            outline: rgb(0x737E8E),
            text: rgb(0xE4E8EE),
            text_weak: rgb(0x96A0AF),
            accent: rgb(0x5B93FF),
            on_accent: rgb(0x0D1420),
            error: rgb(0xFF7B7B),
            warning: rgb(0xF0B855),
            success: rgb(0x6BCB83),
            canvas: rgb(0x181B20),
            grid: rgb(0x262B33),
            block_fill: rgb(0x242932),
            block_stroke: rgb(0x97A3B4),
            wire: rgb(0xAEB9C8),
            wire_wide: rgb(0xB197FC),
            guide: rgb(0xFF922B),
            curves: [
                rgb(0x6EA1FF),
                rgb(0xFF9A4D),
                rgb(0x6BCB83),
                rgb(0xDA8CF0),
                rgb(0xF0CB55),
                rgb(0x4FC9DA),
                rgb(0xFF7B7B),
                rgb(0xC8A58E),
            ],
        }
    }

    /// Returns the colour of a palette group, for its icons and the blocks' accents.
    pub fn group(&self, group: &str) -> Color32 {
        let index = match group {
            "Var" => 2,
            "Math" | "Statistics" => 0,
            "Continuous" | "Discrete" => 3,
            "Nonlinear" | "Lookup" => 1,
            "Logic" => 5,
            "Sink" | "Check" => 6,
            "Routing" | "Signal" | "Flow" => 4,
            _ => 7,
        };
        self.curves[index]
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The relative luminance of a colour, as WCAG 2.2 defines it.
    fn luminance(color: Color32) -> f64 {
        let linear = |part: u8| match f64::from(part) / 255.0 {
            part if part <= 0.04045 => part / 12.92,
            part => ((part + 0.055) / 1.055).powf(2.4),
        };
        0.2126 * linear(color.r()) + 0.7152 * linear(color.g()) + 0.0722 * linear(color.b())
    }

    /// The contrast ratio of two colours, from 1 to 21.
    pub fn contrast(one: Color32, other: Color32) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn the_contrast_is_that_of_the_standard() {
        assert_eq!(contrast(Color32::BLACK, Color32::WHITE), 21.0);
        // A known pair: #767676 is the lightest grey on white that passes at 4.5.
        assert!(contrast(rgb(0x767676), Color32::WHITE) >= 4.5 && contrast(rgb(0x777777), Color32::WHITE) < 4.5);
    }

    #[test]
    fn texts_and_marks_stand_out_from_what_is_behind_them() {
        for theme in [Theme::light(), Theme::dark()] {
            let check = |name: &str, color: Color32, ground: (&str, Color32), least: f64| {
                let ratio = contrast(color, ground.1);
                assert!(
                    ratio >= least,
                    "{name} on {}, dark: {}: {ratio:.2} is less than {least}",
                    ground.0,
                    theme.is_dark
                );
            };
            let grounds = [
                ("window", theme.window),
                ("panel", theme.panel),
                ("raised", theme.raised),
                ("canvas", theme.canvas),
                ("block", theme.block_fill),
            ];
            for ground in grounds {
                let texts = [
                    ("text", theme.text),
                    ("weak text", theme.text_weak),
                    ("accent", theme.accent),
                    ("error", theme.error),
                    ("warning", theme.warning),
                    ("success", theme.success),
                ];
                texts.iter().for_each(|(name, color)| check(name, *color, ground, 4.5));
                let marks = [
                    ("outline", theme.outline),
                    ("outline of blocks", theme.block_stroke),
                    ("wire", theme.wire),
                    ("wide wire", theme.wire_wide),
                    ("guide", theme.guide),
                ];
                marks.iter().for_each(|(name, color)| check(name, *color, ground, 3.0));
                theme.curves.iter().for_each(|color| check("curve", *color, ground, 3.0));
            }
            check("text of the main button", theme.on_accent, ("accent", theme.accent), 4.5);
            check("tick", theme.on_accent, ("accent", theme.accent), 3.0);
        }
    }
}
