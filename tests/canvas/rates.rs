//! Colours by sample time: the diagram matches the legend.

use eframe::egui::{Color32, Shape};
use simulate::app::action::diagram_command::DiagramCommand;
use simulate::block::Registry;
use simulate::engine::compile;
use simulate::model::{BlockId, SignalKey};

use super::bench::{harness, simulation};
use super::insert::perform;

/// Returns the colours of all lines and filled circles of the last frame.
fn inks(shapes: &[eframe::egui::epaint::ClippedShape]) -> Vec<Color32> {
    fn of(shape: &Shape, inks: &mut Vec<Color32>) {
        match shape {
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| of(shape, inks)),
            Shape::LineSegment { stroke, .. } => inks.push(stroke.color),
            Shape::Path(path) => {
                inks.push(path.fill);
                if let eframe::egui::epaint::ColorMode::Solid(color) = path.stroke.color {
                    inks.push(color);
                }
            }
            Shape::Circle(circle) => inks.push(circle.fill),
            _ => {}
        }
    }
    let mut found = Vec::new();
    shapes.iter().for_each(|clipped| of(&clipped.shape, &mut found));
    found
}

#[test]
fn a_plotted_wire_has_the_colour_of_its_rate_where_rates_are_shown() {
    let simulation = simulation();
    let program = compile(&simulation, &Registry::standard()).expect("it can run");
    let mut harness = harness(simulation);
    let of_plot = Color32::from_rgb(1, 2, 3);
    harness.state_mut().program = Some(program);
    // A wire with a branch has a dot.
    harness.state_mut().watched = vec![(SignalKey::new(&[], BlockId(0), "Output"), of_plot)];
    harness.run_steps(2);
    assert!(inks(&harness.output().shapes).contains(&of_plot), "a plotted wire has the colour of its curve");
    perform(&mut harness, DiagramCommand::ToggleRates);
    harness.run_steps(2);
    assert!(!inks(&harness.output().shapes).contains(&of_plot), "no colour that the legend does not know");
}
