//! A simulation as nested records with serde, shared by the JSON, BSON and binary formats.
//!
//! The records correspond to the XML, in the same order: a `content` is a list of tagged items, attributes are pairs in
//! file order, comments and unknown elements are XML texts. An unknown field is an error, since it would be lost
//! otherwise.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Unexpected, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Loaded;
use super::error::{FormError, ModelError};
use crate::model::{
    Attributes, Block, BlockId, BlockKind, BlockOption, BodyItem, Connection, Extra, InputKey, Model, OptionItem,
    Simulation, Variable, Variables, bad_text_in,
};

/// The version that is written; this and all earlier ones can be read.
const VERSION: u32 = 1;

type Text<'a> = Cow<'a, str>;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Form<'a> {
    /// The version of the form.
    simulate: u32,
    simulation: SimulationForm<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SimulationForm<'a> {
    #[serde(default)]
    steps: u64,
    #[serde(default = "one")]
    delta: f64,
    #[serde(default)]
    root: Text<'a>,
    #[serde(default, skip_serializing_if = "Pairs::is_empty")]
    attributes: Pairs<'a>,
    /// Comments before the root element of the XML.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    prolog: Vec<Text<'a>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    content: Vec<Part<'a>>,
    /// Comments after the root element of the XML.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    epilog: Vec<Text<'a>>,
}

/// A part of a simulation.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Part<'a> {
    Model(ModelForm<'a>),
    Variable(VariableForm<'a>),
    Extra(Text<'a>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelForm<'a> {
    name: Text<'a>,
    #[serde(default, skip_serializing_if = "Pairs::is_empty")]
    attributes: Pairs<'a>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    content: Vec<Item<'a>>,
}

/// A part of a model.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Item<'a> {
    Entry(BlockForm<'a>),
    Exit(BlockForm<'a>),
    Model(BlockForm<'a>),
    Block(BlockForm<'a>),
    Connection(ConnectionForm<'a>),
    Variable(VariableForm<'a>),
    Extra(Text<'a>),
}

/// The tag determines which of group, name and model are present.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockForm<'a> {
    id: Id,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "Pairs::is_empty")]
    attributes: Pairs<'a>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    body: Vec<BodyForm<'a>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BodyForm<'a> {
    Option(OptionForm<'a>),
    Data(DataForm<'a>),
    Extra(Text<'a>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OptionForm<'a> {
    name: Text<'a>,
    #[serde(default, skip_serializing_if = "Pairs::is_empty")]
    attributes: Pairs<'a>,
    #[serde(default)]
    values: Vec<ValueForm<'a>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DataForm<'a> {
    name: Text<'a>,
    text: Text<'a>,
    #[serde(default, skip_serializing_if = "Pairs::is_empty")]
    attributes: Pairs<'a>,
}

/// A value: a text, or a record if it has attributes.
enum ValueForm<'a> {
    Plain(Text<'a>),
    Record(ValueRecord<'a>),
}

/// A text with attributes, or an extra among the values.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ValueRecord<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "Pairs::is_empty")]
    attributes: Pairs<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    extra: Option<Text<'a>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConnectionForm<'a> {
    from: Id,
    output: Text<'a>,
    to: Id,
    input: Text<'a>,
    #[serde(default, skip_serializing_if = "Pairs::is_empty")]
    attributes: Pairs<'a>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    body: Vec<Text<'a>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VariableForm<'a> {
    name: Text<'a>,
    value: Text<'a>,
    #[serde(default, skip_serializing_if = "Pairs::is_empty")]
    attributes: Pairs<'a>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    body: Vec<Text<'a>>,
}

/// Attributes: a record with ordered fields.
#[derive(Default)]
struct Pairs<'a>(Vec<(Text<'a>, Text<'a>)>);

/// A block id: a number, or its digits as a text if it exceeds the number range of a format.
#[derive(Clone, Copy)]
struct Id(BlockId);

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (u64::try_from(self.0.0), i64::try_from(self.0.0)) {
            (Ok(id), Ok(_)) => serializer.serialize_u64(id),
            (_, Ok(id)) => serializer.serialize_i64(id),
            (_, Err(_)) => serializer.serialize_str(&self.0.0.to_string()),
        }
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;

        impl Visitor<'_> for Number {
            type Value = Id;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an id: an integer from -2^63 to 2^64-1")
            }

            fn visit_u64<E>(self, id: u64) -> Result<Id, E> {
                Ok(Id(BlockId(id.into())))
            }

            fn visit_i64<E>(self, id: i64) -> Result<Id, E> {
                Ok(Id(BlockId(id.into())))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Id, E> {
                BlockId::parse(text).map(Id).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_any(Number)
    }
}

fn one() -> f64 {
    1.0
}

impl<'a> Form<'a> {
    pub(super) fn of(simulation: &'a Simulation) -> Form<'a> {
        let models = simulation.models.values().map(|model| (model.seq, Part::Model(model_form(model))));
        let variables = variable_forms(&simulation.variables).map(|(seq, form)| (seq, Part::Variable(form)));
        let extras = simulation.extras.iter().map(|(&seq, extra)| (seq, Part::Extra(text(&extra.xml))));
        let simulation = SimulationForm {
            steps: simulation.steps,
            delta: simulation.delta,
            root: text(&simulation.root),
            attributes: Pairs::of(&simulation.attributes),
            prolog: extra_texts(&simulation.prolog),
            content: in_order(models.chain(variables).chain(extras).collect()),
            epilog: extra_texts(&simulation.epilog),
        };
        Form { simulate: VERSION, simulation }
    }

    /// Converts the records to a simulation.
    ///
    /// # Errors
    /// Fails for content that no simulation can have.
    pub(super) fn read(self) -> Result<Loaded, FormError> {
        if self.simulate > VERSION {
            return Err(FormError::Newer { found: self.simulate, known: VERSION });
        }
        let form = self.simulation;
        let mut simulation = Simulation::default();
        simulation.steps = form.steps;
        simulation.delta = form.delta;
        simulation.root = form.root.into();
        simulation.attributes = form.attributes.into();
        simulation.prolog = extras(form.prolog);
        simulation.epilog = extras(form.epilog);
        if !simulation.delta.is_finite() {
            return Err(FormError::Delta(simulation.delta));
        }
        for part in form.content {
            match part {
                Part::Model(form) => {
                    let model = model(form)?;
                    let name = Arc::clone(&model.name);
                    if !simulation.add_model(model) {
                        return Err(FormError::DuplicateModel(name));
                    }
                }
                Part::Variable(form) => {
                    let (name, variable) = form.into();
                    if simulation.variables.contains_key(&*name) {
                        return Err(FormError::DuplicateVariable(name.into()));
                    }
                    simulation.set_variable(&name, variable);
                }
                Part::Extra(xml) => simulation.add_extra(Extra::new(xml)),
            }
        }
        // A text that XML cannot store could not be saved as .simx.
        match bad_text_in(&simulation) {
            Some(problem) => Err(FormError::Text(problem)),
            None => Ok(Loaded { simulation, ..Loaded::default() }),
        }
    }
}

fn model_form(model: &Model) -> ModelForm<'_> {
    let blocks = model.blocks.values().map(|block| (block.seq, block_form(block)));
    let wires = model.connections.values().map(|wire| (wire.seq, Item::Connection(connection_form(wire))));
    let variables = variable_forms(&model.variables).map(|(seq, form)| (seq, Item::Variable(form)));
    let extras = model.extras.iter().map(|(&seq, extra)| (seq, Item::Extra(text(&extra.xml))));
    ModelForm {
        name: text(&model.name),
        attributes: Pairs::of(&model.attributes),
        content: in_order(blocks.chain(wires).chain(variables).chain(extras).collect()),
    }
}

fn block_form(block: &Block) -> Item<'_> {
    let form = BlockForm {
        id: Id(block.id),
        group: None,
        name: None,
        model: None,
        attributes: Pairs::of(&block.attributes),
        body: block.body.iter().map(body_form).collect(),
    };
    match &block.kind {
        BlockKind::Entry { name } => Item::Entry(BlockForm { name: Some(text(name)), ..form }),
        BlockKind::Exit { name } => Item::Exit(BlockForm { name: Some(text(name)), ..form }),
        BlockKind::Model { model } => Item::Model(BlockForm { model: Some(text(model)), ..form }),
        BlockKind::Library { group, name } => {
            Item::Block(BlockForm { group: Some(text(group)), name: Some(text(name)), ..form })
        }
    }
}

fn body_form(item: &BodyItem) -> BodyForm<'_> {
    match item {
        BodyItem::Option(option) => BodyForm::Option(OptionForm {
            name: text(&option.name),
            attributes: Pairs::of(&option.attributes),
            values: option.items.iter().map(value_form).collect(),
        }),
        BodyItem::Data { name, text: data, attributes } => {
            BodyForm::Data(DataForm { name: text(name), text: text(data), attributes: Pairs::of(attributes) })
        }
        BodyItem::Extra(extra) => BodyForm::Extra(text(&extra.xml)),
    }
}

fn value_form(item: &OptionItem) -> ValueForm<'_> {
    match item {
        OptionItem::Value { text: value, attributes } if attributes.is_empty() => ValueForm::Plain(text(value)),
        OptionItem::Value { text: value, attributes } => {
            ValueForm::Record(ValueRecord { text: Some(text(value)), attributes: Pairs::of(attributes), extra: None })
        }
        OptionItem::Extra(extra) => {
            ValueForm::Record(ValueRecord { text: None, attributes: Pairs::default(), extra: Some(text(&extra.xml)) })
        }
    }
}

fn connection_form(connection: &Connection) -> ConnectionForm<'_> {
    ConnectionForm {
        from: Id(connection.from),
        output: text(&connection.output),
        to: Id(connection.to),
        input: text(&connection.input),
        attributes: Pairs::of(&connection.attributes),
        body: extra_texts(&connection.body),
    }
}

fn variable_forms(variables: &Variables) -> impl Iterator<Item = (u64, VariableForm<'_>)> {
    variables.iter().map(|(name, variable)| {
        let form = VariableForm {
            name: text(name),
            value: text(&variable.value),
            attributes: Pairs::of(&variable.attributes),
            body: extra_texts(&variable.body),
        };
        (variable.seq, form)
    })
}

fn text(text: &Arc<str>) -> Text<'_> {
    Cow::Borrowed(text)
}

fn extra_texts(extras: &[Extra]) -> Vec<Text<'_>> {
    extras.iter().map(|extra| text(&extra.xml)).collect()
}

fn extras(texts: Vec<Text>) -> Vec<Extra> {
    texts.into_iter().map(Extra::new).collect()
}

/// Sorts parts in file order.
fn in_order<T>(mut parts: Vec<(u64, T)>) -> Vec<T> {
    parts.sort_by_key(|(seq, _)| *seq);
    parts.into_iter().map(|(_, part)| part).collect()
}

fn model(form: ModelForm) -> Result<Model, FormError> {
    let mut model = Model::new(&form.name);
    model.attributes = form.attributes.into();
    for item in form.content {
        item.add_to(&mut model).map_err(|error| FormError::Model { name: (&*form.name).into(), error })?;
    }
    Ok(model)
}

impl Item<'_> {
    fn add_to(self, model: &mut Model) -> Result<(), ModelError> {
        let (kind, form) = match self {
            Item::Entry(mut form) => (BlockKind::entry(&take(&mut form.name, "name", form.id)?), form),
            Item::Exit(mut form) => (BlockKind::exit(&take(&mut form.name, "name", form.id)?), form),
            Item::Model(mut form) => (BlockKind::model(&take(&mut form.model, "model", form.id)?), form),
            Item::Block(mut form) => {
                let group = take(&mut form.group, "group", form.id)?;
                (BlockKind::library(&group, &take(&mut form.name, "name", form.id)?), form)
            }
            Item::Connection(form) => return form.add_to(model),
            Item::Variable(form) => {
                let (name, variable) = form.into();
                if model.variables.contains_key(&*name) {
                    return Err(ModelError::DuplicateVariable(name.into()));
                }
                model.set_variable(&name, variable);
                return Ok(());
            }
            Item::Extra(xml) => {
                model.add_extra(Extra::new(xml));
                return Ok(());
            }
        };
        let Id(id) = form.id;
        if let Some((field, _)) = [("group", &form.group), ("name", &form.name), ("model", &form.model)]
            .into_iter()
            .find(|(_, left)| left.is_some())
        {
            return Err(ModelError::ForbiddenField { block: id, field });
        }
        let mut block = Block::new(id, kind);
        block.attributes = form.attributes.into();
        block.body = form.body.into_iter().map(BodyItem::from).collect();
        match model.add_block(block) {
            true => Ok(()),
            false => Err(ModelError::DuplicateId(id)),
        }
    }
}

fn take<'a>(field: &mut Option<Text<'a>>, name: &'static str, Id(id): Id) -> Result<Text<'a>, ModelError> {
    field.take().ok_or(ModelError::MissingField { block: id, field: name })
}

impl ConnectionForm<'_> {
    fn add_to(self, model: &mut Model) -> Result<(), ModelError> {
        let mut connection = Connection::new(self.from.0, &self.output, self.to.0, &self.input);
        if model.connections.contains_key(&connection.key()) {
            let InputKey { block, input } = connection.key();
            return Err(ModelError::DuplicateConnection { block, input: input.to_string() });
        }
        connection.attributes = self.attributes.into();
        connection.body = extras(self.body);
        model.connect(connection);
        Ok(())
    }
}

impl<'a> From<VariableForm<'a>> for (Text<'a>, Variable) {
    fn from(form: VariableForm<'a>) -> Self {
        let mut variable = Variable::new(&form.value);
        variable.attributes = form.attributes.into();
        variable.body = extras(form.body);
        (form.name, variable)
    }
}

impl From<BodyForm<'_>> for BodyItem {
    fn from(form: BodyForm) -> BodyItem {
        match form {
            BodyForm::Option(form) => BodyItem::Option(BlockOption {
                name: form.name.into(),
                attributes: form.attributes.into(),
                items: form.values.into_iter().map(OptionItem::from).collect(),
            }),
            BodyForm::Data(form) => {
                BodyItem::Data { name: form.name.into(), text: form.text.into(), attributes: form.attributes.into() }
            }
            BodyForm::Extra(xml) => BodyItem::Extra(Extra::new(xml)),
        }
    }
}

impl From<ValueForm<'_>> for OptionItem {
    fn from(form: ValueForm) -> OptionItem {
        match form {
            ValueForm::Plain(text) => OptionItem::Value { text: text.into(), attributes: Attributes::default() },
            ValueForm::Record(ValueRecord { extra: Some(xml), .. }) => OptionItem::Extra(Extra::new(xml)),
            ValueForm::Record(ValueRecord { text, attributes, .. }) => {
                OptionItem::Value { text: text.unwrap_or_default().into(), attributes: attributes.into() }
            }
        }
    }
}

impl Serialize for ValueForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ValueForm::Plain(text) => serializer.serialize_str(text),
            ValueForm::Record(record) => record.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ValueForm<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Value;

        impl<'de> Visitor<'de> for Value {
            type Value = ValueForm<'static>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a value's text, or a record with its text and attributes")
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(ValueForm::Plain(text.to_owned().into()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let record = ValueRecord::deserialize(MapAccessDeserializer::new(map))?;
                match (&record.text, &record.extra, record.attributes.is_empty()) {
                    (Some(_), None, _) | (None, Some(_), true) => Ok(ValueForm::Record(record)),
                    _ => Err(A::Error::custom("a value is a text with attributes, or an extra without attributes")),
                }
            }
        }

        deserializer.deserialize_any(Value)
    }
}

impl<'a> Pairs<'a> {
    fn of(attributes: &'a Attributes) -> Pairs<'a> {
        Pairs(attributes.iter().map(|(name, value)| (name.into(), value.into())).collect())
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Pairs<'_>> for Attributes {
    fn from(pairs: Pairs) -> Attributes {
        pairs.0.into_iter().collect()
    }
}

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Pairs<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Pairs<'static>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("attributes: a record of texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs: Vec<(Text, Text)> = Vec::new();
                let mut names = HashSet::new();
                while let Some((name, value)) = map.next_entry::<String, String>()? {
                    if !names.insert(name.clone()) {
                        return Err(A::Error::custom(format_args!("the attribute “{name}” is duplicated")));
                    }
                    pairs.push((name.into(), value.into()));
                }
                Ok(Pairs(pairs))
            }
        }

        deserializer.deserialize_map(Fields)
    }
}
