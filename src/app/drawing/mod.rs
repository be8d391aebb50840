//! A diagram or plot as lines, areas and texts: what picture files are made of.
//!
//! | module | what lives there |
//! |---|---|
//! | `capture` | the canvas draws into a context of its own; what it drew becomes a [`Drawing`] |
//! | `clip` | cuts off what lies beyond a rectangle |
//! | `glyphs` | the outlines of letters |
//! | `svg`, `pdf`, `png` | the file formats |
//!
//! Always light, on white, and without what belongs to working: no grid, no selection, no marks.

mod capture;
mod clip;
mod glyphs;
mod pdf;
mod png;
mod svg;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui::{Color32, Pos2, Vec2};

pub use capture::{Part, capture, drawing_of};

use crate::block::Registry;
use crate::model::Simulation;

/// A picture, in points from its top left corner.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    pub title: String,
    pub size: Vec2,
    pub items: Vec<Item>,
}

#[derive(Clone, Debug)]
pub enum Item {
    Path { path: Vec<Segment>, fill: Option<Color32>, stroke: Option<(f32, Color32)> },
    Text(Text),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Segment {
    Move(Pos2),
    Line(Pos2),
    Quad(Pos2, Pos2),
    Cubic(Pos2, Pos2, Pos2),
    Close,
}

/// Letters on one line, of one font and colour.
#[derive(Clone, Debug)]
pub struct Text {
    /// Each letter with the left end of its baseline.
    pub letters: Vec<(char, Pos2)>,
    pub width: f32,
    /// Points.
    pub size: f32,
    pub family: eframe::egui::FontFamily,
    pub color: Color32,
}

/// The kinds of files.
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

    /// The format that a file's name says.
    pub fn of(path: &Path) -> Option<Format> {
        let extension = path.extension()?;
        Format::ALL.into_iter().find(|format| extension.eq_ignore_ascii_case(format.extension()))
    }
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    #[error("the file name of a picture must end with .svg, .pdf or .png")]
    UnknownFormat,
    #[error("there is nothing to draw")]
    Nothing,
    #[error("the picture is too large for a .png file; use a smaller scale or .svg")]
    TooLarge,
    #[error("the picture cannot be written: {0}")]
    Unwritable(#[from] std::io::Error),
}

/// Draws each part and writes it: into one .pdf a page each, else into a file each, named after the models.
/// `scale` is the pixels of a .png a point. Returns the files that were written.
///
/// # Errors
/// Where there is nothing to draw or a file cannot be written.
pub fn export(
    path: &Path,
    simulation: &Arc<Simulation>,
    registry: &Arc<Registry>,
    parts: &[Part],
    scale: f32,
) -> Result<Vec<PathBuf>, PictureError> {
    // Before the work of drawing.
    Format::of(path).ok_or(PictureError::UnknownFormat)?;
    let drawings: Vec<Drawing> = parts.iter().filter_map(|part| capture(simulation, registry, part)).collect();
    export_drawings(path, &drawings, scale)
}

/// Writes drawings: into one .pdf a page each, else into a file each, named after their titles. `scale` is the pixels of
/// a .png a point. Returns the files that were written.
///
/// # Errors
/// Where there is none or a file cannot be written.
pub fn export_drawings(path: &Path, drawings: &[Drawing], scale: f32) -> Result<Vec<PathBuf>, PictureError> {
    let format = Format::of(path).ok_or(PictureError::UnknownFormat)?;
    if drawings.is_empty() {
        return Err(PictureError::Nothing);
    }
    if format == Format::Pdf {
        write(path, &pdf::write(drawings))?;
        return Ok(vec![path.to_owned()]);
    }
    let mut written = Vec::new();
    for drawing in drawings {
        let path = if drawings.len() == 1 { path.to_owned() } else { numbered(path, &drawing.title) };
        let bytes = match format {
            Format::Svg => svg::write(drawing).into_bytes(),
            _ => png::write(drawing, scale)?,
        };
        write(&path, &bytes)?;
        written.push(path);
    }
    Ok(written)
}

/// `plant.svg` of the model Motor is `plant-Motor.svg`; what no file may be called is left out.
fn numbered(path: &Path, title: &str) -> PathBuf {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let title = super::exchange::file_stem(title);
    let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!("{stem}-{title}.{extension}"))
}

/// All or nothing.
fn write(path: &Path, bytes: &[u8]) -> Result<(), PictureError> {
    use std::io::Write as _;
    let mut file = crate::format::begin(path)?;
    file.write_all(bytes)?;
    Ok(file.commit()?)
}

/// A colour as it is on white: pictures have no transparency, which printers and viewers treat each in a way of its own.
fn on_white(color: Color32) -> [u8; 3] {
    let [red, green, blue, alpha] = color.to_array();
    let white = 255 - alpha;
    [red, green, blue].map(|part| part.saturating_add(white))
}
