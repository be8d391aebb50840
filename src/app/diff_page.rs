//! The changes between two states as one self-contained .html page: each model that changed side by side, what was added
//! green, removed red, changed amber, and the list of changes, of which each line leads to its place.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use eframe::egui::Rect;

use crate::app::canvas::{Captured, WidgetsUi, capture_with_blocks};
use crate::app::drawing::escaped;
use crate::block::Registry;
use crate::diff::{Change, ChangeKind, Mark, Place, Section, diff, sections};
use crate::model::{BlockId, Simulation};

const STYLE: &str = include_str!("diff_page.css");
const SCRIPT: &str = include_str!("diff_page.js");

/// A state of a simulation with its name on the page.
pub struct State<'a> {
    pub name: &'a str,
    pub simulation: &'a Arc<Simulation>,
}

/// Returns the page.
pub fn page(first: &State, second: &State, registry: &Registry, widgets_ui: WidgetsUi) -> String {
    let changes = diff(first.simulation, second.simulation);
    let title = format!("{} → {}", escaped(first.name), escaped(second.name));
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<meta name=\"generator\" content=\"Simulate {}\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p class=\"about\">{}</p>\n",
        env!("CARGO_PKG_VERSION"),
        summary(&changes),
    );
    for (number, section) in sections(&changes).into_iter().enumerate() {
        let draw = |state: &State, model: Option<&str>| {
            let model = state.simulation.model(model?)?;
            capture_with_blocks(state.simulation, registry, &model.name, widgets_ui)
        };
        let drawn = [draw(first, section.first), draw(second, section.second)];
        let _ = writeln!(out, "<section>\n<h2>{}</h2>", escaped(section.title));
        if section.first.or(section.second).is_some() {
            out.push_str("<div class=\"sides\">\n");
            for (side, (captured, name)) in drawn.iter().zip([first.name, second.name]).enumerate() {
                side_of(&mut out, &section, (number, side), captured.as_ref(), name);
            }
            out.push_str("</div>\n");
        }
        list(&mut out, &section, number);
        out.push_str("</section>\n");
    }
    let _ = write!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    out
}

fn summary(changes: &[Change]) -> String {
    let count = |of: &dyn Fn(&Change) -> bool| changes.iter().filter(|change| of(change)).count();
    let layout = count(&|change| change.is_layout);
    let parts = [
        (count(&|change| change.kind == ChangeKind::Added), "added"),
        (count(&|change| change.kind == ChangeKind::Removed), "removed"),
        (
            changes.len() - layout - count(&|change| matches!(change.kind, ChangeKind::Added | ChangeKind::Removed)),
            "changed",
        ),
        (layout, "of the layout"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if parts.is_empty() { "No differences".to_owned() } else { parts.join(", ") }
}

/// The class of a mark.
fn class_of(mark: Mark) -> &'static str {
    match mark {
        Mark::Moved => "moved",
        Mark::Changed => "changed",
        Mark::Removed => "removed",
        Mark::Added => "added",
    }
}

/// One diagram with its marks.
fn side_of(
    out: &mut String,
    section: &Section,
    (number, side): (usize, usize),
    captured: Option<&Captured>,
    name: &str,
) {
    let _ = writeln!(out, "<figure>\n<figcaption>{}</figcaption>", escaped(name));
    let Some(captured) = captured else {
        out.push_str("<p class=\"empty\">not there</p>\n</figure>\n");
        return;
    };
    let rects: BTreeMap<BlockId, Rect> = captured.blocks.iter().copied().collect();
    let marks = section.marks(side);
    let svg = captured.drawing.to_svg();
    let (body, _) = svg.rsplit_once("</svg>").unwrap_or((&svg, ""));
    out.push_str(body);
    for (block, mark) in marks {
        let class = class_of(mark);
        let Some(rect) = rects.get(&block).map(|rect| rect.expand(5.0)) else { continue };
        let _ = writeln!(
            out,
            "<rect id=\"m{number}-{side}-{}\" class=\"mark {class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/>",
            block.0,
            rect.min.x,
            rect.min.y,
            rect.width(),
            rect.height()
        );
    }
    out.push_str("</svg>\n</figure>\n");
}

fn list(out: &mut String, section: &Section, number: usize) {
    out.push_str("<ul>\n");
    for change in &section.changes {
        let target = |side: usize, place: &Option<Place>| {
            let block = place.as_ref()?.block?;
            Some(format!("m{number}-{side}-{}", block.0))
        };
        let targets = [target(0, &change.first_place), target(1, &change.second_place)];
        let targets: Vec<String> = targets.into_iter().flatten().collect();
        let _ = writeln!(
            out,
            "<li class=\"{}\" tabindex=\"0\" data-to=\"{}\"><b>{}</b> {}</li>",
            class_of(Mark::of(change)),
            targets.join(" "),
            change.sign(),
            escaped(&change.to_string())
        );
    }
    out.push_str("</ul>\n");
}
