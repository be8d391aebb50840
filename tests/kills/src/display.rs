//! A display without a screen, and the keys that are pressed on it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::kill;

/// A running Xvfb. Dropping it ends it.
pub struct Display {
    server: Child,
    name: String,
}

impl Display {
    /// # Errors
    /// If Xvfb is not installed or does not start.
    pub fn start() -> Result<Display, String> {
        let mut command = Command::new("Xvfb");
        // Without the last option it would begin anew, and turn clients away meanwhile, whenever the last one is gone.
        command
            .args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut server = command.spawn().map_err(|error| format!("Xvfb: {error}; install xvfb and xdotool"))?;
        let mut number = String::new();
        if let Some(output) = server.stdout.take() {
            BufReader::new(output).read_line(&mut number).map_err(|error| error.to_string())?;
        }
        let name = format!(":{}", number.trim());
        if name.len() < 2 {
            return Err("Xvfb does not start".to_owned());
        }
        Ok(Display { server, name })
    }

    /// Starts a program on this display, with a settings folder of its own.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn open(&self, program: &Path, config: &Path, file: Option<&Path>) -> Result<Child, String> {
        let mut command = Command::new(program);
        command.env("DISPLAY", &self.name).env("LIBGL_ALWAYS_SOFTWARE", "1").env_remove("WAYLAND_DISPLAY");
        command.env("SIMULATE_CONFIG_DIR", config).args(file).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().map_err(|error| error.to_string())
    }

    /// Waits for a window with this text in its title, and gives it the keyboard.
    ///
    /// # Errors
    /// If there is none after some time.
    pub fn focus(&self, title: &str) -> Result<(), String> {
        until(&format!("a window “{title}”"), || {
            let found = self.xdotool(&["search", "--onlyvisible", "--name", title]);
            let Some(window) = found.lines().next() else {
                sleep(Duration::from_millis(50));
                return false;
            };
            self.xdotool(&["windowfocus", "--sync", window]);
            true
        })
    }

    pub fn has_window(&self, title: &str) -> bool {
        sleep(Duration::from_millis(20));
        !self.xdotool(&["search", "--onlyvisible", "--name", title]).is_empty()
    }

    pub fn press(&self, keys: &[&str]) {
        self.xdotool(&[&["key"], keys].concat());
    }

    /// Presses keys while the caller looks at what they do.
    ///
    /// # Errors
    /// If xdotool cannot be started.
    pub fn begin_to_press(&self, keys: &[&str]) -> Result<Child, String> {
        let mut command = Command::new("xdotool");
        command.env("DISPLAY", &self.name).arg("key").args(keys).stderr(Stdio::null());
        command.spawn().map_err(|error| format!("xdotool: {error}"))
    }

    /// Waits until all keys are released.
    pub fn finish(mut keys: Child) {
        let _ = keys.wait();
    }

    fn xdotool(&self, args: &[&str]) -> String {
        let output = Command::new("xdotool").env("DISPLAY", &self.name).args(args).stderr(Stdio::null()).output();
        output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        kill::end(&mut self.server);
    }
}

/// Waits until something is so.
///
/// # Errors
/// If it is not after half a minute.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) -> Result<(), String> {
    let begin = Instant::now();
    while !is_so() {
        if begin.elapsed() > Duration::from_secs(30) {
            return Err(format!("never happened: {what}"));
        }
        // Without a pause, since a save takes a few milliseconds.
        std::hint::spin_loop();
    }
    Ok(())
}
