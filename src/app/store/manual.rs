//! The manual: chapters of Markdown in `assets/manual`, with their pictures.

/// A page of the manual.
#[derive(Debug, PartialEq, Eq)]
pub struct Chapter {
    /// The name of the file, by which other chapters link to it.
    pub file: &'static str,
    /// The topic of the chapter, for the list of chapters.
    pub about: &'static str,
    pub text: &'static str,
}

/// A picture in a chapter.
pub struct ManualPicture {
    /// The path in the text of a chapter.
    pub path: &'static str,
    /// The content of a .png file.
    pub bytes: &'static [u8],
}

macro_rules! chapter {
    ($file:literal, $about:literal) => {
        Chapter { file: $file, about: $about, text: include_str!(concat!("../../../assets/manual/", $file)) }
    };
}

macro_rules! picture {
    ($path:literal) => {
        ManualPicture { path: $path, bytes: include_bytes!(concat!("../../../assets/manual/", $path)) }
    };
}

/// The chapters in the order in which they are read.
pub const CHAPTERS: &[Chapter] = &[
    chapter!("first-model.md", "From an empty canvas to a curve in five minutes"),
    chapter!("steps.md", "What happens in one step, and in which order"),
    chapter!("signals.md", "Widths, names and units of signals"),
    chapter!("models.md", "Subsystems, their parameters, conditions and variants"),
    chapter!("solvers.md", "Sample times, continuous states, loops and engines"),
    chapter!("laboratory.md", "Look back, branch, measure, sweep and linearize"),
    chapter!("calibration.md", "Parameters fitted to measured curves, and how far they are known"),
    chapter!("requirements.md", "Parameters with which runs meet their requirements, or violate them"),
    chapter!("commands.md", "The same files in scripts and on servers"),
    chapter!("working-together.md", "Compare and merge, with git and without"),
    chapter!("assistants.md", "Models read, changed and run by programs and assistants"),
    chapter!("pools.md", "Sweeps on many computers"),
    chapter!("code.md", "Functions that you write, in the language of MATLAB and Octave"),
    chapter!("c-code.md", "The simulation as C99 with exactly its results"),
    chapter!("fmus.md", "Models of other programs, and ours for them"),
    chapter!("plug-ins.md", "Blocks that others have written"),
    chapter!("file-format.md", "Every tag and attribute of a .simx file"),
    chapter!("text.md", "A model as short text, for people, scripts and assistants"),
    chapter!("extending.md", "Blocks, formats and engines of your own"),
    chapter!("python.md", "Models, runs and sweeps from Python"),
    chapter!("words.md", "What the parts of a simulation are called"),
    chapter!("coming-from.md", "Words and keys of Simulink, Xcos and LabVIEW"),
    chapter!("whats-new.md", "What has changed, version by version"),
];

pub const MANUAL_PICTURES: &[ManualPicture] = &[
    picture!("pictures/bouncing_ball.png"),
    picture!("pictures/fibonacci.png"),
    picture!("pictures/import.png"),
    picture!("pictures/mass_spring_chain.png"),
    picture!("pictures/robot.png"),
    picture!("pictures/tank.png"),
];

/// A query with fewer characters finds nothing.
const MIN_QUERY: usize = 3;

impl Chapter {
    /// Returns the chapter with a file name.
    pub fn named(file: &str) -> Option<&'static Chapter> {
        CHAPTERS.iter().find(|chapter| chapter.file == file)
    }

    /// Returns the first heading.
    pub fn title(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches('#').trim()
    }

    /// Returns the chapters before and after it.
    pub fn neighbours(&self) -> [Option<&'static Chapter>; 2] {
        let Some(index) = CHAPTERS.iter().position(|chapter| chapter == self) else { return [None; 2] };
        [index.checked_sub(1).and_then(|before| CHAPTERS.get(before)), CHAPTERS.get(index + 1)]
    }
}

/// Returns the chapters that contain all words of a query, each with a line that has the first of them.
pub fn chapters_with(query: &str) -> Vec<(&'static Chapter, String)> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let (Some(first), true) = (words.first(), query.trim().chars().count() >= MIN_QUERY) else { return Vec::new() };
    let found = |chapter: &'static Chapter| {
        let text = chapter.text.to_lowercase();
        let line = words
            .iter()
            .all(|word| text.contains(word))
            .then(|| chapter.text.lines().find(|line| line.to_lowercase().contains(first)).unwrap_or_default())?;
        let plain: String = line.chars().filter(|letter| !matches!(letter, '*' | '`' | '#' | '|')).collect();
        Some((chapter, plain.trim().trim_start_matches("- ").to_owned()))
    };
    CHAPTERS.iter().filter_map(found).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_are_found_by_their_words() {
        let titles = |query: &str| chapters_with(query).iter().map(|(chapter, _)| chapter.file).collect::<Vec<_>>();
        assert_eq!(titles("stiff tiny"), ["solvers.md"]);
        assert!(titles("BUS").contains(&"signals.md"));
        assert_eq!(titles("zeppelin"), [""; 0]);
        assert_eq!(titles("a"), [""; 0]);
        assert!(chapters_with("crossings").iter().all(|(_, line)| line.to_lowercase().contains("crossings")));
    }

    #[test]
    fn all_files_of_the_manual_are_here() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/manual");
        let names = |folder: &std::path::Path| -> std::collections::BTreeSet<String> {
            let entries =
                std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
            entries.map(|name| name.to_string_lossy().into_owned()).collect()
        };
        let mut files = names(&folder);
        files.retain(|name| name.ends_with(".md") && name != "README.md");
        assert_eq!(files, CHAPTERS.iter().map(|chapter| chapter.file.to_owned()).collect());
        let pictures = names(&folder.join("pictures")).into_iter().map(|name| format!("pictures/{name}"));
        let known = MANUAL_PICTURES.iter().map(|picture| picture.path.to_owned());
        assert_eq!(pictures.collect::<std::collections::BTreeSet<_>>(), known.collect());
    }

    #[test]
    fn each_chapter_has_a_title_and_neighbours() {
        assert!(CHAPTERS.iter().all(|chapter| chapter.text.starts_with("# ") && !chapter.about.is_empty()));
        let [before, after] = CHAPTERS[1].neighbours();
        assert_eq!((before, after), (Some(&CHAPTERS[0]), Some(&CHAPTERS[2])));
        assert_eq!(CHAPTERS[CHAPTERS.len() - 1].neighbours()[1], None);
        assert_eq!(Chapter::named("steps.md").map(Chapter::title), Some("Steps, entries and exits"));
    }
}
