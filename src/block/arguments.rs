//! Arguments of code that are parameters: each is an option of its block, by its name.
//!
//! Which arguments of a function are parameters is said by the block's options: those that have a value, an option of their
//! own or a line of [`ARGUMENT_LINES`]. The others are inputs. So the definition of such a block has parameters that depend
//! on the block.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::language::{Formula, Program};
use super::limits::MAX_ELEMENTS;
use super::{BlockDef, ParamDef, ParamKind};

/// The option with lines `kp = 2` for arguments without an option of their own. A vector in it is a column, and keeps to
/// that in an option of the same name.
pub const ARGUMENT_LINES: &str = "Parameters";

/// A definition with arguments, and the definition without them.
struct Extended {
    base: &'static BlockDef,
    made: &'static BlockDef,
}

/// The definitions so far, by the address of the one without arguments and the names of the arguments. They are kept to the
/// end of the program, as all definitions are; their number is that of different lists of parameters.
static KNOWN: Mutex<BTreeMap<(usize, Vec<String>), Extended>> = Mutex::new(BTreeMap::new());

impl ParamDef {
    fn argument(name: &'static str) -> ParamDef {
        let (min, max) = (f64::NEG_INFINITY, f64::INFINITY);
        let kind = ParamKind::Number { default: &[0.0], min, max, vector: true, fixed: false, longest: MAX_ELEMENTS };
        let doc = "An argument of the function with a value of its own; without one it is an input";
        ParamDef { name, doc, unit: "", kind, table: None, is_argument: true }
    }
}

impl BlockDef {
    /// Returns the definition of a block with these option texts, by option: where its code has arguments with a value,
    /// they follow the parameters that all blocks of the kind have.
    pub fn with_arguments<'a>(&'static self, mut texts: impl FnMut(&str) -> Option<Vec<&'a str>>) -> &'static BlockDef {
        let Some((code, default)) = self.code() else { return self };
        let own = texts(code);
        // Of a definition that has arguments, they are those of the code that is not told here.
        if own.is_none() && self.params.iter().any(|param| param.is_argument) {
            return self;
        }
        let base = self.without_arguments();
        let is_value = |texts: Vec<&str>| texts.iter().any(|text| !text.trim().is_empty());
        let lines = lines_of(&texts(ARGUMENT_LINES).unwrap_or_default().join("\n"));
        let mut is_parameter = |name: &String| {
            let is_free = base.params.iter().all(|param| param.name != name);
            is_free && (lines.contains(name) || texts(name).is_some_and(is_value))
        };
        let mut names = match own.as_deref() {
            None => Program::signature(default).0,
            Some([text]) => Program::signature(text).0,
            Some(_) => Vec::new(),
        };
        names.retain(|name| is_parameter(name));
        if names.is_empty() { base } else { base.extended(names) }
    }

    /// Returns the option with the code that the block is made of, and its default.
    pub fn code(&self) -> Option<(&'static str, &'static str)> {
        self.params.iter().find_map(|param| match param.kind {
            ParamKind::Code { default } => Some((param.name, default)),
            _ => None,
        })
    }

    fn without_arguments(&'static self) -> &'static BlockDef {
        if !self.params.iter().any(|param| param.is_argument) {
            return self;
        }
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.values().find(|known| std::ptr::eq(known.made, self)).map_or(self, |known| known.base)
    }

    fn extended(&'static self, names: Vec<String>) -> &'static BlockDef {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (std::ptr::from_ref(self).addr(), names);
        if let Some(known) = known.get(&key) {
            return known.made;
        }
        let own = key.1.iter().map(|name| ParamDef::argument(String::leak(name.clone())));
        let params: Vec<ParamDef> = self.params.iter().copied().chain(own).collect();
        let made: &'static BlockDef = Box::leak(Box::new(BlockDef { params: Vec::leak(params), ..*self }));
        known.insert(key, Extended { base: self, made });
        made
    }
}

/// Returns the names that have a line in a text of [`ARGUMENT_LINES`].
fn lines_of(text: &str) -> Vec<String> {
    let lines = Formula::parse(text).map(|formula| formula.lines).unwrap_or_default();
    lines.into_iter().map(|(name, _)| name).collect()
}
