//! `nply serve` as a process: its address, its end, and what survives when it is killed.
#![cfg(all(feature = "serve", unix))]

mod common;
#[path = "common/serving.rs"]
mod serving;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::{NPLY, command, failure};
use serde_json::{Value, json};
use serving::Serving;

fn new_session(server: &Serving) -> String {
    let seats = json!([{ "kind": "human" }, { "kind": "human" }]);
    let state = server.post("/sessions", &json!({ "game": "focus", "players": 2, "seats": seats }));
    state["id"].as_str().expect("an id").into()
}

fn send(server: &Serving, name: &str) {
    let sent = std::process::Command::new("kill").arg(name).arg(server.child.id().to_string()).status();
    assert!(sent.expect("kill").success());
}

#[test]
fn a_server_killed_during_play_loses_no_acknowledged_move() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("sessions.db");
    let mut server = Serving::start(NPLY, &db);
    let session = new_session(&server);
    let mut acknowledged: Vec<String> = Vec::new();
    let mut played = 0;
    for round in 0..20 {
        let killed = AtomicBool::new(false);
        let address = server.address.clone();
        std::thread::scope(|scope| {
            let play = scope.spawn(|| {
                let path = format!("/sessions/{session}");
                while let Some((200, state)) = Serving::ask(&address, "GET", &path, &Value::Null) {
                    let Some(m) = state["moves"][0]["text"].as_str() else {
                        // The game is over: play it again from the start.
                        Serving::ask(&address, "POST", &format!("{path}/undo"), &json!({ "ply": 0 }));
                        acknowledged.clear();
                        continue;
                    };
                    let body = json!({ "move": m, "ply": state["plies"] });
                    let Some((200, after)) = Serving::ask(&address, "POST", &format!("{path}/moves"), &body) else {
                        break;
                    };
                    let history = after["history"].as_array().expect("a history");
                    acknowledged =
                        history.iter().map(|played| played["move"].as_str().expect("a move").into()).collect();
                    played += 1;
                }
                assert!(killed.load(Ordering::Relaxed), "it only stops answering when it is killed");
            });
            // At another moment each time.
            std::thread::sleep(Duration::from_millis(40 + 17 * round));
            killed.store(true, Ordering::Relaxed);
            send(&server, "-KILL");
            play.join().expect("a player does not fail");
        });
        server.child.wait().expect("it is dead");
        server = Serving::start(NPLY, &db);
        let state = server.get(&format!("/sessions/{session}"));
        let kept: Vec<&str> = state["history"]
            .as_array()
            .expect("a history")
            .iter()
            .map(|played| played["move"].as_str().expect("a move"))
            .collect();
        // A last move may have been kept whose answer never arrived.
        assert!(kept.len() >= acknowledged.len(), "round {round}: {} of {}", kept.len(), acknowledged.len());
        assert!(kept.iter().zip(&acknowledged).all(|(kept, acknowledged)| kept == acknowledged), "round {round}");
        acknowledged = kept.into_iter().map(String::from).collect();
    }
    assert!(played > 0, "no move was acknowledged");
}

#[test]
fn signals_end_a_server_well_while_it_searches() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        // Under `nohup` the server ignores it, too.
        if signal == "-HUP" && nply_arena::ignores_hangup() {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let mut server = Serving::start(NPLY, &folder.path().join("sessions.db"));
        let agents = json!([{ "agent": "maxn", "budget": "time=30s" }]);
        let analysis = json!({ "game": "focus", "agents": agents });
        let (status, _) = Serving::ask(&server.address, "POST", "/analyses", &analysis).expect("an answer");
        assert_eq!(status, 202);
        std::thread::sleep(Duration::from_millis(200));
        let begun = Instant::now();
        send(&server, signal);
        assert_eq!(server.child.wait().expect("it ends").code(), Some(0), "{signal}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{signal}: {:?}", begun.elapsed());
    }
}

#[test]
fn a_port_or_file_in_use_is_reported_with_help() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("sessions.db");
    let server = Serving::start(NPLY, &db);
    let (_, port) = server.address.split_once(':').expect("a port");
    let other = folder.path().join("other.db");
    let (status, message) = failure(&["serve", "--port", port, "--db", other.to_str().expect("a path")]);
    assert_eq!(status, 1);
    assert!(message.contains("cannot listen on") && message.contains("--port 0"), "{message}");
    let (_, message) = failure(&["serve", "--port", "0", "--db", db.to_str().expect("a path")]);
    assert!(message.contains("another server uses") && message.contains("--db"), "{message}");
}

#[test]
fn other_addresses_than_loopback_are_warned_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("sessions.db");
    let mut command = command(&["serve", "--port", "0", "--listen", "0.0.0.0", "--db"]);
    let mut child = command.arg(&db).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut warning = String::new();
    BufReader::new(child.stderr.as_mut().expect("it is piped")).read_line(&mut warning).expect("a line");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert!(warning.starts_with("warning: everybody who reaches"), "{warning}");
}

#[test]
fn the_page_on_serving_lists_every_option_with_its_default() {
    let help = common::stdout(&["serve", "--help"]);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/serve.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let mut options = 0;
    for line in help.lines().map(str::trim).filter(|line| line.starts_with("--")) {
        let option = line.split([' ', ',']).next().expect("an option");
        if ["--json", "--quiet", "--threads", "--help"].contains(&option) {
            continue;
        }
        assert!(page.contains(&format!("| `{option}")), "{option} is not in docs/serve.md");
        options += 1;
    }
    assert!(options >= 20, "{options}");
    for default in
        help.split("[default: ").skip(1).filter_map(|rest| rest.split(']').next()).filter(|text| !text.contains(' '))
    {
        assert!(page.contains(&format!("| {default} |")), "the default {default} is not in docs/serve.md");
    }
}
