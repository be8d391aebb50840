//! Listeners of a document receive its changes: sentences R122, R123 and R142 of the source documents.

use std::sync::{Arc, Mutex};

use simulate::model::{
    Block, BlockId, BlockKind, BlockRef, Change, Connection, Document, DocumentEvent, Edit, PortRef, Subscription,
    UpdateCause, WireEnds,
};

use super::{apply, document, nested};
use crate::sketch::Sketch;

/// The updates that a listener received: cause, label and events of each.
type Told = Arc<Mutex<Vec<(UpdateCause, String, Vec<DocumentEvent>)>>>;

fn listened(document: &mut Document) -> (Told, Subscription) {
    let told = Told::default();
    let inbox = Arc::clone(&told);
    let subscription = document.listen(move |update| {
        inbox.lock().unwrap().push((update.cause, update.label.clone(), update.events()));
    });
    (told, subscription)
}

/// The events of the last update.
#[track_caller]
fn last(told: &Told) -> Vec<DocumentEvent> {
    told.lock().unwrap().last().expect("an update").2.clone()
}

fn place(model: &str, id: u64) -> BlockRef {
    BlockRef { model: model.into(), block: BlockId(id.into()) }
}

fn wire(from: u64, output: &str, to: u64, input: &str) -> WireEnds {
    let (from, to) = (BlockId(from.into()), BlockId(to.into()));
    WireEnds { model: "Main".into(), from, output: output.into(), to, input: input.into() }
}

/// R122: two constants; the second one replaces the first at the gain's input.
#[test]
fn the_output_that_loses_its_input_is_reported() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[])
        .block(1, "Var/Static", &[])
        .block(2, "Math/Gain", &[])
        .wire("0.Output", "2.Input");
    let mut document = document(sketch.simulation);
    let (told, _subscription) = listened(&mut document);
    let connection = Box::new(Connection::new(BlockId(1), "Output", BlockId(2), "Input"));
    apply(&mut document, Edit::Connect { model: "Main".into(), connection });
    let (old, new) = (wire(0, "Output", 2, "Input"), wire(1, "Output", 2, "Input"));
    assert_eq!(last(&told), [DocumentEvent::Disconnected(old.clone()), DocumentEvent::Connected(new.clone())]);
    document.undo();
    assert_eq!(last(&told), [DocumentEvent::Disconnected(new.clone()), DocumentEvent::Connected(old.clone())]);
    document.redo();
    assert_eq!(last(&told), [DocumentEvent::Disconnected(old), DocumentEvent::Connected(new)]);
    let causes: Vec<UpdateCause> = told.lock().unwrap().iter().map(|(cause, ..)| *cause).collect();
    assert_eq!(causes, [UpdateCause::Applied, UpdateCause::Undone, UpdateCause::Redone]);
}

/// R123: an input and an output of a block are added and removed.
#[test]
fn added_and_removed_inputs_and_outputs_are_reported() {
    let sketch = Sketch::new(1.0).block(0, "Math/Sum", &[("Signs", &["++"])]).block(
        1,
        "Routing/Demux",
        &[("Widths", &["1", "1"])],
    );
    let mut document = document(sketch.simulation);
    let (told, _subscription) = listened(&mut document);
    let mut set = |id, name: &str, values: &[&str]| {
        let values = Some(values.iter().map(|value| (*value).to_owned()).collect());
        apply(&mut document, Edit::SetOption { model: "Main".into(), id: BlockId(id), name: name.into(), values });
        last(&told)
    };
    let input = PortRef::Input("Input 3".into());
    let (sum, demux) = (place("Main", 0), place("Main", 1));
    let changed = |place: &BlockRef| DocumentEvent::BlockChanged(place.clone());
    assert_eq!(set(0, "Signs", &["++-"]), [changed(&sum), DocumentEvent::PortAdded(sum.clone(), input.clone())]);
    assert_eq!(set(0, "Signs", &["++"]), [changed(&sum), DocumentEvent::PortRemoved(sum.clone(), input)]);
    let output = PortRef::Output("Output 3".into());
    let added = set(1, "Widths", &["1", "1", "1"]);
    assert_eq!(added, [changed(&demux), DocumentEvent::PortAdded(demux.clone(), output.clone())]);
    assert_eq!(set(1, "Widths", &["1", "1"]), [changed(&demux), DocumentEvent::PortRemoved(demux.clone(), output)]);
}

/// R142: an exit that is added inside is immediately a port of every instance, unless an entry has the same name.
#[test]
fn instances_follow_the_entries_and_exits_of_their_model() {
    let mut document = document(nested());
    let (told, _subscription) = listened(&mut document);
    let block = Box::new(Block::new(BlockId(9), BlockKind::exit("z")));
    apply(&mut document, Edit::AddBlock { model: "Inner".into(), block });
    let port = |name: &str| PortRef::Output(name.into());
    let added = [DocumentEvent::BlockAdded(place("Inner", 9)), DocumentEvent::PortAdded(place("Main", 1), port("z"))];
    assert_eq!(last(&told), added);
    apply(&mut document, Edit::RenamePort { model: "Inner".into(), id: BlockId(9), name: "u".into() });
    let paired = [
        DocumentEvent::BlockChanged(place("Inner", 9)),
        DocumentEvent::PortRemoved(place("Main", 1), PortRef::Input("u".into())),
        DocumentEvent::PortRemoved(place("Main", 1), port("z")),
    ];
    assert_eq!(last(&told).iter().filter(|event| paired.contains(event)).count(), paired.len(), "{:?}", last(&told));
}

#[test]
fn refused_changes_and_dropped_listeners_get_no_events() {
    let mut document = document(nested());
    let (told, subscription) = listened(&mut document);
    let root = |name: &str| Change::one("Root", Edit::SetRoot(name.into()));
    document.apply(&root("Nowhere")).unwrap_err();
    assert_eq!(told.lock().unwrap().len(), 0);
    let mut copy = document.clone();
    copy.apply(&root("Inner")).unwrap();
    assert_eq!(told.lock().unwrap().len(), 0, "a copy is another document");
    document.apply(&root("Inner")).unwrap();
    assert_eq!(last(&told), [DocumentEvent::SettingsChanged]);
    drop(subscription);
    document.undo();
    assert_eq!(told.lock().unwrap().len(), 1);
}

/// A wire that is removed is reported once; with a block its wires are.
#[test]
fn wires_that_are_removed_are_reported() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[])
        .block(1, "Math/Gain", &[])
        .block(2, "Math/Abs", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
    let mut document = document(sketch.simulation);
    let (told, _subscription) = listened(&mut document);
    apply(&mut document, Edit::Disconnect { model: "Main".into(), to: BlockId(2), input: "Input".into() });
    let second = wire(1, "Output", 2, "Input");
    assert_eq!(last(&told), [DocumentEvent::Disconnected(second.clone())]);
    document.undo();
    assert_eq!(last(&told), [DocumentEvent::Connected(second.clone())]);
    apply(&mut document, Edit::RemoveBlocks { model: "Main".into(), ids: vec![BlockId(1)] });
    let first = wire(0, "Output", 1, "Input");
    let gone = [
        DocumentEvent::Disconnected(first),
        DocumentEvent::Disconnected(second),
        DocumentEvent::BlockRemoved(place("Main", 1)),
    ];
    assert_eq!(last(&told), gone);
}
