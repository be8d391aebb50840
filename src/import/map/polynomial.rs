//! Polynomials that are written as expressions: `1 + 0.5*s`, `(s + 1)*(s + 2)`.

/// The highest power.
const MAX_DEGREE: usize = 200;
const MAX_DEPTH: usize = 100;

/// Returns the coefficients, the highest power first.
///
/// # Errors
/// If the text is no polynomial of the variable, or a name has no value.
pub fn coefficients(text: &str, variable: &str, value: &dyn Fn(&str) -> Option<f64>) -> Result<Vec<f64>, String> {
    let mut parser =
        Parser { characters: text.chars().filter(|c| !c.is_whitespace()).collect(), at: 0, variable, value, depth: 0 };
    let mut rising = parser.sum()?;
    if parser.at < parser.characters.len() {
        return Err(format!("“{text}” is no polynomial in {variable}"));
    }
    while rising.len() > 1 && rising.last() == Some(&0.0) {
        rising.pop();
    }
    rising.reverse();
    Ok(rising)
}

struct Parser<'a> {
    characters: Vec<char>,
    at: usize,
    variable: &'a str,
    value: &'a dyn Fn(&str) -> Option<f64>,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn next_if(&mut self, wanted: char) -> bool {
        let is = self.peek() == Some(wanted);
        self.at += usize::from(is);
        is
    }

    fn sum(&mut self) -> Result<Vec<f64>, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("it is nested too deeply".to_owned());
        }
        let mut sum = self.product()?;
        loop {
            let sign = match self.peek() {
                Some('+') => 1.0,
                Some('-') => -1.0,
                _ => break,
            };
            self.at += 1;
            let other = self.product()?;
            sum.resize(sum.len().max(other.len()), 0.0);
            other.iter().enumerate().for_each(|(power, part)| sum[power] += sign * part);
        }
        self.depth -= 1;
        Ok(sum)
    }

    fn product(&mut self) -> Result<Vec<f64>, String> {
        let mut product = self.signed()?;
        loop {
            if self.next_if('*') {
                product = times(&product, &self.signed()?)?;
            } else if self.next_if('/') {
                let [divisor] = self.signed()?[..] else { return Err("it divides by a polynomial".to_owned()) };
                product.iter_mut().for_each(|part| *part /= divisor);
            } else {
                return Ok(product);
            }
        }
    }

    fn signed(&mut self) -> Result<Vec<f64>, String> {
        if self.next_if('-') {
            return Ok(self.signed()?.into_iter().map(|part| -part).collect());
        }
        self.next_if('+');
        let base = self.factor()?;
        if !self.next_if('^') {
            return Ok(base);
        }
        let [power] = self.factor()?[..] else { return Err("a power is no number".to_owned()) };
        let mut made = vec![1.0];
        for _ in 0..(power.clamp(0.0, MAX_DEGREE as f64) as usize) {
            made = times(&made, &base)?;
        }
        Ok(made)
    }

    fn factor(&mut self) -> Result<Vec<f64>, String> {
        if self.next_if('(') {
            let inner = self.sum()?;
            return if self.next_if(')') { Ok(inner) } else { Err("a bracket is open".to_owned()) };
        }
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_alphanumeric() || "._".contains(c)) {
            let is_exponent = self.peek().is_some_and(|c| "eE".contains(c)) && self.characters[start].is_ascii_digit();
            self.at += 1;
            if is_exponent && self.peek().is_some_and(|c| "+-".contains(c)) {
                self.at += 1;
            }
        }
        let word: String = self.characters[start..self.at].iter().collect();
        if word == self.variable {
            return Ok(vec![0.0, 1.0]);
        }
        let number = word.parse().ok().or_else(|| (self.value)(&word));
        number.map(|number| vec![number]).ok_or_else(|| format!("“{word}” has no value"))
    }
}

fn times(a: &[f64], b: &[f64]) -> Result<Vec<f64>, String> {
    if a.len() + b.len() > MAX_DEGREE + 2 {
        return Err(format!("its degree is above {MAX_DEGREE}"));
    }
    let mut product = vec![0.0; (a.len() + b.len()).saturating_sub(1)];
    for (at, left) in a.iter().enumerate() {
        b.iter().enumerate().for_each(|(other, right)| product[at + other] += left * right);
    }
    Ok(product)
}

#[cfg(test)]
mod tests {
    use super::coefficients;

    #[test]
    fn products_and_powers_are_multiplied_out() {
        let value = |name: &str| (name == "T").then_some(0.5);
        let check =
            |text: &str, want: &[f64]| assert_eq!(coefficients(text, "s", &value).as_deref(), Ok(want), "{text}");
        check("1 + T*s", &[0.5, 1.0]);
        check("(s+1)*(s+2)", &[1.0, 3.0, 2.0]);
        check("s^2 + 12*s + 1e2", &[1.0, 12.0, 100.0]);
        check("-(s - 3)/2", &[-0.5, 1.5]);
        check("5", &[5.0]);
        assert!(coefficients("1/s", "s", &value).is_err());
        assert!(coefficients("1 + k*s", "s", &value).is_err());
        assert!(coefficients(&"(".repeat(100_000), "s", &value).is_err());
    }
}
