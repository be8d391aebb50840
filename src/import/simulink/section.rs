//! A part of a file as a tree: sections with parameters and sections inside. XML and text have the same tree.

/// A section: an element of XML, or `Name { … }` of a text.
#[derive(Clone, Debug, Default)]
pub struct Section {
    pub name: String,
    /// Attributes and parameters in the order of the file. The text of an element has the name "".
    pub params: Vec<(String, String)>,
    pub sections: Vec<Section>,
}

impl Section {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.params.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// The first section of a name.
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }

    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Section> {
        self.sections.iter().filter(move |section| section.name == name)
    }

    /// The first section for which `found` holds, this one and those inside in the order of the file.
    pub fn find(&self, found: &dyn Fn(&Section) -> bool) -> Option<&Section> {
        if found(self) {
            return Some(self);
        }
        self.sections.iter().find_map(|section| section.find(found))
    }

    /// Calls `f` with this section and all inside.
    pub fn each<'a>(&'a self, f: &mut dyn FnMut(&'a Section)) {
        f(self);
        self.sections.iter().for_each(|section| section.each(f));
    }

    /// Adds all parameters and sections as text, for placeholders.
    pub fn write(&self, text: &mut String, depth: usize) {
        let indent = "  ".repeat(depth);
        text.push_str(&format!("{indent}{} {{\n", self.name));
        for (name, value) in &self.params {
            text.push_str(&format!("{indent}  {name} {value:?}\n"));
        }
        self.sections.iter().for_each(|section| section.write(text, depth + 1));
        text.push_str(&format!("{indent}}}\n"));
    }
}
