//! Attributes and XML that the program does not interpret: kept in file order and written back unchanged.

use std::sync::Arc;

/// The attributes of a tag that the format does not define, in file order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes(Vec<(Arc<str>, Arc<str>)>);

impl Attributes {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| &**known == name).map(|(_, value)| &**value)
    }

    /// Changes the attribute in place, or appends it.
    pub fn set(&mut self, name: &str, value: &str) {
        match self.0.iter_mut().find(|(known, _)| &**known == name) {
            Some((_, old)) => *old = value.into(),
            None => self.0.push((name.into(), value.into())),
        }
    }

    pub fn remove(&mut self, name: &str) -> Option<Arc<str>> {
        let index = self.0.iter().position(|(known, _)| &**known == name)?;
        Some(self.0.remove(index).1)
    }

    /// Sets the attribute if there is a value, or removes it.
    pub fn put(&mut self, name: &str, value: Option<&str>) {
        match value {
            Some(value) => self.set(name, value),
            None => drop(self.remove(name)),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<N: Into<Arc<str>>, V: Into<Arc<str>>> FromIterator<(N, V)> for Attributes {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Attributes {
        Attributes(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

/// A comment, an unknown element or stray text, verbatim as in the XML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extra {
    pub xml: Arc<str>,
}

impl Extra {
    pub fn new(xml: impl Into<Arc<str>>) -> Extra {
        Extra { xml: xml.into() }
    }
}
