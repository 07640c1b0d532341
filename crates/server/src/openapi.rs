//! The OpenAPI document, made from the list of operations.

use std::sync::OnceLock;

use axum::Json;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

use crate::api::{Answer, Content, Operation, ROOT, operations};
use crate::error::ErrorBody;

pub(crate) async fn document() -> Answer<Value> {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    Ok(Json(DOCUMENT.get_or_init(described).clone()))
}

/// The statuses of errors, with their descriptions.
const ERRORS: [(u16, &str); 9] = [
    (400, "The request cannot be read"),
    (403, "The request does not come from a page of this server, or does not name it"),
    (404, "There is no such thing"),
    (409, "The request does not fit the present state"),
    (413, "The body is too large"),
    (415, "The body is not JSON"),
    (422, "The request can be read but makes no sense here, or is beyond a limit"),
    (429, "Too many requests come from this address; Retry-After says when to try again"),
    (503, "The server has no room for this; Retry-After says when to try again"),
];

/// Whether an operation can fail with this status.
fn fails_with(operation: &Operation, status: u16) -> bool {
    let (has_path, has_query, has_body) =
        (operation.path.contains('{'), operation.query.is_some(), operation.body.is_some());
    match status {
        400 => has_path || has_query || has_body,
        // The folder of results may be missing as well.
        404 => has_path || operation.path.starts_with("/results"),
        409 => operation.conflicts,
        413 => true,
        415 => has_body,
        422 => has_path || has_query || has_body,
        _ => true,
    }
}

fn described() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let error = generator.subschema_for::<ErrorBody>().to_value();
    let mut paths: Map<String, Value> = Map::new();
    for operation in operations() {
        let path = paths.entry(format!("{ROOT}{}", operation.path)).or_insert_with(|| json!({}));
        path[operation.method.as_str().to_ascii_lowercase()] = described_operation(&operation, &mut generator, &error);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "nply",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Games, searches and tournaments for two to six players. Players are numbered from 0.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "paths": paths,
        "components": { "schemas": generator.take_definitions(true) },
    })
}

fn described_operation(operation: &Operation, generator: &mut SchemaGenerator, error: &Value) -> Value {
    let mut parameters: Vec<Value> = operation
        .path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
        .map(|name| {
            let is_number = ["player", "number"].contains(&name);
            let schema =
                if is_number { json!({ "type": "integer", "minimum": 0 }) } else { json!({ "type": "string" }) };
            json!({ "name": name, "in": "path", "required": true, "schema": schema })
        })
        .collect();
    if let Some(query) = operation.query {
        let query = query(generator).to_value();
        let required = query["required"].as_array().cloned().unwrap_or_default();
        for (name, schema) in query["properties"].as_object().into_iter().flatten() {
            let required = required.iter().any(|other| other == name);
            parameters.push(json!({ "name": name, "in": "query", "required": required, "schema": schema }));
        }
    }
    let (status, content) = &operation.success;
    let success = match content {
        Content::Nothing => json!({ "description": "Done" }),
        Content::Json(schema) => {
            json!({ "description": "Done", "content": { "application/json": { "schema": schema(generator) } } })
        }
        Content::Events => json!({
            "description": "Server-sent events, the data of which is JSON",
            "content": { "text/event-stream": { "schema": { "type": "string" } } },
        }),
    };
    let mut responses = Map::from_iter([(status.to_string(), success)]);
    for (status, about) in ERRORS.iter().filter(|(status, _)| fails_with(operation, *status)) {
        let response = json!({ "description": about, "content": { "application/json": { "schema": error } } });
        responses.insert(status.to_string(), response);
    }
    let mut described = json!({
        "operationId": operation.id, "summary": operation.about, "parameters": parameters, "responses": responses,
    });
    if let Some(body) = operation.body {
        let content = json!({ "application/json": { "schema": body(generator) } });
        described["requestBody"] = json!({ "required": true, "content": content });
    }
    described
}
