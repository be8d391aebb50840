//! The dictionary of an archive: a list of Scilab's values as a stream of Java objects.
//!
//! Only the few classes that Scilab writes are known; others end the reading. Nothing is created but the values below.

use std::rc::Rc;

use super::scilab::Value;

const MAX_DEPTH: usize = 200;
/// More objects than a dictionary has.
const MAX_OBJECTS: usize = 2_000_000;
const FIRST_HANDLE: u32 = 0x7e_0000;

/// What the stream holds.
#[derive(Debug)]
enum Item {
    Null,
    Text(String),
    Class(Class),
    Doubles(Vec<f64>),
    Integers(Vec<i64>),
    Array(Vec<Rc<Item>>),
    Object { class: String, data: Vec<u8>, items: Vec<Rc<Item>> },
}

#[derive(Clone, Debug, Default)]
struct Class {
    name: String,
    flags: u8,
    /// The types of its fields, as letters.
    fields: Vec<u8>,
    parent: Option<Box<Class>>,
}

/// Reads the values of a dictionary, in their order.
pub fn read(bytes: &[u8]) -> Result<Vec<Value>, String> {
    let mut stream = Stream { rest: bytes, handles: Vec::new(), depth: 0 };
    if stream.take(4)? != [0xac, 0xed, 0, 5] {
        return Err("it is no stream of Java".to_owned());
    }
    let list = stream.content()?;
    match value(&list, 0) {
        Value::List(values) => Ok(values),
        _ => Err("it holds no list".to_owned()),
    }
}

struct Stream<'a> {
    rest: &'a [u8],
    /// What later parts may refer to, in the order of the stream.
    handles: Vec<Option<Rc<Item>>>,
    depth: usize,
}

impl<'a> Stream<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or("it is cut off")?;
        self.rest = rest;
        Ok(taken)
    }

    fn number(&mut self, bytes: usize) -> Result<u64, String> {
        Ok(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn utf(&mut self, size: usize) -> Result<String, String> {
        let length = self.number(size)? as usize;
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    fn reserve(&mut self) -> Result<usize, String> {
        if self.handles.len() > MAX_OBJECTS {
            return Err("it has too many objects".to_owned());
        }
        self.handles.push(None);
        Ok(self.handles.len() - 1)
    }

    fn content(&mut self) -> Result<Rc<Item>, String> {
        let tag = self.number(1)?;
        self.content_of(tag)
    }

    fn content_of(&mut self, tag: u64) -> Result<Rc<Item>, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("it is nested too deeply".to_owned());
        }
        let item = self.inner(tag);
        self.depth -= 1;
        item
    }

    fn inner(&mut self, tag: u64) -> Result<Rc<Item>, String> {
        match tag {
            0x70 => Ok(Rc::new(Item::Null)),
            0x71 => {
                let handle = self.number(4)? as u32;
                let at = handle.checked_sub(FIRST_HANDLE).ok_or("a reference leads nowhere")? as usize;
                self.handles.get(at).cloned().flatten().ok_or_else(|| "a reference leads nowhere".to_owned())
            }
            0x72 => Ok(Rc::new(Item::Class(self.class()?))),
            0x73 => self.object(),
            0x74 | 0x7c => {
                let handle = self.reserve()?;
                let text = Rc::new(Item::Text(self.utf(if tag == 0x74 { 2 } else { 8 })?));
                self.handles[handle] = Some(Rc::clone(&text));
                Ok(text)
            }
            0x75 => self.array(),
            _ => Err(format!("it has a part of the unknown kind {tag:#x}")),
        }
    }

    fn class(&mut self) -> Result<Class, String> {
        let name = self.utf(2)?;
        self.number(8)?;
        let handle = self.reserve()?;
        let flags = self.number(1)? as u8;
        let mut fields = Vec::new();
        for _ in 0..self.number(2)? {
            let kind = self.number(1)? as u8;
            self.utf(2)?;
            if [b'L', b'['].contains(&kind) {
                self.content()?;
            }
            fields.push(kind);
        }
        self.annotation()?;
        let parent = self.described()?.map(Box::new);
        let class = Class { name, flags, fields, parent };
        self.handles[handle] = Some(Rc::new(Item::Class(class.clone())));
        Ok(class)
    }

    /// A description of a class, or none.
    fn described(&mut self) -> Result<Option<Class>, String> {
        match &*self.content()? {
            Item::Null => Ok(None),
            Item::Class(class) => Ok(Some(class.clone())),
            _ => Err("a class is missing".to_owned()),
        }
    }

    /// Parts up to the end of an annotation: bytes and objects.
    fn annotation(&mut self) -> Result<(Vec<u8>, Vec<Rc<Item>>), String> {
        let (mut data, mut items) = (Vec::new(), Vec::new());
        loop {
            match self.number(1)? {
                0x78 => return Ok((data, items)),
                tag @ (0x77 | 0x7a) => {
                    let length = self.number(if tag == 0x77 { 1 } else { 4 })? as usize;
                    data.extend(self.take(length)?);
                }
                tag => items.push(self.content_of(tag)?),
            }
        }
    }

    fn object(&mut self) -> Result<Rc<Item>, String> {
        let class = self.described()?.ok_or("an object has no class")?;
        let handle = self.reserve()?;
        let (mut data, mut items) = (Vec::new(), Vec::new());
        if class.flags & 4 != 0 {
            (data, items) = self.annotation()?;
        } else {
            let mut chain = Vec::new();
            let mut next = Some(&class);
            while let Some(class) = next {
                chain.push(class);
                next = class.parent.as_deref();
            }
            for class in chain.into_iter().rev() {
                for kind in &class.fields {
                    match kind {
                        b'L' | b'[' => items.push(self.content()?),
                        b'D' | b'J' => drop(self.take(8)?),
                        b'I' | b'F' => drop(self.take(4)?),
                        b'S' | b'C' => drop(self.take(2)?),
                        _ => drop(self.take(1)?),
                    }
                }
                if class.flags & 1 != 0 {
                    items.extend(self.annotation()?.1);
                }
            }
        }
        let object = Rc::new(Item::Object { class: class.name, data, items });
        self.handles[handle] = Some(Rc::clone(&object));
        Ok(object)
    }

    fn array(&mut self) -> Result<Rc<Item>, String> {
        let class = self.described()?.ok_or("an array has no class")?;
        let handle = self.reserve()?;
        let count = self.number(4)? as usize;
        let size = match class.name.as_bytes().get(1) {
            Some(b'D' | b'J') => 8,
            Some(b'I') => 4,
            Some(b'S') => 2,
            Some(b'B' | b'Z') => 1,
            _ => 0,
        };
        // A count that the rest of the stream cannot hold is wrong.
        if count > self.rest.len() {
            return Err("an array is cut off".to_owned());
        }
        let array = match class.name.as_bytes().get(1) {
            Some(b'D') => {
                let each = self.take(count * 8)?.chunks_exact(8);
                Item::Doubles(each.map(|bytes| f64::from_be_bytes(bytes.try_into().unwrap_or_default())).collect())
            }
            Some(b'J' | b'I' | b'S' | b'B' | b'Z') => {
                let mut values = Vec::with_capacity(count);
                for _ in 0..count {
                    let bits = self.number(size)?;
                    let unused = 64 - 8 * size as u32;
                    values.push((bits << unused) as i64 >> unused);
                }
                Item::Integers(values)
            }
            _ => Item::Array((0..count).map(|_| self.content()).collect::<Result<_, _>>()?),
        };
        let array = Rc::new(array);
        self.handles[handle] = Some(Rc::clone(&array));
        Ok(array)
    }
}

/// An object as a value of Scilab; others are empty.
fn value(item: &Item, depth: usize) -> Value {
    let Item::Object { class, data, items } = item else { return Value::default() };
    if depth > MAX_DEPTH {
        return Value::default();
    }
    let is_swapped = data.last() == Some(&1);
    let rows = || match items.first().map(|item| &**item) {
        Some(Item::Array(rows)) => rows.as_slice(),
        _ => &[],
    };
    match class.rsplit('.').next().unwrap_or_default() {
        "ScilabList" | "ScilabMList" | "ScilabTList" => {
            // The last item is the name of the variable, a text or nothing.
            let is_value = |item: &&Rc<Item>| matches!(&***item, Item::Object { .. });
            Value::List(items.iter().filter(is_value).map(|item| value(item, depth + 1)).collect())
        }
        "ScilabString" => {
            let text = |item: &Rc<Item>| if let Item::Text(text) = &**item { text.clone() } else { String::new() };
            let rows: Vec<Vec<String>> = rows()
                .iter()
                .map(|row| if let Item::Array(row) = &**row { row.iter().map(text).collect() } else { Vec::new() })
                .collect();
            Value::texts(rows, is_swapped)
        }
        "ScilabDouble" | "ScilabInteger" | "ScilabBoolean" => {
            let numbers = |row: &Rc<Item>| match &**row {
                Item::Doubles(row) => row.clone(),
                Item::Integers(row) => row.iter().map(|number| *number as f64).collect(),
                _ => Vec::new(),
            };
            Value::numbers(rows().iter().map(numbers).collect(), is_swapped)
        }
        _ => Value::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(of: &str) -> Vec<u8> {
        [&(of.len() as u16).to_be_bytes(), of.as_bytes()].concat()
    }

    /// A description of a class without fields.
    fn class(name: &str, flags: u8) -> Vec<u8> {
        [&[0x72][..], &text(name), &[0; 8], &[flags, 0, 0, 0x78, 0x70]].concat()
    }

    /// A list of the texts `a` and, by a reference, `a` again as one column, and of a number.
    fn stream() -> Vec<u8> {
        let list =
            [&[0x73][..], &class("org.scilab.modules.types.ScilabList", 0x0c), &[0x77, 8, 0, 0, 0, 0, 0, 0, 0, 2]]
                .concat();
        let texts = [
            &[0x73][..],
            &class("org.scilab.modules.types.ScilabString", 0x0c),
            &[0x77, 4, 0, 0, 0, 0, 0x75],
            &class("[[Ljava.lang.String;", 2),
            &[0, 0, 0, 2, 0x75],
            &class("[Ljava.lang.String;", 2),
            &[0, 0, 0, 1, 0x74],
            &text("a"),
            // The class of the inner array is object 5, the text object 7.
            &[0x75, 0x71, 0, 0x7e, 0, 6, 0, 0, 0, 1, 0x71, 0, 0x7e, 0, 8],
            &[0x70, 0x77, 1, 0, 0x78],
        ]
        .concat();
        let number = [
            &[0x73][..],
            &class("org.scilab.modules.types.ScilabDouble", 0x0c),
            &[0x77, 4, 0, 0, 0, 0, 0x75],
            &class("[[D", 2),
            &[0, 0, 0, 1, 0x75],
            &class("[D", 2),
            &[0, 0, 0, 1],
            &2.5f64.to_be_bytes(),
            &[0x70, 0x70, 0x77, 1, 0, 0x78],
        ]
        .concat();
        [&[0xac, 0xed, 0, 5][..], &list, &texts, &number, &[0x70, 0x77, 1, 0, 0x78]].concat()
    }

    #[test]
    fn texts_numbers_and_references_are_read() {
        let values = read(&stream()).expect("a list");
        assert_eq!(values[0], Value::Texts { rows: 2, each: vec!["a".to_owned(), "a".to_owned()] });
        assert_eq!(values[1], Value::Numbers { rows: 1, each: vec![2.5] });
    }

    #[test]
    fn each_prefix_and_each_change_ends_with_values_or_a_reason() {
        let stream = stream();
        for end in 0..stream.len() {
            assert!(read(&stream[..end]).is_err());
            let mut changed = stream.clone();
            changed[end] ^= 0x41;
            let _ = read(&changed);
        }
    }
}
