//! The results of the dialogs, on which the shell acts.

use std::path::PathBuf;
use std::sync::Arc;

use super::changed::{FileChanged, Remedy};
use super::frame::FrameResponse;
use super::nested::NestedChoice;
use super::preferences::PreferenceValues;
#[cfg(feature = "pool")]
use super::remote::RemoteChoice;
use crate::app::action::AfterSave;
use crate::app::action::command::Command;
use crate::app::action::path_request::{CodeExport, FmuExport, PathQuestion, PathRequest, PictureExport};
#[cfg(feature = "pool")]
use crate::app::store::pools::{PoolFile, PoolSetting};
use crate::app::ui::keymap::Keymap;
use crate::exported::OnChanged;
use crate::model::{BlockId, Change};

/// The result of a dialog in a frame of the window.
pub enum DialogResponse {
    Open,
    Closed,
    /// A text is in the clipboard.
    Copied,
    Save(AfterSave),
    Discard(AfterSave),
    Path(PathQuestion, PathBuf),
    /// Asks for a path.
    AskPath(PathRequest),
    Remedy(Box<FileChanged>, Remedy),
    Nested(NestedChoice),
    AllowOutside,
    Command(Command),
    Apply(Change),
    Picture(PictureExport),
    Code(CodeExport),
    /// How an export treats the changed files.
    Edited(OnChanged),
    Fmu(FmuExport),
    /// Shows a block of a model.
    ShowBlock(Arc<str>, BlockId),
    /// Replaces the shortcuts.
    Keys(Keymap),
    /// Stores the preferences.
    Preferences(Box<PreferenceValues>),
    /// Opens the recovery copy with this number.
    Recover(usize),
    Forget(usize),
    ForgetAll,
    /// Switches the plug-in with this number on or off.
    SwitchPlugin(usize),
    /// Stores the pools of computers.
    #[cfg(feature = "pool")]
    Pools(Vec<PoolSetting>),
    /// Asks for a file of the pool with this number.
    #[cfg(feature = "pool")]
    PoolFile(usize, PoolFile),
    /// Tests the connection to a pool.
    #[cfg(feature = "pool")]
    TryPool(Box<PoolSetting>),
    /// Where a run or a sweep is computed.
    #[cfg(feature = "pool")]
    Remote(RemoteChoice),
    /// Shows a file in the platform's file manager.
    ShowFolder(PathBuf),
}

impl FrameResponse for DialogResponse {
    const CLOSED: DialogResponse = DialogResponse::Closed;

    fn is_open(&self) -> bool {
        matches!(self, DialogResponse::Open)
    }
}
