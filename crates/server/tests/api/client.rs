//! A server on loopback, and a plain client for it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nply_arena::Registry;
use nply_server::{Options, Server, Stopper};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A server that ends with the test.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
    options: Options,
    folder: Option<TempDir>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("text")
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut pairs = self.head.lines().filter_map(|line| line.split_once(": "));
        pairs.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The body of an answer that must have this status.
    #[track_caller]
    pub(crate) fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        if self.body.is_empty() { Value::Null } else { self.json() }
    }

    /// The code of an error that must have this status.
    #[track_caller]
    pub(crate) fn error(&self, status: u16) -> String {
        self.expect(status)["error"]["code"].as_str().expect("an error has a code").into()
    }
}

/// The options of servers in tests: any port, many requests.
pub(crate) fn options(folder: &Path) -> Options {
    let mut options = Options { port: 0, db: Some(folder.join("sessions.db")), ..Options::default() };
    (options.limits.rate, options.limits.burst) = (1_000_000, 1_000_000);
    options
}

/// A server with its own folder.
pub(crate) fn serve() -> Served {
    serve_with(|_| ())
}

pub(crate) fn serve_with(change: impl FnOnce(&mut Options)) -> Served {
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = options(folder.path());
    change(&mut options);
    Served::start(options, Some(folder))
}

impl Served {
    fn start(options: Options, folder: Option<TempDir>) -> Served {
        let server = Server::bind(Registry::standard(), &options, 2).expect("it listens");
        let (address, stopper) = (server.address(), server.stopper());
        let thread = Some(std::thread::spawn(move || server.run().expect("it ends well")));
        Served { address, stopper, thread, options, folder }
    }

    /// Stops it; how long that took.
    pub(crate) fn stop(&mut self) -> Duration {
        let started = Instant::now();
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("it ends well");
        }
        started.elapsed()
    }

    /// Another server with the same file.
    pub(crate) fn restart(mut self) -> Served {
        self.stop();
        Served::start(self.options.clone(), self.folder.take())
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, Some(body))
    }

    pub(crate) fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let mut head = format!("Host: {}\r\n", self.address);
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        if !body.is_empty() {
            head.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()));
        }
        let path = if path.starts_with("/api") || path == "/" { path.to_string() } else { format!("/api/v1{path}") };
        self.raw(format!("{method} {path} HTTP/1.1\r\n{head}Connection: close\r\n\r\n{body}").as_bytes())
    }

    /// The answer to any bytes.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address).expect("it accepts");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        // The server may answer before it has read everything.
        let _ = stream.write_all(bytes);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        let end = all.windows(4).position(|window| window == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(&all)));
        let head = String::from_utf8(all[..end].to_vec()).expect("a head in ASCII");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let mut body = all[end + 4..].to_vec();
        if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            body = unchunked(&body);
        }
        Answer { status, head, body }
    }

    /// Events of a stream, until it ends or `enough` of them have come.
    pub(crate) fn events(&self, path: &str, mut enough: impl FnMut(&str, &Value) -> bool) -> Vec<(String, Value)> {
        let mut stream = TcpStream::connect(self.address).expect("it accepts");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        write!(stream, "GET /api/v1{path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address)
            .expect("sent");
        let (mut events, mut name) = (Vec::new(), String::new());
        for line in BufReader::new(stream).lines() {
            let Ok(line) = line else { break };
            if let Some(text) = line.strip_prefix("event: ") {
                name = text.into();
            } else if let Some(text) = line.strip_prefix("data: ") {
                let data: Value = serde_json::from_str(text).expect("data in JSON");
                let is_enough = enough(&name, &data);
                events.push((name.clone(), data));
                if is_enough {
                    break;
                }
            }
        }
        events
    }

    /// Waits until a search has ended.
    pub(crate) fn wait(&self, search: &str) -> Value {
        let events = self.events(&format!("/searches/{search}/events"), |_, _| false);
        let (name, found) = events.last().expect("a last event").clone();
        assert!(name == "done" || name == "error", "{name}: {found}");
        found
    }

    /// A new session.
    pub(crate) fn session(&self, body: Value) -> Value {
        self.post("/sessions", &body).expect(201)
    }

    /// Lets the agent at turn play; the state after it.
    pub(crate) fn think(&self, state: &Value) -> Value {
        let id = id(state);
        let started = self.post(&format!("/sessions/{id}/think"), &json!({ "ply": state["plies"] })).expect(202);
        let found = self.wait(started["search"].as_str().unwrap());
        assert_eq!(found["status"], "done", "{found}");
        self.get(&format!("/sessions/{id}")).expect(200)
    }

    /// Plays a person's first legal move; the state after it.
    pub(crate) fn play_first(&self, state: &Value) -> Value {
        let body = json!({ "move": state["moves"][0]["text"], "ply": state["plies"] });
        self.post(&format!("/sessions/{}/moves", id(state)), &body).expect(200)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop();
    }
}

pub(crate) fn id(state: &Value) -> &str {
    state["id"].as_str().expect("a session has an id")
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some(end) = body.windows(2).position(|window| window == b"\r\n") {
        let length = std::str::from_utf8(&body[..end]).ok().and_then(|text| usize::from_str_radix(text, 16).ok());
        let Some(length) = length.filter(|&length| length > 0 && end + 2 + length <= body.len()) else { break };
        all.extend(&body[end + 2..end + 2 + length]);
        body = body.get(end + 4 + length..).unwrap_or_default();
    }
    all
}

/// Seats for so many people.
pub(crate) fn people(count: usize) -> Value {
    json!(vec![json!({ "kind": "human" }); count])
}
