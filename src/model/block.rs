//! A block of a model: its kind by name, its options and its attributes.

use std::fmt;
use std::sync::Arc;

use super::{Attributes, Extra};

/// The id of a block, unique in its model for the model's life: an integer from −2⁶³ to 2⁶⁴−1. The original program
/// wrote negative ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub i128);

impl BlockId {
    pub const MIN: BlockId = BlockId(i64::MIN as i128);
    pub const MAX: BlockId = BlockId(u64::MAX as i128);

    /// Parses an id as written in files and paths: decimal digits, with a minus sign if it is negative.
    pub fn parse(text: &str) -> Option<BlockId> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let id = text.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit())).map(BlockId);
        id.filter(|id| (BlockId::MIN..=BlockId::MAX).contains(id))
    }
}

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub id: BlockId,
    pub kind: BlockKind,
    /// All attributes except id, name, group and model.
    pub attributes: Attributes,
    /// The content of the tag, in file order.
    pub body: Vec<BodyItem>,
    /// The block's position in the content of the model's tag; assigned by the model.
    pub seq: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Entry {
        name: Arc<str>,
    },
    Exit {
        name: Arc<str>,
    },
    /// An instance of another model.
    Model {
        model: Arc<str>,
    },
    /// A block of the library.
    Library {
        group: Arc<str>,
        name: Arc<str>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum BodyItem {
    Option(BlockOption),
    /// `<data name="view:x">200</data>`, as the original program wrote view positions.
    Data {
        name: Arc<str>,
        text: Arc<str>,
        attributes: Attributes,
    },
    Extra(Extra),
}

#[derive(Clone, Debug, PartialEq)]
pub struct BlockOption {
    pub name: Arc<str>,
    pub attributes: Attributes,
    pub items: Vec<OptionItem>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum OptionItem {
    Value { text: Arc<str>, attributes: Attributes },
    Extra(Extra),
}

/// The position of a block's top left corner in the diagram, in pixels at 100 % zoom; x points right, y down.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Position {
    pub x: f64,
    pub y: f64,
}

pub(super) const VIEW_X: &str = "view:x";
pub(super) const VIEW_Y: &str = "view:y";
/// Attribute of a block that is mirrored: its inputs are at the right.
pub const VIEW_FLIP: &str = "view:flip";

impl BlockKind {
    /// The title of a block of this kind that has no label.
    pub fn title(&self) -> &str {
        match self {
            BlockKind::Entry { name } | BlockKind::Exit { name } => name,
            BlockKind::Model { model } => model,
            BlockKind::Library { group, name } => crate::block::library::title_of(group, name).unwrap_or(name),
        }
    }

    pub fn entry(name: &str) -> BlockKind {
        BlockKind::Entry { name: name.into() }
    }

    pub fn exit(name: &str) -> BlockKind {
        BlockKind::Exit { name: name.into() }
    }

    pub fn model(model: &str) -> BlockKind {
        BlockKind::Model { model: model.into() }
    }

    pub fn library(group: &str, name: &str) -> BlockKind {
        BlockKind::Library { group: group.into(), name: name.into() }
    }
}

impl Block {
    pub const INITIAL_VALUE: &str = "Initial Value";

    pub fn new(id: BlockId, kind: BlockKind) -> Block {
        Block { id, kind, attributes: Attributes::default(), body: Vec::new(), seq: 0 }
    }

    pub fn with_option<S: AsRef<str>>(mut self, name: &str, values: &[S]) -> Block {
        self.set_option(name, Some(values));
        self
    }

    pub fn at(mut self, x: f64, y: f64) -> Block {
        self.set_position(Position { x, y });
        self
    }

    /// The displayed title: the label, the name of an entry, exit or model, or the library block's title.
    pub fn title(&self) -> &str {
        self.attributes.get("label").unwrap_or_else(|| self.kind.title())
    }

    /// Whether a path may refer to the block by this name: its title, or the library block's name in files.
    pub fn is_called(&self, name: &str) -> bool {
        let is_file_name = matches!(&self.kind, BlockKind::Library { name: own, .. } if **own == *name);
        self.title() == name || (is_file_name && self.attributes.get("label").is_none())
    }

    pub fn option(&self, name: &str) -> Option<&BlockOption> {
        self.options().find(|option| &*option.name == name)
    }

    pub fn options(&self) -> impl Iterator<Item = &BlockOption> {
        self.body.iter().filter_map(|item| match item {
            BodyItem::Option(option) => Some(option),
            _ => None,
        })
    }

    /// The texts of an option's values.
    pub fn option_texts(&self, name: &str) -> Option<Vec<&str>> {
        self.option(name).map(|option| option.texts().collect())
    }

    /// Changes an option in place, appends it, or removes it.
    pub fn set_option<S: AsRef<str>>(&mut self, name: &str, values: Option<&[S]>) {
        let index = self.body.iter().position(|item| matches!(item, BodyItem::Option(option) if &*option.name == name));
        match (index, values) {
            (Some(index), None) => drop(self.body.remove(index)),
            (Some(index), Some(values)) => {
                if let BodyItem::Option(option) = &mut self.body[index] {
                    option.set_texts(values);
                }
            }
            (None, Some(values)) => {
                let mut option =
                    BlockOption { name: name.into(), attributes: Attributes::default(), items: Vec::new() };
                option.set_texts(values);
                self.body.push(BodyItem::Option(option));
            }
            (None, None) => {}
        }
    }

    fn data(&self, wanted: &str) -> Option<&str> {
        self.body.iter().find_map(|item| match item {
            BodyItem::Data { name, text, .. } if &**name == wanted => Some(&**text),
            _ => None,
        })
    }

    /// The attribute of that name, or the original program's `<data>` of that name.
    pub fn view(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).or_else(|| self.data(name))
    }

    /// Changes the attribute, or the original program's `<data>` if the file has that.
    pub fn set_view(&mut self, wanted: &str, value: Option<&str>) {
        let is_wanted = |item: &BodyItem| matches!(item, BodyItem::Data { name, .. } if &**name == wanted);
        let index = self.body.iter().position(is_wanted);
        match (index, value) {
            (Some(index), Some(value)) if self.attributes.get(wanted).is_none() => {
                if let BodyItem::Data { text, .. } = &mut self.body[index] {
                    *text = value.into();
                }
            }
            (Some(index), None) => {
                self.body.remove(index);
                self.attributes.put(wanted, None);
            }
            _ => self.attributes.put(wanted, value),
        }
    }

    /// The block's position, if the file has it as two finite numbers.
    pub fn position(&self) -> Option<Position> {
        let number = |name| self.view(name)?.trim().parse::<f64>().ok().filter(|value| value.is_finite());
        Some(Position { x: number(VIEW_X)?, y: number(VIEW_Y)? })
    }

    /// Whether another state of the block differs from this one in the attributes of its position at most.
    pub fn differs_in_position_only(&self, other: &Block) -> bool {
        let is_alike = |((own, value), (name, others)): ((&str, &str), (&str, &str))| {
            own == name && (value == others || own == VIEW_X || own == VIEW_Y)
        };
        (self.id, self.seq, &self.kind) == (other.id, other.seq, &other.kind)
            && self.body == other.body
            && self.attributes.iter().count() == other.attributes.iter().count()
            && self.attributes.iter().zip(other.attributes.iter()).all(is_alike)
    }

    pub fn set_position(&mut self, position: Position) {
        self.set_view(VIEW_X, Some(&position.x.to_string()));
        self.set_view(VIEW_Y, Some(&position.y.to_string()));
    }
}

impl BlockOption {
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.items.iter().filter_map(|item| match item {
            OptionItem::Value { text, .. } => Some(&**text),
            OptionItem::Extra(_) => None,
        })
    }

    /// Changes the values; their attributes and the other content stay.
    fn set_texts<S: AsRef<str>>(&mut self, values: &[S]) {
        let mut values = values.iter();
        self.items.retain_mut(|item| match item {
            OptionItem::Extra(_) => true,
            OptionItem::Value { text, .. } => match values.next() {
                Some(value) => {
                    if &**text != value.as_ref() {
                        *text = value.as_ref().into();
                    }
                    true
                }
                None => false,
            },
        });
        let further =
            values.map(|value| OptionItem::Value { text: value.as_ref().into(), attributes: Attributes::default() });
        self.items.extend(further);
    }
}
