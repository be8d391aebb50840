//! The content of a report about a simulation and a run.

use std::path::Path;
use std::sync::Arc;

use super::{Curves, Part, Report, ReportError, ReportSource, Section};
use crate::app::canvas;
use crate::app::doc::derived::Derived;
use crate::app::drawing::{Drawing, Link};
use crate::app::panels::{dashboard, plots};
use crate::app::store::lab::add_derivatives;
use crate::app::store::report_run;
use crate::app::store::run::RunState;
use crate::app::store::runs::RunRecord;
use crate::app::ui::numbers;
use crate::block::Registry;
use crate::model::{Block, BlockKind, Document, Model, Simulation, Snapshot, Variables, definition_of};
use crate::results::Provenance;

/// Longer values are cut: a table of numbers is not read in a report.
const LONGEST_VALUE: usize = 160;

/// Returns the report.
pub fn report_of(source: &ReportSource) -> Result<Report, ReportError> {
    let document = Document::new(Simulation::clone(&source.simulation), Arc::clone(&source.registry));
    let now = Snapshot { simulation: Arc::clone(document.simulation()), revision: document.revision() };
    let mut derived = Derived::default();
    derived.follow(&now, &source.registry);
    let computed;
    let record = match &source.curves {
        Curves::Recorded(record) => Some(&**record),
        Curves::Computed { engine, steps } => {
            let signals = derived.plots().signals();
            let simulation = document.simulation();
            let mut run = report_run::run(simulation, &source.registry, signals, &**engine, *steps, &|| true)?;
            add_derivatives(&mut run, derived.plots().derivatives());
            computed = run;
            Some(&computed)
        }
        Curves::None => None,
    };
    let simulation = document.simulation();
    let attribute = |name: &str| simulation.attributes.get(name).unwrap_or_default().to_owned();
    let fallback = || {
        let stem = source.file.as_deref().and_then(Path::file_stem);
        stem.map_or_else(|| simulation.root.to_string(), |stem| stem.to_string_lossy().into_owned())
    };
    let title = Some(attribute("title")).filter(|title| !title.is_empty()).unwrap_or_else(fallback);
    let mut sections = vec![simulation_section(simulation, &attribute("source"))];
    for model in models(simulation) {
        sections.push(model_section(simulation, &source.registry, model));
    }
    sections.extend(record.and_then(|record| curves_section(source, simulation, &derived, record)));
    sections.push(origin_section(source, simulation, record));
    Ok(Report { title, about: attribute("about"), sections })
}

/// Returns the models with blocks that the root uses, the root first, then in the order of the file.
fn models(simulation: &Simulation) -> Vec<&Arc<Model>> {
    let parts = crate::app::drawing::Part::all(simulation);
    parts.iter().filter_map(|part| simulation.model(&part.model)).collect()
}

/// The anchor of a model's section.
fn anchor_of(simulation: &Simulation, name: &str) -> Option<String> {
    let number = models(simulation).iter().position(|model| &*model.name == name)?;
    Some(format!("model-{}", number + 1))
}

fn simulation_section(simulation: &Simulation, literature: &str) -> Section {
    let end = simulation.steps as f64 * simulation.delta;
    let mut rows = vec![
        vec!["Root model".to_owned(), simulation.root.to_string()],
        vec!["Solver".to_owned(), simulation.solver().to_owned()],
        vec!["Step".to_owned(), format!("{} s", simulation.delta)],
        vec![
            "Steps".to_owned(),
            match simulation.steps {
                0 => "until stopped".to_owned(),
                steps => format!("{steps} ({} s)", numbers::digits(end, 8)),
            },
        ],
    ];
    if !literature.is_empty() {
        rows.push(vec!["Source".to_owned(), literature.to_owned()]);
    }
    let mut parts = vec![Part::Table { head: vec!["Setting", "Value"], rows }];
    parts.extend(variables_part("Variables of all models", &simulation.variables));
    Section { anchor: "simulation".to_owned(), title: "Simulation".to_owned(), parts: parts.into_iter().collect() }
}

/// A table of variables with their heading; nothing if there are none.
fn variables_part(title: &str, variables: &Variables) -> Vec<Part> {
    if variables.is_empty() {
        return Vec::new();
    }
    let mut listed: Vec<_> = variables.iter().collect();
    listed.sort_by_key(|(_, variable)| variable.seq);
    let row = |(name, variable): &(&Arc<str>, &Arc<crate::model::Variable>)| {
        vec![name.to_string(), with_unit(&shortened(&variable.value), variable.unit()), variable.doc().to_owned()]
    };
    let rows = listed.iter().map(row).collect();
    vec![Part::Text(title.to_owned()), Part::Table { head: vec!["Variable", "Value", "Description"], rows }]
}

fn model_section(simulation: &Arc<Simulation>, registry: &Registry, model: &Arc<Model>) -> Section {
    let mut parts = Vec::new();
    let about = model.attributes.get("doc").unwrap_or_default();
    if !about.is_empty() {
        parts.push(Part::Text(about.to_owned()));
    }
    if let Some(captured) = canvas::capture_with_blocks(simulation, registry, &model.name, dashboard::picture_ui) {
        let link = |(id, rect): &(_, _)| {
            let BlockKind::Model { model: inner } = &model.block(*id)?.kind else { return None };
            Some(Link { rect: *rect, to: anchor_of(simulation, inner)? })
        };
        let links = captured.blocks.iter().filter_map(link).collect();
        parts.push(Part::Drawing(Drawing { links, ..captured.drawing }));
    }
    parts.extend(variables_part("Variables", &model.variables));
    let rows: Vec<Vec<String>> = model.blocks.values().flat_map(|block| block_rows(block, registry)).collect();
    if !rows.is_empty() {
        parts.push(Part::Text("Parameters that differ from their defaults".to_owned()));
        parts.push(Part::Table { head: vec!["Block", "Kind", "Parameter", "Value"], rows });
    }
    Section {
        anchor: anchor_of(simulation, &model.name).unwrap_or_default(),
        title: match model.name == simulation.root {
            true => format!("{} (root model)", model.name),
            false => model.name.to_string(),
        },
        parts,
    }
}

/// A row for each parameter of a block that differs from its default.
fn block_rows(block: &Block, registry: &Registry) -> Vec<Vec<String>> {
    let def = definition_of(registry, block);
    let kind = match &block.kind {
        BlockKind::Library { group, name } => format!("{group}/{name}"),
        BlockKind::Model { model } => format!("model {model}"),
        BlockKind::Entry { .. } => "input".to_owned(),
        BlockKind::Exit { .. } => "output".to_owned(),
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for option in block.options() {
        let texts: Vec<&str> = block.option_texts(&option.name).unwrap_or_default();
        let param = def.and_then(|def| def.params.iter().find(|param| param.name == &*option.name));
        let is_default = match &block.kind {
            // An entry begins at 0 unless it says otherwise.
            BlockKind::Entry { .. } => texts == ["0"],
            _ => param.is_some_and(|param| !param.is_argument && param.default_texts() == texts),
        };
        if is_default {
            continue;
        }
        let value = with_unit(&shortened(&texts.join(" ")), param.map_or("", |param| param.unit));
        // The block is named once.
        let (title, kind) = match rows.is_empty() {
            true => (block.title().to_owned(), kind.clone()),
            false => Default::default(),
        };
        rows.push(vec![title, kind, option.name.to_string(), value]);
    }
    rows
}

fn curves_section(
    source: &ReportSource,
    simulation: &Arc<Simulation>,
    derived: &Derived,
    record: &RunRecord,
) -> Option<Section> {
    let pictures = plots::drawings(simulation, derived, record);
    let mut parts: Vec<Part> = Vec::new();
    if let RunState::Failed(problem) | RunState::PausedByError(problem) = &record.state {
        parts.push(Part::Text(format!("The run ended before step {}: {problem}", record.steps)));
    }
    if matches!(source.curves, Curves::Recorded(_)) && !record.changes.is_empty() {
        let changes = record.changes.len();
        parts.push(Part::Text(format!(
            "{changes} parameters were changed while it ran; the diagrams show the model as it is now."
        )));
    }
    parts.extend(pictures.into_iter().map(Part::Drawing));
    (!parts.is_empty()).then(|| Section { anchor: "curves".to_owned(), title: "Curves".to_owned(), parts })
}

fn origin_section(source: &ReportSource, simulation: &Simulation, record: Option<&RunRecord>) -> Section {
    let ran = record.map_or(simulation, |record| &record.source.simulation);
    let engine = record.map_or("", |record| &record.engine);
    let origin = Provenance::of(ran, source.file.as_deref(), engine);
    let mut rows = vec![
        vec!["Program".to_owned(), origin.program],
        vec!["File".to_owned(), if origin.file.is_empty() { "not saved".to_owned() } else { origin.file }],
        vec!["SHA-256 of the simulation".to_owned(), origin.sha256],
    ];
    if let Some(record) = record {
        rows.push(vec!["Engine".to_owned(), origin.engine]);
        rows.push(vec!["Solver".to_owned(), origin.solver]);
        let planned = record.planned.filter(|planned| *planned != record.steps);
        let of = planned.map(|planned| format!(" of {planned}")).unwrap_or_default();
        rows.push(vec!["Steps that ran".to_owned(), format!("{}{of}, each of {} s", record.steps, origin.delta)]);
        let began = chrono::DateTime::<chrono::Local>::from(record.began);
        rows.push(vec!["Run on".to_owned(), began.format("%Y-%m-%d %H:%M").to_string()]);
    }
    rows.extend(source.set.iter().map(|set| vec!["Set for this run".to_owned(), set.clone()]));
    rows.extend(source.removed.iter().map(|block| vec!["Removed when it was loaded".to_owned(), block.clone()]));
    let parts = vec![Part::Table { head: vec!["Origin", ""], rows }];
    Section { anchor: "origin".to_owned(), title: "Origin".to_owned(), parts }
}

fn with_unit(value: &str, unit: &str) -> String {
    if unit.is_empty() { value.to_owned() } else { format!("{value} {unit}") }
}

/// Cuts a text that is too long for a table, between two characters.
fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= LONGEST_VALUE {
        return text.to_owned();
    }
    let kept: String = text.chars().take(LONGEST_VALUE).collect();
    format!("{kept}… ({count} characters)")
}
