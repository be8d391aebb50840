//! The example simulations that come with the program.

use std::sync::OnceLock;

use eframe::egui::{Pos2, Rect, pos2, vec2};

use super::files;
use crate::model::{BlockKind, Simulation};

/// A simulation in `assets/examples`.
pub struct Example {
    /// The name of the file.
    pub name: &'static str,
    pub text: &'static str,
}

macro_rules! example {
    ($name:literal) => {
        Example { name: $name, text: include_str!(concat!("../../../assets/examples/", $name)) }
    };
}

/// The examples in the order of the welcome page.
pub const EXAMPLES: &[Example] = &[
    example!("dc_motor.simx"),
    example!("mass_spring_chain.simx"),
    example!("predator_prey.simx"),
    example!("lorenz.simx"),
    example!("epidemic.simx"),
    example!("thermostat.simx"),
    example!("robot.simx"),
    example!("bouncing_ball.simx"),
    example!("am_radio.simx"),
    example!("fibonacci.simx"),
];

impl Example {
    /// Returns the title in the file, or its name.
    pub fn title(&self) -> String {
        let fallback = self.name.trim_end_matches(".simx").replace('_', " ");
        attribute(self.text, "title").unwrap_or(fallback)
    }

    /// Returns a one-line description.
    pub fn about(&self) -> String {
        attribute(self.text, "about").unwrap_or_default()
    }
}

/// Reads an attribute of the root tag without parsing the whole file, for the welcome page.
fn attribute(text: &str, name: &str) -> Option<String> {
    let start = text.find("<simulation")?;
    let tag = text.get(start..)?;
    let tag = tag.get(..tag.find('>')?)?;
    let value = tag.split(&format!(" {name}=\"")).nth(1)?.split('"').next()?;
    Some(value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
}

/// The outlines of a model's blocks, for a thumbnail.
#[derive(Default)]
pub struct Diagram {
    /// Each with its group, for the colour.
    pub blocks: Vec<(String, Rect)>,
    pub wires: Vec<(Pos2, Pos2)>,
}

/// Returns one thumbnail per example, built on first use, which takes one or two milliseconds.
pub fn diagrams() -> &'static [Diagram] {
    static DIAGRAMS: OnceLock<Vec<Diagram>> = OnceLock::new();
    DIAGRAMS.get_or_init(|| {
        let read = |example: &Example| files::read(example.text).map(|opened| diagram_of(&opened.simulation));
        EXAMPLES.iter().map(|example| read(example).unwrap_or_default()).collect()
    })
}

fn diagram_of(simulation: &Simulation) -> Diagram {
    let mut diagram = Diagram::default();
    let Some(root) = simulation.root_model() else { return diagram };
    let place = |id| {
        let at = root.block(id)?.position()?;
        let size = match root.block(id)?.kind {
            BlockKind::Entry { .. } | BlockKind::Exit { .. } => vec2(80.0, 24.0),
            _ => vec2(60.0, 40.0),
        };
        Some(Rect::from_min_size(pos2(at.x as f32, at.y as f32), size))
    };
    for block in root.blocks.values() {
        let group = match &block.kind {
            BlockKind::Library { group, .. } => group.to_string(),
            BlockKind::Model { .. } => "Math".to_owned(),
            BlockKind::Entry { .. } | BlockKind::Exit { .. } => "Routing".to_owned(),
        };
        diagram.blocks.extend(place(block.id).map(|rect| (group, rect)));
    }
    for wire in root.connections.values() {
        if let (Some(from), Some(to)) = (place(wire.from), place(wire.to)) {
            diagram.wires.push((from.right_center(), to.left_center()));
        }
    }
    diagram
}
