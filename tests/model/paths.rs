//! Signals by path: the text of a signal leads back to it.

use simulate::block::Registry;
use simulate::model::{BlockId, SignalKey, Simulation};

use crate::sketch::Sketch;

/// A root with two instances of a model, of which the second has a title.
fn two_instances(model: &str, label: &str) -> Simulation {
    let sketch = Sketch::new(1.0)
        .block_in(model, 0, "Var/Clock", &[])
        .block(1, &format!("model {model}"), &[])
        .block(2, &format!("model {model}"), &[])
        .mark("Main", 2, &[("label", label)]);
    sketch.simulation
}

/// Found by the fuzz target `texts`: the signals of the second instance were called like those of the first.
#[test]
fn the_text_of_a_signal_leads_back_to_it() {
    let registry = Registry::standard();
    for (model, label) in [("Inner", "Second"), ("Inner", "Inner"), ("a/b", "c"), ("a#1.b", "c"), ("#1", "#2")] {
        let simulation = two_instances(model, label);
        for instance in [1, 2] {
            let key = SignalKey::new(&[BlockId(instance)], BlockId(0), "Output");
            let text = key.text(&simulation);
            assert_eq!(SignalKey::parse(&text, &simulation, &registry), Ok(key), "{text} in {model}");
        }
    }
    let simulation = two_instances("Inner", "Second");
    let text = |instance| SignalKey::new(&[BlockId(instance)], BlockId(0), "Output").text(&simulation);
    assert_eq!([text(1), text(2)], ["Inner#0.Output", "#2#0.Output"]);
}
