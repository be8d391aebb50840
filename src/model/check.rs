//! Finds the errors of a simulation, except those in widths, loops and solvers, which [`crate::engine::compile`]
//! reports.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::resolve::check_variants;
use super::text::{bad_block_name, bad_name};
use super::{
    Block, BlockId, BlockKind, BlockPorts, Connection, Diagnostic, Flow, Hop, InputKey, Linked, Mask, Model, Scope,
    SharedPorts, Simulation, Variables, block_ports, definition_of, link, name_problem, nesting, settings_of,
};
use crate::block::language::{Names, numbers, quoted};
use crate::block::{BlockDef, Registry, Settings, boundary, number_text};

/// Returns all errors and warnings, in file order.
pub fn check(simulation: &Simulation, registry: &Registry) -> Vec<Diagnostic> {
    check_and_link(simulation, registry).found
}

/// The result of a check of a simulation.
pub(crate) struct Checked<'a> {
    /// All errors and warnings, in file order.
    pub found: Vec<Diagnostic>,
    /// The simulation with wires instead of names.
    pub linked: Linked<'a>,
    /// The settings and ports of all blocks, by model; the compiler would read them once more.
    pub blocks: HashMap<Arc<str>, CheckedBlocks>,
}

/// The settings and ports of the blocks of a model.
pub(crate) struct CheckedBlocks {
    /// In ascending order.
    ids: Vec<BlockId>,
    blocks: Vec<CheckedBlock>,
}

/// The ports of a block, without hidden ones, and the settings of a library block.
pub(crate) struct CheckedBlock {
    pub ports: Arc<BlockPorts>,
    pub settings: Option<Arc<Settings>>,
    /// Whether the settings depend on variables of the model, to which each instance may give other values.
    pub is_local: bool,
}

impl CheckedBlocks {
    pub fn get(&self, id: BlockId) -> Option<&CheckedBlock> {
        self.blocks.get(self.ids.binary_search(&id).ok()?)
    }
}

/// Checks a simulation, and replaces its names by wires.
pub(crate) fn check_and_link<'a>(simulation: &'a Simulation, registry: &Registry) -> Checked<'a> {
    let (mut found, mut blocks) = (Vec::new(), HashMap::new());
    let mut ports = SharedPorts::default();
    check_simulation(simulation, &mut found);
    super::conflict::check_conflicts(simulation, &mut found);
    check_variables(&simulation.variables, &Scope::of_simulation(simulation), None, &mut found);
    for ring in nesting(simulation).rings {
        found.push(endless_nesting(&ring));
    }
    for model in simulation.models_in_order() {
        blocks.insert(Arc::clone(&model.name), check_model(simulation, registry, model, &mut ports, &mut found));
    }
    super::lost::check_addresses(simulation, registry, &mut found);
    let linked = link(simulation, registry);
    found.extend(linked.problems.iter().cloned());
    Checked { found, linked, blocks }
}

fn check_simulation(simulation: &Simulation, found: &mut Vec<Diagnostic>) {
    if simulation.root.is_empty() {
        let known = names(simulation.models.keys());
        let problem = Diagnostic::error("missing-root", "the simulation has no root model");
        found.push(problem.help(format!("write root=\"…\" with the name of a model; the models are: {known}")));
    } else if simulation.root_model().is_none() {
        let known = names(simulation.models.keys());
        let problem = Diagnostic::error("unknown-root", format!("the root model “{}” does not exist", simulation.root));
        found.push(problem.help(format!("the models are: {known}")));
    }
    if !(simulation.delta.is_finite() && simulation.delta > 0.0) {
        let message = format!("delta is {}, but a step must be longer than 0 seconds", number_text(simulation.delta));
        found.push(Diagnostic::error("bad-delta", message));
    }
    if let Some(text) = simulation.attributes.get("loops").filter(|text| !["solve", "refuse"].contains(text)) {
        let problem = Diagnostic::error("bad-attribute", format!("loops is “{text}”, which is not a valid value"));
        found.push(
            problem
                .about("loops")
                .help("write loops=\"solve\" to solve algebraic loops, or loops=\"refuse\" to report them as errors"),
        );
    }
    for name in ["steps", "delta"] {
        if let Some(text) = simulation.attributes.get(name) {
            let message = format!("{name} is “{text}”, which is not a valid number");
            let help = "steps is an integer, delta a number of seconds";
            found.push(Diagnostic::error("bad-number", message).help(help).about(name));
        }
    }
}

const NAME_HELP: &str = "give it a name of one line, without control characters";

fn check_model(
    simulation: &Simulation,
    registry: &Registry,
    model: &Model,
    shared: &mut SharedPorts,
    found: &mut Vec<Diagnostic>,
) -> CheckedBlocks {
    if let Some(problem) = bad_name(&model.name) {
        found.push(Diagnostic::error("bad-name", problem).in_model(&model.name).help(NAME_HELP));
    }
    let scope = Scope::of_model(simulation, model);
    check_variables(&model.variables, &scope, Some(model), found);
    let count = model.blocks.len();
    let mut checked = CheckedBlocks { ids: Vec::with_capacity(count), blocks: Vec::with_capacity(count) };
    let first_exits = first_exits(model);
    // With the positions of their blocks in the file.
    let mut problems: Vec<(u64, Diagnostic)> = Vec::new();
    for block in model.blocks.values() {
        let mut on_block = |problem: Diagnostic| problems.push((block.seq, problem.on_block(&model.name, block.id)));
        if let Some(problem) = bad_block_name(block) {
            on_block(Diagnostic::error("bad-name", problem).help(NAME_HELP));
        }
        super::seeds::check_seeds(block).into_iter().for_each(&mut on_block);
        super::crossings::check_crossings(block).into_iter().for_each(&mut on_block);
        super::remote::check_pool(block).into_iter().for_each(&mut on_block);
        let mut own = None;
        match &block.kind {
            BlockKind::Entry { .. } => check_entry(block, &scope, &mut on_block),
            BlockKind::Exit { name } => {
                check_entry(block, &scope, &mut on_block);
                if let Some(first) = first_exits.get(name).filter(|first| first.id != block.id) {
                    let message = format!("this model already has an exit “{name}”, {}", first.id);
                    on_block(Diagnostic::error("duplicate-exit", message).help("give one of them another name"));
                }
            }
            BlockKind::Model { model: inner } => match simulation.model(inner) {
                Some(inner) => {
                    check_variants(simulation, block, &mut on_block);
                    check_instance(simulation, (inner, block), &scope, &mut on_block);
                    check_each(model, inner, block, &mut on_block);
                }
                None => {
                    check_variants(simulation, block, &mut on_block);
                    let help = format!("the models are: {}", names(simulation.models.keys()));
                    on_block(Diagnostic::error("unknown-model", format!("there is no model “{inner}”")).help(help));
                }
            },
            BlockKind::Library { group, name } => match definition_of(registry, block) {
                Some(def) => {
                    scope.take_is_local();
                    let settings = check_options(def, block, &scope, &mut on_block);
                    let (ports, is_local) = (shared.of_library(def, &settings), scope.take_is_local());
                    own = Some(CheckedBlock { ports, settings: Some(Arc::new(settings)), is_local });
                }
                None => on_block(unknown_block(registry, group, name)),
            },
        }
        checked.ids.push(block.id);
        checked.blocks.push(own.unwrap_or_else(|| {
            let ports = shared.share(block_ports(simulation, registry, model, block));
            CheckedBlock { ports, settings: None, is_local: false }
        }));
    }
    problems.sort_by_key(|(seq, _)| *seq);
    found.extend(problems.into_iter().map(|(_, problem)| problem));
    super::roles::check_roles(model, found);
    let connected = check_connections(model, &checked, found);
    found.extend(super::units::check_units(simulation, registry, model));
    for ((&id, CheckedBlock { ports, .. }), connected) in checked.ids.iter().zip(&checked.blocks).zip(connected) {
        let is_open = |input: &&Arc<str>| connected < ports.inputs.len() && model.source(id, input).is_none();
        for input in ports.inputs.iter().filter(is_open) {
            let what = match instance_of(simulation, model, id) {
                None => "so the block never runs",
                // The entry keeps its initial value, which is intended.
                Some(inner) if has_initial_value(inner, input) => continue,
                Some(_) => "so the entry inside has no value",
            };
            let message = format!("the input “{input}” is not connected, {what}");
            found.push(Diagnostic::warning("unconnected-input", message).on_block(&model.name, id).on_input(input));
        }
    }
    checked
}

/// The first exit of each name, in file order.
fn first_exits(model: &Model) -> BTreeMap<&Arc<str>, &Block> {
    let mut first: BTreeMap<&Arc<str>, &Block> = BTreeMap::new();
    for (block, name) in model.exits() {
        let known = first.entry(name).or_insert(block);
        if block.seq < known.seq {
            *known = block;
        }
    }
    first
}

/// The model that a block is an instance of.
fn instance_of<'a>(simulation: &'a Simulation, model: &Model, id: BlockId) -> Option<&'a Model> {
    match &model.block(id)?.kind {
        BlockKind::Model { model } => simulation.model(model).map(|inner| &**inner),
        _ => None,
    }
}

fn has_initial_value(inner: &Model, entry: &str) -> bool {
    let mut entries =
        inner.blocks.values().filter(|block| matches!(&block.kind, BlockKind::Entry { name } if **name == *entry));
    entries.any(|block| block.option_texts(Block::INITIAL_VALUE).is_some_and(|texts| !texts.is_empty()))
}

/// Checks the initial value of an entry or exit.
fn check_entry(block: &Block, scope: &Scope, on_block: &mut dyn FnMut(Diagnostic)) {
    if block.option_texts(Block::INITIAL_VALUE).is_none_or(|texts| texts.is_empty()) {
        return;
    }
    for error in settings_of(&boundary::ENTRY_STATIC, block, scope).1 {
        on_block(Diagnostic::error("bad-option", error.to_string()).about(Block::INITIAL_VALUE));
    }
}

/// Warns if an input with the role `each` is not connected.
fn check_each(model: &Model, inner: &Model, block: &Block, on_block: &mut dyn FnMut(Diagnostic)) {
    for entry in Flow::of(inner).each.iter().filter_map(|&id| inner.block(id)) {
        if let BlockKind::Entry { name } = &entry.kind
            && model.source(block.id, name).is_none()
        {
            let message = format!("the model runs for each element of “{name}”, which is not connected: it runs once");
            on_block(Diagnostic::warning("unconnected-each", message).on_input(name));
        }
    }
}

/// Checks the options of a model block, which set its model's variables for this instance.
fn check_instance(
    simulation: &Simulation,
    (inner, block): (&Model, &Block),
    scope: &Scope,
    on_block: &mut dyn FnMut(Diagnostic),
) {
    let variants = block.models();
    for option in block.options() {
        if !inner.variables.contains_key(&option.name) {
            // It may be for another variant.
            let mut others = variants.iter().filter_map(|model| simulation.model(model));
            if others.any(|other| other.variables.contains_key(&option.name)) {
                continue;
            }
            let message = format!("“{}” has no variable “{}”", inner.name, option.name);
            let help = match inner.variables.is_empty() {
                true => "the option is kept; the model has no variables".to_owned(),
                false => format!("the option is kept; the model's variables are: {}", names(inner.variables.keys())),
            };
            on_block(Diagnostic::warning("unknown-option", message).help(help).about(&option.name));
            continue;
        }
        let (mut values, mut is_known) = (Vec::new(), true);
        for text in option.texts() {
            match numbers(text, scope) {
                Ok(numbers) => values.extend(numbers),
                Err(error) => {
                    is_known = false;
                    let message = format!("{}: {}", option.name, error.message_for(text));
                    on_block(Diagnostic::error("bad-option", message).about(&option.name));
                }
            }
        }
        let mask = inner.variables.get(&option.name).and_then(|variable| Mask::of(variable).ok());
        if let (true, Some(mask)) = (is_known, mask)
            && let Some(problem) = mask.problem_with(&values)
        {
            let help = if mask.label.is_empty() { mask.doc } else { format!("{}: {}", mask.label, mask.doc) };
            let problem = Diagnostic::error("bad-option", format!("{}: {problem}", option.name));
            on_block(problem.help(help).about(&option.name));
        }
    }
}

/// Checks variables. `model` is none for the variables of the simulation.
fn check_variables(variables: &Variables, scope: &Scope, model: Option<&Model>, found: &mut Vec<Diagnostic>) {
    let mut variables: Vec<_> = variables.iter().collect();
    variables.sort_by_key(|(_, variable)| variable.seq);
    for (name, variable) in variables {
        if variable.value.trim().is_empty() && name_problem(name).is_none() {
            let help = "set it in the Import panel, or for one run with --set on the command line";
            let problem = Diagnostic::error("missing-value", format!("the variable “{name}” has no value"));
            let problem = problem.help(help).about(name);
            found.push(match model {
                Some(model) => problem.in_model(&model.name),
                None => problem,
            });
            continue;
        }
        let message = match (name_problem(name), scope.value(name), Mask::of(variable)) {
            (Some(problem), ..) => problem,
            (None, Err(error), _) => error.to_string(),
            (None, Ok(_), Err(error)) => format!("{name}: {error}"),
            (None, Ok(value), Ok(mask)) => match mask.problem_with(&value.unwrap_or_default().values) {
                Some(problem) => format!("{name}: {problem}"),
                None => continue,
            },
        };
        let help = format!("“{name}” is {}", quoted(&variable.value));
        let problem = Diagnostic::error("bad-variable", message).help(help).about(name);
        found.push(match model {
            Some(model) => problem.in_model(&model.name),
            None => problem,
        });
    }
}

/// Reads a block's options and reports their errors.
fn check_options(
    def: &'static BlockDef,
    block: &Block,
    scope: &Scope,
    on_block: &mut dyn FnMut(Diagnostic),
) -> Settings {
    let (settings, errors) = settings_of(def, block, scope);
    for error in errors {
        let help = option_help(def, error.param);
        on_block(Diagnostic::error("bad-option", error.to_string()).help(help).about(error.param));
    }
    for option in block.options() {
        if def.param(&option.name).is_none() {
            let known = names(def.params.iter().map(|param| param.name));
            let (message, help) = match def.code() {
                Some(_) => (
                    format!("the function has no argument “{}”", option.name),
                    "the value is kept for an argument of this name".to_owned(),
                ),
                None => (
                    format!("{}/{} has no option “{}”", def.group, def.name, option.name),
                    format!("the option is kept; the block's options are: {known}"),
                ),
            };
            on_block(Diagnostic::warning("unknown-option", message).help(help).about(&option.name));
        }
    }
    settings
}

fn option_help(def: &BlockDef, param: &str) -> String {
    def.param(param).map(|param| param.doc.to_owned()).unwrap_or_default()
}

/// Blocks with more inputs than this are indexed by a hash set.
const MANY_PORTS: usize = 16;

/// Reports connections whose block or port does not exist. Returns for each block the number of its inputs that are
/// connected.
fn check_connections(model: &Model, blocks: &CheckedBlocks, found: &mut Vec<Diagnostic>) -> Vec<usize> {
    let CheckedBlocks { ids, blocks } = blocks;
    // A linear search for each wire would be quadratic for blocks with many inputs.
    let many = blocks.iter().enumerate().filter(|(_, block)| block.ports.inputs.len() > MANY_PORTS);
    let many: HashMap<usize, HashSet<&str>> =
        many.map(|(index, block)| (index, block.ports.inputs.iter().map(|name| &**name).collect())).collect();
    let mut connected = vec![0; ids.len()];
    let mut wrong = Vec::new();
    let mut next = 0;
    // They are in the order of the blocks that they lead to.
    for connection in model.connections.values() {
        while ids.get(next).is_some_and(|id| *id < connection.to) {
            next += 1;
        }
        let to = (ids.get(next) == Some(&connection.to)).then_some(next);
        let has_input = to.is_some_and(|to| {
            let is_input = |inputs: &HashSet<&str>| inputs.contains(&*connection.input);
            many.get(&to).map_or_else(|| blocks[to].ports.has_input(&connection.input), is_input)
        });
        let from = ids.binary_search(&connection.from).ok();
        let has_output = from.is_some_and(|from| blocks[from].ports.has_output(&connection.output));
        if has_input && let Some(to) = to {
            connected[to] += 1;
        }
        if !has_input || !has_output {
            wrong.push(WrongConnection { connection, from, to, has_input, has_output });
        }
    }
    wrong.sort_by_key(|wrong| wrong.connection.seq);
    report_connections(model, blocks, wrong, found);
    connected
}

/// A connection, with the indices of its blocks as far as they exist, and whether these have the ports.
struct WrongConnection<'a> {
    connection: &'a Connection,
    from: Option<usize>,
    to: Option<usize>,
    has_input: bool,
    has_output: bool,
}

fn report_connections(
    model: &Model,
    blocks: &[CheckedBlock],
    wrong: Vec<WrongConnection>,
    found: &mut Vec<Diagnostic>,
) {
    // A wrong output name with many wires is reported once.
    let mut wrong_outputs = BTreeSet::new();
    for WrongConnection { connection, from, to, has_input, has_output } in wrong {
        match from {
            None => {
                let message = format!("a connection comes from {}, which is not in this model", connection.from);
                let problem = Diagnostic::error("dangling-connection", message);
                found.push(problem.on_block(&model.name, connection.to).on_input(&connection.input));
            }
            Some(from) if !has_output => {
                if !wrong_outputs.insert((connection.from, &connection.output)) {
                    continue;
                }
                let message = format!("the block has no output “{}”", connection.output);
                let problem = Diagnostic::error("unknown-output", message);
                let problem = problem.help(format!("its outputs are: {}", names(&blocks[from].ports.outputs)));
                found.push(problem.on_block(&model.name, connection.from).on_output(&connection.output));
            }
            Some(_) => {}
        }
        match to {
            None => {
                let message = format!("a connection leads to {}, which is not in this model", connection.to);
                let problem = Diagnostic::error("dangling-connection", message);
                found.push(problem.on_block(&model.name, connection.from).on_output(&connection.output));
            }
            Some(to) if !has_input => {
                let message = format!("the block has no input “{}”", connection.input);
                let problem = Diagnostic::error("unknown-input", message);
                let problem = problem.help(format!("its inputs are: {}", names(&blocks[to].ports.inputs)));
                found.push(problem.on_block(&model.name, connection.to).on_input(&connection.input));
            }
            Some(_) => {}
        }
    }
}

fn endless_nesting(ring: &[(Arc<str>, BlockId)]) -> Diagnostic {
    let path: Vec<String> = ring.iter().map(|(model, id)| format!("{model} {id}")).collect();
    let message = format!("models are nested endlessly: {}, and back", path.join(" in "));
    let problem = Diagnostic::error("endless-nesting", message);
    let problem = problem.help("remove one of these model blocks, or open the file with --skip-invalid-models");
    match ring.last() {
        Some((model, id)) => problem.on_block(model, *id),
        None => problem,
    }
}

/// Returns the diagnostic of an algebraic loop; its message names every hop.
pub fn loop_found(model: &Model, hops: &[Hop]) -> Diagnostic {
    let message = format!("algebraic loop: {}", loop_text(model, hops));
    let help = "insert a delay or an integrator, or an entry and an exit of the same name; \
                or write loops=\"solve\" on the simulation";
    let wires = hops.iter().map(|hop| InputKey { block: hop.block, input: Arc::clone(&hop.input) });
    let problem = Diagnostic::error("loop", message).help(help).through(wires);
    match hops.first() {
        Some(hop) => problem.on_block(&model.name, hop.block),
        None => problem.in_model(&model.name),
    }
}

/// `Sum #1 → Gain #2 → Sum #1`.
pub fn loop_text(model: &Model, hops: &[Hop]) -> String {
    let title = |hop: &Hop| match model.block(hop.block) {
        Some(block) => format!("{} {}", block.title(), block.id),
        None => hop.block.to_string(),
    };
    hops.iter().chain(hops.first()).map(title).collect::<Vec<_>>().join(" → ")
}

/// A block that the registry does not have: it belongs to a plug-in that is off or broken, or it is unknown.
fn unknown_block(registry: &Registry, group: &str, name: &str) -> Diagnostic {
    if group == Block::PLACEHOLDERS {
        return super::placeholder::missing(name);
    }
    let Some(absent) = registry.absent(group) else {
        // A text may name a block without its group.
        let full = if group.is_empty() { name.to_owned() } else { format!("{group}/{name}") };
        let message = format!("there is no block {full} in the library");
        let help = match (group, name) {
            // Until version 0.1 its scripts were in the language Rhai.
            ("User", "Script") => {
                "the block and its script are kept unchanged; write the script as the code of a block \
                                   User/Function: the manual compares the languages in the chapter “Code in blocks”"
                    .to_owned()
            }
            _ => spelling_help(registry, group, name),
        };
        return Diagnostic::error("unknown-block", message).help(help);
    };
    match &absent.problem {
        None => {
            let message = format!("{group}/{name} is a block of the plug-in “{group}”, which is switched off");
            let help = "the block is kept unchanged; if you trust the plug-in, switch it on in Help › Plug-ins, or with \
                        “simulate plugins enable”";
            Diagnostic::error("plugin-off", message).help(format!("{help}: {}", absent.path))
        }
        Some(problem) => {
            let message =
                format!("{group}/{name} is a block of the plug-in “{group}”, which cannot be used: {problem}");
            Diagnostic::error("plugin-broken", message).help(format!("the block is kept unchanged: {}", absent.path))
        }
    }
}

fn spelling_help(registry: &Registry, group: &str, name: &str) -> String {
    let wanted = name.to_lowercase();
    let is_like = |def: &&BlockDef| {
        let known = def.name.to_lowercase();
        known == wanted
            || known.contains(&wanted)
            || wanted.contains(&known)
            || def.aliases.iter().any(|alias| *alias == wanted)
    };
    let found: Vec<String> =
        registry.iter().filter(is_like).take(3).map(|def| format!("{}/{}", def.group, def.name)).collect();
    let plugin = match group.is_empty() || registry.has_group(group) {
        true => String::new(),
        false => format!("; if {group} is a plug-in, it is missing: “simulate plugins” lists all plug-ins"),
    };
    match found.is_empty() {
        true => {
            let compare = format!("compare the spelling of {group}/{name} with “simulate blocks”");
            format!("the block is kept unchanged; {compare}{plugin}")
        }
        false => format!("the block is kept unchanged; did you mean: {}?{plugin}", found.join(", ")),
    }
}

fn names<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    const MAX_NAMES: usize = 12;
    let mut names = names.into_iter();
    let shown: Vec<String> = names.by_ref().take(MAX_NAMES).map(|name| name.as_ref().to_owned()).collect();
    match (shown.is_empty(), names.count()) {
        (true, _) => "none".to_owned(),
        (false, 0) => shown.join(", "),
        (false, more) => format!("{} and {more} more", shown.join(", ")),
    }
}
