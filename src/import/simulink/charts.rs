//! The code and the state machines in blocks.

use super::super::source::Chart;
use super::section::Section;

/// Adds the charts of a part: `<chart>` elements of XML with all that belongs to them inside.
pub fn add_nested(part: &Section, charts: &mut Vec<Chart>) {
    part.each(&mut |section| {
        if section.name != "chart" || section.get("name").is_none() {
            return;
        }
        let mut chart = Chart { path: section.get("name").unwrap_or_default().to_owned(), ..Chart::default() };
        section.each(&mut |inner| match &*inner.name {
            "eml" => chart.code.push_str(inner.get("script").unwrap_or_default()),
            "data" if inner.get("scope") == Some("PARAMETER_DATA") => {
                chart.parameters.extend(inner.get("name").map(str::to_owned));
            }
            _ => {}
        });
        section.write(&mut chart.text, 0);
        charts.push(chart);
    });
}

/// Adds the charts of an .mdl text, whose parts lie beside each other and name their chart.
pub fn add_flat(stateflow: &Section, charts: &mut Vec<Chart>) {
    for section in stateflow.all("chart") {
        let id = section.get("id").unwrap_or_default();
        let mut chart = Chart { path: section.get("name").unwrap_or_default().to_owned(), ..Chart::default() };
        section.write(&mut chart.text, 0);
        for part in stateflow.sections.iter().filter(|part| part.get("chart") == Some(id) && part.name != "chart") {
            if let Some(code) = part.section("eml").and_then(|eml| eml.get("script")) {
                chart.code.push_str(code);
            }
            part.write(&mut chart.text, 0);
        }
        for data in stateflow.all("data").filter(|data| data.get("linkNode").is_some_and(|link| first_of(link) == id)) {
            if data.get("scope") == Some("PARAMETER_DATA") {
                chart.parameters.extend(data.get("name").map(str::to_owned));
            }
            data.write(&mut chart.text, 0);
        }
        charts.push(chart);
    }
}

/// The first number of `[2 0 5]`, the chart that data belong to.
fn first_of(list: &str) -> &str {
    list.trim_start_matches('[').split([' ', ',']).next().unwrap_or_default()
}
