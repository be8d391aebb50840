//! Texts of annotations without their markup.

/// The text of an annotation: that of a web page or of RTF without its markup, others as they are.
pub fn plain(text: &str) -> String {
    let trimmed = text.trim_start();
    let plain = match () {
        () if trimmed.starts_with("{\\rtf") => of_rtf(trimmed),
        () if trimmed.starts_with('<') && trimmed.contains('>') => of_html(trimmed),
        () => text.to_owned(),
    };
    let lines: Vec<&str> = plain.lines().map(str::trim_end).collect();
    let text = lines.join("\n");
    text.trim().to_owned()
}

fn of_html(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        push_words(&mut plain, &rest[..open]);
        let Some(close) = rest[open..].find('>') else { return resolved(&plain) };
        let tag = rest[open + 1..open + close].to_lowercase();
        rest = &rest[open + close + 1..];
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        match name {
            "br" => plain.push('\n'),
            "p" | "div" | "li" | "tr" | "h1" | "h2" | "h3" if !plain.is_empty() && !plain.ends_with('\n') => {
                plain.push('\n');
            }
            "style" | "script" | "head" | "title" if !tag.starts_with('/') => {
                let end = rest.to_lowercase().find(&format!("</{name}"));
                // The lower case of a few characters is longer.
                rest = end.and_then(|end| rest.get(end..)).unwrap_or_default();
            }
            _ => {}
        }
    }
    push_words(&mut plain, rest);
    resolved(&plain)
}

/// Adds text with its white space as in a web page.
fn push_words(plain: &mut String, text: &str) {
    for (number, word) in text.split_whitespace().enumerate() {
        let is_apart = number > 0 || text.starts_with(char::is_whitespace);
        if is_apart && !plain.is_empty() && !plain.ends_with(['\n', ' ']) {
            plain.push(' ');
        }
        plain.push_str(word);
    }
    if text.ends_with(char::is_whitespace) && !plain.is_empty() && !plain.ends_with(['\n', ' ']) {
        plain.push(' ');
    }
}

fn resolved(text: &str) -> String {
    let pairs = [
        ("&nbsp;", " "),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ];
    pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// The words of RTF: without its control words, and without groups of fonts and colours.
fn of_rtf(text: &str) -> String {
    let mut plain = String::new();
    let mut depth = 0_usize;
    let mut skipped: Option<usize> = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                skipped = skipped.filter(|from| *from <= depth);
            }
            '\\' => {
                let mut word = String::new();
                while let Some(next) = characters.next_if(char::is_ascii_alphanumeric) {
                    word.push(next);
                }
                if word.is_empty() {
                    match characters.next() {
                        Some('*') => skipped = skipped.or(Some(depth)),
                        Some(next) if "\\{}".contains(next) && skipped.is_none() => plain.push(next),
                        _ => {}
                    }
                    continue;
                }
                characters.next_if_eq(&' ');
                match &*word {
                    "fonttbl" | "colortbl" | "stylesheet" | "info" => skipped = skipped.or(Some(depth)),
                    "par" | "line" if skipped.is_none() => plain.push('\n'),
                    _ => {}
                }
            }
            '\n' | '\r' => {}
            _ if skipped.is_none() => plain.push(character),
            _ => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn markup_is_removed() {
        let check = |text: &str, want: &str| assert_eq!(plain(text), want);
        check("a <b\nc", "a <b\nc");
        check(
            "<html><head><style>p { x }</style></head><body><p>One <b>two</b></p><p>x &lt; 3</p></body></html>",
            "One two\nx < 3",
        );
        check(r"{\rtf1{\fonttbl{\f0 Arial;}}\f0 Hello\par you\}}", "Hello\nyou}");
    }
}
