//! Which plug-ins are found and on, and what a simulation is without them.

use std::fs;
use std::path::{Path, PathBuf};

use simulate::block::Registry;
use simulate::plugin::{FoundPlugin, PluginState, UserPlugins, inspect};

use super::{EXAMPLE_C, EXAMPLE_RUST, module, one_block, outputs};
use crate::cli::{Outcome, command};

/// A folder with settings, a plug-in folder, and a simulation in a folder of its own.
struct Place {
    folder: tempfile::TempDir,
}

const SIMULATION: &str = "<simulation steps='3' delta='0.5' root='M'><model name='M'>
    <block id='1' group='Var' name='Static'><option name='Value'><value>3</value></option></block>
    <block id='2' group='Example C' name='Gain' note='kept'><option name='k'><value>2.5</value></option></block>
    <exit id='3' name='y'/>
    <connection from='1' output='Output' to='2' input='u'/><connection from='2' output='y' to='3' input='Input'/>
    </model></simulation>";

impl Place {
    fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().expect("a folder") };
        place.write("models/a.simx", SIMULATION.as_bytes());
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
        fs::write(path, bytes).expect("it is written");
    }

    fn user(&self) -> UserPlugins {
        UserPlugins::read(Some(self.path("home/plugins.json")), Some(self.path("home/plugins")))
    }

    /// The plug-ins beside the simulation too.
    fn found(&self) -> Vec<(String, PluginState)> {
        let found = self.user().found(Some(&self.path("models/a.simx")));
        found.into_iter().map(|found| (found.about.name, found.state)).collect()
    }

    fn look_at(&self, name: &str) -> FoundPlugin {
        self.user().look_at(&self.path(name))
    }

    /// Whether the simulation's registry has the block.
    fn has_gain(&self) -> bool {
        let registry = self.user().added_to(&Registry::standard(), Some(&self.path("models/a.simx")));
        registry.get("Example C", "Gain").is_some()
    }

    fn simulate(&self, args: &[&str]) -> Outcome {
        let mut command = command(self.folder.path(), args);
        let output = command.env("SIMULATE_CONFIG_DIR", self.path("home")).output().expect("it starts");
        let text = |bytes| String::from_utf8(bytes).expect("it is text");
        Outcome { out: text(output.stdout), err: text(output.stderr), code: output.status.code().expect("it ends") }
    }
}

fn on(name: &str) -> (String, PluginState) {
    (name.to_owned(), PluginState::On)
}

fn off(name: &str) -> (String, PluginState) {
    (name.to_owned(), PluginState::Off)
}

#[test]
fn a_plugin_is_off_until_the_user_switches_its_content_on() {
    let place = Place::new();
    assert_eq!(place.found(), []);
    place.write("models/plugins/c.wasm", EXAMPLE_C);
    assert_eq!(place.found(), [off("Example C")]);
    assert!(!place.has_gain());
    place.user().enable(&place.look_at("models/plugins/c.wasm")).expect("it is written");
    assert_eq!(place.found(), [on("Example C")]);
    assert!(place.has_gain());
    // The same content elsewhere is the same plug-in, and is listed once.
    place.write("home/plugins/inner/same.wasm", EXAMPLE_C);
    assert_eq!(place.found(), [on("Example C")]);
    fs::remove_file(place.path("home/plugins/inner/same.wasm")).expect("it is removed");
    // Another content of the file is another plug-in: here one more custom section.
    let changed: Vec<u8> = [EXAMPLE_C, &[0, 2, 1, b'x']].concat();
    place.write("models/plugins/c.wasm", &changed);
    assert_eq!(place.found(), [off("Example C")]);
    assert!(!place.has_gain());
    place.user().enable(&place.look_at("models/plugins/c.wasm")).expect("it is written");
    assert!(place.has_gain());
    place.user().disable(&place.look_at("models/plugins/c.wasm").hash).expect("it is written");
    assert_eq!(place.found(), [off("Example C")]);
}

/// A simulation's own version of a plug-in comes before the one in the plug-in folder.
#[test]
fn the_version_beside_the_simulation_is_used() {
    let place = Place::new();
    let newer = module(&one_block("Example C", ""), &outputs("(i32.const 0)"));
    place.write("home/plugins/c.wasm", EXAMPLE_C);
    place.write("models/plugins/c.wasm", &newer);
    place.user().enable(&place.look_at("home/plugins/c.wasm")).expect("it is written");
    assert_eq!(place.found(), [off("Example C"), on("Example C")]);
    assert!(place.has_gain(), "one that is off does not stand in the way");
    place.user().enable(&place.look_at("models/plugins/c.wasm")).expect("it is written");
    assert_eq!(place.found()[0], on("Example C"));
    assert!(!place.has_gain());
}

#[test]
fn a_broken_plugin_costs_no_other() {
    let place = Place::new();
    place.write("home/plugins/a.wasm", b"\0asm");
    place.write("home/plugins/b.wasm", EXAMPLE_C);
    place.write("home/plugins/c.WASM", EXAMPLE_RUST);
    place.write("home/plugins/d.txt", EXAMPLE_RUST);
    fs::create_dir_all(place.path("home/plugins/e.wasm")).expect("a folder");
    let found = place.found();
    let names: Vec<&str> = found.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["a", "Example C", "Example Rust"]);
    assert!(matches!(&found[0].1, PluginState::Broken(problem) if problem.contains("not a WebAssembly module")));
    let error = place.user().enable(&place.look_at("home/plugins/a.wasm")).expect_err("it is broken");
    assert!(error.to_string().contains("not a WebAssembly module"), "{error}");
    // A damaged list switches nothing on, and is not replaced.
    place.write("home/plugins.json", b"{\"enabled\": 3}");
    assert!(place.user().problem().is_some());
    assert!(place.user().enable(&place.look_at("home/plugins/b.wasm")).is_err());
    assert_eq!(fs::read(place.path("home/plugins.json")).expect("it is there"), b"{\"enabled\": 3}");
}

#[test]
fn no_plugin_replaces_blocks_of_the_program_or_of_another() {
    let place = Place::new();
    let math = module(&one_block("Math", ""), &outputs("(i32.const 0)"));
    let second = module(&one_block("Example C", ""), &outputs("(i32.const 0)"));
    place.write("home/plugins/1.wasm", EXAMPLE_C);
    place.write("home/plugins/2.wasm", &second);
    place.write("home/plugins/3.wasm", &math);
    for name in ["1", "2", "3"] {
        place.user().enable(&place.look_at(&format!("home/plugins/{name}.wasm"))).expect("it is written");
    }
    let found = place.found();
    assert_eq!(found[0], on("Example C"));
    assert!(matches!(&found[1].1, PluginState::Broken(problem) if problem.contains("another plug-in of this name")));
    let registry = place.user().added_to(&Registry::standard(), None);
    assert!(registry.get("Example C", "Gain").is_some() && registry.get("Example C", "B").is_none());
    assert!(registry.get("Math", "B").is_none());
    let absent = registry.absent("Math").expect("it is told");
    assert!(absent.problem.as_deref().is_some_and(|problem| problem.contains("the group “Math”")), "{absent:?}");
}

/// As a user does: run, read why not, switch on, run, switch off.
#[test]
fn the_commands_list_switch_and_run() {
    let place = Place::new();
    place.write("models/plugins/c.wasm", EXAMPLE_C);
    let model = "models/a.simx";
    let outcome = place.simulate(&["run", model]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.err.contains("error[plugin-off]: Example C/Gain is a block of the plug-in"), "{}", outcome.err);
    let listed = place.simulate(&["plugins", "--beside", model, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&listed.out).expect("it is JSON");
    assert_eq!((&json[0]["name"], &json[0]["state"]), (&"Example C".into(), &"off".into()));
    assert_eq!(json[0]["blocks"], serde_json::json!(["Gain", "Lag"]));
    assert_eq!(json[0]["sha256"].as_str().map(str::len), Some(64));

    let outcome = place.simulate(&["plugins", "enable", "models/plugins/c.wasm"]);
    assert_eq!((outcome.code, &*outcome.out), (0, "Example C 1.0.0 is on: Gain, Lag\n"));
    let outcome = place.simulate(&["run", model]);
    assert_eq!((outcome.code, &*outcome.out), (0, "y = 7.5\n"), "{}", outcome.err);
    assert!(place.simulate(&["blocks"]).out.contains("Multiplies a signal by a number"));
    assert_eq!(place.simulate(&["check", model]).code, 0);
    let outcome = place.simulate(&["plugins", "test", "models/plugins/c.wasm"]);
    assert_eq!((outcome.code, &*outcome.out), (0, "Example C 1.0.0 is as expected: Gain, Lag\n"), "{}", outcome.err);

    assert_eq!(place.simulate(&["plugins", "disable", "Example C"]).code, 0);
    assert_eq!(place.simulate(&["run", model]).code, 1);
    let outcome = place.simulate(&["plugins", "enable", "No such"]);
    assert!(outcome.code == 1 && outcome.err.contains("there is no file and no plug-in “No such”"), "{outcome:?}");
}

/// A simulation whose plug-in is missing is converted there and back without a loss, and says what is missing.
#[test]
fn a_simulation_without_its_plugin_stays_whole() {
    let place = Place::new();
    for (from, to) in [("a.simx", "b.json"), ("b.json", "c.simx"), ("a.simx", "d.simx")] {
        let outcome = place.simulate(&["convert", &format!("models/{from}"), &format!("models/{to}")]);
        assert_eq!(outcome.code, 0, "{outcome:?}");
    }
    let read = |name: &str| fs::read_to_string(place.path(name)).expect("it is written");
    assert_eq!(read("models/c.simx"), read("models/d.simx"));
    assert!(
        read("models/c.simx").contains(r#"group="Example C" name="Gain" note="kept""#),
        "{}",
        read("models/c.simx")
    );
    let outcome = place.simulate(&["check", "models/a.simx"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.out.contains("if Example C is a plug-in, it is missing"), "{}", outcome.out);
    // It runs again when it is back.
    place.write("models/plugins/c.wasm", EXAMPLE_C);
    place.user().enable(&place.look_at("models/plugins/c.wasm")).expect("it is written");
    assert_eq!(place.simulate(&["run", "models/c.simx"]).out, "y = 7.5\n");
}

/// The committed examples are those of the sources: their descriptions are the files beside these.
#[test]
fn the_examples_have_their_descriptions() {
    for (bytes, source) in [(EXAMPLE_C, "c/gain.json"), (EXAMPLE_RUST, "rust/example/description.json")] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/plugin").join(source);
        let text = fs::read(path).expect("it is there");
        assert!(bytes.windows(text.len()).any(|window| window == text), "{source}: run assets/plugin/build.sh");
        inspect(bytes).expect("it is a plug-in");
    }
}
