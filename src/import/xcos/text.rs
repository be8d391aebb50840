//! Expressions of Scilab in the notation of the stage after the readers.

/// Functions whose single argument gives the size of the result, not its number of elements.
const SIZED: [&str; 3] = ["zeros", "ones", "eye"];

/// Rewrites the constants, comments and signs of Scilab, and calls that mean something else.
pub fn rewritten(text: &str) -> String {
    SIZED.iter().fold(plain(text), |text, name| sized(&text, name))
}

/// `zeros(A)` has the size of A.
fn sized(text: &str, name: &str) -> String {
    let call = format!("{name}(");
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(&call) {
        let begin = at + call.len();
        let is_word = rest[..at].ends_with(|c: char| c.is_alphanumeric() || "_.".contains(c));
        out.push_str(&rest[..begin]);
        rest = &rest[begin..];
        let (mut depth, mut end, mut has_comma) = (0_i32, None, false);
        for (at, character) in rest.char_indices() {
            match character {
                '(' | '[' => depth += 1,
                ')' if depth == 0 => {
                    end = Some(at);
                    break;
                }
                ')' | ']' => depth -= 1,
                ',' if depth == 0 => has_comma = true,
                _ => {}
            }
        }
        if let (Some(end), false, false) = (end, has_comma, is_word) {
            let inner = sized(&rest[..end], name);
            out.push_str(&format!("size({inner},1),size({inner},2)"));
            rest = &rest[end..];
        }
    }
    out.push_str(rest);
    out
}

/// Rewrites the constants, comments and signs of Scilab; the rest of the two languages is alike.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut quote = None;
    while let Some(character) = characters.next() {
        match character {
            _ if quote == Some(character) => {
                quote = None;
                out.push('\'');
            }
            _ if quote.is_some() => out.push(character),
            '"' => {
                quote = Some('"');
                out.push('\'');
            }
            '/' if characters.peek() == Some(&'/') => while characters.next_if(|next| *next != '\n').is_some() {},
            '%' => {
                let mut name = String::new();
                while let Some(next) = characters.next_if(|next| next.is_alphanumeric()) {
                    name.push(next);
                }
                out.push_str(match &*name {
                    "pi" => "pi",
                    "inf" => "Inf",
                    "nan" => "NaN",
                    "eps" => "eps",
                    "e" => "exp(1)",
                    "t" | "T" => "1",
                    "f" | "F" => "0",
                    other => other,
                });
            }
            '<' if characters.peek() == Some(&'>') => {
                characters.next();
                out.push_str("~=");
            }
            '$' => out.push_str("end"),
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::rewritten;

    #[test]
    fn constants_and_comments_become_those_of_the_other_notation() {
        assert_eq!(rewritten("2*%pi // two"), "2*pi ");
        assert_eq!(rewritten("[%t %f] <> x($)"), "[1 0] ~= x(end)");
        assert_eq!(rewritten("\"a%b\""), "'a%b'");
        assert_eq!(rewritten("zeros([B,K])+ones(2,3)"), "zeros(size([B,K],1),size([B,K],2))+ones(2,3)");
    }
}
