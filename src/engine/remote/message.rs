//! The messages between the engine and the worker of a remote block, as bytes: numbers with the lowest byte first,
//! values by their bits.
//!
//! A request is a sequence number and items. An answer is the sequence number, the computing time of the worker, the
//! number of blocks that ran, a fault if there is one, and a list of changes for each item that has an answer. A list
//! of changes has only values whose bits differ from those that both sides know. Lengths are bounded by the plan of the
//! program, which both sides have; whatever the bytes are, reading them fails or ends.

use crate::engine::UnitId;
use crate::engine::program::fault::Fault;

/// The version of these messages. A session between different versions is refused.
pub const VERSION: u32 = 2;

/// Executes a body: its number, and changes of the cells that it reads.
pub(super) const BODY: u8 = 1;
/// Begins or continues a run: changes of parameters, cells and history, and the watched outputs.
pub(super) const ENTER: u8 = 2;
/// Asks for all outputs.
pub(super) const VALUES: u8 = 3;
/// Asks for all states.
pub(super) const STATES: u8 = 4;
/// The number of the step that the next items are about.
pub(super) const STEP: u8 = 5;
/// The step is the last one: all outputs will be asked for.
pub(super) const LAST: u8 = 6;

/// The maximum length of the text of a fault, in bytes.
const MAX_TEXT: usize = 4096;

/// The bytes are no message of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a message that does not fit the model")]
pub struct NoMessage;

/// The bytes of a message that are still to be read.
pub(super) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], NoMessage> {
        let (bytes, rest) = self.0.split_first_chunk::<N>().ok_or(NoMessage)?;
        self.0 = rest;
        Ok(*bytes)
    }

    pub fn byte(&mut self) -> Result<u8, NoMessage> {
        let [byte] = self.bytes()?;
        Ok(byte)
    }

    pub fn short(&mut self) -> Result<u32, NoMessage> {
        self.bytes().map(u32::from_le_bytes)
    }

    pub fn long(&mut self) -> Result<u64, NoMessage> {
        self.bytes().map(u64::from_le_bytes)
    }

    fn value(&mut self) -> Result<f64, NoMessage> {
        self.long().map(f64::from_bits)
    }

    pub fn text(&mut self) -> Result<&'a str, NoMessage> {
        let length = self.short()? as usize;
        let (bytes, rest) = self.0.split_at_checked(length.min(MAX_TEXT + 1)).ok_or(NoMessage)?;
        self.0 = rest;
        std::str::from_utf8(bytes).ok().filter(|text| text.len() <= MAX_TEXT).ok_or(NoMessage)
    }

    /// Reads changes of a list of `count` values; `set` is called with the index in the list and the value.
    pub fn changes(&mut self, count: usize, mut set: impl FnMut(usize, f64)) -> Result<(), NoMessage> {
        match self.byte()? {
            NONE => {}
            ALL => {
                for index in 0..count {
                    set(index, self.value()?);
                }
            }
            SOME => {
                for _ in 0..self.short()? {
                    let index = self.short()? as usize;
                    let value = self.value()?;
                    if index >= count {
                        return Err(NoMessage);
                    }
                    set(index, value);
                }
            }
            _ => return Err(NoMessage),
        }
        Ok(())
    }
}

const NONE: u8 = 0;
const ALL: u8 = 1;
const SOME: u8 = 2;

/// Writes the changes of a list of `count` values, and marks them as known to the other side.
///
/// `value` returns the value at an index of the list; `location` returns the index in `known` at which the value known
/// to the other side is kept.
pub(super) fn write_changes(
    out: &mut Vec<u8>,
    count: usize,
    is_complete: bool,
    value: impl Fn(usize) -> f64,
    known: &mut [f64],
    location: impl Fn(usize) -> usize,
) {
    let differs = |known: &[f64], index: usize| known[location(index)].to_bits() != value(index).to_bits();
    let changed = if is_complete { count } else { (0..count).filter(|&index| differs(known, index)).count() };
    if changed == 0 {
        return out.push(NONE);
    }
    // An index takes half as many bytes as a value.
    if changed * 3 >= count * 2 {
        out.push(ALL);
        for index in 0..count {
            known[location(index)] = value(index);
            out.extend(value(index).to_bits().to_le_bytes());
        }
        return;
    }
    out.push(SOME);
    out.extend((changed as u32).to_le_bytes());
    for index in 0..count {
        if differs(known, index) {
            known[location(index)] = value(index);
            out.extend((index as u32).to_le_bytes());
            out.extend(value(index).to_bits().to_le_bytes());
        }
    }
}

/// Writes the fault of a step: whether there is one, its unit and its text.
pub(super) fn write_fault(out: &mut Vec<u8>, fault: Option<&Fault>) {
    let Some(Fault { unit, problem, .. }) = fault else { return out.push(0) };
    out.push(1);
    out.extend(unit.map_or(u32::MAX, UnitId::as_u32).to_le_bytes());
    let end = (0..=problem.len().min(MAX_TEXT)).rev().find(|&end| problem.is_char_boundary(end)).unwrap_or(0);
    out.extend((end as u32).to_le_bytes());
    out.extend(&problem.as_bytes()[..end]);
}

/// Reads a fault; the number of its unit is below `units`.
pub(super) fn read_fault(reader: &mut Reader, units: usize) -> Result<Option<Fault>, NoMessage> {
    if reader.byte()? == 0 {
        return Ok(None);
    }
    let unit = reader.short()?;
    let problem = reader.text()?.to_owned();
    Ok(Some(Fault::new(((unit as usize) < units).then(|| UnitId::from_u32(unit)), problem)))
}
