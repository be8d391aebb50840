//! The choice of the engine.

use crate::app::shell::app::App;

impl App {
    /// Sets the engine of the next run.
    pub(crate) fn choose_engine(&mut self, name: &str) {
        self.settings.engine = name.to_owned();
        self.note_next_run();
    }

    /// Sets the thread limit of engines; `None`: the number of processors plus one.
    pub(crate) fn limit_threads(&mut self, threads: Option<usize>) {
        self.settings.threads = threads;
        self.note_next_run();
    }

    fn note_next_run(&mut self) {
        self.save_settings();
        if self.file.as_ref().is_some_and(|file| file.run.is_active()) {
            self.say("Takes effect on the next run");
        }
    }

    /// Asks the engines whether they can run the open document.
    pub(crate) fn ask_engines(&mut self) {
        if let Some(file) = &mut self.file
            && let Some(program) = &file.program
        {
            file.engine_checks.ask(program);
        }
    }
}
