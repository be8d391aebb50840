//! How the fields that are more than records of texts are written: ids, values of options, and attributes.

use std::collections::HashSet;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Unexpected, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Id, Pairs, Text, ValueForm, ValueRecord};
use crate::model::BlockId;

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (u64::try_from(self.0.0), i64::try_from(self.0.0)) {
            (Ok(id), Ok(_)) => serializer.serialize_u64(id),
            (_, Ok(id)) => serializer.serialize_i64(id),
            (_, Err(_)) => serializer.serialize_str(&self.0.0.to_string()),
        }
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;

        impl Visitor<'_> for Number {
            type Value = Id;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an id: an integer from -2^63 to 2^64-1")
            }

            fn visit_u64<E>(self, id: u64) -> Result<Id, E> {
                Ok(Id(BlockId(id.into())))
            }

            fn visit_i64<E>(self, id: i64) -> Result<Id, E> {
                Ok(Id(BlockId(id.into())))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Id, E> {
                BlockId::parse(text).map(Id).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_any(Number)
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
