//! The binary format: small and quick, for stores and wires.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `SIMB` |
//! | 2 | version of the file, now 1, little-endian like all that follow |
//! | 2 | zero, kept for later |
//! | 4 | length of the payload once it is inflated |
//! | 4 | CRC-32 of the payload as it stands in the file |
//! | … | payload: the records of [`super::form`] in MessagePack, deflated |

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use super::form::Form;
use super::{LoadError, LoadOptions, Loaded, Loader, SaveError};
use crate::model::Simulation;

/// The binary format.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simb;

const MAGIC: &[u8; 4] = b"SIMB";
const VERSION: u16 = 1;
const HEADER: usize = 16;
/// Of 10: what is gained beyond costs more time than the disk.
const EFFORT: u8 = 6;
/// No deflated byte gives more than this.
const MOST_INFLATED: usize = 1032;
/// A byte that gives more than this was made to fill the memory, unless all is less than that.
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
            let problem = format!("version {version} of the binary format is not known; known is {VERSION}");
            return Err(LoadError::Contradiction(problem));
        }
        if crc32fast::hash(payload) != u32::from_le_bytes([c0, c1, c2, c3]) {
            return Err(damaged("the checksum is another than that of the content"));
        }
        // A length that no payload of this size can have must not cost memory.
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        let limit = length.min(payload.len().saturating_mul(MOST_INFLATED));
        if limit > payload.len().saturating_mul(USUALLY_INFLATED).max(ALWAYS_INFLATED) {
            return Err(damaged(&format!("{} bytes would become {length}, which no simulation does", payload.len())));
        }
        let records =
            decompress_to_vec_with_limit(payload, limit).map_err(|_| damaged("the content cannot be inflated"))?;
        if records.len() != length {
            return Err(damaged("the content is shorter than the header says"));
        }
        let form: Form = rmp_serde::from_slice(&records).map_err(|error| damaged(&error.to_string()))?;
        form.read().map(|loaded| loaded.finish(options)).map_err(LoadError::Contradiction)
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
