//! From the sections of a file to a [`Source`].

use std::collections::{BTreeMap, BTreeSet};

use super::super::error::ImportError;
use super::super::source::{Area, Block, Mask, MaskParameter, Note, Params, Script, Source, SourceKind, System};
use super::charts;
use super::lines::{self, BlockNames};
use super::package::Package;
use super::plain::plain;
use super::section::Section;
use super::{workspace, xml};

const DIAGRAM: &str = "simulink/blockdiagram.xml";
const KINDS: [(&str, SourceKind); 3] =
    [("Model", SourceKind::Model), ("Library", SourceKind::Library), ("Subsystem", SourceKind::Subsystem)];
/// The callbacks of a model that may set values, in the order in which they run.
const CALLBACKS: [&str; 4] = ["PreLoadFcn", "PostLoadFcn", "InitFcn", "StartFcn"];

/// Reads a package.
pub fn of_package(stem: &str, package: &Package) -> Result<Source, ImportError> {
    let text = package.text(DIAGRAM).ok_or_else(|| ImportError::MissingPart { part: DIAGRAM.to_owned() })?;
    let top = xml::parse(DIAGRAM, &text)?;
    let mut parts = Parts { package: Some(package), open: BTreeSet::new() };
    let mut source = model(stem, &top, &mut parts)?;
    if let Some(text) = package.text("simulink/bddefaults.xml") {
        add_defaults(&xml::parse("simulink/bddefaults.xml", &text)?, &mut source.defaults);
    }
    if let Some(text) = package.text("simulink/configSet0.xml") {
        add_settings(&xml::parse("simulink/configSet0.xml", &text)?, &mut source.settings);
    }
    let names: Vec<&str> = package.names("simulink/stateflow").collect();
    for name in names {
        // A chart that cannot be read costs only itself: its block becomes a placeholder.
        if let Some(part) = package.text(name).and_then(|text| xml::parse(name, &text).ok()) {
            charts::add_nested(&part, &mut source.charts);
        }
    }
    if let Some(bytes) = package.bytes("simulink/modelWorkspace.mxarray") {
        source.workspace = workspace::variables(bytes);
    }
    let about = package.text("metadata/mwcoreProperties.xml").unwrap_or_default();
    let release = about.split_once("<matlabRelease>").and_then(|(_, rest)| rest.split_once('<'));
    source.origin = match release {
        Some((release, _)) => format!("Simulink {}", release.trim()),
        None => "Simulink".to_owned(),
    };
    Ok(source)
}

/// Reads the text of an .mdl file.
pub fn of_text(stem: &str, file: &Section) -> Result<Source, ImportError> {
    let mut source = model(stem, file, &mut Parts::default())?;
    file.all("Stateflow").for_each(|charts| charts::add_flat(charts, &mut source.charts));
    let version = file.sections.iter().find_map(|section| section.get("Version"));
    source.origin = version.map_or("Simulink".to_owned(), |version| format!("Simulink {version}"));
    Ok(source)
}

/// The parts of systems that are files of their own.
#[derive(Default)]
struct Parts<'a> {
    package: Option<&'a Package>,
    /// The parts that are being read: one of them again is a ring.
    open: BTreeSet<String>,
}

fn model(stem: &str, top: &Section, parts: &mut Parts) -> Result<Source, ImportError> {
    let is_root = |section: &Section| KINDS.iter().any(|(name, _)| *name == section.name);
    let root = top.find(&|section| is_root(section) && section.section("System").is_some());
    let root = root.ok_or(ImportError::NoModel("it has neither a model nor a library"))?;
    let kind = KINDS.iter().find(|(name, _)| *name == root.name).map(|(_, kind)| *kind).unwrap_or_default();
    let mut source = Source { name: stem.to_owned(), kind, ..Source::default() };
    for section in &root.sections {
        match &*section.name {
            "System" => source.system = system(section, parts)?,
            "BlockParameterDefaults" => add_defaults_of(section, &mut source.defaults),
            _ => {}
        }
    }
    add_settings(root, &mut source.settings);
    for name in ["Solver", "StartTime", "StopTime", "FixedStep", "MaxStep", "RelTol", "AbsTol"] {
        // Very old files have them in the model itself.
        if let (Some(value), None) = (root.get(name), source.settings.get(name)) {
            source.settings.set(name, value);
        }
    }
    let code = root.find(&|section| section.get("WSMCode").is_some()).and_then(|section| section.get("WSMCode"));
    source.scripts.extend(code.map(|text| Script { origin: "model workspace".to_owned(), text: text.to_owned() }));
    for name in CALLBACKS {
        let text = root.get(name).map(str::to_owned);
        source.scripts.extend(text.map(|text| Script { origin: name.to_owned(), text }));
    }
    Ok(source)
}

fn add_defaults(part: &Section, defaults: &mut BTreeMap<String, Params>) {
    part.each(&mut |section| {
        if section.name == "BlockParameterDefaults" {
            add_defaults_of(section, defaults);
        }
    });
}

fn add_defaults_of(section: &Section, defaults: &mut BTreeMap<String, Params>) {
    for block in section.all("Block") {
        let of = defaults.entry(block.get("BlockType").unwrap_or_default().to_owned()).or_default();
        block.params.iter().filter(|(name, _)| name != "BlockType").for_each(|(name, value)| of.set(name, value));
    }
}

/// Adds the parameters of the solver: of the active configuration, which is the first one.
fn add_settings(part: &Section, settings: &mut Params) {
    let is_solver = |section: &Section| {
        section.name == "Simulink.SolverCC"
            || ["ClassName", "$ClassName"].iter().any(|name| section.get(name) == Some("Simulink.SolverCC"))
    };
    let found = part.find(&is_solver);
    for (name, value) in found.iter().flat_map(|section| &section.params) {
        settings.set(name, value);
    }
}

fn system(section: &Section, parts: &mut Parts) -> Result<System, ImportError> {
    if let Some(name) = section.get("Ref") {
        let path = format!("simulink/systems/{name}.xml");
        if !parts.open.insert(path.clone()) {
            return Err(ImportError::Ring(path));
        }
        let text = parts.package.and_then(|package| package.text(&path));
        let text = text.ok_or_else(|| ImportError::MissingPart { part: path.clone() })?;
        let made = system(&xml::parse(&path, &text)?, parts);
        parts.open.remove(&path);
        return made;
    }
    let mut made = System::default();
    for part in &section.sections {
        match &*part.name {
            "Block" => made.blocks.push(block(part, parts)?),
            "Annotation" => made.notes.extend(note(part)),
            _ => {}
        }
    }
    let mut names = BlockNames::default();
    for (index, block) in section.all("Block").enumerate() {
        names.by_id.extend(block.get("SID").map(|id| (id, index)));
        names.by_name.extend(block.get("Name").map(|name| (name, index)));
    }
    (made.wires, made.loose) = lines::wires(section, &names);
    Ok(made)
}

/// The parameters of a section that are ports and looks; the rest are parameters of the block.
const STRUCTURE: [&str; 12] = [
    "BlockType",
    "Name",
    "SID",
    "Position",
    "ZOrder",
    "Ports",
    "BlockRotation",
    "BlockMirror",
    "Orientation",
    "MaskVariables",
    "MaskValueString",
    "MaskPromptString",
];

fn block(section: &Section, parts: &mut Parts) -> Result<Block, ImportError> {
    let text = |name: &str| section.get(name).unwrap_or_default().to_owned();
    let mut block = Block { kind: text("BlockType"), name: text("Name"), ..Block::default() };
    let looks = |name: &str| STRUCTURE.contains(&name);
    for (name, value) in section.params.iter().filter(|(name, _)| !looks(name)) {
        block.params.set(name, value);
    }
    // The values of a link or a mask.
    for inner in section.all("InstanceData") {
        inner.params.iter().for_each(|(name, value)| block.params.set(name, value));
    }
    add_arrays(section, &mut block.params);
    ports(section, &mut block);
    if let [left, top, right, bottom] = lines::numbers(&text("Position"))[..] {
        block.area = Some(Area { left, top, right, bottom });
    }
    turn(section, &mut block);
    block.mask = mask(section);
    if let Some(inner) = section.section("System") {
        block.system = Some(system(inner, parts)?);
    }
    Ok(block)
}

/// Adds values that newer files store as arrays: `IndexParamArray` as a list of texts in braces.
fn add_arrays(section: &Section, params: &mut Params) {
    for array in section.all("Array") {
        let Some(name) = array.get("PropName") else { continue };
        let cells = array.all("Cell").map(|cell| cell.get("").unwrap_or_default());
        let cells: Vec<String> = cells.map(|cell| format!("'{cell}'")).collect();
        params.set(name, format!("{{{}}}", cells.join(",")));
    }
}

fn ports(section: &Section, block: &mut Block) {
    if let Some(counts) = section.section("PortCounts") {
        let number = |name: &str| Some(counts.get(name).and_then(|text| text.parse().ok()).unwrap_or(0));
        (block.inputs, block.outputs) = (number("in"), number("out"));
    } else if let Some(ports) = section.get("Ports") {
        let counts = lines::numbers(ports);
        let number = |index: usize| Some(counts.get(index).copied().unwrap_or(0.0).clamp(0.0, 1e4) as usize);
        (block.inputs, block.outputs) = (number(0), number(1));
    }
    // The names of signals, in older and in newer files.
    for port in section.all("Port") {
        let number = port.get("PortNumber").and_then(|text| text.parse().ok()).unwrap_or(1);
        note_name(block, number, port);
    }
    for port in section.all("PortProperties").flat_map(|ports| ports.all("Port")) {
        if port.get("Type") == Some("out") {
            let number = port.get("Index").and_then(|text| text.parse().ok()).unwrap_or(1);
            note_name(block, number, port);
        }
    }
}

fn note_name(block: &mut Block, number: usize, port: &Section) {
    let name = port.get("Name").or_else(|| port.get("PropagatedSignals")).filter(|name| !name.is_empty());
    block.output_names.extend(name.map(|name| (number, name.to_owned())));
}

fn turn(section: &Section, block: &mut Block) {
    let degrees = section.get("BlockRotation").and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    block.quarters = (degrees / 90.0).round().rem_euclid(4.0) as u8;
    block.is_mirrored = section.get("BlockMirror") == Some("on");
    match section.get("Orientation") {
        Some("left") => block.is_mirrored = true,
        Some("down") => block.quarters = 1,
        Some("up") => block.quarters = 3,
        _ => {}
    }
}

fn note(section: &Section) -> Option<Note> {
    let is_frame = section.get("AnnotationType") == Some("area_annotation");
    let text = section.get("Name").or_else(|| section.get("Text")).unwrap_or_default();
    let text = plain(text);
    let numbers = lines::numbers(section.get("Position").unwrap_or_default());
    let area = match numbers[..] {
        [left, top, right, bottom] => Some(Area { left, top, right, bottom }),
        [x, y] => Some(Area { left: x, top: y, right: x, bottom: y }),
        _ => None,
    };
    (is_frame || !text.is_empty()).then_some(Note { text, area, is_frame })
}

/// The mask of a block, in newer and in older files.
fn mask(section: &Section) -> Option<Mask> {
    let is_object = |inner: &&Section| inner.get("$ClassName") == Some("Simulink.Mask");
    if let Some(found) = section.section("Mask").or_else(|| section.sections.iter().find(is_object)) {
        let text = |name: &str| found.get(name).unwrap_or_default().to_owned();
        let mut mask = Mask { initialization: text("Initialization"), ..Mask::default() };
        found.each(&mut |inner| {
            let is_parameter =
                inner.name == "MaskParameter" || inner.get("$ClassName") == Some("Simulink.MaskParameter");
            if is_parameter && inner.get("Name").is_some() {
                mask.parameters.push(mask_parameter(inner));
            }
        });
        return Some(mask);
    }
    let variables = section.get("MaskVariables")?;
    let values = split_values(section.get("MaskValueString").unwrap_or_default());
    let prompts = split_values(section.get("MaskPromptString").unwrap_or_default());
    let mut mask =
        Mask { initialization: section.get("MaskInitialization").unwrap_or_default().to_owned(), ..Mask::default() };
    for (index, variable) in variables.split(';').filter(|part| !part.trim().is_empty()).enumerate() {
        let Some((name, place)) = variable.split_once('=') else { continue };
        let number = place.trim_start_matches(['@', '&']).parse().unwrap_or(index + 1);
        let of = |list: &[String]| list.get(number.wrapping_sub(1)).cloned().unwrap_or_default();
        mask.parameters.push(MaskParameter {
            name: name.trim().to_owned(),
            prompt: of(&prompts),
            value: of(&values),
            control: "edit".to_owned(),
            is_evaluated: place.starts_with('@'),
            choices: Vec::new(),
        });
    }
    Some(mask)
}

fn mask_parameter(section: &Section) -> MaskParameter {
    let text = |name: &str| section.get(name).unwrap_or_default().to_owned();
    let mut choices: Vec<String> = Vec::new();
    section.each(&mut |inner| choices.extend(inner.get("Option").map(str::to_owned)));
    MaskParameter {
        name: text("Name"),
        prompt: text("Prompt"),
        value: text("Value"),
        control: section.get("Type").unwrap_or("edit").to_owned(),
        is_evaluated: section.get("Evaluate") != Some("off"),
        choices,
    }
}

/// The parts of `a|b|c`; a bar in a value is written `||`… as `\|`.
fn split_values(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, parts.last_mut()) {
            ('\\', Some(last)) => last.extend(characters.next()),
            ('|', _) => parts.push(String::new()),
            (_, Some(last)) => last.push(character),
            _ => {}
        }
    }
    parts
}
