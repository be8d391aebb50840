//! Reads `modelDescription.xml` of FMI 2.0 and 3.0.
//!
//! Elements and attributes that a run does not need are skipped: vendors add their own.

use std::collections::{BTreeMap, BTreeSet};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::description::{
    Causality, Description, FmiVersion, FmuInterface, FmuType, FmuVariable, MAX_VALUES, Variability,
};
use super::error::{DescriptionProblem as Problem, FmuError};

const MAX_DEPTH: usize = 64;
const MAX_VARIABLES: usize = 2_000_000;

pub(super) type XmlAttributes = BTreeMap<String, String>;

/// Reads a description.
///
/// # Errors
/// If the text is not a description, with the place of the error.
pub fn description(text: &str) -> Result<Description, FmuError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader::from_str(text);
    let mut parser = DescriptionParser::default();
    let mut at = 0;
    let result = loop {
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => break Err((reader.error_position() as usize, Problem::Xml(error.to_string()))),
        };
        let read = match &event {
            Event::Start(start) => parser.start(start),
            Event::Empty(start) => parser.start(start).and_then(|()| parser.end()),
            Event::End(_) => parser.end(),
            Event::Eof => break parser.finish().map_err(|problem| (at, problem)),
            _ => Ok(()),
        };
        if let Err(problem) = read {
            break Err((at, problem));
        }
        at = reader.buffer_position() as usize;
    };
    result.map_err(|(at, problem)| {
        let before = text.get(..at.min(text.len())).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        FmuError::Description { line, column, problem }
    })
}

/// A variable, with the dimensions that are known only when all variables are read.
struct VariableDraft {
    variable: FmuVariable,
    /// Sizes of dimensions, and the references of parameters that have them.
    dimensions: Vec<DimensionSize>,
    declared: Option<String>,
}

enum DimensionSize {
    Size(usize),
    Reference(u32),
}

/// A variable in the model's structure.
enum StructureEntry {
    /// From 1, in FMI 2.
    Index(u64),
    Reference(u32),
}

#[derive(Default)]
struct DescriptionParser {
    path: Vec<String>,
    root: Option<(FmiVersion, XmlAttributes)>,
    co_simulation: Option<FmuInterface>,
    model_exchange: Option<FmuInterface>,
    is_scheduled: bool,
    experiment: XmlAttributes,
    /// The units of declared types.
    units: BTreeMap<String, String>,
    declaring: Option<String>,
    drafts: Vec<VariableDraft>,
    derivatives: Vec<StructureEntry>,
    indicators: Vec<StructureEntry>,
}

pub(super) fn attributes(start: &BytesStart) -> Result<XmlAttributes, Problem> {
    let xml = |error: &dyn std::fmt::Display| Problem::Xml(error.to_string());
    let mut all = XmlAttributes::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| xml(&error))?;
        let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).map_err(|error| xml(&error))?;
        let name: &str = attribute.key.as_ref();
        all.insert(name.to_owned(), value.into_owned());
    }
    Ok(all)
}

fn value<T: std::str::FromStr>(attribute: &str, text: &str) -> Result<T, Problem> {
    let wrong = |_| Problem::Value { attribute: attribute.to_owned(), text: text.to_owned() };
    text.trim().parse().map_err(wrong)
}

/// Returns a number of an optional attribute.
fn optional<T: std::str::FromStr>(attributes: &XmlAttributes, name: &str) -> Result<Option<T>, Problem> {
    attributes.get(name).map(|text| value(name, text)).transpose()
}

pub(super) fn needed<'a>(
    attributes: &'a XmlAttributes,
    element: &str,
    attribute: &'static str,
) -> Result<&'a str, Problem> {
    let missing = || Problem::NoAttribute { element: element.to_owned(), attribute };
    attributes.get(attribute).map(String::as_str).ok_or_else(missing)
}

fn is_true(attributes: &XmlAttributes, name: &str) -> bool {
    attributes.get(name).is_some_and(|text| matches!(text.trim(), "true" | "1"))
}

fn one_of<T: Copy>(attributes: &XmlAttributes, name: &str, values: &[(&str, T)], default: T) -> Result<T, Problem> {
    let Some(text) = attributes.get(name) else { return Ok(default) };
    let known = values.iter().find(|(known, _)| known == text);
    known.map(|(_, value)| *value).ok_or_else(|| Problem::Value { attribute: name.to_owned(), text: text.clone() })
}

impl DescriptionParser {
    fn start(&mut self, start: &BytesStart) -> Result<(), Problem> {
        let qualified = start.name();
        let name: &str = qualified.as_ref();
        if self.path.len() >= MAX_DEPTH {
            return Err(Problem::Deep(MAX_DEPTH));
        }
        let parents: Vec<&str> = self.path.iter().map(String::as_str).collect();
        match *parents.as_slice() {
            [] => self.root = Some(root(name, attributes(start)?)?),
            [_] => self.section(name, &attributes(start)?)?,
            // The unit of a declared type: in FMI 2 of <Real> in <SimpleType>, in FMI 3 of the type itself.
            [_, "TypeDefinitions"] => {
                let all = attributes(start)?;
                self.declaring = all.get("name").cloned();
                self.declare(&all);
            }
            [_, use_, "SourceFiles"] if name == "File" => {
                let file = needed(&attributes(start)?, name, "name")?.to_owned();
                let interface = match use_ {
                    "CoSimulation" => self.co_simulation.as_mut(),
                    _ => self.model_exchange.as_mut(),
                };
                interface.into_iter().for_each(|interface| interface.sources.push(file.clone()));
            }
            [_, "TypeDefinitions", _] => self.declare(&attributes(start)?),
            [_, "ModelVariables"] => self.variable(name, attributes(start)?)?,
            [_, "ModelVariables", _] => self.inside(name, &attributes(start)?)?,
            [_, "ModelStructure"] => self.structure(name, &attributes(start)?)?,
            [_, "ModelStructure", "Outputs"] if name == "Unknown" => {
                let all = attributes(start)?;
                let index = value("index", needed(&all, name, "index")?)?;
                self.output(StructureEntry::Index(index), &all)?;
            }
            [_, "ModelStructure", "Derivatives"] if name == "Unknown" => {
                let index = value("index", needed(&attributes(start)?, name, "index")?)?;
                self.derivatives.push(StructureEntry::Index(index));
            }
            _ => {}
        }
        self.path.push(name.to_owned());
        Ok(())
    }

    fn end(&mut self) -> Result<(), Problem> {
        self.path.pop();
        Ok(())
    }

    fn version(&self) -> FmiVersion {
        self.root.as_ref().map_or(FmiVersion::Two, |(version, _)| *version)
    }

    /// Reads an element in the root.
    fn section(&mut self, name: &str, all: &XmlAttributes) -> Result<(), Problem> {
        let interface = || -> Result<FmuInterface, Problem> {
            let identifier = needed(all, name, "modelIdentifier")?.to_owned();
            // It becomes a part of a path.
            if identifier.is_empty() || identifier.starts_with('.') || identifier.contains(['/', '\\', ':', '\0']) {
                return Err(Problem::Identifier(identifier));
            }
            let can_save_state = is_true(all, "canGetAndSetFMUstate") || is_true(all, "canGetAndSetFMUState");
            let is_not_needed = is_true(all, "completedIntegratorStepNotNeeded")
                || all.get("needsCompletedIntegratorStep").is_some_and(|text| matches!(text.trim(), "false" | "0"));
            let (needs_tool, needs_completed_step) = (is_true(all, "needsExecutionTool"), !is_not_needed);
            let sources = Vec::new();
            Ok(FmuInterface { identifier, can_save_state, needs_tool, needs_completed_step, sources })
        };
        match name {
            "CoSimulation" => self.co_simulation = Some(interface()?),
            "ModelExchange" => self.model_exchange = Some(interface()?),
            "ScheduledExecution" => self.is_scheduled = true,
            "DefaultExperiment" => self.experiment = all.clone(),
            _ => {}
        }
        Ok(())
    }

    fn declare(&mut self, all: &XmlAttributes) {
        if let (Some(declared), Some(unit)) = (&self.declaring, all.get("unit")) {
            self.units.insert(declared.clone(), unit.clone());
        }
    }

    /// Reads an element in `<ModelVariables>`: `<ScalarVariable>` in FMI 2, the type in FMI 3.
    fn variable(&mut self, element: &str, all: XmlAttributes) -> Result<(), Problem> {
        let kind = match self.version() {
            FmiVersion::Two if element == "ScalarVariable" => None,
            FmiVersion::Two => return Ok(()),
            FmiVersion::Three => match FmuType::ALL.iter().find(|(name, _)| *name == element) {
                Some((_, kind)) => Some(*kind),
                None => return Ok(()),
            },
        };
        if self.drafts.len() >= MAX_VARIABLES {
            return Err(Problem::Variables(MAX_VARIABLES));
        }
        let causalities = [
            ("structuralParameter", Causality::StructuralParameter),
            ("parameter", Causality::Parameter),
            ("calculatedParameter", Causality::CalculatedParameter),
            ("input", Causality::Input),
            ("output", Causality::Output),
            ("local", Causality::Local),
            ("independent", Causality::Independent),
        ];
        let causality = one_of(&all, "causality", &causalities, Causality::Local)?;
        let variabilities = [
            ("constant", Variability::Constant),
            ("fixed", Variability::Fixed),
            ("tunable", Variability::Tunable),
            ("discrete", Variability::Discrete),
            ("continuous", Variability::Continuous),
        ];
        let is_parameter = matches!(causality, Causality::Parameter | Causality::StructuralParameter);
        let usual = match kind {
            _ if is_parameter => Variability::Fixed,
            Some(FmuType::Float64 | FmuType::Float32) | None => Variability::Continuous,
            Some(_) => Variability::Discrete,
        };
        let variable = FmuVariable {
            name: needed(&all, element, "name")?.to_owned(),
            reference: value("valueReference", needed(&all, element, "valueReference")?)?,
            causality,
            variability: one_of(&all, "variability", &variabilities, usual)?,
            // In FMI 2 the kind is in an element that follows; a string stands for it until then.
            kind: kind.unwrap_or(FmuType::Binary),
            start: all.get("start").map(|start| starts(kind, start)).unwrap_or_default(),
            unit: all.get("unit").cloned().unwrap_or_default(),
            description: all.get("description").cloned().unwrap_or_default(),
            dimensions: Vec::new(),
            is_direct: true,
        };
        let declared = all.get("declaredType").cloned();
        self.drafts.push(VariableDraft { variable, dimensions: Vec::new(), declared });
        Ok(())
    }

    /// Reads an element in a variable: its type in FMI 2, a dimension or a start value in FMI 3.
    fn inside(&mut self, element: &str, all: &XmlAttributes) -> Result<(), Problem> {
        let version = self.version();
        let Some(draft) = self.drafts.last_mut() else { return Ok(()) };
        match (version, element) {
            (FmiVersion::Two, _) => {
                let kinds = [
                    ("Real", FmuType::Float64),
                    ("Integer", FmuType::Int32),
                    ("Boolean", FmuType::Boolean),
                    ("String", FmuType::String),
                    ("Enumeration", FmuType::Enumeration),
                ];
                let Some((_, kind)) = kinds.iter().find(|(name, _)| *name == element) else { return Ok(()) };
                draft.variable.kind = *kind;
                draft.variable.start = all.get("start").map(|start| vec![start.clone()]).unwrap_or_default();
                draft.variable.unit = all.get("unit").cloned().unwrap_or_default();
                draft.declared = all.get("declaredType").cloned();
            }
            (FmiVersion::Three, "Dimension") => {
                let size = match (optional(all, "start")?, optional(all, "valueReference")?) {
                    (Some(size), _) => DimensionSize::Size(size),
                    (None, Some(reference)) => DimensionSize::Reference(reference),
                    (None, None) => {
                        return Err(Problem::NoAttribute { element: element.to_owned(), attribute: "start" });
                    }
                };
                draft.dimensions.push(size);
            }
            (FmiVersion::Three, "Start") => {
                draft.variable.start.push(needed(all, element, "value")?.to_owned());
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads the dependencies of an output. Variables come before the structure.
    fn output(&mut self, output: StructureEntry, all: &XmlAttributes) -> Result<(), Problem> {
        let Some(dependencies) = all.get("dependencies") else { return Ok(()) };
        let is_input = |draft: &VariableDraft| draft.variable.causality == Causality::Input;
        let mut is_direct = false;
        for text in dependencies.split_ascii_whitespace() {
            let number: u64 = value("dependencies", text)?;
            is_direct |= match output {
                StructureEntry::Index(_) => self.at_index(number).is_some_and(is_input),
                StructureEntry::Reference(_) => {
                    self.drafts.iter().any(|draft| u64::from(draft.variable.reference) == number && is_input(draft))
                }
            };
        }
        let found = match output {
            StructureEntry::Index(index) => {
                let at = usize::try_from(index).ok().and_then(|index| index.checked_sub(1));
                at.and_then(|at| self.drafts.get_mut(at))
            }
            StructureEntry::Reference(reference) => {
                self.drafts.iter_mut().find(|draft| draft.variable.reference == reference)
            }
        };
        if let Some(draft) = found {
            draft.variable.is_direct = is_direct;
        }
        Ok(())
    }

    fn at_index(&self, index: u64) -> Option<&VariableDraft> {
        self.drafts.get(usize::try_from(index).ok()?.checked_sub(1)?)
    }

    /// Reads an element in `<ModelStructure>`, of FMI 3.
    fn structure(&mut self, element: &str, all: &XmlAttributes) -> Result<(), Problem> {
        if self.version() == FmiVersion::Two {
            return Ok(());
        }
        let list = match element {
            "Output" => {
                let reference = value("valueReference", needed(all, element, "valueReference")?)?;
                return self.output(StructureEntry::Reference(reference), all);
            }
            "ContinuousStateDerivative" => &mut self.derivatives,
            "EventIndicator" => &mut self.indicators,
            _ => return Ok(()),
        };
        list.push(StructureEntry::Reference(value("valueReference", needed(all, element, "valueReference")?)?));
        Ok(())
    }

    fn finish(&mut self) -> Result<Description, Problem> {
        if let Some(open) = self.path.last() {
            return Err(Problem::Ends(open.clone()));
        }
        let Some((version, root)) = self.root.take() else { return Err(Problem::Root(String::new())) };
        if self.co_simulation.is_none() && self.model_exchange.is_none() {
            return Err(if self.is_scheduled { Problem::ScheduledOnly } else { Problem::NoInterface });
        }
        let variables = self.variables(version)?;
        let widths: BTreeMap<u32, usize> =
            variables.iter().map(|variable| (variable.reference, variable.width())).collect();
        let count = |unknowns: &[StructureEntry]| -> Result<usize, Problem> {
            let mut sum: usize = 0;
            for unknown in unknowns {
                let (width, what, number) = match unknown {
                    StructureEntry::Index(index) => {
                        let at = usize::try_from(*index).ok().and_then(|index| index.checked_sub(1));
                        (at.and_then(|at| variables.get(at)).map(FmuVariable::width), "index", *index)
                    }
                    StructureEntry::Reference(reference) => {
                        (widths.get(reference).copied(), "value reference", u64::from(*reference))
                    }
                };
                let width = width.ok_or(Problem::NoVariable { what, number })?;
                sum = sum.checked_add(width).filter(|sum| *sum <= MAX_VALUES).ok_or_else(too_many)?;
            }
            Ok(sum)
        };
        let states = count(&self.derivatives)?;
        let indicators = match version {
            FmiVersion::Two => optional(&root, "numberOfEventIndicators")?.unwrap_or(0),
            FmiVersion::Three => count(&self.indicators)?,
        };
        if indicators > MAX_VALUES {
            return Err(too_many());
        }
        let text = |name: &str| root.get(name).cloned().unwrap_or_default();
        let token = if version == FmiVersion::Two { "guid" } else { "instantiationToken" };
        Ok(Description {
            version,
            name: needed(&root, ROOT, "modelName")?.to_owned(),
            token: needed(&root, ROOT, token)?.to_owned(),
            tool: text("generationTool"),
            text: text("description"),
            author: text("author"),
            model_version: text("version"),
            license: text("license"),
            co_simulation: self.co_simulation.take(),
            model_exchange: self.model_exchange.take(),
            is_structured: root.get("variableNamingConvention").is_some_and(|text| text == "structured"),
            variables,
            states,
            indicators,
            start_time: optional(&self.experiment, "startTime")?,
            stop_time: optional(&self.experiment, "stopTime")?,
            step_size: optional(&self.experiment, "stepSize")?,
            tolerance: optional(&self.experiment, "tolerance")?,
            platforms: Vec::new(),
            has_sources: false,
        })
    }

    fn variables(&mut self, version: FmiVersion) -> Result<Vec<FmuVariable>, Problem> {
        let drafts = std::mem::take(&mut self.drafts);
        let sizes: BTreeMap<u32, Option<f64>> = drafts
            .iter()
            .filter(|draft| draft.variable.causality == Causality::StructuralParameter)
            .map(|draft| (draft.variable.reference, draft.variable.start_numbers().first().copied()))
            .collect();
        let mut names = BTreeSet::new();
        let mut variables = Vec::with_capacity(drafts.len());
        for VariableDraft { mut variable, dimensions, declared } in drafts {
            if !names.insert(variable.name.clone()) {
                return Err(Problem::SameName(variable.name));
            }
            if version == FmiVersion::Two && variable.kind == FmuType::Binary {
                return Err(Problem::NoType(variable.name));
            }
            let mut elements: usize = 1;
            for dimension in dimensions {
                let size = match dimension {
                    DimensionSize::Size(size) => size,
                    DimensionSize::Reference(reference) => {
                        let missing = Problem::NoVariable { what: "value reference", number: u64::from(reference) };
                        sizes.get(&reference).copied().flatten().ok_or(missing)? as usize
                    }
                };
                let product = elements.checked_mul(size).filter(|product| *product <= MAX_VALUES);
                elements = product.ok_or_else(|| Problem::Elements(variable.name.clone()))?;
                variable.dimensions.push(size);
            }
            if variable.unit.is_empty()
                && let Some(unit) = declared.and_then(|declared| self.units.get(&declared))
            {
                variable.unit.clone_from(unit);
            }
            variables.push(variable);
        }
        Ok(variables)
    }
}

const ROOT: &str = "fmiModelDescription";

fn too_many() -> Problem {
    Problem::Value { attribute: "the number of states or event indicators".to_owned(), text: "too large".to_owned() }
}

/// Reads the root's tag.
fn root(name: &str, all: XmlAttributes) -> Result<(FmiVersion, XmlAttributes), Problem> {
    if name != ROOT {
        return Err(Problem::Root(name.to_owned()));
    }
    let version = match needed(&all, ROOT, "fmiVersion")? {
        "2.0" => FmiVersion::Two,
        version if version.starts_with("3.") => FmiVersion::Three,
        version => return Err(Problem::Version(version.to_owned())),
    };
    Ok((version, all))
}

/// Splits the start values of an array in FMI 3.
fn starts(kind: Option<FmuType>, text: &str) -> Vec<String> {
    match kind {
        Some(FmuType::String | FmuType::Binary) | None => vec![text.to_owned()],
        Some(_) => text.split_ascii_whitespace().map(str::to_owned).collect(),
    }
}
