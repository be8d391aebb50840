//! Random programs: branches, loops, vectors, integers, singles and persistent variables, of operations that IEEE
//! arithmetic defines.

use super::{Case, ENGINES, STEPS, check, file, octave};

/// The number of programs.
pub const PROGRAMS: u64 = 2000;

/// Writes a program from pseudo-random numbers.
struct Writer {
    state: u64,
    text: String,
    indent: usize,
    /// Variables of loops that can be read here.
    counters: Vec<String>,
}

impl Writer {
    fn below(&mut self, count: u64) -> u64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % count
    }

    fn one_of(&mut self, texts: &[&str]) -> String {
        texts[self.below(texts.len() as u64) as usize].to_owned()
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(&"  ".repeat(self.indent));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn scalar(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match (self.below(6), self.counters.last().cloned()) {
                (0, _) => self.one_of(&["0.5", "2", "(-1)", "3", "0.25", "1e-3", "7"]),
                (1, Some(counter)) => counter,
                _ => self.one_of(&["a", "b", "x", "y", "s", "v(2)", "w(3)", "w(1)", "double(n)", "double(g)"]),
            };
        }
        let (p, q) = (self.scalar(depth - 1), self.scalar(depth - 1));
        match self.below(16) {
            0..3 => format!("({p} + {q})"),
            3..5 => format!("({p} - {q})"),
            5..7 => format!("{p} * {q}"),
            7 => format!("{p} / (1 + abs({q}))"),
            8 => format!("max({p}, {q})"),
            9 => format!("min({p}, -{q})"),
            10 => format!("sqrt(abs({p}))"),
            11 => {
                let function = self.one_of(&["floor", "ceil", "round", "fix", "abs", "sign", "~"]);
                format!("{function}({p})")
            }
            12 => {
                let function = self.one_of(&["sum", "prod", "max", "min", "any", "all", "numel"]);
                format!("{function}({})", self.vector(depth - 1))
            }
            13 => format!("w(1 + mod(round(abs({p})), 3))"),
            14 => format!("({})", self.condition(depth - 1)),
            _ => format!("twice({p})"),
        }
    }

    fn vector(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.one_of(&["v'", "w", "[1 -2 3]", "v(end:-1:1)'", "w([2 3 1])", "(1:3)"]);
        }
        let (p, q) = (self.vector(depth - 1), self.scalar(depth - 1));
        let other = self.vector(depth - 1);
        match self.below(9) {
            0 => format!("({p} + {other})"),
            1 => format!("{q} * ({p})"),
            2 => format!("({p}) .* ({other})"),
            3 => format!("cumsum({p})"),
            4 => format!("sort({p})"),
            5 => format!("[{q}, {}, {q}]", self.scalar(depth - 1)),
            6 => format!("max({p}, {q})"),
            7 => format!("(({p}) > ({other}))"),
            _ => format!("-({p})"),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let (p, q) = (self.scalar(depth.min(1)), self.scalar(depth.min(1)));
        let relation = self.one_of(&["<", "<=", ">", ">=", "==", "~="]);
        let plain = format!("{p} {relation} {q}");
        match (self.below(4), depth) {
            (0, 1..) => format!("{plain} && {}", self.condition(depth - 1)),
            (1, 1..) => format!("~({plain}) || {}", self.condition(depth - 1)),
            _ => plain,
        }
    }

    fn assignment(&mut self) {
        let limited = |value: String| format!("max(-9, min(9, {value}))");
        match self.below(8) {
            6 => {
                // Which zero the larger of two zeros is differs between programs, and a quotient would show it.
                let op = self.one_of(&["+", "-", "*", "/ 0.3 +"]);
                let value = self.scalar(1);
                self.line(&format!("n = n {op} ({value});"));
            }
            7 => {
                let (op, value) = (self.one_of(&["+", "-", "*", "/ 0.3 +"]), self.scalar(1));
                let limited = limited(format!("g {op} ({value})"));
                self.line(&format!("g = {limited};"));
            }
            0 => {
                let value = limited(self.vector(2));
                self.line(&format!("w = {value};"));
            }
            1 => {
                let (index, value) = (self.one_of(&["1", "2", "end", "1 + (x > 0)"]), self.scalar(2));
                self.line(&format!("w({index}) = {};", limited(value)));
            }
            2 => {
                let (value, op) = (limited(self.scalar(1)), self.one_of(&["+=", "-="]));
                self.line(&format!("x {op} {value};"));
            }
            3 => {
                let value = limited(self.scalar(2));
                self.line(&format!("w(w > x) = {value};"));
            }
            _ => {
                let (name, value) = (self.one_of(&["x", "y", "s"]), limited(self.scalar(3)));
                self.line(&format!("{name} = {value};"));
            }
        }
    }

    fn block(&mut self, depth: usize, is_in_loop: bool) {
        self.indent += 1;
        for _ in 0..=self.below(3) {
            self.statement(depth, is_in_loop);
        }
        self.indent -= 1;
    }

    fn statement(&mut self, depth: usize, is_in_loop: bool) {
        let choice = if depth == 0 { 9 } else { self.below(10) };
        match choice {
            0..3 => {
                let condition = self.condition(1);
                self.line(&format!("if {condition}"));
                self.block(depth - 1, is_in_loop);
                if self.below(2) == 0 {
                    let condition = self.condition(1);
                    self.line(&format!("elseif {condition}"));
                    self.block(depth - 1, is_in_loop);
                }
                if self.below(2) == 0 {
                    self.line("else");
                    self.block(depth - 1, is_in_loop);
                }
                self.line("end");
            }
            3 | 4 => {
                let range = self.one_of(&["1:3", "2:-1:0", "[0.5 -1]", "1:numel(w)"]);
                let name = format!("k{}", self.counters.len());
                self.line(&format!("for {name} = {range}"));
                self.counters.push(name);
                self.block(depth - 1, true);
                self.counters.pop();
                self.line("end");
            }
            5 => {
                let name = format!("n{}", self.counters.len());
                self.line(&format!("{name} = 0;"));
                let condition = if self.below(2) == 0 { format!(" && {}", self.condition(0)) } else { String::new() };
                self.line(&format!("while {name} < 3{condition}"));
                self.indent += 1;
                self.line(&format!("{name} = {name} + 1;"));
                self.indent -= 1;
                self.counters.push(name);
                self.block(depth - 1, true);
                self.counters.pop();
                self.line("end");
            }
            6 => {
                let value = self.scalar(1);
                self.line(&format!("switch sign(round({value}))"));
                self.line("case 1");
                self.block(depth - 1, is_in_loop);
                self.line("case {-1, 2}");
                self.block(depth - 1, is_in_loop);
                if self.below(2) == 0 {
                    self.line("otherwise");
                    self.block(depth - 1, is_in_loop);
                }
                self.line("end");
            }
            7 => {
                let (condition, exit) = (self.condition(1), if is_in_loop { self.below(3) } else { 2 });
                self.line(&format!("if {condition}, {}; end", ["break", "continue", "return"][exit as usize]));
            }
            _ => self.assignment(),
        }
    }
}

pub fn program(number: u64) -> Case {
    let mut writer = Writer { state: number * 7919 + 17, text: String::new(), indent: 0, counters: Vec::new() };
    writer.below(2);
    writer.line("function [y, w, x] = f(a, b, v)");
    writer.indent = 1;
    writer.line("persistent s");
    writer.line("if isempty(s), s = 0.5; end");
    let start = writer.one_of(&["[1 2 3]", "zeros(1, 3)", "v'", "cumsum(v)'"]);
    for line in ["x = a;", "y = -b;", "n = int8(9 * a);", "g = single(b);", &format!("w = {start};")] {
        writer.line(line);
    }
    for _ in 0..3 {
        writer.statement(2, false);
    }
    writer.line("s = max(-9, min(9, s + x));");
    writer.line("y = y + s + double(n) + double(g);");
    writer.indent = 0;
    writer.line("end");
    writer.line("function r = twice(p)\n  if p > 1\n    r = p;\n    return\n  end\n  r = 2 * p;\nend");
    let case = Case::parse(&format!("random_{number}: a b v(3)\n{}", writer.text));
    Case { shown: STEPS - 1..STEPS, ..case }
}

/// Every fourth program; `RANDOM_PROGRAMS=all` takes all.
#[test]
fn random_programs_have_the_results_of_octave() {
    let cases: Vec<Case> = (0..PROGRAMS).map(program).collect();
    let file = file("random.txt");
    let results = octave::results(&file, &cases);
    let stride = if std::env::var_os("RANDOM_PROGRAMS").is_some() { 1 } else { 4 };
    let pairs: Vec<_> = cases.iter().zip(&results).step_by(stride).collect();
    check(&pairs, &["simple"]);
    let some: Vec<_> = pairs.into_iter().step_by(16).collect();
    check(&some, &ENGINES[1..]);
}
