//! The user's plug-ins: shown, switched on and off.

use crate::app::dialogs::{Dialog, PluginList};
use crate::app::doc::derived::Derived;
use crate::app::shell::app::App;
use crate::plugin::{PluginState, UserPlugins};

impl App {
    /// Reads the list of plug-ins; a window without settings has none.
    pub(crate) fn user_plugins(&self) -> UserPlugins {
        UserPlugins::in_home(self.settings.home.as_deref())
    }

    /// Opens the list of plug-ins.
    pub(crate) fn show_plugins(&mut self) {
        self.window.dialog = Dialog::Plugins(Box::new(self.plugin_list()));
    }

    fn plugin_list(&self) -> PluginList {
        let user = self.user_plugins();
        let path = self.file.as_ref().and_then(|file| file.path.as_deref());
        PluginList {
            found: user.found(path),
            folder: user.folder().map(ToOwned::to_owned),
            problem: user.problem().map(ToOwned::to_owned),
        }
    }

    /// Switches a plug-in of the list on or off, and draws the open document with its blocks.
    pub(crate) fn switch_plugin(&mut self, list: &PluginList, number: usize) {
        let Some(found) = list.found.get(number) else { return };
        let mut user = self.user_plugins();
        let name = &found.about.name;
        let (done, text) = match found.state {
            PluginState::On => (user.disable(&found.hash), format!("{name} is off")),
            _ => (user.enable(found), format!("{name} is on")),
        };
        match done {
            Ok(()) => self.say(&text),
            Err(error) => self.complain(error.to_string()),
        }
        self.use_folder();
        self.with_file(|file| {
            file.derived = Derived::default();
            file.canvas.forget_blocks();
            file.other.iter_mut().for_each(|canvas| canvas.forget_blocks());
            file.check.forget();
        });
        self.refresh();
        self.show_plugins();
    }
}
