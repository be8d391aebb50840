//! A simulation as nested records with serde, shared by the JSON, BSON and binary formats.
//!
//! The records correspond to the XML, in the same order: a `content` is a list of tagged items, attributes are pairs in
//! file order, comments and unknown elements are XML texts. An unknown field is an error, since it would be lost
//! otherwise.

mod fields;

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::error::{FieldError, FormError, ModelError};
use super::{Loaded, simx};
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
    steps: Steps,
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

/// A number of steps, written as an id is.
#[derive(Clone, Copy, Default)]
struct Steps(u64);

fn one() -> f64 {
    1.0
}

impl<'a> Form<'a> {
    pub(super) fn of(simulation: &'a Simulation) -> Form<'a> {
        let models = simulation.models.values().map(|model| (model.seq, Part::Model(model_form(model))));
        let variables = variable_forms(&simulation.variables).map(|(seq, form)| (seq, Part::Variable(form)));
        let extras = simulation.extras.iter().map(|(&seq, extra)| (seq, Part::Extra(text(&extra.xml))));
        let simulation = SimulationForm {
            steps: Steps(simulation.steps),
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
        simulation.steps = form.steps.0;
        simulation.delta = form.delta;
        simulation.root = form.root.into();
        simulation.attributes = form.attributes.without(&["root"])?;
        for name in ["steps", "delta"] {
            // Only an invalid text is an attribute, which keeps the simulation from running.
            if let Some(text) = simulation.attributes.get(name).filter(|text| simx::is_number(name, text)) {
                return Err(FormError::NumberAsAttribute { name, text: text.to_owned() });
            }
        }
        simulation.prolog = form.prolog.into_iter().map(Extra::new).collect();
        simulation.epilog = form.epilog.into_iter().map(Extra::new).collect();
        if !simx::is_outside(&simulation.prolog, &simulation.epilog) {
            return Err(FormError::Outside);
        }
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
                    let (name, variable) = form.read()?;
                    if simulation.variables.contains_key(&*name) {
                        return Err(FormError::DuplicateVariable(name.into()));
                    }
                    simulation.set_variable(&name, variable);
                }
                Part::Extra(xml) => simulation.add_extra(extra(xml)?),
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

/// Reads XML that is kept as it is: a comment, an element or a text, within an element.
fn extra(xml: Text) -> Result<Extra, FieldError> {
    let extra = Extra::new(xml);
    match simx::is_content(&extra) {
        true => Ok(extra),
        false => {
            let shown: String = extra.xml.chars().take(40).collect();
            Err(FieldError::Extra(shown))
        }
    }
}

fn extras(texts: Vec<Text>) -> Result<Vec<Extra>, FieldError> {
    texts.into_iter().map(extra).collect()
}

/// Sorts parts in file order.
fn in_order<T>(mut parts: Vec<(u64, T)>) -> Vec<T> {
    parts.sort_by_key(|(seq, _)| *seq);
    parts.into_iter().map(|(_, part)| part).collect()
}

fn model(form: ModelForm) -> Result<Model, FormError> {
    let mut model = Model::new(&form.name);
    model.attributes = form.attributes.without(&["name"])?;
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
                let (name, variable) = form.read()?;
                if model.variables.contains_key(&*name) {
                    return Err(ModelError::DuplicateVariable(name.into()));
                }
                model.set_variable(&name, variable);
                return Ok(());
            }
            Item::Extra(xml) => {
                model.add_extra(extra(xml)?);
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
        block.attributes = form.attributes.without(block.kind.known_attributes())?;
        block.body = form.body.into_iter().map(BodyForm::read).collect::<Result<_, _>>()?;
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
        connection.attributes = self.attributes.without(&["from", "output", "to", "input"])?;
        connection.body = extras(self.body)?;
        model.connect(connection);
        Ok(())
    }
}

impl<'a> VariableForm<'a> {
    fn read(self) -> Result<(Text<'a>, Variable), FieldError> {
        let mut variable = Variable::new(&self.value);
        variable.attributes = self.attributes.without(&["name", "value"])?;
        variable.body = extras(self.body)?;
        Ok((self.name, variable))
    }
}

impl BodyForm<'_> {
    fn read(self) -> Result<BodyItem, FieldError> {
        Ok(match self {
            BodyForm::Option(form) => BodyItem::Option(BlockOption {
                name: form.name.into(),
                attributes: form.attributes.without(&["name"])?,
                items: form.values.into_iter().map(ValueForm::read).collect::<Result<_, _>>()?,
            }),
            BodyForm::Data(form) => BodyItem::Data {
                name: form.name.into(),
                text: form.text.into(),
                attributes: form.attributes.without(&["name"])?,
            },
            BodyForm::Extra(xml) => BodyItem::Extra(extra(xml)?),
        })
    }
}

impl ValueForm<'_> {
    fn read(self) -> Result<OptionItem, FieldError> {
        Ok(match self {
            ValueForm::Plain(text) => OptionItem::Value { text: text.into(), attributes: Attributes::default() },
            ValueForm::Record(ValueRecord { extra: Some(xml), .. }) => OptionItem::Extra(extra(xml)?),
            ValueForm::Record(ValueRecord { text, attributes, .. }) => {
                OptionItem::Value { text: text.unwrap_or_default().into(), attributes: attributes.without(&[])? }
            }
        })
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

impl Pairs<'_> {
    /// Converts the pairs, of which none may be a field of its own: writing would lose it.
    fn without(self, fields: &[&str]) -> Result<Attributes, FieldError> {
        match self.0.iter().find(|(name, _)| fields.contains(&&**name)) {
            Some((name, _)) => Err(FieldError::Attribute(name.to_string())),
            None => Ok(self.0.into_iter().collect()),
        }
    }
}
