//! The texts of the window keep to the words of the manual's page about words.

use std::path::{Path, PathBuf};

/// The words that the page refuses: the last column of its table.
fn refused() -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/manual/words.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let rows = page.lines().filter(|line| line.starts_with("| ")).skip(1);
    let cells = rows.filter_map(|row| row.trim_end_matches(" |").rsplit(" | ").next());
    cells.flat_map(|cell| cell.split(", ")).map(|word| word.trim().to_lowercase()).collect()
}

/// The texts in quotation marks in a file, without comments and unit tests.
fn texts(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let mut texts = Vec::new();
    for line in source.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let (mut inside, mut is_escaped) = (None::<String>, false);
        for letter in line.chars() {
            match (&mut inside, letter) {
                (Some(text), _) if std::mem::take(&mut is_escaped) => text.push(letter),
                (Some(_), '\\') => is_escaped = true,
                (Some(_), '"') => texts.extend(inside.take()),
                (Some(text), _) => text.push(letter),
                (None, '"') => inside = Some(String::new()),
                (None, _) => {}
            }
        }
    }
    texts
}

/// Whether a text for users has a word as a whole. A text for users has a blank or a capital letter; others are names.
fn has_word(text: &str, word: &str) -> bool {
    let is_for_users = text.contains(' ') || text.chars().next().is_some_and(char::is_uppercase);
    let text = text.to_lowercase();
    let is_letter = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    is_for_users
        && text.match_indices(word).any(|(at, _)| {
            !is_letter(text[..at].chars().next_back()) && !is_letter(text[at + word.len()..].chars().next())
        })
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

#[test]
fn the_window_keeps_to_its_words() {
    let words = refused();
    assert!(words.contains(&"model block".to_owned()) && words.contains(&"exits".to_owned()), "{words:?}");
    let mut all = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/app"), &mut all);
    all.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let mut wrong = Vec::new();
    for path in all {
        let source = std::fs::read_to_string(&path).expect("a source");
        for text in texts(&source) {
            let word = words.iter().find(|word| has_word(&text, word));
            wrong.extend(word.map(|word| format!("{}: “{text}” has “{word}”", path.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_text_with_a_refused_word_is_found() {
    let source = "fn f() {\n    // \"An exit\"\n    say(\"Add an \\\"exit\\\" here\", \"exit\");\n}";
    let found: Vec<_> = texts(source).into_iter().filter(|text| has_word(text, "exit")).collect();
    assert_eq!(found, ["Add an \"exit\" here"]);
    assert!(!has_word("It exited", "exit") && !has_word("exit", "exit") && has_word("Exit", "exit"));
}
