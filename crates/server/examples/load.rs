//! A bounded load test: `cargo run --release -p nply-server --example load [-- SECONDS [SESSIONS]]`.
//!
//! Sessions of two agents at 50 ms a move play on a server of their own on loopback, by default 200 for two minutes. It reports how
//! long requests took that do not search, and fails if one is refused, if the slowest hundredth takes more than 100 ms, or if one
//! session more is not refused clearly.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use nply_arena::Registry;
use nply_server::{Options, Server};
use serde_json::{Value, json};

/// A connection that is kept.
struct Client {
    address: SocketAddr,
    stream: TcpStream,
}

impl Client {
    fn new(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).expect("it accepts");
        stream.set_nodelay(true).expect("an option");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a time");
        Client { address, stream }
    }

    fn ask(&mut self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let body = body.map(Value::to_string).unwrap_or_default();
        let (address, length) = (self.address, body.len());
        let head = format!(
            "{method} /api/v1{path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        self.stream.write_all(format!("{head}{body}").as_bytes()).expect("sent");
        let (mut bytes, mut part) = (Vec::new(), [0; 16384]);
        loop {
            let count = self.stream.read(&mut part).expect("an answer");
            assert!(count > 0, "the server closed the connection");
            bytes.extend(&part[..count]);
            let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
            let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.and_then(|text| text.parse().ok()).unwrap_or(0);
            if bytes.len() >= end + 4 + length {
                let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
                return (status, serde_json::from_slice(&bytes[end + 4..]).unwrap_or(Value::Null));
            }
        }
    }
}

/// What the sessions have seen.
#[derive(Default)]
struct Seen {
    times: Vec<Duration>,
    errors: Vec<String>,
    moves: u64,
}

fn new_session(client: &mut Client) -> (u16, Value) {
    let seats = vec![json!({ "kind": "agent", "agent": "brs:eval=discs,table=1M", "budget": "time=50ms" }); 3];
    client.ask("POST", "/sessions", Some(&json!({ "game": "rolit", "players": 3, "seats": seats })))
}

/// Plays until the time is over.
fn play(address: SocketAddr, until: Instant, seen: &Mutex<Seen>) {
    let mut client = Client::new(address);
    let timed = |client: &mut Client, method: &str, path: &str, body: Option<&Value>, allowed: u16| {
        let begun = Instant::now();
        let (status, answer) = client.ask(method, path, body);
        let mut seen = seen.lock().expect("nobody panics");
        seen.times.push(begun.elapsed());
        if status != allowed {
            seen.errors.push(format!("{method} {path}: {status} {answer}"));
        }
        answer
    };
    let (status, state) = new_session(&mut client);
    assert_eq!(status, 201, "{state}");
    let id = state["id"].as_str().expect("an id").to_string();
    let mut plies = 0;
    while Instant::now() < until {
        let started = timed(&mut client, "POST", &format!("/sessions/{id}/think"), Some(&json!({ "ply": plies })), 202);
        let search = started["search"].as_str().unwrap_or_default().to_string();
        loop {
            // All sessions together stay below the requests that one address may send.
            std::thread::sleep(Duration::from_secs(1));
            let found = timed(&mut client, "GET", &format!("/searches/{search}"), None, 200);
            if found["done"] != false {
                if found["status"] != "done" {
                    seen.lock().expect("nobody panics").errors.push(found.to_string());
                }
                break;
            }
        }
        let state = timed(&mut client, "GET", &format!("/sessions/{id}"), None, 200);
        plies = state["plies"].as_u64().unwrap_or(0);
        seen.lock().expect("nobody panics").moves += 1;
        if !state["over"].is_null() {
            timed(&mut client, "POST", &format!("/sessions/{id}/undo"), Some(&json!({ "ply": 0 })), 200);
            plies = 0;
        }
    }
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1).map(|word| word.parse::<u64>().expect("a number"));
    let (seconds, sessions) = (words.next().unwrap_or(120), words.next().unwrap_or(200) as usize);
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = Options { port: 0, db: Some(folder.path().join("sessions.db")), ..Options::default() };
    options.limits.max_sessions = sessions;
    let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let server = Server::bind(Registry::standard(), &options, threads).expect("it listens");
    let (address, stopper) = (server.address(), server.stopper());
    let running = std::thread::spawn(move || server.run());
    let (until, seen) = (Instant::now() + Duration::from_secs(seconds), Mutex::new(Seen::default()));
    std::thread::scope(|scope| {
        for _ in 0..sessions {
            scope.spawn(|| play(address, until, &seen));
        }
    });
    let (status, refused) = new_session(&mut Client::new(address));
    stopper.stop();
    running.join().expect("it ends").expect("it ends well");
    let mut seen = seen.into_inner().expect("nobody panics");
    seen.times.sort();
    let at = |part: f64| seen.times[((seen.times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3;
    println!(
        "{sessions} sessions, {seconds} s, {threads} threads: {} moves, {} requests",
        seen.moves,
        seen.times.len()
    );
    println!("median {:.1} ms, p90 {:.1} ms, p99 {:.1} ms, slowest {:.1} ms", at(0.5), at(0.9), at(0.99), at(1.0));
    println!("{} errors; one session more: {status} {}", seen.errors.len(), refused["error"]["message"]);
    seen.errors.iter().take(5).for_each(|error| println!("{error}"));
    let is_good = seen.errors.is_empty() && at(0.99) < 100.0 && status == 503;
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
