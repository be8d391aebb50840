//! The simulations that come with the program.

/// A simulation as it stands in `assets/examples`.
pub struct Example {
    /// The file's name.
    pub name: &'static str,
    pub text: &'static str,
}

/// In the order in which the welcome page shows them.
pub const EXAMPLES: &[Example] = &[];

impl Example {
    /// What the file calls itself, or else its name.
    pub fn title(&self) -> String {
        let fallback = self.name.trim_end_matches(".simx").replace('_', " ");
        attribute(self.text, "title").unwrap_or(fallback)
    }

    /// One line on what it shows.
    pub fn about(&self) -> String {
        attribute(self.text, "about").unwrap_or_default()
    }
}

/// An attribute of the root tag, read without parsing the whole file: the welcome page needs no more.
fn attribute(text: &str, name: &str) -> Option<String> {
    let start = text.find("<simulation")?;
    let tag = text.get(start..)?;
    let tag = tag.get(..tag.find('>')?)?;
    let value = tag.split(&format!(" {name}=\"")).nth(1)?.split('"').next()?;
    Some(value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
}
