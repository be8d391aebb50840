//! The licences of all libraries: each is one that `deny.toml` allows, and Help › Licences lists them all.
//!
//! `UPDATE_GOLDEN=1 cargo test licences` writes the list anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The packages that become a part of the program on any platform, sorted by name and version.
fn packages() -> Vec<Value> {
    let mut command = Command::new(env!("CARGO"));
    // The packages have the pool too.
    command.args(["metadata", "--format-version", "1", "--locked", "--features", "pool"]).current_dir(root());
    let output = command.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("a description of the packages");
    let array = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let nodes: BTreeMap<String, Value> =
        array(&metadata["resolve"]["nodes"]).into_iter().map(|node| (text(&node["id"]), node)).collect();
    let own = text(&metadata["resolve"]["root"]);
    let own = if own.is_empty() { text(&metadata["workspace_default_members"][0]) } else { own };
    let (mut reached, mut ahead) = (BTreeSet::new(), vec![own.clone()]);
    while let Some(id) = ahead.pop() {
        for needed in array(&nodes[&id]["deps"]) {
            let is_part = array(&needed["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
            if is_part && reached.insert(text(&needed["pkg"])) {
                ahead.push(text(&needed["pkg"]));
            }
        }
    }
    let mut packages: Vec<Value> =
        array(&metadata["packages"]).into_iter().filter(|package| reached.contains(&text(&package["id"]))).collect();
    packages.sort_by_key(|package| (text(&package["name"]), text(&package["version"])));
    assert!(packages.len() > 300, "{} packages", packages.len());
    packages
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The lists of `deny.toml`: what is allowed, and what is allowed for one package.
struct Allowed {
    all: BTreeSet<String>,
    exceptions: BTreeMap<String, String>,
}

fn allowed() -> Allowed {
    let text = include_str!("deny.toml");
    let quoted = |line: &str| -> Vec<String> { line.split('"').skip(1).step_by(2).map(str::to_owned).collect() };
    let list = |name: &str| {
        let begin = text.split(&format!("\n{name} = [")).nth(1).expect("the list");
        begin.split("\n]").next().unwrap_or_default()
    };
    let exceptions = list("exceptions").lines().map(quoted).filter(|words| words.len() == 2);
    Allowed {
        all: quoted(list("allow")).into_iter().collect(),
        exceptions: exceptions.map(|words| (words[1].clone(), words[0].clone())).collect(),
    }
}

/// Whether an expression of licences, such as `(MIT OR Apache-2.0) AND Zlib`, is fulfilled by what is allowed.
fn is_allowed(expression: &str, is_known: &dyn Fn(&str) -> bool) -> bool {
    let plain = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = plain.split_whitespace().collect();
    let mut at = 0;
    let result = any_of(&words, &mut at, is_known);
    result && at == words.len()
}

fn any_of(words: &[&str], at: &mut usize, is_known: &dyn Fn(&str) -> bool) -> bool {
    let mut result = all_of(words, at, is_known);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        result |= all_of(words, at, is_known);
    }
    result
}

fn all_of(words: &[&str], at: &mut usize, is_known: &dyn Fn(&str) -> bool) -> bool {
    let mut result = one_of(words, at, is_known);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        result &= one_of(words, at, is_known);
    }
    result
}

fn one_of(words: &[&str], at: &mut usize, is_known: &dyn Fn(&str) -> bool) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let result = any_of(words, at, is_known);
        *at += 1;
        return result;
    }
    let name = word.trim_end_matches('+');
    match (words.get(*at), words.get(*at + 1)) {
        (Some(&"WITH"), Some(exception)) => {
            *at += 2;
            is_known(&format!("{name} WITH {exception}"))
        }
        _ => is_known(name),
    }
}

#[test]
fn expressions_of_licences_are_understood() {
    let is_mit = |name: &str| name == "MIT";
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("(GPL-3.0 OR MIT) AND MIT", true),
        ("MIT OR GPL-3.0 AND Zlib", true),
        ("MIT WITH some-exception", false),
        ("", false),
        ("MIT MIT", false),
    ] {
        assert_eq!(is_allowed(expression, &is_mit), expected, "{expression}");
    }
}

#[test]
fn every_library_has_an_allowed_licence() {
    let allowed = allowed();
    assert!(allowed.all.contains("MIT") && allowed.exceptions.contains_key("option-ext"));
    let mut used = BTreeSet::new();
    for package in packages() {
        let (name, licence) = (text(&package["name"]), text(&package["license"]));
        let exception = allowed.exceptions.get(&name);
        let is_known = |licence: &str| allowed.all.contains(licence) || exception.is_some_and(|only| only == licence);
        assert!(is_allowed(&licence, &is_known), "{name} has the licence “{licence}”");
        used.extend(exception.map(|_| name));
    }
    assert_eq!(used, allowed.exceptions.into_keys().collect(), "no exception is left over");
}

#[test]
fn the_libraries_of_the_window_have_one_version() {
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages() {
        versions.entry(text(&package["name"])).or_default().push(text(&package["version"]));
    }
    for name in ["egui", "eframe", "epaint", "winit"] {
        assert_eq!(versions.get(name).map(Vec::len), Some(1), "{name}: {:?}", versions.get(name));
    }
}

/// The texts in a package's folder. Of a choice that includes the licence MIT only that one.
fn texts(package: &Value) -> Vec<String> {
    let manifest = PathBuf::from(text(&package["manifest_path"]));
    let folder = manifest.parent().expect("a folder");
    let names = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let is_text = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        let starts = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];
        path.is_file() && starts.iter().any(|start| name.starts_with(start))
    };
    let mut paths: Vec<PathBuf> = names.filter(is_text).collect();
    paths.sort();
    let is_mit = |path: &PathBuf| path.to_string_lossy().to_uppercase().ends_with("MIT");
    if !text(&package["license"]).contains("AND")
        && let Some(mit) = paths.iter().find(|path| is_mit(path)).cloned()
    {
        paths = vec![mit];
    }
    let read = |path: PathBuf| String::from_utf8_lossy(&fs::read(path).expect("a file")).replace("\r\n", "\n");
    paths.into_iter().map(read).map(|text| text.trim().to_owned()).collect()
}

#[test]
fn the_list_of_licences_is_complete() {
    let path = root().join("assets/licences.json");
    let mut known: Vec<String> = Vec::new();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let list: Vec<Value> = packages()
        .iter()
        .map(|package| {
            let mut own: Vec<usize> = Vec::new();
            for text in texts(package) {
                let plain = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let number = *numbers.entry(plain).or_insert(known.len());
                if number == known.len() {
                    known.push(text);
                }
                own.push(number);
            }
            json!({
                "name": package["name"],
                "version": package["version"],
                "licence": text(&package["license"]).replace(" / ", " OR ").replace('/', " OR "),
                "repository": text(&package["repository"]),
                "texts": own,
            })
        })
        .collect();
    let mut expected = serde_json::to_string_pretty(&json!({ "packages": list, "texts": known })).expect("a text");
    expected.push('\n');
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &expected).expect("it is written");
    }
    let found = fs::read_to_string(&path).expect("the list");
    assert!(found == expected, "assets/licences.json is out of date: UPDATE_GOLDEN=1 cargo test licences");
}
