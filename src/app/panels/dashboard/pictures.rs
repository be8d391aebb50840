//! Pictures from .png files in the folder of the simulation. They are read and decoded on background threads, with a
//! size limit.

use std::path::{Component, Path, PathBuf};

use eframe::egui::{
    Align2, Color32, ColorImage, CornerRadius, Rect, Role, Sense, Stroke, StrokeKind, TextureHandle, TextureOptions,
    Ui, WidgetInfo, pos2,
};

use crate::app::doc::dashboard::Image;
use crate::app::store::background::{Background, Progress};
use crate::app::ui::style;
use crate::app::ui::theme::TEXT_SMALL;
use crate::app::ui::widgets::theme_of;
use crate::format::read_real;

/// The maximum bytes of a file, and pixels of a side.
const MAX_BYTES: u64 = 8 << 20;
const MAX_SIDE: u32 = 4096;
/// The maximum number of cached pictures.
const KEPT: usize = 64;

/// The cache of pictures.
#[derive(Default)]
pub struct Pictures(Vec<(PictureSource, Load)>);

/// The origin of a picture.
#[derive(Clone, PartialEq)]
enum PictureSource {
    /// A path, and the folder in which the file must be.
    File(PathBuf, Option<PathBuf>),
    Bytes(Image),
}

enum Load {
    Busy(Background<Result<ColorImage, PictureError>>),
    Here(TextureHandle),
    Failed(PictureError),
}

/// Draws a picture as large as possible, or the reason why it is missing.
pub fn show_ui(
    ui: &mut Ui,
    pictures: &mut Pictures,
    room: Rect,
    image: Option<&Image>,
    folder: Option<&Path>,
    name: &str,
) {
    let theme = theme_of(ui.ctx());
    let response = ui.interact(room, ui.scope_id().with("picture"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
    let text = match image.map(|image| source_of(image, folder)) {
        None => "No picture chosen".to_owned(),
        Some(source) => match load(ui, pictures, source) {
            Some(Load::Here(texture)) => {
                let size = texture.size_vec2();
                let scale = (room.width() / size.x).min(room.height() / size.y);
                let rect = Rect::from_center_size(room.center(), size * scale);
                let all = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
                ui.painter().image(texture.id(), rect, all, Color32::WHITE);
                return;
            }
            Some(Load::Busy(_)) | None => String::new(),
            Some(Load::Failed(why)) => why.to_string(),
        },
    };
    ui.painter().rect(room, CornerRadius::same(6), theme.raised, Stroke::new(1.0, theme.line), StrokeKind::Inside);
    let galley = ui.painter().layout(text, style::plain(TEXT_SMALL), theme.text_weak, room.width() - 12.0);
    let at = Align2::CENTER_CENTER.align_size_within_rect(galley.size(), room).min;
    ui.painter().with_clip_rect(room.intersect(ui.clip_rect())).galley(at, galley, theme.text_weak);
}

fn source_of(image: &Image, folder: Option<&Path>) -> PictureSource {
    match image {
        Image::Beside(path) => PictureSource::File(PathBuf::from(path), folder.map(Path::to_owned)),
        Image::Embedded(_) => PictureSource::Bytes(image.clone()),
    }
}

/// Returns the state of a picture; the first call starts loading it.
fn load<'a>(ui: &Ui, Pictures(known): &'a mut Pictures, source: PictureSource) -> Option<&'a Load> {
    let index = known.iter().position(|(of, _)| *of == source).unwrap_or_else(|| {
        if known.len() >= KEPT {
            known.remove(0);
        }
        let wanted = source.clone();
        known.push((source, Load::Busy(Background::start(ui.ctx(), move || read(&wanted)))));
        known.len() - 1
    });
    let (_, load) = known.get_mut(index)?;
    if let Load::Busy(result) = load {
        match result.poll() {
            Progress::Busy => {}
            Progress::Done(Ok(image)) => {
                *load = Load::Here(ui.ctx().load_texture("picture", image, TextureOptions::LINEAR));
            }
            Progress::Done(Err(why)) => *load = Load::Failed(why),
            Progress::Lost => *load = Load::Failed(PictureError::Lost),
        }
    }
    Some(load)
}

/// Why a picture is not shown.
#[derive(Debug, thiserror::Error)]
pub(in crate::app::panels) enum PictureError {
    #[error("No picture chosen")]
    NotChosen,
    #[error("{0}: {1}")]
    Unreadable(String, std::io::Error),
    #[error("{0}: it is outside the folder of the simulation; press “Store in the simulation” to show it")]
    Outside(String),
    #[error("This is not a .png picture: {0}")]
    NoPng(#[from] png::DecodingError),
    #[error("A picture can be at most {MAX_SIDE} pixels wide and high")]
    TooManyPixels,
    #[error("This picture is too large")]
    TooLarge,
    #[error("This picture cannot be read: its reader failed; report this file")]
    Lost,
}

fn read(source: &PictureSource) -> Result<ColorImage, PictureError> {
    match source {
        PictureSource::Bytes(Image::Embedded(bytes)) => unpacked(bytes),
        PictureSource::Bytes(Image::Beside(_)) => Err(PictureError::NotChosen),
        PictureSource::File(path, folder) => {
            let name = || path.display().to_string();
            let wrong = |error: std::io::Error| PictureError::Unreadable(name(), error);
            let path = inside(path, folder.as_deref()).map_err(wrong)?.ok_or_else(|| PictureError::Outside(name()))?;
            unpacked(&read_real(&path, MAX_BYTES).map_err(wrong)?)
        }
    }
}

/// Returns the real path of a file in a folder; `None` if it is elsewhere, which is decided without accessing the file:
/// opening a simulation reads nothing outside its folder, nor from another computer.
fn inside(path: &Path, folder: Option<&Path>) -> std::io::Result<Option<PathBuf>> {
    let Some(folder) = folder else { return Ok(None) };
    let path = path.strip_prefix(folder).unwrap_or(path);
    if !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Ok(None);
    }
    // A link in the folder may lead out of it.
    let real = folder.join(path).canonicalize()?;
    Ok(Some(real.clone()).filter(|real| folder.canonicalize().is_ok_and(|folder| real.starts_with(folder))))
}

/// Decodes a .png picture.
///
/// # Errors
/// If it is not a picture, or has more pixels than are shown.
pub(in crate::app::panels) fn unpacked(bytes: &[u8]) -> Result<ColorImage, PictureError> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let mut reader = decoder.read_info()?;
    let (width, height) = (reader.info().width, reader.info().height);
    if width > MAX_SIDE || height > MAX_SIDE {
        return Err(PictureError::TooManyPixels);
    }
    let mut pixels = vec![0; reader.output_buffer_size().ok_or(PictureError::TooLarge)?];
    let frame = reader.next_frame(&mut pixels)?;
    let pixels = pixels.get(..frame.buffer_size()).unwrap_or_default();
    let colors: Vec<Color32> = match frame.color_type {
        png::ColorType::Rgba => {
            let (parts, _) = pixels.as_chunks::<4>();
            parts.iter().map(|[r, g, b, a]| Color32::from_rgba_unmultiplied(*r, *g, *b, *a)).collect()
        }
        png::ColorType::GrayscaleAlpha => {
            let (parts, _) = pixels.as_chunks::<2>();
            parts.iter().map(|[gray, a]| Color32::from_rgba_unmultiplied(*gray, *gray, *gray, *a)).collect()
        }
        png::ColorType::Rgb => {
            let (parts, _) = pixels.as_chunks::<3>();
            parts.iter().map(|[r, g, b]| Color32::from_rgb(*r, *g, *b)).collect()
        }
        _ => pixels.iter().map(|gray| Color32::from_gray(*gray)).collect(),
    };
    Ok(ColorImage::new([width as usize, height as usize], colors))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png_of(width: u32, height: u32, color: png::ColorType, pixels: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(color);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header().and_then(|mut writer| writer.write_image_data(pixels)).expect("a picture");
        bytes
    }

    #[test]
    fn pictures_of_each_kind_are_unpacked() {
        let red = [255, 0, 0];
        for (color, pixels) in
            [(png::ColorType::Rgb, [red, red].concat()), (png::ColorType::Rgba, vec![255, 0, 0, 255, 255, 0, 0, 255])]
        {
            let image = unpacked(&png_of(2, 1, color, &pixels)).expect("it is one");
            assert_eq!((image.size, image.pixels), ([2, 1], vec![Color32::from_rgb(255, 0, 0); 2]));
        }
        let gray = unpacked(&png_of(1, 1, png::ColorType::Grayscale, &[7])).expect("it is one");
        assert_eq!(gray.pixels, [Color32::from_gray(7)]);
    }

    #[test]
    fn what_is_no_picture_or_too_large_says_so() {
        assert!(unpacked(b"no picture").is_err());
        let wide = png_of(5000, 1, png::ColorType::Grayscale, &[0; 5000]);
        assert!(unpacked(&wide).is_err_and(|why| why.to_string().contains("4096")));
        assert!(read(&PictureSource::File("at all.png".into(), Some("/nowhere".into()))).is_err());
    }

    /// A few hundred bytes that would unpack to ten gigabytes.
    #[test]
    fn a_small_file_with_a_huge_picture_is_refused_before_it_is_unpacked() {
        let mut bytes = png_of(1, 1, png::ColorType::Rgba, &[0; 4]);
        // Length, name, width and height of the first chunk, then its checksum.
        for offset in [16, 20] {
            bytes[offset..offset + 4].copy_from_slice(&50_000u32.to_be_bytes());
        }
        let sum = crc32fast::hash(&bytes[12..29]);
        bytes[29..33].copy_from_slice(&sum.to_be_bytes());
        assert!(bytes.len() < 300);
        assert_eq!(
            unpacked(&bytes).err().map(|why| why.to_string()).as_deref(),
            Some("A picture can be at most 4096 pixels wide and high")
        );
    }

    #[test]
    fn pictures_outside_the_folder_are_not_read() {
        let all = tempfile::tempdir().expect("a folder");
        let folder = all.path().join("models");
        std::fs::create_dir_all(folder.join("parts")).expect("a folder");
        let picture = png_of(1, 1, png::ColorType::Grayscale, &[7]);
        for path in ["outside.png", "models/inside.png", "models/parts/inside.png"] {
            std::fs::write(all.path().join(path), &picture).expect("it is written");
        }
        let found = |path: &str| read(&PictureSource::File(path.into(), Some(folder.clone())));
        let absolute = |name: &str| all.path().join(name).display().to_string();
        for path in ["inside.png", "./parts/inside.png", &absolute("models/inside.png")] {
            assert!(found(path).is_ok(), "{path}: {:?}", found(path).err());
        }
        #[cfg(unix)]
        for (name, to) in [("link.png", absolute("outside.png")), ("up", absolute(""))] {
            std::os::unix::fs::symlink(to, folder.join(name)).expect("a link");
        }
        let links = if cfg!(unix) { &["link.png", "up/outside.png"][..] } else { &[] };
        let plain = ["../outside.png", "parts/../../outside.png", &absolute("outside.png"), "//server/share/a.png"];
        for path in plain.iter().chain(links) {
            assert!(found(path).is_err_and(|why| why.to_string().contains("outside the folder")), "{path}");
        }
        // A link that took the place of the picture after it was found.
        #[cfg(target_os = "linux")]
        {
            let real = inside("inside.png".as_ref(), Some(&folder)).expect("it is there").expect("it is inside");
            assert!(read_real(&real, MAX_BYTES).is_ok());
            std::fs::remove_file(&real).expect("it is there");
            std::os::unix::fs::symlink(absolute("outside.png"), &real).expect("a link");
            assert!(read_real(&real, MAX_BYTES).is_err(), "a picture outside is shown");
        }
        let homeless = PictureSource::File(absolute("outside.png").into(), None);
        assert!(
            read(&homeless).is_err_and(|why| why.to_string().contains("outside the folder")),
            "a document without a file"
        );
    }
}
