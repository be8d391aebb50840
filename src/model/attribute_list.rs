//! Lists of `key=value` in attributes of the document.

/// Characters with a meaning in such lists.
const MEANING: &str = "%;|[]{},=";

/// Escapes those characters, as in `%7C`.
pub fn escaped(text: &str) -> String {
    let mut written = String::new();
    for letter in text.chars() {
        match MEANING.contains(letter) {
            true => written.push_str(&format!("%{:02X}", u32::from(letter))),
            false => written.push(letter),
        }
    }
    written
}

/// Reverses [`escaped`].
pub fn plain(text: &str) -> String {
    // The percent sign comes last.
    MEANING.chars().rev().fold(text.to_owned(), |text, letter| {
        text.replace(&format!("%{:02X}", u32::from(letter)), letter.encode_utf8(&mut [0; 4]))
    })
}

/// Returns the keys and values of `a=1,b=2`.
pub fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(',').filter_map(|part| part.split_once('='))
}
