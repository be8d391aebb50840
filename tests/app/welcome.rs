//! The welcome page: its examples are searched, filtered by field and opened.

use std::time::Duration;

use egui_kittest::kittest::{NodeT as _, Queryable as _};
use simulate::app::store::example_results::{ExampleResult, result_of};
use simulate::app::store::examples::{EXAMPLES, fields, summaries};
use simulate::block::Registry;
use simulate::engine::Engines;

use super::{Window, window};

/// Returns the titles of the cards, from top to bottom.
fn cards(harness: &Window) -> Vec<String> {
    let title = |card: egui_kittest::Node| card.accesskit_node().label().unwrap_or_default();
    let prefix = "Open example ";
    harness.query_all_by_label_contains(prefix).map(|card| title(card).replacen(prefix, "", 1)).collect()
}

fn search(harness: &mut Window, text: &str) {
    let field = harness.get_by_role(eframe::egui::accesskit::Role::TextInput);
    field.focus();
    field.type_text(text);
    harness.run_ok();
}

#[test]
fn every_example_has_a_card_and_only_those_in_view_a_picture() {
    let harness = window();
    let titles: Vec<&str> = summaries().iter().map(|summary| &*summary.title).collect();
    assert_eq!(cards(&harness), titles);
    let made = harness.state().window.welcome.picture_count();
    assert!((1..=12).contains(&made) && made < EXAMPLES.len(), "{made} pictures");
}

#[test]
fn a_search_finds_words_of_titles_descriptions_and_fields() {
    let mut harness = window();
    search(&mut harness, "kalman");
    assert_eq!(cards(&harness), ["Pendulum with a Kalman filter"]);
    let mut harness = window();
    search(&mut harness, "electronics regulator");
    assert_eq!(cards(&harness), ["Buck converter"]);
}

#[test]
fn a_search_without_result_leads_back_to_all_examples() {
    let mut harness = window();
    search(&mut harness, "weather");
    assert!(cards(&harness).is_empty());
    harness.get_by_label_contains("No example contains “weather”");
    harness.get_by_label("Show all examples").click();
    harness.run_ok();
    assert_eq!(cards(&harness).len(), EXAMPLES.len());
}

#[test]
fn each_field_shows_its_examples() {
    let mut harness = window();
    assert!(fields().len() >= 6, "{:?}", fields());
    for field in fields() {
        harness.get_by_label(field).click();
        harness.run_ok();
        let of_field = summaries().iter().filter(|summary| summary.field == field);
        assert_eq!(cards(&harness), of_field.map(|summary| &*summary.title).collect::<Vec<_>>(), "{field}");
    }
    harness.get_by_label("All fields").click();
    harness.run_ok();
    assert_eq!(cards(&harness).len(), EXAMPLES.len());
}

#[test]
fn a_card_opens_its_example() {
    let mut harness = window();
    harness.get_by_label("Open example Cruise control with anti-windup").click();
    harness.run_ok();
    assert_eq!(harness.state().file.as_ref().map(|file| &*file.name), Some("Cruise control with anti-windup"));
}

fn result(name: &str) -> ExampleResult {
    let number = EXAMPLES.iter().position(|example| example.name == name).expect("there is such an example");
    let engines = Engines::standard();
    let engine = engines.get(Engines::DEFAULT).expect("there is a default engine");
    result_of(number, &Registry::standard(), &**engine).unwrap_or_else(|| panic!("{name} has no result"))
}

#[test]
fn every_example_has_curves_within_its_card() {
    for example in EXAMPLES {
        let found = result(example.name);
        assert!(!found.curves.is_empty() && found.x.0 < found.x.1 && found.y.0 < found.y.1, "{}", example.name);
        let points = || found.curves.iter().flat_map(|curve| &curve.points);
        let is_within = |number: f32| (0.0..=1.0).contains(&number);
        assert!(
            points().all(|point| is_within(point.x) && (is_within(point.y) || point.y.is_nan())),
            "{}",
            example.name
        );
        assert!((20..40_000).contains(&points().count()), "{}: {} points", example.name, points().count());
        for curve in &found.curves {
            assert!(curve.points.is_sorted_by(|one, next| one.part <= next.part), "{}", example.name);
        }
    }
}

#[test]
fn the_curves_of_cards_are_those_of_the_examples() {
    // The numbers and the next one, in 30 steps: F(31).
    assert_eq!(result("fibonacci.simx").y.1, 1_346_269.0);
    // The limit cycle of van der Pol has an amplitude between 2 and 2.024 for every μ.
    let (low, high) = result("van_der_pol.simx").x;
    assert!((2.0..2.03).contains(&high) && (-2.03..=-2.0).contains(&low), "{low} to {high}");
    // Halley's comet: aphelion at 35.1 AU.
    let orbit = result("halley.simx");
    let far = orbit.x.0.abs().max(orbit.x.1).max(orbit.y.0.abs()).max(orbit.y.1);
    assert!((34.5..35.6).contains(&far), "{far} AU");
    // Two wings of the Lorenz attractor, which is seen from the side: x from about -20 to 20, z from above 0 to 50.
    let lorenz = result("lorenz.simx");
    let wing = |is_of: fn(f32) -> bool| lorenz.curves[0].points.iter().filter(|point| is_of(point.x)).count();
    let (left, right) = (wing(|x| x < 0.4), wing(|x| x > 0.6));
    assert!(left > 300 && right > 300 && lorenz.curves.len() == 1, "{left} and {right} points");
    assert!(lorenz.y.0 > 0.0 && (40.0..50.0).contains(&lorenz.y.1), "{:?}", lorenz.y);
}

#[test]
fn only_examples_in_view_run_one_after_the_other() {
    let mut harness = window();
    search(&mut harness, "lorenz");
    assert_eq!(cards(&harness), ["Lorenz attractor"]);
    let number = EXAMPLES.iter().position(|example| example.name == "lorenz.simx").expect("it is an example");
    // First the one that ran when the search began.
    for _ in 0..10 {
        harness.state_mut().window.welcome.results().wait(Duration::from_secs(60));
        harness.run_ok();
    }
    let results = harness.state_mut().window.welcome.results();
    assert!(results.is_known(number));
    assert!(results.count() < EXAMPLES.len() / 2, "{} examples ran", results.count());
}
