//! How the fields that are more than records of texts are written: ids, numbers of steps, values of options, and
//! attributes.

use std::collections::HashSet;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Unexpected, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Id, Pairs, Steps, Text, ValueForm, ValueRecord};
use crate::model::BlockId;

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_integer(self.0.0, serializer)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let integer = Integer { expected: "an id: an integer from -2^63 to 2^64-1" };
        deserializer.deserialize_any(integer).map(|id| Id(BlockId(id)))
    }
}

impl Serialize for Steps {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_integer(self.0.into(), serializer)
    }
}

impl<'de> Deserialize<'de> for Steps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let integer = Integer { expected: "a number of steps: an integer from 0 to 2^64-1" };
        let steps = deserializer.deserialize_any(integer)?;
        let is_negative = |_| D::Error::invalid_value(Unexpected::Other("a negative number"), &integer);
        u64::try_from(steps).map(Steps).map_err(is_negative)
    }
}

/// Writes an integer as a text where it does not fit 64 bits with a sign, the largest integers that BSON has.
fn write_integer<S: Serializer>(integer: i128, serializer: S) -> Result<S::Ok, S::Error> {
    match (u64::try_from(integer), i64::try_from(integer)) {
        (Ok(integer), Ok(_)) => serializer.serialize_u64(integer),
        (_, Ok(integer)) => serializer.serialize_i64(integer),
        (_, Err(_)) => serializer.serialize_str(&integer.to_string()),
    }
}

/// Reads an integer from -2^63 to 2^64-1, or its text.
#[derive(Clone, Copy)]
struct Integer {
    expected: &'static str,
}

impl Visitor<'_> for Integer {
    type Value = i128;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_u64<E>(self, integer: u64) -> Result<i128, E> {
        Ok(integer.into())
    }

    fn visit_i64<E>(self, integer: i64) -> Result<i128, E> {
        Ok(integer.into())
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<i128, E> {
        BlockId::parse(text).map(|id| id.0).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

impl Serialize for ValueForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ValueForm::Plain(text) => serializer.serialize_str(text),
            ValueForm::Record(record) => record.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ValueForm<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Value;

        impl<'de> Visitor<'de> for Value {
            type Value = ValueForm<'static>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a value's text, or a record with its text and attributes")
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(ValueForm::Plain(text.to_owned().into()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let record = ValueRecord::deserialize(MapAccessDeserializer::new(map))?;
                match (&record.text, &record.extra, record.attributes.is_empty()) {
                    (Some(_), None, _) | (None, Some(_), true) => Ok(ValueForm::Record(record)),
                    _ => Err(A::Error::custom("a value is a text with attributes, or an extra without attributes")),
                }
            }
        }

        deserializer.deserialize_any(Value)
    }
}

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Pairs<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Pairs<'static>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("attributes: a record of texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs: Vec<(Text, Text)> = Vec::new();
                let mut names = HashSet::new();
                while let Some((name, value)) = map.next_entry::<String, String>()? {
                    if !names.insert(name.clone()) {
                        return Err(A::Error::custom(format_args!("the attribute “{name}” is duplicated")));
                    }
                    pairs.push((name.into(), value.into()));
                }
                Ok(Pairs(pairs))
            }
        }

        deserializer.deserialize_map(Fields)
    }
}
