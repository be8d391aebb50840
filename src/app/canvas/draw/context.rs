//! The arguments that the drawing functions share: the draw context, the decorations, the level of detail.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use eframe::egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Stroke, StrokeKind};

use crate::app::canvas::camera::ViewTransform;
use crate::app::canvas::gesture::Wire;
use crate::app::canvas::gesture::hit::Hit;
use crate::app::canvas::scene::Scene;
use crate::app::canvas::selection::Selection;
use crate::app::ui::bidi;
use crate::app::ui::theme::Theme;
use crate::model::{BlockId, InputKey, Severity, Trace};

/// Level of detail of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Rectangles.
    LodMesh,
    /// Bodies without ports and texts.
    Bodies,
    /// Everything but small texts.
    Drawings,
    All,
}

impl Detail {
    pub fn at(zoom: f32) -> Detail {
        match zoom {
            z if z < 0.16 => Detail::LodMesh,
            z if z < 0.3 => Detail::Bodies,
            z if z < 0.55 => Detail::Drawings,
            _ => Detail::All,
        }
    }
}

/// The context of all drawing functions: painter, view transform, theme and level of detail.
pub struct DrawContext<'a> {
    pub painter: &'a Painter,
    pub transform: ViewTransform,
    pub theme: &'a Theme,
    pub detail: Detail,
}

/// The decorations of the diagram in this frame: selection, problems, highlight, values, heat.
pub struct Decorations<'a> {
    pub selection: &'a Selection,
    pub hover: &'a Hit,
    /// Colours of the plotted outputs of the open model.
    pub watched: HashMap<(BlockId, &'a str), Color32>,
    pub problems: HashMap<BlockId, Severity>,
    /// Wires with an error, such as those of an algebraic loop.
    pub faulty: HashSet<&'a InputKey>,
    /// A wire that is not drawn because a preview replaces it.
    pub hidden_wire: Option<&'a InputKey>,
    /// The wire that the user is drawing.
    pub wiring: Option<&'a Wire>,
    /// The highlighted signal path; everything else is faint.
    pub highlight: Option<HighlightInModel<'a>>,
    /// How strongly a block is framed that a program has just changed, from 0 to 1.
    pub changed: HashMap<BlockId, f32>,
    pub shows_rates: bool,
    pub hides_grid: bool,
    /// Values are shown beside the wires.
    pub shows_values: bool,
    /// Execution times of the blocks of the open model in seconds per step, and their maximum.
    pub heat: Option<&'a HashMap<BlockId, f64>>,
    pub hottest: f64,
    /// A loose wire whose end is being dragged.
    pub hidden_loose: Option<(BlockId, usize)>,
}

impl<'a> Decorations<'a> {
    /// No decorations and no grid, for pictures and diagrams that are only looked at.
    pub fn none(selection: &'a Selection) -> Decorations<'a> {
        Decorations {
            selection,
            hover: &Hit::Empty,
            watched: HashMap::new(),
            problems: HashMap::new(),
            faulty: HashSet::new(),
            hidden_wire: None,
            wiring: None,
            highlight: None,
            changed: HashMap::new(),
            shows_rates: false,
            hides_grid: true,
            heat: None,
            hottest: 0.0,
            shows_values: false,
            hidden_loose: None,
        }
    }
}

/// The part of a highlighted signal path that lies in the open model.
pub struct HighlightInModel<'a> {
    pub blocks: HashSet<BlockId>,
    pub wires: HashSet<&'a InputKey>,
}

impl<'a> HighlightInModel<'a> {
    pub fn of(trace: &'a Trace, path: &[BlockId]) -> HighlightInModel<'a> {
        let blocks = trace.blocks.iter().filter(|block| block.path == path).map(|block| block.block);
        let wires = trace.wires.iter().filter(|(at, _)| at == path).map(|(_, key)| key);
        HighlightInModel { blocks: blocks.collect(), wires: wires.collect() }
    }
}

impl<'a> DrawContext<'a> {
    pub fn at(&self, point: Pos2) -> Pos2 {
        self.transform.to_screen(point)
    }

    pub fn rect(&self, rect: Rect) -> Rect {
        self.transform.rect_to_screen(rect)
    }

    /// Scales a length of the model to the screen.
    pub fn scaled(&self, length: f32) -> f32 {
        length * self.transform.zoom()
    }

    /// Rounds to the centre of a pixel, where hairlines are sharp.
    pub fn crisp(&self, point: Pos2) -> Pos2 {
        Pos2::new(self.painter.round_to_pixel_center(point.x), self.painter.round_to_pixel_center(point.y))
    }

    /// Returns a line width that grows slightly with the zoom.
    pub fn line_width(&self, width: f32) -> f32 {
        width * self.transform.zoom().clamp(0.6, 2.2)
    }

    /// Steps of half a point limit the number of rasterized glyph sizes while zooming.
    pub fn font(&self, size: f32) -> FontId {
        FontId::proportional(((size * self.transform.zoom() * 2.0).round() / 2.0).max(1.0))
    }

    pub fn text(&self, at: Pos2, align: Align2, text: impl ToString, size: f32, color: Color32) -> Rect {
        let text = text.to_string();
        self.painter.text(self.at(at), align, bidi::shown(self.painter.ctx(), &text), self.font(size), color)
    }

    pub fn glow(&self, rect: Rect, radius: f32) {
        let soft = self.theme.accent.gamma_multiply(0.22);
        self.painter.rect_stroke(rect.expand(1.0), radius + 1.0, Stroke::new(4.0, soft), StrokeKind::Outside);
    }
}

/// Interpolates between two colours.
pub fn mix(a: Color32, b: Color32, part: f32) -> Color32 {
    a.lerp_to_gamma(b, part)
}

/// Returns the output that feeds an input.
pub fn source_of(scene: &Scene, block: BlockId, input: &Arc<str>) -> Option<(BlockId, Arc<str>)> {
    let wire = scene.wire(&InputKey { block, input: Arc::clone(input) })?;
    Some((wire.connection.from, Arc::clone(&wire.connection.output)))
}
