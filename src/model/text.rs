//! The rules for names and texts: every format must be able to store them, and names must fit in a line.

use super::{Attributes, Block, BlockKind, BodyItem, Connection, Extra, Model, OptionItem, Simulation, Variables};

/// The maximum length of a name, in characters.
pub const MAX_NAME: usize = 1000;

/// Whether every format can store the character; XML excludes most control characters.
pub fn is_storable(character: char) -> bool {
    !matches!(character, '\0'..='\x08' | '\x0B' | '\x0C' | '\x0E'..='\x1F' | '\u{FFFE}' | '\u{FFFF}')
}

/// Whether this is a valid name of a tag or an attribute in XML, and so of an attribute in all formats.
pub fn is_xml_name(name: &str) -> bool {
    let is_start = |character: char| {
        is_xml_name_character(character)
            && !matches!(character, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
    };
    name.chars().next().is_some_and(is_start) && name.chars().all(is_xml_name_character)
}

/// Whether a character may occur in such a name, though perhaps not at its start.
pub fn is_xml_name_character(character: char) -> bool {
    matches!(character,
        'a'..='z' | 'A'..='Z' | '0'..='9' | ':' | '_' | '-' | '.' | '\u{B7}'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}'
        | '\u{200C}'..='\u{200D}' | '\u{203F}'..='\u{2040}' | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}'
        | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

/// Whether a character is invisible and changes how others are shown: their order, their joining, or where a line ends.
pub fn is_format_control(character: char) -> bool {
    matches!(character,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// Returns why a text is not a valid name of a model, block, port or option: a control character, or its length.
pub fn bad_name(name: &str) -> Option<String> {
    if let Some(character) = name.chars().take(MAX_NAME).find(|character| character.is_control()) {
        let shown: String = name.chars().take(40).flat_map(char::escape_debug).collect();
        let code = u32::from(character);
        return Some(format!("the name “{shown}” contains the control character U+{code:04X}"));
    }
    // Comparing the byte length first avoids counting the characters of every name.
    let is_long = name.len() > MAX_NAME && name.chars().nth(MAX_NAME).is_some();
    is_long.then(|| {
        let shown: String = name.chars().take(40).collect();
        format!("the name “{shown}…” is longer than {MAX_NAME} characters")
    })
}

/// Returns why a text cannot be stored in a file; none if it can.
pub fn bad_text(text: &str) -> Option<String> {
    let character = text.chars().find(|character| !is_storable(*character))?;
    let shown: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    Some(format!(
        "the text “{shown}” contains the character U+{:04X}, which cannot be stored in a file",
        u32::from(character)
    ))
}

/// Returns the error of the first text of a simulation that cannot be stored in a file.
pub fn bad_text_in(simulation: &Simulation) -> Option<String> {
    let models = simulation.models.values().find_map(|model| in_model(model));
    models
        .or_else(|| bad_text(&simulation.root))
        .or_else(|| in_attributes(&simulation.attributes))
        .or_else(|| in_variables(&simulation.variables))
        .or_else(|| in_extras(simulation.extras.values().chain(&simulation.prolog).chain(&simulation.epilog)))
}

pub(super) fn in_model(model: &Model) -> Option<String> {
    bad_text(&model.name)
        .or_else(|| in_attributes(&model.attributes))
        .or_else(|| model.blocks.values().find_map(|block| in_block(block)))
        .or_else(|| model.connections.values().find_map(|connection| in_connection(connection)))
        .or_else(|| in_variables(&model.variables))
        .or_else(|| in_extras(model.extras.values()))
}

pub(super) fn in_block(block: &Block) -> Option<String> {
    let names: [&str; 2] = match &block.kind {
        BlockKind::Entry { name } | BlockKind::Exit { name } | BlockKind::Model { model: name } => [name, ""],
        BlockKind::Library { group, name } => [group, name],
    };
    names.into_iter().find_map(bad_text).or_else(|| in_attributes(&block.attributes)).or_else(|| {
        block.body.iter().find_map(|item| match item {
            BodyItem::Option(option) => {
                bad_text(&option.name).or_else(|| in_attributes(&option.attributes)).or_else(|| {
                    option.items.iter().find_map(|item| match item {
                        OptionItem::Value { text, attributes } => bad_text(text).or_else(|| in_attributes(attributes)),
                        OptionItem::Extra(extra) => bad_text(&extra.xml),
                    })
                })
            }
            BodyItem::Data { name, text, attributes } => {
                bad_text(name).or_else(|| bad_text(text)).or_else(|| in_attributes(attributes))
            }
            BodyItem::Extra(extra) => bad_text(&extra.xml),
        })
    })
}

pub(super) fn in_connection(connection: &Connection) -> Option<String> {
    [&connection.output, &connection.input]
        .into_iter()
        .find_map(|name| bad_text(name))
        .or_else(|| in_attributes(&connection.attributes))
        .or_else(|| in_extras(connection.body.iter()))
}

pub(super) fn in_attributes(attributes: &Attributes) -> Option<String> {
    attributes.iter().find_map(|(name, value)| bad_attribute_name(name).or_else(|| bad_text(value)))
}

/// Returns why a text is not a valid name of an attribute.
pub(super) fn bad_attribute_name(name: &str) -> Option<String> {
    let shown: String = name.chars().take(40).flat_map(char::escape_debug).collect();
    let problem =
        || format!("“{shown}” is not a valid attribute name: it must start with a letter and contain no spaces");
    (!is_xml_name(name)).then(problem)
}

fn in_variables(variables: &Variables) -> Option<String> {
    variables.iter().find_map(|(name, variable)| {
        let texts = bad_text(name).or_else(|| bad_text(&variable.value));
        texts.or_else(|| in_attributes(&variable.attributes)).or_else(|| in_extras(variable.body.iter()))
    })
}

fn in_extras<'a>(mut extras: impl Iterator<Item = &'a Extra>) -> Option<String> {
    extras.find_map(|extra| bad_text(&extra.xml))
}

/// Returns the error of the first invalid name in a block.
pub(super) fn bad_block_name(block: &Block) -> Option<String> {
    let names: [&str; 2] = match &block.kind {
        BlockKind::Entry { name } | BlockKind::Exit { name } | BlockKind::Model { model: name } => [name, ""],
        BlockKind::Library { group, name } => [group, name],
    };
    names.into_iter().find_map(bad_name).or_else(|| block.options().find_map(|option| bad_name(&option.name)))
}
