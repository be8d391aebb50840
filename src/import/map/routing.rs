//! Signal routing: joining, splitting, choosing, buses, tags and stores.

use std::collections::BTreeSet;

use super::block::{Cx, short};
use super::made::{Ends, Made, library};
use super::names::clean;
use super::row::{How, Row, unchanged};
use super::shapes::shares;

pub const ROWS: &[Row] = &[
    ("Mux", How::By(mux)),
    ("Demux", How::By(demux)),
    ("BusCreator", How::By(bus_creator)),
    ("BusSelector", How::By(bus_selector)),
    ("BusAssignment", How::By(bus_assignment)),
    ("BusToVector", How::By(|_| Ok(unchanged()))),
    ("Goto", How::By(goto)),
    ("From", How::By(from)),
    ("GotoTagVisibility", How::By(|_| Ok(Made::nothing()))),
    ("Selector", How::By(selector)),
    ("Switch", How::By(switch)),
    ("MultiPortSwitch", How::By(multiport)),
    ("ManualSwitch", How::By(manual)),
    ("Merge", How::By(merge)),
    ("DataStoreMemory", How::By(store)),
    ("DataStoreRead", How::By(|cx| access(cx, "Data Store Read"))),
    ("DataStoreWrite", How::By(|cx| access(cx, "Data Store Write"))),
];

pub const LIBRARY: &[Row] = &[
    ("Function-Call Generator", How::By(function_call)),
    ("Index Vector", How::By(multiport)),
    ("Manual Switch", How::By(manual)),
    (
        "Environment Controller",
        How::By(|_| {
            let ends = Ends::Listed { inputs: vec![(0, "Input".into())], outputs: vec![(0, "Output".into())] };
            Ok(Made { ends, ..unchanged() })
        }),
    ),
];

/// The number of ports of a parameter that is a number, a list of widths, or names.
fn ports(cx: &mut Cx, name: &str) -> Result<usize, String> {
    let text = cx.text(name).to_owned();
    if text.starts_with('\'') || text.contains("','") {
        return Ok(super::super::script::split(&text, ',').len());
    }
    let names = text.chars().next().is_some_and(char::is_alphabetic) && text.contains(',');
    if names { Ok(text.split(',').count()) } else { cx.count(name) }
}

fn mux(cx: &mut Cx) -> Result<Made, String> {
    let inputs = ports(cx, "Inputs")?.max(cx.wired_inputs).max(1);
    Ok(library("Routing", "Mux").with_option("Inputs", &[inputs.to_string()]).into())
}

fn demux(cx: &mut Cx) -> Result<Made, String> {
    let given = cx.numbers("Outputs")?;
    let width = cx.shape(0).map(|(rows, columns)| rows * columns);
    let widths = match (shares(&given, width), &given[..]) {
        (Some(widths), _) => widths,
        // Of an input of unknown size each output takes one element.
        (None, [count]) => vec![1; (*count as usize).clamp(1, 10_000)],
        (None, _) => {
            cx.note("a width that follows from the input is taken as 1");
            given.iter().map(|width| width.max(1.0) as usize).collect()
        }
    };
    let widths: Vec<String> = widths.iter().map(ToString::to_string).collect();
    Ok(library("Routing", "Demux").with_option("Widths", &widths).into())
}

/// The name of an element: letters, digits and underscores.
fn element(name: &str) -> String {
    let plain: String = name
        .trim()
        .trim_matches(['<', '>', '\''])
        .chars()
        .map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' })
        .collect();
    match plain.chars().next() {
        Some(first) if first.is_alphabetic() || first == '_' => plain,
        _ => format!("_{plain}"),
    }
}

/// The names of a list in quotes, or with commas.
fn names(text: &str) -> Vec<String> {
    let parts = text.split(',').map(|part| part.trim().trim_matches('\'').trim().to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

fn bus_creator(cx: &mut Cx) -> Result<Made, String> {
    let text = cx.text("Inputs").to_owned();
    let given = if text.contains('\'') { names(&text) } else { Vec::new() };
    let count = if given.is_empty() { cx.count("Inputs")? } else { given.len() };
    let mut used = BTreeSet::new();
    let mut elements = Vec::new();
    for index in 0..count {
        let wire = cx.input_names.get(index).filter(|name| !name.trim().is_empty());
        let name = given.get(index).or(wire).map_or(format!("signal{}", index + 1), |name| element(name));
        let mut free = name.clone();
        for number in 2.. {
            if used.insert(free.clone()) {
                break;
            }
            free = format!("{name}_{number}");
        }
        elements.push(free);
    }
    Ok(library("Routing", "Bus Creator").with_option("Names", &[elements.join(" ")]).into())
}

fn bus_selector(cx: &mut Cx) -> Result<Made, String> {
    let selected = names(cx.text("OutputSignals"));
    if selected.is_empty() {
        return Err("it selects no element".to_owned());
    }
    let path = |name: &String| name.split('.').map(element).collect::<Vec<_>>().join(".");
    let elements: Vec<String> = selected.iter().map(path).collect();
    let distinct: BTreeSet<&String> = elements.iter().collect();
    let block = library("Routing", "Bus Selector");
    let order: Vec<String> = elements
        .iter()
        .filter({
            let mut seen = BTreeSet::new();
            move |name| seen.insert((*name).clone())
        })
        .cloned()
        .collect();
    let mut block = block.with_option("Elements", &[order.join(" ")]);
    if cx.is_on("OutputAsBus") {
        block = block.with_option("Output", &["bus"]);
        return Ok(block.into());
    }
    if distinct.len() == elements.len() {
        return Ok(block.into());
    }
    // An element that is selected twice has one output.
    let outputs = elements.iter().map(|name| (0, name.as_str().into())).collect();
    Ok(Made { parts: vec![block], ends: Ends::Listed { inputs: vec![(0, "Bus".into())], outputs }, ..Made::default() })
}

fn bus_assignment(cx: &mut Cx) -> Result<Made, String> {
    let assigned = names(cx.text("AssignedSignals"));
    let elements: Vec<String> =
        assigned.iter().map(|name| name.split('.').map(element).collect::<Vec<_>>().join(".")).collect();
    Ok(library("Routing", "Bus Assignment").with_option("Elements", &[elements.join(" ")]).into())
}

/// The text of the indices of the first dimension, in older and newer files.
pub fn index_text(cx: &Cx) -> Result<String, String> {
    let list = cx.any(&["IndexParamArray"]).to_owned();
    if list.starts_with('{') {
        let first =
            super::super::script::split(list.trim_matches(['{', '}']), ',').into_iter().next().unwrap_or_default();
        return Ok(first.trim().trim_matches('\'').to_owned());
    }
    Ok(cx.any(&["Indices", "Elements"]).to_owned())
}

fn selector(cx: &mut Cx) -> Result<Made, String> {
    if cx.number("NumberOfDimensions")? != 1.0 {
        return part_of_matrix(cx);
    }
    let first = if cx.text("IndexMode").starts_with("Zero") { "0" } else { "1" };
    let list = cx.any(&["IndexOptionArray", "IndexOptions"]).trim_matches(['{', '}', '\'']).to_owned();
    let option = list.split("','").next().unwrap_or_default().to_owned();
    let option = option.split(',').next().unwrap_or_default().trim().to_owned();
    match &*option {
        "Index vector (port)" => {
            let block = library("Routing", "Index Vector").with_option("First Index", &[first]);
            let inputs = vec![(0, "Vector".into()), (0, "Index".into())];
            Ok(Made {
                parts: vec![block],
                ends: Ends::Listed { inputs, outputs: vec![(0, "Output".into())] },
                ..Made::default()
            })
        }
        "Select all" => Ok(unchanged()),
        "Starting index (dialog)" => {
            let text = index_text(cx)?;
            let start = cx.expression_of(&text)?.value.and_then(|value| value.values.first().copied());
            let size = cx.any(&["OutputSizeArray", "OutputSizes"]).trim_matches(['{', '}', '\'']).to_owned();
            let size = cx
                .expression_of(size.split(',').next().unwrap_or("1").trim_matches('\''))?
                .value
                .and_then(|value| value.values.first().copied());
            let (Some(start), Some(size)) = (start, size) else {
                return Err("its indices have to be known for the import".to_owned());
            };
            let indices: Vec<String> =
                (0..(size as usize).min(100_000)).map(|at| crate::block::number_text(start + at as f64)).collect();
            Ok(library("Routing", "Selector")
                .with_option("First Index", &[first])
                .with_option("Indices", &indices)
                .into())
        }
        "Index vector (dialog)" | "" => {
            let text = index_text(cx)?;
            let value = cx.expression_of(&text)?;
            Ok(library("Routing", "Selector")
                .with_option("First Index", &[first])
                .with_option("Indices", &[value.text])
                .into())
        }
        other => Err(format!("the elements are chosen by “{}”", short(other))),
    }
}

fn switch(cx: &mut Cx) -> Result<Made, String> {
    let criterion = match cx.text("Criteria") {
        text if text.contains(">=") => ">=",
        text if text.contains('>') => ">",
        _ => "!=",
    };
    let mut block = library("Routing", "Switch").with_option("Criterion", &[criterion]);
    if criterion == "!=" {
        block = block.with_option("Threshold", &["0"]);
    } else {
        cx.set(&mut block, "Threshold", "Threshold")?;
    }
    cx.note_type();
    Ok(block.into())
}

fn multiport(cx: &mut Cx) -> Result<Made, String> {
    let inputs = cx.count("Inputs")?.max(1);
    let order = cx.text("DataPortOrder").to_owned();
    if order.starts_with("Specify") {
        return Err("its inputs are chosen by given numbers".to_owned());
    }
    let first = if order.starts_with("Zero") || cx.is_on("zeroIdx") { "0" } else { "1" };
    if inputs == 1 {
        let block = library("Routing", "Index Vector").with_option("First Index", &[first]);
        return Ok(block.into());
    }
    Ok(library("Routing", "Multiport Switch")
        .with_option("Inputs", &[inputs.to_string()])
        .with_option("First Index", &[first])
        .into())
}

fn manual(cx: &mut Cx) -> Result<Made, String> {
    let position = if ["0", "off"].contains(&cx.any(&["CurrentSetting", "sw"])) { "2" } else { "1" };
    Ok(library("Routing", "Manual Switch").with_option("Position", &[position]).into())
}

fn merge(cx: &mut Cx) -> Result<Made, String> {
    let inputs = cx.count("Inputs")?.max(1).to_string();
    let mut block = library("Flow", "Merge").with_option("Inputs", &[inputs]);
    cx.set_unless_empty(&mut block, "Initial Value", "InitialOutput")?;
    Ok(block.into())
}

fn store(cx: &mut Cx) -> Result<Made, String> {
    let name = clean(cx.text("DataStoreName"));
    let mut block = library("Routing", "Data Store Memory").with_option("Name", &[name]);
    cx.set_unless_empty(&mut block, "Initial Value", "InitialValue")?;
    Ok(block.into())
}

fn access(cx: &mut Cx, name: &str) -> Result<Made, String> {
    if !["", "[]", "{}"].contains(&cx.text("DataStoreElements")) {
        return Err("it accesses elements of the store".to_owned());
    }
    let store = clean(cx.text("DataStoreName"));
    Ok(library("Routing", name).with_option("Name", &[store]).into())
}

fn function_call(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Flow", "Function Call");
    let calls = cx.any(&["numberOfIterations"]).to_owned();
    if !calls.is_empty() {
        block.set_option("Calls", Some(&[cx.expression_of(&calls)?.text]));
    }
    if cx.sample_time("sample_time").is_some() {
        cx.note("the calls come in every step; set the interval by hand");
    }
    Ok(block.into())
}

fn goto(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Routing", "Goto").with_option("Tag", &[clean(cx.text("GotoTag"))]);
    if cx.text("TagVisibility") != "local" {
        block = block.with_option("Visibility", &["inside"]);
    }
    Ok(block.into())
}

fn from(cx: &mut Cx) -> Result<Made, String> {
    Ok(library("Routing", "From").with_option("Tag", &[clean(cx.text("GotoTag"))]).into())
}

/// The elements of a part of a matrix whose size and indices are known, row after row.
fn part_of_matrix(cx: &mut Cx) -> Result<Made, String> {
    let (Some((rows, columns)), true) = (cx.shape(0), cx.number("NumberOfDimensions")? == 2.0) else {
        return Err("a part of a matrix is selected, whose size is not in the file".to_owned());
    };
    let first = if cx.text("IndexMode").starts_with("Zero") { 0.0 } else { 1.0 };
    let list = |cx: &Cx, name: &str| -> Vec<String> {
        let text = cx.text(name).trim_matches(['{', '}']).to_owned();
        super::super::script::split(&text, ',').iter().map(|part| part.trim().trim_matches('\'').to_owned()).collect()
    };
    let (options, indices, sizes) =
        (list(cx, "IndexOptionArray"), list(cx, "IndexParamArray"), list(cx, "OutputSizeArray"));
    let mut chosen: Vec<Vec<usize>> = Vec::new();
    for (dimension, count) in [rows, columns].into_iter().enumerate() {
        let text = |list: &[String]| list.get(dimension).cloned().unwrap_or_default();
        let known = |cx: &mut Cx, text: &str| {
            let value = cx.expression_of(text)?.value.map(|value| value.values);
            value.ok_or_else(|| "its indices have to be known for the import".to_owned())
        };
        let numbers = match &*text(&options) {
            "Select all" => (0..count).map(|at| at as f64 + first).collect(),
            "Index vector (dialog)" => known(cx, &text(&indices))?,
            "Starting index (dialog)" => {
                let start = known(cx, &text(&indices))?.first().copied().unwrap_or(first);
                let size = known(cx, &text(&sizes))?.first().copied().unwrap_or(1.0);
                (0..(size as usize).min(count)).map(|at| start + at as f64).collect()
            }
            other => return Err(format!("the elements are chosen by “{}”", short(other))),
        };
        let inside = numbers.iter().map(|number| (number - first) as usize).filter(|at| *at < count);
        chosen.push(inside.collect());
    }
    let [rows, inner] = [&chosen[0], &chosen[1]];
    let places = rows.iter().flat_map(|row| inner.iter().map(move |column| (row * columns + column + 1).to_string()));
    let places: Vec<String> = places.collect();
    if places.is_empty() {
        return Err("no element is selected".to_owned());
    }
    Ok(library("Routing", "Selector").with_option("Indices", &places).into())
}
