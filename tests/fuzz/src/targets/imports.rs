//! Models of other programs: each input is refused with a reason, or becomes a simulation that is written and read again.

use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader};
use simulate::import::{ImportOptions, import_bytes};

use super::{MEGABYTE, Memory};

/// A part of an archive may unpack to a megabyte, and a block of three bytes takes some hundred.
pub const MEMORY: Memory = Memory { fixed: 64 * MEGABYTE, times: 2000 };

/// The bytes of a file.
pub fn file(data: &[u8]) {
    let Ok(imported) = import_bytes("m", data, &ImportOptions::default()).map_err(|error| {
        assert!(!error.to_string().is_empty());
    }) else {
        return;
    };
    assert!(imported.report.text().ends_with('\n'));
    let bytes = Simx.write(&imported.simulation).expect("an import can be written");
    let again = Simx.read(&bytes, &LoadOptions::default()).expect("what was written can be read");
    let rewritten = Simx.write(&again.simulation).expect("it can be written again");
    assert!(rewritten == bytes, "writing again gives other bytes");
}

/// The diagram of a package.
pub fn diagram(data: &[u8]) {
    let mut text = b"__MWOPC_PACKAGE_BEGIN__ R2024a\n__MWOPC_PART_BEGIN__ /simulink/blockdiagram.xml\n".to_vec();
    text.extend(data);
    text.extend(b"\n__MWOPC_PACKAGE_END__\n");
    file(&text);
}

/// The dictionary of an archive whose diagram refers to its first values.
pub fn dictionary(data: &[u8]) {
    const DIAGRAM: &str = "<XcosDiagram><mxGraphModel><root><BasicBlock id=\"a\" interfaceFunctionName=\"CONST_m\">\
        <ScilabString as=\"exprs\" binary=\"true\" position=\"0\"/><Array as=\"realParameters\" binary=\"true\" \
        position=\"1\"/></BasicBlock><BasicBlock id=\"b\" interfaceFunctionName=\"SUPER_f\"><Array \
        as=\"realParameters\" binary=\"true\" position=\"2\"/></BasicBlock></root></mxGraphModel></XcosDiagram>";
    file(&archive(&[("content.xml", DIAGRAM.as_bytes()), ("dictionary/dictionary.ser", data)]));
}

/// An archive with parts that are not compressed.
fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in parts {
        let (at, size) = (bytes.len() as u32, content.len() as u32);
        let mut head = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        head.extend(checksum(content).to_le_bytes());
        head.extend([size, size].map(u32::to_le_bytes).concat());
        head.extend([name.len() as u16, 0].map(u16::to_le_bytes).concat());
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&head);
        bytes.extend(name.as_bytes());
        bytes.extend(*content);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&head);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (at, count) = (bytes.len() as u32, parts.len() as u16);
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([count, count].map(u16::to_le_bytes).concat());
    bytes.extend([directory.len() as u32, at].map(u32::to_le_bytes).concat());
    bytes.extend([0, 0]);
    bytes
}

/// The checksum of archives: CRC 32 of IEEE 802.3.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}
