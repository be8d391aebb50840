//! The sizes of signals, as far as they follow from the file: of constants through the blocks behind them.
//!
//! Signals here are vectors, of which blocks that split them or multiply matrices state sizes that the other program takes
//! from their inputs. What is not known stays unknown.

use std::collections::{BTreeMap, HashMap};

use super::super::source::{Block as Foreign, Port, Source, System};
use super::super::values::{Workspace, computed, rewrite};
use super::defaults::parameter;
use super::names::number;
use crate::block::language::Matrix;

/// Rows and columns; a vector is a column.
pub type Size = (usize, usize);

const SCALAR: Size = (1, 1);
/// How often sizes are carried on; loops end it.
const ROUNDS: usize = 12;
const MAX_DEPTH: usize = 60;

/// The sizes of outputs, by the path of their system with a slash at the end, and the block.
#[derive(Debug, Default)]
pub struct Shapes {
    known: HashMap<String, BTreeMap<(usize, usize), Size>>,
}

impl Shapes {
    pub fn of(source: &Source, workspace: &Workspace) -> Shapes {
        let mut shapes = Shapes::default();
        let finder = Finder { source, workspace };
        finder.system(&source.system, "", &[], &mut shapes, 0);
        shapes
    }

    /// The size of an output of a block, by its number from 1.
    pub fn output(&self, path: &str, block: usize, output: usize) -> Option<Size> {
        self.known.get(path)?.get(&(block, output)).copied()
    }
}

struct Finder<'a> {
    source: &'a Source,
    workspace: &'a Workspace,
}

impl Finder<'_> {
    /// Finds the sizes in a system whose inputs have these sizes; returns those of its outputs.
    fn system(
        &self,
        system: &System,
        path: &str,
        inputs: &[Option<Size>],
        shapes: &mut Shapes,
        depth: usize,
    ) -> Vec<Option<Size>> {
        if depth > MAX_DEPTH {
            return Vec::new();
        }
        let mut found: BTreeMap<(usize, usize), Size> = BTreeMap::new();
        let mut wires: Vec<Vec<(usize, usize, usize)>> = vec![Vec::new(); system.blocks.len()];
        for wire in &system.wires {
            if let (Port::Signal(output), Port::Signal(input)) = (wire.from.port, wire.to.port)
                && input <= 10_000
            {
                wires[wire.to.block].push((input, wire.from.block, output));
            }
        }
        let goto: HashMap<&str, usize> = system
            .blocks
            .iter()
            .enumerate()
            .filter(|(_, block)| block.kind == "Goto")
            .map(|(index, block)| (block.params.get("GotoTag").unwrap_or("A"), index))
            .collect();
        let into = |index: usize, found: &BTreeMap<(usize, usize), Size>| {
            let last = wires[index].iter().map(|(input, ..)| *input).max().unwrap_or(0);
            let mut shapes = vec![None; last];
            for (input, block, output) in &wires[index] {
                shapes[input - 1] = found.get(&(*block, *output)).copied();
            }
            shapes
        };
        for round in 0..ROUNDS {
            let before = found.len();
            for (index, block) in system.blocks.iter().enumerate() {
                if round > 0 && found.contains_key(&(index, 1)) && block.kind != "SubSystem" {
                    continue;
                }
                let own = into(index, &found);
                let outputs = match &*block.kind {
                    "Inport" if super::bus_ports::is_element(block) => Vec::new(),
                    "Inport" => vec![inputs.get(number(block).wrapping_sub(1)).copied().flatten()],
                    "From" => {
                        let goto = goto.get(block.params.get("GotoTag").unwrap_or("A"));
                        vec![goto.and_then(|index| into(*index, &found).first().copied().flatten())]
                    }
                    "SubSystem" => match &block.system {
                        Some(inner) => {
                            let path = format!("{path}{}/", block.title().replace('/', "//"));
                            self.system(inner, &path, &own, shapes, depth + 1)
                        }
                        None => Vec::new(),
                    },
                    _ => self.outputs(block, &own),
                };
                for (at, shape) in outputs.into_iter().enumerate() {
                    found.extend(shape.map(|shape| ((index, at + 1), shape)));
                }
            }
            if found.len() == before {
                break;
            }
        }
        let mut outputs = Vec::new();
        for (index, block) in system
            .blocks
            .iter()
            .enumerate()
            .filter(|(_, block)| block.kind == "Outport" && !super::bus_ports::is_element(block))
        {
            let at = number(block).clamp(1, 10_000);
            outputs.resize(outputs.len().max(at), None);
            outputs[at - 1] = into(index, &found).first().copied().flatten();
        }
        shapes.known.insert(path.to_owned(), found);
        outputs
    }

    fn text<'b>(&'b self, block: &'b Foreign, name: &str) -> &'b str {
        parameter(block, &self.source.defaults, name).unwrap_or_default().trim()
    }

    fn value(&self, block: &Foreign, name: &str) -> Option<Matrix> {
        let rewritten = rewrite(self.text(block, name)).ok()?;
        computed(&rewritten, &|name| self.workspace.get(name).and_then(|text| text.value.clone()))
    }

    /// The size of a parameter; a row counts as a column unless the block says otherwise.
    fn size(&self, block: &Foreign, name: &str) -> Option<Size> {
        let value = self.value(block, name)?;
        Some(if value.rows == 1 { (value.columns(), 1) } else { (value.rows, value.columns()) })
    }

    fn outputs(&self, block: &Foreign, inputs: &[Option<Size>]) -> Vec<Option<Size>> {
        let first = inputs.first().copied().flatten();
        let with = |name: &str| larger(&[first, self.size(block, name)]);
        match &*block.kind {
            "Constant" => {
                let value = self.value(block, "Value");
                let is_matrix = self.text(block, "VectorParams1D") == "off";
                vec![value.map(|value| match value.rows == 1 && !is_matrix {
                    true => (value.columns(), 1),
                    false => (value.rows, value.columns()),
                })]
            }
            "Ground" | "Clock" | "DigitalClock" | "TransferFcn" | "ZeroPole" | "DotProduct" | "Fcn" => {
                vec![Some(SCALAR)]
            }
            "Step" => vec![larger(&[self.size(block, "Before"), self.size(block, "After")])],
            "Sin" | "DiscretePulseGenerator" | "SignalGenerator" => vec![self.size(block, "Amplitude")],
            "RandomNumber" => vec![self.size(block, "Mean")],
            "UniformRandomNumber" => vec![self.size(block, "Maximum")],
            "Gain" => vec![match self.text(block, "Multiplication") {
                text if !text.starts_with("Matrix") => with("Gain"),
                text => self.value(block, "Gain").zip(first).map(|(gain, of)| match text.contains("u*K") {
                    _ if gain.values.len() == 1 => of,
                    true => (of.0, gain.columns()),
                    false => (gain.rows, of.1),
                }),
            }],
            "Product" if self.text(block, "Multiplication").starts_with("Matrix") => match *inputs {
                [Some(a), Some(b)] => vec![Some((a.0, b.1))],
                [Some(a)] => vec![Some(a)],
                _ => vec![None],
            },
            "Sum" | "Product" | "MinMax" if inputs.len() == 1 => vec![Some(SCALAR)],
            "Sum" | "Product" | "MinMax" | "Logic" | "RelationalOperator" | "Trigonometry" | "Switch" => {
                vec![larger(inputs)]
            }
            "Math" if self.text(block, "Operator") == "transpose" => vec![first.map(|(rows, columns)| (columns, rows))],
            "PermuteDimensions" => vec![first.map(|(rows, columns)| (columns, rows))],
            "Math" => vec![larger(inputs)],
            "Mux" | "BusCreator" => vec![sum(inputs)],
            "Concatenate" if !self.text(block, "Mode").starts_with("Multi") => vec![sum(inputs)],
            "Concatenate" => vec![match self.value(block, "ConcatenateDimension").map(|value| value.values) {
                Some(values) if values == [1.0] => first.zip(sum_of(inputs, |of| of.0)).map(|(of, rows)| (rows, of.1)),
                Some(values) if values == [2.0] => {
                    first.zip(sum_of(inputs, |of| of.1)).map(|(of, columns)| (of.0, columns))
                }
                _ => None,
            }],
            "Demux" => {
                let widths = self.value(block, "Outputs").map(|value| value.values).unwrap_or_default();
                let widths = shares(&widths, first.map(|(rows, columns)| rows * columns));
                widths.into_iter().flatten().map(|width| Some((width, 1))).collect()
            }
            "Integrator" | "DiscreteIntegrator" | "UnitDelay" | "Memory" | "Delay" => vec![with("InitialCondition")],
            "StateSpace" | "DiscreteStateSpace" => vec![self.value(block, "C").map(|value| (value.rows, 1))],
            "Selector" if self.value(block, "NumberOfDimensions").is_none_or(|value| value.values == [1.0]) => {
                vec![self.size(block, if block.params.get("Elements").is_some() { "Elements" } else { "Indices" })]
            }
            "Reshape" => vec![match self.text(block, "OutputDimensionality") {
                "Customize" => self.value(block, "OutputDimensions").and_then(|value| match value.values[..] {
                    [rows, columns] => Some((rows as usize, columns as usize)),
                    [count] => Some((count as usize, 1)),
                    _ => None,
                }),
                text if text.starts_with("Row") => first.map(|(rows, columns)| (1, rows * columns)),
                _ => first.map(|(rows, columns)| (rows * columns, 1)),
            }],
            "Bias" => vec![with("Bias")],
            "Saturate" => vec![with("UpperLimit")],
            "Abs"
            | "Signum"
            | "UnaryMinus"
            | "Rounding"
            | "Sqrt"
            | "DeadZone"
            | "Quantizer"
            | "Relay"
            | "RateLimiter"
            | "Backlash"
            | "ZeroOrderHold"
            | "RateTransition"
            | "DataTypeConversion"
            | "SignalConversion"
            | "SignalSpecification"
            | "InitialCondition"
            | "TransportDelay"
            | "Derivative"
            | "DiscreteTransferFcn"
            | "DiscreteFilter"
            | "Lookup"
            | "Lookup_n-D"
            | "HitCross"
            | "FirstOrderHold" => vec![first],
            _ => Vec::new(),
        }
    }
}

/// The size of a result element by element; a scalar goes with any.
fn larger(shapes: &[Option<Size>]) -> Option<Size> {
    let known: Vec<Size> = shapes.iter().flatten().copied().collect();
    let largest = known.iter().copied().max_by_key(|(rows, columns)| rows * columns)?;
    // One of unknown size may be larger than a scalar.
    (known.len() == shapes.len() || largest != SCALAR).then_some(largest)
}

fn sum(shapes: &[Option<Size>]) -> Option<Size> {
    sum_of(shapes, |(rows, columns)| rows * columns).map(|count| (count, 1))
}

fn sum_of(shapes: &[Option<Size>], of: impl Fn(Size) -> usize) -> Option<usize> {
    if shapes.is_empty() { None } else { shapes.iter().map(|shape| shape.map(&of)).sum() }
}

/// The widths of the outputs of a Demux: a number of them share the input, −1 stands for the rest.
pub fn shares(given: &[f64], width: Option<usize>) -> Option<Vec<usize>> {
    match given {
        [count] => {
            let count = *count as usize;
            let width = width.filter(|_| count > 0)?;
            (width >= count).then(|| (0..count).map(|at| width / count + usize::from(at < width % count)).collect())
        }
        _ if given.iter().all(|width| *width >= 1.0) => Some(given.iter().map(|width| *width as usize).collect()),
        _ => {
            let fixed: usize = given.iter().filter(|width| **width > 0.0).map(|width| *width as usize).sum();
            let open = given.iter().filter(|width| **width <= 0.0).count();
            let rest = width?.checked_sub(fixed).filter(|rest| *rest >= open)?;
            let mut at = 0;
            let each = given.iter().map(|width| match *width > 0.0 {
                true => *width as usize,
                false => {
                    at += 1;
                    rest / open + usize::from(at <= rest % open)
                }
            });
            Some(each.collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::shares;

    #[test]
    fn a_number_of_outputs_share_the_input() {
        assert_eq!(shares(&[3.0], Some(7)), Some(vec![3, 2, 2]));
        assert_eq!(shares(&[3.0], Some(2)), None);
        assert_eq!(shares(&[3.0], None), None);
        assert_eq!(shares(&[2.0, -1.0, 1.0], Some(7)), Some(vec![2, 4, 1]));
        assert_eq!(shares(&[2.0, 1.0], None), Some(vec![2, 1]));
    }
}
