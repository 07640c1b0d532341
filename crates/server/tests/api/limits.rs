//! Each limit has an answer of its own.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{id, people, serve_with};

#[test]
fn a_body_has_a_largest_size() {
    let server = serve_with(|options| options.limits.max_body = 1000);
    let body = json!({ "game": "x".repeat(2000), "seats": [] });
    assert_eq!(server.post("/sessions", &body).error(413), "too-large");
    // A body whose length is not announced is cut off as well.
    let chunk = "x".repeat(2000);
    let head = format!(
        "POST /api/v1/sessions HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
        server.address
    );
    assert_eq!(
        server.raw(format!("{head}{:x}\r\n{chunk}\r\n0\r\n\r\n", chunk.len()).as_bytes()).error(413),
        "too-large"
    );
}

#[test]
fn sessions_are_counted() {
    let server = serve_with(|options| options.limits.max_sessions = 3);
    let body = json!({ "game": "tree", "seats": people(3) });
    let states: Vec<Value> = (0..3).map(|_| server.session(body.clone())).collect();
    let refused = server.post("/sessions", &body);
    assert_eq!(refused.error(503), "sessions");
    assert!(refused.header("retry-after").is_some());
    assert!(refused.json()["error"]["help"].as_str().unwrap().contains("--max-sessions"));
    server.send("DELETE", &format!("/sessions/{}", id(&states[1])), None).expect(204);
    server.session(body);
}

#[test]
fn plies_are_counted() {
    let server = serve_with(|options| options.limits.max_plies = 2);
    let body = |moves: &[&str]| json!({ "game": "othello", "seats": people(2), "moves": moves });
    assert_eq!(server.post("/sessions", &body(&["d3", "c3", "c4"])).error(422), "limit");
    let state = server.session(body(&["d3", "c3"]));
    let more = json!({ "move": state["moves"][0]["text"], "ply": 2 });
    assert_eq!(server.post(&format!("/sessions/{}/moves", id(&state)), &more).error(422), "limit");
}

#[test]
fn time_is_cut_to_what_is_allowed() {
    let server = serve_with(|options| options.limits.max_time = Duration::from_millis(100));
    for budget in [json!("time=1h"), json!("nodes=100G"), Value::Null] {
        let agents = json!([{ "agent": "maxn:eval=discs", "budget": budget }]);
        let started = server.post("/analyses", &json!({ "game": "rolit", "agents": agents })).expect(202);
        let found = server.wait(started["searches"][0].as_str().unwrap());
        assert!(found["time_ms"].as_f64().unwrap() < 3000.0, "{found}");
    }
}

#[test]
fn memory_and_threads_of_an_agent_are_limited() {
    let server = serve_with(|options| options.limits.max_memory = 1 << 20);
    let ask = |agent: &str| {
        let agents = json!([{ "agent": agent, "budget": "nodes=100" }]);
        server.post("/analyses", &json!({ "game": "rolit", "agents": agents }))
    };
    for agent in ["mcts:memory=2M", "brs:table=64M", "worlds:agent=(mcts:memory=1G)", "mcts:threads=3"] {
        assert_eq!(ask(agent).error(422), "limit", "{agent}");
    }
    for (agent, limited) in [
        ("mcts", "mcts:memory=1M"),
        ("brs:eval=discs", "brs:table=1M,eval=discs"),
        ("brs:table=off,eval=discs", "brs:table=off,eval=discs"),
        ("mcts:threads=2,memory=512k", "mcts:memory=512k,threads=2"),
    ] {
        let started = ask(agent).expect(202);
        let found = server.wait(started["searches"][0].as_str().unwrap());
        assert_eq!(found["agent"], limited);
    }
}

#[test]
fn searches_that_wait_are_counted() {
    let server = serve_with(|options| {
        (options.limits.max_waiting, options.limits.max_waiting_each) = (5, 3);
        options.limits.max_time = Duration::from_secs(20);
    });
    let long = json!({ "agent": "maxn:eval=discs", "budget": "time=20s" });
    let ask = |count: usize| server.post("/analyses", &json!({ "game": "rolit", "agents": vec![long.clone(); count] }));
    // Two run, three wait.
    ask(2).expect(202);
    std::thread::sleep(Duration::from_millis(200));
    ask(3).expect(202);
    let refused = ask(1);
    assert_eq!(refused.error(429), "waiting");
    assert!(refused.header("retry-after").is_some());
    // Sessions have turns of their own, until nobody may wait any more.
    let answers: Vec<u16> = (0..3)
        .map(|_| {
            let seats = vec![json!({ "kind": "agent", "agent": "brs:eval=discs", "budget": "time=10s" }); 2];
            let state = server.session(json!({ "game": "othello", "seats": seats }));
            server.post(&format!("/sessions/{}/think", id(&state)), &json!({ "ply": 0 })).status
        })
        .collect();
    assert_eq!(answers, [202, 202, 503]);
}

#[test]
fn a_session_is_served_before_the_tenth_analysis_of_one_address() {
    let server = serve_with(|options| options.limits.max_time = Duration::from_secs(20));
    let long = json!({ "agent": "maxn:eval=discs", "budget": "time=400ms" });
    for _ in 0..2 {
        server.post("/analyses", &json!({ "game": "rolit", "agents": vec![long.clone(); 8] })).expect(202);
    }
    let seats = vec![json!({ "kind": "agent", "agent": "random" }); 2];
    let state = server.session(json!({ "game": "othello", "seats": seats }));
    let begun = std::time::Instant::now();
    server.think(&state);
    // Two threads take 3.2 seconds for all analyses; a fair queue lets the session in after one round.
    assert!(begun.elapsed() < Duration::from_millis(2400), "{:?}", begun.elapsed());
}

#[test]
fn requests_of_an_address_are_counted() {
    let server = serve_with(|options| (options.limits.rate, options.limits.burst) = (1, 5));
    let answers: Vec<u16> = (0..8).map(|_| server.get("/games").status).collect();
    assert_eq!(answers[..5], [200; 5]);
    assert!(answers[5..].contains(&429), "{answers:?}");
    let refused = std::iter::repeat_with(|| server.get("/games")).find(|answer| answer.status == 429).unwrap();
    assert_eq!(refused.error(429), "rate");
    assert_eq!(refused.header("retry-after"), Some("1"));
}

#[test]
fn finished_searches_are_forgotten_in_time() {
    let server = serve_with(|options| options.limits.max_finished = 2);
    let searches: Vec<String> = (0..4)
        .map(|_| {
            let body = json!({ "game": "tree", "agents": [{ "agent": "random" }] });
            let started = server.post("/analyses", &body).expect(202);
            let search = started["searches"][0].as_str().unwrap().to_string();
            server.wait(&search);
            search
        })
        .collect();
    let known = |search: &String| server.get(&format!("/searches/{search}")).status;
    assert_eq!(searches.iter().map(known).collect::<Vec<u16>>(), [404, 404, 200, 200]);
}

#[test]
fn connections_are_counted() {
    let server = serve_with(|options| options.limits.max_connections = 2);
    let idle: Vec<_> = (0..2).map(|_| std::net::TcpStream::connect(server.address).unwrap()).collect();
    let waiting = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| server.get("/games").status);
        std::thread::sleep(Duration::from_millis(300));
        assert!(!waiting.is_finished(), "there is room for two");
        drop(idle);
        waiting.join().unwrap()
    });
    assert_eq!(waiting, 200);
}
