//! Where titles of blocks and names of signals stand, so that they cover nothing: at their usual place if it is free,
//! otherwise at another one, or shortened.

use eframe::egui::{Align2, Pos2, Rect, pos2, vec2};

use super::block_view::{TITLE_LETTERS, title_size};
use super::{BlockView, Scene, WireView};

/// Where a title stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TitlePlace {
    pub at: Pos2,
    pub align: Align2,
    /// How many letters have room.
    pub letters: usize,
}

/// A title keeps at least as many letters.
const FEWEST: usize = 6;

impl TitlePlace {
    /// Returns its approximate rectangle.
    pub fn rect(&self) -> Rect {
        self.align.anchor_size(self.at, title_size(self.letters))
    }
}

impl Scene {
    /// Returns the place of a block's title: of a circle at the other side if the usual one is taken, otherwise with as
    /// many letters as there is room for. None if it has no title.
    pub fn title_place(&self, view: &BlockView) -> Option<TitlePlace> {
        let (at, align) = view.title_position()?;
        let usual = TitlePlace { at, align, letters: view.block.title().chars().count().min(TITLE_LETTERS) };
        let is_free = |place: &TitlePlace| !self.is_title_taken(view, place.rect());
        if is_free(&usual) {
            return Some(usual);
        }
        if view.has_side_title() {
            let mirrored = pos2(2.0 * view.outline.body.center().x - at.x, at.y);
            let other = TitlePlace { at: mirrored, align: Align2::RIGHT_TOP, ..usual };
            if is_free(&other) {
                return Some(other);
            }
        }
        let shorter = (FEWEST..usual.letters).rev().map(|letters| TitlePlace { letters, ..usual });
        // Where nothing helps, the whole title tells more than a part of it.
        Some(shorter.into_iter().find(is_free).unwrap_or(usual))
    }

    /// Returns whether a title would cover another block, or a title that stays where it is.
    fn is_title_taken(&self, view: &BlockView, rect: Rect) -> bool {
        let letters = |view: &BlockView| view.block.title().chars().count();
        self.near(rect).into_iter().any(|other| {
            if other.block.id == view.block.id || other.is_area() {
                return false;
            }
            // Titles beside circles give way to those below blocks, long ones to short ones, new ones to old ones.
            let rank = |view: &BlockView| (view.has_side_title(), letters(view), view.block.seq);
            let yields = rank(view) > rank(other);
            let title = other.title_rect().filter(|_| yields);
            other.outline.body.intersects(rect) || title.is_some_and(|title| title.intersects(rect))
        })
    }

    /// Returns the blocks whose body or title may touch a rectangle: titles are wider than the bodies that are indexed.
    fn near(&self, rect: Rect) -> Vec<&BlockView> {
        self.blocks_in(rect.expand2(title_size(TITLE_LETTERS)))
    }

    /// Returns the middle of a signal's name of a width: its usual place, or where that covers a block or a title, below
    /// the same segment.
    pub fn name_place(&self, wire: &WireView, width: f32) -> Pos2 {
        const HEIGHT: f32 = 11.0;
        let usual = wire.name_position(width);
        let is_free = |middle: &Pos2| {
            let room = Rect::from_center_size(*middle, vec2(width, HEIGHT));
            !self.near(room).into_iter().any(|view| {
                let title = view.title_rect().is_some_and(|title| title.intersects(room));
                !view.is_area() && (view.outline.body.intersects(room) || title)
            })
        };
        let below = usual + vec2(0.0, 16.0);
        [usual, below].into_iter().find(is_free).unwrap_or(usual)
    }
}
