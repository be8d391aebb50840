//! The first inputs of each target and the words that inputs consist of: from files of this repository and from the
//! library of blocks.

use std::fs;
use std::path::{Path, PathBuf};

use miniz_oxide::inflate::decompress_to_vec;
use simulate::Registry;
use simulate::block::language::FUNCTIONS;
use simulate::block::library::GROUPS;
use simulate::format::simt::{self, Simt};
use simulate::format::simx::Simx;
use simulate::format::{Bson, Json, LoadOptions, Loader, Simb};
use simulate::model::{Block, BlockId, BlockKind, Simulation};

fn files(folder: &str, extension: &str) -> Vec<Vec<u8>> {
    let root = std::env::var_os("FUZZ_ROOT").map_or_else(|| PathBuf::from("."), PathBuf::from);
    let entries = fs::read_dir(root.join(folder)).expect("the folder can be read");
    let is_wanted = |path: &Path| path.extension().is_some_and(|found| found == extension);
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| is_wanted(path)).collect();
    paths.sort();
    paths.iter().filter_map(|path| fs::read(path).ok()).collect()
}

/// Files of the original program, invalid ones, examples, and each block.
pub fn simx() -> Vec<Vec<u8>> {
    let mut seeds = documents();
    seeds.extend(files("tests/simx/bad", "simx"));
    seeds
}

/// Files that can be read.
pub fn documents() -> Vec<Vec<u8>> {
    let mut seeds = files("tests/samples", "simx");
    seeds.extend(files("assets/examples", "simx"));
    seeds.extend(files("tests/fuzz/src/targets", "simx"));
    for def in GROUPS.iter().flat_map(|group| group.iter()) {
        for example in def.examples.iter().take(1) {
            let mut simulation = Simulation::new("Main");
            let block = Block::new(BlockId(0), BlockKind::library(def.group, def.name));
            let options = example.options.iter();
            let block = options.fold(block, |block, (name, values)| block.with_option(name, values));
            if let Some(model) = simulation.model_mut("Main") {
                model.add_block(block);
            }
            seeds.push(Simx.write(&simulation).expect("it can be written"));
        }
    }
    seeds
}

fn written(loader: &dyn Loader) -> Vec<Vec<u8>> {
    let read = |bytes: &Vec<u8>| Simx.read(bytes, &LoadOptions::default()).ok();
    simx().iter().filter_map(read).filter_map(|loaded| loader.write(&loaded.simulation).ok()).collect()
}

/// All documents as they are and in their compact form, and broken texts.
pub fn simt() -> Vec<Vec<u8>> {
    let mut seeds = written(&Simt);
    let read = |bytes: &Vec<u8>| Simx.read(bytes, &LoadOptions::default()).ok();
    let compact = |loaded: simulate::format::Loaded| simt::text(&loaded.simulation, &Registry::standard()).ok();
    seeds.extend(documents().iter().filter_map(read).filter_map(compact).map(String::into_bytes));
    seeds.extend(files("tests/formats/text/bad", "simt"));
    seeds
}

/// What the lines of a text consist of.
pub fn lines() -> Vec<String> {
    let words = [
        "simulation Main, steps = 3",
        "model ",
        "prolog\n",
        "epilog\n",
        "simulation\n",
        ": input",
        ": output",
        ": Gain, Gain = 2",
        ": Sum, Signs = +-",
        ": model Main",
        " -> ",
        ".1",
        ".Output",
        "#3",
        "#-1: ",
        " = 2",
        " @ 40 80",
        " {unit=V}",
        "()",
        "; ",
        "\"\"\"\n",
        "\"a\\u00e9\"",
        "// a comment",
        "<!-- a -->",
        "<\"text\">",
        "<option name=\"a\"/>",
    ];
    words.map(str::to_owned).to_vec()
}

pub fn json() -> Vec<Vec<u8>> {
    written(&Json)
}

pub fn bson() -> Vec<Vec<u8>> {
    written(&Bson)
}

pub fn simb() -> Vec<Vec<u8>> {
    written(&Simb)
}

/// The records inside binary files.
pub fn records() -> Vec<Vec<u8>> {
    simb().iter().filter_map(|file| decompress_to_vec(file.get(16..)?).ok()).collect()
}

/// Models as text.
pub fn mdl() -> Vec<Vec<u8>> {
    files("tests/imports/models", "mdl")
}

/// The diagrams of packages.
pub fn diagrams() -> Vec<Vec<u8>> {
    files("tests/imports/models", "xml")
}

/// Models as archives.
pub fn slx() -> Vec<Vec<u8>> {
    files("tests/imports/models", "slx")
}

/// Diagrams of Xcos as XML.
pub fn xcos() -> Vec<Vec<u8>> {
    files("tests/imports/models", "xcos")
}

/// Values of Scilab as streams of Java objects.
pub fn dictionaries() -> Vec<Vec<u8>> {
    files("tests/imports/models", "ser")
}

/// Words of diagrams.
pub fn words_of_diagrams() -> Vec<String> {
    let words = "XcosDiagram SuperBlockDiagram BasicBlock SplitBlock CommandPort ControlPort ExplicitLink ImplicitLink ordering \
                 interfaceFunctionName IFTHEL_f ESELECT_f SELECT_m EVTDLY_c CLKSOM_f CLKSPLIT_f CLKOUT_f CLKINV_f CLR DLR \
                 LOGIC DEMUX BIGSOM_f ScilabMList ScilabDouble binary position dataLines %z^2 1;2";
    words.split_whitespace().map(str::to_owned).collect()
}

/// Words of models.
pub fn words_of_models() -> Vec<String> {
    let words = "BlockType SubSystem Reference Inport Outport Goto From Port Position Points Branch Mask Commented Variant \
                 BusCreator Lookup_n-D EnablePort SrcBlock DstBlock InstanceData SourceBlock $bdroot/ [1,2;3] {} '' &#xA;";
    words.split_whitespace().map(str::to_owned).collect()
}

pub fn tables() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> =
        ["1,2\n3,4\n", "t;x\n0,5;1\n1;2e3\n", "# c\n\"a\"\t\"b\"\n1\t\n", "x\n", "nan\ninf\n"]
            .map(|text| text.as_bytes().to_vec())
            .to_vec();
    seeds.extend(files("tests/examples", "csv"));
    // Samples of 8, 16, 24 and 32 bits, whole numbers and fractions, of one and two channels.
    for (kind, bits) in [(1u16, 8u16), (1, 16), (1, 24), (1, 32), (3, 32)] {
        for channels in [1u16, 2] {
            let frame = channels * bits / 8;
            let samples = vec![0x3F; usize::from(frame) * 3];
            let mut file = b"RIFF".to_vec();
            file.extend((36 + samples.len() as u32).to_le_bytes());
            file.extend(b"WAVEfmt \x10\0\0\0");
            file.extend(kind.to_le_bytes());
            file.extend(channels.to_le_bytes());
            file.extend(8000u32.to_le_bytes());
            file.extend((8000 * u32::from(frame)).to_le_bytes());
            file.extend(frame.to_le_bytes());
            file.extend(bits.to_le_bytes());
            file.extend(b"data");
            file.extend((samples.len() as u32).to_le_bytes());
            file.extend(samples);
            seeds.push(file);
        }
    }
    seeds
}

/// The formulas and numbers of all blocks.
pub fn expressions() -> Vec<Vec<u8>> {
    let mut seeds: Vec<String> =
        ["2*pi*f0", "[1 2; 3 4]", "c ? a : b", "0:0.1:1", "a = u1 + u2; y = a^2", "v(2)", "x' = -x"]
            .map(str::to_owned)
            .to_vec();
    seeds.extend(FUNCTIONS.iter().map(|function| format!("{}(1, 2, 3)", function.name)));
    let examples = GROUPS.iter().flat_map(|group| group.iter()).flat_map(|def| def.examples);
    let texts = examples.flat_map(|example| example.options).flat_map(|(_, texts)| texts.iter());
    seeds.extend(texts.map(|text| (*text).to_owned()));
    seeds.into_iter().map(String::into_bytes).collect()
}

/// The programs that are compared with Octave.
pub fn code() -> Vec<Vec<u8>> {
    let cases = include_str!("../../../block/code/cases.m").split("%% ").skip(1);
    cases.filter_map(|case| case.split_once('\n')).map(|(_, code)| code.as_bytes().to_vec()).collect()
}

/// Words of statements, functions and operators.
pub fn words_of_code() -> Vec<String> {
    let words = [
        "if ",
        "elseif ",
        "else\n",
        "end\n",
        "for k = 1:3\n",
        "while x < 3\n",
        "switch x\n",
        "case 1\n",
        "break\n",
        "continue\n",
        "return\n",
        "persistent x\n",
        "function y = f(x)\n",
        "x(2) = ",
        "x(end + 1) = ",
        "(:, 1)",
        "'",
        ".'",
        "...\n",
        "% ",
        "%{\n",
        "%}\n",
        "\"",
        "+= ",
        "&& ",
        "| ",
        "~",
        "[]",
    ];
    words.map(str::to_owned).into_iter().chain(functions()).collect()
}

/// Texts of all kinds, each with its number before it.
pub fn texts() -> Vec<Vec<u8>> {
    let texts: [(u8, &[&str]); 8] = [
        (0, &["Inner.y", "#1/#4.Output", "a/b#0", "#0.Output", "y"]),
        (1, &["Inner#4.Gain", "#-4", "#18446744073709551615"]),
        (2, &["k=3", "#0.Value=1,2", "a.b.Gain=[1 2]"]),
        (3, &["k=1,2,3", "k=uniform(0,1)", "k=normal(0,1)"]),
        (4, &["1e308", "-inf", "nan", "a b, c", "@state 3", "-9223372036854775808"]),
        (5, &["Label\nm/s\nDoc\n0\n1e3\noff=0|slow=1|fast=2.5"]),
        (6, &["m\ns\nkg", "m/s^2\nm/s^2"]),
        (7, &["1\nv0+1\n[v1 v1]\nv3", "v1\nv0"]),
    ];
    let each = texts.into_iter().flat_map(|(kind, texts)| texts.iter().map(move |text| (kind, text)));
    each.map(|(kind, text)| [&[kind], text.as_bytes()].concat()).collect()
}

/// Tags, attributes and names of the XML format.
pub fn tags() -> Vec<String> {
    let mut words: Vec<String> = [
        "<simulation",
        "</simulation>",
        "<model",
        "</model>",
        "<block",
        "</block>",
        "<entry",
        "</entry>",
        "<exit",
        "</exit>",
        "<connection",
        "<option",
        "</option>",
        "<value>",
        "</value>",
        "<value/>",
        "<data",
        "</data>",
        "<variable",
        "/>",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?",
        "?>",
        "<!DOCTYPE",
        "&lt;",
        "&amp;",
        "&#10;",
        "&#x1F600;",
        "&quot;",
        " id=\"",
        " name=\"",
        " model=\"",
        " group=\"",
        " from=\"",
        " to=\"",
        " output=\"",
        " input=\"",
        " steps=\"",
        " delta=\"",
        " root=\"",
        " solver=\"",
        " loops=\"solve\"",
        " role=\"",
        " view:x=\"",
        " xmlns:view=\"",
        " unit=\"",
        " label=\"",
        " min=\"",
        " choices=\"",
        "enable",
        "trigger",
        "reset",
        "call",
        "for",
        "while",
        "each",
        "Initial Value",
        "-9223372036854775808",
        "18446744073709551615",
        "Input",
        "Output",
        "Input 1",
        "Input 2",
        "dopri45",
        "rodas34",
    ]
    .map(str::to_owned)
    .to_vec();
    for def in GROUPS.iter().flat_map(|group| group.iter()) {
        words.push(format!("group=\"{}\" name=\"{}\"", def.group, def.name));
        words.extend(def.params.iter().map(|param| param.name.to_owned()));
    }
    words
}

/// Names of the fields in the other formats.
pub fn fields() -> Vec<String> {
    [
        "simulate",
        "simulation",
        "steps",
        "delta",
        "root",
        "attributes",
        "prolog",
        "content",
        "epilog",
        "model",
        "variable",
        "extra",
        "name",
        "entry",
        "exit",
        "block",
        "connection",
        "id",
        "group",
        "body",
        "option",
        "data",
        "values",
        "text",
        "from",
        "output",
        "to",
        "input",
        "value",
        "<!-- c -->",
        "<a:b/>",
        "view:x",
        "null",
        "true",
        "1e308",
        "{}",
        "[]",
        "\"\"",
        "18446744073709551615",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Functions and operators of expressions.
pub fn functions() -> Vec<String> {
    let mut words: Vec<String> = FUNCTIONS.iter().map(|function| format!("{}(", function.name)).collect();
    words.extend(
        [
            "pi",
            "inf",
            "nan",
            "1e308",
            "-1e308",
            "1e9",
            "0",
            "-1",
            ".*",
            "./",
            ".^",
            "^",
            "==",
            "!=",
            "<=",
            ">=",
            "&&",
            "||",
            "!",
            "?",
            ":",
            "[",
            "]",
            ";",
            "' =",
            "=",
            "+=",
            "u",
            "v",
            "t",
            "dt",
            "0x7fffffffffffffff",
            "-9223372036854775808",
            "none",
            "inherit",
        ]
        .map(str::to_owned),
    );
    words
}
