//! How a dashboard is written in an attribute: `slider[x=8,y=8,w=208,h=64,param=#3.Gain,low=0,high=10]|lamp[…]`.

use super::{Binding, ParamKey, Widget, WidgetKind};
use crate::app::attribute::{escaped, pairs, plain};
use crate::block::Registry;
use crate::model::{BlockPath, SignalKey, Simulation};

const KINDS: [(&str, WidgetKind); 12] = [
    ("slider", WidgetKind::Slider),
    ("knob", WidgetKind::Knob),
    ("field", WidgetKind::Field),
    ("switch", WidgetKind::Switch),
    ("button", WidgetKind::Button),
    ("choice", WidgetKind::Choice),
    ("gauge", WidgetKind::Gauge),
    ("bar", WidgetKind::Bar),
    ("lamp", WidgetKind::Lamp),
    ("display", WidgetKind::Display),
    ("plot", WidgetKind::Plot),
    ("text", WidgetKind::Text),
];

pub fn write(widgets: &[Widget]) -> String {
    widgets.iter().map(write_one).collect::<Vec<_>>().join("|")
}

fn write_one(widget: &Widget) -> String {
    let usual = Widget::new(widget.kind, 0.0, 0.0);
    let name = KINDS.iter().find(|(_, kind)| *kind == widget.kind).map_or("", |(name, _)| name);
    let mut said = vec![
        format!("x={}", widget.x),
        format!("y={}", widget.y),
        format!("w={}", widget.width),
        format!("h={}", widget.height),
    ];
    if !widget.label.is_empty() {
        said.push(format!("label={}", escaped(&widget.label)));
    }
    match &widget.binding {
        Some(Binding::Param(param)) => {
            let path: String = param.path.iter().map(|id| format!("{id}/")).collect();
            said.push(format!("param={path}{}.{}", param.block, escaped(&param.name)));
        }
        Some(Binding::Signal(signal)) => said.push(format!("signal={}", escaped(&signal.to_string()))),
        None => {}
    }
    for (key, value, usual) in [
        ("low", widget.low, usual.low),
        ("high", widget.high, usual.high),
        ("on", widget.on, usual.on),
        ("off", widget.off, usual.off),
    ] {
        if value != usual {
            said.push(format!("{key}={value}"));
        }
    }
    if !widget.choices.is_empty() {
        let choices: Vec<String> =
            widget.choices.iter().map(|(name, value)| format!("{}:{value}", name.replace(':', " "))).collect();
        said.push(format!("choices={}", escaped(&choices.join(";"))));
    }
    format!("{name}[{}]", said.join(","))
}

/// What is not understood is left out.
pub fn read(text: &str, simulation: &Simulation, registry: &Registry) -> Vec<Widget> {
    text.split('|').filter_map(|text| read_one(text, simulation, registry)).collect()
}

fn read_one(text: &str, simulation: &Simulation, registry: &Registry) -> Option<Widget> {
    let (name, rest) = text.split_once('[')?;
    let (_, kind) = KINDS.iter().find(|(known, _)| *known == name)?;
    let mut widget = Widget::new(*kind, 0.0, 0.0);
    let length = |value: &str, usual: f32| value.parse().ok().filter(|v: &f32| v.is_finite()).unwrap_or(usual);
    let number = |value: &str, usual: f64| value.parse().ok().filter(|v: &f64| v.is_finite()).unwrap_or(usual);
    for (key, value) in pairs(rest.strip_suffix(']').unwrap_or(rest)) {
        match key {
            "x" => widget.x = length(value, 0.0).max(0.0),
            "y" => widget.y = length(value, 0.0).max(0.0),
            "w" => widget.width = length(value, widget.width).clamp(super::SMALLEST, 4000.0),
            "h" => widget.height = length(value, widget.height).clamp(super::SMALLEST, 4000.0),
            "label" => widget.label = plain(value),
            "param" => widget.binding = read_param(&plain(value), simulation).map(Binding::Param),
            "signal" => {
                widget.binding = SignalKey::parse(&plain(value), simulation, registry).ok().map(Binding::Signal);
            }
            "low" => widget.low = number(value, widget.low),
            "high" => widget.high = number(value, widget.high),
            "on" => widget.on = number(value, widget.on),
            "off" => widget.off = number(value, widget.off),
            "choices" => widget.choices = plain(value).split(';').filter_map(read_choice).collect(),
            _ => {}
        }
    }
    Some(widget)
}

fn read_param(text: &str, simulation: &Simulation) -> Option<ParamKey> {
    let found = BlockPath::parse(text, simulation).ok()?;
    Some(ParamKey { path: found.path, block: found.block, name: found.rest? })
}

fn read_choice(text: &str) -> Option<(String, f64)> {
    let (name, value) = text.rsplit_once(':')?;
    Some((name.to_owned(), value.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Block, BlockId, BlockKind, Model};

    #[test]
    fn everything_that_is_chosen_is_read_again() {
        let mut model = Model::new("Main");
        model.add_block(Block::new(BlockId(2), BlockKind::library("Math", "Gain")));
        let mut simulation = Simulation::default();
        simulation.root = "Main".into();
        simulation.add_model(model);
        let param = ParamKey { path: Vec::new(), block: BlockId(2), name: "Gain".to_owned() };
        let mut widgets: Vec<Widget> = KINDS.iter().map(|(_, kind)| Widget::new(*kind, 8.0, 16.0)).collect();
        for (number, widget) in widgets.iter_mut().enumerate() {
            widget.label = format!("Speed [m/s], {number} | 50 %=x;");
            widget.binding = Some(match widget.kind.is_control() {
                true => Binding::Param(param.clone()),
                false => Binding::Signal(SignalKey::new(&[], BlockId(2), "Output")),
            });
            (widget.low, widget.high, widget.on, widget.off) = (-0.1, 1e9, 5.0, -5.0);
            widget.choices = vec![("Off, =".to_owned(), 0.0), ("Full".to_owned(), 2.5)];
        }
        let text = write(&widgets);
        assert_eq!(read(&text, &simulation, &Registry::standard()), widgets, "{text}");
        assert_eq!(read("cake[x=1]|slider|knob[w=nan,h=-5,param=#9.Gain", &simulation, &Registry::standard()).len(), 1);
    }
}
