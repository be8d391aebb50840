//! A block as the canvas shows it: its outline, the icon inside, its named ports.

use std::sync::Arc;

use eframe::egui::Color32;
use eframe::egui::emath::{Align2, Pos2, Rect, Vec2, pos2, vec2};

use super::icon::drawing_of;
use super::loose::LooseWire;
use crate::app::canvas::geometry::{
    Facing, Figure, Labels, Outline, PortPlaces, RoundSide, TitleSide, outline, point_of,
};
use crate::app::doc::dashboard::{PINNED, Widget, pinned};
use crate::block::language::NoNames;
use crate::block::{BlockDef, Body, Face, ParamKind, Registry, polynomial_text};
use crate::model::{
    Block, BlockKind, BlockPorts, Edge, Model, Role, Simulation, VIEW_FLIP, block_ports, definition_of, settings_of,
};

/// Block attribute: clockwise rotation of 90, 180 or 270 degrees.
pub const VIEW_ROTATE: &str = "view:rotate";
/// Maximum number of letters of a displayed title.
pub const TITLE_LETTERS: usize = 24;
/// Approximate width of a letter of a title, and its height.
const TITLE_LETTER: f32 = 5.4;
const TITLE_LINE: f32 = 12.0;

/// Block attribute: title position `below`, `above`, `right` or `hidden`.
pub const VIEW_TITLE: &str = "view:title";
/// Block attributes: size of a note or area, or the minimum size of a block.
pub const VIEW_WIDTH: &str = "view:width";
pub const VIEW_HEIGHT: &str = "view:height";
/// Block attribute: the block's own colour, `#rrggbb`.
pub const VIEW_COLOR: &str = "view:color";
/// Block attributes: where the ports of a side are, in pixels from its upper or left end: `20 60`. The inputs of a circle
/// have sides instead: `left bottom`.
pub const VIEW_INPUTS: &str = "view:inputs";
const VIEW_OUTPUTS: &str = "view:outputs";
/// Block attribute: `hidden` for ports without their names.
const VIEW_LABELS: &str = "view:labels";
/// Attribute of a note: `none` for a text without a frame.
const VIEW_FRAME: &str = "view:frame";

#[derive(Debug)]
pub struct BlockView {
    pub block: Arc<Block>,
    /// The model that a model block uses.
    pub inner: Option<Arc<Model>>,
    pub def: Option<&'static BlockDef>,
    pub ports: BlockPorts,
    pub body: Body,
    pub drawing: Drawing,
    /// A sign for each input, if the block has such a parameter.
    pub signs: Vec<char>,
    pub shows_labels: bool,
    /// The role of each input of a model block, if any; or that of the entry or exit itself.
    pub roles: Vec<Option<(Role, Edge)>>,
    /// Its loose wires.
    pub loose: Vec<LooseWire>,
    /// Its controls and instruments, from the corner of its body.
    pub widgets: Vec<Widget>,
    /// The colour was set by the user.
    pub color: Option<Color32>,
    /// The position in the document or from the layout; while dragged, its outline is elsewhere.
    pub position: Pos2,
    /// The document has a position for it.
    pub is_placed: bool,
    pub outline: Outline,
    /// The outline where it was made: it is moved from there, so that rounding errors do not add up.
    pub own: Outline,
}

/// The drawing inside a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawing {
    Empty,
    Text(String),
    Fraction(String, String),
    Strokes(&'static [&'static [(f32, f32)]]),
    Live,
    /// The text of a note or an area.
    Remark(String),
    /// Lines in the unit square.
    Path(Vec<Vec<(f32, f32)>>),
    /// A small diagram: the block contains a model.
    Model,
    /// The block's kind is unknown.
    Unknown,
}

impl BlockView {
    /// Returns the view at its position in the document, or at the origin until the layout has computed one.
    pub fn new(simulation: &Simulation, registry: &Registry, model: &Model, block: &Arc<Block>) -> BlockView {
        let ports = block_ports(simulation, registry, model, block);
        let inner = match &block.kind {
            BlockKind::Model { model } => simulation.model(model).cloned(),
            _ => None,
        };
        let def = definition_of(registry, block);
        let (body, drawing) = look(registry, block, inner.as_deref(), def);
        // The ports of a placeholder have numbers only.
        let is_named_inside =
            inner.is_some() || (matches!(drawing, Drawing::Empty | Drawing::Unknown) && !block.is_placeholder());
        let shows_labels = is_named_inside
            && block.view(VIEW_LABELS) != Some("hidden")
            && body == Body::Rect
            && !(ports.inputs.is_empty() && ports.outputs.is_empty());
        let is_remark = matches!(body, Body::Note | Body::Area);
        let facing = if is_remark { Facing::Right } else { facing_of(block) };
        let title = match block.view(VIEW_TITLE) {
            _ if is_remark => TitleSide::Hidden,
            Some("above") => TitleSide::Above,
            Some("right") => TitleSide::Right,
            Some("hidden") => TitleSide::Hidden,
            Some("below") => TitleSide::Below,
            _ if facing.is_vertical() => TitleSide::Right,
            _ => TitleSide::Below,
        };
        let roles = roles_of(block, inner.as_deref(), &ports);
        let has_role = roles.iter().any(Option::is_some);
        // A symbol is as wide as two and a half letters.
        let marked = |name: &Arc<str>| if has_role { format!("{name}\u{2003}.").into() } else { Arc::clone(name) };
        let labels: Vec<Arc<str>> = ports.inputs.iter().map(marked).collect();
        let is_port = matches!(block.kind, BlockKind::Entry { .. } | BlockKind::Exit { .. });
        // The model's icon gets space between the port names.
        let beside =
            if inner.is_some() && drawing.letters() > 0 { longest(&labels) + longest(&ports.outputs) + 2 } else { 0 };
        let figure = Figure {
            body,
            letters: drawing.letters() + beside + if is_port && has_role { 3 } else { 0 },
            labels: match shows_labels {
                true => Labels::Inside { inputs: &labels, outputs: &ports.outputs },
                false => Labels::None,
            },
            inputs: ports.inputs.len(),
            outputs: ports.outputs.len(),
            facing,
            title,
            own_size: remark_size(block, &drawing).or_else(|| own_size(block)),
            places: PortPlaces {
                inputs: numbers(block, VIEW_INPUTS),
                outputs: numbers(block, VIEW_OUTPUTS),
                round: round_sides(block),
            },
        };
        let stored = block.position();
        let position = stored.map_or(Pos2::ZERO, point_of);
        let own = outline(&figure);
        let signs = def.map(|def| signs(def, block, ports.inputs.len())).unwrap_or_default();
        BlockView {
            block: Arc::clone(block),
            inner,
            def,
            body,
            drawing,
            signs,
            shows_labels,
            roles,
            loose: LooseWire::all_of(block),
            widgets: match block.attributes.get(PINNED) {
                Some(_) => pinned(block, &[], simulation, registry),
                None => Vec::new(),
            },
            color: block.view(VIEW_COLOR).and_then(|text| Color32::from_hex(text.trim()).ok()),
            position,
            is_placed: stored.is_some(),
            outline: own.moved_to(position),
            own,
            ports,
        }
    }

    pub fn is_known(&self) -> bool {
        self.drawing != Drawing::Unknown
    }

    /// Returns the label for screen readers: `Block Gain #3`.
    pub fn label(&self) -> String {
        format!("Block {} {}", self.block.title(), self.block.id)
    }

    /// Returns the palette's group; entries, exits and models have groups of their own.
    pub fn group(&self) -> &str {
        match &self.block.kind {
            BlockKind::Library { group, .. } => group,
            BlockKind::Model { .. } => "Model",
            BlockKind::Entry { .. } | BlockKind::Exit { .. } => "Signal",
        }
    }

    pub fn input_at(&self, name: &str) -> Option<Pos2> {
        let index = self.ports.inputs.iter().position(|known| &**known == name)?;
        self.outline.inputs.get(index).copied()
    }

    pub fn output_at(&self, name: &str) -> Option<Pos2> {
        let index = self.ports.outputs.iter().position(|known| &**known == name)?;
        self.outline.outputs.get(index).copied()
    }

    /// Returns where a wire ends whose port no longer exists.
    pub fn input_side(&self) -> Pos2 {
        side_of(self.outline.rect, self.outline.facing.reversed())
    }

    pub fn output_side(&self) -> Pos2 {
        side_of(self.outline.rect, self.outline.facing)
    }

    /// Returns whether it is documentation only: a note or an area.
    pub fn is_remark(&self) -> bool {
        matches!(self.body, Body::Note | Body::Area)
    }

    /// Returns whether it is a note without a frame.
    pub fn is_bare_note(&self) -> bool {
        self.body == Body::Note && self.block.view(VIEW_FRAME) == Some("none")
    }

    /// Returns whether it is a frame that moves its contents.
    pub fn is_area(&self) -> bool {
        self.body == Body::Area
    }

    /// Returns position and alignment of its title; None if it has none.
    pub fn title_position(&self) -> Option<(Pos2, Align2)> {
        // An entry or exit has its name inside.
        if self.body == Body::Pill && matches!(self.drawing, Drawing::Text(_)) && self.def.is_none() {
            return None;
        }
        let body = self.outline.body;
        // Its signs explain it, and a wire comes from below.
        if self.has_side_title() {
            let has_label = self.block.attributes.get("label").is_some();
            return has_label.then_some((pos2(body.center().x + 8.0, body.bottom() + 2.0), Align2::LEFT_TOP));
        }
        Some(match self.outline.title {
            TitleSide::Below => (pos2(body.center().x, body.bottom() + 3.0), Align2::CENTER_TOP),
            TitleSide::Above => (pos2(body.center().x, body.top() - 3.0), Align2::CENTER_BOTTOM),
            TitleSide::Right => (pos2(body.right() + 5.0, body.center().y), Align2::LEFT_CENTER),
            TitleSide::Hidden => return None,
        })
    }

    /// Returns whether its title stands beside the wire that comes from below.
    pub fn has_side_title(&self) -> bool {
        !self.signs.is_empty() && self.body == Body::Circle && self.outline.title != TitleSide::Hidden
    }

    /// Returns the approximate rectangle of its title.
    pub fn title_rect(&self) -> Option<Rect> {
        let (at, align) = self.title_position()?;
        let letters = self.block.title().chars().count().min(TITLE_LETTERS);
        Some(align.anchor_size(at, title_size(letters)))
    }

    /// Returns its bounds with title, loose wires, controls and instruments.
    pub fn reach(&self) -> Rect {
        let ends = self.loose.iter().map(|wire| Rect::from_pos(wire.end_of(self)));
        ends.chain(self.widget_rects()).fold(self.outline.with_title(), Rect::union)
    }

    /// Returns the rectangles of its controls and instruments.
    pub fn widget_rects(&self) -> impl Iterator<Item = Rect> + '_ {
        let corner = self.outline.body.min.to_vec2();
        self.widgets.iter().map(move |widget| {
            Rect::from_min_size(pos2(widget.x, widget.y) + corner, vec2(widget.width, widget.height))
        })
    }

    /// Returns whether it can be resized.
    pub fn is_resizable(&self) -> bool {
        self.is_remark() || self.body == Body::Rect
    }

    /// Returns whether it has one input and one output, so that it can be inserted into a wire.
    pub fn is_link(&self) -> bool {
        self.ports.inputs.len() == 1 && self.ports.outputs.len() == 1
    }
}

/// Returns the approximate size of a title with a number of letters.
pub fn title_size(letters: usize) -> Vec2 {
    vec2(letters as f32 * TITLE_LETTER, TITLE_LINE)
}

/// Returns the orientation of a block: rotated, then mirrored.
pub fn facing_of(block: &Block) -> Facing {
    let quarters = match block.view(VIEW_ROTATE) {
        Some("90" | "-270") => 1,
        Some("180" | "-180") => 2,
        Some("270" | "-90") => 3,
        _ => 0,
    };
    let turned = (0..quarters).fold(Facing::Right, |facing, _| facing.turned());
    match block.view(VIEW_FLIP) {
        Some("1" | "true") => turned.reversed(),
        _ => turned,
    }
}

/// Returns the size of a note or area: that in the document, or the one its text needs.
fn remark_size(block: &Block, drawing: &Drawing) -> Option<Vec2> {
    let Drawing::Remark(text) = drawing else { return None };
    let number = |name| block.view(name)?.trim().parse::<f32>().ok().filter(|n| n.is_finite());
    let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0) as f32;
    let lines = text.lines().count().max(1) as f32;
    let natural = match block.view(VIEW_FRAME) {
        Some("none") => vec2(longest * 7.0 + 8.0, lines * 16.0 + 6.0),
        _ => vec2((longest * 6.4 + 24.0).clamp(80.0, 320.0), lines * 16.0 + 22.0),
    };
    let size = vec2(number(VIEW_WIDTH).unwrap_or(natural.x), number(VIEW_HEIGHT).unwrap_or(natural.y));
    Some(size.clamp(vec2(40.0, 20.0), vec2(20_000.0, 20_000.0)))
}

/// Returns the size of a block in the document; a missing length is taken from the natural size.
fn own_size(block: &Block) -> Option<Vec2> {
    let number = |name| block.view(name)?.trim().parse::<f32>().ok().filter(|n| n.is_finite());
    let (width, height) = (number(VIEW_WIDTH), number(VIEW_HEIGHT));
    (width.is_some() || height.is_some())
        .then(|| vec2(width.unwrap_or(0.0), height.unwrap_or(0.0)).clamp(Vec2::ZERO, vec2(2_000.0, 2_000.0)))
}

/// Returns the numbers of an attribute; none if one of them is invalid.
fn numbers(block: &Block, name: &str) -> Vec<f32> {
    let number = |text: &str| text.parse::<f32>().ok().filter(|number| number.is_finite());
    let texts = block.view(name).unwrap_or_default().split_whitespace();
    texts.map(number).collect::<Option<_>>().unwrap_or_default()
}

/// Returns the sides of the inputs of a circle; none if one of them is none.
fn round_sides(block: &Block) -> Vec<RoundSide> {
    let side = |text: &str| match text {
        "top" => Some(RoundSide::Top),
        "left" => Some(RoundSide::Left),
        "bottom" => Some(RoundSide::Bottom),
        _ => None,
    };
    let texts = block.view(VIEW_INPUTS).unwrap_or_default().split_whitespace();
    texts.map(side).collect::<Option<_>>().unwrap_or_default()
}

/// Returns the roles of the inputs of a model block, or that of an entry or exit.
fn roles_of(block: &Block, inner: Option<&Model>, ports: &BlockPorts) -> Vec<Option<(Role, Edge)>> {
    let role = |block: &Block| Some((Role::of(block)?, Edge::of(&block.attributes).unwrap_or_default()));
    match (&block.kind, inner) {
        (BlockKind::Entry { .. } | BlockKind::Exit { .. }, _) => vec![role(block)],
        (BlockKind::Model { .. }, Some(inner)) => {
            let entry = |name: &Arc<str>| inner.entries().find(|(_, known)| *known == name).map(|(entry, _)| entry);
            ports.inputs.iter().map(|name| role(entry(name)?)).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the number of letters of the longest name.
pub fn longest(names: &[Arc<str>]) -> usize {
    names.iter().map(|name| name.chars().count()).max().unwrap_or(0)
}

fn side_of(rect: Rect, side: Facing) -> Pos2 {
    match side {
        Facing::Right => rect.right_center(),
        Facing::Left => rect.left_center(),
        Facing::Up => rect.center_top(),
        Facing::Down => rect.center_bottom(),
    }
}

impl Drawing {
    fn letters(&self) -> usize {
        match self {
            Drawing::Text(text) => text.chars().count(),
            Drawing::Fraction(over, under) => over.chars().count().max(under.chars().count()),
            Drawing::Live => 8,
            Drawing::Path(_) => 5,
            _ => 0,
        }
    }
}

fn look(registry: &Registry, block: &Block, inner: Option<&Model>, def: Option<&BlockDef>) -> (Body, Drawing) {
    match (&block.kind, def) {
        (BlockKind::Entry { name } | BlockKind::Exit { name }, _) => {
            (Body::Pill, Drawing::Text(shortened(block.attributes.get("label").unwrap_or(name), 20)))
        }
        (BlockKind::Model { .. }, _) if inner.is_some() => {
            (Body::Rect, inner.and_then(|inner| drawing_of(inner, registry)).unwrap_or(Drawing::Model))
        }
        (BlockKind::Library { .. }, Some(def)) => {
            let drawing = match def.look.face {
                Face::Param(name) if def.is_remark() => {
                    let texts = block.option_texts(name).map(|texts| texts.join("\n"));
                    let default = || def.param(name).map(|param| param.default_texts().join(" ")).unwrap_or_default();
                    Drawing::Remark(texts.unwrap_or_else(default))
                }
                Face::Text(text) => Drawing::Text(text.to_owned()),
                Face::Param(name) => Drawing::Text(shortened(&param_text(def, block, name), 10)),
                Face::Fraction(over, under) => Drawing::Fraction(over.to_owned(), under.to_owned()),
                Face::Polynomials(over, under, variable) => {
                    let text = |name: &str| block.option_texts(name).and_then(|texts| texts.first().copied());
                    polynomials(def, block, [over, under], variable.name(text))
                }
                Face::Strokes(strokes) | Face::Curve(strokes) => Drawing::Strokes(strokes),
                Face::Live => Drawing::Live,
                Face::Ports(_) | Face::Empty => Drawing::Empty,
            };
            (def.look.body, drawing)
        }
        _ => (Body::Rect, Drawing::Unknown),
    }
}

/// Longer polynomials would make the block too wide.
const POLYNOMIAL_LETTERS: usize = 14;

/// Returns the polynomials of two parameters, or placeholders for those that are long or not numbers.
fn polynomials(def: &BlockDef, block: &Block, params: [&str; 2], variable: &str) -> Drawing {
    let text = |name: &str| {
        let default = || def.param(name).map(|param| param.default_texts()).unwrap_or_default();
        let texts = block.option_texts(name).map(|texts| texts.into_iter().map(str::to_owned).collect());
        let text = polynomial_text(&texts.unwrap_or_else(default), variable);
        text.filter(|text| text.chars().count() <= POLYNOMIAL_LETTERS)
    };
    let [over, under] = params.map(text);
    let or = |text: Option<String>, letter: &str| text.unwrap_or_else(|| format!("{letter}({variable})"));
    Drawing::Fraction(or(over, "N"), or(under, "D"))
}

/// Returns a parameter's value as in the file, several values in brackets.
fn param_text(def: &BlockDef, block: &Block, name: &str) -> String {
    let default = || def.param(name).map(|param| param.default_texts()).unwrap_or_default();
    let texts = block.option_texts(name).map(|texts| texts.into_iter().map(str::to_owned).collect());
    let texts: Vec<String> = texts.unwrap_or_else(default);
    match texts.as_slice() {
        [one] => short_number(one.trim()),
        several => format!("[{}]", several.iter().map(|text| short_number(text.trim())).collect::<Vec<_>>().join(" ")),
    }
}

/// Shortens a number to five digits; other texts are returned unchanged.
fn short_number(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(number) if text.len() > 7 && number.is_finite() => {
            let size = number.abs();
            if number == 0.0 || (1e-3..1e5).contains(&size) {
                let places = (4 - size.log10().floor().max(0.0) as i64).clamp(0, 6) as usize;
                let fixed = format!("{number:.places$}");
                if fixed.contains('.') { fixed.trim_end_matches('0').trim_end_matches('.').to_owned() } else { fixed }
            } else {
                format!("{number:.2e}")
            }
        }
        _ => text.to_owned(),
    }
}

pub fn shortened(text: &str, letters: usize) -> String {
    if text.chars().count() <= letters {
        return text.to_owned();
    }
    text.chars().take(letters.saturating_sub(1)).chain(['…']).collect()
}

/// Returns the letters of a text parameter with one sign for each input, such as a sum's.
fn signs(def: &'static BlockDef, block: &Block, inputs: usize) -> Vec<char> {
    let (settings, _) = settings_of(def, block, &NoNames);
    let texts = def.params.iter().filter(|param| matches!(param.kind, ParamKind::Text { .. }));
    let mut found = texts.map(|param| settings.text(param.name).chars().filter(|c| !" |".contains(*c)).collect());
    let is_sign = |c: &char| "+-−*/×÷".contains(*c);
    found
        .find(|signs: &Vec<char>| !signs.is_empty() && signs.len() == inputs && signs.iter().all(is_sign))
        .unwrap_or_default()
}
