//! Nothing is lost: files of the original program, and any other content of a file.

use std::fs;
use std::path::Path;

use simulate::format::Loader;
use simulate::format::simx::Simx;
use simulate::model::{Block, BlockId, Connection, InputKey, Simulation};

use super::{check_identity, load, load_sound, try_load, write};

#[test]
fn samples_of_the_original_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "simx") {
            let text = fs::read_to_string(&path).unwrap();
            load_sound(&text);
            check_identity(&text);
            count += 1;
        }
    }
    assert_eq!(count, 10);
}

#[test]
fn the_format_text_itself() {
    let simulation =
        load_sound("<simulation steps=\"1000\" delta=\"0.000000001\" root=\"Root model name\">\n</simulation>");
    assert_eq!((simulation.steps, simulation.delta, &*simulation.root), (1000, 1e-9, "Root model name"));
    let model = r#"<model name="Model Name">
        <entry id="0" name="Entry name"/>
        <exit id="1" name="Exit name"/>
        <model id="2" model="Sub-model name"/>
        <block id="3" group="Block group" name="Block name"/>
        <connection from="0" output="output name" to="2" input="input name"/>
        <connection from="2" output="output name" to="1" input="input name"/>
    </model>"#;
    let simulation = load_sound(&format!("<simulation>{model}</simulation>"));
    assert_eq!((simulation.steps, simulation.delta, &*simulation.root), (0, 1.0, ""));
    let model = simulation.model("Model Name").unwrap();
    assert_eq!((model.blocks.len(), model.connections.len()), (4, 2));
    let connection = model.connections.get(&InputKey::new(BlockId(1), "input name")).unwrap();
    let expected = Connection { seq: 5, ..Connection::new(BlockId(2), "output name", BlockId(1), "input name") };
    assert_eq!(**connection, expected);
}

#[test]
fn data_of_the_original_program_gives_positions() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/view_data.simx")).unwrap();
    let mut simulation = load_sound(&text);
    let block =
        |simulation: &Simulation, id| Block::clone(simulation.model("view").unwrap().block(BlockId(id)).unwrap());
    let position = block(&simulation, 1).position().unwrap();
    assert_eq!((position.x, position.y), (160.5, 1000.0));
    assert_eq!(block(&simulation, 3).view("multi"), Some("line one\nline two\ttab"));
    assert_eq!(block(&simulation, 3).view("spaces"), Some("  padded  "));
    assert_eq!(block(&simulation, 3).view("empty"), Some(""));
    let moved = simulation.model_mut("view").unwrap().block_mut(BlockId(1)).unwrap();
    *moved = moved.clone().at(-3.5, 7.0);
    let saved = check_identity(&write(&simulation));
    assert!(saved.contains("<data name=\"view:x\">-3.5</data><data name=\"view:y\">7</data>"), "{saved}");
}

/// Every tag with unknown attributes, elements, comments and instructions everywhere.
pub const FULL: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet href="a.xsl"?>
<!DOCTYPE simulation SYSTEM "simulation.dtd">
<!-- before -->
<simulation steps="10" delta="0.5" root="Main" solver="euler" xmlns:x="urn:x" x:a="1">
	<!-- first
	     in two lines -->
	<x:head><x:deep a='b>"'>t<![CDATA[<&]]></x:deep></x:head>
	<model name="Main" x:a="2" note="tab&#9;line&#10;return&#13;“€”">
		<?app keep this?>
		<entry id="0" name="x" x:a="3"><!-- c --><option name="Initial Value" x:a="4"><!-- d --><value x:a="5"> 1 </value><x:v/><value/></option><data name="view:x" x:a="6">2</data><x:e/></entry>
		<x:between/>
		<exit id="18446744073709551615" name="" x:a="7"/>
		<block id="2" group="Math" name="Gain" x:a="8"/>
		<model id="3" model="Main &amp; &lt;co&gt;" x:a="9" name="a name"/>
		<connection from="0" output="Output" to="2" input="Input" x:a="10"><!-- e --><x:bend at="3"/></connection>
		<!-- last in model -->
	</model>
	<model name="Empty"/>
	<!-- last -->
</simulation>
<!-- after -->
<?app after?>
"#;

#[test]
fn what_the_program_does_not_know_is_kept_where_it_stood() {
    let simulation = load_sound(FULL);
    // The text is canonical, except inside the extras.
    assert_eq!(write(&simulation), FULL);
    let model = simulation.model("Main").unwrap();
    assert_eq!(model.attributes.get("note"), Some("tab\tline\nreturn\r“€”"));
    assert_eq!(model.block(BlockId(0)).unwrap().option_texts("Initial Value").unwrap(), [" 1 ", ""]);
    assert!(model.blocks.contains_key(&BlockId::MAX));
    assert_eq!((simulation.prolog.len(), simulation.epilog.len()), (3, 2));
}

#[test]
fn stray_text_and_refused_elements_are_kept_in_their_place() {
    let text = "<simulation>\n one &amp; <![CDATA[two]]> <model name='m'>\n  <entry/> word <exit id='1' name='y'/>\n\
        </model></simulation>";
    let saved = check_identity(text);
    let inside: Vec<&str> = saved.lines().skip(2).map(str::trim).collect();
    let expected = [
        "one &amp; <![CDATA[two]]>",
        "<model name=\"m\">",
        "<entry/>",
        "word",
        "<exit id=\"1\" name=\"y\"/>",
        "</model>",
        "</simulation>",
    ];
    assert_eq!(inside, expected);
    assert_eq!(load(text).diagnostics.len(), 3);
}

#[test]
fn what_stands_in_a_value_beside_its_text_is_kept_behind_it() {
    let text = "<simulation><model name='m'><entry id='0' name='x'><option name='Initial Value'>\
        <value>1<!-- one -->2</value></option></entry></model></simulation>";
    let saved = check_identity(text);
    assert!(saved.contains("<value>12</value><!-- one --></option>"), "{saved}");
}

#[test]
fn an_element_in_a_text_does_not_come_to_life() {
    let inside = "<data name=\"a\">1<data name=\"view:x\">2</data> <!-- c --></data>";
    let text = format!("<simulation><model name='m'><entry id='0' name='x'>{inside}</entry></model></simulation>");
    assert!(check_identity(&text).contains(inside));
    let loaded = load(&text);
    assert_eq!(loaded.diagnostics[0].code, "element-in-text");
    assert_eq!(loaded.simulation.model("m").unwrap().block(BlockId(0)).unwrap().view("view:x"), None);
}

#[test]
fn line_ends_are_one() {
    let lf = "<simulation>\n<model name=\"a b\"><entry id=\"0\" name=\"x\"><data name=\"n\">1\n2</data></entry>\n\
        <!-- a\nb --></model></simulation>\n";
    let expected = load_sound(lf);
    assert_eq!(load_sound(&lf.replace('\n', "\r\n")), expected);
    assert_eq!(load_sound(&lf.replace('\n', "\r")), expected);
    // A line end in an attribute is a space, unless it is written as a reference.
    let simulation = load_sound("<simulation root=\"a\r\nb\tc&#10;d&#13;&#xA;\"/>");
    assert_eq!(&*simulation.root, "a b c\nd\r\n");
    check_identity(&write(&simulation));
}

#[test]
fn marks_and_declarations_that_mean_utf8() {
    for head in [
        "",
        "\u{FEFF}",
        "\u{FEFF}<?xml version='1.0'?>",
        "<?xml version=\"1.1\" encoding='utf-8' standalone = 'yes' ?>\n",
        "<?xml version=\"1.0\" encoding=\"US-ASCII\"?>",
        "<!DOCTYPE simulation>",
        "<!DOCTYPE simulation PUBLIC \"-//S//S\" 'http://s/s.dtd' >",
    ] {
        assert_eq!(&*load_sound(&format!("{head}<simulation root=\"é\"/>")).root, "é", "{head}");
    }
    assert!(
        try_load("<simulation/>".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>().as_slice()).is_err()
    );
    assert!(Simx.recognizes(b"\xFF\xFE<\0"));
}

#[test]
fn numbers_as_others_write_them() {
    for (steps, delta, expected) in [
        ("1000", "0.1", (1000, 0.1)),
        (" 20.0 ", "1e-9", (20, 1e-9)),
        ("1e3", " 5 ", (1000, 5.0)),
        ("18446744073709551615", "5e-324", (u64::MAX, 5e-324)),
        ("0", "1.7976931348623157e308", (0, f64::MAX)),
    ] {
        let text = format!("<simulation steps=\"{steps}\" delta=\"{delta}\"/>");
        let simulation = load_sound(&text);
        assert_eq!((simulation.steps, simulation.delta), expected);
        check_identity(&text);
    }
    // Invalid numbers stay in the positions of the numbers.
    check_identity("<simulation a='1' delta='x' b='2' steps='y'/>");
    for text in ["-1", "1.5", "1e30", "", "ten"] {
        let simulation = load_sound(&format!("<simulation steps=\"{text}\"/>"));
        assert_eq!((simulation.steps, simulation.attributes.get("steps")), (0, Some(text)));
        check_identity(&format!("<simulation steps=\"{text}\"/>"));
    }
}
