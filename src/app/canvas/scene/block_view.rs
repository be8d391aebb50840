//! A block as the canvas shows it: its outline, the drawing inside, its ports by name.

use std::sync::Arc;

use eframe::egui::Color32;
use eframe::egui::emath::{Align2, Pos2, Rect, Vec2, pos2, vec2};

use super::icon::drawing_of;
use super::loose::LooseWire;
use crate::app::canvas::geometry::{Facing, Figure, Labels, Outline, TitleSide, outline, point_of};
use crate::block::expression::NoNames;
use crate::block::{BlockDef, Body, Face, ParamKind, Registry};
use crate::model::{Block, BlockKind, BlockPorts, Edge, Model, Role, Simulation, block_ports, settings_of};

/// The attribute that mirrors a block.
pub const VIEW_FLIP: &str = "view:flip";
/// The attribute that turns a block with the clock: 90, 180 or 270 degrees.
pub const VIEW_ROTATE: &str = "view:rotate";
/// Letters of a title that are shown.
pub const TITLE_LETTERS: usize = 24;
/// What a letter of a title takes, about, and its height.
const TITLE_LETTER: f32 = 5.4;
const TITLE_LINE: f32 = 12.0;

/// The attribute that says where the title stands: `below`, `above`, `right` or `hidden`.
pub const VIEW_TITLE: &str = "view:title";
/// The attributes with the size of a note or area, and what a rectangle measures at least.
pub const VIEW_WIDTH: &str = "view:width";
pub const VIEW_HEIGHT: &str = "view:height";
/// The attribute with a block's own colour, `#rrggbb`.
pub const VIEW_COLOR: &str = "view:color";

#[derive(Debug)]
pub struct BlockView {
    pub block: Arc<Block>,
    /// The model that a model block uses.
    pub inner: Option<Arc<Model>>,
    pub def: Option<&'static BlockDef>,
    pub ports: BlockPorts,
    pub body: Body,
    pub drawing: Drawing,
    /// A sign for each input, where the block has such a parameter.
    pub signs: Vec<char>,
    pub shows_labels: bool,
    /// What each input of a model block decides, if it does; or the entry or exit itself.
    pub roles: Vec<Option<(Role, Edge)>>,
    /// Its wires that end in the air.
    pub loose: Vec<LooseWire>,
    /// The user gave it.
    pub color: Option<Color32>,
    /// Where the document or the layout has it; while it is dragged its outline is elsewhere.
    pub place: Pos2,
    /// The document says where it stands.
    pub is_placed: bool,
    pub outline: Outline,
}

/// What stands inside a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawing {
    Empty,
    Text(String),
    Fraction(String, String),
    Strokes(&'static [&'static [(f32, f32)]]),
    Live,
    /// What a note or an area says.
    Remark(String),
    /// Lines in the unit square.
    Path(Vec<Vec<(f32, f32)>>),
    /// A small diagram: there is a model inside.
    Model,
    /// The program does not know the block.
    Unknown,
}

impl BlockView {
    /// At its place in the document, or at the origin until the layout has given it one.
    pub fn new(simulation: &Simulation, registry: &Registry, model: &Model, block: &Arc<Block>) -> BlockView {
        let ports = block_ports(simulation, registry, model, block);
        let inner = match &block.kind {
            BlockKind::Model { model } => simulation.model(model).cloned(),
            _ => None,
        };
        let def = match &block.kind {
            BlockKind::Library { group, name } => registry.get(group, name),
            _ => None,
        };
        let (body, drawing) = look(registry, block, inner.as_deref(), def);
        let is_named_inside = inner.is_some() || matches!(drawing, Drawing::Empty | Drawing::Unknown);
        let shows_labels =
            is_named_inside && body == Body::Rect && !(ports.inputs.is_empty() && ports.outputs.is_empty());
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
        // A mark takes as much room as two letters and a half.
        let marked = |name: &Arc<str>| if has_role { format!("{name}\u{2003}.").into() } else { Arc::clone(name) };
        let labels: Vec<Arc<str>> = ports.inputs.iter().map(marked).collect();
        let is_port = matches!(block.kind, BlockKind::Entry { .. } | BlockKind::Exit { .. });
        // Beside the names of a model's ports its own icon has room.
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
        };
        let position = block.position();
        let place = position.map_or(Pos2::ZERO, point_of);
        let outline = outline(&figure).moved_to(place);
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
            color: block.view(VIEW_COLOR).and_then(|text| Color32::from_hex(text.trim()).ok()),
            place,
            is_placed: position.is_some(),
            outline,
            ports,
        }
    }

    pub fn is_known(&self) -> bool {
        self.drawing != Drawing::Unknown
    }

    /// For people who do not see: `Block Gain #3`.
    pub fn label(&self) -> String {
        format!("Block {} {}", self.block.title(), self.block.id)
    }

    /// The palette's group; entries and exits and models have names of their own there.
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

    /// Where a wire ends whose port the block does not have (any more).
    pub fn input_side(&self) -> Pos2 {
        side_of(self.outline.rect, self.outline.facing.reversed())
    }

    pub fn output_side(&self) -> Pos2 {
        side_of(self.outline.rect, self.outline.facing)
    }

    /// It stands there for the reader alone.
    pub fn is_remark(&self) -> bool {
        matches!(self.body, Body::Note | Body::Area)
    }

    /// A frame that carries what lies within.
    pub fn is_area(&self) -> bool {
        self.body == Body::Area
    }

    /// Where its title stands, and how; none where it shows none.
    pub fn title_place(&self) -> Option<(Pos2, Align2)> {
        // An entry or exit has its name inside.
        if self.body == Body::Pill && matches!(self.drawing, Drawing::Text(_)) && self.def.is_none() {
            return None;
        }
        let body = self.outline.body;
        // What its signs say needs no words, and a wire comes from below.
        if !self.signs.is_empty() && self.body == Body::Circle && self.outline.title != TitleSide::Hidden {
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

    /// What its title covers, about.
    pub fn title_rect(&self) -> Option<Rect> {
        let (at, align) = self.title_place()?;
        let letters = self.block.title().chars().count().min(TITLE_LETTERS);
        Some(align.anchor_size(at, vec2(letters as f32 * TITLE_LETTER, TITLE_LINE)))
    }

    /// Where anything of it is: with its title and the ends of its loose wires.
    pub fn reach(&self) -> Rect {
        let ends = self.loose.iter().map(|wire| Rect::from_pos(wire.end_of(self)));
        ends.fold(self.outline.with_title(), Rect::union)
    }

    /// It can be made larger.
    pub fn is_resizable(&self) -> bool {
        self.is_remark() || self.body == Body::Rect
    }

    /// One input and one output: it can be put into a wire.
    pub fn is_link(&self) -> bool {
        self.ports.inputs.len() == 1 && self.ports.outputs.len() == 1
    }
}

/// Which way a block lies: turned, and then mirrored.
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

/// The size that the document gives a note or area, or that its text needs.
fn remark_size(block: &Block, drawing: &Drawing) -> Option<Vec2> {
    let Drawing::Remark(text) = drawing else { return None };
    let number = |name| block.view(name)?.trim().parse::<f32>().ok().filter(|n| n.is_finite());
    let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0) as f32;
    let natural = vec2((longest * 6.4 + 24.0).clamp(80.0, 320.0), text.lines().count().max(1) as f32 * 16.0 + 22.0);
    let size = vec2(number(VIEW_WIDTH).unwrap_or(natural.x), number(VIEW_HEIGHT).unwrap_or(natural.y));
    Some(size.clamp(vec2(40.0, 20.0), vec2(20_000.0, 20_000.0)))
}

/// The size that the document gives a block; one length alone leaves the other as it is.
fn own_size(block: &Block) -> Option<Vec2> {
    let number = |name| block.view(name)?.trim().parse::<f32>().ok().filter(|n| n.is_finite());
    let (width, height) = (number(VIEW_WIDTH), number(VIEW_HEIGHT));
    (width.is_some() || height.is_some())
        .then(|| vec2(width.unwrap_or(0.0), height.unwrap_or(0.0)).clamp(Vec2::ZERO, vec2(2_000.0, 2_000.0)))
}

/// What the inputs of a model block decide, or what an entry or exit does.
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

/// Letters of the longest of some names.
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
                Face::Strokes(strokes) | Face::Curve(strokes) => Drawing::Strokes(strokes),
                Face::Live => Drawing::Live,
                Face::Empty => Drawing::Empty,
            };
            (def.look.body, drawing)
        }
        _ => (Body::Rect, Drawing::Unknown),
    }
}

/// A parameter's value as the file has it, several values in brackets.
fn param_text(def: &BlockDef, block: &Block, name: &str) -> String {
    let default = || def.param(name).map(|param| param.default_texts()).unwrap_or_default();
    let texts = block.option_texts(name).map(|texts| texts.into_iter().map(str::to_owned).collect());
    let texts: Vec<String> = texts.unwrap_or_else(default);
    match texts.as_slice() {
        [one] => short_number(one.trim()),
        several => format!("[{}]", several.iter().map(|text| short_number(text.trim())).collect::<Vec<_>>().join(" ")),
    }
}

/// A number of at most five digits; any other text as it is.
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

/// The letters of a text parameter that has one sign for each input, as a sum's.
fn signs(def: &BlockDef, block: &Block, inputs: usize) -> Vec<char> {
    let (settings, _) = settings_of(def, block, &NoNames);
    let texts = def.params.iter().filter(|param| matches!(param.kind, ParamKind::Text { .. }));
    let mut found = texts.map(|param| settings.text(param.name).chars().filter(|c| !" |".contains(*c)).collect());
    let is_sign = |c: &char| "+-−*/×÷".contains(*c);
    found
        .find(|signs: &Vec<char>| !signs.is_empty() && signs.len() == inputs && signs.iter().all(is_sign))
        .unwrap_or_default()
}
