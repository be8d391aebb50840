//! The welcome page: its examples are searched, filtered by field and opened.

use egui_kittest::kittest::{NodeT as _, Queryable as _};
use simulate::app::store::examples::{EXAMPLES, fields, summaries};

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
    harness.get_by_label("Open example Car suspension on a speed bump").click();
    harness.run_ok();
    assert_eq!(harness.state().file.as_ref().map(|file| &*file.name), Some("Car suspension on a speed bump"));
}
