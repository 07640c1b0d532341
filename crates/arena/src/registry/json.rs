//! Settings as JSON, and the JSON Schema from which a form or a signature can be made.

use nply::settings::{self, Domain, Setting};
use nply::{Code, Error, Settings, Spec, quantity};
use serde_json::{Map, Value, json};

/// The settings that differ from their defaults, as a JSON object.
pub fn write_json<S: Settings + Clone + Default>(settings: &S) -> Value {
    let changed = settings::changed(settings);
    Value::Object(changed.iter().map(|setting| (setting.key.to_string(), setting_json(setting))).collect())
}

/// A name with settings from JSON: `{"name": "brs", "score": "own"}`, or a string as it is written in text.
pub(super) fn spec(json: &Value) -> Result<Spec, Error> {
    if let Value::String(text) = json {
        return Spec::parse(text);
    }
    let Some((object, name)) = json.as_object().zip(json["name"].as_str()) else {
        let error = Error::new(Code::BadValue, format!("{json} has no \"name\""));
        return Err(error.help("write a string or an object with a name: {\"name\": \"brs\", \"score\": \"own\"}"));
    };
    let mut spec = Spec::parse(name)?;
    for (key, value) in object.iter().filter(|(key, _)| *key != "name") {
        // What is left open is not written.
        spec.pairs.extend(json_text(key, value)?.map(|text| (key.clone(), text)));
    }
    Ok(spec)
}

/// Changes the settings that a JSON object names. A value may also be a string, as it is written after `key=`; `null` leaves a
/// setting open.
pub fn read_json(settings: &mut (impl Settings + ?Sized), object: &Value) -> Result<(), Error> {
    let Value::Object(object) = object else {
        return Err(Error::new(Code::BadValue, format!("settings are a JSON object, not {object}")));
    };
    object.iter().try_for_each(|(key, value)| settings::set(settings, key, json_text(key, value)?.as_deref()))
}

/// The text that a JSON value stands for; `None` for null.
pub(crate) fn json_text(key: &str, value: &Value) -> Result<Option<String>, Error> {
    Ok(Some(match value {
        Value::Null => return Ok(None),
        Value::Bool(flag) => if *flag { "yes" } else { "no" }.into(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(words) => {
            let word = |word: &Value| word.as_str().map(|word| format!("({word})"));
            let words: Option<Vec<String>> = words.iter().map(word).collect();
            let words = words.ok_or_else(|| Error::new(Code::BadValue, format!("{key} takes a list of strings")))?;
            words.join(" ")
        }
        // Another agent.
        Value::Object(_) => spec(value).map_err(|error| error.within(key))?.to_string(),
    }))
}

/// The value of a setting as JSON; null if it is left open.
pub(crate) fn setting_json(setting: &Setting) -> Value {
    let Some(text) = &setting.value else { return Value::Null };
    match setting.domain {
        Domain::Flag => json!(text == "yes"),
        Domain::Whole { .. } => quantity::count(text).map_or_else(|_| json!(text), |number| json!(number)),
        Domain::Size { .. } => quantity::size(text).map_or_else(|_| json!(text), |bytes| json!(bytes)),
        Domain::Number { .. } => text.parse::<f64>().map_or_else(|_| json!(text), |number| json!(number)),
        Domain::List => json!(settings::words(text)),
        Domain::Words(_) | Domain::Time | Domain::Evaluation | Domain::Agent | Domain::Path => json!(text),
    }
}

/// A JSON Schema for settings; `evaluations` are the game's.
pub fn schema(name: &str, about: &str, settings: &[Setting], evaluations: &[&str]) -> Value {
    let properties: Map<String, Value> =
        settings.iter().map(|setting| (setting.key.to_string(), property(setting, evaluations))).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": name,
        "description": about,
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

fn property(setting: &Setting, evaluations: &[&str]) -> Value {
    let or = |main: Value, word: Option<&str>| match word {
        Some(word) => json!({ "anyOf": [main, { "const": word }] }),
        None => main,
    };
    let mut property = match &setting.domain {
        Domain::Words(words) => json!({ "enum": words }),
        Domain::Flag => json!({ "type": "boolean" }),
        Domain::Whole { min, max, or: word } => or(json!({ "type": "integer", "minimum": min, "maximum": max }), *word),
        Domain::Number { min, max } => json!({ "type": "number", "minimum": min, "maximum": max }),
        Domain::Size { or: word } => {
            let size = json!({ "anyOf": [{ "type": "integer", "minimum": 0 },
                { "type": "string", "pattern": "^[0-9.]+[kKMG]?$" }] });
            or(size, *word)
        }
        Domain::Time => json!({ "type": "string", "pattern": "^[0-9.]+(ms|s|m|h)$" }),
        Domain::Evaluation => json!({ "enum": evaluations }),
        Domain::Agent => json!({ "type": "string", "format": "nply-agent" }),
        Domain::Path => json!({ "type": "string", "format": "path" }),
        Domain::List => json!({ "type": "array", "items": { "type": "string" } }),
    };
    let object = property.as_object_mut().expect("each of them is an object");
    object.insert("description".into(), json!(setting.about));
    if setting.value.is_some() {
        object.insert("default".into(), setting_json(setting));
    }
    property
}
