use serde_json::json;

use crate::client::{people, serve, serve_with};

fn request(method: &str, path: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}").into()
}

#[test]
fn requests_that_name_another_host_are_refused() {
    let server = serve();
    let port = server.address.port();
    let ask = |host: &str| server.raw(&request("GET", "/api/v1/games", &format!("Host: {host}\r\n"), ""));
    ask(&format!("localhost:{port}")).expect(200);
    ask(&format!("127.0.0.1:{port}")).expect(200);
    for host in
        ["evil.example".to_string(), format!("evil.example:{port}"), "localhost".into(), format!("192.168.0.1:{port}")]
    {
        assert_eq!(ask(&host).error(403), "host", "{host}");
    }
    assert_eq!(server.raw(&request("GET", "/", "Host: evil.example\r\n", "")).error(403), "host", "the page as well");
}

#[test]
fn pages_of_other_sites_cannot_drive_the_server() {
    let server = serve();
    let host = format!("Host: {}\r\n", server.address);
    let body = json!({ "game": "tree", "seats": people(3) }).to_string();
    let from = |headers: &str| {
        let headers = format!("{host}Content-Type: application/json\r\n{headers}");
        server.raw(&request("POST", "/api/v1/sessions", &headers, &body))
    };
    from(&format!("Origin: http://{}\r\n", server.address)).expect(201);
    for origin in ["http://evil.example", "null", "http://localhost:1", "https://127.0.0.1"] {
        assert_eq!(from(&format!("Origin: {origin}\r\n")).error(403), "origin", "{origin}");
    }
    assert_eq!(from("Sec-Fetch-Site: cross-site\r\n").error(403), "origin");
    // What a form can send without asking first is no JSON.
    let headers = format!("{host}Content-Type: text/plain\r\n");
    assert_eq!(server.raw(&request("POST", "/api/v1/sessions", &headers, &body)).error(415), "media-type");
    assert_eq!(server.get("/sessions").expect(200).as_array().unwrap().len(), 1);
    let asked =
        server.raw(&request("OPTIONS", "/api/v1/sessions", &format!("{host}Origin: http://evil.example\r\n"), ""));
    assert_eq!(asked.header("access-control-allow-origin"), None);
}

#[test]
fn a_name_can_be_allowed() {
    let server = serve_with(|options| options.host.push("games.example".into()));
    let ask = |host: &str| server.raw(&request("GET", "/api/v1/games", &format!("Host: {host}\r\n"), "")).status;
    assert_eq!((ask("games.example"), ask("games.example:443"), ask("other.example")), (200, 200, 403));
}

#[test]
fn every_answer_has_the_headers_that_protect_the_page() {
    let server = serve();
    for (path, status) in [("/", 200), ("/games", 200), ("/nothing", 404), ("/sessions/x", 404)] {
        let answer = server.get(path);
        assert_eq!(answer.status, status);
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{path}: {name}");
        }
    }
    assert_eq!(server.get("/games").header("cache-control"), Some("no-store"));
    assert_eq!(server.get("/").header("cache-control"), Some("no-cache"));
    assert!(server.get("/").header("content-type").unwrap().starts_with("text/html"));
}

#[test]
fn programs_and_files_are_refused_unless_allowed() {
    let refused = |allow: bool| {
        let server = serve_with(|options| options.allow_programs = allow);
        let agents = ["program:path=/bin/true", "worlds:agent=(program:path=/bin/true)"];
        agents.map(|agent| {
            let body = json!({ "game": "tree", "agents": [{ "agent": agent, "budget": "time=100ms" }] });
            let answer = server.post("/analyses", &body);
            let seats = json!([{ "kind": "agent", "agent": agent }, { "kind": "human" }, { "kind": "human" }]);
            let seated = server.post("/sessions", &json!({ "game": "tree", "seats": seats }));
            let tournament = server.post("/tournaments", &json!({ "game": "tree", "agents": [agent], "games": 1 }));
            [answer, seated, tournament].map(|answer| answer.status == 422 && answer.error(422) == "not-allowed")
        })
    };
    assert_eq!(refused(false), [[true; 3]; 2]);
    assert_eq!(refused(true), [[false; 3]; 2]);
}

#[test]
fn the_page_is_compressed_for_those_who_can_read_it() {
    let server = serve();
    let headers = format!("Host: {}\r\nAccept-Encoding: br, gzip\r\n", server.address);
    let answer = server.raw(&request("GET", "/", &headers, ""));
    let plain = server.get("/");
    assert!(plain.text().contains("<!doctype html>") && plain.header("content-encoding").is_none());
    if answer.header("content-encoding") == Some("gzip") {
        assert!(answer.body.len() < plain.body.len() && answer.body.starts_with(&[0x1f, 0x8b]));
    } else {
        assert_eq!(answer.body, plain.body, "too short to compress");
    }
    for path in ["/../Cargo.toml", "/%2e%2e/Cargo.toml", "//etc/passwd", "/assets/nothing.js"] {
        assert_eq!(server.raw(&request("GET", path, &headers, "")).status, 404, "{path}");
    }
}
