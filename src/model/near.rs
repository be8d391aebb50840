//! Names that resemble an unknown one, for messages and fixes.

/// The maximum number of names that are offered.
pub(crate) const MAX_CHOICES: usize = 8;

/// Returns how much two names have in common: from 0, nothing, to 1, the same but for the case of letters.
pub(crate) fn similarity(one: &str, other: &str) -> f64 {
    strsim::jaro_winkler(&one.to_lowercase(), &other.to_lowercase())
}

/// Returns the most similar ones, the best first.
pub(crate) fn most_similar<T>(all: impl Iterator<Item = (f64, T)>) -> Vec<T> {
    /// Below it two names have little in common (by trial: “Gian” and “Gain” have 0.93, “Gain” and “Sine” 0.67).
    const LEAST: f64 = 0.75;
    let mut all: Vec<(f64, T)> = all.filter(|(similarity, _)| *similarity >= LEAST).collect();
    all.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    all.into_iter().take(MAX_CHOICES).map(|(_, one)| one).collect()
}

/// Returns the end of a message about an unknown name: `; did you mean “Gain” or “Bias”?`, or nothing.
pub(crate) fn did_you_mean<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> String {
    /// More names do not help.
    const NAMES: usize = 3;
    let near = most_similar(known.map(|name| (similarity(unknown, name), name)));
    let mut names: Vec<String> = Vec::new();
    for name in near.into_iter().map(|name| format!("“{name}”")) {
        if names.len() < NAMES && !names.contains(&name) {
            names.push(name);
        }
    }
    match names.split_last() {
        None => String::new(),
        Some((only, [])) => format!("; did you mean {only}?"),
        Some((last, others)) => format!("; did you mean {} or {last}?", others.join(", ")),
    }
}
