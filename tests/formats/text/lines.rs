//! Single lines and the XML that they mean; whole documents that survive writing.

use proptest::prelude::*;
use simulate::format::simt::{Simt, block_of_line, wires_of};
use simulate::format::{LoadOptions, Loader};

use super::{of_xml, read, sound, written, xml};
use crate::simx::property::simulation;

/// Compares lines of a model with the XML of its content.
#[track_caller]
fn check(lines: &str, expected: &str) {
    let simulation = sound(&format!("simulation M\nmodel M\n{lines}\nmodel N\nu: input\ny: output\nz: output\n"));
    let text = xml(&simulation);
    let inner = text.split("<model name=\"M\">\n").nth(1).unwrap().split("\t</model>").next().unwrap();
    assert_eq!(inner.replace("\t\t", ""), expected, "{lines}");
    // The same is read again after it is written.
    assert_eq!(sound(&written(&simulation)), simulation, "{}", written(&simulation));
}

#[test]
fn blocks() {
    check(
        "P: Gain, Gain = 100",
        "<block id=\"0\" group=\"Math\" name=\"Gain\" label=\"P\"><option name=\"Gain\"><value>100</value></option></block>\n",
    );
    check("#7: Integrate", "<block id=\"7\" group=\"Math\" name=\"Integrate\"/>\n");
    check("#-3: Math/Gain", "<block id=\"-3\" group=\"Math\" name=\"Gain\"/>\n");
    check(
        "a: input, Initial Value = 1; 2",
        "<entry id=\"0\" name=\"a\"><option name=\"Initial Value\"><value>1</value><value>2</value></option></entry>\n",
    );
    check("\"a.b\" #3: output {role=while}", "<exit id=\"3\" name=\"a.b\" role=\"while\"/>\n");
    check("N: model N", "<model id=\"0\" model=\"N\"/>\n");
    check("Left: model N, k = ()", "<model id=\"0\" model=\"N\" label=\"Left\"><option name=\"k\"/></model>\n");
    check("N: model N {label=N}", "<model id=\"0\" model=\"N\" label=\"N\"/>\n");
    check(
        "A: Gain\nB: Gain\nC #9: Gain\nD: Gain",
        "<block id=\"0\" group=\"Math\" name=\"Gain\" label=\"A\"/>\n<block id=\"1\" group=\"Math\" name=\"Gain\" label=\"B\"/>\n<block id=\"9\" group=\"Math\" name=\"Gain\" label=\"C\"/>\n<block id=\"10\" group=\"Math\" name=\"Gain\" label=\"D\"/>\n",
    );
    check(
        "A: Gain @ 120 -40.5 {view:flip=1}",
        "<block id=\"0\" group=\"Math\" name=\"Gain\" label=\"A\" view:x=\"120\" view:y=\"-40.5\" view:flip=\"1\"/>\n",
    );
    check(
        "A: Gain @ 1 2 {b=x, view:x, label}",
        "<block id=\"0\" group=\"Math\" name=\"Gain\" view:y=\"2\" b=\"x\" view:x=\"1\" label=\"A\"/>\n",
    );
    check(
        "\"model: x\": Gain, Gain = [1, 2; 3, 4]",
        "<block id=\"0\" group=\"Math\" name=\"Gain\" label=\"model: x\"><option name=\"Gain\"><value>[1, 2; 3, 4]</value></option></block>\n",
    );
    check(
        "A: Gain, Gain = \"a \\u00e9\\n\\\"\\ud83d\\ude00\" // why",
        "<block id=\"0\" group=\"Math\" name=\"Gain\" label=\"A\"><option name=\"Gain\"><value>a é\n\"😀</value></option></block>\n<!-- why -->\n",
    );
    check(
        "A: Gain, Gain = http://x",
        "<block id=\"0\" group=\"Math\" name=\"Gain\" label=\"A\"><option name=\"Gain\"><value>http://x</value></option></block>\n",
    );
}

#[test]
fn code_stands_on_lines_of_its_own() {
    let expected = "<block id=\"0\" group=\"User\" name=\"Function\" label=\"F\"><option name=\"Code\"><value>function y = f(u)\n  y = u;\n\nend</value></option><option name=\"b\"><value>1</value></option></block>\n";
    check("F: User/Function, Code = \"\"\"\n    function y = f(u)\n      y = u;\n\n    end\n  \"\"\", b = 1", expected);
    // Each line is indented, which the lines between fences cannot say; or a mark is in the way.
    for code in ["  a\n  b", "a\n\"\"\"\nb", "\n", "a\n", "a\r\nb", "\ta\nb ", " \na", "a\n  \nb"] {
        let mut simulation = sound("simulation M\nmodel M\nF: User/Function");
        let block = simulation.model_mut("M").unwrap().block_mut(simulate::model::BlockId(0)).unwrap();
        block.set_option("Code", Some(&[code]));
        assert_eq!(sound(&written(&simulation)), simulation, "{code:?}:\n{}", written(&simulation));
    }
}

#[test]
fn variables_and_comments() {
    check("R = 1.5 {unit=Ohm, doc=\"a, b\"}", "<variable name=\"R\" value=\"1.5\" unit=\"Ohm\" doc=\"a, b\"/>\n");
    check("\"model\" = 2*pi", "<variable name=\"model\" value=\"2*pi\"/>\n");
    check("// a\n//\n  //--b", "<!-- a -->\n<!---->\n<!-- - -b -->\n");
}

#[test]
fn wires() {
    let blocks = "a: Gain\nb: Gain\nS: Sum\nN: model N\nx: input\nx: output\n#9: Gain\n";
    let wires = |lines: &str, expected: &[(i128, &str, i128, &str)]| {
        let text = format!("simulation M\nmodel M\n{blocks}{lines}\nmodel N\nu: input\ny: output\nz: output\n");
        let simulation = sound(&text);
        let mut found: Vec<_> = simulation.model("M").unwrap().connections.values().cloned().collect();
        found.sort_by_key(|wire| wire.seq);
        let found: Vec<_> = found
            .iter()
            .map(|wire| (wire.from.0, wire.output.to_string(), wire.to.0, wire.input.to_string()))
            .collect();
        let expected: Vec<_> = expected.iter().map(|(a, b, c, d)| (*a, b.to_string(), *c, d.to_string())).collect();
        assert_eq!(found, expected, "{lines}");
        assert_eq!(sound(&written(&simulation)), simulation, "{}", written(&simulation));
    };
    wires("a -> b -> S.2, N", &[(0, "Output", 1, "Input"), (1, "Output", 2, "Input 2"), (1, "Output", 3, "u")]);
    wires("x->a\nN.z->x", &[(4, "Output", 0, "Input"), (3, "z", 5, "Input")]);
    wires("N.1 -> #9 -> S.\"Input 1\"", &[(3, "y", 9, "Input"), (9, "Output", 2, "Input 1")]);
    wires("S.Output -> a.Input", &[(2, "Output", 0, "Input")]);
    wires("#0->#1", &[(0, "Output", 1, "Input")]);
}

/// Two blocks that wires could confuse show their ids.
#[test]
fn blocks_of_one_title_are_named_by_their_ids() {
    let simulation = of_xml(
        "<simulation root='M'><model name='M'><block id='0' group='Math' name='Gain' label='G'/>\
         <block id='1' group='Math' name='Gain' label='G'/><block id='2' group='Math' name='Gain'/>\
         <connection from='0' output='Output' to='1' input='Input'/>\
         <connection from='1' output='Output' to='2' input='Input'/></model></simulation>",
    );
    let text =
        "simulation M, steps = 0, delta = 1\n\nmodel M\n  G #0: Gain\n  G #1: Gain\n  #2: Gain\n  #0 -> #1 -> #2\n";
    assert_eq!(written(&simulation), text);
    assert_eq!(sound(text), simulation);
}

/// A line without an id does not take one that a later line has.
#[test]
fn ids_of_other_lines_are_left_free() {
    let simulation = sound("simulation M\nmodel M\na: Gain\nnew: Gain\nb #1: Gain\nc #2: Gain");
    let ids: Vec<(String, i128)> =
        simulation.model("M").unwrap().blocks.values().map(|block| (block.title().to_owned(), block.id.0)).collect();
    assert_eq!(ids, [("a".into(), 0), ("b".into(), 1), ("c".into(), 2), ("new".into(), 3)]);
}

#[test]
fn positions_are_those_of_the_lines() {
    let text = "\u{FEFF}// first\r\nsimulation M\r\n\r\nmodel M\r\n  a: Gain\r\n  é: Gain\r\n  é -> a\r\n";
    let loaded = read(text);
    let model = loaded.simulation.model("M").unwrap();
    let at = |position: Option<simulate::model::TextPosition>| position.map(|at| (at.line, at.column));
    assert_eq!(at(loaded.source_map.simulation()), Some((2, 1)));
    assert_eq!(at(loaded.source_map.model("M")), Some((4, 1)));
    assert_eq!(at(loaded.source_map.block("M", simulate::model::BlockId(1))), Some((6, 3)));
    let wire = model.connections.values().next().unwrap();
    assert_eq!(at(loaded.source_map.connection("M", &wire.key())), Some((7, 8)));
}

#[test]
fn a_line_alone() {
    let block = block_of_line("Gain, Gain = 2 @ 1 2").unwrap();
    assert_eq!((block.title(), block.option_texts("Gain"), block.id.0), ("Gain", Some(vec!["2"]), 0));
    assert_eq!(block_of_line("P #4: Gain").unwrap().title(), "P");
    let error = block_of_line("Gain, Gain").unwrap_err();
    assert_eq!(error.to_string(), "not well formed: “=” and a value is expected here, but the line ends");
    let simulation = sound("simulation M\nmodel M\na: Gain\nb: Gain\n");
    let registry = simulate::Registry::standard();
    let model = simulation.model("M").unwrap();
    let wires = wires_of("a -> b\nb -> a", &simulation, &registry, model).unwrap();
    assert_eq!(wires.len(), 2);
    let error = wires_of("a -> c", &simulation, &registry, model).unwrap_err();
    assert_eq!(error.message, "there is no block “c” in “M”");
}

#[test]
fn the_format_is_recognized() {
    for text in ["simulation M", "\n// a\n\n  simulation \"M\", steps = 1\n", "\u{FEFF}simulation M", "simulation\"M\""]
    {
        assert!(Simt.recognizes(text.as_bytes()), "{text}");
    }
    for text in ["", "simulations M", "model M", "<simulation root=\"M\"/>", "step,time,y\n", "# simulation M"] {
        assert!(!Simt.recognizes(text.as_bytes()), "{text}");
    }
}

proptest! {
    #![proptest_config(crate::random_cases(512))]

    #[test]
    fn written_and_read_is_the_same(simulation in simulation()) {
        let text = Simt.write(&simulation).unwrap();
        let loaded = Simt.read(&text, &LoadOptions::default());
        let shown = String::from_utf8(text.clone()).unwrap();
        prop_assert!(loaded.is_ok(), "{:?}\n{shown}", loaded.err());
        let loaded = loaded.unwrap();
        let doubtful = loaded.diagnostics.iter().filter(|found| found.code != "duplicate-option").count();
        prop_assert_eq!(doubtful, 0, "{:?}\n{}", &loaded.diagnostics, shown);
        prop_assert!(loaded.simulation == simulation, "{}\n{}\n{}", shown, xml(&simulation), xml(&loaded.simulation));
        prop_assert_eq!(Simt.write(&loaded.simulation).unwrap(), text);
    }

    /// A block whose kinds, labels and ports are those of the library.
    #[test]
    fn changed_texts_are_read_without_a_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(" \n\t.:,=#\"{}();->/@<a1".chars().collect::<Vec<_>>())), 1..6),
    ) {
        let mut text: Vec<char> = written(&super::example("dc_motor")).chars().collect();
        for (place, character) in changes {
            let place = place.index(text.len());
            text[place] = character;
        }
        let text: String = text.into_iter().collect();
        if let Ok(loaded) = Simt.read(text.as_bytes(), &LoadOptions::default()) {
            // The same is read again after it is written.
            let again = Simt.read(&Simt.write(&loaded.simulation).unwrap(), &LoadOptions::default()).unwrap();
            prop_assert!(again.simulation == loaded.simulation, "{}", text);
        }
    }
}
