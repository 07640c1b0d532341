use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{id, people, serve, serve_with};

fn analysis(agents: Value) -> Value {
    json!({ "game": "rolit", "players": 3, "moves": ["f4"], "agents": agents })
}

fn searches(started: &Value) -> Vec<String> {
    started["searches"].as_array().unwrap().iter().map(|search| search.as_str().unwrap().into()).collect()
}

#[test]
fn agents_analyze_side_by_side() {
    let server = serve();
    let agents = json!([
        { "agent": "maxn:eval=discs", "budget": "depth=3" },
        { "agent": "mcts", "budget": "playouts=200" },
        { "agent": "random" },
    ]);
    let started = server.post("/analyses", &analysis(agents)).expect(202);
    let found: Vec<Value> = searches(&started).iter().map(|search| server.wait(search)).collect();
    assert_eq!(
        found.iter().map(|found| found["agent"].as_str().unwrap()).collect::<Vec<_>>(),
        ["maxn:eval=discs", "mcts:memory=256M", "random"],
        "with the memory it got"
    );
    for found in &found {
        assert_eq!((&found["status"], &found["done"]), (&json!("done"), &json!(true)), "{found}");
        assert!(found["move"].is_string(), "{found}");
    }
    assert_eq!((&found[0]["depth"], found[0]["scores"].as_array().unwrap().len()), (&json!(3), 3));
    assert!(found[0]["pv"].as_array().unwrap().len() >= 3, "{}", found[0]);
    assert_eq!(server.get(&format!("/searches/{}", searches(&started)[0])).expect(200), found[0], "it stays known");
}

#[test]
fn progress_is_a_stream_of_events_that_ends_with_the_search() {
    let server = serve();
    let started = server
        .post("/analyses", &analysis(json!([{ "agent": "maxn:eval=discs", "budget": "time=400ms" }])))
        .expect(202);
    let events = server.events(&format!("/searches/{}/events", searches(&started)[0]), |_, _| false);
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    let (last, before) = names.split_last().unwrap();
    assert_eq!(*last, "done");
    assert!(before.len() >= 2 && before.iter().all(|name| *name == "thought"), "{names:?}");
    let depths: Vec<u64> = events.iter().map(|(_, found)| found["depth"].as_u64().unwrap()).collect();
    assert!(depths.is_sorted() && depths.last() > depths.first(), "{depths:?}");
    // Whoever comes late gets the end at once.
    let late = server.events(&format!("/searches/{}/events", searches(&started)[0]), |_, _| false);
    assert_eq!(late, [events.last().unwrap().clone()]);
}

#[test]
fn a_cancelled_analysis_keeps_what_it_found() {
    let server = serve();
    let started =
        server.post("/analyses", &analysis(json!([{ "agent": "maxn:eval=discs", "budget": "time=25s" }]))).expect(202);
    let search = &searches(&started)[0];
    server.events(&format!("/searches/{search}/events"), |_, found| found["depth"].as_u64() >= Some(3));
    let begun = Instant::now();
    let found = server.send("DELETE", &format!("/searches/{search}"), None).expect(200);
    assert!(begun.elapsed() < Duration::from_secs(3));
    let found = if found["done"] == true { found } else { server.wait(search) };
    assert_eq!(found["status"], "cancelled");
    assert!(
        found["depth"].as_u64() >= Some(3) && found["move"].is_string() && found["nodes"].as_u64() > Some(0),
        "{found}"
    );
    assert_eq!(server.get(&format!("/searches/{search}")).expect(200), found);
    assert_eq!(server.get("/searches/nothing").error(404), "not-found");
}

#[test]
fn a_cancelled_agent_does_not_move() {
    let server = serve();
    let seats = json!([{ "kind": "agent", "agent": "brs:eval=discs", "budget": "time=20s" }, { "kind": "human" }]);
    let state = server.session(json!({ "game": "othello", "seats": seats }));
    let think = || server.post(&format!("/sessions/{}/think", id(&state)), &json!({ "ply": 0 })).expect(202);
    let search = think()["search"].as_str().unwrap().to_string();
    assert_eq!(think()["search"], search.as_str(), "it thinks once");
    assert_eq!(server.get(&format!("/sessions/{}", id(&state))).expect(200)["search"], search.as_str());
    server.send("DELETE", &format!("/searches/{search}"), None).expect(200);
    assert_eq!(server.wait(&search)["status"], "cancelled");
    assert_eq!(server.get(&format!("/sessions/{}", id(&state))).expect(200)["plies"], 0);
    // So does one whose seat is taken over, or whose session is deleted.
    let search = think()["search"].as_str().unwrap().to_string();
    server.send("PUT", &format!("/sessions/{}/seats/0", id(&state)), Some(&json!({ "kind": "human" }))).expect(200);
    assert_eq!(server.wait(&search)["status"], "cancelled");
    server.play_first(&state);
}

#[test]
fn a_hint_changes_nothing_that_others_play() {
    let server = serve();
    let moves = |hints: bool| {
        let mut seats = people(3);
        seats[1] = json!({ "kind": "agent", "agent": "mcts", "budget": "playouts=50" });
        seats[2] = json!({ "kind": "agent", "agent": "random" });
        let mut state = server.session(
            json!({ "game": "hearts", "options": { "hidden": true }, "players": 3, "seats": seats, "seed": 9 }),
        );
        for _ in 0..9 {
            if hints {
                let body = json!({ "ply": state["plies"], "agent": "mcts", "budget": "playouts=20" });
                if state["turn"] == 0 {
                    let hint = server.post(&format!("/sessions/{}/hint", id(&state)), &body).expect(202);
                    let found = server.wait(hint["search"].as_str().unwrap());
                    let legal = state["moves"].as_array().unwrap().iter().any(|choice| choice["text"] == found["move"]);
                    assert!(legal, "{found}");
                }
            }
            state = if state["turn"] == 0 { server.play_first(&state) } else { server.think(&state) };
        }
        state["history"].as_array().unwrap().iter().map(|played| played["move"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(moves(true), moves(false));
}

#[test]
fn a_search_that_cannot_be_done_reports_why() {
    let server = serve();
    let started = server.post("/analyses", &json!({ "game": "tree", "agents": [{ "agent": "greedy" }] })).expect(202);
    let found = server.wait(&searches(&started)[0]);
    assert_eq!((&found["status"], &found["error"]["code"]), (&json!("failed"), &json!("refused")), "{found}");
    let refused = |body: Value| server.post("/analyses", &body).error(422);
    assert_eq!(refused(analysis(json!([]))), "agents");
    assert_eq!(refused(analysis(json!([{ "agent": "brss" }]))), "unknown-name");
    assert_eq!(refused(analysis(json!([{ "agent": "brs", "budget": "time=x" }]))), "bad-value");
    let over = json!({ "game": "tree", "moves": ["1", "1"], "agents": [{ "agent": "random" }] });
    let error = server.post("/analyses", &over);
    assert!([409, 422].contains(&error.status), "{error:?}");
}

#[test]
fn a_server_that_stops_ends_searches_and_streams() {
    let mut server = serve_with(|options| options.limits.max_time = Duration::from_secs(600));
    let seats = json!([{ "kind": "agent", "agent": "brs:eval=discs", "budget": "time=300s" }, { "kind": "human" }]);
    let state = server.session(json!({ "game": "othello", "seats": seats }));
    let think = server.post(&format!("/sessions/{}/think", id(&state)), &json!({ "ply": 0 })).expect(202);
    let path = format!("/searches/{}/events", think["search"].as_str().unwrap());
    let address = server.address;
    let stream = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        write!(stream, "GET /api/v1{path} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text);
        text
    });
    std::thread::sleep(Duration::from_millis(300));
    let took = server.stop();
    assert!(took < Duration::from_secs(8), "{took:?}");
    assert!(stream.join().unwrap().contains("event: thought"));
}

#[test]
fn a_tree_is_what_the_search_visits() {
    let server = serve();
    let tree = |agent: &str| json!({ "game": "tree", "position": "(1 5,4,1 (2 4,6,0 0,5,5)) sum=10", "agent": agent });
    let shown = server.post("/trees", &tree("maxn:pruning=shallow,mu=0")).expect(200);
    let nodes = shown["nodes"].as_array().unwrap();
    // The root, its two children, and the first leaf below the second; the last leaf is cut off.
    assert_eq!(nodes.len(), 4, "{shown}");
    assert_eq!(nodes[0]["vector"], json!([5, 4, 1]));
    let reasons: Vec<&Value> = nodes.iter().map(|node| &node["cut"]["reason"]).filter(|cut| !cut.is_null()).collect();
    assert_eq!(reasons, [&json!("shallow")]);
    assert!(shown["svg"].as_str().unwrap().starts_with("<svg"), "{shown}");
    assert!(shown["tikz"].as_str().unwrap().contains("tikzpicture"), "{shown}");
    assert_eq!((&shown["thought"]["move"], &shown["complete"]), (&json!("1"), &json!(true)));
    // A real game, too, and playouts.
    let rolit = json!({ "game": "rolit", "agent": "mcts", "playouts": 5 });
    let shown = server.post("/trees", &rolit).expect(200);
    assert_eq!(shown["nodes"][0]["visits"], 5, "{shown}");
    assert_eq!(server.post("/trees", &tree("random")).error(422), "refused");
    assert_eq!(
        server.post("/trees", &json!({ "game": "rolit", "agent": "maxn", "depth": 21 })).error(422),
        "bad-value"
    );
}
