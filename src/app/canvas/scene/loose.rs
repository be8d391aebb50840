//! Loose wires: wires with one unconnected end. They are stored with the block that they are connected to, as
//! `view:loose="out Output 120,0; in Input -40,20"`, relative to the block's upper left corner. A wire that was left
//! open
//! because it would close an algebraic loop also names its target block and input: `out Output 120,0 7 Input`. Engines
//! ignore loose wires.

use std::sync::Arc;

use eframe::egui::emath::{Pos2, Rect, Vec2, vec2};

use super::{BlockView, source_end, target_end};
use crate::app::canvas::gesture::hit::PortDirection;
use crate::app::canvas::route::{End, loose, route};
use crate::model::{Block, BlockId};

/// Block attribute with its loose wires.
pub const VIEW_LOOSE: &str = "view:loose";

/// A wire with one end at a port.
#[derive(Clone, Debug, PartialEq)]
pub struct LooseWire {
    /// PortDirection of the port.
    pub side: PortDirection,
    pub port: Arc<str>,
    /// The free end, relative to the block's upper left corner.
    pub end: Vec2,
    /// The target block and input, if connecting them would close an algebraic loop.
    pub target: Option<(BlockId, Arc<str>)>,
}

impl LooseWire {
    /// Parses a block's attribute; invalid entries are ignored.
    pub fn all_of(block: &Block) -> Vec<LooseWire> {
        block.view(VIEW_LOOSE).map(|text| text.split(';').filter_map(read).collect()).unwrap_or_default()
    }

    /// Returns the text of the attribute; None if there are no loose wires.
    pub fn text_of(wires: &[LooseWire]) -> Option<String> {
        let text = |wire: &LooseWire| {
            let side = if wire.side == PortDirection::Output { "out" } else { "in" };
            let target = wire.target.as_ref().map(|(id, input)| format!(" {} {}", id.0, escaped(input)));
            let target = target.unwrap_or_default();
            format!("{side} {} {},{}{target}", escaped(&wire.port), wire.end.x, wire.end.y)
        };
        (!wires.is_empty()).then(|| wires.iter().map(text).collect::<Vec<_>>().join("; "))
    }

    /// Returns the points from the port to the free end; None if the block has no such port.
    pub fn points(&self, block: &BlockView) -> Option<Vec<Pos2>> {
        let end = self.end_of(block);
        Some(match self.side {
            PortDirection::Output => {
                let from = source_end(block, block.output_at(&self.port)?);
                match self.target {
                    // The wire goes around its own block to the intended target.
                    Some(_) => {
                        let to = End { at: end, heading: from.heading, block: Rect::from_pos(end) };
                        route(&from, &to, None, &[])
                    }
                    None => loose(&from, end),
                }
            }
            PortDirection::Input => {
                let port = target_end(block, block.input_at(&self.port)?);
                loose(&End { heading: port.heading.reversed(), ..port }, end)
            }
        })
    }

    pub fn end_of(&self, block: &BlockView) -> Pos2 {
        block.outline.rect.min + self.end
    }
}

fn escaped(port: &str) -> String {
    port.replace('%', "%25").replace(';', "%3B").replace(' ', "%20")
}

fn unescaped(text: &str) -> Arc<str> {
    text.replace("%20", " ").replace("%3B", ";").replace("%25", "%").into()
}

fn read(text: &str) -> Option<LooseWire> {
    let mut parts = text.split_whitespace();
    let side = match parts.next()? {
        "out" => PortDirection::Output,
        "in" => PortDirection::Input,
        _ => return None,
    };
    let port = unescaped(parts.next()?);
    let (x, y) = parts.next()?.split_once(',')?;
    let number = |text: &str| text.parse::<f32>().ok().filter(|number| number.is_finite() && number.abs() < 1e6);
    let end = vec2(number(x)?, number(y)?);
    let target = parts.next().and_then(|id| id.parse().ok()).zip(parts.next());
    let target = target.map(|(id, input)| (BlockId(id), unescaped(input)));
    Some(LooseWire { side, port, end, target })
}
