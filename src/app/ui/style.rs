//! Applies a [`Theme`] to egui: fonts, spacing, widgets.

use std::sync::{Arc, OnceLock};

use eframe::egui::{
    self, Color32, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Margin, Shadow, Stroke, Style,
    TextStyle, Visuals, style::ScrollStyle, style::Selection, style::WidgetVisuals, style::Widgets, vec2,
};

use eframe::egui::epaint::text::{FallbackRequest, FontProvider as _};
use egui_system_font_provider::SystemFontProvider;

use super::symbols;
use super::theme::{RADIUS, SPACE, TEXT, TEXT_HERO, TEXT_SMALL, TEXT_TITLE, Theme};

const REGULAR: &[u8] = include_bytes!("../../../assets/fonts/Inter-Regular.otf");
const SEMIBOLD: &[u8] = include_bytes!("../../../assets/fonts/Inter-SemiBold.otf");

/// The semibold font for titles and emphasis.
pub fn strong(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name("strong".into()))
}

pub fn plain(size: f32) -> FontId {
    FontId::new(size, FontFamily::Proportional)
}

/// The font of names and expressions: I, l and 1, O and 0 differ.
pub fn name(size: f32) -> FontId {
    FontId::new(size, names())
}

/// The family of [`name`].
pub fn names() -> FontFamily {
    FontFamily::Name("names".into())
}

/// The text style of the welcome page's title.
pub fn hero() -> TextStyle {
    TextStyle::Name("hero".into())
}

/// The text style of a panel's or block's title.
pub fn title() -> TextStyle {
    TextStyle::Name("title".into())
}

/// Installs the fonts and both themes; the user's preference selects one of them.
pub fn apply(ctx: &egui::Context) {
    ctx.set_fonts(fonts());
    ctx.add_font_provider(Arc::new(|request: &FallbackRequest<'_>| system_fonts().font_for(request)));
    symbols::install(ctx);
    ctx.set_style_of(egui::Theme::Light, style(&Theme::light()));
    ctx.set_style_of(egui::Theme::Dark, style(&Theme::dark()));
}

/// The fonts of the system, for letters that the program's own lack. They are searched when the first such letter is met.
pub fn system_fonts() -> &'static SystemFontProvider {
    static FONTS: OnceLock<SystemFontProvider> = OnceLock::new();
    FONTS.get_or_init(SystemFontProvider::new)
}

/// Returns the fonts of the window.
pub fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    fonts.font_data.insert("inter".to_owned(), Arc::new(FontData::from_static(REGULAR)));
    fonts.font_data.insert("inter-semibold".to_owned(), Arc::new(FontData::from_static(SEMIBOLD)));
    // egui's own fonts are fallbacks for symbols that Inter lacks.
    let fallback = fonts.families.get(&FontFamily::Proportional).cloned().unwrap_or_default();
    let with = |first: &str| std::iter::once(first.to_owned()).chain(fallback.iter().cloned()).collect();
    fonts.families.insert(FontFamily::Name("strong".into()), with("inter-semibold"));
    fonts.families.insert(FontFamily::Proportional, with("inter"));
    let distinct = fonts.families.get(&FontFamily::Monospace).cloned().unwrap_or_default();
    fonts.families.insert(names(), distinct);
    fonts
}

fn style(theme: &Theme) -> Style {
    let mut style = Style { visuals: visuals(theme), ..Style::default() };
    style.text_styles = [
        (TextStyle::Small, plain(TEXT_SMALL)),
        (TextStyle::Body, plain(TEXT)),
        (TextStyle::Button, plain(TEXT)),
        (TextStyle::Monospace, FontId::monospace(TEXT - 0.5)),
        (TextStyle::Heading, strong(TEXT_TITLE)),
        (title(), strong(TEXT_TITLE)),
        (hero(), strong(TEXT_HERO)),
    ]
    .into();
    let spacing = &mut style.spacing;
    spacing.item_spacing = vec2(2.0 * SPACE, 1.5 * SPACE);
    spacing.button_padding = vec2(2.0 * SPACE, SPACE);
    spacing.interact_size = vec2(40.0, 26.0);
    spacing.menu_margin = Margin::same(6);
    spacing.window_margin = Margin::same(16);
    spacing.icon_width = 16.0;
    spacing.icon_width_inner = 9.0;
    spacing.combo_width = 80.0;
    spacing.text_edit_width = 160.0;
    spacing.tooltip_width = 360.0;
    spacing.menu_width = 280.0;
    spacing.indent = 3.0 * SPACE;
    spacing.scroll = ScrollStyle { bar_width: 8.0, floating_width: 4.0, ..ScrollStyle::floating() };
    style.interaction.tooltip_delay = 0.4;
    style.interaction.selectable_labels = false;
    style.animation_time = 0.08;
    style
}

fn visuals(theme: &Theme) -> Visuals {
    let base = if theme.is_dark { Visuals::dark() } else { Visuals::light() };
    let radius = CornerRadius::same(RADIUS);
    let shadow = |blur: u8, alpha: u8| Shadow {
        offset: [0, (blur / 3) as i8],
        blur,
        spread: 0,
        color: Color32::from_black_alpha(if theme.is_dark { alpha.saturating_mul(3) } else { alpha }),
    };
    let widget = |fill: Color32, line: Color32, text: Color32| WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: Stroke::new(1.0, line),
        corner_radius: radius,
        fg_stroke: Stroke::new(1.2, text),
        expansion: 0.0,
    };
    let hover = mix(theme.raised, theme.accent, 0.10);
    Visuals {
        dark_mode: theme.is_dark,
        override_text_color: None,
        weak_text_color: Some(theme.text_weak),
        widgets: Widgets {
            noninteractive: widget(theme.panel, theme.line, theme.text),
            inactive: widget(theme.raised, theme.line, theme.text),
            hovered: widget(hover, mix(theme.line, theme.accent, 0.5), theme.text),
            active: widget(mix(theme.raised, theme.accent, 0.22), theme.accent, theme.text),
            open: widget(hover, mix(theme.line, theme.accent, 0.5), theme.text),
        },
        selection: Selection {
            bg_fill: mix(theme.panel, theme.accent, if theme.is_dark { 0.32 } else { 0.14 }),
            // The colour of selected texts, too, which is to stand out from their ground.
            stroke: Stroke::new(2.0, if theme.is_dark { mix(theme.accent, theme.text, 0.5) } else { theme.accent }),
        },
        hyperlink_color: theme.accent,
        faint_bg_color: mix(theme.panel, theme.text, 0.03),
        extreme_bg_color: theme.raised,
        text_edit_bg_color: Some(if theme.is_dark { theme.window } else { theme.raised }),
        code_bg_color: mix(theme.panel, theme.text, 0.07),
        warn_fg_color: theme.warning,
        error_fg_color: theme.error,
        window_corner_radius: CornerRadius::same(10),
        window_fill: theme.panel,
        window_stroke: Stroke::new(1.0, theme.line),
        window_shadow: shadow(32, 40),
        popup_shadow: shadow(16, 30),
        menu_corner_radius: CornerRadius::same(8),
        panel_fill: theme.panel,
        striped: false,
        collapsing_header_frame: false,
        indent_has_left_vline: false,
        interact_cursor: None,
        disabled_alpha: 0.4,
        ..base
    }
}

/// Interpolates between two colours; `part` is the weight of the second.
pub fn mix(from: Color32, to: Color32, part: f32) -> Color32 {
    from.lerp_to_gamma(to, part)
}

#[cfg(test)]
mod tests {
    use super::super::theme::tests::contrast;
    use super::*;

    #[test]
    fn texts_of_widgets_stand_out_from_their_grounds() {
        for theme in [Theme::light(), Theme::dark()] {
            let visuals = visuals(&theme);
            let selected = contrast(visuals.selection.stroke.color, visuals.selection.bg_fill);
            assert!(selected >= 4.5, "selected texts, dark: {}: {selected:.2}", theme.is_dark);
            for widget in [visuals.widgets.inactive, visuals.widgets.hovered, visuals.widgets.active] {
                let ratio = contrast(widget.fg_stroke.color, widget.weak_bg_fill);
                assert!(ratio >= 4.5, "texts of buttons, dark: {}: {ratio:.2}", theme.is_dark);
            }
            let field = visuals.text_edit_bg_color.expect("fields have a ground");
            for (name, color) in [("text", theme.text), ("hint", theme.text_weak), ("error", theme.error)] {
                assert!(contrast(color, field) >= 4.5, "{name} in fields, dark: {}", theme.is_dark);
            }
        }
    }
}
