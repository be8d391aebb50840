//! How long models of other programs with 10,000 blocks take to open.
//!
//! `cargo bench --no-default-features --bench imports`

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use simulate::Components;
use simulate::format::LoadOptions;

/// The systems of the model of Simulink, and the blocks of each.
const SYSTEMS: usize = 100;
const BLOCKS: usize = 100;

fn main() {
    let formats = &Components::standard().formats;
    for (name, bytes) in [("big.slx", slx()), ("big.zcos", zcos())] {
        let mut best = f64::INFINITY;
        let mut blocks = 0;
        for _ in 0..5 {
            let begin = Instant::now();
            let loaded = formats.parse(Path::new(name), &bytes, &LoadOptions::default()).expect("a model");
            best = best.min(begin.elapsed().as_secs_f64());
            blocks = loaded.simulation.models.values().map(|model| model.blocks.len()).sum();
        }
        println!("{name}: {blocks} blocks, {:.0} kB, {:.0} ms", bytes.len() as f64 / 1e3, best * 1e3);
    }
}

/// Chains of a constant, eight gains and sums, and a terminator, ten in each subsystem, with bends.
fn slx() -> Vec<u8> {
    let mut root = String::new();
    for system in 0..SYSTEMS {
        let (x, y, first) = (40 + system % 10 * 120, 40 + system / 10 * 80, (system + 1) * 1000);
        let _ = write!(
            root,
            "<Block BlockType=\"SubSystem\" Name=\"s{system}\" SID=\"{}\"><P Name=\"Position\">[{x}, {y}, {}, {}]</P>\
             <System>{}</System></Block>",
            system + 1,
            x + 60,
            y + 40,
            inner(first)
        );
    }
    let text =
        format!("<?xml version=\"1.0\"?><ModelInformation><Model><System>{root}</System></Model></ModelInformation>");
    archive("simulink/blockdiagram.xml", &text)
}

fn inner(first: usize) -> String {
    let mut text = String::new();
    for number in 0..BLOCKS {
        let (kind, parameter) = match number % 10 {
            0 => ("Constant", "<P Name=\"Value\">k</P>"),
            5 => ("Sum", "<P Name=\"Ports\">[1, 1]</P><P Name=\"Inputs\">+</P>"),
            9 => ("Terminator", ""),
            _ => ("Gain", "<P Name=\"Gain\">2*k</P>"),
        };
        let (x, y) = (40 + number % 10 * 80, 40 + number / 10 * 60);
        let _ = write!(
            text,
            "<Block BlockType=\"{kind}\" Name=\"b{number}\" SID=\"{}\"><P Name=\"Position\">[{x}, {y}, {}, {}]</P>\
             {parameter}</Block>",
            first + number,
            x + 30,
            y + 30
        );
    }
    for number in (0..BLOCKS).filter(|number| number % 10 != 9) {
        let (from, to) = (first + number, first + number + 1);
        let _ = write!(
            text,
            "<Line><P Name=\"Src\">{from}#out:1</P><P Name=\"Points\">[20, 0; 0, 5; 10, 0; 0, -5]</P>\
             <P Name=\"Dst\">{to}#in:1</P></Line>"
        );
    }
    text
}

/// The same chains in one diagram of Xcos.
fn zcos() -> Vec<u8> {
    let mut cells = String::new();
    for number in 0..SYSTEMS * BLOCKS {
        let (function, value, ports) = match number % 10 {
            0 => ("CONST_m", "2", "o"),
            9 => ("TRASH_f", "", "i"),
            _ => ("GAINBLK", "1.5", "io"),
        };
        let (x, y) = (40 + number % 100 * 80, 40 + number / 100 * 60);
        let _ = write!(
            cells,
            "<BasicBlock id=\"b{number}\" interfaceFunctionName=\"{function}\" parent=\"1\"><ScilabString as=\"exprs\" \
             height=\"1\" width=\"1\"><data line=\"0\" column=\"0\" value=\"{value}\"/></ScilabString>\
             <mxGeometry as=\"geometry\" x=\"{x}\" y=\"{y}\" width=\"40\" height=\"40\"/></BasicBlock>"
        );
        for port in ports.chars() {
            let tag = if port == 'i' { "ExplicitInputPort" } else { "ExplicitOutputPort" };
            let _ = write!(
                cells,
                "<{tag} id=\"b{number}.{port}\" parent=\"b{number}\" ordering=\"1\" dataLines=\"-1\" dataColumns=\"1\"/>"
            );
        }
    }
    for number in (0..SYSTEMS * BLOCKS).filter(|number| number % 10 != 9) {
        let to = number + 1;
        let _ =
            write!(cells, "<ExplicitLink id=\"l{number}\" parent=\"1\" source=\"b{number}.o\" target=\"b{to}.i\"/>");
    }
    let text = format!(
        "<?xml version=\"1.0\"?>\n<XcosDiagram><!--Xcos - 1.0 - scilab-5.5.2 - 20160406 2040-->\
         <Array as=\"context\" scilabClass=\"String[]\"></Array><mxGraphModel as=\"model\"><root><mxCell id=\"0\"/>\
         <mxCell id=\"1\" parent=\"0\"/>{cells}</root></mxGraphModel></XcosDiagram>"
    );
    archive("content.xml", &text)
}

fn archive(part: &str, text: &str) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file(part, zip::write::SimpleFileOptions::default()).expect("a part");
    zip.write_all(text.as_bytes()).expect("its content");
    zip.finish().expect("an archive").into_inner()
}
