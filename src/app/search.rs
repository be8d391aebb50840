//! Finding by typing: how well a text fits what was typed.

use crate::block::BlockDef;

/// How well `text` fits `query`, higher is better; none where it does not. Letters of the query must come in order;
/// whole, leading and connected ones count more.
pub fn fit(query: &str, text: &str) -> Option<i32> {
    let query: Vec<char> = query.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
    if query.is_empty() {
        return Some(0);
    }
    let lower: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    if lower == query {
        return Some(1000);
    }
    let at_word =
        |index: usize| index == 0 || lower.get(index.wrapping_sub(1)).is_some_and(|before| !before.is_alphanumeric());
    if let Some(start) = lower.windows(query.len()).position(|part| part == query) {
        let bonus = if at_word(start) { 600 } else { 350 };
        return Some(bonus - (start.min(100) as i32) - (lower.len().min(100) as i32) / 4);
    }
    let mut score = 100;
    let mut from = 0;
    let mut last = None;
    for wanted in &query {
        let found = from + lower.get(from..)?.iter().position(|c| c == wanted)?;
        score += match last {
            Some(last) if found == last + 1 => 12,
            _ if at_word(found) => 10,
            _ => -4,
        };
        last = Some(found);
        from = found + 1;
    }
    Some(score - lower.len().min(100) as i32 / 4).filter(|score| *score > 60)
}

/// How well a block fits: its name counts most, then its other names, its group, its sentence.
pub fn fit_block(query: &str, def: &BlockDef) -> Option<i32> {
    let name = fit(query, def.name).map(|score| score + 700);
    let alias = def.aliases.iter().filter_map(|alias| fit(query, alias)).max().map(|score| score + 200);
    let path = fit(query, &format!("{} {}", def.group, def.name)).map(|score| score + 100);
    // In a sentence only what begins a word counts.
    let doc = fit(query, def.doc).filter(|score| *score > 400);
    name.max(alias).max(path).max(doc)
}
