//! JSON, for scripts and for programs without XML. Each block is one line, so that line diffs are useful.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use super::form::Form;
use super::{LoadError, LoadOptions, Loaded, Loader, SaveError};
use crate::model::{Simulation, TextPosition};

/// The JSON format.
#[derive(Clone, Copy, Debug, Default)]
pub struct Json;

impl Loader for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn title(&self) -> &'static str {
        "Simulation as JSON"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["json"]
    }

    fn recognizes(&self, bytes: &[u8]) -> bool {
        bytes.trim_ascii_start().starts_with(b"{")
    }

    fn read(&self, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        let form: Form = serde_json::from_slice(bytes).map_err(|error| {
            let position = TextPosition { line: error.line().max(1), column: error.column().max(1) };
            // The message must not repeat the position.
            let text = error.to_string();
            let problem = text.rsplit_once(" at line ").map_or(&*text, |(problem, _)| problem).to_owned();
            LoadError::Malformed { position, problem }
        })?;
        Ok(form.read()?.finish(options))
    }

    fn write(&self, simulation: &Simulation) -> Result<Vec<u8>, SaveError> {
        let mut bytes = Vec::new();
        let mut serializer = Serializer::with_formatter(&mut bytes, Lines::default());
        Form::of(simulation)
            .serialize(&mut serializer)
            .map_err(|error| SaveError::Inexpressible { problem: error.to_string() })?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

/// Values at a greater depth are written in one line: the content of a model's parts.
const MAX_BROKEN_DEPTH: usize = 6;

/// A formatter that breaks lines down to the parts of a model.
#[derive(Default)]
struct Lines {
    depth: usize,
    has_value: bool,
}

impl Lines {
    fn begin<W: ?Sized + io::Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.has_value = false;
        writer.write_all(bracket)
    }

    fn end<W: ?Sized + io::Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        let is_broken = self.depth <= MAX_BROKEN_DEPTH && self.has_value;
        self.depth -= 1;
        if is_broken {
            self.line(writer)?;
        }
        writer.write_all(bracket)
    }

    fn next<W: ?Sized + io::Write>(&self, writer: &mut W, is_first: bool) -> io::Result<()> {
        if !is_first {
            writer.write_all(b",")?;
        }
        match self.depth <= MAX_BROKEN_DEPTH {
            true => self.line(writer),
            false if is_first => Ok(()),
            false => writer.write_all(b" "),
        }
    }

    fn line<W: ?Sized + io::Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| writer.write_all(b"\t"))
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"[")
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, is_first: bool) -> io::Result<()> {
        self.next(writer, is_first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"{")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, is_first: bool) -> io::Result<()> {
        self.next(writer, is_first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }
}
