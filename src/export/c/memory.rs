//! How much memory the code needs: the instance, and the variables of a step on the stack.

/// The bytes of a declaration such as `const double k[3][2] = …`; none for another line.
fn declared(line: &str) -> Option<usize> {
    let line = line.trim_start();
    let line = line.strip_prefix("const ").unwrap_or(line);
    let (kind, rest) = line.split_once(' ')?;
    let size = match kind {
        "double" | "uint64_t" => 8,
        "float" | "uint32_t" | "int32_t" => 4,
        "bool" => 1,
        _ => return None,
    };
    let mut bytes = size;
    let name = rest.split([';', '=']).next()?;
    for part in name.split('[').skip(1) {
        bytes *= part.split(']').next()?.trim_end_matches('U').parse::<usize>().ok()?;
    }
    Some(bytes)
}

/// The bytes of the members of the structures in a header, without the gaps that a compiler leaves between them.
pub fn instance(header: &str) -> usize {
    header.lines().filter(|line| line.starts_with("    ") && line.contains(';')).filter_map(declared).sum()
}

/// The bytes of the variables of all functions of a step together: no step has more on the stack at a time, but for what
/// the compiler saves and for the functions of the mathematics.
pub fn variables_of_step(source: &str, model: &str) -> usize {
    let mut is_inside = false;
    let mut bytes = 0;
    for line in source.lines() {
        match line.chars().next() {
            Some('{') => {}
            Some(' ') if is_inside => bytes += declared(line).unwrap_or(0),
            Some(first) if first.is_ascii_alphabetic() => {
                let name = line.split('(').next().unwrap_or_default();
                let others = ["_init", "_reset", "_selftest", "_apply_parameters"];
                is_inside = name.contains(&format!(" {model}_"))
                    && !others.iter().any(|other| name.contains(&format!("{model}{other}")));
            }
            _ => {}
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_have_the_bytes_of_their_types() {
        assert_eq!(declared("    const double a = b[2];"), Some(8));
        assert_eq!(declared("    float k[3][2];"), Some(24));
        assert_eq!(declared("    bool is_on; /* on */"), Some(1));
        assert_eq!(declared("    a = b;"), None);
        let source =
            "static double m_rates(m_t *self)\n{\n    double x[2];\n}\nvoid m_reset(m_t *self)\n{\n    double y;\n}\n";
        assert_eq!(variables_of_step(source, "m"), 16);
    }
}
