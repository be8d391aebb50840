//! Plug-ins: modules and descriptions are refused with a reason, or are what they say; nothing of them runs.

use simulate::plugin::inspect;

use super::{MEGABYTE, Memory};

/// The runtime and its tables; a module may have a function each few bytes.
pub const MEMORY: Memory = Memory { fixed: 8 * MEGABYTE, times: 2000 };

/// The file of a plug-in.
pub fn module(data: &[u8]) {
    if let Ok((about, blocks)) = inspect(data) {
        assert!(!about.name.is_empty() && !blocks.is_empty());
    }
}

/// A description in a module that has all functions.
pub fn description(data: &[u8]) {
    module(&described(data));
}

/// Returns a module with a custom section “simulate” of this content.
fn described(content: &[u8]) -> Vec<u8> {
    let mut module = b"\0asm\x01\0\0\0".to_vec();
    section(&mut module, 1, &[1, 0x60, 2, 0x7f, 0x7f, 1, 0x7f]);
    section(&mut module, 3, &[1, 0]);
    section(&mut module, 5, &[1, 0, 1]);
    let mut exports = vec![4];
    for (name, kind) in [("memory", 2), ("simulate_outputs", 0), ("simulate_update", 0), ("simulate_derivatives", 0)] {
        exports.push(name.len() as u8);
        exports.extend(name.bytes().chain([kind, 0]));
    }
    section(&mut module, 7, &exports);
    section(&mut module, 10, &[1, 4, 0, 0x41, 0, 0x0b]);
    section(&mut module, 0, &[b"\x08simulate", content].concat());
    module
}

fn section(module: &mut Vec<u8>, id: u8, content: &[u8]) {
    module.push(id);
    // The length in groups of seven bits.
    let mut length = content.len();
    while length >= 0x80 {
        module.push(length as u8 & 0x7f | 0x80);
        length >>= 7;
    }
    module.push(length as u8);
    module.extend(content);
}

/// The examples.
pub fn modules() -> Vec<Vec<u8>> {
    let c = include_bytes!("../../../samples/plugins/example_c.wasm").to_vec();
    vec![c, described(include_bytes!("../../../../assets/plugin/c/gain.json"))]
}

/// The descriptions of the examples.
pub fn descriptions() -> Vec<Vec<u8>> {
    let c = include_bytes!("../../../../assets/plugin/c/gain.json").to_vec();
    assert!(inspect(&described(&c)).is_ok(), "the first input is a plug-in");
    vec![c, include_bytes!("../../../../assets/plugin/rust/example/description.json").to_vec()]
}

/// The fields of a description, and some of their values.
pub fn fields() -> Vec<String> {
    let fields = "abi name version author licence doc blocks formula icon aliases inputs outputs params states time sampled \
                  examples width feedthrough kind initial default min max vector fixed choices unit options delta any \
                  number integer choice flag discrete continuous true false null";
    fields.split_whitespace().map(|field| format!("\"{field}\":")).collect()
}
