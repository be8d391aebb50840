//! A context as bytes, so that a run can be continued at another time, on another machine or by another engine.
//!
//! The bytes are: a mark, the fingerprint of the program, the counters, each array and each signal record preceded by
//! its length, and a CRC-32 of everything before it. All numbers are little-endian, values by their bits. The callers
//! decide what else a file contains.

use super::context::canonical;
use super::record::Record;
use crate::block::StateKind;
use crate::engine::{Context, Program, Tolerances};
use crate::model::BlockAddress;

const MARK: &[u8; 8] = b"SIMXCTX1";
/// The last step that a checkpoint may have; up to it the time is that of the step.
const MAX_STEP: u64 = 1 << 53;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    #[error("this is no checkpoint of a run")]
    NoCheckpoint,
    #[error("the checkpoint is damaged; make it again")]
    Damaged,
    #[error("the checkpoint was made of a simulation with other blocks; run the file it was made of")]
    OtherProgram,
}

impl Context {
    /// All of a run, bit for bit but for which not-a-number is meant, for [`Context::from_bytes`].
    pub fn to_bytes(&self, program: &Program) -> Vec<u8> {
        let Context { step, executed, values, discrete, continuous, history, records, params, solver } = self;
        let mut bytes = MARK.to_vec();
        bytes.extend(fingerprint(program).to_le_bytes());
        bytes.extend(step.to_le_bytes());
        bytes.extend(executed.to_le_bytes());
        for array in [values, discrete, continuous, history, params, solver] {
            bytes.extend((array.len() as u64).to_le_bytes());
            array.iter().for_each(|value| bytes.extend(canonical(*value).to_bits().to_le_bytes()));
        }
        for record in records {
            bytes.extend((record.numbers().len() as u64).to_le_bytes());
            record.numbers().for_each(|value| bytes.extend(canonical(value).to_bits().to_le_bytes()));
        }
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// Reads a context that [`Context::to_bytes`] wrote.
    ///
    /// # Errors
    /// If the bytes are not those of a context, or belong to a context of another program.
    pub fn from_bytes(bytes: &[u8], program: &Program) -> Result<Context, CheckpointError> {
        if !bytes.starts_with(MARK) {
            return Err(CheckpointError::NoCheckpoint);
        }
        let (bytes, sum) = bytes.split_last_chunk::<4>().ok_or(CheckpointError::Damaged)?;
        if crc32fast::hash(bytes) != u32::from_le_bytes(*sum) {
            return Err(CheckpointError::Damaged);
        }
        let mut reader = ByteReader { rest: &bytes[MARK.len()..] };
        if reader.number()? != fingerprint(program) {
            return Err(CheckpointError::OtherProgram);
        }
        let mut context = Context::new(program);
        (context.step, context.executed) = (reader.number()?, reader.number()?);
        let Context { values, discrete, continuous, history, records, params, solver, .. } = &mut context;
        for array in [values, discrete, continuous, history, params] {
            if reader.number()? != array.len() as u64 {
                return Err(CheckpointError::OtherProgram);
            }
            for value in array {
                *value = f64::from_bits(reader.number()?);
            }
        }
        for _ in 0..reader.number()? {
            solver.push(f64::from_bits(reader.number()?));
        }
        for (record, slot) in
            records.iter_mut().zip(program.states.iter().filter(|slot| slot.kind == StateKind::Record))
        {
            let numbers: Result<Vec<f64>, _> =
                (0..reader.number()?).map(|_| reader.number().map(f64::from_bits)).collect();
            *record = Record::of_numbers(slot.width as usize, numbers?).ok_or(CheckpointError::Damaged)?;
        }
        let is_sound = reader.rest.is_empty() && context.step <= MAX_STEP && has_sound_rings(&context, program);
        if is_sound { Ok(context) } else { Err(CheckpointError::Damaged) }
    }
}

/// Whether the next value of each history goes into its ring, which all engines rely on.
fn has_sound_rings(context: &Context, program: &Program) -> bool {
    program.states.iter().all(|slot| {
        let StateKind::History { length } = slot.kind else { return true };
        let next = context.history.get(slot.offset as usize + length * slot.width as usize);
        next.is_some_and(|next| next.fract() == 0.0 && (0.0..length as f64).contains(next))
    })
}

struct ByteReader<'a> {
    rest: &'a [u8],
}

impl ByteReader<'_> {
    fn number(&mut self) -> Result<u64, CheckpointError> {
        let (number, rest) = self.rest.split_first_chunk::<8>().ok_or(CheckpointError::Damaged)?;
        self.rest = rest;
        Ok(u64::from_le_bytes(*number))
    }
}

/// Hashes everything that a context must match: the blocks in order with their states, outputs and parameters, and the
/// time base.
fn fingerprint(program: &Program) -> u64 {
    let mut hasher = crc32fast::Hasher::new();
    let mut take = |number: u64| hasher.update(&number.to_le_bytes());
    take(program.delta.to_bits());
    let Tolerances { relative, absolute, max_step, max_steps } = program.tolerances;
    [relative, absolute.unwrap_or(0.0), max_step, max_steps].iter().for_each(|number| take(number.to_bits()));
    program.solver.name().bytes().for_each(|byte| take(u64::from(byte)));
    for (number, unit) in program.units.iter() {
        let BlockAddress { path, block } = program.block_of(number);
        path.iter().chain([&block]).for_each(|id| take(id.0 as u64));
        let kernel = program.kernel(unit);
        kernel.outputs.iter().for_each(|output| take(output.width as u64));
        kernel.params.iter().for_each(|&(_, elements)| take(elements as u64));
        for state in &kernel.states {
            take(match state.kind {
                StateKind::Discrete => 1,
                StateKind::Continuous => 2,
                StateKind::Record => 3,
                StateKind::History { length } => 3 + length as u64,
            });
            take(state.width as u64);
        }
    }
    u64::from(hasher.finalize())
}
