//! Connects a block that is dropped near a matching port.

use std::sync::Arc;

use eframe::egui::emath::{Pos2, vec2};

use crate::app::canvas::geometry::Heading;
use crate::app::canvas::route::{corridor, route};
use crate::app::canvas::scene::{BlockView, Scene, source_end, target_end};
use crate::model::{Connection, InputKey};

/// Maximum distance between two ports, along the wire and across.
const ALONG: f32 = 70.0;
const ACROSS: f32 = 16.0;

/// A suggested connection and its route.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    pub connection: Connection,
    pub points: Vec<Pos2>,
}

/// Returns the wires between an unconnected block and ports near it: each of its ports takes the nearest that faces it.
/// Connected inputs are skipped.
pub fn suggestions(scene: &Scene, block: &BlockView) -> Vec<Suggestion> {
    let id = block.block.id;
    let near = block.outline.rect.expand2(vec2(ALONG, ALONG));
    let mut others: Vec<&BlockView> =
        scene.blocks_in(near).into_iter().filter(|other| other.block.id != id && other.is_known()).collect();
    others.sort_by_key(|other| other.block.id);
    let mut found: Vec<Suggestion> = Vec::new();
    for (input, at) in block.ports.inputs.iter().zip(&block.outline.inputs) {
        let to = target_end(block, *at);
        let outputs = others.iter().flat_map(|other| {
            other.ports.outputs.iter().zip(&other.outline.outputs).map(move |(name, at)| (*other, name, *at))
        });
        let is_used = |other: &BlockView, name: &Arc<str>| {
            let is_it = |known: &Connection| known.from == other.block.id && known.output == *name;
            found.iter().any(|known| is_it(&known.connection))
        };
        let fits = outputs.filter_map(|(other, name, at)| {
            let from = source_end(other, at);
            let distance = distance(from.at, to.at, from.heading, to.heading)?;
            (!is_used(other, name)).then_some((distance, other, name, from))
        });
        if let Some((_, other, name, from)) = fits.min_by(|(a, ..), (b, ..)| a.total_cmp(b)) {
            let connection = Connection::new(other.block.id, name, id, input);
            let points = route(&from, &to, None, &scene.obstacles(corridor(&from, &to)));
            found.push(Suggestion { connection, points });
        }
    }
    let mut taken: Vec<InputKey> = Vec::new();
    for (output, at) in block.ports.outputs.iter().zip(&block.outline.outputs) {
        let from = source_end(block, *at);
        let inputs = others.iter().flat_map(|other| {
            other.ports.inputs.iter().zip(&other.outline.inputs).map(move |(name, at)| (*other, name, *at))
        });
        let fits = inputs.filter_map(|(other, name, at)| {
            let to = target_end(other, at);
            let key = InputKey { block: other.block.id, input: Arc::clone(name) };
            let distance = distance(from.at, to.at, from.heading, to.heading)?;
            (scene.wire(&key).is_none() && !taken.contains(&key)).then_some((distance, key, to))
        });
        if let Some((_, key, to)) = fits.min_by(|(a, ..), (b, ..)| a.total_cmp(b)) {
            let points = route(&from, &to, None, &scene.obstacles(corridor(&from, &to)));
            found.push(Suggestion { connection: Connection::new(id, output, key.block, &key.input), points });
            taken.push(key);
        }
    }
    found
}

/// Returns the distance from an output to an input that faces it; None if it does not.
fn distance(from: Pos2, to: Pos2, leaves: Heading, enters: Heading) -> Option<f32> {
    let way = to - from;
    let along = way.dot(leaves.vector());
    let across = way.dot(leaves.vector().rot90()).abs();
    (leaves == enters && along > 0.0 && along <= ALONG && across <= ACROSS).then_some(along + across)
}
