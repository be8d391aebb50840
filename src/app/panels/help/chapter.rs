//! Chapters of the manual: Markdown with links to other chapters and to examples, and pictures.

use std::sync::Arc;

use eframe::egui::load::{ImageLoadResult, ImageLoader, ImagePoll, LoadError};
use eframe::egui::{Color32, Context, SizeHint, TextStyle, Ui};
use egui_commonmark::{CommonMarkCache, CommonMarkViewer};

use crate::app::action::{Action, FileAction};
use crate::app::panels::dashboard::pictures::unpacked;
use crate::app::store::examples::EXAMPLES;
use crate::app::store::manual::{CHAPTERS, Chapter, MANUAL_PICTURES};
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets::{self, theme_of};

/// The scheme of the pictures' addresses, in the light and the dark theme.
const SCHEMES: [&str; 2] = ["manual-light://", "manual-dark://"];
/// The width that the scroll bar takes.
const SCROLL_BAR: f32 = 10.0;
/// The folder of the examples as seen from a chapter.
const EXAMPLE_FOLDER: &str = "../examples/";

/// The state of a shown chapter between frames.
pub struct ChapterState {
    cache: CommonMarkCache,
    has_loader: bool,
}

impl Default for ChapterState {
    fn default() -> ChapterState {
        let mut cache = CommonMarkCache::default();
        CHAPTERS.iter().for_each(|chapter| cache.add_link_hook(chapter.file));
        EXAMPLES.iter().for_each(|example| cache.add_link_hook(format!("{EXAMPLE_FOLDER}{}", example.name)));
        ChapterState { cache, has_loader: false }
    }
}

/// Draws a chapter; returns the chapter that is to be shown next.
pub fn show_ui(
    ui: &mut Ui,
    state: &mut ChapterState,
    chapter: &'static Chapter,
    actions: &mut Vec<Action>,
) -> Option<&'static Chapter> {
    if !state.has_loader {
        ui.ctx().add_image_loader(Arc::new(PictureLoader));
        state.has_loader = true;
    }
    let width = (ui.available_width() - SCROLL_BAR).max(40.0);
    ui.set_max_width(width);
    // Lines with and without code are equally high.
    ui.spacing_mut().interact_size.y = ui.text_style_height(&TextStyle::Body);
    CommonMarkViewer::new()
        .default_implicit_uri_scheme(SCHEMES[usize::from(ui.visuals().dark_mode)])
        .max_image_width(Some(width as usize))
        .show_alt_text_on_hover(true)
        .show(ui, &mut state.cache, chapter.text);
    let is_clicked = |link: &str| state.cache.get_link_hook(link) == Some(true);
    let mut next = CHAPTERS.iter().find(|chapter| is_clicked(chapter.file));
    let example = EXAMPLES.iter().position(|example| is_clicked(&format!("{EXAMPLE_FOLDER}{}", example.name)));
    actions.extend(example.map(|number| Action::File(FileAction::OpenExample(number))));
    ui.add_space(3.0 * SPACE);
    ui.separator();
    for (word, neighbour) in ["Previous", "Next"].into_iter().zip(chapter.neighbours()) {
        let Some(neighbour) = neighbour else { continue };
        ui.horizontal(|ui| {
            ui.label(widgets::weak(ui, format!("{word}:")));
            if ui.link(neighbour.title()).clicked() {
                next = Some(neighbour);
            }
        });
    }
    ui.add_space(3.0 * SPACE);
    next
}

/// Loads the pictures of the manual.
struct PictureLoader;

impl ImageLoader for PictureLoader {
    fn id(&self) -> &str {
        "manual"
    }

    fn load(&self, context: &Context, uri: &str, _: SizeHint) -> ImageLoadResult {
        let [light, dark] = SCHEMES.map(|scheme| uri.strip_prefix(scheme));
        let path = light.or(dark).ok_or(LoadError::NotSupported)?;
        let picture = MANUAL_PICTURES.iter().find(|picture| picture.path == path).ok_or(LoadError::NotSupported)?;
        let mut image = unpacked(picture.bytes).map_err(|error| LoadError::Loading(error.to_string()))?;
        if dark.is_some() {
            let ground = theme_of(context).canvas;
            image.pixels.iter_mut().for_each(|pixel| *pixel = darkened(*pixel, ground));
        }
        Ok(ImagePoll::Ready { image: Arc::new(image) })
    }

    fn forget(&self, _: &str) {}

    fn forget_all(&self) {}

    fn byte_size(&self) -> usize {
        0
    }
}

/// Turns a colour of a drawing on white into that of a drawing on `ground`: dark is light and hues are kept.
fn darkened(color: Color32, ground: Color32) -> Color32 {
    let [r, g, b, a] = color.to_array();
    let sum = i32::from(r.max(g).max(b)) + i32::from(r.min(g).min(b));
    let turned = |part: u8, ground: u8| {
        let light = (i32::from(part) + 255 - sum).clamp(0, 255);
        let ground = i32::from(ground);
        (ground + light * (255 - ground) / 255) as u8
    };
    let [x, y, z, _] = ground.to_array();
    Color32::from_rgba_premultiplied(turned(r, x), turned(g, y), turned(b, z), a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_turned_for_the_dark_theme() {
        let ground = Color32::from_rgb(20, 24, 30);
        assert_eq!(darkened(Color32::WHITE, ground), ground);
        assert_eq!(darkened(Color32::BLACK, ground), Color32::WHITE);
        // A dark blue is a light blue.
        let blue = darkened(Color32::from_rgb(0, 0, 100), Color32::BLACK);
        assert_eq!(blue, Color32::from_rgb(155, 155, 255));
    }
}
