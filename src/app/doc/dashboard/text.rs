//! The text form of a dashboard in an attribute: `slider[x=8,y=8,w=208,h=64,param=#3.Gain,low=0,high=10]|lamp[…]`.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;

use super::{Binding, Image, ParamKey, Widget, WidgetKind, motion};
use crate::app::doc::reader::NameReader;
use crate::model::attribute_list::{escaped, pairs, plain};
use crate::model::{BlockAddress, BlockId, ParamAddress, SignalKey};

/// Maximum coordinate of a widget.
const FARTHEST: f32 = 100_000.0;

/// The start of signal and parameter paths: the root, or the block of pinned widgets, which the text then omits.
#[derive(Clone, Copy, Debug)]
pub enum PathBase<'a> {
    Root,
    Block { path: &'a [BlockId], id: BlockId },
}

pub fn write(widgets: &[Widget], at: PathBase) -> String {
    widgets.iter().map(|widget| write_one(widget, at)).collect::<Vec<_>>().join("|")
}

fn write_one(widget: &Widget, at: PathBase) -> String {
    let default = Widget::new(widget.kind, 0.0, 0.0);
    let mut parts = vec![
        format!("x={}", widget.x),
        format!("y={}", widget.y),
        format!("w={}", widget.width),
        format!("h={}", widget.height),
    ];
    if !widget.label.is_empty() {
        parts.push(format!("label={}", escaped(&widget.label)));
    }
    match &widget.binding {
        Some(Binding::Param(param)) => {
            let path: String = param.of.block.path.iter().map(|id| format!("{id}/")).collect();
            let before =
                if matches!(at, PathBase::Root) { format!("{path}{}.", param.of.block.block) } else { String::new() };
            let element = if param.element > 0 { format!("[{}]", param.element) } else { String::new() };
            parts.push(format!("param={before}{}", escaped(&format!("{}{element}", param.of.name))));
        }
        Some(Binding::Signal(signal)) => {
            let text = if matches!(at, PathBase::Root) { signal.to_string() } else { signal.output.to_string() };
            parts.push(format!("signal={}", escaped(&text)));
        }
        None => parts.extend(widget.lost.clone()),
    }
    for (key, value, default) in [
        ("low", widget.low, default.low),
        ("high", widget.high, default.high),
        ("on", widget.on, default.on),
        ("off", widget.off, default.off),
    ] {
        if value != default {
            parts.push(format!("{key}={value}"));
        }
    }
    if !widget.choices.is_empty() {
        let choices: Vec<String> =
            widget.choices.iter().map(|(name, value)| format!("{}:{value}", name.replace(':', " "))).collect();
        parts.push(format!("choices={}", escaped(&choices.join(";"))));
    }
    if !widget.motions.is_empty() {
        parts.push(format!("moves={}", escaped(&motion::write(&widget.motions))));
    }
    if let Some([red, green, blue]) = widget.color {
        parts.push(format!("color=#{red:02x}{green:02x}{blue:02x}"));
    }
    match &widget.image {
        Some(Image::Beside(path)) => parts.push(format!("image={}", escaped(path))),
        Some(Image::Embedded(bytes)) => parts.push(format!("png={}", escaped(&BASE64.encode(bytes)))),
        None => {}
    }
    format!("{}[{}]", widget.kind.name(), parts.join(","))
}

/// Parses widgets; invalid entries are ignored.
pub fn read(text: &str, at: PathBase, reader: &NameReader) -> Vec<Widget> {
    text.split('|').filter_map(|text| read_one(text, at, reader)).collect()
}

fn read_one(text: &str, at: PathBase, reader: &NameReader) -> Option<Widget> {
    let (name, rest) = text.split_once('[')?;
    let kind = WidgetKind::ALL.into_iter().find(|kind| kind.name() == name)?;
    let mut widget = Widget::new(kind, 0.0, 0.0);
    let least = if matches!(at, PathBase::Root) { 0.0 } else { -FARTHEST };
    let length = |value: &str, default: f32| value.parse().ok().filter(|v: &f32| v.is_finite()).unwrap_or(default);
    let number = |value: &str, default: f64| value.parse().ok().filter(|v: &f64| v.is_finite()).unwrap_or(default);
    for (key, value) in pairs(rest.strip_suffix(']').unwrap_or(rest)) {
        match key {
            "x" => widget.x = length(value, 0.0).clamp(least, FARTHEST),
            "y" => widget.y = length(value, 0.0).clamp(least, FARTHEST),
            "w" => widget.width = length(value, widget.width).clamp(super::SMALLEST, 4000.0),
            "h" => widget.height = length(value, widget.height).clamp(super::SMALLEST, 4000.0),
            "label" => widget.label = plain(value),
            "param" | "signal" => {
                let text = plain(value);
                widget.binding = match key {
                    "param" => read_param(&text, at, reader).map(Binding::Param),
                    _ => read_signal(&text, at, reader).map(Binding::Signal),
                };
                widget.lost = widget.binding.is_none().then(|| format!("{key}={value}"));
            }
            "low" => widget.low = number(value, widget.low),
            "high" => widget.high = number(value, widget.high),
            "on" => widget.on = number(value, widget.on),
            "off" => widget.off = number(value, widget.off),
            "moves" => widget.motions = motion::read(&plain(value), reader),
            "color" => {
                let color = u32::from_str_radix(value.trim_start_matches('#'), 16).ok();
                widget.color = color.map(|color| {
                    let [_, red, green, blue] = color.to_be_bytes();
                    [red, green, blue]
                });
            }
            "image" => widget.image = Some(Image::Beside(plain(value))),
            "png" if value.len() <= 2 * Image::MAX_BYTES => {
                widget.image = BASE64.decode(plain(value)).ok().map(|bytes| Image::Embedded(bytes.into()));
            }
            "choices" => widget.choices = plain(value).split(';').filter_map(read_choice).collect(),
            _ => {}
        }
    }
    Some(widget)
}

fn read_param(text: &str, at: PathBase, reader: &NameReader) -> Option<ParamKey> {
    let (block, rest) = match at {
        PathBase::Root => {
            let (block, rest) = reader.block(text)?;
            (block, rest?)
        }
        PathBase::Block { path, id } => (BlockAddress::new(path, id), text.to_owned()),
    };
    let element = rest.strip_suffix(']').and_then(|text| text.rsplit_once('['));
    let element = element.and_then(|(name, number)| Some((name, number.parse::<usize>().ok()?)));
    Some(match element {
        Some((name, element)) => ParamKey { of: ParamAddress { block, name: name.to_owned() }, element },
        None => ParamKey { of: ParamAddress { block, name: rest }, element: 0 },
    })
}

fn read_signal(text: &str, at: PathBase, reader: &NameReader) -> Option<SignalKey> {
    match at {
        PathBase::Root => reader.signal(text),
        PathBase::Block { path, id } => Some(SignalKey::new(path, id, text)),
    }
}

fn read_choice(text: &str) -> Option<(String, f64)> {
    let (name, value) = text.rsplit_once(':')?;
    Some((name.to_owned(), value.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Registry;
    use crate::model::{Block, BlockKind, Model, Simulation};

    #[test]
    fn everything_that_is_chosen_is_read_again() {
        let mut model = Model::new("Main");
        model.add_block(Block::new(BlockId(2), BlockKind::library("Math", "Gain")));
        let mut simulation = Simulation::default();
        simulation.root = "Main".into();
        simulation.add_model(model);
        let param = ParamKey { element: 2, ..ParamKey::new(&[], BlockId(2), "Gain") };
        let mut widgets = WidgetKind::ALL.map(|kind| Widget::new(kind, 8.0, 16.0)).to_vec();
        for (number, widget) in widgets.iter_mut().enumerate() {
            widget.label = format!("Speed [m/s], {number} | 50 %=x;");
            widget.binding = Some(match widget.kind.is_control() {
                true => Binding::Param(param.clone()),
                false => Binding::Signal(SignalKey::new(&[], BlockId(2), "Output")),
            });
            (widget.low, widget.high, widget.on, widget.off) = (-0.1, 1e9, 5.0, -5.0);
            widget.choices = vec![("Off, =".to_owned(), 0.0), ("Full".to_owned(), 2.5)];
            widget.color = Some([1, 200, 255]);
            widget.motions = super::super::MotionProperty::ALL
                .map(|what| super::super::Motion {
                    what,
                    signal: SignalKey::new(&[], BlockId(2), "Output"),
                    factor: -0.5,
                })
                .to_vec();
            widget.image = Some(match number % 2 {
                0 => Image::Beside("pictures/plant [1].png".to_owned()),
                _ => Image::Embedded((0..=255).collect()),
            });
        }
        let registry = Registry::standard();
        for at in [PathBase::Root, PathBase::Block { path: &[], id: BlockId(2) }] {
            let text = write(&widgets, at);
            assert_eq!(read(&text, at, &NameReader::new(&simulation, &registry)), widgets, "{text}");
            widgets.iter_mut().for_each(|widget| widget.x = -40.0);
        }
        let nonsense = "cake[x=1]|slider|knob[w=nan,h=-5,param=#9.Gain,png=%%%";
        assert_eq!(read(nonsense, PathBase::Root, &NameReader::new(&simulation, &registry)).len(), 1);
    }

    #[test]
    fn what_stands_at_a_block_goes_with_it_to_other_models() {
        let simulation = Simulation::default();
        let text = "slider[x=-8,y=40,w=208,h=64,param=Gain]|gauge[x=0,y=0,w=128,h=136,signal=Output]";
        let (registry, path) = (Registry::standard(), [BlockId(7)]);
        let at = PathBase::Block { path: &path, id: BlockId(3) };
        let widgets = read(text, at, &NameReader::new(&simulation, &registry));
        let param = Some(Binding::Param(ParamKey::new(&path, BlockId(3), "Gain")));
        let signal = Some(Binding::Signal(SignalKey::new(&path, BlockId(3), "Output")));
        assert_eq!(widgets.iter().map(|widget| widget.binding.clone()).collect::<Vec<_>>(), [param, signal]);
        assert_eq!(write(&widgets, at), text, "nothing in it says where the block is");
    }
}
