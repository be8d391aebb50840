//! The link of a model to the library that it was copied from.
//!
//! It consists of attributes of the model's tag, which change no run. The hash is that of the library's model when it was
//! copied: if the library has another one now, it has a newer version.

use std::sync::Arc;

use super::{Attributes, Edit, Model};

/// Where a model was copied from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryLink {
    /// The name of the library: its file without extension, with the subfolder's name before it.
    pub library: Arc<str>,
    /// The name of the model there.
    pub model: Arc<str>,
    /// The hash of its content when it was copied.
    pub hash: Arc<str>,
}

const LIBRARY: &str = "view:library";
const MODEL: &str = "view:library-model";
const HASH: &str = "view:library-hash";

impl LibraryLink {
    /// Returns the link of a model, if it has one.
    pub fn of(model: &Model) -> Option<LibraryLink> {
        let attribute = |name| model.attributes.get(name).map(Arc::<str>::from);
        let (library, hash) = (attribute(LIBRARY)?, attribute(HASH)?);
        Some(LibraryLink { library, model: attribute(MODEL).unwrap_or_else(|| Arc::clone(&model.name)), hash })
    }

    /// Sets the attributes of a model's tag.
    pub fn write(&self, attributes: &mut Attributes) {
        self.texts().into_iter().for_each(|(name, text)| attributes.put(name, Some(text)));
    }

    /// Removes the link from the attributes of a model's tag.
    pub fn clear(attributes: &mut Attributes) {
        [LIBRARY, MODEL, HASH].into_iter().for_each(|name| attributes.put(name, None));
    }

    /// Returns the edits that link a model.
    pub fn edits(&self, model: &Arc<str>) -> Vec<Edit> {
        self.texts().into_iter().map(|(name, text)| edit(model, name, Some(text))).collect()
    }

    /// Returns the edits that remove the link of a model.
    pub fn removal(model: &Arc<str>) -> Vec<Edit> {
        [LIBRARY, MODEL, HASH].into_iter().map(|name| edit(model, name, None)).collect()
    }

    fn texts(&self) -> [(&'static str, &str); 3] {
        [(LIBRARY, &self.library), (MODEL, &self.model), (HASH, &self.hash)]
    }
}

fn edit(model: &Arc<str>, name: &str, value: Option<&str>) -> Edit {
    Edit::SetModelAttribute { model: Arc::clone(model), name: name.into(), value: value.map(Arc::from) }
}
