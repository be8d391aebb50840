//! The binary format: compact and fast, for storage and transfer.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `SIMB` |
//! | 2 | file version, now 1, little-endian like all other numbers |
//! | 2 | zero, reserved |
//! | 4 | length of the inflated payload |
//! | 4 | CRC-32 of the deflated payload |
//! | … | payload: the records of [`super::form`] in MessagePack, deflated |

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use super::error::FormError;
use super::form::Form;
use super::{LoadError, LoadOptions, Loaded, Loader, SaveError};
use crate::model::Simulation;

/// The binary format.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simb;

const MAGIC: &[u8; 4] = b"SIMB";
const VERSION: u16 = 1;
const HEADER: usize = 16;
/// The compression level, of 10; higher levels save little.
const EFFORT: u8 = 6;
/// The maximum number of bytes from one deflated byte.
const MAX_INFLATED: usize = 1032;
/// A higher ratio is refused as a decompression bomb, unless the total is below [`ALWAYS_INFLATED`].
const USUALLY_INFLATED: usize = 100;
const ALWAYS_INFLATED: usize = 64 << 20;

impl Loader for Simb {
    fn name(&self) -> &'static str {
        "simb"
    }

    fn title(&self) -> &'static str {
        "Simulation, binary"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["simb"]
    }

    fn recognizes(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    fn read(&self, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        let damaged = |problem: &str| LoadError::Damaged { problem: problem.to_owned() };
        let (header, payload) = bytes.split_first_chunk::<HEADER>().ok_or_else(|| damaged("the header is cut off"))?;
        let [m0, m1, m2, m3, v0, v1, _, _, l0, l1, l2, l3, c0, c1, c2, c3] = *header;
        if [m0, m1, m2, m3] != *MAGIC {
            return Err(damaged("it does not begin with SIMB"));
        }
        let version = u16::from_le_bytes([v0, v1]);
        if version != VERSION {
            return Err(FormError::UnknownVersion { found: version, known: VERSION }.into());
        }
        if crc32fast::hash(payload) != u32::from_le_bytes([c0, c1, c2, c3]) {
            return Err(damaged("the checksum does not match the content"));
        }
        // A length that this payload cannot have must not allocate memory.
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        let limit = length.min(payload.len().saturating_mul(MAX_INFLATED));
        if limit > payload.len().saturating_mul(USUALLY_INFLATED).max(ALWAYS_INFLATED) {
            return Err(damaged(&format!("{} bytes cannot inflate to {length}", payload.len())));
        }
        let records =
            decompress_to_vec_with_limit(payload, limit).map_err(|_| damaged("the content cannot be inflated"))?;
        if records.len() != length {
            return Err(damaged("the content is shorter than the header says"));
        }
        let form: Form = rmp_serde::from_slice(&records).map_err(|error| damaged(&error.to_string()))?;
        Ok(form.read()?.finish(options))
    }

    fn write(&self, simulation: &Simulation) -> Result<Vec<u8>, SaveError> {
        let inexpressible = |problem: String| SaveError::Inexpressible { problem };
        let records =
            rmp_serde::to_vec_named(&Form::of(simulation)).map_err(|error| inexpressible(error.to_string()))?;
        let length = u32::try_from(records.len()).map_err(|_| inexpressible("it is longer than 4 GiB".to_owned()))?;
        let payload = compress_to_vec(&records, EFFORT);
        let mut bytes = Vec::with_capacity(HEADER + payload.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&[0, 0]);
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(&payload).to_le_bytes());
        bytes.extend_from_slice(&payload);
        Ok(bytes)
    }
}
