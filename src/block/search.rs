//! Search by typing: how well a text matches a query.

use super::BlockDef;

/// Returns how well `text` matches `query`, higher is better; None if it does not. Letters of the query must occur in
/// order. A match of the whole text ranks highest, then of whole words, its start, the start of a word, the inside of a
/// word, and letters with gaps; of equal matches, the shorter text ranks higher.
pub fn fit(query: &str, text: &str) -> Option<i32> {
    let query: Vec<char> =
        query.split_whitespace().collect::<Vec<_>>().join(" ").chars().flat_map(char::to_lowercase).collect();
    if query.is_empty() {
        return Some(0);
    }
    let lower: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    if lower == query {
        return Some(1000);
    }
    let is_letter = |index: usize| lower.get(index).is_some_and(|letter| letter.is_alphanumeric());
    let at_word = |index: usize| index == 0 || !is_letter(index - 1);
    let length = lower.len().min(100) as i32 / 4;
    let starts = lower.windows(query.len()).enumerate().filter(|(_, part)| *part == query).map(|(start, _)| start);
    let score = |start: usize| {
        let part = match (at_word(start), !is_letter(start + query.len())) {
            (true, true) => 800,
            (true, false) if start == 0 => 650,
            (true, false) => 500,
            _ => 300,
        };
        part - start.min(40) as i32 - length
    };
    if let Some(best) = starts.map(score).max() {
        return Some(best);
    }
    let mut score = 100;
    let mut from = 0;
    let mut last = None;
    for wanted in query.iter().filter(|letter| !letter.is_whitespace()) {
        let found = from + lower.get(from..)?.iter().position(|c| c == wanted)?;
        score += match last {
            Some(last) if found == last + 1 => 12,
            _ if at_word(found) => 10,
            _ => -4,
        };
        last = Some(found);
        from = found + 1;
    }
    Some(score.min(200) - length).filter(|score| *score > 60)
}

/// The names of a searchable item.
pub struct Names<'a> {
    pub title: &'a str,
    /// Its names in files and other programs.
    pub others: &'a [&'a str],
    pub group: &'a str,
    /// A sentence about it.
    pub doc: &'a str,
}

/// Returns how well it matches: whole words of a name or alias rank highest, then prefixes, then the rest. Within
/// these, the title ranks higher, and ties are resolved by the title's own score. Group and sentence rank last; in the
/// sentence only starts of words count.
pub fn fit_names(query: &str, names: &Names) -> Option<(i32, i32)> {
    let by_title = fit(query, names.title);
    let title = by_title.map(|score| score + 40);
    let other = names.others.iter().filter_map(|other| fit(query, other)).max().map(|score| score + 10);
    let path = fit(query, &format!("{} {}", names.group, names.title)).map(|score| score - 560);
    let doc = fit(query, names.doc).filter(|score| *score > 400).map(|score| score - 560);
    Some((title.max(other).max(path).max(doc)?, by_title.unwrap_or_default()))
}

/// Returns how well a block matches.
pub fn fit_block(query: &str, def: &BlockDef) -> Option<(i32, i32)> {
    let others: Vec<&str> = def.aliases.iter().copied().chain([def.name]).collect();
    fit_names(query, &Names { title: def.title(), others: &others, group: def.group_title(), doc: def.doc })
}
