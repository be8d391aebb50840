//! `simulate blocks`.

use serde_json::Value;
use simulate::block::Registry;

use super::{folder, simulate};

fn print(format: &str) -> String {
    let outcome = simulate(folder(&[]).path(), &["blocks", "--format", format]);
    assert_eq!((outcome.code, &*outcome.err), (0, ""));
    outcome.out
}

#[test]
fn text_tells_how_a_block_is_used() {
    let text = print("text");
    let expected = "  Gain: Multiplies its input by a constant\n      y = k·u\n      Input → Output\n      \
        Gain: The gain k, one for all elements or one for each (default 1; one or several values)\n      \
        Example: A gain of 2: Gain = 2; Input 0, 1.5, -3; Output 0, 3, -6\n";
    assert!(text.contains(expected), "{text}");
    assert_eq!(simulate(folder(&[]).path(), &["blocks"]).out, text);
}

#[test]
fn every_block_is_in_every_format() {
    let (text, markdown) = (print("text"), print("markdown"));
    let json: Vec<Value> = serde_json::from_str(&print("json")).unwrap();
    assert_eq!(json.len(), Registry::standard().iter().count());
    for (def, json) in Registry::standard().iter().zip(&json) {
        assert_eq!((json["group"].as_str(), json["name"].as_str()), (Some(def.group), Some(def.name)));
        assert_eq!(json["params"].as_array().unwrap().len(), def.params.len());
        assert_eq!(json["examples"].as_array().unwrap().len(), def.examples.len());
        // The title in the window is shown beside a different name in files.
        let (name, bold) = match def.title() {
            title if title == def.name => (title.to_owned(), String::new()),
            title => (format!("{} ({title})", def.name), format!("**{title}**\n\n")),
        };
        assert_eq!(json["title"].as_str(), Some(def.title()));
        assert!(text.contains(&format!("\n  {name}: {}\n      {}\n", def.doc, def.formula)), "{}", def.name);
        assert!(markdown.contains(&format!("\n### {}/{}\n\n{bold}{}\n", def.group, def.name, def.doc)), "{}", def.name);
    }
}

#[test]
fn blocks_of_the_original_program_have_the_fields_titles() {
    let text = print("text");
    for line in ["Var (Sources)\n", "  Static (Constant): ", "  Ramp (Triangle): ", "  Line (Ramp): "] {
        assert!(text.contains(line), "{line}");
    }
}
