//! The sizes of signals: what ports state, carried along links. A negative number is a size that the block leaves open, and
//! the same for all its ports with that number.

use std::collections::HashMap;

use super::diagram::{Diagram, Kind, Pin};

/// How many levels of superblocks are looked into.
const MAX_DEPTH: usize = 6;

/// The numbers of rows and columns of the ports of a diagram.
#[derive(Debug, Default)]
pub struct Sizes {
    known: HashMap<Pin, [Option<usize>; 2]>,
}

/// Sizes that are to be the same.
#[derive(Default)]
struct Groups {
    parents: Vec<usize>,
    values: Vec<Option<usize>>,
    named: HashMap<(usize, i64), usize>,
}

impl Groups {
    fn new_group(&mut self, value: Option<usize>) -> usize {
        self.parents.push(self.parents.len());
        self.values.push(value);
        self.parents.len() - 1
    }

    /// The group of a stated size of a block.
    fn of(&mut self, node: usize, stated: i64) -> usize {
        if stated > 0 {
            return self.new_group(usize::try_from(stated).ok());
        }
        if stated == 0 {
            return self.new_group(None);
        }
        if let Some(&group) = self.named.get(&(node, stated)) {
            return group;
        }
        let group = self.new_group(None);
        self.named.insert((node, stated), group);
        group
    }

    fn root(&mut self, mut group: usize) -> usize {
        while self.parents[group] != group {
            self.parents[group] = self.parents[self.parents[group]];
            group = self.parents[group];
        }
        group
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.values[b] = self.values[b].or(self.values[a]);
            self.parents[a] = b;
        }
    }
}

impl Sizes {
    /// Sizes of a diagram; `inputs` are those of its entries, by number from 0.
    pub fn of(diagram: &Diagram, inputs: &[[Option<usize>; 2]]) -> Sizes {
        Sizes::within(diagram, inputs, 0)
    }

    fn within(diagram: &Diagram, inputs: &[[Option<usize>; 2]], depth: usize) -> Sizes {
        let mut groups = Groups::default();
        let mut pins: HashMap<Pin, [usize; 2]> = HashMap::new();
        for (index, node) in diagram.nodes.iter().enumerate() {
            for (kind, count) in [(Kind::Input, node.ports.inputs), (Kind::Output, node.ports.outputs)] {
                for number in 1..=count {
                    let stated = node.sizes.get(&(kind, number)).copied().unwrap_or([0, 0]);
                    // Open sizes of superblocks are those inside.
                    let open = |stated: i64| if node.inside.is_some() { stated.max(0) } else { stated };
                    let made = stated.map(|stated| groups.of(index, open(stated)));
                    pins.insert(Pin { node: index, kind, number }, made);
                }
            }
            if let ("IN_f", Some(known)) = (&*node.function, inputs.get(node.port_number() - 1)) {
                let pin = Pin { node: index, kind: Kind::Output, number: 1 };
                for (place, value) in known.iter().enumerate().filter(|(_, value)| value.is_some()) {
                    let group = groups.new_group(*value);
                    if let Some(own) = pins.get(&pin) {
                        groups.join(own[place], group);
                    }
                }
            }
        }
        for link in &diagram.links {
            if let (Some(from), Some(to)) = (pins.get(&link.from), pins.get(&link.to)) {
                (0..2).for_each(|place| groups.join(from[place], to[place]));
            }
        }
        let value = |group: usize, groups: &mut Groups| {
            let root = groups.root(group);
            groups.values[root]
        };
        // The outputs of superblocks have the sizes that they get inside.
        for (index, node) in diagram.nodes.iter().enumerate().filter(|_| depth < MAX_DEPTH) {
            let Some(inside) = node.inside.as_ref().filter(|_| node.ports.outputs > 0) else { continue };
            let of = |kind, number| Pin { node: index, kind, number };
            let own: Vec<_> = (1..=node.ports.inputs)
                .map(|number| pins[&of(Kind::Input, number)].map(|group| value(group, &mut groups)))
                .collect();
            let within = Sizes::within(inside, &own, depth + 1);
            for number in 1..=node.ports.outputs {
                let Some(port) = inside.port_block(&["OUT_f"], number) else { continue };
                let known = within.get(Pin { node: port, kind: Kind::Input, number: 1 });
                for (place, known) in known.into_iter().enumerate().filter(|(_, known)| known.is_some()) {
                    let group = groups.new_group(known);
                    groups.join(pins[&of(Kind::Output, number)][place], group);
                }
            }
        }
        let known = pins.into_iter().map(|(pin, made)| (pin, made.map(|group| value(group, &mut groups)))).collect();
        Sizes { known }
    }

    pub fn get(&self, pin: Pin) -> [Option<usize>; 2] {
        self.known.get(&pin).copied().unwrap_or_default()
    }
}
