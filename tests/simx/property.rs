//! Any simulation that can be saved is loaded unchanged.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader};
use simulate::model::{
    Attributes, Block, BlockId, BlockKind, BlockOption, BodyItem, Connection, Extra, Model, OptionItem, Simulation,
};

/// Names and values: any XML text, with unusual characters more often.
fn text() -> impl Strategy<Value = String> {
    let odd = prop::sample::select("&<>\"'\t\n\r ;#]=/é€日😀\u{FEFF}\u{85}\u{2028}".chars().collect::<Vec<_>>());
    let any = any::<char>().prop_filter(
        "XML has no such character",
        |character| !matches!(character, '\0'..='\x08' | '\x0B' | '\x0C' | '\x0E'..='\x1F' | '\u{FFFE}' | '\u{FFFF}'),
    );
    vec(prop_oneof![odd, any, prop::char::range('a', 'z')], 0..6)
        .prop_map(|characters| characters.into_iter().collect())
}

/// Names of unknown attributes.
fn attributes() -> impl Strategy<Value = Attributes> {
    let name = prop::sample::subsequence(vec!["view:x", "note", "x.y-z", "é", "_", "xmlns:q"], 0..4).prop_shuffle();
    (name, vec(text(), 4)).prop_map(|(names, values)| names.into_iter().zip(values).collect())
}

fn extra() -> impl Strategy<Value = Extra> {
    let known = ["<!-- a\n  comment -->", "<x:y a='\n'>\n<b/>t</x:y>", "<?app do?>", "<q:empty/>", "<!---->"];
    prop::sample::select(known.to_vec()).prop_map(Extra::new)
}

fn option_item() -> impl Strategy<Value = OptionItem> {
    let value =
        (text(), attributes()).prop_map(|(text, attributes)| OptionItem::Value { text: text.into(), attributes });
    prop_oneof![3 => value, 1 => extra().prop_map(OptionItem::Extra)]
}

fn body() -> impl Strategy<Value = Vec<BodyItem>> {
    let option = (text(), attributes(), vec(option_item(), 0..3))
        .prop_map(|(name, attributes, items)| BlockOption { name: name.into(), attributes, items })
        .prop_map(BodyItem::Option);
    let data = (text(), text(), attributes()).prop_map(|(name, text, attributes)| BodyItem::Data {
        name: name.into(),
        text: text.into(),
        attributes,
    });
    vec(prop_oneof![option, data, extra().prop_map(BodyItem::Extra)], 0..3)
}

fn kind() -> impl Strategy<Value = BlockKind> {
    prop_oneof![
        text().prop_map(|name| BlockKind::entry(&name)),
        text().prop_map(|name| BlockKind::exit(&name)),
        text().prop_map(|name| BlockKind::model(&name)),
        (text(), text()).prop_map(|(group, name)| BlockKind::library(&group, &name)),
    ]
}

fn id() -> impl Strategy<Value = BlockId> {
    let whole = any::<i64>().prop_map(i128::from);
    let large = any::<u64>().prop_map(i128::from);
    prop_oneof![0..8i128, whole, large, Just(BlockId::MIN.0), Just(BlockId::MAX.0)].prop_map(BlockId)
}

#[derive(Clone, Debug)]
enum Child {
    Block(Block),
    Connection(Connection),
    Extra(Extra),
}

fn child() -> impl Strategy<Value = Child> {
    let block = (id(), kind(), attributes(), body())
        .prop_map(|(id, kind, attributes, body)| Child::Block(Block { attributes, body, ..Block::new(id, kind) }));
    let connection = (id(), text(), id(), text(), attributes(), vec(extra(), 0..2));
    let connection = connection.prop_map(|(from, output, to, input, attributes, body)| {
        Child::Connection(Connection { attributes, body, ..Connection::new(from, &output, to, &input) })
    });
    prop_oneof![block, connection, extra().prop_map(Child::Extra)]
}

fn model() -> impl Strategy<Value = Model> {
    (text(), attributes(), vec(child(), 0..6)).prop_map(|(name, attributes, children)| {
        let mut model = Model::new(&name);
        model.attributes = attributes;
        for child in children {
            match child {
                Child::Block(block) => drop(model.add_block(block)),
                // A replaced connection would leave a gap in the sequence numbers, which a file does not have.
                Child::Connection(connection) if model.connections.contains_key(&connection.key()) => {}
                Child::Connection(connection) => drop(model.connect(connection)),
                Child::Extra(extra) => model.add_extra(extra),
            }
        }
        model
    })
}

pub fn simulation() -> impl Strategy<Value = Simulation> {
    let delta = any::<f64>().prop_filter("no file has such a step", |delta| delta.is_finite());
    let head = (any::<u64>(), delta, text(), attributes(), option::of(text()));
    let extras = (vec(extra(), 0..2), vec(extra(), 0..2));
    (head, vec(prop_oneof![4 => model().prop_map(Ok), 1 => extra().prop_map(Err)], 0..4), extras).prop_map(
        |((steps, delta, root, mut attributes, solver), children, (prolog, epilog))| {
            attributes.put("solver", solver.as_deref());
            // The file declares the prefix if it is used; other tests cover the writer's declaration.
            attributes.set("xmlns:view", "urn:simulate:view");
            let no_element = |extra: &Extra| extra.xml.starts_with("<!") || extra.xml.starts_with("<?");
            let asides = |extras: Vec<Extra>| extras.into_iter().filter(no_element).collect();
            let mut simulation = Simulation::default();
            (simulation.steps, simulation.delta, simulation.root) = (steps, delta, root.into());
            (simulation.prolog, simulation.epilog) = (asides(prolog), asides(epilog));
            simulation.attributes = attributes;
            for child in children {
                match child {
                    Ok(model) => drop(simulation.add_model(model)),
                    Err(extra) => simulation.add_extra(extra),
                }
            }
            simulation
        },
    )
}

proptest! {
    #![proptest_config(crate::random_cases(256))]

    #[test]
    fn written_and_read_is_the_same(simulation in simulation()) {
        let bytes = Simx.write(&simulation).unwrap();
        let loaded = Simx.read(&bytes, &LoadOptions::default()).unwrap();
        let doubtful = loaded.diagnostics.iter().filter(|found| found.code != "duplicate-option").count();
        prop_assert_eq!(doubtful, 0);
        prop_assert_eq!(&loaded.simulation, &simulation);
        prop_assert_eq!(Simx.write(&loaded.simulation).unwrap(), bytes);
    }
}
