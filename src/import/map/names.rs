//! Names and texts as files hold them.

use super::super::source::Block as Foreign;

/// The number of an entry or exit; 1 unless the file says otherwise.
pub fn number(block: &Foreign) -> usize {
    block.params.get("Port").and_then(|text| text.trim().parse().ok()).unwrap_or(1)
}

/// The kind of a block in messages.
pub fn kind_text(block: &Foreign) -> String {
    if let Some(function) = block.params.get("InterfaceFunction") {
        return clean(function);
    }
    match (&*block.kind, block.params.get("SourceBlock"), block.params.get("SFBlockType")) {
        ("Reference", Some(source), _) => clean(source),
        ("SubSystem", _, Some(kind)) if kind != "NONE" && !kind.is_empty() => format!("SubSystem[{kind}]"),
        _ => clean(&block.kind),
    }
}

/// A name on one line, without characters that files do not hold.
pub fn clean(name: &str) -> String {
    let name: String =
        name.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !c.is_control()).collect();
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let name: String = name.chars().take(200).collect();
    if name.is_empty() || crate::model::bad_name(&name).is_none() {
        name
    } else {
        name.chars().filter(|c| c.is_alphanumeric() || " _-".contains(*c)).collect()
    }
}

/// A text of several lines, without characters that files do not hold.
pub fn text(text: &str) -> String {
    text.chars()
        .filter(|c| *c == '\n' || *c == '\t' || (!c.is_control() && crate::model::is_storable(*c)))
        .take(20_000)
        .collect()
}
