//! The columns of a table that arrives row by row: in memory up to a limit, the rest in a temporary file. A file that
//! stores column after column can thus be written in bounded memory, whatever its length.
//!
//! The file consists of pieces with as many rows as fit into memory, and in each piece the columns follow each other.
//! Columns are read in groups that fit into memory; a column that does not fit is read piece by piece.

use std::io;
use std::ops::Range;

use crate::format::{NewFile, ScratchFile};

/// The size of a piece in bytes, of the columns that are read at once, and of the buffer between these and the file.
const MEMORY: usize = 1 << 22;
/// The size of an element in bytes.
const SIZE: usize = size_of::<u64>();

pub(super) struct Columns {
    /// The number of elements in memory at most.
    limit: usize,
    /// Where each column begins in a row, and the width of a row.
    starts: Vec<usize>,
    rows: usize,
    /// The rows that are not in the file, row after row.
    last: Vec<u64>,
    scratch: Option<ScratchFile>,
    pieces: Vec<Piece>,
    /// The columns that have been read, one after the other.
    group: Range<usize>,
    values: Vec<u64>,
    bytes: Vec<u8>,
}

/// Rows in the file.
struct Piece {
    offset: u64,
    rows: usize,
}

impl Columns {
    /// Begins a table with columns of these numbers of elements a row.
    pub fn new(widths: impl IntoIterator<Item = usize>) -> Columns {
        Columns::limited(widths, MEMORY / SIZE)
    }

    fn limited(widths: impl IntoIterator<Item = usize>, limit: usize) -> Columns {
        let mut starts = vec![0];
        let mut end = 0;
        starts.extend(widths.into_iter().map(|width| {
            end += width;
            end
        }));
        Columns {
            limit,
            starts,
            rows: 0,
            last: Vec::new(),
            scratch: None,
            pieces: Vec::new(),
            group: 0..0,
            values: Vec::new(),
            bytes: Vec::new(),
        }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Appends the elements of a row. What does not fit into memory goes to a temporary file beside `file`.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn push(&mut self, row: impl IntoIterator<Item = u64>, file: &NewFile) -> io::Result<()> {
        let end = self.last.len() + self.row_width();
        self.last.extend(row);
        self.last.resize(end, 0);
        self.rows += 1;
        if end + self.row_width() > self.limit { self.spill(file) } else { Ok(()) }
    }

    /// Ends the rows, before columns are read.
    ///
    /// # Errors
    /// If the temporary file cannot be written.
    pub fn end(&mut self, file: &NewFile) -> io::Result<()> {
        if self.pieces.is_empty() { Ok(()) } else { self.spill(file) }
    }

    /// Gives the elements of a column to `take`, row after row in pieces. Quick where columns are asked for in order.
    ///
    /// # Errors
    /// If the temporary file cannot be read, or `take` fails.
    pub fn read(&mut self, column: usize, mut take: impl FnMut(&[u64]) -> io::Result<()>) -> io::Result<()> {
        if !self.group.contains(&column) {
            self.group = self.group_from(column);
            self.values.clear();
            if self.group.is_empty() {
                return self.stream(column, &mut take);
            }
            self.read_group()?;
        }
        let begin = self.start(self.group.start);
        let own = self.rows * (self.start(column) - begin)..self.rows * (self.start(column + 1) - begin);
        self.values.get(own).map_or(Ok(()), take)
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.rows = 0;
        self.last.clear();
        self.pieces.clear();
        self.group = 0..0;
    }

    fn start(&self, column: usize) -> usize {
        self.starts.get(column).copied().unwrap_or_else(|| self.row_width())
    }

    fn row_width(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Moves the rows in memory to the file, column after column.
    fn spill(&mut self, file: &NewFile) -> io::Result<()> {
        let width = self.row_width();
        let rows = self.last.len().checked_div(width).unwrap_or(0);
        if rows == 0 {
            return Ok(());
        }
        let offset = self.pieces.last().map_or(0, |piece| piece.offset + (piece.rows * width * SIZE) as u64);
        self.bytes.clear();
        for elements in self.starts.windows(2) {
            let &[begin, end] = elements else { continue };
            for row in self.last.chunks_exact(width) {
                append(row.get(begin..end).unwrap_or_default(), &mut self.bytes);
            }
        }
        let scratch = match &mut self.scratch {
            Some(scratch) => scratch,
            none => none.insert(file.scratch()?),
        };
        scratch.write_at(offset, &self.bytes)?;
        self.pieces.push(Piece { offset, rows });
        self.last.clear();
        Ok(())
    }

    /// Returns the columns from one on that fit into memory together.
    fn group_from(&self, column: usize) -> Range<usize> {
        let begin = self.start(column);
        let ends = self.starts.get(column + 1..).unwrap_or_default();
        let fitting = ends.partition_point(|end| self.rows.saturating_mul(end - begin) <= self.limit);
        column..column + fitting
    }

    /// Reads the columns of the group.
    fn read_group(&mut self) -> io::Result<()> {
        let (begin, end) = (self.start(self.group.start), self.start(self.group.end));
        if self.pieces.is_empty() {
            let width = self.row_width().max(1);
            for column in self.group.clone() {
                let own = self.start(column)..self.start(column + 1);
                let rows = self.last.chunks_exact(width).filter_map(|row| row.get(own.clone()));
                self.values.extend(rows.flatten());
            }
            return Ok(());
        }
        self.values.resize(self.rows * (end - begin), 0);
        let mut above = 0;
        for number in 0..self.pieces.len() {
            let rows = self.read_piece(number, begin..end)?;
            for column in self.group.clone() {
                let (from, to) = (self.start(column) - begin, self.start(column + 1) - begin);
                let width = to - from;
                let place = self.rows * from + above * width;
                let read = self.bytes.get(rows * from * SIZE..rows * to * SIZE).unwrap_or_default();
                let places = self.values.get_mut(place..place + rows * width).unwrap_or_default();
                places.iter_mut().zip(elements(read)).for_each(|(place, element)| *place = element);
            }
            above += rows;
        }
        Ok(())
    }

    /// Gives a column to `take` piece by piece.
    fn stream(&mut self, column: usize, take: &mut dyn FnMut(&[u64]) -> io::Result<()>) -> io::Result<()> {
        let range = self.start(column)..self.start(column + 1);
        for number in 0..self.pieces.len() {
            self.read_piece(number, range.clone())?;
            self.values.clear();
            self.values.extend(elements(&self.bytes));
            take(&self.values)?;
        }
        Ok(())
    }

    /// Reads some elements of each row of a piece, which are whole columns; returns the number of rows.
    fn read_piece(&mut self, number: usize, range: Range<usize>) -> io::Result<usize> {
        let (Some(piece), Some(scratch)) = (self.pieces.get(number), &mut self.scratch) else { return Ok(0) };
        self.bytes.resize(piece.rows * range.len() * SIZE, 0);
        scratch.read_at(piece.offset + (piece.rows * range.start * SIZE) as u64, &mut self.bytes)?;
        Ok(piece.rows)
    }
}

/// Appends the bytes of elements, the lowest first.
pub(super) fn append(elements: &[u64], bytes: &mut Vec<u8>) {
    for element in elements {
        bytes.extend_from_slice(&element.to_le_bytes());
    }
}

fn elements(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever fits into memory, the columns are those that were appended: all in memory, groups of them, and columns
    /// that are longer than the memory.
    #[test]
    fn columns_come_out_as_they_went_in() {
        let folder = tempfile::tempdir().unwrap();
        let file = crate::format::begin(&folder.path().join("a")).unwrap();
        let widths = [1, 3, 1, 0, 2, 1];
        let value = |row: usize, element: usize| (row * 8 + element) as u64;
        for limit in [1, 7, 8, 9, 20, 64, 100, 333, 1000, 10_000] {
            let mut columns = Columns::limited(widths, limit);
            for rows in [0, 1, 100, 7] {
                for row in 0..rows {
                    columns.push((0..8).map(|element| value(row, element)), &file).unwrap();
                    assert!(columns.last.len() <= limit.max(8), "{limit} {rows}");
                }
                assert_eq!(columns.rows(), rows);
                columns.end(&file).unwrap();
                let mut begin = 0;
                for (column, width) in widths.into_iter().enumerate() {
                    let mut read = Vec::new();
                    let take = |part: &[u64]| {
                        assert!(part.len() <= limit.max(8), "{limit} {rows}");
                        read.extend_from_slice(part);
                        Ok(())
                    };
                    columns.read(column, take).unwrap();
                    let expected = (0..rows).flat_map(|row| (begin..begin + width).map(move |at| value(row, at)));
                    assert_eq!(read, expected.collect::<Vec<_>>(), "{limit} {rows} {column}");
                    begin += width;
                }
                columns.clear();
            }
        }
    }
}
