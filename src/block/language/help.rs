//! The completions of an editor beside functions: constants, and statements with their `end`.

/// The constants of code with a line of help. Functions have theirs in their table.
pub const CONSTANTS: &[(&str, &str)] = &[
    ("pi", "3.14159…"),
    ("inf", "infinity"),
    ("nan", "not a number"),
    ("t", "the time in seconds"),
    ("dt", "the step size in seconds"),
];

/// The words of statements, each with its text and a line of help. In the text `|` is the place of the caret, and a tab
/// a level of indentation.
pub const KEYWORDS: &[(&str, &str, &str)] = &[
    ("if", "if |\n\t\nend", "Runs statements where a condition holds"),
    ("else", "else", "Runs statements where no condition before holds"),
    ("elseif", "elseif ", "Another condition, where none before holds"),
    ("end", "end", "Ends a statement; in the brackets of a variable its last element"),
    ("for", "for k = 1:|\n\t\nend", "Repeats statements for each value of a range"),
    ("while", "while |\n\t\nend", "Repeats statements as long as a condition holds"),
    ("switch", "switch |\n\tcase 1\n\t\t\n\totherwise\n\t\t\nend", "Chooses statements by a value"),
    ("case", "case ", "The statements for a value of a switch"),
    ("otherwise", "otherwise", "The statements where no case fits"),
    ("break", "break", "Leaves the loop"),
    ("continue", "continue", "Goes on with the next round of the loop"),
    ("return", "return", "Leaves the function"),
    ("function", "function y = |(u)\n\ty = u;\nend", "A further function, below the first one"),
    ("persistent", "persistent ", "Variables that keep their values between steps"),
];

#[cfg(test)]
mod tests {
    use super::super::{FUNCTIONS, Program, is_predefined, scan::is_keyword};
    use super::*;

    #[test]
    fn what_is_offered_exists() {
        for (name, help) in CONSTANTS {
            assert!(is_predefined(name) && !help.is_empty(), "{name}");
        }
        for (name, text, _) in KEYWORDS {
            assert!(is_keyword(name) && text.starts_with(name), "{name}");
        }
        for function in FUNCTIONS.iter() {
            let (signature, help) = function.doc.split_once(": ").unwrap_or_default();
            assert!(signature.starts_with(function.name) && !help.is_empty(), "{}: {}", function.name, function.doc);
        }
    }

    /// A statement that is filled in is code that can be read.
    #[test]
    fn statements_are_offered_with_their_end() {
        let filled = [("if", "u > 0"), ("for", "3"), ("while", "false"), ("switch", "u")];
        for (name, text) in filled {
            let template = KEYWORDS.iter().find(|(known, ..)| *known == name).map(|(_, template, _)| *template);
            let code = template.expect(name).replace('|', text).replace('\t', "  ");
            assert!(Program::parse(&code).is_ok(), "{code}");
        }
    }
}
