//! Replaces a text in all models: in names, in values and texts, and types of blocks. What would change is a list, from
//! which the user chooses; the chosen ones are one change.

use std::sync::Arc;

use crate::block::language::Expression;
use crate::block::{ParamKind, Registry, library};
use crate::model::{
    Block, BlockId, BlockKind, Change, Connection, Edit, InputKey, Model, Simulation, Variable, definition_of,
    rename_variable, replace_block,
};

/// The maximum number of replacements.
pub const MAX_REPLACEMENTS: usize = 2000;

/// The searched text, its replacement, and the places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplaceRequest {
    pub find: String,
    pub with: String,
    pub matches_case: bool,
    pub whole_words: bool,
    pub places: Places,
}

/// Where a text is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// The names of models, blocks, ports, signals and variables.
    pub names: bool,
    /// The values and texts of parameters and variables.
    pub values: bool,
    /// Whole names of block types: “Gain” by “Sum”.
    pub types: bool,
}

impl Default for Places {
    fn default() -> Places {
        Places { names: true, values: true, types: false }
    }
}

/// One place that would change.
#[derive(Clone, Debug, PartialEq)]
pub struct Replacement {
    pub what: &'static str,
    /// The item, such as `Gain #3` or a variable.
    pub title: String,
    pub before: String,
    pub after: String,
    pub model: Arc<str>,
    pub block: Option<BlockId>,
    /// Why it cannot be replaced.
    pub problem: Option<String>,
    target: Target,
}

#[derive(Clone, Debug, PartialEq)]
enum Target {
    Edits(Vec<Edit>),
    /// The name of a variable of a model, or of the simulation.
    Variable(Option<Arc<str>>, Arc<str>),
    Model,
}

/// Returns all places where the text stands, in the order of the file.
pub fn replacements(request: &ReplaceRequest, simulation: &Simulation, registry: &Registry) -> Vec<Replacement> {
    if request.find.is_empty() {
        return Vec::new();
    }
    let kind = request.new_kind(registry);
    let mut search = Search { request, simulation, registry, kind, found: Vec::new() };
    search.variables(None);
    for model in simulation.models_in_order() {
        search.model(model);
    }
    search.found.truncate(MAX_REPLACEMENTS);
    search.found
}

/// Returns the change of the chosen places; those with a problem are left out. `None` if nothing would change.
pub fn change_of(
    request: &ReplaceRequest,
    chosen: &[&Replacement],
    simulation: &Simulation,
    registry: &Registry,
) -> Option<Change> {
    let chosen: Vec<&&Replacement> = chosen.iter().filter(|one| one.problem.is_none()).collect();
    let mut edits = Vec::new();
    for replacement in &chosen {
        if let Target::Edits(own) = &replacement.target {
            edits.extend(own.iter().cloned());
        }
    }
    // Variables are renamed after the other edits, in the simulation that these give.
    for replacement in &chosen {
        let Target::Variable(model, name) = &replacement.target else { continue };
        let now = Change::new("", edits.clone()).applied(simulation, registry).ok()?;
        let model = model.as_ref().and_then(|model| now.model(model)).map(|model| &**model);
        let renamed = rename_variable(&now, registry, model, (name, &replacement.after)).ok()?;
        edits.extend(renamed.edits);
    }
    // All other edits name models as they were.
    for replacement in chosen.iter().filter(|replacement| replacement.target == Target::Model) {
        edits.push(Edit::RenameModel { from: Arc::clone(&replacement.model), to: replacement.after.as_str().into() });
    }
    let label = format!("Replace “{}” by “{}”", request.find, request.with);
    (!edits.is_empty()).then(|| Change::new(label, edits))
}

impl ReplaceRequest {
    /// Returns a text with each occurrence replaced; `None` if it does not occur.
    fn replaced(&self, text: &str) -> Option<String> {
        let letters: Vec<char> = text.chars().collect();
        let wanted: Vec<char> = self.find.chars().collect();
        let is_same = |one: &char, other: &char| match self.matches_case {
            true => one == other,
            false => one.to_lowercase().eq(other.to_lowercase()),
        };
        let is_word = |at: Option<usize>| {
            at.and_then(|at| letters.get(at)).is_some_and(|letter| letter.is_alphanumeric() || *letter == '_')
        };
        let (mut result, mut at, mut is_found) = (String::new(), 0, false);
        while at < letters.len() {
            let end = at + wanted.len();
            let is_here = letters.get(at..end).is_some_and(|part| part.iter().zip(&wanted).all(|(a, b)| is_same(a, b)));
            let is_whole = !is_word(at.checked_sub(1)) && !is_word(Some(end));
            if is_here && (is_whole || !self.whole_words) {
                result.push_str(&self.with);
                (at, is_found) = (end, true);
            } else {
                result.push(letters[at]);
                at += 1;
            }
        }
        (is_found && result != text).then_some(result)
    }

    /// Returns the type of block that `with` names.
    fn new_kind(&self, registry: &Registry) -> Option<BlockKind> {
        let wanted = self.with.trim().to_lowercase();
        let mut found = registry.iter().filter(|def| library::is_listed(def));
        let def = found.find(|def| def.title().to_lowercase() == wanted)?;
        Some(BlockKind::library(def.group, def.name))
    }

    fn is_type(&self, title: &str) -> bool {
        match self.matches_case {
            true => title == self.find.trim(),
            false => title.to_lowercase() == self.find.trim().to_lowercase(),
        }
    }
}

/// Returns why a text is not an expression.
fn expression_problem(text: &str) -> Option<String> {
    // Brackets around a vector or matrix may be omitted.
    let expression = Expression::parse(text).or_else(|_| Expression::parse(&format!("[{text}]")));
    expression.err().map(|error| format!("“{text}” is no value: {error}"))
}

struct Search<'a> {
    request: &'a ReplaceRequest,
    simulation: &'a Simulation,
    registry: &'a Registry,
    /// The type that replaces types.
    kind: Option<BlockKind>,
    found: Vec<Replacement>,
}

impl Search<'_> {
    fn variables(&mut self, model: Option<&Model>) {
        let variables = model.map_or(&self.simulation.variables, |model| &model.variables);
        let of = model.map(|model| Arc::clone(&model.name));
        let place = of.clone().unwrap_or_else(|| Arc::clone(&self.simulation.root));
        let mut sorted: Vec<_> = variables.iter().collect();
        sorted.sort_by_key(|(_, variable)| variable.seq);
        for (name, variable) in sorted {
            if let Some(after) = self.name(name) {
                let problem = rename_variable(self.simulation, self.registry, model, (name, &after)).err();
                let target = Target::Variable(of.clone(), Arc::clone(name));
                self.push("Variable", (name, name, after), (&place, None), target);
                self.set_problem(problem.map(|error| error.to_string()));
            }
            if let Some(after) = self.value(&variable.value) {
                let problem = expression_problem(&after);
                let changed = Variable { value: after.as_str().into(), ..(**variable).clone() };
                let edit = Edit::SetVariable { model: of.clone(), name: Arc::clone(name), variable: Some(changed) };
                self.push("Value", (name, &variable.value, after), (&place, None), Target::Edits(vec![edit]));
                self.set_problem(problem);
            }
        }
    }

    fn model(&mut self, model: &Model) {
        if let Some(after) = self.name(&model.name) {
            let edit = Edit::RenameModel { from: Arc::clone(&model.name), to: after.as_str().into() };
            let problem = Change::one("", edit).applied(self.simulation, self.registry).err();
            self.push("Model", (&model.name, &model.name, after), (&model.name, None), Target::Model);
            self.set_problem(problem.map(|error| error.to_string()));
        }
        self.variables(Some(model));
        let mut blocks: Vec<&Arc<Block>> = model.blocks.values().collect();
        blocks.sort_by_key(|block| block.seq);
        for block in blocks {
            self.block(model, block);
        }
        let mut wires: Vec<&Arc<Connection>> = model.connections.values().collect();
        wires.sort_by_key(|wire| wire.seq);
        for wire in wires {
            let Some(name) = wire.attributes.get("name") else { continue };
            let Some(after) = self.name(name) else { continue };
            let InputKey { block, input } = wire.key();
            let edit = Edit::SetConnectionAttribute {
                model: Arc::clone(&model.name),
                to: block,
                input,
                name: "name".into(),
                value: Some(after.as_str().into()),
            };
            let title = model.block(wire.from).map_or_else(String::new, |from| format!("{} {}", from.title(), from.id));
            self.push("Signal", (&title, name, after), (&model.name, Some(wire.from)), Target::Edits(vec![edit]));
        }
    }

    fn block(&mut self, model: &Model, block: &Arc<Block>) {
        let title = format!("{} {}", block.title(), block.id);
        let at = (&model.name, Some(block.id));
        let is_of_type = matches!(block.kind, BlockKind::Library { .. }) && self.request.is_type(block.kind.title());
        if self.request.places.types && is_of_type {
            let (edits, problem) = match &self.kind {
                Some(kind) => (replace_block(self.simulation, self.registry, model, block.id, kind.clone()), None),
                None => (Vec::new(), Some(format!("there is no type of block “{}”", self.request.with.trim()))),
            };
            let after = self.kind.as_ref().map_or(&*self.request.with, BlockKind::title).to_owned();
            self.push("Type", (&title, block.kind.title(), after), at, Target::Edits(edits));
            self.set_problem(problem);
        }
        if let BlockKind::Entry { name } | BlockKind::Exit { name } = &block.kind
            && let Some(after) = self.name(name)
        {
            let edit = Edit::RenamePort { model: Arc::clone(&model.name), id: block.id, name: after.as_str().into() };
            let problem = Change::one("", edit.clone()).applied(self.simulation, self.registry).err();
            self.push("Port", (&title, name, after), at, Target::Edits(vec![edit]));
            self.set_problem(problem.map(|error| error.to_string()));
        }
        if let Some(label) = block.attributes.get("label")
            && let Some(after) = self.name(label)
        {
            let value = Some(after.trim()).filter(|text| !text.is_empty()).map(Arc::from);
            let (model, name) = (Arc::clone(&model.name), "label".into());
            let edit = Edit::SetBlockAttribute { model, id: block.id, name, value };
            self.push("Label", (&title, label, after), at, Target::Edits(vec![edit]));
        }
        for option in block.options() {
            let texts: Vec<String> = option.texts().map(str::to_owned).collect();
            let changed: Vec<Option<String>> = texts.iter().map(|text| self.value(text)).collect();
            if changed.iter().all(Option::is_none) {
                continue;
            }
            let values: Vec<String> =
                changed.into_iter().zip(&texts).map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect();
            let (before, after) =
                (format!("{} = {}", option.name, texts.join(" ")), format!("{} = {}", option.name, values.join(" ")));
            let (model, name) = (Arc::clone(&model.name), Arc::clone(&option.name));
            let problem = self.value_problem(block, &option.name, &values);
            let edit = Edit::SetOption { model, id: block.id, name, values: Some(values) };
            self.push("Value", (&title, &before, after), at, Target::Edits(vec![edit]));
            self.set_problem(problem);
        }
    }

    /// Returns why the new texts of a numeric parameter are no values.
    fn value_problem(&self, block: &Block, name: &str, texts: &[String]) -> Option<String> {
        let param = definition_of(self.registry, block)?.param(name)?;
        let is_number = matches!(param.kind, ParamKind::Number { .. } | ParamKind::Integer { .. });
        texts.iter().filter(|_| is_number).find_map(|text| expression_problem(text))
    }

    fn name(&self, text: &str) -> Option<String> {
        self.request.places.names.then(|| self.request.replaced(text)).flatten()
    }

    fn value(&self, text: &str) -> Option<String> {
        self.request.places.values.then(|| self.request.replaced(text)).flatten()
    }

    fn push(
        &mut self,
        what: &'static str,
        (title, before, after): (&str, &str, String),
        (model, block): (&Arc<str>, Option<BlockId>),
        target: Target,
    ) {
        self.found.push(Replacement {
            what,
            title: title.to_owned(),
            before: before.to_owned(),
            after,
            model: Arc::clone(model),
            block,
            problem: None,
            target,
        });
    }

    /// Says why the last place cannot be replaced.
    fn set_problem(&mut self, problem: Option<String>) {
        if let Some(last) = self.found.last_mut() {
            last.problem = problem;
        }
    }
}
