//! The dictionary of an archive: a stream of Java objects with values of Scilab.
//!
//! Only the few classes that Xcos writes are known, as data; nothing is made from a class name. Every number of elements is
//! compared with what is left of the stream before anything is reserved.

use std::rc::Rc;

use super::data::Data;

/// The deepest nesting of lists.
const MAX_DEPTH: usize = 200;
/// The first number of a back reference.
const FIRST: u32 = 0x7E_0000;
const MARK: [u8; 4] = [0xAC, 0xED, 0x00, 0x05];

/// Reads a dictionary: the items of its list.
///
/// # Errors
/// If the stream is damaged or has anything that Xcos does not write.
pub fn read(bytes: &[u8]) -> Result<Vec<Rc<Data>>, String> {
    let rest = bytes.strip_prefix(&MARK).ok_or("it is no stream of Java objects")?;
    let mut stream = Stream { rest, handles: Vec::new(), depth: 0 };
    match stream.object()? {
        Java::Data(data) => match &*data {
            Data::List(items) => Ok(items.clone()),
            _ => Err("it holds no list".to_owned()),
        },
        _ => Err("it holds no list".to_owned()),
    }
}

#[derive(Clone, Debug)]
enum Java {
    Null,
    Text(Rc<str>),
    Class(Rc<Class>),
    Numbers(Rc<Vec<f64>>),
    Array(Rc<Vec<Java>>),
    Data(Rc<Data>),
    /// An object whose content is being read.
    Open,
}

#[derive(Debug)]
struct Class {
    name: String,
    flags: u8,
    fields: Vec<(u8, String)>,
    parent: Option<Rc<Class>>,
}

/// The content of an object that writes itself.
#[derive(Default)]
struct Content {
    blocks: Vec<Vec<u8>>,
    objects: Vec<Java>,
}

struct Stream<'a> {
    rest: &'a [u8],
    handles: Vec<Java>,
    depth: usize,
}

impl Stream<'_> {
    fn take(&mut self, count: usize) -> Result<&[u8], String> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or("it is cut off")?;
        self.rest = rest;
        Ok(taken)
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], String> {
        self.take(N)?.try_into().map_err(|_| "it is cut off".to_owned())
    }

    fn byte(&mut self) -> Result<u8, String> {
        Ok(self.bytes::<1>()?[0])
    }

    fn short(&mut self) -> Result<usize, String> {
        Ok(u16::from_be_bytes(self.bytes()?).into())
    }

    fn int(&mut self) -> Result<u32, String> {
        Ok(u32::from_be_bytes(self.bytes()?))
    }

    fn text(&mut self, length: usize) -> Result<String, String> {
        Ok(modified_utf8(self.take(length)?))
    }

    fn short_text(&mut self) -> Result<String, String> {
        let length = self.short()?;
        self.text(length)
    }

    fn long_length(&mut self) -> Result<usize, String> {
        usize::try_from(u64::from_be_bytes(self.bytes()?)).map_err(|_| "a text is too long".to_owned())
    }

    fn handle(&mut self, java: Java) -> usize {
        self.handles.push(java);
        self.handles.len() - 1
    }

    fn object(&mut self) -> Result<Java, String> {
        let tag = self.byte()?;
        self.tagged(tag)
    }

    fn tagged(&mut self, tag: u8) -> Result<Java, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("its lists are nested more than {MAX_DEPTH} levels deep"));
        }
        let made = match tag {
            0x70 => Java::Null,
            0x71 => {
                let number = self.int()?.wrapping_sub(FIRST) as usize;
                self.handles.get(number).cloned().ok_or("it refers to an object that is not there")?
            }
            0x72 => Java::Class(self.new_class()?),
            0x73 => self.new_object()?,
            0x74 | 0x7C => {
                let length = if tag == 0x74 { self.short()? } else { self.long_length()? };
                let text = Java::Text(self.text(length)?.into());
                self.handle(text.clone());
                text
            }
            0x75 => self.new_array()?,
            _ => return Err(format!("it has an element of the kind {tag:#04x}, which Xcos does not write")),
        };
        self.depth -= 1;
        Ok(made)
    }

    fn class(&mut self) -> Result<Option<Rc<Class>>, String> {
        match self.object()? {
            Java::Class(class) => Ok(Some(class)),
            Java::Null => Ok(None),
            _ => Err("an object has no class".to_owned()),
        }
    }

    fn new_class(&mut self) -> Result<Rc<Class>, String> {
        let name = self.short_text()?;
        let _version: [u8; 8] = self.bytes()?;
        let handle = self.handle(Java::Open);
        let flags = self.byte()?;
        let count = self.short()?;
        let mut fields = Vec::new();
        for _ in 0..count {
            let kind = self.byte()?;
            let field = self.short_text()?;
            if matches!(kind, b'[' | b'L') {
                self.object()?;
            }
            fields.push((kind, field));
        }
        self.content()?;
        let parent = self.class()?;
        let class = Rc::new(Class { name, flags, fields, parent });
        self.handles[handle] = Java::Class(Rc::clone(&class));
        Ok(class)
    }

    /// Reads blocks and objects up to the end mark.
    fn content(&mut self) -> Result<Content, String> {
        let mut content = Content::default();
        loop {
            match self.byte()? {
                0x78 => return Ok(content),
                0x77 => {
                    let length = usize::from(self.byte()?);
                    content.blocks.push(self.take(length)?.to_vec());
                }
                0x7A => {
                    let length = self.int()? as usize;
                    content.blocks.push(self.take(length)?.to_vec());
                }
                tag => {
                    let object = self.tagged(tag)?;
                    content.objects.push(object);
                }
            }
        }
    }

    fn new_array(&mut self) -> Result<Java, String> {
        let class = self.class()?.ok_or("an array has no class")?;
        let handle = self.handle(Java::Open);
        let count = self.int()? as usize;
        let kind = class.name.as_bytes().get(1).copied().unwrap_or(0);
        let array = match kind {
            b'[' | b'L' => {
                if count > self.rest.len() {
                    return Err("it is cut off".to_owned());
                }
                let mut items = Vec::new();
                for _ in 0..count {
                    items.push(self.object()?);
                }
                Java::Array(Rc::new(items))
            }
            kind => {
                let size = size_of(kind).ok_or("an array has an unknown type")?;
                let bytes = self.take(count.checked_mul(size).ok_or("it is cut off")?)?;
                Java::Numbers(Rc::new(bytes.chunks_exact(size).map(|bytes| number(kind, bytes)).collect()))
            }
        };
        self.handles[handle] = array.clone();
        Ok(array)
    }

    fn new_object(&mut self) -> Result<Java, String> {
        let class = self.class()?.ok_or("an object has no class")?;
        let handle = self.handle(Java::Open);
        let data = if class.flags & 0x04 != 0 {
            if class.flags & 0x08 == 0 {
                return Err(format!("an object of the class {} cannot be read", class.name));
            }
            let content = self.content()?;
            value(&class.name, content)?
        } else {
            self.plain(&class)?
        };
        let java = Java::Data(Rc::new(data));
        self.handles[handle] = java.clone();
        Ok(java)
    }

    /// An object with plain fields, of which only points matter.
    fn plain(&mut self, class: &Rc<Class>) -> Result<Data, String> {
        let mut line = vec![Rc::clone(class)];
        while let Some(parent) = line.last().and_then(|class| class.parent.clone()) {
            if line.len() > 20 {
                return Err("a class has too many parents".to_owned());
            }
            line.push(parent);
        }
        let (mut x, mut y) = (0.0, 0.0);
        for class in line.iter().rev() {
            for (kind, name) in &class.fields {
                let value = match size_of(*kind) {
                    Some(size) => number(*kind, self.take(size)?),
                    None => {
                        self.object()?;
                        continue;
                    }
                };
                match &**name {
                    "x" => x = value,
                    "y" => y = value,
                    _ => {}
                }
            }
            if class.flags & 0x01 != 0 {
                self.content()?;
            }
        }
        Ok(if class.name.ends_with("mxPoint") { Data::Point(x, y) } else { Data::Nothing })
    }
}

/// The value that an object of Scilab's classes holds.
fn value(class: &str, content: Content) -> Result<Data, String> {
    let kind = class.rsplit('.').next().unwrap_or_default();
    let is_swapped = content.blocks.last().and_then(|block| block.last()).is_some_and(|last| *last != 0);
    match kind {
        "ScilabList" | "ScilabMList" | "ScilabTList" => {
            let size = content
                .blocks
                .first()
                .and_then(|block| block.get(4..8))
                .map_or(0, |bytes| u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize);
            let items = content.objects.iter().take(size).map(|item| match item {
                Java::Data(data) => Rc::clone(data),
                _ => Rc::default(),
            });
            Ok(Data::List(items.collect()))
        }
        "ScilabString" => Ok(Data::Texts(
            matrix(content.objects.first(), is_swapped, |item| match item {
                Java::Array(items) => items.iter().map(text_of).collect(),
                _ => Vec::new(),
            })
            .2,
        )),
        "ScilabDouble" | "ScilabInteger" | "ScilabBoolean" => {
            let (rows, columns, values) = matrix(content.objects.first(), is_swapped, |item| match item {
                Java::Numbers(numbers) => numbers.to_vec(),
                _ => Vec::new(),
            });
            Ok(Data::Numbers { rows, columns, values })
        }
        _ => Ok(Data::Nothing),
    }
}

fn text_of(item: &Java) -> String {
    if let Java::Text(text) = item { text.to_string() } else { String::new() }
}

/// The rows, the columns, and the elements row after row of an array of arrays.
fn matrix<T: Clone>(outer: Option<&Java>, is_swapped: bool, inner: impl Fn(&Java) -> Vec<T>) -> (usize, usize, Vec<T>) {
    let Some(Java::Array(outer)) = outer else { return (0, 0, Vec::new()) };
    let lines: Vec<Vec<T>> = outer.iter().map(inner).collect();
    let length = lines.iter().map(Vec::len).min().unwrap_or(0);
    if !is_swapped {
        return (lines.len(), length, lines.iter().flat_map(|line| line[..length].to_vec()).collect());
    }
    let values = (0..length).flat_map(|row| lines.iter().map(move |line| line[row].clone())).collect();
    (length, lines.len(), values)
}

fn size_of(kind: u8) -> Option<usize> {
    Some(match kind {
        b'B' | b'Z' => 1,
        b'S' | b'C' => 2,
        b'I' | b'F' => 4,
        b'D' | b'J' => 8,
        _ => return None,
    })
}

fn number(kind: u8, bytes: &[u8]) -> f64 {
    let signed = |bytes: &[u8]| {
        let first = if bytes.first().is_some_and(|first| first & 0x80 != 0) { -1_i64 } else { 0 };
        bytes.iter().fold(first, |value, byte| (value << 8) | i64::from(*byte))
    };
    match (kind, bytes) {
        (b'D', &[a, b, c, d, e, f, g, h]) => f64::from_be_bytes([a, b, c, d, e, f, g, h]),
        (b'F', &[a, b, c, d]) => f32::from_be_bytes([a, b, c, d]).into(),
        (b'Z', bytes) => f64::from(u8::from(bytes.iter().any(|byte| *byte != 0))),
        _ => signed(bytes) as f64,
    }
}

/// Java's form of UTF-8: the null character has two bytes, and characters beyond 16 bits are two of three bytes.
fn modified_utf8(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let mut units = Vec::new();
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        let tail = |at: usize| u16::from(after.get(at).copied().unwrap_or(0) & 0x3F);
        let (unit, length) = match first {
            0x00..0x80 => (u16::from(first), 0),
            0x80..0xE0 => (u16::from(first & 0x1F) << 6 | tail(0), 1),
            _ => (u16::from(first & 0x0F) << 12 | tail(0) << 6 | tail(1), 2),
        };
        units.push(unit);
        rest = after.get(length..).unwrap_or_default();
    }
    String::from_utf16_lossy(&units)
}
