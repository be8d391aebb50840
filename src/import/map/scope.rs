//! The names that expressions see: of masks, from the innermost to the outermost, then of the workspace.

use super::super::source::Language;
use super::super::values::{Rewritten, Text, computed, expression, rewrite, variable_name};
use super::super::xcos::scilab;
use super::state::{Frame, Mapper};
use crate::block::language::Matrix;

impl Mapper {
    /// Returns an expression of the file as one of this program. Its names become variables.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn expression(&mut self, text: &str, user: &str) -> Result<Text, String> {
        let rewritten = match self.language {
            Language::Matlab => rewrite(text)?,
            Language::Scilab => rewrite(&scilab::value(text))?,
        };
        let made = expression(&rewritten, &|name| self.value_of(name))?;
        // Where numbers stand for it, no name is used.
        if made.text == rewritten.text {
            rewritten.names.iter().for_each(|name| self.use_name(name, user));
        }
        Ok(made)
    }

    /// Returns the value of an expression whose names are all known.
    pub(super) fn known_value(&self, rewritten: &Rewritten) -> Option<Matrix> {
        computed(rewritten, &|name| self.value_of(name))
    }

    fn value_of(&self, name: &str) -> Option<Matrix> {
        for frame in self.frames.iter().rev() {
            if let Some(value) = frame.own.get(name) {
                return value.clone();
            }
            if frame.is_closed {
                break;
            }
        }
        self.workspace.get(name).and_then(|text| text.value.clone())
    }

    /// Makes a name visible in the innermost system.
    fn use_name(&mut self, name: &str, user: &str) {
        let is_end = |frame: &&Frame| frame.own.contains_key(name) || frame.is_closed;
        let depth = self
            .frames
            .iter()
            .rposition(|frame| is_end(&frame))
            .filter(|depth| self.frames[*depth].own.contains_key(name));
        match depth {
            Some(depth) => {
                for frame in &mut self.frames[depth + 1..] {
                    frame.passed.insert(variable_name(name));
                }
            }
            None => {
                self.used.entry(name.to_owned()).or_insert_with(|| user.to_owned());
            }
        }
    }
}
