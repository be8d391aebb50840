//! A text as the next state of a document: ids and looks stay where the text does not say otherwise.

use simulate::Registry;
use simulate::format::simt::apply;
use simulate::model::{BlockId, Simulation};

use super::{compact, example, examples, of_xml, xml};

/// Applies a text without a mistake.
#[track_caller]
fn applied(text: &str, onto: &Simulation) -> Simulation {
    let loaded = apply(text, onto, &Registry::standard()).unwrap();
    assert_eq!(loaded.diagnostics, [], "{text}");
    loaded.simulation
}

/// Lines of the XML that only one of two has.
fn changed(before: &Simulation, after: &Simulation) -> (Vec<String>, Vec<String>) {
    let (before, after) = (xml(before), xml(after));
    let only = |one: &str, other: &str| {
        one.lines()
            .filter(|line| !other.lines().any(|known| known == *line))
            .map(|line| line.trim().to_owned())
            .collect()
    };
    (only(&before, &after), only(&after, &before))
}

#[test]
fn the_own_text_changes_nothing() {
    for (name, simulation) in examples() {
        assert_eq!(applied(&compact(&simulation), &simulation), simulation, "{name}");
    }
}

#[test]
fn a_line_in_the_middle_moves_nothing() {
    let motor = example("dc_motor");
    let text = compact(&motor).replace("  I: Gain, Gain = 200\n", "  Limit: Saturate\n  I: Gain, Gain = 250\n");
    let text = text.replace("  Sum -> control\n", "  Sum -> Limit -> control\n");
    let after = applied(&text, &motor);
    let (gone, new) = changed(&motor, &after);
    let group = Registry::standard().iter().find(|def| def.name == "Saturate").unwrap().group;
    assert_eq!(gone.len(), 2, "{gone:#?}");
    assert!(gone[0].contains("<value>200</value>") && gone[1].contains("to=\"9\""), "{gone:#?}");
    let limit = format!("<block id=\"10\" group=\"{group}\" name=\"Saturate\" label=\"Limit\"/>");
    assert_eq!(new.len(), 4, "{new:#?}");
    assert!(new.contains(&limit), "{new:#?}");
    assert!(
        new.contains(&gone[0].replace("<value>200</value>", "<value>250</value>")),
        "the gain keeps its looks: {new:#?}"
    );
    // The order of what stays is the order of the document.
    let order = |simulation: &Simulation| {
        let text = xml(simulation);
        text.lines().filter(|line| !new.contains(&line.trim().to_owned())).map(str::to_owned).collect::<Vec<_>>()
    };
    let before: Vec<String> =
        xml(&motor).lines().filter(|line| !gone.contains(&line.trim().to_owned())).map(str::to_owned).collect();
    assert_eq!(order(&after), before);
}

fn document() -> Simulation {
    of_xml(
        "<simulation root='M' view:plot='#5.Output'><!-- why --><model name='M' view:zoom='2'>\
         <block id='5' group='Math' name='Gain' label='A' view:x='10' view:y='20'><option name='Gain'><value>1</value></option></block>\
         <block id='7' group='Math' name='Gain' label='B' view:x='30' view:y='40' note='n'><data name='view:w'>9</data></block>\
         <block id='8' group='Math' name='Integrate' view:x='50' view:y='60'/>\
         <connection from='5' output='Output' to='7' input='Input' view:bends='1 2'/>\
         <connection from='7' output='Output' to='8' input='Input' view:bends='3 4'/>\
         </model></simulation>",
    )
}

fn position(simulation: &Simulation, id: i128) -> Option<(f64, f64)> {
    let block = simulation.model("M")?.block(BlockId(id))?;
    block.position().map(|position| (position.x, position.y))
}

#[test]
fn looks_of_all_kinds_stay() {
    let document = document();
    // Ids are not written; the gain that is stated as its default stays stated; the second wire has another source.
    let text = "simulation M\nmodel M\n  B: Gain, Gain = 3\n  A: Gain\n  #8: Integrate\n  A -> B, #8\n";
    let after = applied(text, &document);
    let text = xml(&after);
    for part in [
        "view:plot=\"#5.Output\"",
        "<model name=\"M\" view:zoom=\"2\">",
        "<block id=\"5\" group=\"Math\" name=\"Gain\" label=\"A\" view:x=\"10\" view:y=\"20\"><option name=\"Gain\"><value>1</value></option></block>",
        "<block id=\"7\" group=\"Math\" name=\"Gain\" label=\"B\" view:x=\"30\" view:y=\"40\"><data name=\"view:w\">9</data><option name=\"Gain\"><value>3</value></option></block>",
        "<connection from=\"5\" output=\"Output\" to=\"7\" input=\"Input\" view:bends=\"1 2\"/>",
        "<connection from=\"5\" output=\"Output\" to=\"8\" input=\"Input\"/>",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    // The comment and the note are not in the text.
    assert!(!text.contains("why") && !text.contains("note"), "{text}");
}

#[test]
fn blocks_are_matched_by_title_then_by_id() {
    let document = document();
    // Another label on the line of #5; a written id moves B.
    let after = applied("simulation M\nmodel M\n  C #5: Gain\n  B #3: Gain\n  #8: Integrate\n  new: Gain\n", &document);
    assert_eq!(position(&after, 5), Some((10.0, 20.0)));
    assert_eq!(position(&after, 3), Some((30.0, 40.0)));
    assert_eq!(position(&after, 8), Some((50.0, 60.0)));
    let ids: Vec<i128> = after.model("M").unwrap().blocks.keys().map(|id| id.0).collect();
    assert_eq!(ids, [3, 5, 8, 9], "a new block has an id that no block has had");
    assert_eq!(position(&after, 9), None);
    // Another kind is another block.
    let after = applied("simulation M\nmodel M\n  A #5: Sum\n", &document);
    assert_eq!(position(&after, 5), None);
    // The position in the text is the one that counts.
    let after = applied("simulation M\nmodel M\n  A: Gain @ 1 2\n", &document);
    assert_eq!(position(&after, 5), Some((1.0, 2.0)));
}

/// The order of inputs is that of the ports, so it is taken from the text.
#[test]
fn the_order_of_inputs_is_that_of_the_text() {
    let document = of_xml(
        "<simulation root='M'><model name='M'><entry id='0' name='a' view:x='1' view:y='2'/><entry id='1' name='b'/></model></simulation>",
    );
    let after = applied("simulation M\nmodel M\n  b #1: input\n  a #0: input\n", &document);
    let names = simulate::model::model_ports(after.model("M").unwrap());
    assert_eq!(names.inputs.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["b", "a"]);
    assert_eq!(position(&after, 0), Some((1.0, 2.0)));
}

/// Diagnostics speak of the ids that the blocks get.
#[test]
fn what_is_not_found_is_reported_and_kept() {
    let loaded =
        apply("simulation M\nmodel M\n  A: Gain\n  A -> Nowhere\n", &document(), &Registry::standard()).unwrap();
    assert_eq!(loaded.diagnostics.len(), 1);
    assert_eq!(loaded.diagnostics[0].message, "there is no block “Nowhere” in “M”");
    let at = loaded.source_map.block("M", BlockId(5)).unwrap();
    assert_eq!((at.line, at.column), (3, 3));
    assert!(apply("model M", &document(), &Registry::standard()).is_err());
}
