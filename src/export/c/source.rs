//! The file of the code: its functions.

use std::collections::BTreeMap;

use super::access::{Tables, counter};
use super::expression::Calls;
use super::files::{Options, Precision};
use super::functions;
use super::implicit;
use super::names::comment;
use super::number::literal;
use super::plan::{self, Parts};
use super::text::Text;
use super::usage::Item;
use super::writer::{Plan, Writer};
use crate::block::Reaction;
use crate::engine::{Bindings, Driven, Tableau};

/// The functions of the code.
pub struct Source {
    /// Tables, the functions within the file, and those for others.
    pub text: Text,
    /// The functions of the mathematics that it calls.
    pub calls: Calls,
}

/// Writes the functions of the code.
pub fn write(parts: &Parts, model: &str, options: &Options) -> Source {
    let macros = model.to_uppercase();
    let (names, nobody) = (functions::names(parts, model), BTreeMap::new());
    let plan = Plan {
        program: parts.program,
        code: parts.code,
        usage: &parts.usage,
        variables: &parts.variables,
        units: &parts.units,
        owners: &parts.owners,
        model,
        macros: &macros,
        shared: &parts.shared,
        functions: &names,
        twins: &nobody,
        layout: &parts.layout,
        hits: &parts.hits,
    };
    let (mut calls, mut tables) = (Calls::new(), Tables::default());
    let mut functions = functions::write(parts, &plan, &mut calls, &mut tables);
    if parts.has_rates {
        functions.append(rates(parts, &plan, &mut calls, &mut tables));
        functions.append(implicit::functions(parts, &plan, &mut calls, &mut tables));
        functions.append(integrate(parts, &plan));
    }
    let count = parts.steps.len();
    let mut bodies = Vec::new();
    for items in &parts.steps {
        bodies.push(step(parts, items, &plan, &mut calls, &mut tables));
    }
    if count > 1 {
        for (number, body) in bodies.drain(..).enumerate() {
            let head = format!("static void {model}_step_{}({model}_t *self)", number + 1);
            functions.append(function(&format!("Part {} of the step.", number + 1), &head, body));
        }
    }
    functions.append(apply(parts, &plan, &mut calls, &mut tables, options));
    functions.append(reset(parts, &plan, &mut calls, &mut tables));
    functions.append(init(parts, model));
    let mut whole = Text::new(1);
    if parts.has_local_rates {
        whole.line(&format!("double rates[{}];", parts.continuous()));
    }
    whole.line(&format!("self->status = {macros}_STATUS_OK;"));
    match bodies.pop() {
        Some(body) => whole.append(body),
        None => (1..=count).for_each(|number| whole.line(&format!("{model}_step_{number}(self);"))),
    }
    for &hit in &parts.hits {
        let (counter, last) = (counter(hit), hit.period - 1);
        let [counter, last] = [format!("self->clock.{counter}"), format!("{last}U")];
        whole.line(&format!("{counter} = ({counter} == 0U) ? {last} : ({counter} - 1U);"));
    }
    whole.append(next_step(options.precision));
    whole.line("return self->status;");
    let head = format!("int32_t {model}_step({model}_t *self)");
    functions.append(function("Computes the outputs of the step, then the states of the next one.", &head, whole));
    functions.append(selftest(model, options.precision));
    let mut text = Text::new(0);
    for (name, kind, elements) in &tables.made {
        text.line(&format!("static const {kind} {name}[{}] = {{{}}};", elements.len(), elements.join(", ")));
    }
    if !tables.made.is_empty() {
        text.line("");
    }
    text.append(functions);
    Source { text, calls }
}

/// Counts the step. In single precision numbers beyond the range of the counter are not exact in any case, and processors
/// without double precision have no instruction for wide ones: the counter is narrow, and stays at its end.
fn next_step(precision: Precision) -> Text {
    let mut text = Text::new(1);
    match precision {
        Precision::Double => text.line("self->step++;"),
        Precision::Single => {
            text.line("if (self->step < UINT32_MAX) {");
            text.line("self->step++;");
            text.line("}");
        }
    }
    text
}

/// A function with a comment, its head and its body.
pub fn function(about: &str, head: &str, body: Text) -> Text {
    let mut text = Text::new(0);
    text.line(&format!("/* {about} */"));
    text.line(head);
    text.push_open();
    if !body.uses("self") && head.contains("*self") {
        text.append(one_line("(void)self;"));
    }
    text.append(body);
    text.line("}");
    text.line("");
    text
}

fn one_line(line: &str) -> Text {
    let mut text = Text::new(1);
    text.line(line);
    text
}

/// The functions that compute the rates of change of the continuous states.
fn rates(parts: &Parts, plan: &Plan, calls: &mut Calls, tables: &mut Tables) -> Text {
    let (model, count) = (plan.model, parts.continuous());
    let mut functions = Text::new(0);
    let arguments = format!("{model}_t *self, double time, const double x[{count}]");
    let total = parts.rates.len();
    for (number, items) in parts.rates.iter().enumerate() {
        let mut writer = Writer::new(plan, calls, tables);
        for item in items {
            writer.item(item);
        }
        let is_last = number + 1 == total;
        let mut whole = Text::new(1);
        if is_last {
            (1..total).for_each(|part| whole.line(&format!("{model}_rates_{part}(self, time, x);")));
        }
        whole.append(writer.text);
        let mut body = Text::new(1);
        for (name, word) in [("time", "time"), ("x", "x[")] {
            if !whole.uses_word(word) && (total == 1 || !is_last) {
                body.line(&format!("(void){name};"));
            }
        }
        body.append(whole);
        let (about, head) = match is_last {
            true => (
                "Computes the rates of change of the continuous states x at a time, per second.".to_owned(),
                format!("static void {model}_rates({arguments}, double rates[{count}])"),
            ),
            false => (
                format!("Part {} of the rates of change.", number + 1),
                format!("static void {model}_rates_{}({arguments})", number + 1),
            ),
        };
        functions.append(function(&about, &head, body));
    }
    functions
}

/// Copies of cells to an array by the index of the continuous state.
pub fn copies(parts: &Parts, name: &str, moves: impl Fn(&Driven) -> &Bindings) -> Vec<(String, u32, u32)> {
    let pieces = parts.code.driven.iter().flat_map(|driven| &moves(driven).0);
    let cells = pieces.flat_map(|piece| (0..piece.count).map(|number| (piece.offset + number, piece.cell + number)));
    cells.map(|(offset, cell)| (name.to_owned(), parts.state_index(offset), cell)).collect()
}

/// Where the function that integrates has the states and the rates of its stages.
#[derive(Clone, Copy)]
struct Stages {
    /// Whether they are its own variables; else they are members of the instance.
    are_local: bool,
}

impl Stages {
    fn states(self) -> &'static str {
        if self.are_local { "x" } else { "self->solver.x" }
    }

    /// The rates of a stage; those of the first are computed by the step.
    fn rates(self, stage: usize) -> String {
        match (self.are_local, stage) {
            (true, 0) => "rates".to_owned(),
            (true, stage) => format!("k[{}]", stage - 1),
            (false, stage) => format!("self->solver.k[{stage}]"),
        }
    }

    /// The weighted sum of rates, in the order of [`Tableau`]; a factor of 1 changes no bit.
    fn sum(self, terms: &[(usize, f64)]) -> String {
        let term = |&(of, factor): &(usize, f64)| match factor {
            1.0 => format!("{}[i]", self.rates(of)),
            factor => format!("({} * {}[i])", literal(factor), self.rates(of)),
        };
        let mut all = terms.iter().map(term);
        let mut sum = all.next().unwrap_or_else(|| "0.0".to_owned());
        for (number, next) in all.enumerate() {
            sum = if number == 0 { format!("{sum} + {next}") } else { format!("({sum}) + {next}") };
        }
        sum
    }
}

/// The function that integrates the continuous states, in the arithmetic of [`Tableau`].
fn integrate(parts: &Parts, plan: &Plan) -> Text {
    let Some(tableau) = parts.program.solver.tableau() else { return Text::new(0) };
    let (model, count) = (plan.model, parts.continuous());
    let h = parts.code.delta;
    let at = Stages { are_local: parts.has_local_rates };
    let mut text = Text::new(1);
    if at.are_local {
        text.line(&format!("double x[{count}];"));
        text.line(&format!("double k[{}][{count}];", stages(tableau) - 1));
    }
    let each = |text: &mut Text, line: &str| {
        text.line(&format!("for (uint32_t i = 0U; i < {count}U; i++) {{"));
        text.line(line);
        text.line("}");
    };
    for (stage, part) in tableau.parts.iter().enumerate().skip(1) {
        let step = match tableau.rows[stage - 1] {
            &[(of, factor)] => format!("{} * {}[i]", literal(factor * h), at.rates(of)),
            row => format!("{} * ({})", literal(h), at.sum(row)),
        };
        each(&mut text, &format!("{}[i] = self->states.x[i] + ({step});", at.states()));
        let time = format!("((double)self->step + {}) * {}", literal(*part), literal(h));
        text.line(&format!("{model}_rates(self, {time}, {}, {});", at.states(), at.rates(stage)));
    }
    let step = format!("{} * ({})", literal(h), at.sum(tableau.weights));
    let step = if tableau.divisor == 1.0 { step } else { format!("({step}) / {}", literal(tableau.divisor)) };
    each(&mut text, &format!("self->states.x[i] = self->states.x[i] + ({step});"));
    let head = match at.are_local {
        true => format!("static void {model}_integrate({model}_t *self, const double rates[{count}])"),
        false => format!("static void {model}_integrate({model}_t *self)"),
    };
    let solver = parts.program.solver.name();
    function(&format!("Integrates the continuous states over the step by the method {solver}."), &head, text)
}

/// The body of a part of the step.
fn step(parts: &Parts, items: &[Item], plan: &Plan, calls: &mut Calls, tables: &mut Tables) -> Text {
    let mut writer = Writer::new(plan, calls, tables);
    for item in items {
        match item {
            Item::Instruction(_) | Item::Call(_) | Item::Loop(_) => writer.item(item),
            Item::Integrate => {
                let states: Vec<u32> = parts.code.continuous.0.iter().flat_map(|p| p.cell..p.cell + p.count).collect();
                writer.flush(|cell| states.contains(&cell));
                writer.heading("The continuous states at the end of the step, from their rates at its start");
                let rates = if parts.has_local_rates { ", rates" } else { "" };
                writer.text.line(&format!("{}_integrate(self{rates});", plan.model));
            }
            Item::Report => reports(parts, plan, &mut writer),
        }
    }
    writer.text
}

/// Sets the status to the most severe reaction that a block asks for.
fn reports(parts: &Parts, plan_of: &Plan, writer: &mut Writer) {
    for (cell, (unit, report)) in plan::reports(parts.code, parts.program) {
        let status = match report.reaction {
            Reaction::Warn => continue,
            Reaction::Pause => "PAUSED",
            Reaction::Stop => "STOPPED",
            Reaction::Finish => "FINISHED",
        };
        let block = &parts.units[unit].comment;
        writer.heading(&format!("{block}: {}", comment(&report.message)));
        let value = writer.value(cell);
        let status = format!("{}_STATUS_{status}", plan_of.macros);
        writer.text.line(&format!("if ({} && (self->status < {status})) {{", value.condition()));
        writer.text.line(&format!("self->status = {status};"));
        writer.text.line("}");
    }
}

/// The function that computes the values that depend on parameters.
fn apply(parts: &Parts, plan: &Plan, calls: &mut Calls, tables: &mut Tables, options: &Options) -> Text {
    if options.inlines_parameters || !super::header::has_apply(parts) {
        return Text::new(0);
    }
    let model = plan.model;
    let mut writer = Writer::new(plan, calls, tables);
    writer.list(&parts.derived);
    let head = format!("void {model}_apply_parameters({model}_t *self)");
    function("Computes the values that depend on parameters alone.", &head, writer.text)
}

/// The functions that start again.
fn reset(parts: &Parts, plan: &Plan, calls: &mut Calls, tables: &mut Tables) -> Text {
    let model = plan.model;
    let mut functions = Text::new(0);
    let mut body = Text::new(1);
    for (section, members) in super::header::cleared(parts) {
        // A library's function is larger than a few assignments.
        match members {
            Some(members) => {
                members.iter().for_each(|member| body.line(&format!("self->{section}.{member};")));
            }
            None => body.line(&format!("(void)memset(&self->{section}, 0, sizeof self->{section});")),
        }
    }
    for hit in parts.hits.iter().filter(|hit| hit.offset > 0) {
        body.line(&format!("self->clock.{} = {}U;", counter(*hit), hit.offset));
    }
    body.line("self->step = 0U;");
    body.line(&format!("self->status = {}_STATUS_OK;", plan.macros));
    if super::header::has_apply(parts) {
        body.line(&format!("{model}_apply_parameters(self);"));
    }
    let total = parts.reset.len();
    for (number, items) in parts.reset.iter().enumerate() {
        let mut writer = Writer::new(plan, calls, tables);
        let others = writer.initial_values(items);
        others.iter().for_each(|item| writer.item(item));
        let text = writer.text;
        if total == 1 {
            body.append(text);
        } else {
            let part = number + 1;
            let head = format!("static void {model}_reset_{part}({model}_t *self)");
            functions.append(function(&format!("Part {part} of the reset."), &head, text));
            body.line(&format!("{model}_reset_{part}(self);"));
        }
    }
    let head = format!("void {model}_reset({model}_t *self)");
    functions.append(function("Sets all states to their initial values.", &head, body));
    functions
}

/// The values of the parameters in the diagram, for the function that uses them.
fn defaults(parts: &Parts, model: &str) -> Text {
    let mut text = Text::new(1);
    if parts.params.is_empty() {
        return text;
    }
    text.line(&format!("static const {model}_parameters default_parameters = {{"));
    for (&number, values) in &parts.params {
        let variable = &parts.variables.all[number as usize];
        let values: Vec<String> = values.iter().map(|value| literal(*value)).collect();
        let values = values.join(", ");
        let values = if variable.is_array() { format!("{{{values}}}") } else { values };
        text.line(&format!(".{} = {values},", variable.name));
    }
    text.line("};");
    text
}

/// The function that sets parameters and inputs to the values of the diagram.
fn init(parts: &Parts, model: &str) -> Text {
    let mut body = defaults(parts, model);
    if !parts.params.is_empty() {
        body.line("self->parameters = default_parameters;");
    }
    let mut set = |target: String, values: &[f64], is_array: bool| match (values, is_array) {
        ([value], false) => body.line(&format!("{target} = {};", literal(*value))),
        (values, _) if values.iter().all(|value| value.to_bits() == values[0].to_bits()) => {
            body.line(&format!("for (uint32_t i = 0U; i < {}U; i++) {{", values.len()));
            body.line(&format!("{target}[i] = {};", literal(values[0])));
            body.line("}");
        }
        (values, _) => {
            for (number, value) in values.iter().enumerate() {
                body.line(&format!("{target}[{number}] = {};", literal(*value)));
            }
        }
    };
    for input in &parts.inputs {
        set(format!("self->inputs.{}", input.name), &input.values, input.width > 1);
    }
    body.line(&format!("{model}_reset(self);"));
    let about = "Sets parameters and inputs to their values in the diagram, and all states to their initial values.";
    function(about, &format!("void {model}_init({model}_t *self)"), body)
}

/// The function that finds out whether the arithmetic is as the code needs it.
fn selftest(model: &str, precision: Precision) -> Text {
    let mut body = Text::new(1);
    // The numbers of fraction bits, half and whole.
    let (half, whole) = match precision {
        Precision::Double => (30, 52),
        Precision::Single => (13, 23),
    };
    for line in [
        "/* Volatile, so that the compiler does not compute these itself. */",
        &format!("volatile double a = 1.0 + 0x1p-{half};"),
        &format!("volatile double b = 1.0 - 0x1p-{half};"),
        "volatile double c = -1.0;",
        "volatile double smallest = DBL_MIN;",
        "volatile double largest = DBL_MAX;",
        &format!("volatile double half = 0x1p-{};", whole + 1),
        "volatile double zero = 0.0;",
        "const double x = a;",
        "const double y = b;",
        "const double z = c;",
        "const double fused = (x * y) + z;",
        "const double small = smallest * 0.5;",
        "const double large = (largest * 10.0) * 0.1;",
        "const double even = 1.0 + half;",
        &format!("const double odd = (1.0 + 0x1p-{whole}) + half;"),
        "const double nothing = zero / zero;",
        "int32_t fault = 0;",
        "if (fused != 0.0) {",
        "/* Products and sums are contracted: compile with -ffp-contract=off. */",
        "fault = 1;",
        "} else if (!(small > 0.0)) {",
        "/* Subnormal numbers become 0: link without -ffast-math. */",
        "fault = 2;",
        "} else if (large < (double)INFINITY) {",
        "/* Intermediate results are wider than double. */",
        "fault = 3;",
        &format!("}} else if ((even != 1.0) || (odd != (1.0 + 0x1p-{}))) {{", whole - 1),
        "/* Results are not rounded to the nearest double, half to even. */",
        "fault = 4;",
        "} else if (nothing == nothing) {",
        "/* Not-a-number is ignored. */",
        "fault = 5;",
        "} else {",
        "/* The arithmetic is as it must be. */",
        "}",
        "return fault;",
    ] {
        body.line(line);
    }
    let about = match precision {
        Precision::Double => {
            "Returns 0 if the arithmetic of this machine and compiler gives the bits of the simulation."
        }
        Precision::Single => "Returns 0 if the arithmetic of this machine and compiler is that of IEEE 754.",
    };
    function(about, &format!("int32_t {model}_selftest(void)"), body)
}

/// The number of evaluations of the rates in a step.
pub fn stages(tableau: &Tableau) -> usize {
    tableau.parts.len()
}
