//! A bus: a vector whose elements have names.
//!
//! Names are part of a signal's type, as its width is: they are inferred and checked before a run, and no engine knows
//! them. An element is a scalar, a vector, or a bus itself, whose elements are then named with a dot: `pose.x`.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// The properties of a signal that are known before the run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SignalType {
    /// The number of elements.
    pub width: usize,
    /// The names of the elements, as many as `width`; none of a scalar or a plain vector.
    pub bus: Option<Arc<Bus>>,
}

/// The names of the elements of a vector.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bus {
    elements: Vec<BusElement>,
    /// The index of each element in the vector, and at last the number of elements of the vector.
    starts: Vec<usize>,
    /// The elements in the order of their names.
    by_name: Vec<u32>,
}

/// An element of a bus.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BusElement {
    pub name: Arc<str>,
    pub of: SignalType,
}

/// A named part of a bus: `width` elements of the vector from `start` on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusPart {
    pub start: usize,
    pub of: SignalType,
}

/// The reason why a text is not a list of elements.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BusError {
    #[error("“{0}” is not a name: a letter or _, then letters, digits and _")]
    Name(String),
    #[error("“{0}” is there twice")]
    Duplicate(String),
    #[error("“{0}” has no number of elements; write for example v[3]")]
    Width(String),
    #[error("there is no name")]
    Empty,
}

impl SignalType {
    /// A scalar or a vector without names.
    pub const fn plain(width: usize) -> SignalType {
        SignalType { width, bus: None }
    }
}

impl From<Bus> for SignalType {
    fn from(bus: Bus) -> SignalType {
        SignalType { width: bus.width(), bus: Some(Arc::new(bus)) }
    }
}

impl Bus {
    /// The maximum number of elements of an element in a list.
    const MAX_WIDTH: usize = 1 << 20;
    /// The maximum number of names in a message.
    const MOST_NAMES: usize = 8;

    pub fn new(elements: impl IntoIterator<Item = (Arc<str>, SignalType)>) -> Bus {
        let elements: Vec<BusElement> = elements.into_iter().map(|(name, of)| BusElement { name, of }).collect();
        let mut starts = vec![0];
        for element in &elements {
            starts.push(starts[starts.len() - 1] + element.of.width);
        }
        let mut by_name: Vec<u32> = (0..elements.len() as u32).collect();
        by_name.sort_by(|a, b| elements[*a as usize].name.cmp(&elements[*b as usize].name));
        Bus { elements, starts, by_name }
    }

    /// Reads a list of names, such as `speed`, `pose[3]`.
    ///
    /// # Errors
    /// Fails if a name is not valid or repeated, or if there are no names.
    pub fn parse<'t>(words: impl Iterator<Item = &'t str>) -> Result<Bus, BusError> {
        let mut elements: Vec<(Arc<str>, SignalType)> = Vec::new();
        let mut known = BTreeSet::new();
        for word in words {
            let (name, width) = match word.strip_suffix(']').and_then(|word| word.split_once('[')) {
                Some((name, width)) => {
                    let width = width.parse().ok().filter(|width| (1..=Bus::MAX_WIDTH).contains(width));
                    (name, width.ok_or_else(|| BusError::Width(word.to_owned()))?)
                }
                None => (word, 1),
            };
            if !is_name(name) {
                return Err(BusError::Name(name.to_owned()));
            }
            if !known.insert(name) {
                return Err(BusError::Duplicate(name.to_owned()));
            }
            elements.push((name.into(), SignalType::plain(width)));
        }
        if elements.is_empty() { Err(BusError::Empty) } else { Ok(Bus::new(elements)) }
    }

    pub fn elements(&self) -> &[BusElement] {
        &self.elements
    }

    /// Returns the number of elements of the vector.
    pub fn width(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Returns the depth of nesting, 1 if no element is a bus.
    pub fn depth(&self) -> usize {
        let buses = self.elements.iter().filter_map(|element| element.of.bus.as_ref());
        1 + buses.map(|bus| bus.depth()).max().unwrap_or(0)
    }

    /// Returns the element in which an element of the vector lies, and the index where it starts.
    fn element_at(&self, index: usize) -> Option<(usize, &BusElement)> {
        // An element of width 0 starts where the next one does.
        let number = self.starts.partition_point(|start| *start <= index).checked_sub(1)?;
        Some((self.starts[number], self.elements.get(number)?))
    }

    /// Finds the part with a name, such as `pose.x`.
    pub fn find(&self, path: &str) -> Option<BusPart> {
        let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
        let name_of = |index: &u32| &*self.elements[*index as usize].name;
        let order = self.by_name.binary_search_by(|index| name_of(index).cmp(name)).ok()?;
        let index = self.by_name[order] as usize;
        let (start, element) = (self.starts[index], &self.elements[index]);
        match rest {
            None => Some(BusPart { start, of: element.of.clone() }),
            Some(rest) => {
                let inner = element.of.bus.as_ref()?.find(rest)?;
                Some(BusPart { start: start + inner.start, ..inner })
            }
        }
    }

    /// Returns the names of `width` elements from `start` on: all, or those of an element that is a bus.
    pub fn part(self: &Arc<Bus>, start: usize, width: usize) -> Option<Arc<Bus>> {
        if start == 0 && width == self.width() {
            return Some(Arc::clone(self));
        }
        let (first, element) = self.element_at(start)?;
        element.of.bus.as_ref()?.part(start.checked_sub(first)?, width)
    }

    /// Returns the names of all parts, those of a nested bus after its own.
    pub fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        for element in &self.elements {
            paths.push(element.name.to_string());
            let inner = element.of.bus.iter().flat_map(|bus| bus.paths());
            paths.extend(inner.map(|path| format!("{}.{path}", element.name)));
        }
        paths
    }

    /// Returns the parts that are not buses themselves, with their names.
    pub fn leaves(&self) -> Vec<(String, BusPart)> {
        let mut leaves = Vec::new();
        for (element, start) in self.elements.iter().zip(&self.starts) {
            match &element.of.bus {
                None => leaves.push((element.name.to_string(), BusPart { start: *start, of: element.of.clone() })),
                Some(bus) => leaves.extend(bus.leaves().into_iter().map(|(path, part)| {
                    (format!("{}.{path}", element.name), BusPart { start: start + part.start, ..part })
                })),
            }
        }
        leaves
    }

    /// Returns the names of all parts, the most similar to `wanted` first; if there are many, only the first ones.
    pub fn similar(&self, wanted: &str) -> String {
        let similarity = |path: &String| strsim::jaro_winkler(&path.to_lowercase(), &wanted.to_lowercase());
        let mut paths: Vec<(f64, String)> = self.paths().into_iter().map(|path| (similarity(&path), path)).collect();
        paths.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let shown: Vec<String> = paths.iter().take(Bus::MOST_NAMES).map(|(_, path)| format!("“{path}”")).collect();
        let more = paths.len() - shown.len();
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{rest}", shown.join(", "))
    }

    /// Returns the name of an element of the vector behind the name of the signal: `.pose.x`, or `.v[1]`.
    fn suffix(&self, index: usize) -> String {
        let Some((start, element)) = self.element_at(index) else {
            return format!("[{index}]");
        };
        element_name(&format!(".{}", element.name), index - start, &element.of)
    }
}

/// Lists the elements, as `speed, pose.x, v[3]`.
impl fmt::Display for Bus {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.write(f, "", &mut false)
    }
}

impl Bus {
    fn write(&self, f: &mut fmt::Formatter, before: &str, has_begun: &mut bool) -> fmt::Result {
        for element in &self.elements {
            let name = format!("{before}{}", element.name);
            if let Some(bus) = &element.of.bus {
                bus.write(f, &format!("{name}."), has_begun)?;
                continue;
            }
            f.write_str(if std::mem::replace(has_begun, true) { ", " } else { "" })?;
            match element.of.width {
                1 => f.write_str(&name)?,
                width => write!(f, "{name}[{width}]")?,
            }
        }
        Ok(())
    }
}

/// Whether a text may name an element of a bus.
pub fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// Returns the name of an element of a signal: `speed` of a scalar, `speed[1]` of a vector, `car.speed` of a bus.
pub fn element_name(signal: &str, index: usize, of: &SignalType) -> String {
    match &of.bus {
        Some(bus) => format!("{signal}{}", bus.suffix(index)),
        None if of.width == 1 => signal.to_owned(),
        None => format!("{signal}[{index}]"),
    }
}

/// Returns the names of all elements of a signal.
pub fn element_names(signal: &str, of: &SignalType) -> Vec<String> {
    (0..of.width).map(|index| element_name(signal, index, of)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::names_in;

    fn pose() -> Arc<Bus> {
        let inner = SignalType::from(Bus::parse(["x", "y"].into_iter()).expect("a list"));
        Arc::new(Bus::new([
            ("speed".into(), SignalType::plain(1)),
            ("pose".into(), inner),
            ("v".into(), SignalType::plain(3)),
        ]))
    }

    #[test]
    fn elements_are_found_by_name() {
        let bus = pose();
        assert_eq!((bus.width(), bus.depth()), (6, 2));
        let position = |path: &str| bus.find(path).map(|part| (part.start, part.of.width));
        assert_eq!(
            ["speed", "pose", "pose.y", "v"].map(position),
            [Some((0, 1)), Some((1, 2)), Some((2, 1)), Some((3, 3))]
        );
        assert_eq!(["", "pose.z", "speed.x", "y", "v.0", ".pose", "pose."].map(position), [None; 7]);
        assert_eq!(bus.part(0, 6), Some(Arc::clone(&bus)));
        assert_eq!(bus.part(1, 2).map(|part| part.to_string()), Some("x, y".to_owned()));
        assert_eq!(
            [bus.part(1, 1), bus.part(0, 2), bus.part(2, 2), bus.part(3, 3), bus.part(6, 1)],
            [const { None }; 5]
        );
    }

    #[test]
    fn each_element_has_a_name() {
        let of = SignalType { width: 6, bus: Some(pose()) };
        assert_eq!(
            element_names("car", &of),
            ["car.speed", "car.pose.x", "car.pose.y", "car.v[0]", "car.v[1]", "car.v[2]"]
        );
        assert_eq!(element_names("car", &SignalType::plain(2)), ["car[0]", "car[1]"]);
        assert_eq!(element_names("car", &SignalType::plain(1)), ["car"]);
        assert_eq!(pose().to_string(), "speed, pose.x, pose.y, v[3]");
        let leaves: Vec<_> =
            pose().leaves().into_iter().map(|(name, part)| (name, part.start, part.of.width)).collect();
        let leaf = |name: &str, start: usize, width: usize| (name.to_owned(), start, width);
        assert_eq!(leaves, [leaf("speed", 0, 1), leaf("pose.x", 1, 1), leaf("pose.y", 2, 1), leaf("v", 3, 3)]);
        assert_eq!(pose().similar("pose.z"), "“pose”, “pose.x”, “pose.y”, “speed”, “v”");
    }

    #[test]
    fn lists_are_read_or_refused() {
        let read = |text: &str| Bus::parse(names_in(text)).map(|bus| bus.to_string());
        assert_eq!(read(" a, b[2]\tä_1 "), Ok("a, b[2], ä_1".to_owned()));
        assert_eq!(read("a b a"), Err(BusError::Duplicate("a".to_owned())));
        assert_eq!(read(" ,"), Err(BusError::Empty));
        for name in ["1a", "a.b", "a-b", "[2]", "a]"] {
            assert!(matches!(read(name), Err(BusError::Name(_))), "{name}");
        }
        for width in ["a[0]", "a[-1]", "a[x]", "a[]", "a[1e6]", "a[99999999]"] {
            assert!(matches!(read(width), Err(BusError::Width(_))), "{width}");
        }
    }
}
