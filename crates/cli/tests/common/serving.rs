//! `nply serve` as a process, and a plain client for it.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// A server that is killed with the test.
pub(crate) struct Serving {
    pub(crate) child: Child,
    pub(crate) address: String,
}

impl Serving {
    /// Starts a command that has `serve`.
    pub(crate) fn start(program: impl AsRef<OsStr>, db: &Path) -> Serving {
        let mut child = Command::new(program)
            .args(["serve", "--port", "0", "--rate", "100000", "--burst", "100000", "--db"])
            .arg(db)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("it is piped"))
            .read_line(&mut line)
            .expect("it prints its address");
        let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/'));
        let address = address.unwrap_or_else(|| panic!("no address: {line:?}")).to_string();
        Serving { child, address }
    }

    /// Status and body, or nothing if the server dies before it answers.
    pub(crate) fn ask(address: &str, method: &str, path: &str, body: &Value) -> Option<(u16, Value)> {
        let mut stream = TcpStream::connect(address).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(30))).ok()?;
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let length = body.len();
        let head = format!(
            "{method} /api/v1{path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(format!("{head}{body}").as_bytes()).ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some((status, serde_json::from_str(body).ok()?))
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        let (status, body) = Serving::ask(&self.address, "GET", path, &Value::Null).expect("an answer");
        assert_eq!(status, 200, "{body}");
        body
    }

    /// The answer to a request that must succeed.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Value {
        let (status, body) = Serving::ask(&self.address, "POST", path, body).expect("an answer");
        assert!((200..300).contains(&status), "{path}: {status}, {body}");
        body
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
