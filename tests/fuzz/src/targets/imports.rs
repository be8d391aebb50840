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
