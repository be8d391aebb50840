//! The imports of the program, read from the text of its files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The files that a file names, each with the names that it takes from them.
pub type Named = BTreeMap<String, BTreeSet<String>>;

/// The files by their module paths (`app::ui::chart`; the root is empty), each with what it names.
pub struct Source {
    pub names: BTreeMap<String, Named>,
}

/// A path in the code, as its segments from the root of the crate.
type Segments = Vec<String>;

/// What is read of a file.
struct File {
    code: String,
    /// The absolute paths of its `use`, by the names that they have in the file.
    uses: Vec<(String, Segments)>,
    /// Those of `pub use`.
    passed_on: BTreeMap<String, Segments>,
}

impl Source {
    /// Reads the files in `src`.
    pub fn of_the_program() -> Source {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut files = Vec::new();
        read(&root, &root, &mut files);
        Source::of_files(files)
    }

    /// Reads files, given by their paths in `src` and their texts.
    pub fn of_files(files: Vec<(String, String)>) -> Source {
        let modules: BTreeSet<String> = files.iter().map(|(path, _)| module_of(path)).collect();
        let files = files.iter().map(|(path, text)| {
            let module = module_of(path);
            let file = File::read(&module, &without_tests(&without_texts(text)), &modules);
            (module, file)
        });
        let files: BTreeMap<String, File> = files.collect();
        let named = files.iter().map(|(module, file)| (module.clone(), file.named(module, &files)));
        Source { names: named.collect() }
    }
}

impl File {
    fn read(module: &str, code: &str, modules: &BTreeSet<String>) -> File {
        let mut file = File { code: String::new(), uses: Vec::new(), passed_on: BTreeMap::new() };
        let mut rest = code;
        while let Some((start, end)) = next_use(rest) {
            let statement = &rest[start..end];
            let is_passed_on = is_public(&rest[..start]);
            file.code.push_str(&rest[..start]);
            for (path, name) in leaves(statement.trim_start_matches("use ")) {
                let Some(path) = absolute(&path, module, modules) else { continue };
                if is_passed_on {
                    file.passed_on.insert(name.clone(), path.clone());
                }
                file.uses.push((name, path));
            }
            rest = &rest[end + 1..];
        }
        file.code.push_str(rest);
        file
    }

    fn named(&self, module: &str, files: &BTreeMap<String, File>) -> Named {
        let mut named = Named::new();
        let mut add = |path: &[String]| {
            let (file, name) = defined_in(path, files, 0);
            if file != module {
                named.entry(file).or_default().insert(name);
            }
        };
        let passed_on: BTreeSet<&Segments> = self.passed_on.values().collect();
        self.uses.iter().filter(|(_, path)| !passed_on.contains(path)).for_each(|(_, path)| add(path));
        let known: BTreeMap<&str, &Segments> = self.uses.iter().map(|(name, path)| (&**name, path)).collect();
        let modules: BTreeSet<String> = files.keys().cloned().collect();
        for path in paths(&self.code) {
            let is_relative = matches!(&*path[0], "crate" | "super" | "self");
            let whole = match known.get(&*path[0]) {
                Some(start) if !is_relative => Some(start.iter().cloned().chain(path[1..].iter().cloned()).collect()),
                _ => absolute(&path, module, &modules),
            };
            whole.iter().for_each(|path: &Segments| add(path));
        }
        named
    }
}

fn read(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read(root, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let place = path.strip_prefix(root).expect("a file in src").to_string_lossy().replace('\\', "/");
            files.push((place, fs::read_to_string(&path).expect("a text")));
        }
    }
}

/// Returns the module path of a file: `app/ui/mod.rs` is `app::ui`.
fn module_of(path: &str) -> String {
    let path = path.trim_end_matches(".rs");
    path.strip_suffix("/mod").unwrap_or(if path == "lib" { "" } else { path }).replace('/', "::")
}

/// Returns code without comments, and with empty strings and characters.
fn without_texts(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("pub(in ") {
            // Who may see it is no import.
            rest.find(')').map_or(rest.len(), |end| end + 1)
        } else if rest.starts_with("r#\"") {
            rest.find("\"#").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            code.push_str("\"\"");
            end_of_string(rest)
        } else if let Some(end) = end_of_character(rest) {
            end
        } else {
            code.push(first);
            first.len_utf8()
        };
        rest = &rest[end..];
    }
    code
}

fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (place, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !is_escaped => return place + 1,
            _ => is_escaped = letter == '\\' && !is_escaped,
        }
    }
    text.len()
}

/// Returns the end of a character literal; None for a lifetime.
fn end_of_character(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('\'')?;
    if inner.starts_with('\\') {
        return Some(inner[2..].find('\'')? + 4);
    }
    let letter = inner.chars().next()?;
    inner[letter.len_utf8()..].starts_with('\'').then(|| letter.len_utf8() + 2)
}

/// Cuts the unit tests off, which end a file.
fn without_tests(code: &str) -> String {
    let tests = code.match_indices("#[cfg(").find(|(start, _)| {
        let rest = &code[*start..];
        let condition = rest.split(']').next().unwrap_or_default();
        condition.contains("test") && rest.split_once(']').is_some_and(|(_, rest)| is_inline_module(rest))
    });
    code[..tests.map_or(code.len(), |(start, _)| start)].to_owned()
}

fn is_inline_module(code: &str) -> bool {
    let rest = code.trim_start();
    rest.starts_with("mod ") && rest.find('{') < rest.find(';')
}

/// Returns the start of the next `use` and the place of its semicolon.
fn next_use(code: &str) -> Option<(usize, usize)> {
    let starts = code.match_indices("use ").map(|(start, _)| start);
    let mut starts =
        starts.filter(|start| code[..*start].chars().next_back().is_none_or(|before| before.is_whitespace()));
    let start = starts.next()?;
    Some((start, start + code[start..].find(';')?))
}

/// Returns whether a `pub` or `pub(…)` ends the code.
fn is_public(code: &str) -> bool {
    let code = code.trim_end();
    let code = if code.ends_with(')') { code.rsplit_once('(').map_or(code, |(code, _)| code) } else { code };
    code.strip_suffix("pub").is_some_and(|before| before.chars().next_back().is_none_or(|c| !c.is_alphanumeric()))
}

/// Returns the paths of a `use`, each with its name in the file.
fn leaves(text: &str) -> Vec<(Segments, String)> {
    fn split(text: &str) -> Segments {
        text.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }
    fn collect(text: &str, before: &[String], found: &mut Vec<(Segments, String)>) {
        let text = text.trim();
        let Some(open) = text.find('{') else {
            let (path, name) = text.split_once(" as ").map_or((text, None), |(path, name)| (path, Some(name.trim())));
            let mut path: Segments = before.iter().cloned().chain(split(path)).collect();
            if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
                path.pop();
            }
            let name = name.map_or_else(|| path.last().cloned().unwrap_or_default(), str::to_owned);
            return found.push((path, name));
        };
        let before: Segments = before.iter().cloned().chain(split(&text[..open])).collect();
        let inner = &text[open + 1..text.rfind('}').unwrap_or(text.len())];
        let (mut depth, mut start) = (0, 0);
        for (place, letter) in inner.char_indices().chain([(inner.len(), ',')]) {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    if !inner[start..place].trim().is_empty() {
                        collect(&inner[start..place], &before, found);
                    }
                    start = (place + 1).min(inner.len());
                }
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    collect(text, &[], &mut found);
    found
}

/// Returns a path from the root of the crate; None for another crate's.
fn absolute(path: &[String], module: &str, modules: &BTreeSet<String>) -> Option<Segments> {
    let here = || module.split("::").filter(|part| !part.is_empty()).map(str::to_owned);
    let up = path.iter().take_while(|part| *part == "super").count();
    match &**path.first()? {
        "crate" => Some(path[1..].to_vec()),
        // The binary names the library.
        "simulate" if module == "main" => Some(path[1..].to_vec()),
        "self" => Some(here().chain(path[1..].iter().cloned()).collect()),
        "super" => Some(here().take(here().count().checked_sub(up)?).chain(path[up..].iter().cloned()).collect()),
        first => {
            let child = here().chain([first.to_owned()]).collect::<Vec<_>>().join("::");
            modules.contains(&child).then(|| here().chain(path.iter().cloned()).collect())
        }
    }
}

/// Returns the paths of two segments or more in code.
fn paths(code: &str) -> Vec<Segments> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let paths = code.split(|c: char| !is_part(c)).map(|path| path.trim_end_matches(':'));
    let paths = paths.filter(|path| path.contains("::") && !path.starts_with(':'));
    paths.map(|path| path.split("::").map(str::to_owned).collect()).collect()
}

/// Returns the file that defines what a path names, and its name there.
fn defined_in(path: &[String], files: &BTreeMap<String, File>, depth: usize) -> (String, String) {
    let mut module = String::new();
    for (place, part) in path.iter().enumerate() {
        let inner = if module.is_empty() { part.clone() } else { format!("{module}::{part}") };
        if files.contains_key(&inner) {
            module = inner;
            continue;
        }
        let passed_on = files.get(&module).and_then(|file| file.passed_on.get(part));
        if let Some(start) = passed_on.filter(|start| depth < 8 && ***start != path[..=place]) {
            let whole: Segments = start.iter().chain(&path[place + 1..]).cloned().collect();
            return defined_in(&whole, files, depth + 1);
        }
        return (module, part.clone());
    }
    (module, "self".to_owned())
}
