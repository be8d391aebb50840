//! The functions that integrate by an implicit method of fixed step, in the arithmetic of the engines: the derivatives of
//! all rates by all states, the matrix of the step, and the step itself.

use super::access::Tables;
use super::expression::Calls;
use super::jacobian::Jacobian;
use super::number::literal;
use super::plan::{Parts, divided};
use super::source::{copies, function};
use super::text::Text;
use super::usage::Item;
use super::writer::{Plan, Slopes, Writer};
use crate::engine::{CLOSE, CLOSE_ENOUGH, FEW_ITERATIONS, Instruction, MAX_ITERATIONS, OF_LARGEST_STATE, RODAS};

/// The parts from which the functions are written.
struct Implicit<'a> {
    parts: &'a Parts<'a>,
    plan: &'a Plan<'a>,
    jacobian: &'a Jacobian,
    /// The number of continuous states in the code, with unused ones between them.
    count: u32,
    /// The number of states, which is that of the rows of the matrix.
    size: u32,
}

/// Returns the members of the solver in the instance, as lines.
pub fn members(parts: &Parts) -> Vec<String> {
    let Some(jacobian) = &parts.jacobian else { return Vec::new() };
    let (count, size) = (parts.continuous(), jacobian.size());
    let mut found: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, length: String| found.push((name.to_owned(), length));
    let array = |length: u32| format!("[{length}]");
    add("k", format!("[1][{count}]"));
    let vectors: &[&str] = match parts.program.solver.theta() {
        Some(1.0) => &["start", "now", "change"],
        Some(_) => &["start", "before", "now", "change"],
        None => &["assumed", "now", "slope"],
    };
    vectors.iter().for_each(|name| add(name, array(count)));
    if parts.program.solver.theta().is_none() {
        add("stages", format!("[{}][{count}]", RODAS.parts.len()));
    }
    if jacobian.has_any {
        add("dx", array(count));
        add("derivatives", array(count));
    }
    for (name, length) in [("values", jacobian.value_index.len()), ("slopes", jacobian.slope_index.len())] {
        if length > 0 {
            add(name, array(length as u32));
        }
    }
    add("matrix", array(size * size));
    if !is_in_order(parts) {
        add("side", array(size));
    }
    let mut lines: Vec<String> =
        found.into_iter().map(|(name, length)| format!("    double {name}{length};")).collect();
    lines.push(format!("    uint32_t swaps[{size}];"));
    lines
}

/// Whether the states of the code are in the order of the matrix.
fn is_in_order(parts: &Parts) -> bool {
    let size = parts.jacobian.as_ref().map_or(0, Jacobian::size);
    parts.continuous() == size && (0..size).all(|state| parts.state_index(state) == state)
}

/// Writes the functions.
pub fn functions(parts: &Parts, plan: &Plan, calls: &mut Calls, tables: &mut Tables) -> Text {
    let Some(jacobian) = &parts.jacobian else { return Text::new(0) };
    let of = Implicit { parts, plan, jacobian, count: parts.continuous(), size: jacobian.size() };
    calls.extend(["factor", "solve"]);
    let mut text = of.values(calls, tables);
    text.append(of.tangents(calls, tables));
    text.append(of.matrix(tables));
    if !is_in_order(parts) {
        text.append(of.solve(tables));
    }
    text.append(match parts.program.solver.theta() {
        Some(theta) => of.newton(theta),
        None => of.rosenbrock(tables),
    });
    text
}

impl Implicit<'_> {
    /// Divides a list into those of the parts of a function.
    fn divided(&self, list: &[Instruction]) -> Vec<Vec<Instruction>> {
        let items = divided(list.iter().copied().map(Item::Instruction).collect(), self.parts.code, &self.parts.layout);
        let ins = |item: &Item| if let Item::Instruction(ins) = item { Some(*ins) } else { None };
        items.iter().map(|items| items.iter().filter_map(ins).collect()).collect()
    }

    /// The functions that compute the values that tangents depend on.
    fn values(&self, calls: &mut Calls, tables: &mut Tables) -> Text {
        let mut functions = Text::new(0);
        if self.jacobian.values.is_empty() {
            return functions;
        }
        let variables = self.jacobian.value_variables(&self.parts.variables);
        let plan = Plan { variables: &variables, ..*self.plan };
        let lists = self.divided(&self.jacobian.values);
        let bodies = lists.iter().map(|list| {
            let mut writer = Writer::new(&plan, calls, tables);
            writer.list(list);
            writer.text
        });
        let bodies: Vec<Text> = bodies.collect();
        let arguments = [("double", "time", "time"), ("const double", "x", "x[")];
        self.function(
            &mut functions,
            "linearize",
            "Computes the values that the derivatives depend on.",
            &arguments,
            bodies,
        );
        functions
    }

    /// The functions that compute the derivatives of the rates in a direction.
    fn tangents(&self, calls: &mut Calls, tables: &mut Tables) -> Text {
        let mut functions = Text::new(0);
        let Some(driven) = self.parts.code.driven.as_ref().filter(|_| self.jacobian.has_any) else { return functions };
        let values = self.jacobian.value_variables(&self.parts.variables);
        let (tangents, computed) = self.jacobian.slope_variables(&self.parts.variables, driven);
        let plan = Plan { variables: &values, ..*self.plan };
        let slopes = Slopes { variables: &tangents, computed };
        let lists = self.divided(&self.jacobian.slopes);
        let count = lists.len();
        let mut bodies = Vec::new();
        for (number, list) in lists.iter().enumerate() {
            let mut writer = Writer::new(&plan, calls, tables);
            writer.tangents(&slopes, list);
            if number + 1 == count {
                writer.heading("The derivatives of the rates");
                writer.tangents_to_states(&slopes, &copies(self.parts, "derivatives", |driven| &driven.rates));
            }
            bodies.push(writer.text);
        }
        let mut arguments =
            vec![("double", "time", "time"), ("const double", "x", "x["), ("const double", "dx", "dx[")];
        if self.jacobian.has_time {
            arguments.insert(2, ("double", "dtime", "dtime"));
        }
        arguments.push(("double", "derivatives", "derivatives["));
        let about =
            "Computes the derivatives of the rates in a direction, where the functions before have left the values.";
        self.function(&mut functions, "tangent", about, &arguments, bodies);
        functions
    }

    /// Writes a function in as many parts as it has bodies; the last calls the others. Arguments have a type, a name, and a
    /// word that uses them.
    fn function(
        &self,
        functions: &mut Text,
        name: &str,
        about: &str,
        arguments: &[(&str, &str, &str)],
        bodies: Vec<Text>,
    ) {
        let (model, count, total) = (self.plan.model, self.count, bodies.len());
        let argument = |(kind, name, word): &(&str, &str, &str)| {
            let length = if word.ends_with('[') { format!("[{count}]") } else { String::new() };
            format!("{kind} {name}{length}")
        };
        for (number, body) in bodies.into_iter().enumerate() {
            let is_last = number + 1 == total;
            // Only the last part writes the result.
            let own: Vec<_> = arguments.iter().filter(|(_, name, _)| is_last || *name != "derivatives").collect();
            let mut whole = Text::new(1);
            for (_, name, word) in &own {
                if !body.uses_word(word) && (total == 1 || !is_last) {
                    whole.line(&format!("(void){name};"));
                }
            }
            if is_last {
                let passed: Vec<&str> =
                    arguments.iter().map(|(_, name, _)| *name).filter(|name| *name != "derivatives").collect();
                (1..total).for_each(|part| whole.line(&format!("{model}_{name}_{part}(self, {});", passed.join(", "))));
            }
            whole.append(body);
            let list = own.iter().map(|of| argument(of)).collect::<Vec<_>>().join(", ");
            let (about, part) = match is_last {
                true => (about.to_owned(), String::new()),
                false => (format!("Part {} of the function {model}_{name}.", number + 1), format!("_{}", number + 1)),
            };
            functions.append(function(
                &about,
                &format!("static void {model}_{name}{part}({model}_t *self, {list})"),
                whole,
            ));
        }
    }

    /// The function that computes the factors of the matrix of a step.
    fn matrix(&self, tables: &mut Tables) -> Text {
        let Implicit { parts, plan, jacobian, count, size } = *self;
        let model = plan.model;
        let pattern = &jacobian.pattern;
        let mut table = |numbers: Vec<u32>| tables.of("uint32_t", numbers.iter().map(|n| format!("{n}U")).collect());
        let mut colours = vec![pattern.colour_count as u32; count as usize];
        for (state, &colour) in pattern.colour.iter().enumerate() {
            colours[parts.state_index(state as u32) as usize] = colour;
        }
        let (mut starts, mut rows, mut columns) = (vec![0], Vec::new(), Vec::new());
        for colour in 0..pattern.colour_count as u32 {
            for column in (0..size).filter(|column| pattern.colour[*column as usize] == colour) {
                for &row in &pattern.rows[column as usize] {
                    rows.push(row);
                    columns.push(column);
                }
            }
            starts.push(rows.len() as u32);
        }
        let is_empty = rows.is_empty();
        let on_diagonal = rows.iter().zip(&columns).filter(|(row, column)| row == column).count();
        let is_all_diagonal = on_diagonal == rows.len();
        let mut text = Text::new(1);
        let passed = if jacobian.has_time { "time, x, 0.0, " } else { "time, x, " };
        if !jacobian.values.is_empty() {
            text.line(&format!("{model}_linearize(self, time, x);"));
        }
        text.line(&format!("for (uint32_t at = 0U; at < {}U; at++) {{", size * size));
        text.line("self->solver.matrix[at] = 0.0;");
        text.line("}");
        text.line(&format!("for (uint32_t at = 0U; at < {size}U; at++) {{"));
        text.line(&format!("self->solver.matrix[at * {}U] = diagonal;", size + 1));
        text.line("}");
        if !is_empty {
            let indices: Vec<u32> = rows.iter().map(|row| parts.state_index(*row)).collect();
            let [colours, starts, rows, columns, indices] = [colours, starts, rows, columns, indices].map(&mut table);
            text.line(&format!("for (uint32_t colour = 0U; colour < {}U; colour++) {{", pattern.colour_count));
            text.line(&format!("for (uint32_t i = 0U; i < {count}U; i++) {{"));
            text.line(&format!("self->solver.dx[i] = ({colours}[i] == colour) ? 1.0 : 0.0;"));
            text.line("}");
            text.line(&format!("{model}_tangent(self, {passed}self->solver.dx, self->solver.derivatives);"));
            text.line(&format!("for (uint32_t at = {starts}[colour]; at < {starts}[colour + 1U]; at++) {{"));
            let own = match () {
                () if is_all_diagonal => "diagonal",
                () if on_diagonal == 0 => "0.0",
                () => {
                    text.line(&format!("const double own = ({rows}[at] == {columns}[at]) ? diagonal : 0.0;"));
                    "own"
                }
            };
            text.line(&format!(
                "self->solver.matrix[({rows}[at] * {size}U) + {columns}[at]] = {own} - (scale * \
                 self->solver.derivatives[{indices}[at]]);"
            ));
            text.line("}");
            text.line("}");
        }
        text.line(&format!("return simulate_factor(self->solver.matrix, self->solver.swaps, {size}U);"));
        let mut body = Text::new(1);
        for (name, word) in [("time", "time"), ("x", "x"), ("scale", "scale")] {
            if !text.uses_word(word) {
                body.line(&format!("(void){name};"));
            }
        }
        body.append(text);
        let about = "Factors the matrix diagonal·I - scale·J, where J has the derivatives of the rates by the states.";
        let arguments = format!("{model}_t *self, double time, const double x[{count}], double diagonal, double scale");
        function(&about.replace('·', "*"), &format!("static bool {model}_matrix({arguments})"), body)
    }

    /// The function that solves with the matrix, whose states are in another order than those of the code.
    fn solve(&self, tables: &mut Tables) -> Text {
        let Implicit { parts, plan, count, size, .. } = *self;
        let table = tables.of("uint32_t", (0..size).map(|state| format!("{}U", parts.state_index(state))).collect());
        let mut text = Text::new(1);
        let each = |text: &mut Text, line: &str| {
            text.line(&format!("for (uint32_t i = 0U; i < {size}U; i++) {{"));
            text.line(line);
            text.line("}");
        };
        each(&mut text, &format!("self->solver.side[i] = b[{table}[i]];"));
        text.line(&solve_line(size, "self->solver.side"));
        each(&mut text, &format!("b[{table}[i]] = self->solver.side[i];"));
        let head = format!("static void {0}_solve({0}_t *self, double b[{count}])", plan.model);
        function("Replaces the right-hand side b by the solution.", &head, text)
    }

    /// The statement that replaces a right-hand side by the solution.
    fn solve_of(&self, side: &str) -> String {
        match is_in_order(self.parts) {
            true => solve_line(self.size, side),
            false => format!("{}_solve(self, {side});", self.plan.model),
        }
    }

    fn times(&self) -> [String; 3] {
        let h = literal(self.parts.code.delta);
        [
            format!("const double begin = (double)self->step * {h};"),
            format!("const double end = ((double)self->step + 1.0) * {h};"),
            "const double length = end - begin;".to_owned(),
        ]
    }

    fn each(&self, text: &mut Text, lines: &[&str]) {
        text.line(&format!("for (uint32_t i = 0U; i < {}U; i++) {{", self.count));
        lines.iter().for_each(|line| text.line(line));
        text.line("}");
    }

    fn whole(&self, about: &str, mut text: Text) -> Text {
        let macros = self.plan.macros;
        text.line(&format!("if (!is_solved && (self->status < {macros}_STATUS_TOO_MANY_RUNS)) {{"));
        text.line(&format!("self->status = {macros}_STATUS_NOT_SOLVED;"));
        text.line("}");
        let solver = self.parts.program.solver.name();
        let about = format!("Integrates the continuous states over the step by the method {solver}{about}.");
        function(&about, &format!("static void {0}_integrate({0}_t *self)", self.plan.model), text)
    }

    /// The function that solves `x = start + h·((1 − θ)·before + θ·now)` by Newton's method.
    fn newton(&self, theta: f64) -> Text {
        let model = self.plan.model;
        let has_before = theta < 1.0;
        let mut text = Text::new(1);
        self.times().iter().for_each(|line| text.line(line));
        text.line("double size_before = (double)INFINITY;");
        text.line("bool is_solved = false;");
        text.line("bool goes_on = true;");
        self.each(&mut text, &["self->solver.start[i] = self->states.x[i];"]);
        if has_before {
            text.line(&format!("{model}_rates(self, begin, self->states.x, self->solver.before);"));
        }
        text.line(&format!(
            "for (uint32_t iteration = 0U; goes_on && (iteration < {MAX_ITERATIONS}U); iteration++) {{"
        ));
        text.line(&format!("{model}_rates(self, end, self->states.x, self->solver.now);"));
        let rate = match has_before {
            true => format!(
                "const double rate = ({} * self->solver.before[i]) + ({} * self->solver.now[i]);",
                literal(1.0 - theta),
                literal(theta)
            ),
            false => "const double rate = 0.0 + self->solver.now[i];".to_owned(),
        };
        self.each(
            &mut text,
            &[
                &rate,
                "self->solver.change[i] = (self->solver.start[i] + (length * rate)) - self->states.x[i];",
                "goes_on = goes_on && (fabs(self->solver.change[i]) < (double)INFINITY);",
            ],
        );
        text.line("if (goes_on) {");
        let scale = if has_before { format!("length * {}", literal(theta)) } else { "length".to_owned() };
        text.line(&format!("goes_on = {model}_matrix(self, end, self->states.x, 1.0, {scale});"));
        text.line("}");
        text.line("if (goes_on) {");
        ["largest", "size", "rough_size"].iter().for_each(|name| text.line(&format!("double {name} = 0.0;")));
        text.line(&self.solve_of("self->solver.change"));
        self.each(
            &mut text,
            &[
                "self->states.x[i] = self->states.x[i] + self->solver.change[i];",
                "const double around = fabs(self->states.x[i]) + fabs(self->solver.start[i]);",
                "largest = (around > largest) ? around : largest;",
            ],
        );
        let rough = format!(
            "const double rough = fabs(self->solver.change[i]) / (around + ({} * largest));",
            literal(OF_LARGEST_STATE)
        );
        self.each(
            &mut text,
            &[
                "const double around = (fabs(self->states.x[i]) + fabs(self->solver.start[i])) + DBL_MIN;",
                "const double part = fabs(self->solver.change[i]) / around;",
                &rough,
                "size = (part > size) ? part : size;",
                "rough_size = (rough > rough_size) ? rough : rough_size;",
            ],
        );
        text.line("/* When rounding keeps the corrections from becoming smaller, further iterations gain nothing. */");
        text.line(&format!(
            "is_solved = (size <= {}) || ((iteration >= {FEW_ITERATIONS}U) && (size >= size_before) && (rough_size < {}));",
            literal(CLOSE),
            literal(CLOSE_ENOUGH)
        ));
        text.line("size_before = size;");
        text.line("goes_on = !is_solved;");
        text.line("}");
        text.line("}");
        self.whole(", with Newton's iteration", text)
    }

    /// The function that makes a step of the Rosenbrock method.
    fn rosenbrock(&self, tables: &mut Tables) -> Text {
        let (model, stages) = (self.plan.model, RODAS.parts.len());
        let earlier = stages - 1;
        let row =
            |row: &&[f64]| (0..earlier).map(|of| literal(row.get(of).copied().unwrap_or(0.0))).collect::<Vec<_>>();
        let states = tables.of("double", RODAS.states.iter().flat_map(row).collect());
        let sides = tables.of("double", RODAS.sides.iter().flat_map(row).collect());
        let parts = tables.of("double", RODAS.parts.iter().map(|part| literal(*part)).collect());
        let slopes = tables.of("double", RODAS.slopes.iter().map(|slope| literal(*slope)).collect());
        let sum = |text: &mut Text, name: &str, factor: &str| {
            text.line("for (uint32_t of = 0U; of < stage; of++) {");
            text.line(&format!("{name} = {name} + ({factor} * self->solver.stages[of][i]);"));
            text.line("}");
        };
        let loop_of = |text: &mut Text| text.line(&format!("for (uint32_t i = 0U; i < {}U; i++) {{", self.count));
        let mut text = Text::new(1);
        self.times().iter().for_each(|line| text.line(line));
        text.line(&format!("{model}_rates(self, begin, self->states.x, self->solver.now);"));
        let diagonal = format!("1.0 / (length * {})", literal(RODAS.gamma));
        text.line(&format!("const bool is_solved = {model}_matrix(self, begin, self->states.x, {diagonal}, 1.0);"));
        text.line("if (is_solved) {");
        text.line("/* The derivatives of the rates by the time. */");
        self.each(&mut text, &["self->solver.dx[i] = 0.0;"]);
        text.line(&format!("{model}_tangent(self, begin, self->states.x, 1.0, self->solver.dx, self->solver.slope);"));
        text.line(&format!("for (uint32_t stage = 0U; stage < {stages}U; stage++) {{"));
        text.line("if (stage > 0U) {");
        loop_of(&mut text);
        text.line("double assumed = self->states.x[i];");
        sum(&mut text, "assumed", &format!("{states}[(stage * {earlier}U) + of]"));
        text.line("self->solver.assumed[i] = assumed;");
        text.line("}");
        let time = format!("begin + ({parts}[stage] * length)");
        text.line(&format!("{model}_rates(self, {time}, self->solver.assumed, self->solver.now);"));
        text.line("}");
        loop_of(&mut text);
        text.line("double side = self->solver.now[i];");
        sum(&mut text, "side", &format!("({sides}[(stage * {earlier}U) + of] / length)"));
        text.line(&format!(
            "self->solver.stages[stage][i] = side + ((length * {slopes}[stage]) * self->solver.slope[i]);"
        ));
        text.line("}");
        text.line(&self.solve_of("self->solver.stages[stage]"));
        text.line("}");
        self.each(
            &mut text,
            &[&format!("self->states.x[i] = self->solver.assumed[i] + self->solver.stages[{earlier}][i];")],
        );
        text.line("}");
        self.whole("", text)
    }
}

fn solve_line(size: u32, side: &str) -> String {
    format!("simulate_solve(self->solver.matrix, self->solver.swaps, {size}U, {side});")
}
