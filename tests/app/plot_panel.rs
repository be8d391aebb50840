//! The room of plots: their heights, legends and axes, and the panels around them.

use std::time::Duration;

use eframe::egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use simulate::app::action::command::Panel;
use simulate::model::{BlockId, BlockKind, Connection};

use super::plots::{ran, sine};
use super::{Opened as _, Window};

/// Three plots of the wave: they fit in the panel without scrolling, as wide as it is, each below its names.
#[test]
fn plots_share_the_height_below_their_names() {
    let mut simulation = sine();
    simulation.attributes.set("view:plot", "#7.Output|#7.Output|#7.Output");
    let mut harness = ran(simulation);
    harness.run_ok();
    let panel = harness.state().window.layout.rect_of(Panel::Plots).expect("the panel");
    let names: Vec<_> = harness.get_all_by_label("Curve Sine").map(|node| node.rect()).collect();
    assert_eq!(names.len(), 3);
    for (number, name) in names.iter().enumerate() {
        let plot = harness.get_by_role_and_label(Role::Canvas, &format!("Plot {}", number + 1)).rect();
        assert!(panel.expand(1.0).contains_rect(plot), "{plot} in {panel}");
        assert!(plot.width() > 0.97 * panel.width(), "{plot} in {panel}");
        assert!(name.bottom() <= plot.top() + 3.0 && plot.height() >= 45.0, "{name} above {plot}");
    }
}

/// The names in the legend say the values at the step that the time bar shows.
#[test]
fn the_legend_has_the_values_at_the_time_bar() {
    let mut simulation = sine();
    simulation.attributes.set("view:plot", "#7.Output");
    let mut harness = ran(simulation);
    let value = |harness: &Window| {
        harness.get_by_label("Curve Sine").accesskit_node().value().unwrap_or_default().parse::<f64>().expect("a value")
    };
    // A quarter of a period of 0.2 s is 50 steps.
    for (step, wanted) in [(50, 3.0), (150, -3.0), (0, 0.0)] {
        harness.state_mut().open_mut().run.choose_step(Some(step));
        harness.run_ok();
        assert!((value(&harness) - wanted).abs() < 1e-3, "at step {step}: {}", value(&harness));
    }
}

/// A circle is round where both signals have one unit; where they have not, the axes fill the plot.
#[test]
fn a_plot_of_one_unit_has_equal_axes() {
    for (units, is_square) in [(["m", "m"], true), (["m", "m/s"], false)] {
        let mut simulation = sine();
        let model = simulation.model_mut("Main").expect("the model");
        let cosine = simulate::model::Block::new(BlockId(9), BlockKind::library("Var", "Sine"))
            .with_option("Amplitude", &["3"])
            .with_option("Phase", &["1.5707963267948966"])
            .with_option("Frequency", &["31.41592653589793"]);
        model.add_block(cosine);
        model.add_block(simulate::model::Block::new(BlockId(10), BlockKind::exit("Other")));
        for (from, to, unit) in [(7, 8, units[0]), (9, 10, units[1])] {
            let mut wire = Connection::new(BlockId(from), "Output", BlockId(to), "Input");
            wire.attributes.set(Connection::UNIT, unit);
            model.connect(wire);
        }
        simulation.attributes.set("view:plot", "[kind=xy]#7.Output;#9.Output");
        let mut harness = ran(simulation);
        harness.state_mut().open_mut().panels.plots.wait(Duration::from_secs(20));
        harness.run_ok();
        let (x, y, _) = harness.state().open().panels.plots.axes[0].expect("axes");
        let plot = harness.get_by_role_and_label(Role::Canvas, "Plot 1").rect();
        // Without the axes at the left and below, about.
        let room = plot.size() - eframe::egui::vec2(75.0, 41.0);
        let ratio = f64::from(room.x) / x.width() / (f64::from(room.y) / y.width());
        assert_eq!((0.8..1.25).contains(&ratio), is_square, "{units:?}: {ratio}");
    }
}

#[test]
fn the_lower_panels_take_the_window_and_give_it_back() {
    let mut harness = ran(sine());
    let before = harness.state().window.layout.rect_of(Panel::Plots).expect("the panel");
    harness.get_by_label("Maximize lower panels").click();
    harness.run_ok();
    harness.run_ok();
    let rect = harness.state().window.layout.rect_of(Panel::Plots).expect("the panel");
    assert!(rect.width() > 1.5 * before.width() && rect.height() > 2.0 * before.height(), "{before}, then {rect}");
    assert!(harness.state().window.layout.rect_of(Panel::Canvas).is_none());
    harness.get_by_label("Restore panels").click();
    harness.run_ok();
    harness.run_ok();
    assert_eq!(harness.state().window.layout.rect_of(Panel::Plots), Some(before));
}
