//! Numbers as people type them: with a decimal comma, with groups of digits, with a prefix such as `4.7µ`, or in degrees.
//!
//! All fields of numbers understand the same texts. What can be meant in two ways is a [`Doubt`]: it is never guessed.

/// The content of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A whole number: a comma or a blank groups its digits.
    Whole,
    /// A number or an expression.
    One,
    /// One or more numbers, or an expression.
    Several,
}

/// A text that can be meant in two ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The typed text.
    pub text: String,
    /// The text for the meaning with a decimal comma.
    pub decimal: String,
    /// The other meaning in words.
    pub other: String,
}

impl Doubt {
    /// Returns the question for the user.
    pub fn question(&self) -> String {
        format!("“{}” can be {}, or {}: write one of them", self.text, self.decimal, self.other)
    }
}

/// Returns a typed text as the program writes it: with decimal points and without prefixes. Any other text stays as it is.
///
/// # Errors
/// Returns the doubt if the text can be meant in two ways.
pub fn understood(text: &str, wanted: Wanted) -> Result<String, Doubt> {
    let text = with_prefixes_applied(text.trim());
    match text.contains(',') || wanted == Wanted::Whole {
        true => with_points(&text, wanted),
        false => Ok(text),
    }
}

/// Returns the text without the unit at its end.
pub fn number_before<'a>(text: &'a str, unit: &str) -> &'a str {
    let text = text.trim();
    text.strip_suffix(unit).unwrap_or(text).trim_end()
}

/// Replaces each number with a prefix or a degree sign, such as `1k`, `4.7µ` and `90°`.
fn with_prefixes_applied(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        let is_word = |letter: &char| letter.is_alphanumeric() || matches!(letter, '_');
        if letter.is_alphabetic() || letter == '_' {
            let length = letters[at..].iter().take_while(|letter| is_word(letter)).count();
            result.extend(&letters[at..at + length]);
            at += length;
            continue;
        }
        let length = mantissa_length(&letters[at..]);
        if length == 0 {
            result.push(letter);
            at += 1;
            continue;
        }
        let digits: String = letters[at..at + length].iter().collect();
        at += length;
        let is_end = letters.get(at + 1).is_none_or(|next| !is_word(next));
        match letters.get(at).filter(|_| is_end) {
            Some('°') => {
                result.push_str(&format!("({digits}*pi/180)"));
                at += 1;
            }
            Some(letter) if exponent_of(*letter).is_some() => {
                result.push_str(&scaled(&digits, exponent_of(*letter).unwrap_or_default()));
                at += 1;
            }
            _ => {
                // With its exponent, which is no name.
                let rest = letters[at..].iter().take_while(|letter| is_word(letter)).count();
                result.push_str(&digits);
                result.extend(&letters[at..at + rest]);
                at += rest;
            }
        }
    }
    // Brackets are only needed within an expression.
    match result.strip_prefix('(').and_then(|rest| rest.strip_suffix("*pi/180)")) {
        Some(digits) if !digits.contains(['(', ')']) => format!("{digits}*pi/180"),
        _ => result,
    }
}

/// Returns how many letters the digits of a number have, with at most one point or comma among them.
fn mantissa_length(letters: &[char]) -> usize {
    let digits = |from: usize| letters[from.min(letters.len())..].iter().take_while(|l| l.is_ascii_digit()).count();
    let whole = digits(0);
    let is_mark = letters.get(whole).is_some_and(|letter| matches!(letter, '.' | ','));
    let decimals = if is_mark { digits(whole + 1) } else { 0 };
    match (whole, decimals) {
        (0, 0) => 0,
        (0, _) if letters.first() == Some(&',') => 0,
        (_, 0) => whole,
        _ => whole + 1 + decimals,
    }
}

/// The power of ten of a prefix.
fn exponent_of(prefix: char) -> Option<i32> {
    Some(match prefix {
        'p' => -12,
        'n' => -9,
        'u' | 'µ' | 'μ' => -6,
        'm' => -3,
        'k' => 3,
        'M' => 6,
        'G' => 9,
        'T' => 12,
        _ => return None,
    })
}

/// A number with a prefix cannot be an element of a list of digits, so that its comma is a decimal one.
fn scaled(digits: &str, exponent: i32) -> String {
    let digits = digits.replace(',', ".");
    match format!("{digits}e{exponent}").parse::<f64>() {
        Ok(value) if exponent > 0 && value < 1e15 => value.to_string(),
        _ => format!("{digits}e{exponent}"),
    }
}

fn with_points(text: &str, wanted: Wanted) -> Result<String, Doubt> {
    // In brackets and beside names commas separate, as in the language of expressions.
    let is_list = text.chars().all(|letter| letter.is_ascii_digit() || ".,;+-eE \t".contains(letter));
    if !is_list {
        return Ok(text.to_owned());
    }
    if wanted == Wanted::Whole {
        let is_grouped = groups(text, &[',', ' ', '.']).is_some();
        return Ok(if is_grouped { text.replace([',', ' ', '.'], "") } else { text.to_owned() });
    }
    let doubt = |other: String| {
        // A comma with a blank beside it, or at the end, is no decimal one.
        let letters: Vec<char> = text.chars().collect();
        let is_digit = |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(char::is_ascii_digit);
        let decimal = letters.iter().enumerate().map(|(at, letter)| match letter {
            ',' if is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)) => '.',
            letter => *letter,
        });
        let decimal = decimal.collect();
        Err(Doubt { text: text.to_owned(), decimal, other })
    };
    // A comma with a blank beside it separates; without any other comma, that is certain.
    let parts: Vec<&str> = text.split([' ', '\t', ';']).filter(|part| !part.is_empty()).collect();
    let numbers: Vec<&str> = parts.iter().map(|part| part.trim_matches(',')).filter(|part| !part.is_empty()).collect();
    let commas: Vec<usize> = numbers.iter().map(|part| part.matches(',').count()).collect();
    let separates = parts.iter().any(|part| part.starts_with(',') || part.ends_with(','));
    if commas.iter().all(|count| *count == 0) {
        return Ok(text.to_owned());
    }
    if let [number] = numbers[..]
        && !separates
    {
        return one(number, wanted, &doubt).unwrap_or_else(|| Ok(text.to_owned()));
    }
    let is_decimal = |part: &&str| is_decimal(part);
    match wanted {
        // `1;2,5` may be two rows of a matrix.
        _ if text.contains(';') => doubt("numbers of a matrix, as in [1, 2; 3, 4]".to_owned()),
        _ if separates && numbers.iter().all(is_decimal) => Ok(numbers.join(" ").replace(',', ".")),
        _ if separates => doubt("a list with all its commas as separators".to_owned()),
        Wanted::Several if commas.iter().all(|count| *count <= 1) && !separates => {
            Ok(numbers.join(" ").replace(',', "."))
        }
        _ => Ok(text.to_owned()),
    }
}

type Answer = Result<String, Doubt>;

/// Returns the answer for a text without blanks, of one number or a list of them; `None` to keep it as it is.
fn one(text: &str, wanted: Wanted, doubt: &dyn Fn(String) -> Answer) -> Option<Answer> {
    let plain = text.trim_start_matches(['+', '-']);
    let list = || format!("the values {}", text.split(',').collect::<Vec<_>>().join(" and "));
    match (text.matches(',').count(), wanted) {
        // `1.234,5`: groups and a decimal comma.
        (1, _) if plain.contains('.') => {
            let (whole, decimals) = text.split_once(',')?;
            let is_group = groups(whole.trim_start_matches(['+', '-']), &['.']).is_some() && !decimals.contains('.');
            match (is_group, wanted) {
                (true, _) => Some(Ok(format!("{}.{decimals}", whole.replace('.', "")))),
                (false, Wanted::One) => {
                    groups(plain.split('.').next()?, &[','])?;
                    Some(Ok(text.replace(',', "")))
                }
                (false, _) => None,
            }
        }
        (1, Wanted::One) => match groups(plain, &[',']) {
            Some(()) if !plain.starts_with('0') => Some(doubt(text.replace(',', ""))),
            _ => is_decimal(text).then(|| Ok(text.replace(',', "."))),
        },
        (1, _) => is_decimal(text).then(|| doubt(list())),
        (_, Wanted::One) => groups(plain, &[',']).map(|()| Ok(text.replace(',', ""))),
        _ => None,
    }
}

/// Whether a text is a number with a comma between digits.
fn is_decimal(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']);
    let is_digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
    digits.split_once(',').is_some_and(|(whole, rest)| {
        is_digit(whole.chars().next_back())
            && is_digit(rest.chars().next())
            && text.replace(',', ".").parse::<f64>().is_ok()
    })
}

/// Whether the marks stand before each three digits: `12,345,678`.
fn groups(text: &str, marks: &[char]) -> Option<()> {
    let mut parts = text.split(marks);
    let first = parts.next()?;
    let are_digits = |part: &str| part.chars().all(|letter| letter.is_ascii_digit());
    let is_right = (1..=3).contains(&first.len()) && are_digits(first);
    let rest: Vec<&str> = parts.collect();
    (is_right && !rest.is_empty() && rest.iter().all(|part| part.len() == 3 && are_digits(part))).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(wanted: Wanted, rows: &[(&str, &str)]) {
        for (text, expected) in rows {
            let found = understood(text, wanted);
            assert_eq!(found, Ok((*expected).to_owned()), "{text} as {wanted:?}");
        }
    }

    #[test]
    fn prefixes_are_powers_of_ten() {
        let rows = [
            ("1k", "1000"),
            ("10n", "10e-9"),
            ("4.7µ", "4.7e-6"),
            ("4,7u", "4.7e-6"),
            ("2.5M", "2500000"),
            ("1G", "1000000000"),
            ("3T", "3000000000000"),
            ("-5m", "-5e-3"),
            ("1/(2*pi*10k*100n)", "1/(2*pi*10000*100e-9)"),
            ("90°", "90*pi/180"),
            ("k1*2", "k1*2"),
            ("x10k + 1", "x10k + 1"),
            ("1e3", "1e3"),
            ("2.5e-6", "2.5e-6"),
            ("5min", "5min"),
            ("3km", "3km"),
            ("m", "m"),
            (".5k", "500"),
        ];
        check(Wanted::One, &rows);
        check(Wanted::Several, &[("1k 2k", "1000 2000"), ("4,7k", "4700"), ("[1k 10n]", "[1000 10e-9]")]);
        // The written text has every bit of the meant number.
        for (text, value) in [("4.7µ", 4.7e-6), ("10n", 1e-8), ("2.2k", 2200.0)] {
            assert_eq!(understood(text, Wanted::One).expect("certain").parse(), Ok(value));
        }
    }

    #[test]
    fn a_decimal_comma_is_understood_where_it_is_certain() {
        let rows = [
            ("1,5", "1.5"),
            ("-0,25", "-0.25"),
            ("0,250", "0.250"),
            ("1,5e-3", "1.5e-3"),
            ("1234,5", "1234.5"),
            ("1.234,5", "1234.5"),
            ("1,234.5", "1234.5"),
            ("1,000,000", "1000000"),
            ("max(1,5)", "max(1,5)"),
            ("[1,5]", "[1,5]"),
            ("", ""),
            ("a,b", "a,b"),
        ];
        check(Wanted::One, &rows);
        let rows = [
            ("1, 2, 3", "1, 2, 3"),
            ("1,2,3", "1,2,3"),
            ("1 2 3", "1 2 3"),
            ("1,5 2,5", "1.5 2.5"),
            ("1,5, 2,5", "1.5 2.5"),
            ("1,5 2", "1.5 2"),
            ("1 2; 3 4", "1 2; 3 4"),
        ];
        check(Wanted::Several, &rows);
        check(
            Wanted::Whole,
            &[("10,000", "10000"), ("1 000 000", "1000000"), ("10k", "10000"), ("1,5", "1,5"), ("12", "12")],
        );
    }

    #[test]
    fn what_can_be_meant_in_two_ways_is_a_question() {
        for (text, wanted, decimal, other) in [
            ("1,5", Wanted::Several, "1.5", "the values 1 and 5"),
            ("0,5", Wanted::Several, "0.5", "the values 0 and 5"),
            ("1,500", Wanted::One, "1.500", "1500"),
            ("1,2; 3,4", Wanted::Several, "1.2; 3.4", "numbers of a matrix, as in [1, 2; 3, 4]"),
            ("1,5, 2", Wanted::Several, "1.5, 2", "a list with all its commas as separators"),
        ] {
            let doubt = understood(text, wanted).expect_err(text);
            assert_eq!((&*doubt.text, &*doubt.other), (text, other));
            assert_eq!(doubt.decimal, decimal, "{text}");
            assert!(doubt.question().contains(other));
        }
    }
}
