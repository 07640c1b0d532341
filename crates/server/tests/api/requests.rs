//! Random, malformed and hostile requests, made from the OpenAPI document: only documented statuses come back.
//!
//! `NPLY_REQUESTS=100000` sets their number, `NPLY_SEED=2` the seed.

use std::collections::BTreeMap;
use std::time::Duration;

use nply::Rng;
use serde_json::{Map, Value, json};

use crate::client::{id, people, serve_with};

/// Texts that have broken servers, or mean something to this one.
const TEXTS: &[&str] = &[
    "",
    " ",
    "0",
    "-1",
    "null",
    "focus",
    "rolit",
    "tree",
    "hearts:hidden=yes",
    "chinese-checkers",
    "nothing",
    "brs",
    "random",
    "greedy",
    "mcts:memory=900G",
    "maxn:eval=discs",
    "worlds:n=1000000,agent=(worlds:agent=(random))",
    "program:path=/bin/sh",
    "((((((((",
    "a=b,c=d",
    "time=1h",
    "nodes=5",
    "depth=4294967295",
    "playouts=10",
    "d3",
    "f4",
    "e1-d1",
    "pass",
    "../../etc/passwd",
    "..%2f..%2f",
    "%00",
    "%ff%fe",
    "'; DROP TABLE sessions; --",
    "<script>alert(1)</script>",
    "\u{0}",
    "\u{202e}\u{feff}🂡",
    "\r\nSet-Cookie: x=1",
    "{{7*7}}",
    "$(id)",
    "(1 5,4,1 (2 4,6,0 0,5,5))",
    "9999999999999999999999",
    "1e309",
    "easy",
    "strongest",
    "human",
    "agent",
    "level",
];

struct Generator {
    rng: Rng,
    document: Value,
    /// Names that exist.
    sessions: Vec<String>,
    searches: Vec<String>,
    tournaments: Vec<String>,
}

impl Generator {
    fn chance(&mut self, percent: u64) -> bool {
        self.rng.below(100) < percent as usize
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.rng.below(items.len())].clone()
    }

    fn text(&mut self) -> String {
        match self.rng.below(20) {
            0 => self.pick(TEXTS).repeat(self.rng.below(200)),
            1 => (0..self.rng.below(40)).map(|_| char::from(self.rng.below(256) as u8)).collect(),
            2 => "(".repeat(self.rng.below(3000)),
            _ => self.pick(TEXTS).into(),
        }
    }

    /// Any JSON.
    fn anything(&mut self, depth: usize) -> Value {
        match self.rng.below(if depth == 0 { 6 } else { 8 }) {
            0 => Value::Null,
            1 => json!(self.chance(50)),
            2 => json!(self.rng.below(10)),
            3 => json!(-(self.rng.below(10) as i64)),
            4 => json!(self.rng.below(1000) as f64 * 1e200),
            5 => json!(self.text()),
            6 => (0..self.rng.below(4)).map(|_| self.anything(depth - 1)).collect(),
            _ => Value::Object((0..self.rng.below(4)).map(|_| (self.text(), self.anything(depth - 1))).collect()),
        }
    }

    /// A value that fits a schema, or nearly.
    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        if depth == 0 || self.chance(4) {
            return self.anything(2);
        }
        if let Some(name) = schema["$ref"].as_str().and_then(|name| name.strip_prefix("#/components/schemas/")) {
            let schema = self.document["components"]["schemas"][name].clone();
            assert!(schema.is_object(), "{name} is described");
            return self.value(&schema, depth - 1);
        }
        for key in ["oneOf", "anyOf"] {
            if let Some(schemas) = schema[key].as_array().cloned() {
                let schema = self.pick(&schemas);
                return self.value(&schema, depth - 1);
            }
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => self.pick(kinds).as_str().unwrap_or_default().to_string(),
            kind => kind.as_str().unwrap_or_default().to_string(),
        };
        match kind.as_str() {
            "object" => {
                let required = schema["required"].as_array().cloned().unwrap_or_default();
                let mut object = Map::new();
                for (name, property) in schema["properties"].as_object().cloned().unwrap_or_default() {
                    let percent = if required.iter().any(|other| *other == name) { 97 } else { 30 };
                    if self.chance(percent) {
                        object.insert(name, self.value(&property, depth - 1));
                    }
                }
                if self.chance(3) {
                    object.insert(self.text(), self.anything(2));
                }
                Value::Object(object)
            }
            "array" => {
                let count = if self.chance(3) { self.rng.below(2000) } else { self.rng.below(5) };
                (0..count).map(|_| self.value(&schema["items"], depth - 1)).collect()
            }
            "integer" => match self.rng.below(20) {
                0 => json!(u64::MAX),
                1 => json!(-1),
                2 => json!(1.5),
                _ => json!(self.rng.below(5)),
            },
            "number" => json!(self.rng.below(1000) as f64 / 7.0),
            "boolean" => json!(self.chance(50)),
            "null" => Value::Null,
            "string" => json!(self.text()),
            _ => self.anything(2),
        }
    }

    /// A body that fits a schema, or one that makes sense, of which a part may be replaced.
    fn body(&mut self, operation: &str, schema: &Value) -> Value {
        let any = self.value(schema, 8);
        let Some(mut sensible) = self.sensible(operation).filter(|_| self.rng.below(10) < 7) else { return any };
        if let Some(object) = any.as_object().filter(|object| !object.is_empty() && self.rng.below(10) < 4) {
            let (name, value) = object.iter().nth(self.rng.below(object.len())).expect("one of them");
            sensible[name] = value.clone();
        }
        sensible
    }

    /// A body that makes sense.
    fn sensible(&mut self, operation: &str) -> Option<Value> {
        let agent = self.pick(&["random", "greedy:eval=discs", "mcts", "brs:eval=discs"]);
        let ply = self.rng.below(3);
        Some(match operation {
            "create-session" => {
                let seats =
                    [json!({ "kind": "human" }), json!({ "kind": "agent", "agent": agent, "budget": "nodes=20" })];
                let seats: Vec<Value> = (0..3).map(|_| self.pick(&seats)).collect();
                json!({ "game": self.pick(&["rolit", "tree", "hearts:hidden=yes"]), "players": 3, "seats": seats })
            }
            "move" => json!({ "move": self.pick(&["1", "f4", "d3", "QS"]), "ply": ply }),
            "think" | "undo" | "hint" => json!({ "ply": ply }),
            "resign" => json!({ "player": ply }),
            "take-seat" => json!({ "kind": "agent", "agent": agent, "budget": "nodes=20" }),
            "analyze" => json!({ "game": "rolit", "players": 3, "agents": [{ "agent": agent, "budget": "nodes=20" }] }),
            "tree" => {
                let limit = self.pick(&["depth", "playouts"]);
                json!({ "game": self.pick(&["rolit", "tree", "hearts"]), "players": 3, "agent": agent, limit: 1 + ply })
            }
            "create-tournament" => {
                json!({ "game": "rolit", "players": 3, "agents": ["random", agent], "games": 6, "budget": "nodes=5" })
            }
            _ => return None,
        })
    }

    /// A part of a path: often something that exists.
    fn name(&mut self, path: &str, parameter: &str) -> String {
        let known = match path.split('/').nth(3) {
            Some("sessions") if parameter == "id" => self.sessions.clone(),
            Some("searches") => self.searches.clone(),
            Some("tournaments") if parameter == "id" => self.tournaments.clone(),
            Some("games") => vec!["focus".into(), "rolit".into(), "hearts".into()],
            _ => (0..5).map(|number| number.to_string()).collect(),
        };
        if known.is_empty() || self.chance(15) { self.text() } else { self.pick(&known) }
    }
}

/// As in a path or a query.
fn encoded(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(byte);
    text.bytes().map(|byte| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02x}") }).collect()
}

/// The memory of this process, in bytes.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|number| number.parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn no_request_gets_an_undocumented_answer() {
    let server = serve_with(|options| {
        (options.limits.max_time, options.limits.max_move_time) = (Duration::from_millis(5), Duration::from_millis(1));
        options.limits.max_tournament_time = Duration::from_millis(100);
        (options.limits.max_games, options.limits.max_memory) = (12, 1 << 20);
        options.results = Some(options.db.as_ref().unwrap().parent().unwrap().into());
    });
    let document = server.get("/openapi.json").expect(200);
    let rng = Rng::new(number("NPLY_SEED", 1));
    let (sessions, searches, tournaments) = (Vec::new(), Vec::new(), Vec::new());
    let mut generator = Generator { rng, document, sessions, searches, tournaments };
    let kept = server.session(json!({ "game": "othello", "seats": people(2), "moves": ["d3", "c3"] }));
    let operations: Vec<(String, String, Value)> = generator.document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, methods)| {
            let operation = |(method, operation): (&String, &Value)| (path.clone(), method.clone(), operation.clone());
            methods.as_object().unwrap().iter().map(operation).collect::<Vec<_>>()
        })
        .collect();
    let mut statuses: BTreeMap<u16, u64> = BTreeMap::new();
    for request in 0..number("NPLY_REQUESTS", 2000) {
        let (path, method, operation) = generator.pick(&operations);
        let (mut target, mut query) = (path.clone(), Vec::new());
        for parameter in operation["parameters"].as_array().unwrap() {
            let name = parameter["name"].as_str().unwrap();
            if parameter["in"] == "path" {
                let value = generator.name(&path, name);
                // An empty part would be another path, and so would a line of dots.
                let value = if value.is_empty() || value.chars().all(|c| c == '.') { "x".into() } else { value };
                target = target.replace(&format!("{{{name}}}"), &encoded(&value.chars().take(500).collect::<String>()));
            } else if parameter["required"] == true || generator.chance(40) {
                let value = generator.value(&parameter["schema"], 3);
                let value = value.as_str().map_or_else(|| value.to_string(), String::from);
                query.push(format!("{name}={}", encoded(&value.chars().take(3000).collect::<String>())));
            }
        }
        if !query.is_empty() {
            target = format!("{target}?{}", query.join("&"));
        }
        let name = operation["operationId"].as_str().unwrap();
        let mut body = match operation["requestBody"]["content"]["application/json"].get("schema") {
            Some(schema) => generator.body(name, schema).to_string().into_bytes(),
            None => Vec::new(),
        };
        if !body.is_empty() && generator.chance(6) {
            let at = generator.rng.below(body.len());
            match generator.rng.below(4) {
                0 => body.truncate(at),
                1 => body[at] = generator.rng.below(256) as u8,
                2 => body.extend(vec![b'['; 300_000]),
                _ => body = generator.text().into_bytes(),
            }
        }
        let kind = if generator.chance(97) { "application/json" } else { "text/plain" };
        let host = if generator.chance(98) { server.address.to_string() } else { "evil.example".into() };
        let mut head =
            format!("{} {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n", method.to_ascii_uppercase());
        if generator.chance(2) {
            head.push_str("Origin: http://evil.example\r\n");
        }
        if !body.is_empty() {
            head.push_str(&format!("Content-Type: {kind}\r\nContent-Length: {}\r\n", body.len()));
        }
        let mut bytes = format!("{head}\r\n").into_bytes();
        bytes.extend(&body);
        let answer = server.raw(&bytes);
        let shown =
            || format!("request {request}: {}\n{answer:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(4000)]));
        let documented = &operation["responses"][answer.status.to_string()];
        assert!(documented.is_object(), "{}", shown());
        *statuses.entry(answer.status).or_default() += 1;
        let content = answer.header("content-type").unwrap_or_default();
        if let Some(contents) = documented["content"].as_object() {
            assert!(contents.keys().any(|kind| content.starts_with(kind.as_str())), "{}", shown());
        }
        if answer.status >= 400 {
            let error = &answer.json()["error"];
            let message = error["message"].as_str().expect("a message");
            assert!(!message.is_empty() && !message.contains(char::is_control), "{}", shown());
        }
        match (name, answer.status) {
            ("create-session", 201) => generator.sessions.push(answer.json()["id"].as_str().unwrap().into()),
            ("create-tournament", 202) => generator.tournaments.push(answer.json()["id"].as_str().unwrap().into()),
            ("think" | "hint", 202) => generator.searches.push(answer.json()["search"].as_str().unwrap().into()),
            ("analyze", 202) => generator.searches.extend(
                answer.json()["searches"].as_array().unwrap().iter().map(|search| search.as_str().unwrap().into()),
            ),
            ("delete-session", 204) => generator.sessions.retain(|session| !target.ends_with(session)),
            ("delete-tournament", 204) => generator.tournaments.retain(|tournament| !target.ends_with(tournament)),
            _ => {}
        }
        // The newest are enough to ask about.
        let from = generator.searches.len().saturating_sub(20);
        generator.searches.drain(..from);
        // Room for more.
        if generator.sessions.len() > 100 {
            let session = generator.sessions.remove(0);
            server.send("DELETE", &format!("/sessions/{session}"), None).expect(204);
        }
    }
    println!("{statuses:?}, {} MB", memory() >> 20);
    assert!(
        [200, 201, 202, 204, 400, 403, 404, 409, 422].iter().all(|status| statuses.contains_key(status)),
        "{statuses:?}"
    );
    assert!(memory() < 2 << 30, "{} MB", memory() >> 20);
    // Nobody else's session was touched, and none is lost.
    let list = server.get("/sessions").expect(200);
    let known = |session: &str| list.as_array().unwrap().iter().any(|entry| entry["id"] == session);
    assert!(known(id(&kept)) && generator.sessions.iter().all(|session| known(session)));
    assert_eq!(server.get(&format!("/sessions/{}", id(&kept))).expect(200)["text"], kept["text"]);
}
