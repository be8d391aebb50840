//! Diagrams and plots as vector drawings, for picture files.
//!
//! | module | contents |
//! |---|---|
//! | `capture` | converts what is painted in a separate egui context into a [`Drawing`] |
//! | `clip` | clips items to a rectangle |
//! | `glyphs`, `shaping` | the outlines of letters; of those that join, or that a font of the system has |
//! | `item` | the items of a drawing |
//! | `part` | the part of a diagram that is drawn |
//! | `svg`, `pdf`, `png` | the file formats |
//!
//! Pictures use the light theme on white, without grid, selection and overlay.

mod capture;
mod clip;
mod glyphs;
mod item;
mod part;
mod pdf;
mod png;
mod shaping;
mod svg;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use eframe::egui::{Align2, Color32, FontId, Pos2};

use crate::format::{FileKind, OutputError, Outputs};

pub use capture::{bounds_of, drawing_of, items_of, scaled, shift};
pub use item::{Anchor, Drawing, Item, Link, Segment, Text};
pub use part::Part;
pub use pdf::write as write_pdf;
pub use svg::escaped;

/// The height of the line below a picture that says which letters are missing.
const NOTE_HEIGHT: f32 = 16.0;

impl Drawing {
    /// Returns the drawing as the text of an .svg file.
    pub fn to_svg(&self) -> String {
        svg::write(self)
    }
}

/// The file formats of pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    #[default]
    Svg,
    Pdf,
    Png,
}

impl Format {
    pub const ALL: [Format; 3] = [Format::Svg, Format::Pdf, Format::Png];

    pub fn extension(self) -> &'static str {
        match self {
            Format::Svg => "svg",
            Format::Pdf => "pdf",
            Format::Png => "png",
        }
    }

    /// Returns the format for a file extension.
    pub fn of(path: &Path) -> Option<Format> {
        let extension = path.extension()?;
        Format::ALL.into_iter().find(|format| extension.eq_ignore_ascii_case(format.extension()))
    }
}

/// Where pictures are written.
pub struct PictureTarget<'a> {
    /// Its extension determines the format.
    pub path: &'a Path,
    pub outputs: &'a mut Outputs,
}

/// Why a picture could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    #[error("the file name of a picture must end with .svg, .pdf or .png")]
    UnknownFormat,
    #[error("there is nothing to draw")]
    Nothing,
    #[error("the picture is too large for a .png file; use a smaller scale or .svg")]
    TooLarge,
    #[error(transparent)]
    Refused(#[from] OutputError),
    #[error("the picture cannot be written: {0}")]
    Unwritable(#[from] std::io::Error),
}

/// Writes drawings: a .pdf gets one page per drawing, other formats one file per drawing, named after their titles.
/// `scale` is in pixels per point, for .png. Returns the written files.
///
/// # Errors
/// Fails if there are no drawings or a file cannot be written.
pub fn export_drawings(
    PictureTarget { path, outputs }: PictureTarget,
    drawings: &[Drawing],
    scale: f32,
) -> Result<Vec<PathBuf>, PictureError> {
    let format = Format::of(path).ok_or(PictureError::UnknownFormat)?;
    if drawings.is_empty() {
        return Err(PictureError::Nothing);
    }
    let noted: Vec<Drawing>;
    // The viewer of an .svg file has fonts of its own.
    let drawings = match format {
        Format::Svg => drawings,
        _ => {
            noted = drawings.iter().map(with_note).collect();
            &noted
        }
    };
    if format == Format::Pdf {
        outputs.admit(path, FileKind::Pdf)?.replace(&pdf::write("", drawings))?;
        return Ok(vec![path.to_owned()]);
    }
    let mut written = Vec::new();
    for drawing in drawings {
        let path = if drawings.len() == 1 { path.to_owned() } else { numbered(path, &drawing.title) };
        let (kind, bytes) = match format {
            Format::Svg => (FileKind::Svg, svg::write(drawing).into_bytes()),
            _ => (FileKind::Png, png::write(drawing, scale)?),
        };
        outputs.admit(&path, kind)?.replace(&bytes)?;
        written.push(path);
    }
    Ok(written)
}

/// Returns a drawing as the bytes of a .png file; `scale` is in pixels per point.
///
/// # Errors
/// If the picture is too large.
pub fn png_of(drawing: &Drawing, scale: f32) -> Result<Vec<u8>, PictureError> {
    png::write(&with_note(drawing), scale)
}

/// Returns a drawing that says which of its letters no font has.
fn with_note(drawing: &Drawing) -> Drawing {
    let texts = drawing.items.iter().filter_map(|item| match item {
        Item::Text(text) => Some(text),
        Item::Path { .. } => None,
    });
    let missing: BTreeSet<char> = texts.flat_map(|text| glyphs::outlines(text).missing).collect();
    let mut noted = drawing.clone();
    if missing.is_empty() {
        return noted;
    }
    let codes: Vec<String> = missing.iter().take(8).map(|letter| format!("U+{:04X}", u32::from(*letter))).collect();
    let more = if missing.len() > codes.len() { " and others" } else { "" };
    let text = format!("No font on this computer has the letters {}{more}", codes.join(", "));
    let at = Pos2::new(4.0, drawing.size.y + 2.0);
    noted.size.y += NOTE_HEIGHT;
    noted.items.extend(items_of(|painter, _| {
        let font = FontId::proportional(NOTE_HEIGHT - 7.0);
        painter.text(at, Align2::LEFT_TOP, text, font, Color32::DARK_RED);
    }));
    noted
}

/// Returns the file of a further model: `plant-Motor.svg` for Motor beside `plant.svg`, without characters that file
/// names may not contain.
fn numbered(path: &Path, title: &str) -> PathBuf {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let title = crate::format::file_stem(title);
    let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!("{stem}-{title}.{extension}"))
}
