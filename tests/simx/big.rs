//! Large inputs: nesting needs no stack, and no operation takes quadratic time, which would exceed a test's time limit.

use std::fmt::Write;

use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader};
use simulate::model::BlockId;

use super::{check_identity, load, load_sound, try_load, write};

const MANY: usize = 100_000;

#[test]
fn deep_tags() {
    let deep = format!("{}{}", "<x:y>".repeat(MANY), "</x:y>".repeat(MANY));
    let simulation = load_sound(&format!("<simulation>{deep}</simulation>"));
    assert_eq!(&*simulation.extras[&0].xml, deep);
    assert!(try_load(format!("<simulation>{}", "<model>".repeat(MANY)).as_bytes()).is_err());
}

#[test]
fn a_long_attribute() {
    let long = "&amp;é".repeat(MANY * 2);
    let simulation = load_sound(&format!("<simulation note=\"{long}\"/>"));
    assert_eq!(simulation.attributes.get("note").unwrap().chars().count(), MANY * 4);
    check_identity(&format!("<simulation note=\"{long}\"/>"));
}

#[test]
fn many_attributes() {
    let many: String = (0..MANY).map(|number| format!(" a{number}=\"\"")).collect();
    assert_eq!(load_sound(&format!("<simulation{many}/>")).attributes.iter().count(), MANY);
}

#[test]
fn many_models_in_one_line() {
    let models: String = (0..MANY).map(|number| format!("<model name=\"m{number}\"/>")).collect();
    let simulation = load_sound(&format!("<simulation>{models}</simulation>"));
    assert_eq!(simulation.models.len(), MANY);
    assert_eq!(write(&simulation).lines().count(), MANY + 3);
}

#[test]
fn models_nested_deep() {
    let mut text = "<simulation>".to_owned();
    for number in 0..MANY {
        write!(text, "<model name=\"m{number}\"><model id=\"0\" model=\"m{}\"/></model>", number + 1).unwrap();
    }
    text.push_str("</simulation>");
    let options = LoadOptions { skip_invalid_models: true };
    let loaded = Simx.read(text.as_bytes(), &options).unwrap();
    assert_eq!(loaded.diagnostics, []);
}

#[test]
fn many_rings() {
    let ring = |number| format!("<model name=\"m{number}\"><model id=\"0\" model=\"m{number}\"/></model>");
    let text = format!("<simulation>{}</simulation>", (0..MANY).map(ring).collect::<String>());
    let loaded = Simx.read(text.as_bytes(), &LoadOptions { skip_invalid_models: true }).unwrap();
    assert_eq!(loaded.diagnostics.len(), MANY);
}

#[test]
fn many_mistakes_in_one_line() {
    let mistakes = "<entry/>".repeat(MANY);
    let loaded = load(&format!("<simulation><model name=\"m\">{mistakes}</model></simulation>"));
    assert_eq!(loaded.diagnostics.len(), MANY);
    assert_eq!(loaded.diagnostics[1].location.text.unwrap().column, "<simulation><model name=\"m\"><entry/>".len() + 1);
}

#[test]
fn many_blocks() {
    let mut text = "<simulation root=\"Main\"><model name=\"Main\">".to_owned();
    for id in 0..10_000 {
        write!(text, "<block id=\"{id}\" group=\"Math\" name=\"Gain\" view:x=\"{id}\"/>").unwrap();
        write!(text, "<connection from=\"{id}\" output=\"Output\" to=\"{}\" input=\"Input\"/>", id + 1).unwrap();
    }
    text.push_str("</model></simulation>");
    let simulation = load(&text).simulation;
    let model = simulation.root_model().unwrap();
    assert_eq!((model.blocks.len(), model.connections.len()), (10_000, 10_000));
    assert_eq!(model.free_id(), BlockId(10_000));
    check_identity(&text.replace("<simulation", "<simulation xmlns:view=\"urn:simulate:view\""));
}
