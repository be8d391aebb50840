//! Changes of a simulation, each one labelled and undone in one step, and read access to models, blocks and wires.

use std::sync::Arc;

use pyo3::prelude::*;
use simulate::block::{ParamKind, Registry, Setting, Settings};
use simulate::model::{
    Block, BlockId, BlockKind, Change, ChangeKind, Connection, Edit, Model, Position, Variable, block_ports,
};

use crate::errors::Kind;
use crate::model::{ModelCore, ModelState};

type Options = Vec<(String, Vec<String>)>;

fn apply(py: Python<'_>, state: &mut ModelState, change: &Change) -> PyResult<()> {
    state.document().apply(change).map_err(|error| Kind::Edit.of(py, error))
}

fn model_named<'a>(py: Python<'_>, state: &'a ModelState, name: &str) -> PyResult<&'a Arc<Model>> {
    state.simulation().model(name).ok_or_else(|| Kind::Edit.of(py, format!("there is no model “{name}”")))
}

fn block_in<'a>(py: Python<'_>, model: &'a Model, id: i128) -> PyResult<&'a Arc<Block>> {
    let missing = || Kind::Edit.of(py, format!("there is no block #{id} in “{}”", model.name));
    model.block(BlockId(id)).ok_or_else(missing)
}

/// Sets steps, the step length in seconds and attributes of the simulation; an attribute without a value is removed.
#[pyfunction]
#[pyo3(signature = (core, *, steps=None, delta=None, attributes=vec![]))]
pub fn set_simulation(
    py: Python<'_>,
    core: &ModelCore,
    steps: Option<u64>,
    delta: Option<f64>,
    attributes: Vec<(String, Option<String>)>,
) -> PyResult<()> {
    let mut edits: Vec<Edit> = steps.map(Edit::SetSteps).into_iter().chain(delta.map(Edit::SetDelta)).collect();
    edits.extend(
        attributes
            .into_iter()
            .map(|(name, value)| Edit::SetSimulationAttribute { name: name.into(), value: value.map(Arc::from) }),
    );
    if edits.is_empty() {
        return Ok(());
    }
    apply(py, &mut core.lock(py), &Change::new("Set simulation", edits))
}

#[pyfunction]
pub fn add_model(py: Python<'_>, core: &ModelCore, name: &str) -> PyResult<()> {
    apply(py, &mut core.lock(py), &Change::one(format!("Add model {name}"), Edit::AddModel { name: name.into() }))
}

#[pyfunction]
#[pyo3(signature = (core, name, value, model=None))]
pub fn set_variable(
    py: Python<'_>,
    core: &ModelCore,
    name: &str,
    value: Option<&str>,
    model: Option<&str>,
) -> PyResult<()> {
    let edit = Edit::SetVariable { model: model.map(Arc::from), name: name.into(), variable: value.map(Variable::new) };
    apply(py, &mut core.lock(py), &Change::one(format!("Set {name}"), edit))
}

/// Adds a block and returns its id. `kind` is `entry`, `exit` or `model` with a name, or the group of a library block.
#[pyfunction]
#[pyo3(signature = (core, model, kind, name, *, label=None, options=vec![], attributes=vec![], position=None))]
#[allow(clippy::too_many_arguments)]
pub fn add_block(
    py: Python<'_>,
    core: &ModelCore,
    model: &str,
    kind: &str,
    name: &str,
    label: Option<&str>,
    options: Options,
    attributes: Vec<(String, String)>,
    position: Option<(f64, f64)>,
) -> PyResult<i128> {
    let mut state = core.lock(py);
    let id = model_named(py, &state, model)?.free_id();
    let block_kind = match kind {
        "entry" => BlockKind::entry(name),
        "exit" => BlockKind::exit(name),
        "model" => {
            model_named(py, &state, name)?;
            BlockKind::model(name)
        }
        group => {
            if state.registry().get(group, name).is_none() {
                return Err(Kind::Edit.of(py, unknown_block(state.registry(), group, name)));
            }
            BlockKind::library(group, name)
        }
    };
    let mut block = Block::new(id, block_kind);
    // The code comes first: its arguments are options, too.
    let code = simulate::model::definition_of(state.registry(), &block).and_then(|def| def.code());
    let is_code =
        |(option, _): &&(String, Vec<String>)| code.is_some_and(|(code, _)| option.eq_ignore_ascii_case(code));
    for (option, values) in options.iter().filter(is_code).chain(options.iter().filter(|option| !is_code(option))) {
        let option = known_option(py, &option_names(&state, &block), option)?;
        block.set_option(&option, Some(&values[..]));
    }
    if let Some(label) = label {
        block.attributes.set("label", label);
    }
    for (name, value) in &attributes {
        block.attributes.set(name, value);
    }
    if let Some((x, y)) = position {
        block.set_position(Position { x, y });
    }
    let edit = Edit::AddBlock { model: model.into(), block: Box::new(block) };
    let change = Change::one(format!("Add {name}"), edit).of_kind(ChangeKind::InsertBlock);
    apply(py, &mut state, &change)?;
    Ok(id.0)
}

fn unknown_block(registry: &Registry, group: &str, name: &str) -> String {
    let names = registry.iter().map(|def| (def.group, def.name));
    let wanted = name.to_lowercase();
    let similar: Vec<String> = names
        .filter(|(_, known)| known.to_lowercase().contains(&wanted) || wanted.contains(&known.to_lowercase()))
        .map(|(group, name)| format!("{group}/{name}"))
        .take(5)
        .collect();
    match similar.is_empty() {
        true => format!("there is no block {group}/{name}; simulate.library() lists all"),
        false => format!("there is no block {group}/{name}; similar ones are: {}", similar.join(", ")),
    }
}

/// The names of a block's options; of code, also of its arguments, which a value makes parameters.
fn option_names(state: &ModelState, block: &Block) -> Vec<String> {
    match &block.kind {
        BlockKind::Entry { .. } | BlockKind::Exit { .. } => vec![Block::INITIAL_VALUE.to_owned()],
        BlockKind::Model { model } => {
            let variables = state.simulation().model(model).map(|model| model.variables.keys());
            variables.into_iter().flatten().map(|name| name.to_string()).collect()
        }
        BlockKind::Library { .. } => {
            let Some(def) = simulate::model::definition_of(state.registry(), block) else { return Vec::new() };
            let mut names: Vec<String> = def.params.iter().map(|param| param.name.to_owned()).collect();
            let code = def.code().map(|(code, default)| {
                block.option_texts(code).map_or_else(|| default.to_owned(), |texts| texts.concat())
            });
            let arguments = code.map(|code| simulate::block::language::Program::signature(&code).0).unwrap_or_default();
            names.extend(arguments.into_iter().filter(|name| def.param(name).is_none()));
            names
        }
    }
}

/// Finds an option by its name, in which `_` may stand for a space and letters may be small.
fn known_option(py: Python<'_>, known: &[String], wanted: &str) -> PyResult<String> {
    let plain = |text: &str| text.to_lowercase().replace('_', " ");
    let found = known.iter().find(|name| *name == wanted);
    let found = found.or_else(|| known.iter().find(|name| plain(name) == plain(wanted)));
    found.cloned().ok_or_else(|| {
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Kind::Edit.of(py, format!("the block has no option “{wanted}”; its options are: {known}"))
    })
}

/// Sets an option's values, or removes the option.
#[pyfunction]
pub fn set_option(
    py: Python<'_>,
    core: &ModelCore,
    model: &str,
    id: i128,
    name: &str,
    values: Option<Vec<String>>,
) -> PyResult<()> {
    let mut state = core.lock(py);
    let block = block_in(py, model_named(py, &state, model)?, id)?;
    let name = known_option(py, &option_names(&state, block), name)?;
    let edit = Edit::SetOption { model: model.into(), id: BlockId(id), name: name.as_str().into(), values };
    apply(py, &mut state, &Change::one(format!("Set {name}"), edit))
}

#[pyfunction]
pub fn set_attribute(
    py: Python<'_>,
    core: &ModelCore,
    model: &str,
    id: i128,
    name: &str,
    value: Option<String>,
) -> PyResult<()> {
    let edit = Edit::SetBlockAttribute {
        model: model.into(),
        id: BlockId(id),
        name: name.into(),
        value: value.map(Arc::from),
    };
    apply(py, &mut core.lock(py), &Change::one(format!("Set {name}"), edit))
}

#[pyfunction]
pub fn remove_blocks(py: Python<'_>, core: &ModelCore, model: &str, ids: Vec<i128>) -> PyResult<()> {
    let ids = ids.into_iter().map(BlockId).collect();
    apply(py, &mut core.lock(py), &Change::one("Remove blocks", Edit::RemoveBlocks { model: model.into(), ids }))
}

/// Connects an output to an input. Without a name the only output is taken, and the first input that is not connected.
#[pyfunction]
#[pyo3(signature = (core, model, from_id, output, to_id, input, label=None))]
#[allow(clippy::too_many_arguments)]
pub fn connect(
    py: Python<'_>,
    core: &ModelCore,
    model: &str,
    from_id: i128,
    output: Option<&str>,
    to_id: i128,
    input: Option<&str>,
    label: Option<&str>,
) -> PyResult<()> {
    let mut state = core.lock(py);
    let of = model_named(py, &state, model)?;
    let ports = |id: i128| Ok::<_, PyErr>(block_ports(state.simulation(), state.registry(), of, block_in(py, of, id)?));
    let outputs = ports(from_id)?.outputs;
    let output = match (output, &outputs[..]) {
        (Some(output), _) => Arc::from(output),
        (None, [only]) => Arc::clone(only),
        (None, _) => {
            let problem = format!("the block #{from_id} has several outputs: {}; name one", outputs.join(", "));
            return Err(Kind::Edit.of(py, problem));
        }
    };
    let inputs = ports(to_id)?.inputs;
    let input = match input {
        Some(input) => Arc::from(input),
        None => {
            let free = inputs.iter().find(|input| of.source(BlockId(to_id), input).is_none());
            let none = || Kind::Edit.of(py, format!("the block #{to_id} has no free input"));
            Arc::clone(free.ok_or_else(none)?)
        }
    };
    let mut connection = Connection::new(BlockId(from_id), &output, BlockId(to_id), &input);
    if let Some(label) = label {
        connection.attributes.set(Connection::NAME, label);
    }
    let edit = Edit::Connect { model: model.into(), connection: Box::new(connection) };
    apply(py, &mut state, &Change::one("Connect", edit))
}

#[pyfunction]
pub fn disconnect(py: Python<'_>, core: &ModelCore, model: &str, id: i128, input: &str) -> PyResult<()> {
    let edit = Edit::Disconnect { model: model.into(), to: BlockId(id), input: input.into() };
    apply(py, &mut core.lock(py), &Change::one("Disconnect", edit))
}

/// Returns the names of the models, in the order of the file.
#[pyfunction]
pub fn models(py: Python<'_>, core: &ModelCore) -> Vec<String> {
    core.lock(py).simulation().models_in_order().into_iter().map(|model| model.name.to_string()).collect()
}

#[derive(IntoPyObject)]
pub struct BlockRow {
    id: i128,
    /// `entry`, `exit`, `model`, or `block` of the library.
    kind: &'static str,
    /// The group of a library block.
    group: String,
    name: String,
    title: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
    options: Options,
    position: Option<(f64, f64)>,
}

/// Returns the blocks of a model, in the order of the file.
#[pyfunction]
pub fn blocks(py: Python<'_>, core: &ModelCore, model: &str) -> PyResult<Vec<BlockRow>> {
    let state = core.lock(py);
    let model = model_named(py, &state, model)?;
    let mut blocks: Vec<&Arc<Block>> = model.blocks.values().collect();
    blocks.sort_by_key(|block| block.seq);
    let row = |block: &Arc<Block>| {
        let (kind, group, name) = match &block.kind {
            BlockKind::Entry { name } => ("entry", "", &**name),
            BlockKind::Exit { name } => ("exit", "", &**name),
            BlockKind::Model { model } => ("model", "", &**model),
            BlockKind::Library { group, name } => ("block", &**group, &**name),
        };
        let ports = block_ports(state.simulation(), state.registry(), model, block);
        let texts = |names: &[Arc<str>]| names.iter().map(|name| name.to_string()).collect();
        BlockRow {
            id: block.id.0,
            kind,
            group: group.to_owned(),
            name: name.to_owned(),
            title: block.title().to_owned(),
            inputs: texts(&ports.inputs),
            outputs: texts(&ports.outputs),
            options: block
                .options()
                .map(|option| (option.name.to_string(), option.texts().map(str::to_owned).collect()))
                .collect(),
            position: block.position().map(|position| (position.x, position.y)),
        }
    };
    Ok(blocks.into_iter().map(row).collect())
}

/// Returns the wires of a model: source, output, target, input, name.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub fn connections(
    py: Python<'_>,
    core: &ModelCore,
    model: &str,
) -> PyResult<Vec<(i128, String, i128, String, Option<String>)>> {
    let state = core.lock(py);
    let model = model_named(py, &state, model)?;
    let mut wires: Vec<&Arc<Connection>> = model.connections.values().collect();
    wires.sort_by_key(|wire| wire.seq);
    let row = |wire: &Arc<Connection>| {
        let label = wire.attributes.get(Connection::NAME).map(str::to_owned);
        (wire.from.0, wire.output.to_string(), wire.to.0, wire.input.to_string(), label)
    };
    Ok(wires.into_iter().map(row).collect())
}

#[derive(IntoPyObject)]
pub struct ParamRow {
    name: &'static str,
    doc: &'static str,
    unit: &'static str,
    kind: &'static str,
    default: Vec<String>,
    choices: Vec<&'static str>,
}

#[derive(IntoPyObject)]
pub struct DefinitionRow {
    group: &'static str,
    name: &'static str,
    title: &'static str,
    doc: &'static str,
    formula: &'static str,
    /// With the defaults of all options.
    inputs: Vec<String>,
    outputs: Vec<String>,
    params: Vec<ParamRow>,
}

/// Returns the definitions of all blocks of the library.
#[pyfunction]
pub fn library() -> Vec<DefinitionRow> {
    let param = |param: &'static simulate::block::ParamDef| ParamRow {
        name: param.name,
        doc: param.doc,
        unit: param.unit,
        kind: match param.kind {
            ParamKind::Number { .. } => "number",
            ParamKind::Integer { .. } => "integer",
            ParamKind::Choice { .. } => "choice",
            ParamKind::Flag { .. } => "flag",
            ParamKind::Text { .. } | ParamKind::Tag { .. } => "text",
            ParamKind::File { .. } => "file",
            ParamKind::Code { .. } => "code",
            ParamKind::Formula { .. } => "formula",
        },
        default: param.default_texts(),
        choices: match param.kind {
            ParamKind::Choice { of, .. } => of.to_vec(),
            _ => Vec::new(),
        },
    };
    let row = |def: &'static simulate::block::BlockDef| {
        let settings = Settings::defaults(def);
        DefinitionRow {
            group: def.group,
            name: def.name,
            title: def.title(),
            doc: def.doc,
            formula: def.formula,
            inputs: def.inputs.names(&settings),
            outputs: def.outputs.names(&settings),
            params: def.params.iter().map(param).collect(),
        }
    };
    Registry::standard().iter().map(row).collect()
}

/// Returns the value of an option of a block as it is used: numbers, a text, or a flag.
#[pyfunction]
pub fn option_value(py: Python<'_>, core: &ModelCore, path: &str) -> PyResult<OptionValue> {
    let state = core.lock(py);
    let simulation = state.simulation();
    let found = simulate::model::BlockAddress::parse_with_rest(path, simulation);
    let (place, option) = found.map_err(|error| Kind::Path.of(py, error))?;
    let unknown = || Kind::Path.of(py, format!("“{path}” is not an option, such as PID.P"));
    let option = option.as_deref().ok_or_else(unknown)?;
    let model = simulate::model::model_at(simulation, &place.path).ok_or_else(unknown)?;
    let block = model.block(place.block).ok_or_else(unknown)?;
    let option = known_option(py, &option_names(&state, block), option)?;
    let BlockKind::Library { .. } = &block.kind else {
        let texts = block.option_texts(&option).unwrap_or_default();
        return Ok(OptionValue::Texts(texts.into_iter().map(str::to_owned).collect()));
    };
    let def = simulate::model::definition_of(state.registry(), block).filter(|def| def.param(&option).is_some());
    let def = def.ok_or_else(unknown)?;
    let scope = simulate::model::Scope::of_model(simulation, model);
    let (settings, _) = simulate::model::settings_of(def, block, &scope);
    Ok(match settings.get(&option) {
        Setting::Number(values) => OptionValue::Numbers(values.to_vec()),
        Setting::Integer(value) => OptionValue::Integer(*value),
        Setting::Flag(value) => OptionValue::Flag(*value),
        Setting::Choice(_) => OptionValue::Text(settings.choice(&option).to_owned()),
        _ => {
            OptionValue::Texts(block.option_texts(&option).unwrap_or_default().into_iter().map(str::to_owned).collect())
        }
    })
}

#[derive(IntoPyObject)]
pub enum OptionValue {
    Numbers(Vec<f64>),
    Integer(i64),
    Flag(bool),
    Text(String),
    Texts(Vec<String>),
}

/// Sets an option or a variable.
#[pyfunction]
pub fn set_path(py: Python<'_>, core: &ModelCore, text: &str) -> PyResult<()> {
    let mut state = core.lock(py);
    let set = state.whole.set_text(text);
    state.done(py, set)
}
