//! Continues the diagram by a new block: after the selected block, in the selected wire, or where the selected signals
//! meet. Blocks in the way are shifted aside.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use eframe::egui::emath::{Pos2, Rect, Vec2, vec2};

use super::changes::{attribute_edit, connect, move_change};
use super::insert::splice;
use super::prepared::Prepared;
use super::{Edited, OpenModel};
use crate::app::action::new_block::{Course, NewBlock};
use crate::app::canvas::Selection;
use crate::app::canvas::geometry::{Facing, GRID, snap};
use crate::app::canvas::scene::{BlockView, VIEW_HEIGHT, VIEW_WIDTH, WireView};
use crate::model::{BlockId, Change, ChangeKind, Connection, Edit, InputKey};

/// Distance between a block and the next one of the chain, in diagram units.
const GAP: f32 = 40.0;
/// Least distance between a new block with its title and all others.
const MARGIN: f32 = 10.0;
/// Distance between an area's frame and the blocks that grow it.
const FRAME: f32 = 20.0;
/// How many places are tried before the block goes below all others.
const PLACES: u16 = 200;

/// An output.
type Source = (BlockId, Arc<str>);

impl OpenModel<'_> {
    /// Adds a block that continues the selection, and selects it. If nothing is selected, it goes to a free place near
    /// `middle`.
    ///
    /// - After one block: [`GAP`] beside it, connected to its output, facing as it does. In line, it goes into the
    ///   output's wire if that is the only one and leads ahead; on a branch, it goes beside what the output feeds.
    /// - In one wire, if it has an input and an output; otherwise on a branch of the wire.
    /// - After several blocks or wires: an input for each of their signals, as far as the block can have as many.
    ///
    /// Returns None if the block cannot be added to this model.
    pub fn insert_next(&self, new: NewBlock, middle: Pos2, course: Course) -> Option<Edited> {
        let block = self.selection.single_block().and_then(|id| self.scene.block(id)).filter(|view| !view.is_remark());
        if let Some(before) = block {
            return self.insert_after(new, before, course);
        }
        let sources = self.chained_outputs();
        let one_wire = self.selection.wires.first().filter(|_| self.selection.wires.len() == 1);
        match (sources.as_slice(), one_wire) {
            ([], _) => self.add_block(new, middle),
            ([_], Some(key)) if self.selection.blocks.is_empty() => self.insert_at_wire(new, key, course),
            _ => self.join(new, &sources),
        }
    }

    /// Returns the outputs that a new block would continue, from top to bottom: those of the selected blocks that lead
    /// out of the selection; without blocks, the sources of the selected wires.
    fn chained_outputs(&self) -> Vec<Source> {
        let blocks = &self.selection.blocks;
        let is_end = |(id, output): &Source| {
            let mut net = self.scene.net(*id, output);
            !net.any(|wire| blocks.contains(&wire.connection.to))
        };
        let of_blocks = blocks.iter().filter_map(|id| {
            let outputs = self.scene.outputs_of(*id);
            outputs.iter().find(|output| is_end(output)).cloned()
        });
        let mut sources: Vec<Source> = match blocks.is_empty() {
            false => of_blocks.collect(),
            true => {
                let wires = self.selection.wires.iter().filter_map(|key| self.scene.wire(key));
                wires.map(|wire| (wire.connection.from, Arc::clone(&wire.connection.output))).collect()
            }
        };
        let place = |(id, output): &Source| {
            let at = self.scene.block(*id).and_then(|view| view.output_at(output)).unwrap_or_default();
            (at.y as i64, at.x as i64)
        };
        sources.sort_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.cmp(b)));
        sources.dedup();
        sources
    }

    fn insert_after(&self, new: NewBlock, before: &BlockView, course: Course) -> Option<Edited> {
        let prepared = self.prepared(new, before.outline.rect.center())?.facing(
            self.document.registry,
            self.model,
            before.outline.facing,
        );
        let (has_inputs, has_outputs) = (!prepared.view.ports.inputs.is_empty(), !before.ports.outputs.is_empty());
        if !has_inputs {
            return Some(self.insert_before(prepared, before));
        }
        if !has_outputs {
            // After a sink comes another one of the same signal.
            let fed = before.ports.inputs.iter().find_map(|input| self.wire_at(before.block.id, input));
            let source = fed.map(|wire| (wire.connection.from, Arc::clone(&wire.connection.output)));
            let beside = prepared.moved_to(before.outline.rect.min);
            let placed = self.beside(beside, before.outline.facing);
            return Some(self.placed(placed, source, BTreeMap::new(), None));
        }
        let is_free = |output: &&Arc<str>| self.scene.net(before.block.id, output).next().is_none();
        let outputs = &before.ports.outputs;
        let output = Arc::clone(outputs.iter().find(is_free).or(outputs.first())?);
        self.insert_at(prepared, before, output, course)
    }

    /// Adds a block after an output: in line with it, or on a branch.
    fn insert_at(&self, new: Prepared, before: &BlockView, output: Arc<str>, course: Course) -> Option<Edited> {
        let heading = before.outline.facing.heading().vector();
        let at = before.output_at(&output).unwrap_or_else(|| before.output_side());
        let in_line = new.after(before, at);
        let net: Vec<&WireView> = self.scene.net(before.block.id, &output).collect();
        let source = Some((before.block.id, output));
        let leads_ahead = |wire: &WireView| {
            let to = &wire.connection;
            let target = self.scene.block(to.to).and_then(|view| view.input_at(&to.input));
            target.is_some_and(|target| (target - at).dot(heading) > 0.0)
        };
        if let ([wire], Course::InLine) = (net.as_slice(), course)
            && !in_line.view.ports.outputs.is_empty()
            && leads_ahead(wire)
        {
            let moves = self.shifted_aside(&in_line, before, heading);
            return Some(self.placed(in_line, source, moves, Some(wire.key())));
        }
        if net.is_empty() && course == Course::InLine {
            let moves = self.shifted_aside(&in_line, before, heading);
            return Some(self.placed(in_line, source, moves, None));
        }
        Some(self.placed(self.beside(in_line, before.outline.facing), source, BTreeMap::new(), None))
    }

    /// Adds a block without inputs in front of a block, connected to its first free input if there is one.
    fn insert_before(&self, new: Prepared, next: &BlockView) -> Edited {
        let free = next.ports.inputs.iter().find(|input| self.wire_at(next.block.id, input).is_none());
        let into = free.filter(|_| !new.view.ports.outputs.is_empty()).cloned();
        let place = match &into {
            Some(input) => new.ahead_of(next, next.input_at(input).unwrap_or_else(|| next.input_side())),
            None => new.after(next, next.output_side()),
        };
        let placed = self.beside(place, next.outline.facing);
        let wire = into.and_then(|input| {
            let output = placed.view.ports.outputs.first()?;
            Some(Connection::new(placed.block.id, output, next.block.id, &input))
        });
        let (id, model) = (placed.block.id, self.model);
        let mut change = self.adding(placed, BTreeMap::new());
        change.edits.extend(wire.map(|wire| connect(model, wire)));
        Edited::selecting(self.with_sides(change), Selection::of_block(id))
    }

    /// Adds a block in a wire if it has an input and an output, on a branch of it otherwise.
    fn insert_at_wire(&self, new: NewBlock, key: &InputKey, course: Course) -> Option<Edited> {
        let wire = self.scene.wire(key)?;
        let before = self.scene.block(wire.connection.from)?;
        let prepared = self.prepared(new, before.outline.rect.center())?;
        let is_passed = !prepared.view.ports.inputs.is_empty() && !prepared.view.ports.outputs.is_empty();
        if is_passed && course == Course::InLine {
            let source = Some((before.block.id, Arc::clone(&wire.connection.output)));
            if let Some(placed) = self.within(&prepared, wire) {
                return Some(self.placed(placed, source, BTreeMap::new(), Some(wire.key())));
            }
            let heading = before.outline.facing.heading().vector();
            let at = before.output_at(&wire.connection.output).unwrap_or_else(|| before.output_side());
            let placed = prepared.facing(self.document.registry, self.model, before.outline.facing).after(before, at);
            let moves = self.shifted_aside(&placed, before, heading);
            return Some(self.placed(placed, source, moves, Some(wire.key())));
        }
        let prepared = prepared.facing(self.document.registry, self.model, before.outline.facing);
        self.insert_at(prepared, before, Arc::clone(&wire.connection.output), Course::Branch)
    }

    /// Returns the block in the middle of a wire's longest horizontal segment, facing as the signal runs; None if there
    /// is not enough room.
    fn within(&self, new: &Prepared, wire: &WireView) -> Option<Prepared> {
        let level = wire.points.windows(2).filter_map(|pair| match pair {
            [a, b] if (a.y - b.y).abs() < 0.5 => Some((*a, *b)),
            _ => None,
        });
        let (a, b) = level.max_by(|one, other| (one.0.x - one.1.x).abs().total_cmp(&(other.0.x - other.1.x).abs()))?;
        let facing = if b.x < a.x { Facing::Left } else { Facing::Right };
        let turned = new.facing(self.document.registry, self.model, facing);
        let size = turned.view.outline.rect.size();
        if (a.x - b.x).abs() < size.x + 2.0 * GRID {
            return None;
        }
        let port = turned.view.outline.inputs.first()?.y - turned.view.outline.rect.top();
        let corner = snap(Pos2::new((a.x + b.x - size.x) / 2.0, a.y));
        let placed = turned.moved_to(Pos2::new(corner.x, a.y - port));
        self.is_free(placed.room().expand(MARGIN)).then_some(placed)
    }

    /// Adds a block where several signals meet: beyond their sources, at their middle height, with an input for each.
    fn join(&self, new: NewBlock, sources: &[Source]) -> Option<Edited> {
        let views: Vec<(&BlockView, Pos2)> = sources
            .iter()
            .filter_map(|(id, output)| {
                let view = self.scene.block(*id)?;
                Some((view, view.output_at(output).unwrap_or_else(|| view.output_side())))
            })
            .collect();
        let right = views.iter().map(|(view, _)| view.outline.rect.right()).reduce(f32::max)?;
        let middle = views.iter().map(|(_, at)| at.y).sum::<f32>() / views.len() as f32;
        let prepared = self.prepared(new, Pos2::new(right, middle))?;
        let prepared = prepared.with_inputs(self.document.registry, self.model, sources.len());
        let corner = snap(Pos2::new(right + GAP + FRAME, middle - prepared.view.outline.rect.height() / 2.0));
        let placed = self.beside(prepared.moved_to(corner), Facing::Right);
        let id = placed.block.id;
        let wires = self.wires_to(&placed.view, sources);
        let mut change = self.adding(placed, BTreeMap::new());
        change.edits.extend(wires);
        Some(Edited::selecting(self.with_sides(change), Selection::of_block(id)))
    }

    /// Returns the edits that connect outputs to the inputs of a new block, one to each.
    fn wires_to(&self, new: &BlockView, sources: &[Source]) -> Vec<Edit> {
        let wires = sources.iter().zip(&new.ports.inputs).map(|((from, output), input)| {
            let mut wire = Connection::new(*from, output, new.block.id, input);
            wire.carry_signal_of(self.scene.net(*from, output).next().map(|known| &*known.connection));
            connect(self.model, wire)
        });
        wires.collect()
    }

    fn prepared(&self, new: NewBlock, near: Pos2) -> Option<Prepared> {
        Prepared::new(&self.document, self.model, new, near)
    }

    fn wire_at(&self, block: BlockId, input: &Arc<str>) -> Option<&WireView> {
        self.scene.wire(&InputKey { block, input: Arc::clone(input) })
    }

    /// Whether no block but areas touches a rectangle.
    pub(super) fn is_free(&self, room: Rect) -> bool {
        self.scene.blocks_in(room).iter().all(|view| view.is_area())
    }

    /// Moves a block that is to be added across the direction of its signal, until it covers neither a block nor a wire.
    fn beside(&self, new: Prepared, facing: Facing) -> Prepared {
        let step = if facing.is_vertical() { vec2(2.0 * GRID, 0.0) } else { vec2(0.0, 2.0 * GRID) };
        let room = new.room().expand(MARGIN);
        let is_clear = |room: Rect| {
            let crosses =
                |wire: &&WireView| wire.points.windows(2).any(|pair| Rect::from_points(pair).intersects(room));
            self.is_free(room) && !self.scene.wires_in(room).iter().any(crosses)
        };
        let shift = (0..PLACES).map(|number| step * f32::from(number)).find(|shift| is_clear(room.translate(*shift)));
        let corner = new.view.outline.rect.min;
        new.moved_to(corner + shift.unwrap_or_else(|| self.below_all(room)))
    }

    /// Returns the way from a rectangle to a place below the whole diagram.
    pub(super) fn below_all(&self, room: Rect) -> Vec2 {
        let bottom = self.scene.bounds().map_or(room.top(), |bounds| bounds.bottom());
        vec2(0.0, ((bottom + GAP - room.top()).max(0.0) / GRID).ceil() * GRID)
    }

    /// Returns the new positions of the blocks that make way for one that is to be added after `before`: those in the
    /// way, and those in their way in turn, all by the same distance.
    fn shifted_aside(&self, new: &Prepared, before: &BlockView, heading: Vec2) -> BTreeMap<BlockId, Pos2> {
        // The room of a block and ahead of it, that another needs to be clear.
        let ahead = |room: Rect| room.union(room.translate(heading * 2.0 * GRID)).shrink(0.5);
        let solid = |room: Rect, moved: &BTreeSet<BlockId>| -> Vec<&BlockView> {
            let found = self.scene.blocks_in(room).into_iter();
            let is_in = |view: &BlockView| view.outline.with_title().intersects(room);
            let others = found.filter(|view| !view.is_area() && view.block.id != before.block.id && is_in(view));
            others.filter(|view| !moved.contains(&view.block.id)).collect()
        };
        let mut moved = BTreeSet::new();
        let mut waiting = solid(ahead(new.room()), &moved);
        let far = |rect: Rect| rect.center().to_vec2().dot(heading) + (rect.size() * heading).length() / 2.0;
        let near = |rect: Rect| rect.center().to_vec2().dot(heading) - (rect.size() * heading).length() / 2.0;
        let wanted = far(new.view.outline.rect) + GAP;
        let Some(needed) = waiting.iter().map(|view| wanted - near(view.outline.rect)).reduce(f32::max) else {
            return BTreeMap::new();
        };
        let shift = heading * (needed / GRID).ceil() * GRID;
        while let Some(view) = waiting.pop() {
            if moved.insert(view.block.id) {
                let room = ahead(view.outline.with_title());
                // All that the block would pass over moves with it.
                waiting.extend(solid(room.union(room.translate(shift)), &moved));
            }
        }
        moved.iter().filter_map(|id| Some((*id, self.scene.block(*id)?.position + shift))).collect()
    }

    /// Returns the change that adds a block and moves others out of its way.
    fn adding(&self, new: Prepared, moves: BTreeMap<BlockId, Pos2>) -> Change {
        let shift = moves.iter().next().and_then(|(id, to)| Some(*to - self.scene.block(*id)?.position));
        let moved = move_change(self.scene, self.model, &moves, shift.unwrap_or_default());
        let mut edits = moved.map_or_else(|| self.pins(), |change| change.edits);
        edits.extend(self.grown_areas(&new, &moves, shift.unwrap_or_default()));
        let label = format!("Add {}", new.block.title());
        edits.extend(new.models);
        edits.push(Edit::AddBlock { model: Arc::clone(&self.model.name), block: Box::new(new.block) });
        Change::new(label, edits).of_kind(ChangeKind::InsertBlock)
    }

    /// Returns the edits that enlarge the areas whose blocks were shifted out of them.
    fn grown_areas(&self, new: &Prepared, moves: &BTreeMap<BlockId, Pos2>, shift: Vec2) -> Vec<Edit> {
        let mut sizes: BTreeMap<BlockId, Vec2> = BTreeMap::new();
        for view in moves.keys().filter_map(|id| self.scene.block(*id)) {
            let body = view.outline.body;
            let around = self.scene.blocks_in(body).into_iter().filter(|area| area.is_area());
            for area in around.filter(|area| area.outline.body.contains_rect(body)) {
                let corner = area.outline.rect.min;
                let needed = body.translate(shift).union(new.view.outline.body).max + Vec2::splat(FRAME) - corner;
                let size = sizes.entry(area.block.id).or_insert(area.outline.rect.size());
                *size = size.max(needed);
            }
        }
        let is_larger =
            |(id, size): &(BlockId, Vec2)| self.scene.block(*id).is_some_and(|area| *size != area.outline.rect.size());
        let edits = sizes.into_iter().filter(is_larger).flat_map(|(id, size)| {
            let set = |name, length: f32| attribute_edit(self.model, id, name, Some(length.to_string()));
            [set(VIEW_WIDTH, size.x), set(VIEW_HEIGHT, size.y)]
        });
        edits.collect()
    }

    /// Returns the change that adds a block at its place, connected to an output, or into its wire.
    fn placed(
        &self,
        new: Prepared,
        source: Option<Source>,
        moves: BTreeMap<BlockId, Pos2>,
        into: Option<InputKey>,
    ) -> Edited {
        let id = new.block.id;
        let wires = match (into.and_then(|key| self.model.connections.get(&key)), source) {
            (Some(wire), _) => splice(self.model, wire, &new.view),
            (None, Some(source)) => self.wires_to(&new.view, &[source]),
            (None, None) => Vec::new(),
        };
        let change = self.adding(new, moves);
        let mut wired = change.clone();
        wired.edits.extend(wires);
        // A wire that would close an algebraic loop is left to the user.
        let change = if self.applied(&wired).is_ok() { wired } else { change };
        Edited::selecting(change, Selection::of_block(id))
    }
}

impl Prepared {
    /// Moves it to [`GAP`] beyond a block, with its first input on the line of an output.
    fn after(self, before: &BlockView, output: Pos2) -> Prepared {
        let (rect, own) = (before.outline.rect, &self.view.outline);
        let input = own.inputs.first().copied().unwrap_or(self.view.input_side()) - own.rect.min;
        let corner = match before.outline.facing {
            Facing::Right => Pos2::new(rect.right() + GAP, output.y - input.y),
            Facing::Left => Pos2::new(rect.left() - GAP - own.rect.width(), output.y - input.y),
            Facing::Down => Pos2::new(output.x - input.x, rect.bottom() + GAP),
            Facing::Up => Pos2::new(output.x - input.x, rect.top() - GAP - own.rect.height()),
        };
        self.moved_to(corner)
    }

    /// Moves it to [`GAP`] in front of a block, with its first output on the line of an input.
    fn ahead_of(self, next: &BlockView, input: Pos2) -> Prepared {
        let (rect, own) = (next.outline.rect, &self.view.outline);
        let output = own.outputs.first().copied().unwrap_or(self.view.output_side()) - own.rect.min;
        let corner = match next.outline.facing {
            Facing::Right => Pos2::new(rect.left() - GAP - own.rect.width(), input.y - output.y),
            Facing::Left => Pos2::new(rect.right() + GAP, input.y - output.y),
            Facing::Down => Pos2::new(input.x - output.x, rect.top() - GAP - own.rect.height()),
            Facing::Up => Pos2::new(input.x - output.x, rect.bottom() + GAP),
        };
        self.moved_to(corner)
    }
}
