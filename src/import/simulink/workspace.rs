//! The workspace of a model: a structure in the binary form of MAT-files of version 5, with a head of its own.

/// The head of the part.
const HEAD: &[u8] = b"\x00\x01IM\0\0\0\0";
const MATRIX: u32 = 14;
const STRUCTURE: u8 = 2;
/// More names than a workspace has.
const MAX_FIELDS: usize = 100_000;

/// Returns the variables, each as a file of its own, so that one that cannot be read costs only itself. Variables that are
/// objects are left out by the reader of such files.
pub fn variables(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    split(bytes).unwrap_or_default()
}

fn split(bytes: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let mut outer = Elements { rest: bytes.strip_prefix(HEAD)? };
    let (kind, structure) = outer.next()?;
    let mut parts = Elements { rest: structure };
    let (_, flags) = parts.next()?;
    if kind != MATRIX || flags.first() != Some(&STRUCTURE) {
        return None;
    }
    let (_, dimensions) = parts.next()?;
    let (_, _) = parts.next()?;
    let (_, length) = parts.next()?;
    let length = usize::try_from(number(length.get(..4)?)).ok().filter(|length| *length > 0)?;
    let (_, names) = parts.next()?;
    // One structure, not an array of them.
    if dimensions.chunks(4).any(|count| count != [1, 0, 0, 0]) {
        return None;
    }
    let mut found = Vec::new();
    for name in names.chunks_exact(length).take(MAX_FIELDS) {
        let name: String = name.iter().take_while(|byte| **byte != 0).map(|byte| char::from(*byte)).collect();
        let (_, matrix) = parts.next()?;
        found.extend(file(&name, matrix).map(|file| (name, file)));
    }
    Some(found)
}

/// A file with one matrix, whose name in a structure is empty.
fn file(name: &str, matrix: &[u8]) -> Option<Vec<u8>> {
    let mut parts = Elements { rest: matrix };
    let (flags, dimensions) = (parts.next()?.1, parts.next()?.1);
    let (_, _) = parts.next()?;
    let mut content = Vec::new();
    for (kind, part) in [(6, flags), (5, dimensions), (1, name.as_bytes())] {
        element(&mut content, kind, part);
    }
    content.extend(parts.rest);
    let mut file = vec![b' '; 124];
    file.extend(b"\x00\x01IM");
    element(&mut file, MATRIX, &content);
    Some(file)
}

fn element(to: &mut Vec<u8>, kind: u32, data: &[u8]) {
    to.extend(kind.to_le_bytes());
    to.extend((data.len() as u32).to_le_bytes());
    to.extend(data);
    to.resize(to.len().next_multiple_of(8), 0);
}

/// The elements of a stream: a kind, a length and data, in the lower half of eight bytes where they are short.
struct Elements<'a> {
    rest: &'a [u8],
}

impl<'a> Elements<'a> {
    fn next(&mut self) -> Option<(u32, &'a [u8])> {
        let kind = number(self.rest.get(..4)?);
        if kind >> 16 != 0 {
            let length = (kind >> 16) as usize;
            let data = self.rest.get(4..4 + length.min(4))?;
            self.rest = self.rest.get(8..)?;
            return Some((kind & 0xffff, data));
        }
        let length = number(self.rest.get(4..8)?) as usize;
        let data = self.rest.get(8..8usize.checked_add(length)?)?;
        self.rest = self.rest.get(8 + length.next_multiple_of(8)..).unwrap_or_default();
        Some((kind, data))
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_a_structure_become_files() {
        let mut one = Vec::new();
        element(&mut one, 6, &[6, 0, 0, 0, 0, 0, 0, 0]);
        element(&mut one, 5, &[1, 0, 0, 0, 1, 0, 0, 0]);
        element(&mut one, 1, b"");
        element(&mut one, 9, &0.25f64.to_le_bytes());
        let mut structure = Vec::new();
        element(&mut structure, 6, &[2, 0, 0, 0, 0, 0, 0, 0]);
        element(&mut structure, 5, &[1, 0, 0, 0, 1, 0, 0, 0]);
        element(&mut structure, 1, b"");
        structure.extend([5, 0, 4, 0, 7, 0, 0, 0]);
        element(&mut structure, 1, b"h_samp\0");
        element(&mut structure, MATRIX, &one);
        let mut part = HEAD.to_vec();
        element(&mut part, MATRIX, &structure);
        let found = variables(&part);
        assert_eq!(found.len(), 1);
        let arrays = crate::format::arrays::read_mat(&found[0].1).expect("a file");
        assert_eq!((&*arrays[0].name, arrays[0].column(0)), ("h_samp", vec![0.25]));
        assert!(variables(&part[..part.len() - 3]).is_empty(), "what is cut off is left out");
        assert!(variables(b"").is_empty());
    }
}
