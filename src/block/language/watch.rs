//! Code as an editor follows it in a run: where its statements are, and which values its variables had.

use super::statements::{Program, Statement, StatementKind};

impl Program {
    /// Returns the indices of the characters at which statements begin, in all functions.
    pub fn statement_starts(&self) -> Vec<usize> {
        let mut starts = Vec::new();
        let mut ahead: Vec<&Statement> = self.functions.iter().flat_map(|function| &function.body).collect();
        while let Some(statement) = ahead.pop() {
            starts.push(statement.at);
            ahead.extend(inner(&statement.kind));
        }
        starts
    }
}

/// The statements in a statement.
fn inner(kind: &StatementKind) -> Vec<&Statement> {
    match kind {
        StatementKind::If(branches, last) => branches.iter().flat_map(|(_, branch)| branch).chain(last).collect(),
        StatementKind::Switch(_, cases, last) => cases.iter().flat_map(|(_, case)| case).chain(last).collect(),
        StatementKind::For(_, _, body) | StatementKind::While(_, body) => body.iter().collect(),
        _ => Vec::new(),
    }
}
