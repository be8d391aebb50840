//! The user's preferences that no command sets: the typeface of names, the unit of angles, recovery copies, tables.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::app::ui::look::{AngleUnit, NameFace};
use crate::listed::listed;

/// The preferences besides those that are settings of their own.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(default)]
pub struct Preferences {
    pub names: NameFace,
    pub angle: AngleUnit,
    /// The delay between an edit and its recovery copy, in seconds.
    pub copy_seconds: u64,
    pub table: TableStyle,
    /// Whether other programs of the user may drive the window.
    pub is_driven: bool,
}

impl Default for Preferences {
    fn default() -> Preferences {
        let (names, angle, table) = Default::default();
        Preferences { names, angle, copy_seconds: Preferences::COPY_SECONDS, table, is_driven: false }
    }
}

impl Preferences {
    const COPY_SECONDS: u64 = 10;
    /// The longest delay of a recovery copy, in seconds.
    pub const LONGEST_DELAY: u64 = 600;

    /// Returns the delay between an edit and its recovery copy.
    pub fn copy_delay(&self) -> Duration {
        Duration::from_secs(self.copy_seconds.clamp(1, Preferences::LONGEST_DELAY))
    }
}

listed! {
    /// How exported .csv files separate values and write decimals.
    #[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
    pub enum TableStyle {
        #[default]
        #[serde(rename = "Comma")]
        Comma,
        #[serde(rename = "Semicolon")]
        Semicolon,
        #[serde(rename = "SemicolonDecimalComma")]
        SemicolonDecimalComma,
        #[serde(rename = "Tab")]
        Tab,
        #[serde(rename = "TabDecimalComma")]
        TabDecimalComma,
    }
}

impl TableStyle {
    pub fn title(self) -> &'static str {
        match self {
            TableStyle::Comma => "1.5,2.5  comma, decimal point",
            TableStyle::Semicolon => "1.5;2.5  semicolon, decimal point",
            TableStyle::SemicolonDecimalComma => "1,5;2,5  semicolon, decimal comma",
            TableStyle::Tab => "1.5 2.5  tab, decimal point",
            TableStyle::TabDecimalComma => "1,5 2,5  tab, decimal comma",
        }
    }

    /// Returns the separator of values and the decimal mark.
    pub fn marks(self) -> (u8, u8) {
        match self {
            TableStyle::Comma => (b',', b'.'),
            TableStyle::Semicolon => (b';', b'.'),
            TableStyle::SemicolonDecimalComma => (b';', b','),
            TableStyle::Tab => (b'\t', b'.'),
            TableStyle::TabDecimalComma => (b'\t', b','),
        }
    }
}
