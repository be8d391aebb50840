//! The card of a tour, and the frame around its subject.

use eframe::egui::{self, Align, Area, Id, Layout, Order, Rect, RichText, Stroke, StrokeKind, vec2};

use crate::app::action::command::Tour;
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL, TEXT_TITLE};
use crate::app::ui::widgets::{self, theme_of};

/// A step of a tour as it is shown.
pub struct TourCard<'a> {
    pub title: &'a str,
    pub text: &'a str,
    /// A hint when the user left the way of the tour, with the way back.
    pub note: Option<String>,
    /// From 1.
    pub number: usize,
    pub count: usize,
    /// It can be done for the user.
    pub can_act: bool,
    pub is_last: bool,
    /// The tour that is offered after this one.
    pub next: Option<Tour>,
    /// The part of the screen that the card is about.
    pub anchor: Option<Rect>,
    /// Where the card has room.
    pub room: Option<Rect>,
}

/// The user's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourChoice {
    Nothing,
    Act,
    Skip,
    Leave,
    Next(Tour),
}

const WIDTH: f32 = 330.0;

pub fn show_ui(ctx: &egui::Context, card: &TourCard) -> TourChoice {
    let theme = theme_of(ctx);
    if let Some(anchor) = card.anchor {
        let painter = ctx.layer_painter(egui::LayerId::new(Order::Foreground, Id::unique("tour frame")));
        let frame = anchor.shrink(2.0);
        painter.rect_stroke(frame, 6.0, Stroke::new(5.0, theme.accent.gamma_multiply(0.25)), StrokeKind::Inside);
        painter.rect_stroke(frame, 6.0, Stroke::new(2.0, theme.accent), StrokeKind::Inside);
    }
    let room = card.room.unwrap_or(ctx.content_rect());
    let corner = room.left_bottom() + vec2(4.0 * SPACE, -4.0 * SPACE);
    let area = Area::new(Id::unique("tour")).order(Order::Foreground).pivot(egui::Align2::LEFT_BOTTOM);
    let mut choice = TourChoice::Nothing;
    area.fixed_pos(corner).constrain(true).show(ctx, |ui| {
        let frame = egui::Frame::popup(ui.style()).inner_margin(3.5 * SPACE).stroke(Stroke::new(1.5, theme.accent));
        frame.show(ui, |ui| {
            ui.set_width(WIDTH);
            ui.spacing_mut().item_spacing.y = 1.5 * SPACE;
            ui.horizontal(|ui| {
                ui.label(RichText::new(card.title).font(style::strong(TEXT_TITLE - 0.5)));
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    if widgets::icon_button_ui(ui, Icon::Close, "Leave the tour").clicked() {
                        choice = TourChoice::Leave;
                    }
                    let count = format!("{} of {}", card.number, card.count);
                    ui.label(RichText::new(count).size(TEXT_SMALL).color(theme.text_weak));
                });
            });
            ui.add(egui::Label::new(RichText::new(card.text).size(TEXT)).wrap());
            if let Some(note) = &card.note {
                ui.add(egui::Label::new(RichText::new(note).size(TEXT).color(theme.warning)).wrap());
            }
            ui.add_space(SPACE);
            ui.horizontal(|ui| match card.is_last {
                true => {
                    if widgets::main_button_ui(ui, "Finish").clicked() {
                        choice = TourChoice::Leave;
                    }
                    if let Some(next) = card.next
                        && widgets::second_button_ui(ui, next.title()).clicked()
                    {
                        choice = TourChoice::Next(next);
                    }
                }
                false => {
                    if card.can_act && widgets::second_button_ui(ui, "Do it for me").clicked() {
                        choice = TourChoice::Act;
                    }
                    if ui.link("Skip").clicked() {
                        choice = TourChoice::Skip;
                    }
                }
            });
        });
    });
    choice
}
