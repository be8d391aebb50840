//! A report as one self-contained .html file: pictures are in it, as SVG.

use std::fmt::Write as _;

use super::{Part, Report, Section};
use crate::app::drawing::escaped;

const STYLE: &str = "\
body { font: 15px/1.5 Inter, system-ui, sans-serif; color: #1e2530; background: #fff; max-width: 60rem; margin: 3rem auto; padding: 0 1.5rem }
h1 { font-size: 1.9rem; margin: 0 0 .3rem } h2 { font-size: 1.25rem; margin: 2.6rem 0 .8rem; border-bottom: 1px solid #d5dae1; padding-bottom: .3rem }
.about { color: #6a7482; margin: 0 0 1.5rem } nav ul { padding-left: 1.2rem } a { color: #2563eb; text-decoration: none } a:hover { text-decoration: underline }
table { border-collapse: collapse; width: 100%; margin: .4rem 0 1.2rem; font-size: .92em } th { text-align: left; color: #6a7482; font-weight: 600 }
th, td { padding: .25rem .9rem .25rem 0; border-bottom: 1px solid #e9ecf0; vertical-align: top; overflow-wrap: anywhere }
td:first-child { min-width: 6.5em } figure { margin: .6rem 0 1.2rem; overflow-x: auto } svg { max-width: 100%; height: auto } svg a:hover rect { fill: #2563eb; fill-opacity: .12 }
p { margin: .9rem 0 .3rem } @media print { h2 { break-after: avoid } figure, tr { break-inside: avoid } nav { display: none } }
";

pub fn write(report: &Report) -> String {
    let title = escaped(&report.title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<meta name=\"generator\" content=\"Simulate {}\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
        env!("CARGO_PKG_VERSION")
    );
    if !report.about.is_empty() {
        let _ = writeln!(out, "<p class=\"about\">{}</p>", escaped(&report.about));
    }
    out.push_str("<nav><ul>\n");
    for section in &report.sections {
        let _ = writeln!(out, "<li><a href=\"#{}\">{}</a></li>", section.anchor, escaped(&section.title));
    }
    out.push_str("</ul></nav>\n");
    report.sections.iter().for_each(|section| write_section(&mut out, section));
    out.push_str("</body>\n</html>\n");
    out
}

fn write_section(out: &mut String, section: &Section) {
    let _ = writeln!(out, "<section id=\"{}\">\n<h2>{}</h2>", section.anchor, escaped(&section.title));
    for part in &section.parts {
        match part {
            Part::Text(text) => {
                let _ = writeln!(out, "<p>{}</p>", escaped(text));
            }
            Part::Table { head, rows } => write_table(out, head, rows),
            Part::Drawing(drawing) => {
                let _ = writeln!(out, "<figure>\n{}</figure>", drawing.to_svg());
            }
        }
    }
    out.push_str("</section>\n");
}

fn write_table(out: &mut String, head: &[&str], rows: &[Vec<String>]) {
    out.push_str("<table>\n<thead><tr>");
    head.iter().for_each(|cell| out.push_str(&format!("<th>{}</th>", escaped(cell))));
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        row.iter().for_each(|cell| out.push_str(&format!("<td>{}</td>", escaped(cell))));
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n");
}
