//! Simulation files: what is read is written, and read again as the same; in every format.

use miniz_oxide::deflate::compress_to_vec;
use simulate::Registry;
use simulate::format::simt::{self, Simt};
use simulate::format::simx::Simx;
use simulate::format::{Bson, Formats, Json, LoadOptions, Loader, Simb};
use simulate::model::{Simulation, nesting};

use super::{MEGABYTE, Memory};

/// The document, its copies in all formats, and the tables of the decompressor.
pub const MEMORY: Memory = Memory { fixed: 2 * MEGABYTE, times: 500 };

/// One of so many inputs is written in all formats, the others in their own.
const ALL_FORMATS: u32 = 16;

pub fn simx(data: &[u8]) {
    check(&Simx, data);
}

/// A text survives writing; its compact form means the same, and changes nothing when it is applied.
pub fn simt(data: &[u8]) {
    check(&Simt, data);
    let Ok(loaded) = Simt.read(data, &LoadOptions::default()) else { return };
    let registry = Registry::standard();
    let simulation = loaded.simulation;
    let Ok(text) = simt::text(&simulation, &registry) else { return };
    let applied = simt::apply(&text, &simulation, &registry).expect("its own text can be read");
    let again = simt::text(&applied.simulation, &registry).expect("it was written before");
    assert!(again == text, "the text of the applied text differs:\n{text}\n{again}");
}

pub fn json(data: &[u8]) {
    check(&Json, data);
}

pub fn bson(data: &[u8]) {
    check(&Bson, data);
}

/// Bytes as they are, but for the checksum: few changes would get past it.
pub fn simb(data: &[u8]) {
    let mut data = data.to_vec();
    if let Some((header, payload)) = data.split_first_chunk_mut::<16>() {
        header[12..].copy_from_slice(&crc32fast::hash(payload).to_le_bytes());
    }
    check(&Simb, &data);
}

/// The records inside a file of that format.
pub fn inflated(data: &[u8]) {
    let payload = compress_to_vec(data, 0);
    let mut file = b"SIMB\x01\0\0\0".to_vec();
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(crc32fast::hash(&payload).to_le_bytes());
    file.extend(payload);
    check(&Simb, &file);
}

fn check(loader: &dyn Loader, data: &[u8]) {
    let loaded = match loader.read(data, &LoadOptions::default()) {
        Ok(loaded) => loaded,
        Err(error) => {
            // The message is that of the window and of the commands.
            assert!(!error.to_diagnostic().message.is_empty());
            return;
        }
    };
    for diagnostic in &loaded.diagnostics {
        assert!(!diagnostic.message.is_empty());
    }
    let simulation = loaded.simulation;
    let is_chosen = crc32fast::hash(data).is_multiple_of(ALL_FORMATS);
    for other in Formats::standard().iter().filter(|other| is_chosen || other.name() == loader.name()) {
        let saved = other.write(&simulation).unwrap_or_else(|error| panic!("{}: {error}", other.name()));
        let again = other.read(&saved, &LoadOptions::default());
        let again = again.unwrap_or_else(|error| panic!("{} cannot be read again: {error}", other.name())).simulation;
        // A text that other formats keep as XML may mean something there.
        let keeps_xml = |name: &str| ["simx", "simt"].contains(&name);
        if !keeps_xml(other.name()) || keeps_xml(loader.name()) {
            let bytes = other.write(&again).expect("it was written before");
            assert!(bytes == saved, "{} is written with other bytes the second time", other.name());
            let again = without_declaration(again, &simulation);
            assert!(again == simulation, "{} is another simulation when it is read again", other.name());
        }
    }
    let skip = LoadOptions { skip_invalid_models: true };
    let loaded = loader.read(data, &skip).expect("it was read before");
    assert!(nesting(&loaded.simulation).rings.is_empty(), "an endless nesting was left");
}

/// Returns a simulation without the declaration of a prefix that the first writing adds where a file uses the prefix
/// undeclared.
fn without_declaration(mut again: Simulation, before: &Simulation) -> Simulation {
    const DECLARATION: &str = "xmlns:view";
    if before.attributes.get(DECLARATION).is_none() {
        again.attributes.remove(DECLARATION);
    }
    again
}
