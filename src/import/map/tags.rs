//! Goto and From across systems.
//!
//! A Goto here is seen in its own model and, if it is visible inside, in models within. One that others see is carried to
//! the model that holds them all: through exits of the models on the way.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::source::System;
use crate::model::BlockId;

/// Where the tags of a file are sent and received.
#[derive(Debug, Default)]
pub struct Tags {
    /// The paths of the systems with the Goto, by tag, if it is not local.
    senders: BTreeMap<String, BTreeSet<String>>,
    receivers: BTreeMap<String, BTreeSet<String>>,
    /// Outputs of model blocks that carry a tag further out: the block, the tag and the port.
    pub waiting: Vec<(BlockId, String, Arc<str>)>,
    expected: Vec<(String, Arc<str>)>,
}

impl Tags {
    pub fn of(system: &System) -> Tags {
        let mut tags = Tags::default();
        tags.collect(system, "");
        tags
    }

    fn collect(&mut self, system: &System, path: &str) {
        for block in &system.blocks {
            let tag = || block.params.get("GotoTag").unwrap_or("A").to_owned();
            match &*block.kind {
                "Goto" if block.params.get("TagVisibility").unwrap_or("local") != "local" => {
                    self.senders.entry(tag()).or_default().insert(path.to_owned());
                }
                "From" => {
                    self.receivers.entry(tag()).or_default().insert(path.to_owned());
                }
                _ => {}
            }
            if let Some(inner) = &block.system {
                let name = block.title().replace('/', "//");
                self.collect(inner, &if path.is_empty() { name } else { format!("{path}/{name}") });
            }
        }
    }

    /// The innermost system that holds the sender of a tag and all its receivers.
    fn common(&self, tag: &str, sender: &str) -> String {
        let mut common: Vec<&str> = sender.split('/').collect();
        for receiver in self.receivers.get(tag).into_iter().flatten() {
            let parts: Vec<&str> = receiver.split('/').collect();
            let same = common.iter().zip(&parts).take_while(|(a, b)| a == b).count();
            common.truncate(same);
        }
        common.join("/")
    }

    /// Notes the ports of the model block that is made next.
    pub fn expect(&mut self, lifted: Vec<(String, Arc<str>)>) {
        self.expected = lifted;
    }

    /// Notes which block the ports of the model made last belong to.
    pub fn place(&mut self, id: BlockId) {
        let expected = std::mem::take(&mut self.expected);
        self.waiting.extend(expected.into_iter().map(|(tag, port)| (id, tag, port)));
    }

    /// Whether a Goto in this system has receivers outside of it.
    pub fn goes_up(&self, tag: &str, here: &str) -> bool {
        self.senders.get(tag).is_some_and(|senders| senders.contains(here)) && self.common(tag, here) != here
    }

    /// Whether a tag that comes from inside ends in this system.
    pub fn ends_at(&self, tag: &str, here: &str) -> bool {
        let senders = self.senders.get(tag);
        senders.into_iter().flatten().any(|sender| self.common(tag, sender) == here) || here.is_empty()
    }
}
