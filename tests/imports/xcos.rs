//! Diagrams of Xcos: closed forms of small ones, the forms of files, and runs compared with known results.

use std::io::Write;
use std::path::Path;

use simulate::import::{Class, ImportOptions, Imported, import};

use super::run;

/// The XML of a diagram: attributes, context, and the content of its root.
pub fn diagram(attributes: &str, context: &str, content: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<XcosDiagram {attributes}><!--Xcos - 1.0 - scilab-5.5.2 - 20160406 2040-->\
         <Array as=\"context\" scilabClass=\"String[]\">{context}</Array><mxGraphModel as=\"model\"><root>\
         <mxCell id=\"0\"/><mxCell id=\"1\" parent=\"0\"/>{content}</root></mxGraphModel></XcosDiagram>"
    )
}

/// A block with the texts of its dialog and its ports: `i` and `o` for signals, `e` and `c` for events in and out.
pub fn block(id: &str, function: &str, exprs: &[&str], ports: &str) -> String {
    inner_block(id, function, exprs, ports, "")
}

fn inner_block(id: &str, function: &str, exprs: &[&str], ports: &str, inside: &str) -> String {
    let texts: String = exprs
        .iter()
        .enumerate()
        .map(|(line, text)| {
            let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
            format!("<data line=\"{line}\" column=\"0\" value=\"{text}\"/>")
        })
        .collect();
    let mut made = format!(
        "<BasicBlock id=\"{id}\" interfaceFunctionName=\"{function}\" parent=\"1\"><ScilabString as=\"exprs\" \
         height=\"{}\" width=\"1\">{texts}</ScilabString><mxGeometry as=\"geometry\" x=\"10\" y=\"10\" width=\"40\" \
         height=\"40\"/>{inside}</BasicBlock>",
        exprs.len()
    );
    let mut counts = [0; 4];
    for port in ports.chars() {
        let kind = "ioec".find(port).expect("a kind of port");
        counts[kind] += 1;
        let tag = ["ExplicitInputPort", "ExplicitOutputPort", "ControlPort", "CommandPort"][kind];
        let number = counts[kind];
        made += &format!(
            "<{tag} id=\"{id}.{port}{number}\" parent=\"{id}\" ordering=\"{number}\" dataLines=\"-1\" dataColumns=\"1\"/>"
        );
    }
    made
}

/// Links by the ids of their ports: `a.o1 b.i1`.
pub fn links(list: &[&str]) -> String {
    list.iter()
        .enumerate()
        .map(|(number, ends)| {
            let (from, to) = ends.split_once(' ').expect("two ends");
            let tag = if from.contains(".c") { "CommandControlLink" } else { "ExplicitLink" };
            format!("<{tag} id=\"l{number}\" parent=\"1\" source=\"{from}\" target=\"{to}\"/>")
        })
        .collect()
}

/// A clock as a superblock with its delay in a loop.
pub fn clock(id: &str, period: &str, first: &str) -> String {
    let content = block(&format!("{id}d"), "EVTDLY_c", &[period, first], "ec")
        + &block(&format!("{id}s"), "CLKSPLIT_f", &[], "ecc")
        + &block(&format!("{id}o"), "CLKOUT_f", &["1"], "e")
        + &links(&[&format!("{id}d.c1 {id}s.e1"), &format!("{id}s.c1 {id}o.e1"), &format!("{id}s.c2 {id}d.e1")]);
    let child = format!(
        "<SuperBlockDiagram as=\"child\"><mxGraphModel as=\"model\"><root>{content}</root></mxGraphModel></SuperBlockDiagram>"
    );
    inner_block(id, "CLOCK_c", &[], "c", &child)
}

/// A recorder: its signal is the exit `y`.
pub fn recorder() -> String {
    block("r", "TOWS_c", &["100", "y", "0"], "ie")
}

#[track_caller]
pub fn imported(text: &str) -> Imported {
    import(Path::new("m.xcos"), text.as_bytes(), &ImportOptions::default()).expect("a diagram")
}

#[track_caller]
pub fn values(text: &str) -> Vec<(f64, f64)> {
    let imported = imported(text);
    let run = run(&imported, &["y"]);
    run.times().into_iter().zip(run.values("y").expect("y").iter().copied()).collect()
}

/// The value at a time.
#[track_caller]
fn at(values: &[(f64, f64)], time: f64) -> f64 {
    let close = |(of, _): &&(f64, f64)| (of - time).abs() < 1e-9;
    values.iter().find(close).unwrap_or_else(|| panic!("no step at {time} s")).1
}

#[test]
fn a_transfer_function_has_its_step_response_and_its_names() {
    let text = diagram(
        "finalIntegrationTime=\"2\" integratorRelativeTolerance=\"1e-9\"",
        "<add value=\"T = 1/2; // s\"/><add value=\"k = 3*%pi/%pi\"/>",
        &(block("s", "STEP", &["0", "0", "1"], "o")
            + &block("g", "CLR", &["k", "1+T*s"], "io")
            + &recorder()
            + &clock("c", "0.1", "0")
            + &links(&["s.o1 g.i1", "g.o1 r.i1", "c.c1 r.e1"])),
    );
    let found = imported(&text);
    assert!(found.simulation.variables.keys().any(|name| **name == *"T"), "names stay variables");
    for (time, value) in values(&text) {
        let wanted = 3.0 * (1.0 - (-time / 0.5).exp());
        assert!((value - wanted).abs() < 1e-6, "{time}: {value}, not {wanted}");
    }
}

/// A delay by one sample of a clock whose first event comes after one period: u(t) = t is seen at 0.2, 0.4 and so on.
#[test]
fn a_clock_is_a_sample_time_with_its_first_time() {
    let text = diagram(
        "finalIntegrationTime=\"1\"",
        "",
        &(block("t", "TIME_f", &[], "o")
            + &block("d", "DOLLAR_f", &["7", "0"], "ioe")
            + &recorder()
            + &clock("c", "0.2", "0.2")
            + &clock("q", "0.1", "0")
            + &links(&["t.o1 d.i1", "d.o1 r.i1", "c.c1 d.e1", "q.c1 r.e1"])),
    );
    let values = values(&text);
    assert_eq!(at(&values, 0.0), 7.0);
    assert_eq!(at(&values, 0.1), 7.0);
    // The first event shows the initial value, the second the value at the first.
    assert_eq!(at(&values, 0.3), 7.0);
    assert!((at(&values, 0.4) - 0.2).abs() < 1e-12);
    assert!((at(&values, 0.9) - 0.6).abs() < 1e-12);
}

/// A condition chooses at each event which of two holds is updated: while t − 0.45 is positive the first one.
#[test]
fn blocks_of_a_condition_run_while_it_holds() {
    let content = block("t", "TIME_f", &[], "o")
        + &block("k", "BIGSOM_f", &["[1;-1]"], "iio")
        + &block("v", "CONST_m", &["0.45"], "o")
        + &block("i", "IFTHEL_f", &["0", "0"], "iecc")
        + &block("h", "SAMPHOLD_m", &["1"], "ioe")
        + &block("j", "SAMPHOLD_m", &["1"], "ioe")
        + &block("m", "BIGSOM_f", &["[1;10]"], "iio")
        + &recorder()
        + &clock("c", "0.1", "0")
        + &block("x", "CLKSPLIT_f", &[], "ecc")
        + &links(&[
            "t.o1 k.i1",
            "v.o1 k.i2",
            "k.o1 i.i1",
            "t.o1 h.i1",
            "t.o1 j.i1",
            "h.o1 m.i1",
            "j.o1 m.i2",
            "m.o1 r.i1",
            "c.c1 x.e1",
            "x.c1 i.e1",
            "x.c2 r.e1",
            "i.c1 h.e1",
            "i.c2 j.e1",
        ]);
    let values = values(&diagram("finalIntegrationTime=\"1\"", "", &content));
    // Until 0.4 the second hold follows the time; from 0.5 on it stays, and the first follows.
    assert!((at(&values, 0.3) - 3.0).abs() < 1e-9);
    assert!((at(&values, 0.9) - (0.9 + 4.0)).abs() < 1e-9, "{}", at(&values, 0.9));
}

#[test]
fn superblocks_become_models_and_weighted_sums_keep_their_weights() {
    let inside = block("a", "IN_f", &["1"], "o")
        + &block("b", "GAINBLK_f", &["2"], "io")
        + &block("z", "OUT_f", &["1"], "i")
        + &links(&["a.o1 b.i1", "b.o1 z.i1"]);
    let child = format!(
        "<SuperBlockDiagram as=\"child\"><mxGraphModel as=\"model\"><root>{inside}</root></mxGraphModel></SuperBlockDiagram>"
    );
    let content = block("p", "CONST_m", &["3"], "o")
        + &inner_block("u", "SUPER_f", &[], "io", &child)
        + &block("w", "BIGSOM_f", &["[1;-0.5]"], "iio")
        + &block("n", "SPLIT_f", &[], "ioo")
        + &recorder()
        + &clock("c", "0.5", "0")
        // One link at the split is drawn against its direction.
        + &links(&["p.o1 n.i1", "u.i1 n.o1", "n.o2 w.i2", "u.o1 w.i1", "w.o1 r.i1", "c.c1 r.e1"]);
    let text = diagram("finalIntegrationTime=\"1\"", "", &content);
    assert_eq!(imported(&text).simulation.models.len(), 2);
    assert_eq!(at(&values(&text), 0.5), 6.0 - 1.5);
}

#[test]
fn a_block_without_a_counterpart_is_kept_with_its_texts() {
    let content = block("p", "CONST_m", &["3"], "o")
        + &block(
            "f",
            "scifunc_block_m",
            &["[1,1]", "[1,1]", "[]", "[]", "[]", "[]", "[]", "[]", "0", "a=1;y1=sin(u1)"],
            "io",
        )
        + &recorder()
        + &links(&["p.o1 f.i1", "f.o1 r.i1"]);
    let found = imported(&diagram("finalIntegrationTime=\"1\"", "", &content));
    let entry = found.report.entries.iter().find(|entry| entry.class == Class::Placeholder).expect("a placeholder");
    assert_eq!(
        (&*entry.kind, &*entry.notes.join("")),
        ("scifunc_block_m", "its code is a function of Scilab with more than one assignment")
    );
    let root = found.simulation.root_model().expect("the root");
    let block = root.block(entry.block.expect("its block")).expect("it is there");
    assert!(block.is_placeholder());
    let kept = format!("{:?}", block.body);
    assert!(kept.contains("y1=sin(u1)"), "{kept}");
    assert_eq!(root.connections.iter().count(), 2);
}

fn archive(content: &str, dictionary: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    let parts: [(&str, &[u8]); 3] = [
        ("mimetype", b"application/x-scilab-xcos"),
        ("content.xml", content.as_bytes()),
        ("dictionary/dictionary.ser", dictionary),
    ];
    for (name, bytes) in parts {
        zip.start_file(name, options).expect("a part");
        zip.write_all(bytes).expect("its content");
    }
    zip.finish().expect("an archive").into_inner()
}

/// A dictionary with a list of one matrix of texts, as Java's protocol of object streams (version 5) has it.
fn dictionary(text: &str) -> Vec<u8> {
    let mut made = vec![0xAC, 0xED, 0, 5];
    let class = |made: &mut Vec<u8>, name: &str, flags: u8| {
        made.push(0x72);
        made.extend((name.len() as u16).to_be_bytes());
        made.extend(name.as_bytes());
        made.extend([0; 8]);
        made.extend([flags, 0, 0, 0x78, 0x70]);
    };
    made.push(0x73);
    class(&mut made, "org.scilab.modules.types.ScilabList", 0x0C);
    made.extend([0x77, 8, 0, 0, 0, 0, 0, 0, 0, 1]);
    made.push(0x73);
    class(&mut made, "org.scilab.modules.types.ScilabString", 0x0C);
    made.extend([0x77, 4, 0, 0, 0, 0, 0x75]);
    class(&mut made, "[[Ljava.lang.String;", 0x02);
    made.extend([0, 0, 0, 1, 0x75]);
    class(&mut made, "[Ljava.lang.String;", 0x02);
    made.extend([0, 0, 0, 1, 0x74]);
    made.extend((text.len() as u16).to_be_bytes());
    made.extend(text.as_bytes());
    // No name, not swapped, the end; then the same of the list.
    made.extend([0x70, 0x77, 1, 0, 0x78, 0x70, 0x77, 1, 0, 0x78]);
    made
}

fn stored() -> String {
    let content = "<BasicBlock id=\"p\" interfaceFunctionName=\"CONST_m\" parent=\"1\"><ScilabString as=\"exprs\" \
                   binary=\"true\" position=\"0\"/><mxGeometry as=\"geometry\" x=\"0\" y=\"0\"/></BasicBlock>\
                   <ExplicitOutputPort id=\"p.o1\" parent=\"p\" ordering=\"1\"/>"
        .to_owned()
        + &recorder()
        + &links(&["p.o1 r.i1"]);
    diagram("finalIntegrationTime=\"1\"", "", &content)
}

#[test]
fn parameters_come_from_the_dictionary_of_an_archive() {
    let read = |bytes: &[u8]| import(Path::new("m.zcos"), bytes, &ImportOptions::default()).expect("a diagram");
    let found = read(&archive(&stored(), &dictionary("2.5")));
    assert_eq!(run(&found, &["y"]).last("y").expect("y"), [2.5]);
    // A dictionary with anything else is not read, the diagram is.
    let mut strange = dictionary("2.5");
    strange[4] = 0x7D;
    let found = read(&archive(&stored(), &strange));
    assert!(found.report.notes.iter().any(|note| note.contains("cannot be read")), "{:?}", found.report.notes);
    assert_eq!(found.report.entries.len(), 2);
}

#[test]
fn files_that_are_no_diagrams_say_what_they_are() {
    let refused = |name: &str, bytes: &[u8], wanted: &str| {
        let error = import(Path::new(name), bytes, &ImportOptions::default()).expect_err(wanted).to_string();
        assert!(error.contains(wanted), "{error:?} has no {wanted:?}");
    };
    refused("a.cos", b"\0\0\0\0", "save it as .zcos");
    refused("a.cosf", b"scs_m=scicos_diagram()", "save it as .zcos");
    refused("a.scg", b"", "a saved figure");
    refused("a.xcos", b"<?xml version=\"1.0\"?><XcosDiagram><mxGraphModel>", "cut off");
    refused("a.zcos", &archive("<x/>", &[]), "not a diagram of Xcos");
    refused("a.zcos", b"PK\x03\x04 application/x-scilab-xcos", "archive");
}

#[test]
fn each_change_of_a_byte_ends_with_a_diagram_or_a_reason() {
    let text = stored();
    for end in 0..text.len() {
        let _ = import(Path::new("m.xcos"), &text.as_bytes()[..end], &ImportOptions::default());
    }
    let whole = dictionary("2.5");
    for at in 0..whole.len() {
        for value in [0, 1, 0x70, 0x71, 0x75, 0x7F, 0xFF] {
            let mut changed = whole.clone();
            changed[at] = value;
            let _ = import(Path::new("m.zcos"), &archive(&text, &changed), &ImportOptions::default());
        }
    }
}

/// A chain of blocks that inherit their events, and lists of lists, are read without recursion as deep as they are.
#[test]
fn a_large_diagram_is_read_in_proportion_to_its_size() {
    let count = 10_000;
    let mut content = block("g0", "CONST_m", &["1"], "o");
    (1..count).for_each(|number| content += &block(&format!("g{number}"), "GAINBLK_f", &["1"], "io"));
    let list: Vec<String> = (1..count).map(|number| format!("g{}.o1 g{number}.i1", number - 1)).collect();
    content += &links(&list.iter().map(String::as_str).collect::<Vec<_>>());
    let found = imported(&diagram("finalIntegrationTime=\"1\"", "", &content));
    assert_eq!(found.report.entries.len(), count);
    assert_eq!(found.simulation.root_model().expect("the root").connections.iter().count(), count - 1);
}

/// The assertions of Scilab's own tests on a recorded variable: its last `size` samples at `first`, `first + period`, … before the
/// end of the run; and how many may differ. In `dlatch` two do: the signal that opens the latch has a value above 0 for no
/// time at all, where its last point meets its first, at 5.2013 s; Scilab's latch opens there, ours at the next step at
/// which it is open for some time.
const KNOWN: [(&str, &str, usize, f64, f64, usize, usize); 5] = [
    ("set_bit", "A", 1, 0.1, 0.0, 128, 0),
    ("dlatch", "A", 1, 0.1, 0.0, 128, 2),
    ("bug_13436", "res", 4, 0.1, 0.0, 300, 0),
    ("bug_12414", "A", 1, 1.0, 0.0, 1, 0),
    ("logic", "A", 1, 0.1, 0.1, 128, 0),
];

fn public(name: &str) -> Option<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/imports/scilab/deepin-community--scilab");
    std::fs::read(folder.join(name)).ok()
}

fn rows(name: &str) -> Vec<Vec<f64>> {
    let text = public(name).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let numbers = |line: &str| line.split(',').filter_map(|part| part.trim().parse().ok()).collect::<Vec<f64>>();
    text.lines().map(numbers).filter(|row| !row.is_empty()).collect()
}

#[test]
fn runs_have_the_results_of_scilabs_own_tests() {
    for (name, signal, columns, period, first, size, most) in KNOWN {
        let Some(bytes) = public(&format!("{name}.zcos")) else {
            eprintln!("skipped: the public models are not beside the repository");
            return;
        };
        let imported = import(Path::new(name), &bytes, &ImportOptions::default()).expect(name);
        let run = run(&imported, &[signal]);
        let values = run.values(signal).expect(signal);
        let stop = imported.simulation.steps as f64 * imported.simulation.delta;
        let is_sample = |time: f64| {
            let number = (time - first) / period;
            number > -1e-9 && (number - number.round()).abs() < 1e-6 && time < stop - 1e-9
        };
        let samples: Vec<&[f64]> = run
            .times()
            .into_iter()
            .zip(values.chunks(columns))
            .filter(|(time, _)| is_sample(*time))
            .map(|(_, row)| row)
            .collect();
        let kept = &samples[samples.len().saturating_sub(size)..];
        let wanted = rows(&format!("{name}.expected.csv"));
        assert!(wanted.len() <= kept.len(), "{name}: {} samples for {}", kept.len(), wanted.len());
        let differ: Vec<usize> = (0..wanted.len()).filter(|&row| wanted[row] != kept[row]).map(|row| row + 1).collect();
        assert!(differ.len() <= most, "{name}: rows {differ:?} differ");
    }
}

/// Positions of the samples that are 1, counted from 1 at time 0.
#[test]
fn a_pulse_has_the_samples_of_scilabs_own_test() {
    let Some(bytes) = public("bug_12868.zcos") else { return };
    let imported = import(Path::new("bug_12868"), &bytes, &ImportOptions::default()).expect("a diagram");
    let run = run(&imported, &["A"]);
    let ones = run.values("A").expect("A").iter().enumerate().filter(|(_, value)| **value == 1.0);
    let wanted: Vec<usize> =
        rows("bug_12868.expected.csv").concat().into_iter().map(|number| number as usize).collect();
    assert_eq!(ones.map(|(at, _)| at + 1).collect::<Vec<_>>(), wanted);
}

/// A second interpreter's samples of the counter.
#[test]
fn a_counter_agrees_with_a_second_interpreter() {
    let Some(bytes) = public("modulo_count_en_US.zcos") else { return };
    let imported = import(Path::new("modulo"), &bytes, &ImportOptions::default()).expect("a diagram");
    let run = run(&imported, &["all"]);
    let signal = run.signals().next().expect("the counter").to_owned();
    let wanted = rows("modulo_count_en_US.reference.csv");
    let found: Vec<(f64, f64)> =
        run.times().into_iter().zip(run.values(&signal).expect("the counter").iter().copied()).collect();
    assert!(wanted.len() > 2000);
    for row in &wanted {
        let value = found.iter().find(|(time, _)| (time - row[0]).abs() < 1e-6);
        assert!(value.is_none_or(|(_, value)| *value == row[1]), "{row:?}: {value:?}");
    }
}
