//! Structured names: `motor.load.speed` and `x[3]` say that scalars belong together. Grouped, they are the elements of
//! one port: a bus with nested buses, or a vector.

use std::collections::{BTreeMap, BTreeSet};

use super::{Bus, SignalType, formula_names};

/// Variables with structured names that are one port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortGroup {
    pub name: String,
    pub of: SignalType,
    /// The indices of the variables, in the order of the signal's elements.
    pub variables: Vec<usize>,
    /// The path of each of them in the bus, and where it starts in the element with this path; none in a plain signal.
    pub paths: Vec<Option<(String, usize)>>,
}

/// Groups variables by their names, in the order in which the names occur first: `m.speed; y; m.load` are the bus `m` of
/// `speed` and `load`, and the scalar `y`; `x[1]; x[2]` are the vector `x`.
///
/// Some names stay as they are: those with an empty part beside a dot, those in quotes or within brackets, and those of
/// groups that share their name with a variable.
pub fn port_groups(variables: &[(String, usize)]) -> Vec<PortGroup> {
    let mut root = Node::default();
    for (index, (name, _)) in variables.iter().enumerate() {
        root.insert(&segments(name), index);
    }
    let widths: Vec<usize> = variables.iter().map(|(_, width)| *width).collect();
    let mut groups = Vec::new();
    for (name, node) in root.with_vectors() {
        if node.is_ambiguous() {
            // Each variable is a port by itself.
            let mut all = Vec::new();
            node.collect(&mut all);
            all.sort_unstable();
            groups.extend(all.into_iter().map(|index| PortGroup {
                name: variables[index].0.clone(),
                of: SignalType::plain(widths[index]),
                variables: vec![index],
                paths: vec![None],
            }));
            continue;
        }
        let mut group = PortGroup { name, of: SignalType::plain(0), variables: Vec::new(), paths: Vec::new() };
        group.of = node.add_to(&widths, "", &mut group);
        groups.push(group);
    }
    groups
}

/// A part of a name, and the parts below it.
#[derive(Clone, Debug, Default)]
struct Node {
    /// The variables that end here: one, or those of a vector.
    variables: Vec<usize>,
    children: Vec<(String, Node)>,
    /// The indices of the children by their names.
    by_name: BTreeMap<String, usize>,
}

impl Node {
    fn insert(&mut self, path: &[&str], variable: usize) {
        let Some((first, rest)) = path.split_first() else {
            self.variables.push(variable);
            return;
        };
        let index = *self.by_name.entry((*first).to_owned()).or_insert(self.children.len());
        if index == self.children.len() {
            self.children.push(((*first).to_owned(), Node::default()));
        }
        self.children[index].1.insert(rest, variable);
    }

    /// Returns the children, with those that are `x[1]`, `x[2]`, … joined to `x`.
    fn with_vectors(self) -> Vec<(String, Node)> {
        let mut subscripts: BTreeMap<&str, Vec<Option<Vec<usize>>>> = BTreeMap::new();
        for (name, node) in &self.children {
            if let Some((base, subscript)) = subscript(name) {
                subscripts.entry(base).or_default().push(node.children.is_empty().then_some(subscript));
            }
        }
        let is_vector = |(base, all): &(&str, Vec<Option<Vec<usize>>>)| {
            let Some(all) = all.iter().cloned().collect::<Option<Vec<_>>>() else { return false };
            !self.by_name.contains_key(*base) && is_complete(&all)
        };
        let vectors: BTreeSet<String> =
            subscripts.into_iter().filter(is_vector).map(|(base, _)| base.to_owned()).collect();
        let mut joined: Vec<(String, Node)> = Vec::new();
        let mut indices = BTreeMap::new();
        for (name, node) in self.children {
            let base = subscript(&name).map(|(base, _)| base).filter(|base| vectors.contains(*base));
            match base {
                Some(base) => {
                    let index = *indices.entry(base.to_owned()).or_insert(joined.len());
                    if index == joined.len() {
                        joined.push((base.to_owned(), Node::default()));
                    }
                    joined[index].1.variables.extend(node.variables);
                }
                None => joined.push((name, node)),
            }
        }
        joined
    }

    /// Whether any name is both that of a variable and that of a group.
    fn is_ambiguous(&self) -> bool {
        !self.variables.is_empty() && !self.children.is_empty()
            || self.children.iter().any(|(_, child)| child.is_ambiguous())
    }

    fn collect(&self, all: &mut Vec<usize>) {
        all.extend(&self.variables);
        self.children.iter().for_each(|(_, child)| child.collect(all));
    }

    /// Adds the variables to a group, and returns the type of the whole.
    fn add_to(self, widths: &[usize], path: &str, group: &mut PortGroup) -> SignalType {
        if self.children.is_empty() {
            let mut start = 0;
            for variable in self.variables {
                group.variables.push(variable);
                group.paths.push((!path.is_empty()).then(|| (path.to_owned(), start)));
                start += widths[variable];
            }
            return SignalType::plain(start);
        }
        let children = self.with_vectors();
        let names = formula_names(children.iter().map(|(name, _)| name.as_str()));
        let mut elements = Vec::new();
        for (name, (_, child)) in names.into_iter().zip(children) {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            elements.push((name.as_str().into(), child.add_to(widths, &path, group)));
        }
        Bus::new(elements).into()
    }
}

/// The maximum number of parts of a name; longer names are separate ports.
const MAX_DEPTH: usize = 64;

/// Splits a name at its dots; a name with dots in quotes, brackets or where a part would be empty is a whole.
fn segments(name: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0_i32);
    for (at, letter) in name.char_indices() {
        match letter {
            '\'' | '"' => return vec![name],
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            '.' if depth == 0 => {
                parts.push(&name[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&name[start..]);
    let is_plain = parts.len() <= MAX_DEPTH && parts.iter().all(|part| !part.trim().is_empty());
    if is_plain { parts } else { vec![name] }
}

/// Splits `x[1,2]` into its name and its indices.
fn subscript(name: &str) -> Option<(&str, Vec<usize>)> {
    let (base, inside) = name.strip_suffix(']')?.split_once('[')?;
    let indices = inside.split(',').map(|index| index.trim().parse().ok()).collect::<Option<Vec<usize>>>()?;
    (!base.is_empty()).then_some((base, indices))
}

/// Whether these are all indices of an array, from 0 or 1, row by row.
fn is_complete(all: &[Vec<usize>]) -> bool {
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return false };
    let is_first = first.iter().all(|index| *index <= 1) && first.iter().all(|index| *index == first[0]);
    let fits = is_first && all.iter().all(|indices| indices.len() == first.len());
    let sizes = || first.iter().zip(last).map(|(first, last)| (last + 1).saturating_sub(*first));
    let count = sizes().try_fold(1_usize, usize::checked_mul);
    let is_next = |pair: &[Vec<usize>]| pair[0] < pair[1];
    let is_within = |indices: &Vec<usize>| {
        indices.iter().zip(first).zip(last).all(|((index, first), last)| first <= index && index <= last)
    };
    fits && count == Some(all.len()) && all.windows(2).all(is_next) && all.iter().all(is_within)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the groups as `name: names of elements <- variables`.
    fn groups(names: &[(&str, usize)]) -> Vec<String> {
        let variables: Vec<(String, usize)> = names.iter().map(|(name, width)| ((*name).to_owned(), *width)).collect();
        let text = |group: PortGroup| {
            let of = group.of.bus.as_ref().map_or_else(|| group.of.width.to_string(), |bus| bus.to_string());
            format!("{}: {of} <- {:?}", group.name, group.variables)
        };
        port_groups(&variables).into_iter().map(text).collect()
    }

    fn scalars(names: &[&str]) -> Vec<String> {
        groups(&names.iter().map(|name| (*name, 1)).collect::<Vec<_>>())
    }

    #[test]
    fn names_with_dots_are_buses() {
        assert_eq!(
            scalars(&["m.speed", "y", "m.load.force", "m.i", "m.load.mass"]),
            ["m: speed, load.force, load.mass, i <- [0, 2, 4, 3]", "y: 1 <- [1]"]
        );
        assert_eq!(groups(&[("a.v", 3), ("a.s", 1), ("b", 2)]), ["a: v[3], s <- [0, 1]", "b: 2 <- [2]"]);
    }

    #[test]
    fn names_with_subscripts_are_vectors() {
        assert_eq!(scalars(&["x[1]", "x[2]", "u", "x[3]"]), ["x: 3 <- [0, 1, 3]", "u: 1 <- [2]"]);
        assert_eq!(scalars(&["A[1,1]", "A[1,2]", "A[2,1]", "A[2,2]"]), ["A: 4 <- [0, 1, 2, 3]"]);
        assert_eq!(scalars(&["p.x[0]", "p.x[1]", "p.y"]), ["p: x[2], y <- [0, 1, 2]"]);
        // Elements of a vector of structures are numbered elements of a bus.
        assert_eq!(scalars(&["car.w[1].v", "car.w[2].v"]), ["car: w_1_.v, w_2_.v <- [0, 1]"]);
        assert_eq!(scalars(&["w[1].v", "w[2].v"]), ["w[1]: v <- [0]", "w[2]: v <- [1]"]);
    }

    #[test]
    fn what_is_no_array_or_structure_stays_as_it_is() {
        // Not from 0 or 1, not all, not in order, and beside a variable of the same name.
        for names in [["x[2]", "x[3]"], ["x[1]", "x[3]"], ["x[2]", "x[1]"], ["x", "x[1]"], ["x[1]", "x[1,2]"]] {
            let expected = [format!("{}: 1 <- [0]", names[0]), format!("{}: 1 <- [1]", names[1])];
            assert_eq!(scalars(&names), expected);
        }
        assert_eq!(scalars(&["A[1,1]", "A[1,2]", "A[2,2]"]).len(), 3);
        assert_eq!(scalars(&["a", "a.b"]), ["a: 1 <- [0]", "a.b: 1 <- [1]"]);
        assert_eq!(scalars(&["r.a", "r.a.b", "r.c"]), ["r.a: 1 <- [0]", "r.a.b: 1 <- [1]", "r.c: 1 <- [2]"]);
        assert_eq!(scalars(&["der(a.b)", "'q.r'.s", ".t", "u.", "v..w"]).len(), 5);
        assert_eq!(scalars(&["y[a.b]", ""]), ["y[a.b]: 1 <- [0]", ": 1 <- [1]"]);
    }

    #[test]
    fn each_variable_has_its_place_in_the_bus() {
        let names = ["m.x[1]", "m.x[2]", "m.n.a", "m.n.b", "z"].map(|name| (name.to_owned(), 1));
        let groups = port_groups(&names);
        let path = |path: &str, start: usize| Some((path.to_owned(), start));
        assert_eq!(groups[0].paths, [path("x", 0), path("x", 1), path("n.a", 0), path("n.b", 0)]);
        assert_eq!(groups[1].paths, [None]);
        for (variable, position) in groups[0].paths.iter().flatten().enumerate() {
            let part = groups[0].of.bus.as_ref().and_then(|bus| bus.find(&position.0)).expect("a part");
            assert_eq!(part.start + position.1, variable);
        }
    }
}
