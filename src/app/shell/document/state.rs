//! The state that the window keeps for all documents: clipboard, libraries, recovery copies.

use crate::app::shell::app::App;
use crate::app::store::libraries::Libraries;
use crate::app::store::recovery::{Left, Recovery};
use crate::app::store::settings::Settings;
use crate::model::{BlockId, Fragment};

/// The state for all documents, one after the other.
pub struct Documents {
    pub clipboard: Option<Clipboard>,
    pub libraries: Libraries,
    pub recovery: Recovery,
    /// The recovery copies that the user has not decided about.
    pub left: Vec<Left>,
    /// The action that waits until unsaved work is in a copy.
    pub after_copy: Option<AfterCopy>,
    /// Counts requests to open a document.
    pub opening: u64,
    /// Counts documents.
    pub last_number: u64,
}

/// An action that waits until unsaved work is in a copy, since it may end the program.
pub struct AfterCopy {
    /// The number of the document.
    pub document: u64,
    pub action: Box<dyn FnOnce(&mut App)>,
}

/// The blocks that can be pasted.
#[derive(Clone, Debug)]
pub struct Clipboard {
    pub fragment: Fragment,
    /// The text that this window has put on the platform's clipboard for them.
    pub text: Option<String>,
    /// The number of the open file from which they were copied; `None` for a text from elsewhere.
    pub document: Option<u64>,
    /// The path of the model from which they were cut. Plots and widgets follow them where they are pasted.
    pub cut_from: Option<Vec<BlockId>>,
}

impl Documents {
    pub fn new(settings: &Settings) -> Documents {
        Documents {
            clipboard: None,
            libraries: Libraries::unread(settings.library_folder()),
            recovery: Recovery::new(settings.home.as_deref()),
            left: Vec::new(),
            after_copy: None,
            opening: 0,
            last_number: 0,
        }
    }
}
