//! The forms of files, and the reasons of refusals.

use std::io::Write;
use std::path::Path;

use simulate::import::{ImportOptions, Imported, import};

use super::{imported, model, run};

const CONFIGURATION: &str = r#"<ConfigSet><Object ClassName="Simulink.SolverCC"><P Name="StopTime">1</P><P Name="SolverName">ode4</P><P Name="FixedStep">0.5</P></Object></ConfigSet>"#;

/// The root system: a constant with a line break in its name, a gain, an exit, and a branched line.
const SYSTEM: &str = r#"<Block BlockType="Constant" Name="two&#xA;lines" SID="1"><P Name="Position">[10, 10, 40, 40]</P><P Name="Value">4</P></Block>
<Block BlockType="Gain" Name="g" SID="2::7"><PortCounts in="1" out="1"/><P Name="Gain">2</P></Block>
<Block BlockType="Outport" Name="y" SID="3"/>
<Block BlockType="Scope" Name="s" SID="4"><P Name="NumInputPorts">1</P></Block>
<Line><P Name="Src">1#out:1</P><P Name="Dst">2::7#in:1</P></Line>
<Line><P Name="Src">2::7#out:1</P><P Name="Points">[5, 0]</P><Branch><P Name="Dst">3#in:1</P></Branch><Branch><P Name="Points">[0, 40]</P><P Name="Dst">4#in:1</P></Branch></Line>"#;

fn nested() -> String {
    format!(r#"<?xml version="1.0"?><ModelInformation><Model><System>{SYSTEM}</System></Model></ModelInformation>"#)
}

const SPLIT: &str =
    r#"<?xml version="1.0"?><ModelInformation><Model><System Ref="system_root"/></Model></ModelInformation>"#;

fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).expect("a part");
        zip.write_all(content).expect("its content");
    }
    zip.finish().expect("an archive").into_inner()
}

fn read(bytes: &[u8]) -> Result<Imported, String> {
    import(Path::new("m.slx"), bytes, &ImportOptions::default()).map_err(|error| error.to_string())
}

#[track_caller]
fn check(bytes: &[u8]) {
    let imported = read(bytes).expect("a model");
    assert_eq!(imported.report.entries.len(), 4);
    assert_eq!(imported.report.entries[0].path, "y", "exits come first");
    assert!(imported.report.entries.iter().any(|entry| entry.path == "two lines"));
    assert_eq!(imported.simulation.root_model().expect("the root").connections.iter().count(), 3);
    assert_eq!((imported.simulation.steps, imported.simulation.delta), (2, 0.5));
    assert_eq!(run(&imported, &["y"]).last("y").expect("y"), [8.0]);
}

#[test]
fn both_layouts_of_an_archive_are_read() {
    let configuration = ("simulink/configSet0.xml", CONFIGURATION.as_bytes());
    check(&archive(&[("simulink/blockdiagram.xml", nested().as_bytes()), configuration]));
    let system = format!("<System>{SYSTEM}</System>");
    let system = ("simulink/systems/system_root.xml", system.as_bytes());
    check(&archive(&[("simulink/blockdiagram.xml", SPLIT.as_bytes()), configuration, system]));
}

#[test]
fn a_package_written_as_text_is_read() {
    let text = format!(
        "# MathWorks OPC Text Package\nModel {{\n  Version 24.1\n}}\n__MWOPC_PACKAGE_BEGIN__ R2024a\n\
         __MWOPC_PART_BEGIN__ /metadata/thumbnail.png BASE64\nAAAA\n__MWOPC_PART_BEGIN__ /simulink/blockdiagram.xml\n{SPLIT}\n\
         __MWOPC_PART_BEGIN__ /simulink/configSet0.xml\n{CONFIGURATION}\n\
         __MWOPC_PART_BEGIN__ /simulink/systems/system_root.xml\n<System>{SYSTEM}</System>\n__MWOPC_PACKAGE_END__\n"
    );
    check(text.as_bytes());
}

#[test]
fn lines_of_windows_and_letters_of_old_encodings_are_read() {
    let text = model("ode4", 0.1, 1.0, "Block {\nBlockType Gain\nName \"Verst\u{e4}rker\"\n}\n").replace('\n', "\r\n");
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).expect("a letter of Latin 1")).collect();
    let imported = import(Path::new("m.mdl"), &latin, &ImportOptions::default()).expect("a model");
    assert_eq!(imported.report.entries[0].path, "Verst\u{e4}rker");
}

#[test]
fn what_is_no_model_says_what_it_is() {
    let refused = |bytes: &[u8], wanted: &str| {
        let error = read(bytes).expect_err(wanted);
        assert!(error.contains(wanted), "{error:?} has no {wanted:?}");
    };
    refused(b"", "the file is empty");
    refused(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n", "git lfs pull");
    refused(b"Model {\n<<<<<<< HEAD\n", "conflict");
    refused(b"  benzene\n ACD/Labs0812062058\n\n  6  6  0  0  0  0\n", "molecules");
    refused(b"PK\x03\x04 and no more", "archive");
    refused(&archive(&[("word/document.xml", b"<x/>")]), "simulink/blockdiagram.xml is missing");
    refused(
        &archive(&[("simulink/blockdiagram.xml", b"<Model><System></Model>")]),
        "simulink/blockdiagram.xml, line 1",
    );
    refused(&archive(&[("simulink/blockdiagram.xml", b"<Model><System>")]), "cut off");
    refused(&archive(&[("simulink/blockdiagram.xml", b"<!DOCTYPE x [<!ENTITY a \"b\">]><Model/>")]), "DOCTYPE");
    refused(&archive(&[("simulink/blockdiagram.xml", b"<Model/>")]), "neither a model nor a library");
    refused(&archive(&[("simulink/blockdiagram.xml", SPLIT.as_bytes())]), "system_root.xml is missing");
    let deep = "<a>".repeat(1000) + &"</a>".repeat(1000);
    refused(&archive(&[("simulink/blockdiagram.xml", deep.as_bytes())]), "levels deep");
}

#[test]
fn a_ring_of_parts_and_a_bomb_are_refused() {
    let ring = br#"<System><Block BlockType="SubSystem" Name="S" SID="1"><System Ref="system_root"/></Block></System>"#;
    let bytes = archive(&[("simulink/blockdiagram.xml", SPLIT.as_bytes()), ("simulink/systems/system_root.xml", ring)]);
    assert_eq!(read(&bytes).expect_err("a ring"), "the part simulink/systems/system_root.xml contains itself");
    let bomb = vec![b' '; 70 << 20];
    let error = read(&archive(&[("simulink/blockdiagram.xml", &bomb)])).expect_err("a bomb");
    assert!(error.contains("unpacks to more than"), "{error}");
    let outside = archive(&[("simulink/../../x.xml", b"<x/>"), ("simulink/blockdiagram.xml", b"<x/>")]);
    assert!(read(&outside).expect_err("a path").contains("leads out of the archive"));
}

#[test]
fn each_prefix_of_a_file_ends_with_a_model_or_a_reason() {
    let text = model("ode4", 0.1, 1.0, &super::block("Gain", "g", "Gain \"[1 2]\""));
    for end in 0..text.len() {
        let _ = import(Path::new("m.mdl"), &text.as_bytes()[..end], &ImportOptions::default());
    }
    let bytes = archive(&[("simulink/blockdiagram.xml", nested().as_bytes())]);
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x55;
        let _ = read(&changed);
    }
}

#[test]
fn a_large_model_is_read_in_proportion_to_its_size() {
    let mut root = String::new();
    for number in 0..2000 {
        root += &super::block("Gain", &format!("g{number}"), "Gain \"2\"");
    }
    (1..2000).for_each(|number| root += &super::line(&format!("g{}", number - 1), &format!("g{number}"), 1));
    let imported = imported(&model("ode4", 0.1, 1.0, &root));
    assert_eq!(imported.report.entries.len(), 2000);
    assert_eq!(imported.simulation.root_model().expect("the root").connections.iter().count(), 1999);
}
