//! Truncated, changed or invented files: an error, never a panic and never a wrong simulation.

use proptest::prelude::*;
use simulate::format::{LoadError, Loader as _, Simb};

use super::{EVERYTHING, read_as, written_as};

const FORMATS: [&str; 3] = ["json", "bson", "simb"];

#[test]
fn a_cut_file_is_no_file() {
    for name in FORMATS {
        let bytes = written_as(name, EVERYTHING);
        let end = bytes.len() - if name == "json" { 2 } else { 1 };
        for length in 0..=end {
            assert!(read_as(name, &bytes[..length]).is_err(), "{name} cut to {length}");
        }
    }
}

#[test]
fn a_flipped_bit_of_the_binary_form_is_found() {
    let bytes = written_as("simb", EVERYTHING);
    // The two reserved bytes are ignored.
    for index in (0..bytes.len()).filter(|index| !(6..8).contains(index)) {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[index] ^= 1 << bit;
            assert!(read_as("simb", &damaged).is_err(), "byte {index}, bit {bit}");
        }
    }
}

#[test]
fn a_length_that_cannot_be_costs_no_memory() {
    let mut bytes = written_as("simb", EVERYTHING);
    bytes[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    let error = read_as("simb", &bytes).unwrap_err();
    assert_eq!(error.to_string(), "the file is damaged: the content is shorter than the header says");
}

#[test]
fn a_later_version_says_so() {
    let mut bytes = written_as("simb", EVERYTHING);
    bytes[4] = 2;
    let error = Simb.read(&bytes, &simulate::format::LoadOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "version 2 of the binary format is unknown; this program reads version 1");
    let error = read_as("json", br#"{"simulate": 2, "simulation": {}}"#).unwrap_err();
    assert_eq!(error.to_string(), "version 2 was written by a newer program; this program reads versions up to 1");
}

#[track_caller]
fn check_contradiction(content: &str, expected: &str) {
    let text = format!(
        r#"{{"simulate": 1, "simulation": {{"content": [{{"model": {{"name": "M", "content": [{content}]}}}}]}}}}"#
    );
    match read_as("json", text.as_bytes()) {
        Err(LoadError::Contradiction(error)) => assert_eq!(error.to_string(), expected),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_cannot_be_is_named() {
    let exit = r#"{"exit": {"id": 1, "name": "y"}}"#;
    let wire = r#"{"connection": {"from": 1, "output": "o", "to": 2, "input": "i"}}"#;
    let variable = r#"{"variable": {"name": "k", "value": "1"}}"#;
    check_contradiction(&format!("{exit}, {exit}"), "model “M”: the id #1 is used twice");
    check_contradiction(&format!("{wire}, {wire}"), "model “M”: the input “i” of #2 has two connections");
    check_contradiction(&format!("{variable}, {variable}"), "model “M”: there are two variables “k”");
    check_contradiction(r#"{"block": {"id": 3, "name": "Gain"}}"#, "model “M”: #3 has no group");
    check_contradiction(
        r#"{"exit": {"id": 3, "name": "y", "model": "N"}}"#,
        "model “M”: #3 has the field model, which its tag does not allow",
    );
}

#[test]
fn json_says_where() {
    let text = "{\"simulate\": 1,\n \"simulation\": {\"step\": 3}}";
    let error = read_as("json", text.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "not well formed: unknown field `step`, expected one of `steps`, `delta`, `root`, `attributes`, `prolog`, \
         `content`, `epilog`"
    );
    assert_eq!(error.position().unwrap().line, 2);
    let error = read_as("json", br#"{"simulate": }"#).unwrap_err();
    let position = error.position().unwrap();
    assert_eq!((position.line, position.column), (1, 14));
    let error = read_as("json", br#"{"simulate": 1, "simulation": {"attributes": {"a": "1", "a": "2"}}}"#).unwrap_err();
    assert_eq!(error.to_string(), "not well formed: the attribute “a” is duplicated");
}

proptest! {
    #![proptest_config(crate::random_cases(256))]

    #[test]
    fn any_bytes_are_read_without_a_panic(name in 0..FORMATS.len(), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_as(FORMATS[name], &bytes);
    }

    #[test]
    fn changed_bytes_are_read_without_a_panic(
        name in 0..2_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = written_as(FORMATS[name], EVERYTHING);
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let _ = read_as(FORMATS[name], &bytes);
    }
}

#[test]
fn deep_nesting_is_refused() {
    let json = format!("{{\"simulate\": 1, \"simulation\": {{\"content\": {}", "[".repeat(100_000));
    assert!(read_as("json", json.as_bytes()).is_err());
    // Nested BSON documents: each has a length, a field and an end.
    let mut bson = vec![5, 0, 0, 0, 0];
    for _ in 0..20_000 {
        let mut outer = vec![0, 0, 0, 0, 3, b'a', 0];
        outer.extend_from_slice(&bson);
        outer.push(0);
        let length = u32::try_from(outer.len()).unwrap();
        outer[..4].copy_from_slice(&length.to_le_bytes());
        bson = outer;
    }
    assert!(read_as("bson", &bson).is_err());
}

/// Found by the fuzz target `json`: what a file of one format may hold, all others must be able to store.
#[test]
fn what_no_xml_file_could_hold_is_refused() {
    let block = |more: &str| format!(r#"{{"block": {{"id": 1, "group": "Math", "name": "Gain", {more}}}}}"#);
    check_contradiction(
        &block(r#""attributes": {"id": "2"}"#),
        "model “M”: there is an attribute “id”, which is a field",
    );
    check_contradiction(
        &block(r#""body": [{"extra": "<open>"}]"#),
        "model “M”: the extra “<open>” is not well-formed XML: a comment, an element or a text is expected",
    );
    check_contradiction(
        r#"{"extra": "</model>"}"#,
        "model “M”: the extra “</model>” is not well-formed XML: a comment, an element or a text is expected",
    );
    check_contradiction(
        &block(r#""attributes": {"a b": "2"}"#),
        "“a b” is not a valid attribute name: it must start with a letter and contain no spaces",
    );
    for (simulation, expected) in [
        (r#""attributes": {"delta": "0e999"}"#, "the attribute delta is “0e999”: a number is a field"),
        (r#""attributes": {"root": "M"}"#, "there is an attribute “root”, which is a field"),
        (r#""prolog": ["<a/>"]"#, "prolog and epilog may hold only XML comments, instructions and a DOCTYPE"),
        (r#""epilog": ["text"]"#, "prolog and epilog may hold only XML comments, instructions and a DOCTYPE"),
    ] {
        let text = format!(r#"{{"simulate": 1, "simulation": {{{simulation}}}}}"#);
        let error = read_as("json", text.as_bytes()).expect_err("it is refused").to_string();
        assert_eq!(error, expected);
    }
    // A text that is no number is what the XML has, and stays.
    let text = r#"{"simulate": 1, "simulation": {"attributes": {"delta": "fast"}, "prolog": ["<!-- a -->"]}}"#;
    assert!(read_as("json", text.as_bytes()).is_ok());
}
