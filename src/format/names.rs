//! Names of files that do not mean a file in a folder.

/// Returns whether a path names another computer or a device, as Windows writes it: `\\server\share`,
/// `//server/share`, `\\?\…`.
pub(super) fn names_a_server(path: &str) -> bool {
    path.starts_with(is_separator) && path.chars().nth(1).is_some_and(is_separator)
}

fn is_separator(c: char) -> bool {
    c == '/' || c == '\\'
}

/// Returns whether Windows takes the name of a file for a device (`nul`, `COM1.csv`), or for a stream within a file
/// (`a.exe:b.csv`).
pub(super) fn is_reserved(name: &str) -> bool {
    const DEVICES: [&str; 6] = ["aux", "con", "conin$", "conout$", "nul", "prn"];
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end().to_lowercase();
    let is_numbered = ["com", "lpt"].iter().any(|kind| {
        let number = stem.strip_prefix(kind);
        number.is_some_and(|number| number.chars().count() == 1 && number.contains(|c| "0123456789¹²³".contains(c)))
    });
    name.contains(':') || is_numbered || DEVICES.contains(&&*stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_to_other_computers_and_devices_are_known() {
        for path in
            ["\\\\server\\share\\a.csv", "//server/a.csv", "\\/server/a", "\\\\?\\UNC\\server\\a", "\\\\.\\COM1"]
        {
            assert!(names_a_server(path), "{path}");
        }
        for path in ["a.csv", "/a.csv", "\\a.csv", "C:\\a.csv", "a//b.csv", ""] {
            assert!(!names_a_server(path), "{path}");
        }
    }

    #[test]
    fn names_that_windows_keeps_are_known() {
        for name in ["nul", "CON.csv", "Com1.csv", "lpt9", "aux .csv", "com².csv", "a.exe:b.csv", "a.csv:b", "CONOUT$"]
        {
            assert!(is_reserved(name), "{name}");
        }
        for name in ["null.csv", "com.csv", "com10.csv", "console.csv", "a.nul", "lpt", "acon.csv"] {
            assert!(!is_reserved(name), "{name}");
        }
    }
}
