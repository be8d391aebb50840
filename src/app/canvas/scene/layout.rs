//! Layout of blocks without positions: columns from left to right along the wires. Independent of the window.
//!
//! A block's column is the longest path to it from a source (wires that close a loop are ignored); blocks within a
//! column are ordered for few crossings and placed beside their sources. Equal models give equal positions, in roughly
//! linear time.

use eframe::egui::emath::{Pos2, Rect, Vec2, pos2};

use crate::app::canvas::geometry::{GRID, TITLE_HEIGHT, snap_number};

const COLUMN_GAP: f32 = 60.0;
const ROW_GAP: f32 = 50.0;
const SWEEPS: usize = 4;

/// A wire between two blocks, by index, with the heights of its ports below the blocks' top edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    pub from: usize,
    pub to: usize,
    pub from_y: f32,
    pub to_y: f32,
}

impl Link {
    pub fn reversed(self) -> Link {
        Link { from: self.to, to: self.from, from_y: self.to_y, to_y: self.from_y }
    }
}

/// How the blocks of a column are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// For few crossings.
    FewCrossings,
    /// As given; a block without inputs is placed right before the first block that it feeds.
    AsGiven,
}

/// Returns the upper left corner of each block, without overlaps, to the right of and below `origin`.
pub fn layout(sizes: &[Vec2], links: &[Link], origin: Pos2, by: Order) -> Vec<Pos2> {
    let graph = Graph::new(sizes.len(), links);
    let is_lone = |block: usize| graph.inputs_of(block).is_empty() && graph.outputs_of(block).is_empty();
    let mut columns_of = graph.columns();
    if by == Order::AsGiven {
        graph.draw_near(&mut columns_of);
    }
    let mut columns: Vec<Vec<usize>> = Vec::new();
    for (block, &column) in columns_of.iter().enumerate() {
        if is_lone(block) {
            continue;
        }
        if columns.len() <= column {
            columns.resize(column + 1, Vec::new());
        }
        if let Some(column) = columns.get_mut(column) {
            column.push(block);
        }
    }
    if by == Order::FewCrossings {
        order(&mut columns, &graph, sizes.len());
    }

    let mut positions = vec![origin; sizes.len()];
    let size = |block: usize| sizes.get(block).copied().unwrap_or_default();
    let mut x = origin.x;
    let mut bottom = origin.y;
    for column in &columns {
        let width = column.iter().map(|&block| size(block).x).fold(0.0, f32::max);
        let wanted: Vec<f32> = column
            .iter()
            .map(|&block| {
                let tops = graph.inputs_of(block).iter().filter_map(|link| {
                    // Only blocks already placed are considered.
                    let is_before = columns_of.get(link.from)? < columns_of.get(block)?;
                    is_before.then(|| positions.get(link.from).map(|at| at.y + link.from_y - link.to_y))?
                });
                let (count, sum) = tops.fold((0, 0.0), |(count, sum), top| (count + 1, sum + top));
                if count == 0 { f32::NAN } else { sum / count as f32 }
            })
            .collect();
        let heights: Vec<f32> = column.iter().map(|&block| size(block).y + ROW_GAP).collect();
        for ((&block, top), size_y) in column.iter().zip(stacked(&wanted, &heights, origin.y)).zip(&heights) {
            if let Some(position) = positions.get_mut(block) {
                *position = pos2(snap_number(x + (width - size(block).x) / 2.0), top);
            }
            bottom = bottom.max(top + size_y);
        }
        x += width + COLUMN_GAP;
    }

    place_lone((0..sizes.len()).filter(|&block| is_lone(block)), sizes, pos2(origin.x, bottom), &mut positions);
    lift(&mut positions, origin.y);
    positions
}

/// Returns top edges as close as possible to the wanted ones, in the same order and without overlap.
fn stacked(wanted: &[f32], heights: &[f32], origin: f32) -> Vec<f32> {
    // Clusters of adjacent blocks move together to the mean of their wanted positions.
    struct Cluster {
        first: usize,
        top: f32,
        height: f32,
        wanted: f32,
        weight: f32,
    }
    let mut clusters: Vec<Cluster> = Vec::new();
    for (index, (&want, &height)) in wanted.iter().zip(heights).enumerate() {
        let mut cluster = match want.is_nan() {
            true => {
                let top = clusters.last().map_or(origin, |cluster| cluster.top + cluster.height);
                Cluster { first: index, top, height, wanted: top * 0.01, weight: 0.01 }
            }
            false => Cluster { first: index, top: want, height, wanted: want, weight: 1.0 },
        };
        while let Some(above) = clusters.pop() {
            if above.top + above.height <= cluster.top {
                clusters.push(above);
                break;
            }
            cluster.wanted = above.wanted + cluster.wanted - cluster.weight * above.height;
            cluster.weight += above.weight;
            cluster.height += above.height;
            cluster.first = above.first;
            cluster.top = cluster.wanted / cluster.weight;
        }
        clusters.push(cluster);
    }
    let mut tops = Vec::with_capacity(heights.len());
    for (index, cluster) in clusters.iter().enumerate() {
        let end = clusters.get(index + 1).map_or(heights.len(), |next| next.first);
        let mut top = (cluster.top / GRID).ceil() * GRID;
        if let Some((&last_top, &last_height)) = tops.last().zip(heights.get(cluster.first.wrapping_sub(1))) {
            top = top.max(last_top + last_height);
        }
        for height in heights.get(cluster.first..end).unwrap_or_default() {
            tops.push(top);
            top += height;
        }
    }
    tops
}

/// Places unconnected blocks in a square below the rest.
fn place_lone(blocks: impl Iterator<Item = usize>, sizes: &[Vec2], origin: Pos2, positions: &mut [Pos2]) {
    let blocks: Vec<usize> = blocks.collect();
    let columns = ((blocks.len() as f32).sqrt() * 1.2).ceil().max(1.0) as usize;
    let size = |block: &usize| sizes.get(*block).copied().unwrap_or_default();
    let mut y = origin.y;
    let width = blocks.iter().map(|block| size(block).x).fold(0.0, f32::max) + COLUMN_GAP;
    for row in blocks.chunks(columns) {
        for (column, block) in row.iter().enumerate() {
            if let Some(position) = positions.get_mut(*block) {
                *position = pos2(origin.x + width * column as f32, y);
            }
        }
        y += row.iter().map(|block| size(block).y).fold(0.0, f32::max) + ROW_GAP;
    }
}

/// Moves everything vertically so that the top edge is at `top`.
fn lift(positions: &mut [Pos2], top: f32) {
    let highest = positions.iter().map(|position| position.y).fold(f32::INFINITY, f32::min);
    if highest.is_finite() {
        for position in positions {
            position.y += top - highest;
        }
    }
}

/// Moves positions below all `taken` rectangles.
pub fn origin_below(taken: Option<Rect>) -> Pos2 {
    match taken {
        Some(rect) => pos2(snap_number(rect.left()), snap_number(rect.bottom() + TITLE_HEIGHT + ROW_GAP)),
        None => pos2(40.0, 40.0),
    }
}

/// Orders each column by the mean position of the neighbours, forwards and backwards.
fn order(columns: &mut [Vec<usize>], graph: &Graph, blocks: usize) {
    let mut rank = vec![0.0_f32; blocks];
    let note = |column: &[usize], rank: &mut Vec<f32>| {
        let count = column.len().max(1) as f32;
        for (index, &block) in column.iter().enumerate() {
            if let Some(rank) = rank.get_mut(block) {
                *rank = (index as f32 + 0.5) / count;
            }
        }
    };
    for column in columns.iter() {
        note(column, &mut rank);
    }
    for sweep in 0..SWEEPS {
        let is_forth = sweep % 2 == 0;
        for step in 0..columns.len() {
            let index = if is_forth { step } else { columns.len() - 1 - step };
            let Some(column) = columns.get_mut(index) else { continue };
            let mean = |block: usize| {
                let ranks: Vec<f32> = match is_forth {
                    true => graph.inputs_of(block).iter().filter_map(|link| rank.get(link.from).copied()).collect(),
                    false => graph.outputs_of(block).iter().filter_map(|link| rank.get(link.to).copied()).collect(),
                };
                match ranks.len() {
                    0 => rank.get(block).copied().unwrap_or(0.0),
                    count => ranks.iter().sum::<f32>() / count as f32,
                }
            };
            let mut keyed: Vec<(f32, usize)> = column.iter().map(|&block| (mean(block), block)).collect();
            keyed.sort_by(|(a, _), (b, _)| a.total_cmp(b));
            *column = keyed.into_iter().map(|(_, block)| block).collect();
            note(column, &mut rank);
        }
    }
}

/// Links by block, for both directions.
struct Graph {
    inputs: Vec<Vec<Link>>,
    outputs: Vec<Vec<Link>>,
}

impl Graph {
    fn new(blocks: usize, links: &[Link]) -> Graph {
        let mut graph = Graph { inputs: vec![Vec::new(); blocks], outputs: vec![Vec::new(); blocks] };
        for link in links.iter().filter(|link| link.from < blocks && link.to < blocks && link.from != link.to) {
            graph.inputs.get_mut(link.to).into_iter().for_each(|links| links.push(*link));
            graph.outputs.get_mut(link.from).into_iter().for_each(|links| links.push(*link));
        }
        graph
    }

    fn inputs_of(&self, block: usize) -> &[Link] {
        self.inputs.get(block).map(Vec::as_slice).unwrap_or_default()
    }

    fn outputs_of(&self, block: usize) -> &[Link] {
        self.outputs.get(block).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the longest path from a source. Blocks that are reached only through loops count as sources.
    fn columns(&self) -> Vec<usize> {
        let count = self.inputs.len();
        // Depth-first from the sources, then from the remaining blocks; reverse postorder follows the wires.
        let sources = (0..count).filter(|&block| self.inputs_of(block).is_empty());
        let starts: Vec<usize> = sources.chain(0..count).collect();
        let mut is_seen = vec![false; count];
        let mut finished = Vec::with_capacity(count);
        for start in starts {
            if is_seen.get(start).copied().unwrap_or(true) {
                continue;
            }
            mark(&mut is_seen, start);
            let mut path = vec![(start, 0)];
            while let Some((block, next)) = path.last_mut() {
                match self.outputs_of(*block).get(*next) {
                    Some(link) => {
                        *next += 1;
                        let to = link.to;
                        if !is_seen.get(to).copied().unwrap_or(true) {
                            mark(&mut is_seen, to);
                            path.push((to, 0));
                        }
                    }
                    None => {
                        finished.push(*block);
                        path.pop();
                    }
                }
            }
        }
        let mut rank = vec![0; count];
        for (index, &block) in finished.iter().rev().enumerate() {
            if let Some(rank) = rank.get_mut(block) {
                *rank = index;
            }
        }
        let mut columns = vec![0; count];
        for &block in finished.iter().rev() {
            for link in self.outputs_of(block) {
                // A wire to an earlier block closes a loop.
                let (Some(a), Some(b)) = (rank.get(block), rank.get(link.to)) else { continue };
                if a < b {
                    let column = columns.get(block).copied().unwrap_or(0) + 1;
                    if let Some(known) = columns.get_mut(link.to) {
                        *known = column.max(*known);
                    }
                }
            }
        }
        columns
    }
}

impl Graph {
    /// Places blocks without inputs right before the first block that they feed.
    fn draw_near(&self, columns: &mut [usize]) {
        for block in 0..columns.len() {
            if !self.inputs_of(block).is_empty() {
                continue;
            }
            let fed = self.outputs_of(block).iter().filter_map(|link| columns.get(link.to));
            if let Some(first) = fed.min().copied()
                && let Some(column) = columns.get_mut(block)
            {
                *column = first.saturating_sub(1);
            }
        }
    }
}

fn mark(flags: &mut [bool], index: usize) {
    if let Some(flag) = flags.get_mut(index) {
        *flag = true;
    }
}
