//! Names of elements as parameters of the blocks that make, take apart and change a bus.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::block::{Builder, Bus, ParamDef, Settings, is_name, names_in};

/// Returns the names in a parameter as ports.
pub(super) fn ports(settings: &Settings, param: &str) -> Vec<String> {
    names_in(settings.text(param)).map(str::to_owned).collect()
}

/// Returns the names in a parameter; records an error if there are none or one is repeated.
pub(super) fn paths<'b>(b: &'b Builder, param: &'static str) -> Vec<&'b str> {
    let names: Vec<&str> = names_in(b.settings().text(param)).collect();
    let mut known = BTreeSet::new();
    if names.is_empty() {
        b.refuse(param, "there is no name");
    }
    if let Some(name) = names.iter().find(|name| !known.insert(**name)) {
        b.refuse(param, format!("“{name}” is there twice"));
    }
    names
}

/// Records an error if a text is not the name of an element.
pub(super) fn check_name(b: &Builder, param: &'static str, name: &str) {
    if !is_name(name) {
        b.refuse(param, format!("“{name}” is not a name: a letter or _, then letters, digits and _"));
    }
}

/// Returns the bus of the first input: its own, or that of [`ParamDef::INPUT_NAMES`]. Records an error if the input is
/// not a bus or the parameter is invalid.
pub(super) fn input_bus(b: &Builder) -> Option<Arc<Bus>> {
    let (param, of) = (ParamDef::INPUT_NAMES.name, b.input_type(0));
    let text = b.settings().text(param);
    if text.trim().is_empty() {
        if of.bus.is_none() {
            b.refuse_plain(0);
        }
        return of.bus;
    }
    let bus = match Bus::parse(names_in(text)) {
        Ok(bus) => Arc::new(bus),
        Err(error) => {
            b.refuse(param, error.to_string());
            return None;
        }
    };
    if bus.width() != of.width {
        b.refuse_width(0, bus.width());
        return None;
    }
    match of.bus {
        Some(own) if own != bus => {
            b.refuse(param, format!("the input is a bus already, of {own}"));
            None
        }
        _ => Some(bus),
    }
}
