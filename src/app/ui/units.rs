//! How units are written in the window.

/// Returns a unit as it is printed in books: `kg*m^2` as `kg·m²`, `s^-1` as `s⁻¹`, `ohm` as `Ω`. Any other text stays
/// as it is.
pub fn shown(unit: &str) -> String {
    let mut text = String::with_capacity(unit.len());
    let mut letters = unit.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '*' if letters.peek() == Some(&'*') => {
                letters.next();
                power(&mut letters, &mut text, "**");
            }
            '*' => text.push('·'),
            '^' => power(&mut letters, &mut text, "^"),
            other => text.push(other),
        }
    }
    let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphabetic);
    let found = ["ohm", "Ohm"].into_iter().find_map(|word| Some((text.find(word)?, word.len())));
    match found {
        Some((at, length))
            if !is_letter(text[..at].chars().next_back()) && !is_letter(text[at + length..].chars().next()) =>
        {
            text.replace_range(at..at + length, "Ω");
            text
        }
        _ => text,
    }
}

/// Takes a whole number from `letters` and writes it raised; without one, writes `sign`.
fn power(letters: &mut std::iter::Peekable<std::str::Chars>, text: &mut String, sign: &str) {
    let mut ahead = letters.clone();
    let mut raised = String::new();
    if ahead.next_if_eq(&'-').is_some() {
        raised.push('⁻');
    }
    let count = raised.len();
    while let Some(digit) = ahead.peek().and_then(|letter| letter.to_digit(10)) {
        raised.push(['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize]);
        ahead.next();
    }
    // `m^0.5` would lose its decimals.
    if raised.len() == count || ahead.peek() == Some(&'.') {
        text.push_str(sign);
        return;
    }
    text.push_str(&raised);
    *letters = ahead;
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn products_and_powers_are_written_as_in_books() {
        for (unit, expected) in [
            ("kg*m^2", "kg·m²"),
            ("N*m/rad", "N·m/rad"),
            ("m/s**2", "m/s²"),
            ("s^-1", "s⁻¹"),
            ("m^10", "m¹⁰"),
            ("m^0.5", "m^0.5"),
            ("V/sqrt(Hz)", "V/sqrt(Hz)"),
            ("m^n", "m^n"),
            ("%", "%"),
            ("ohm", "Ω"),
            ("V/Ohm", "V/Ω"),
            ("ohmic", "ohmic"),
            ("", ""),
            (" µm ", "µm"),
        ] {
            assert_eq!(shown(unit), expected);
        }
    }
}
