//! Code in single precision: the code in double precision with other types, literals and functions.
//!
//! All that the writer makes is arithmetic of one type, so that the translation goes word by word. Comments, texts and
//! lines for the preprocessor stay.

/// Functions of `math.h` that are exact, or only round; those of `float` end with `f`.
const EXACT: [&str; 8] = ["fabs", "sqrt", "floor", "ceil", "round", "trunc", "fmod", "copysign"];

/// Returns code with `float` for `double`. `calls` are the functions of the mathematics, without their `simulate_`.
pub fn single<'a>(code: &str, calls: impl Fn(&str) -> bool + 'a) -> String {
    let mut made = String::with_capacity(code.len());
    let mut rest = code;
    let mut is_line_start = true;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '#' if is_line_start => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => text_length(rest),
            _ if is_letter(first) => rest.find(|next| !is_letter(next) && !next.is_ascii_digit()).unwrap_or(rest.len()),
            _ if first.is_ascii_digit() => number_length(rest),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        match first {
            _ if is_letter(first) => made.push_str(&word(token, &calls)),
            _ if first.is_ascii_digit() => made.push_str(&number(token)),
            _ => made.push_str(token),
        }
        is_line_start = first == '\n' || (is_line_start && first == ' ');
        rest = after;
    }
    made
}

fn is_letter(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_'
}

/// The length of a string literal.
fn text_length(code: &str) -> usize {
    let mut is_escaped = false;
    for (at, character) in code.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    code.len()
}

/// The length of a number with its suffix; the sign of an exponent belongs to it.
fn number_length(code: &str) -> usize {
    let exponents = if code.starts_with("0x") { ['p', 'P'] } else { ['e', 'E'] };
    let mut before = ' ';
    let is_inside = |character: char| {
        let is_sign = matches!(character, '+' | '-') && exponents.contains(&before);
        before = character;
        is_sign || character.is_ascii_alphanumeric() || character == '.'
    };
    code.find({
        let mut is_inside = is_inside;
        move |character| !is_inside(character)
    })
    .unwrap_or(code.len())
}

fn word(word: &str, calls: impl Fn(&str) -> bool) -> String {
    let is_exact = EXACT.contains(&word);
    let is_call = word.strip_prefix("simulate_").is_some_and(calls);
    match word {
        "double" => "float".to_owned(),
        "DBL_MIN" => "FLT_MIN".to_owned(),
        "DBL_MAX" => "FLT_MAX".to_owned(),
        _ if is_exact || is_call => format!("{word}f"),
        _ => word.to_owned(),
    }
}

/// A literal of `double` as the nearest one of `float`; other numbers stay.
fn number(text: &str) -> String {
    let is_hexadecimal = text.starts_with("0x");
    let is_floating = if is_hexadecimal { text.contains('p') } else { text.contains(['.', 'e']) };
    let value = match is_hexadecimal {
        true => crate::block::hex_number(text),
        false => text.parse::<f64>().ok(),
    };
    match value.filter(|_| is_floating) {
        Some(value) if (value as f32).is_infinite() => "(float)INFINITY".to_owned(),
        Some(value) if is_hexadecimal => format!("{}F", crate::block::hex_text(f64::from(value as f32))),
        Some(_) => format!("{text}F"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_literals_and_functions_become_those_of_float() {
        let code = "#include <double.h>\n/* double 0.1 */ double y[2U] = {fabs(x->sqrt_2) * 0x1.999999999999ap-4 /* 0.1 */,\n\
                    simulate_sin(1.5 - 2.0e-3), simulate_step(&self, 10U)}; puts(\"double 1.5\");";
        let expected = "#include <double.h>\n/* double 0.1 */ float y[2U] = {fabsf(x->sqrt_2) * 0x1.99999ap-4F /* 0.1 */,\n\
                        simulate_sinf(1.5F - 2.0e-3F), simulate_step(&self, 10U)}; puts(\"double 1.5\");";
        assert_eq!(single(code, |name| name == "sin"), expected);
    }

    #[test]
    fn a_number_that_float_does_not_have_is_infinite_or_zero() {
        assert_eq!(single("0x1.7e43c8800759cp+996 /* 1e300 */", |_| false), "(float)INFINITY /* 1e300 */");
        assert_eq!(single("0x1p-1000", |_| false), "0x0p+0F");
    }
}
