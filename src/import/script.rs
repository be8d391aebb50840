//! Scripts as far as they assign values. Nothing is run.

use super::values::Workspace;

/// The commands of a script that are not assignments, and the assignments that were not read.
#[derive(Clone, Debug, Default)]
pub struct Read {
    /// The names of scripts that it runs.
    pub calls: Vec<String>,
    /// The files that it loads.
    pub loads: Vec<String>,
    /// Assignments that were not read, with the reason.
    pub problems: Vec<String>,
}

/// A statement that opens a block up to its `end`.
const BLOCKS: [&str; 7] = ["if", "for", "while", "switch", "try", "parfor", "spmd"];

/// Reads the assignments of a script into a workspace, in order. What is assigned within branches and loops is unknown.
pub fn read(text: &str, workspace: &mut Workspace) -> Read {
    let mut found = Read::default();
    let mut depth = 0_usize;
    for statement in statements(text) {
        let word: String = statement.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if ["function", "classdef", "return"].contains(&&*word) && depth == 0 {
            break;
        }
        if BLOCKS.contains(&&*word) {
            depth += 1;
            continue;
        }
        if word == "end" || word.starts_with("end_") || ["endif", "endfor", "endwhile"].contains(&&*word) {
            depth = depth.saturating_sub(1);
            continue;
        }
        match assignment(&statement) {
            Some((names, _)) if depth > 0 => names.iter().for_each(|name| workspace.forget(name)),
            Some((names, value)) if names.len() == 1 => assign(&names[0], value, workspace, &mut found),
            Some((names, _)) => names.iter().for_each(|name| workspace.forget(name)),
            None if depth == 0 => command(&statement, &mut found),
            None => {}
        }
    }
    found
}

fn assign(name: &str, value: &str, workspace: &mut Workspace, found: &mut Read) {
    if let Some(fields) = structure(value) {
        for (field, value) in fields {
            assign(&format!("{name}.{field}"), &value, workspace, found);
        }
        return;
    }
    // An assignment to an element changes an array that is known no longer.
    if let Some((of, _)) = name.split_once(['(', '{']) {
        return workspace.forget(of);
    }
    if let Err(problem) = workspace.assign(name, value) {
        found.problems.push(format!("{name} = {}: {problem}", value.chars().take(60).collect::<String>()));
    }
}

fn command(statement: &str, found: &mut Read) {
    let unquoted = |text: &str| text.trim().trim_matches(['(', ')', '\'', '"', ' ']).to_owned();
    if let Some(rest) = statement.strip_prefix("load") {
        if rest.starts_with(['(', ' ']) {
            found.loads.push(unquoted(rest.split(',').next().unwrap_or_default()));
        }
    } else if let Some(rest) = statement.strip_prefix("run") {
        if rest.starts_with(['(', ' ']) {
            found.calls.push(unquoted(rest));
        }
    } else if statement.chars().all(|c| c.is_alphanumeric() || c == '_') {
        found.calls.push(statement.to_owned());
    }
}

/// The names at the left of an assignment, and the text at its right.
fn assignment(statement: &str) -> Option<(Vec<String>, &str)> {
    let mut depth = 0_i32;
    let bytes = statement.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b'\'' | b'"' => return None,
            b'=' if depth == 0 => {
                let is_comparison =
                    bytes.get(at + 1) == Some(&b'=') || at.checked_sub(1).is_some_and(|b| b"<>~!=".contains(&bytes[b]));
                if is_comparison {
                    return None;
                }
                let left = statement[..at].trim();
                let names: Vec<String> = match left.strip_prefix('[') {
                    Some(list) => list
                        .trim_end_matches(']')
                        .split([',', ' '])
                        .map(str::trim)
                        .filter(|n| !n.is_empty())
                        .map(str::to_owned)
                        .collect(),
                    None => vec![left.to_owned()],
                };
                let is_name = |name: &String| name.starts_with(|c: char| c.is_alphabetic() || c == '_');
                return names.iter().all(is_name).then(|| (names, statement[at + 1..].trim()));
            }
            _ => {}
        }
    }
    None
}

/// The fields of `struct('a', 1, 'b', [1 2])`.
fn structure(value: &str) -> Option<Vec<(String, String)>> {
    let inner = value
        .trim()
        .strip_prefix("struct")?
        .trim()
        .strip_prefix('(')?
        .trim_end()
        .trim_end_matches(';')
        .strip_suffix(')')?;
    let parts = split(inner, ',');
    let pairs = parts.chunks_exact(2).map(|pair| {
        let name = pair[0].trim().trim_matches(['\'', '"']);
        (name.to_owned(), pair[1].trim().to_owned())
    });
    Some(pairs.collect())
}

/// Splits at a character outside brackets and texts.
pub fn split(text: &str, at: char) -> Vec<String> {
    let (mut parts, mut depth, mut quote) = (vec![String::new()], 0_i32, None);
    let mut before = ' ';
    for character in text.chars() {
        match character {
            _ if quote == Some(character) => quote = None,
            '"' if quote.is_none() => quote = Some('"'),
            '\'' if quote.is_none() && !(before.is_alphanumeric() || ")]}'.".contains(before)) => quote = Some('\''),
            '(' | '[' | '{' if quote.is_none() => depth += 1,
            ')' | ']' | '}' if quote.is_none() => depth -= 1,
            _ if character == at && depth == 0 && quote.is_none() => {
                parts.push(String::new());
                before = character;
                continue;
            }
            _ => {}
        }
        before = character;
        parts.last_mut().into_iter().for_each(|part| part.push(character));
    }
    parts
}

/// The statements of a script, without comments.
fn statements(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = String::new();
    let mut is_comment = false;
    for line in text.lines() {
        match line.trim() {
            "%{" => is_comment = true,
            "%}" => {
                is_comment = false;
                continue;
            }
            _ => {}
        }
        if is_comment {
            continue;
        }
        let line = without_comment(line);
        open.push_str(&line);
        if let Some(at) = open.rfind("...").filter(|at| open[*at..].trim() == "...") {
            open.truncate(at);
            open.push(' ');
            continue;
        }
        // A list goes on until its bracket.
        let depth = |sign: &str| open.matches(|c| sign.contains(c)).count();
        if depth("[{(") > depth("]})") {
            open.push('\n');
            continue;
        }
        for statement in split(&open, ';').iter().flat_map(|part| split(part, ',')) {
            let statement = statement.trim();
            if !statement.is_empty() {
                found.push(statement.to_owned());
            }
        }
        open.clear();
    }
    found
}

fn without_comment(line: &str) -> String {
    let mut quote = None;
    let mut before = ' ';
    for (at, character) in line.char_indices() {
        match character {
            _ if quote == Some(character) => quote = None,
            '"' if quote.is_none() => quote = Some('"'),
            '\'' if quote.is_none() && !(before.is_alphanumeric() || ")]}'.".contains(before)) => quote = Some('\''),
            '%' | '#' if quote.is_none() => return line[..at].to_owned(),
            _ => {}
        }
        before = character;
    }
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_read_and_nothing_else() {
        let mut workspace = Workspace::default();
        let text = "clear all; clc % start\nm = 2; k = 3*m, J = [1 2; ...\n 3 4];\nif m > 1\n k = 7;\nend\nv = eval('1');\n\
                    p = struct('a', 1, 'b', [1 2]);\np.c = p.a + 1;\nparams\nload('data.mat')\ns = 'a;b';\n";
        let found = read(text, &mut workspace);
        let number = |name: &str| workspace.get(name).and_then(|text| text.value.clone()).map(|value| value.values);
        assert_eq!(number("m"), Some(vec![2.0]));
        assert_eq!(number("k"), None, "it is set in a branch");
        assert_eq!(number("J"), Some(vec![1.0, 2.0, 3.0, 4.0]));
        assert_eq!(number("v"), None);
        assert_eq!(number("p.c"), Some(vec![2.0]));
        assert!(found.calls.contains(&"params".to_owned()), "{found:?}");
        assert_eq!(found.loads, ["data.mat"]);
    }
}
