//! JSON in which no object names a key twice.
//!
//! JSON leaves open what a repeated key means, and a reader that takes the last one silently drops what its author wrote.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Reads one JSON value. A repeated key is an error of the category `Data` that names the key and its place.
pub fn unique(text: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice::<Unique>(text).map(|unique| unique.0)
}

/// A value all of whose objects have different keys. Nesting is bounded by the parser.
struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Values).map(Unique)
    }
}

struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Unique(item)) = from.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = from.next_key::<String>()? {
            if object.contains_key(&key) {
                let shown: String = key.chars().take(200).collect();
                return Err(A::Error::custom(format_args!("the key {shown:?} stands twice")));
            }
            let Unique(value) = from.next_value()?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_value_is_read_as_it_is() {
        let value = json!({"a": [null, true, -1, 18446744073709551615u64, 1.5, "x\n\u{e9}"], "b": {"a": {}}});
        assert_eq!(unique(value.to_string().as_bytes()).unwrap(), value);
    }

    #[test]
    fn a_repeated_key_is_named_wherever_it_stands() {
        for (text, key) in [
            (r#"{"a": 1, "a": 1}"#, "\"a\""),
            (r#"{"x": [{"k": 1, "\u006b": 2}]}"#, "\"k\""),
            (r#"{"x": {"text": "1", "b": 1, "text": "2"}}"#, "\"text\""),
            (r#"{"": 1, "": 2}"#, "\"\""),
        ] {
            let error = unique(text.as_bytes()).unwrap_err();
            assert!(error.is_data(), "{text}: {error}");
            let shown = error.to_string();
            assert!(
                shown.starts_with(&format!("the key {key} stands twice at line 1 ")),
                "{shown}"
            );
        }
    }

    #[test]
    fn what_is_no_json_is_no_data_error() {
        let deep = "[".repeat(100_000);
        for text in ["", "{", "{\"a\" 1}", "{} {}", "\u{feff}{}", deep.as_str()] {
            assert!(!unique(text.as_bytes()).unwrap_err().is_data(), "{:.20}", text);
        }
        assert!(!unique(b"\"\xff\"").unwrap_err().is_data());
    }
}
