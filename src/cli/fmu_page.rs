//! The description of an FMU, for `simulate check`.

use serde_json::{Value, json};

use crate::format::fmu::{Description, Fmu, FmuVariable, Simulated};

/// Returns the kinds of use with the abilities of each.
fn kinds(about: &Description) -> Vec<String> {
    let kinds = [Simulated::CoSimulation, Simulated::ModelExchange];
    let kind = |kind: Simulated| {
        let interface = about.interface(kind)?;
        let saves = if interface.can_save_state { "saves its state" } else { "cannot save its state" };
        let tool = if interface.needs_tool { ", needs the program that made it" } else { "" };
        Some(format!("{kind} ({saves}{tool})"))
    };
    kinds.into_iter().filter_map(kind).collect()
}

fn parts(about: &Description) -> [(&'static str, Vec<&FmuVariable>); 3] {
    [
        ("inputs", about.inputs().collect()),
        ("outputs", about.outputs().collect()),
        ("parameters", about.parameters().collect()),
    ]
}

/// Returns the description as text.
pub fn text(fmu: &Fmu) -> String {
    let about = &fmu.description;
    let listed = |list: Vec<String>| if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    let mut platforms = about.platforms.clone();
    platforms.extend(about.has_sources.then(|| "sources".to_owned()));
    let time = |time: Option<f64>| time.map_or("not given".to_owned(), |time| format!("{time} s"));
    let experiment =
        format!("start {}, stop {}, step {}", time(about.start_time), time(about.stop_time), time(about.step_size));
    let lines = [
        ("name", about.name.clone()),
        ("description", about.text.clone()),
        ("version", about.model_version.clone()),
        ("author", about.author.clone()),
        ("license", about.license.clone()),
        ("made by", about.tool.clone()),
        ("FMI", about.version.to_string()),
        ("kinds", listed(kinds(about))),
        ("code for", listed(platforms)),
        ("states", about.states.to_string()),
        ("event indicators", about.indicators.to_string()),
        ("experiment", experiment),
        ("SHA-256", fmu.hash.clone()),
    ];
    let lines = lines.iter().filter(|(_, value)| !value.is_empty());
    let mut text: String = lines.map(|(name, value)| format!("  {name}: {value}\n")).collect();
    for (title, variables) in parts(about) {
        text.push_str(
            &format!("  {title}: {}\n", if variables.is_empty() { "none" } else { "" }).replace(": \n", ":\n"),
        );
        for variable in variables {
            text.push_str(&format!("    {}\n", line(variable)));
        }
    }
    text
}

fn line(variable: &FmuVariable) -> String {
    let sizes: String = variable.dimensions.iter().map(|size| format!("[{size}]")).collect();
    let mut line = format!("{}{sizes}: {:?}, {:?}", variable.name, variable.kind, variable.variability);
    if !variable.start.is_empty() {
        line.push_str(&format!(", start {}", variable.start.join(" ")));
    }
    if !variable.unit.is_empty() {
        line.push_str(&format!(", unit {}", variable.unit));
    }
    if !variable.description.is_empty() {
        line.push_str(&format!(" ({})", variable.description));
    }
    line
}

/// Returns the description for programs.
pub fn value(fmu: &Fmu) -> Value {
    let about = &fmu.description;
    let variable = |variable: &&FmuVariable| {
        json!({
            "name": variable.name,
            "type": format!("{:?}", variable.kind),
            "variability": format!("{:?}", variable.variability).to_lowercase(),
            "dimensions": variable.dimensions,
            "start": variable.start,
            "unit": variable.unit,
            "description": variable.description,
        })
    };
    let mut value = json!({
        "name": about.name,
        "fmi": about.version.to_string(),
        "generator": about.tool,
        "sha256": fmu.hash,
        "co_simulation": about.co_simulation.is_some(),
        "model_exchange": about.model_exchange.is_some(),
        "platforms": about.platforms,
        "sources": about.has_sources,
        "states": about.states,
        "event_indicators": about.indicators,
    });
    if let Some(object) = value.as_object_mut() {
        for (title, variables) in parts(about) {
            object.insert(title.to_owned(), variables.iter().map(variable).collect());
        }
    }
    value
}
