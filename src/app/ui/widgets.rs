//! Widgets that several panels share: icon buttons, section headers, list rows, empty states.

use eframe::egui::{
    self, Align2, Color32, CornerRadius, Margin, Rect, Response, RichText, Role, Sense, Stroke, StrokeKind, Ui,
    WidgetInfo, pos2, vec2,
};

use super::icons::Icon;
use super::theme::{SPACE, TEXT, TEXT_SMALL, Theme};
use super::{bidi, style};

/// Returns the current theme.
pub fn theme_of(ctx: &egui::Context) -> &'static Theme {
    static LIGHT: Theme = Theme::light();
    static DARK: Theme = Theme::dark();
    match ctx.theme() {
        egui::Theme::Dark => &DARK,
        egui::Theme::Light => &LIGHT,
    }
}

/// Whether a widget accepts input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enabled {
    Yes,
    No,
}

/// Whether a row or button is the chosen one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selected {
    Yes,
    No,
}

impl From<bool> for Enabled {
    fn from(is_enabled: bool) -> Enabled {
        if is_enabled { Enabled::Yes } else { Enabled::No }
    }
}

impl From<bool> for Selected {
    fn from(is_selected: bool) -> Selected {
        if is_selected { Selected::Yes } else { Selected::No }
    }
}

/// Shows a square icon button; `label` is its accessible name and the first line of its tooltip.
pub fn icon_button_ui(ui: &mut Ui, icon: Icon, label: &str) -> Response {
    tinted_icon_button_ui(ui, icon, label, Enabled::Yes, None)
}

/// Shows a square icon button that is enabled or not.
pub fn icon_button_if_ui(ui: &mut Ui, icon: Icon, label: &str, enabled: impl Into<Enabled>) -> Response {
    tinted_icon_button_ui(ui, icon, label, enabled, None)
}

pub fn tinted_icon_button_ui(
    ui: &mut Ui,
    icon: Icon,
    label: &str,
    enabled: impl Into<Enabled>,
    tint: Option<Color32>,
) -> Response {
    let theme = theme_of(ui.ctx());
    let is_enabled = enabled.into() == Enabled::Yes;
    let sense = if is_enabled { Sense::click() } else { Sense::hover() };
    let (rect, response) = ui.allocate_exact_size(vec2(28.0, 26.0), sense);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, is_enabled, label));
    if ui.is_rect_visible(rect) {
        let is_hot = is_enabled && (response.hovered() || response.has_focus());
        if is_hot {
            let fill =
                style::mix(theme.panel, theme.accent, if response.is_pointer_button_down_on() { 0.3 } else { 0.14 });
            ui.painter().rect_filled(rect, CornerRadius::same(5), fill);
        }
        focus_ring(ui, &response, 5);
        let color = match (is_enabled, tint) {
            (false, _) => style::mix(theme.window, theme.text_weak, 0.45),
            (true, Some(tint)) => tint,
            (true, None) if is_hot => theme.text,
            (true, None) => style::mix(theme.text_weak, theme.text, 0.55),
        };
        icon.paint(ui.painter(), rect.shrink2(vec2(6.0, 5.5)), color);
    }
    response
}

/// Draws the keyboard focus.
pub fn focus_ring(ui: &Ui, response: &Response, radius: u8) {
    if response.has_focus() {
        let theme = theme_of(ui.ctx());
        let stroke = Stroke::new(1.5, theme.accent);
        ui.painter().rect_stroke(response.rect, CornerRadius::same(radius), stroke, StrokeKind::Inside);
    }
}

/// Shows the primary button of a page or dialog.
pub fn main_button_ui(ui: &mut Ui, label: &str) -> Response {
    let theme = theme_of(ui.ctx());
    let text = RichText::new(label).color(theme.on_accent).font(style::strong(TEXT));
    ui.scope(|ui| {
        let widgets = &mut ui.visuals_mut().widgets;
        for (visuals, fill) in [
            (&mut widgets.inactive, theme.accent),
            (&mut widgets.hovered, style::mix(theme.accent, theme.text, 0.12)),
            (&mut widgets.active, style::mix(theme.accent, theme.text, 0.25)),
        ] {
            visuals.weak_bg_fill = fill;
            visuals.bg_fill = fill;
            visuals.bg_stroke = Stroke::NONE;
        }
        ui.spacing_mut().button_padding = vec2(3.5 * SPACE, 1.5 * SPACE);
        ui.button(text)
    })
    .inner
}

/// Shows a secondary button.
pub fn second_button_ui(ui: &mut Ui, label: &str) -> Response {
    ui.scope(|ui| {
        ui.spacing_mut().button_padding = vec2(3.5 * SPACE, 1.5 * SPACE);
        ui.button(label)
    })
    .inner
}

/// Shows the small header of a panel's section.
pub fn section_ui(ui: &mut Ui, text: &str) {
    let theme = theme_of(ui.ctx());
    ui.add_space(2.0 * SPACE);
    ui.label(RichText::new(text).font(style::strong(TEXT_SMALL)).color(theme.text_weak));
    ui.add_space(0.5 * SPACE);
}

/// Shows a section header with a short right-aligned note on the same line, which is repeated as a tooltip.
pub fn noted_section_ui(ui: &mut Ui, text: &str, note: Option<(&str, &str)>) {
    section_ui(ui, text);
    let Some((short, long)) = note else { return };
    let theme = theme_of(ui.ctx());
    let end = egui::pos2(ui.max_rect().right() - SPACE, ui.cursor().top() - 0.5 * SPACE - ui.spacing().item_spacing.y);
    let galley = ui.painter().layout_no_wrap(short.to_owned(), style::plain(TEXT_SMALL), theme.text_weak);
    let rect = Align2::RIGHT_BOTTOM.anchor_size(end, galley.size());
    let response = ui.interact(rect, ui.scope_id().with((text, "note")), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, long));
    ui.painter().galley(rect.min, galley, theme.text_weak);
    response.on_hover_text(long);
}

/// Shows a box to tick, with its text at the right; a click on either changes it.
pub fn check_ui(ui: &mut Ui, is_on: &mut bool, text: impl Into<egui::WidgetText>) -> Response {
    const SIDE: f32 = 16.0;
    const GAP: f32 = 7.0;
    let theme = theme_of(ui.ctx());
    let galley = text.into().into_galley(ui, Some(egui::TextWrapMode::Extend), f32::INFINITY, egui::TextStyle::Button);
    let width = if galley.is_empty() { SIDE } else { SIDE + GAP + galley.size().x };
    let (rect, mut response) = ui.allocate_exact_size(vec2(width, ui.spacing().interact_size.y), Sense::click());
    if response.clicked() {
        *is_on = !*is_on;
        response.mark_changed();
    }
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, ui.is_enabled(), *is_on, galley.text()));
    if ui.is_rect_visible(rect) {
        let square = Rect::from_center_size(rect.left_center() + vec2(SIDE / 2.0, 0.0), vec2(SIDE, SIDE)).shrink(0.5);
        let is_hot = response.hovered() || response.has_focus();
        let line = if is_hot || *is_on { theme.accent } else { theme.outline };
        let fill = match (*is_on, is_hot) {
            (true, _) => theme.accent,
            (false, true) => style::mix(theme.raised, theme.accent, 0.14),
            (false, false) => theme.raised,
        };
        ui.painter().rect(square, CornerRadius::same(4), fill, Stroke::new(1.3, line), StrokeKind::Inside);
        if *is_on {
            let at = |x: f32, y: f32| square.min + vec2(x, y) * square.width();
            let tick = vec![at(0.22, 0.53), at(0.42, 0.73), at(0.79, 0.29)];
            ui.painter().add(egui::Shape::line(tick, Stroke::new(2.0, theme.on_accent)));
        }
        focus_ring(ui, &response, 5);
        let pos = pos2(square.right() + GAP, rect.center().y - galley.size().y / 2.0);
        ui.painter().galley(pos, galley, ui.visuals().text_color());
    }
    response
}

pub fn weak(ui: &Ui, text: impl Into<String>) -> RichText {
    RichText::new(text).color(theme_of(ui.ctx()).text_weak).size(TEXT_SMALL)
}

/// Shows the empty state of a panel: an icon, its purpose and what to do.
pub fn empty_ui(ui: &mut Ui, icon: Icon, title: &str, what_to_do: &str) {
    let theme = theme_of(ui.ctx());
    let height = ui.available_height();
    ui.vertical_centered(|ui| {
        ui.add_space(((height - 90.0) / 2.0).clamp(2.0 * SPACE, 120.0));
        let (rect, _) = ui.allocate_exact_size(vec2(28.0, 28.0), Sense::hover());
        icon.paint(ui.painter(), rect, style::mix(theme.panel, theme.text_weak, 0.6));
        ui.add_space(SPACE);
        ui.label(RichText::new(title).font(style::strong(TEXT)).color(theme.text_weak));
        ui.label(RichText::new(what_to_do).color(theme.text_weak).size(TEXT_SMALL + 0.5));
    });
}

/// Shows a full-width row that can be clicked and dragged; `paint` draws into its rectangle.
pub fn row_ui(ui: &mut Ui, label: &str, height: f32, paint: impl FnOnce(&mut Ui, egui::Rect)) -> Response {
    selectable_row_ui(ui, label, height, Selected::No, paint)
}

/// Shows a row as [`row_ui`], of which one may be selected.
pub fn selectable_row_ui(
    ui: &mut Ui,
    label: &str,
    height: f32,
    selected: impl Into<Selected>,
    paint: impl FnOnce(&mut Ui, egui::Rect),
) -> Response {
    let theme = theme_of(ui.ctx());
    let is_selected = selected.into() == Selected::Yes;
    let size = vec2(ui.available_width(), height);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::selected(Role::Button, ui.is_enabled(), is_selected, label));
    if ui.is_rect_visible(rect) {
        let part = match (is_selected, response.hovered()) {
            (true, _) => {
                if theme.is_dark {
                    0.28
                } else {
                    0.14
                }
            }
            (false, true) => 0.07,
            (false, false) => 0.0,
        };
        if part > 0.0 {
            ui.painter().rect_filled(rect, CornerRadius::same(5), style::mix(theme.panel, theme.accent, part));
        }
        focus_ring(ui, &response, 5);
        paint(ui, rect);
    }
    response
}

/// Draws those rows of one height that are visible in the scroll area around; the others only take their space.
pub fn visible_rows_ui<T>(ui: &mut Ui, height: f32, rows: &[T], mut row_ui: impl FnMut(&mut Ui, &T)) {
    let pitch = height + ui.spacing().item_spacing.y;
    let seen = ui.clip_rect().translate(-ui.cursor().min.to_vec2());
    let first = ((seen.top() / pitch).floor().max(0.0) as usize).min(rows.len());
    let end = ((seen.bottom() / pitch).ceil().max(0.0) as usize).clamp(first, rows.len());
    ui.add_space(first as f32 * pitch);
    rows.get(first..end).unwrap_or_default().iter().for_each(|row| row_ui(ui, row));
    ui.add_space((rows.len() - end) as f32 * pitch);
}

/// Draws text on one line, truncated at the right.
pub fn text_in(ui: &Ui, rect: egui::Rect, text: &str, font: egui::FontId, color: Color32) -> f32 {
    let text = bidi::shown(ui.ctx(), text).into_owned();
    let mut job = egui::text::LayoutJob::simple_singleline(text, font, color);
    job.wrap = egui::text::TextWrapping::truncate_at_width(rect.width().max(0.0));
    let galley = ui.painter().layout_job(job);
    let pos = Align2::LEFT_CENTER.align_size_within_rect(galley.size(), rect).min;
    let width = galley.size().x;
    ui.painter().galley(pos, galley, color);
    width
}

/// Draws text on one line in the font size at which it fits, from `TEXT` down; what is still too long is cut.
pub fn fitted_text_in(ui: &Ui, rect: egui::Rect, text: &str, color: Color32) -> f32 {
    const SMALLEST: f32 = 10.0;
    let width = |size: f32| ui.painter().layout_no_wrap(text.to_owned(), style::plain(size), color).size().x;
    let size = (TEXT * rect.width() / width(TEXT).max(1.0)).clamp(SMALLEST, TEXT);
    // Sizes are rounded down to half points, so that glyphs are shared.
    text_in(ui, rect, text, style::plain((2.0 * size).floor() / 2.0), color)
}

/// Returns the margins of a panel.
pub fn panel_frame() -> egui::Frame {
    egui::Frame::new().inner_margin(Margin { left: 12, right: 12, top: 8, bottom: 8 })
}

/// Shows a search field with a button that clears it.
pub fn search_ui(ui: &mut Ui, text: &mut String, hint: &str) -> Response {
    let theme = theme_of(ui.ctx());
    let width = ui.available_width();
    let edit = egui::TextEdit::singleline(text)
        .hint_text(RichText::new(hint).color(theme.text_weak))
        .desired_width(width)
        .margin(Margin { left: 26, right: 22, top: 5, bottom: 5 });
    let response = ui.add(edit);
    let rect = response.rect;
    let icon = egui::Rect::from_center_size(rect.left_center() + vec2(14.0, 0.0), vec2(13.0, 13.0));
    Icon::Search.paint(ui.painter(), icon, theme.text_weak);
    if !text.is_empty() {
        let cross = egui::Rect::from_center_size(rect.right_center() - vec2(13.0, 0.0), vec2(18.0, 18.0));
        let clear = ui.interact(cross, response.id.with("clear"), Sense::click());
        clear.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Clear search"));
        Icon::Close.paint(ui.painter(), cross.shrink(4.5), if clear.hovered() { theme.text } else { theme.text_weak });
        if clear.clicked() {
            text.clear();
            response.request_focus();
        }
    }
    response
}

/// Draws the arrow of a collapsible item; 0 is collapsed, 1 expanded.
pub fn arrow_ui(ui: &Ui, rect: egui::Rect, openness: f32, color: Color32) {
    let center = rect.center();
    let turn = egui::emath::Rot2::from_angle(openness * std::f32::consts::FRAC_PI_2);
    let points = [vec2(-1.8, -3.6), vec2(1.8, 0.0), vec2(-1.8, 3.6)].map(|corner| center + turn * corner);
    ui.painter().add(egui::Shape::line(points.to_vec(), Stroke::new(1.4, color)));
}

/// Returns a header that shows and hides what is below it, with the arrow of other lists.
pub fn collapsing(text: impl Into<egui::WidgetText>) -> egui::CollapsingHeader {
    egui::CollapsingHeader::new(text).icon(|ui, openness, response| {
        arrow_ui(ui, response.rect, openness, theme_of(ui.ctx()).text_weak);
    })
}

/// Shows a drop-down list in the style of the other fields; `label` is its accessible name.
pub fn choice_ui(ui: &mut Ui, label: &str, shown: &str, width: f32, content: impl FnOnce(&mut Ui)) -> Response {
    let show = |ui: &mut Ui| {
        ui.set_max_width(width);
        egui::ComboBox::from_id_salt(label)
            .selected_text(shown)
            .truncate()
            .width(width)
            .height(380.0)
            .icon(|ui, rect, visuals, _| {
                let center = rect.center();
                let points = [vec2(-3.5, -1.8), vec2(0.0, 1.8), vec2(3.5, -1.8)].map(|corner| center + corner);
                ui.painter().add(egui::Shape::line(points.to_vec(), Stroke::new(1.4, visuals.fg_stroke.color)));
            })
            .show_ui(ui, content)
            .response
    };
    let response = ui.allocate_ui(vec2(width, ui.spacing().interact_size.y), show).inner;
    ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(label.to_owned()));
    response
}

/// Returns a message with an upper-case first letter. Messages start in lower case, as the command line also prints them within lines.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Paints the program's logo: a block with a curve.
pub fn mark(ui: &Ui, rect: Rect, theme: &Theme) {
    let side = rect.width();
    let at = |x: f32, y: f32| pos2(rect.left() + x * side, rect.top() + y * side);
    let painter = ui.painter();
    painter.rect_filled(rect, CornerRadius::same((side * 0.22) as u8), theme.accent);
    let stroke = Stroke::new(side * 0.05, theme.on_accent);
    let weak = Stroke::new(side * 0.05, style::mix(theme.accent, theme.on_accent, 0.7));
    painter.line_segment([at(0.1, 0.5), at(0.24, 0.5)], weak);
    painter.line_segment([at(0.76, 0.5), at(0.9, 0.5)], weak);
    let block = Rect::from_min_max(at(0.24, 0.24), at(0.76, 0.76));
    painter.rect_stroke(block, CornerRadius::same((side * 0.07) as u8), stroke, StrokeKind::Middle);
    // A step response.
    let points = (0..=40_u8).map(|part| {
        let t = f32::from(part) / 40.0;
        let y = 1.0 - (-5.0 * t).exp() * (11.0 * t).cos();
        at(0.32 + 0.36 * t, 0.66 - 0.22 * y)
    });
    painter.add(egui::Shape::line(points.collect(), stroke));
}
