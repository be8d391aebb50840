//! The description of an FMU: `modelDescription.xml`, and for sources in FMI 3 `buildDescription.xml`.

use std::collections::BTreeSet;

use quick_xml::Writer;
use quick_xml::escape::escape;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};

use super::structure::{Unknown, initial_unknowns, unknowns};
use super::units::base_units;
use super::variables::{Role, Variable};
use super::{Parts, TOKEN, Version};

/// An element with its attributes.
type Attributes<'a> = &'a [(&'a str, &'a str)];

/// A document that is written element by element.
struct Xml(Writer<Vec<u8>>);

impl Xml {
    fn new() -> Xml {
        let mut xml = Xml(Writer::new_with_indent(Vec::new(), b' ', 2));
        xml.event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
        xml
    }

    fn event(&mut self, event: Event) {
        // Memory cannot fail.
        let _ = self.0.write_event(event);
    }

    fn start(name: &str, attributes: Attributes) -> BytesStart<'static> {
        let mut start = BytesStart::new(name.to_owned());
        attributes.iter().for_each(|attribute| start.push_attribute(*attribute));
        start
    }

    fn empty(&mut self, name: &str, attributes: Attributes) {
        self.event(Event::Empty(Xml::start(name, attributes)));
    }

    fn open(&mut self, name: &str, attributes: Attributes) {
        self.event(Event::Start(Xml::start(name, attributes)));
    }

    fn close(&mut self, name: &str) {
        self.event(Event::End(BytesEnd::new(name.to_owned())));
    }

    fn into_string(self) -> String {
        let mut bytes = self.0.into_inner();
        bytes.push(b'\n');
        String::from_utf8(bytes).unwrap_or_default()
    }
}

/// A number as XML Schema's double: the shortest text that reads back to the same bits.
fn number(value: f64) -> String {
    match value {
        value if value.is_nan() => "NaN".to_owned(),
        value if value.is_infinite() => if value > 0.0 { "INF" } else { "-INF" }.to_owned(),
        value => format!("{value:?}"),
    }
}

pub fn model_description(parts: &Parts) -> String {
    let is_two = parts.version == Version::Two;
    let tool = format!("Simulate {}", env!("CARGO_PKG_VERSION"));
    let indicators = parts.variables.count_of(Role::Indicator).to_string();
    let about = parts.simulation.attributes.get("title").unwrap_or_default();
    let mut attributes = vec![
        ("fmiVersion", if is_two { "2.0" } else { "3.0" }),
        ("modelName", parts.title),
        (if is_two { "guid" } else { "instantiationToken" }, TOKEN),
        ("generationTool", &tool),
        ("variableNamingConvention", if parts.variables.are_structured() { "structured" } else { "flat" }),
    ];
    if is_two {
        attributes.push(("numberOfEventIndicators", &indicators));
    }
    if !about.is_empty() {
        attributes.push(("description", about));
    }
    let mut xml = Xml::new();
    xml.open("fmiModelDescription", &attributes);
    capabilities(parts, &mut xml);
    units(parts, &mut xml);
    xml.open("LogCategories", &[]);
    xml.empty("Category", &[("name", "logStatusError"), ("description", "why a call fails")]);
    xml.empty("Category", &[("name", "logEvents"), ("description", "a block that pauses or ends the run")]);
    xml.close("LogCategories");
    let (delta, stop) = (parts.program.delta, parts.program.steps as f64 * parts.program.delta);
    let (delta, stop) = (number(delta), if parts.program.steps > 0 { number(stop) } else { String::new() });
    let mut experiment = vec![("startTime", "0"), ("stepSize", &*delta)];
    if !stop.is_empty() {
        experiment.push(("stopTime", &stop));
    }
    xml.empty("DefaultExperiment", &experiment);
    xml.open("ModelVariables", &[]);
    parts.variables.all.iter().for_each(|variable| scalar(parts, variable, &mut xml));
    xml.close("ModelVariables");
    structure(parts, &mut xml);
    xml.close("fmiModelDescription");
    xml.into_string()
}

/// Writes the kinds of interface.
fn capabilities(parts: &Parts, xml: &mut Xml) {
    let has_derivatives = if parts.continuous.is_some() { "true" } else { "false" };
    let delta = number(parts.program.delta);
    let (mut exchange, mut simulation) = (vec![("modelIdentifier", parts.name)], vec![("modelIdentifier", parts.name)]);
    match parts.version {
        Version::Two => {
            for attributes in [&mut exchange, &mut simulation] {
                attributes.extend([("canGetAndSetFMUstate", "true"), ("canSerializeFMUstate", "true")]);
                attributes.push(("canBeInstantiatedOnlyOncePerProcess", "false"));
                attributes.push(("providesDirectionalDerivative", has_derivatives));
            }
            exchange.push(("completedIntegratorStepNotNeeded", "true"));
        }
        Version::Three => {
            for attributes in [&mut exchange, &mut simulation] {
                attributes.extend([("canGetAndSetFMUState", "true"), ("canSerializeFMUState", "true")]);
                attributes.push(("canBeInstantiatedOnlyOncePerProcess", "false"));
                attributes.push(("providesDirectionalDerivatives", has_derivatives));
            }
            exchange.push(("needsCompletedIntegratorStep", "false"));
            simulation.push(("fixedInternalStepSize", &delta));
        }
    }
    // A step that is not a whole multiple of the simulation's is refused.
    simulation.push(("canHandleVariableCommunicationStepSize", "false"));
    let exchange = parts.continuous.is_some().then_some(("ModelExchange", exchange));
    for (name, attributes) in exchange.into_iter().chain([("CoSimulation", simulation)]) {
        if parts.version == Version::Three {
            xml.empty(name, &attributes);
            continue;
        }
        xml.open(name, &attributes);
        xml.open("SourceFiles", &[]);
        parts.sources.iter().for_each(|source| xml.empty("File", &[("name", source)]));
        xml.close("SourceFiles");
        xml.close(name);
    }
}

fn units(parts: &Parts, xml: &mut Xml) {
    let used = parts.variables.all.iter().map(|variable| &*variable.unit);
    let names: BTreeSet<&str> = used.chain(["s"]).filter(|unit| !unit.is_empty()).collect();
    xml.open("UnitDefinitions", &[]);
    for name in names {
        let Some((exponents, factor)) = base_units(name) else {
            xml.empty("Unit", &[("name", name)]);
            continue;
        };
        let factor = number(factor);
        let exponents: Vec<(&str, String)> = exponents.iter().map(|(base, power)| (*base, power.to_string())).collect();
        let mut attributes: Vec<(&str, &str)> = exponents.iter().map(|(base, power)| (*base, &**power)).collect();
        if factor != "1.0" {
            attributes.push(("factor", &factor));
        }
        xml.open("Unit", &[("name", name)]);
        xml.empty("BaseUnit", &attributes);
        xml.close("Unit");
    }
    xml.close("UnitDefinitions");
}

/// Writes a variable.
fn scalar(parts: &Parts, variable: &Variable, xml: &mut Xml) {
    let (causality, variability, initial) = match variable.role {
        Role::Time => ("independent", "continuous", ""),
        Role::Input => ("input", "continuous", ""),
        Role::Parameter => ("parameter", "tunable", "exact"),
        Role::Output => ("output", "continuous", "calculated"),
        Role::State | Role::Rate | Role::Indicator => ("local", "continuous", "calculated"),
        Role::Discrete => ("local", "discrete", "calculated"),
    };
    // FMI 2 has a number of indicators, no variables for them.
    if parts.version == Version::Two && variable.role == Role::Indicator {
        return;
    }
    let (reference, width) = (variable.first.to_string(), variable.width.to_string());
    let start = variable.values.iter().map(|value| number(*value)).collect::<Vec<_>>().join(" ");
    let mut attributes = vec![("name", &*variable.name), ("valueReference", &reference)];
    if !variable.doc.is_empty() {
        attributes.push(("description", &variable.doc));
    }
    attributes.extend([("causality", causality), ("variability", variability)]);
    if !initial.is_empty() {
        attributes.push(("initial", initial));
    }
    let mut real: Vec<(&str, &str)> = Vec::new();
    if !start.is_empty() {
        real.push(("start", &start));
    }
    let unit = if variable.role == Role::Time { "s" } else { &variable.unit };
    if !unit.is_empty() {
        real.push(("unit", unit));
    }
    let derivative = state_of_rate(parts, variable).map(|position| position.to_string());
    if let Some(derivative) = &derivative {
        real.push(("derivative", derivative));
    }
    match parts.version {
        Version::Two => {
            xml.open("ScalarVariable", &attributes);
            xml.empty("Real", &real);
            xml.close("ScalarVariable");
        }
        Version::Three => {
            attributes.extend(real);
            if variable.width == 1 {
                return xml.empty("Float64", &attributes);
            }
            xml.open("Float64", &attributes);
            xml.empty("Dimension", &[("start", &width)]);
            xml.close("Float64");
        }
    }
}

/// The position of the state that a rate belongs to, if the FMU is for model exchange.
fn state_of_rate(parts: &Parts, variable: &Variable) -> Option<u32> {
    if variable.role != Role::Rate || parts.continuous.is_none() {
        return None;
    }
    // Rates stand in the order of the states.
    let reference = variable.first - parts.variables.first(Role::Rate) + parts.variables.first(Role::State);
    match parts.version {
        Version::Two => Some(reference + 1),
        Version::Three => Some(reference),
    }
}

fn structure(parts: &Parts, xml: &mut Xml) {
    let (outputs, rates) = (unknowns(parts, Role::Output), unknowns(parts, Role::Rate));
    let rates = if parts.continuous.is_some() { rates } else { Vec::new() };
    let initial = initial_unknowns(parts);
    xml.open("ModelStructure", &[]);
    match parts.version {
        Version::Two => {
            for (name, list) in [("Outputs", outputs), ("Derivatives", rates), ("InitialUnknowns", initial)] {
                if list.is_empty() {
                    continue;
                }
                xml.open(name, &[]);
                list.iter().for_each(|unknown| entry(xml, "Unknown", "index", unknown));
                xml.close(name);
            }
        }
        Version::Three => {
            let indicators = unknowns(parts, Role::Indicator).into_iter();
            let indicators = indicators.map(|unknown| Unknown { dependencies: None, ..unknown }).collect();
            for (name, list) in [
                ("Output", outputs),
                ("ContinuousStateDerivative", rates),
                ("InitialUnknown", initial),
                ("EventIndicator", indicators),
            ] {
                list.iter().for_each(|unknown| entry(xml, name, "valueReference", unknown));
            }
        }
    }
    xml.close("ModelStructure");
}

fn entry(xml: &mut Xml, name: &str, key: &str, unknown: &Unknown) {
    let position = unknown.position.to_string();
    let list = unknown.dependencies.as_ref();
    let list = list.map(|list| list.iter().map(u32::to_string).collect::<Vec<_>>().join(" "));
    let mut attributes = vec![(key, &*position)];
    attributes.extend(list.as_deref().map(|list| ("dependencies", list)));
    xml.empty(name, &attributes);
}

/// Writes how the sources of an FMU of version 3 are compiled.
pub fn build_description(parts: &Parts) -> String {
    let mut xml = Xml::new();
    xml.open("fmiBuildDescription", &[("fmiVersion", "3.0")]);
    xml.open("BuildConfiguration", &[("modelIdentifier", parts.name)]);
    xml.open("SourceFileSet", &[("language", "C99"), ("compilerOptions", "-ffp-contract=off")]);
    parts.sources.iter().for_each(|source| xml.empty("SourceFile", &[("name", source)]));
    xml.close("SourceFileSet");
    xml.close("BuildConfiguration");
    xml.close("fmiBuildDescription");
    xml.into_string()
}

/// Writes the documentation for users of the FMU.
pub fn documentation(parts: &Parts) -> String {
    let (title, delta) = (escape(parts.title), number(parts.program.delta));
    let about = parts.simulation.attributes.get("about").unwrap_or_default();
    let exchange = match parts.continuous {
        Some(_) => {
            "It is for model exchange, too: all states are continuous, derivatives are exact, and the differences \
                    of what the model compares are event indicators."
        }
        None => "It is not for model exchange: the model has discrete parts, or ends its run by itself.",
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"UTF-8\"><title>{title}</title></head>\n<body>\n\
         <h1>{title}</h1>\n<p>{}</p>\n\
         <p>Co-simulation computes with a fixed step of {delta} s by the method {}. The communication step must be a whole \
         multiple of it, and the start time, too. Inputs are read at the beginning of a communication step; outputs have the \
         bits of the simulation.</p>\n<p>{exchange}</p>\n\
         <p>Parameters may be changed between communication steps. The sources are C99 without dependencies; compile them \
         with <code>-ffp-contract=off</code>.</p>\n</body>\n</html>\n",
        escape(about),
        parts.program.solver.name()
    )
}
