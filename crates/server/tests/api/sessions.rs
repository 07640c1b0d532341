use serde_json::{Value, json};

use crate::client::{id, people, serve};

#[test]
fn a_move_sent_twice_is_played_once_and_another_one_conflicts() {
    let server = serve();
    let state = server.session(json!({ "game": "rolit", "seats": people(4), "players": 4 }));
    let path = format!("/sessions/{}/moves", id(&state));
    let (first, second) = (&state["moves"][0]["text"], &state["moves"][1]["text"]);
    let body = json!({ "move": first, "ply": 0 });
    let after = server.post(&path, &body).expect(200);
    assert_eq!(server.post(&path, &body).expect(200), after, "the same request again");
    assert_eq!(server.post(&path, &json!({ "move": second, "ply": 0 })).error(409), "ply");
    assert_eq!(server.post(&path, &json!({ "move": first, "ply": 2 })).error(409), "ply");
    assert_eq!(server.post(&path, &json!({ "move": "zz", "ply": 1 })).error(422), "move");
    let next = server.play_first(&after);
    assert_eq!(next["plies"], 2);
    assert_eq!(server.post(&path, &body).expect(200)["plies"], 2, "the first move is still what was played");
}

#[test]
fn two_windows_cannot_both_move() {
    let server = serve();
    let state = server.session(json!({ "game": "rolit", "seats": people(4) , "players": 4 }));
    let path = format!("/sessions/{}/moves", id(&state));
    let moves: Vec<Value> = state["moves"].as_array().unwrap().iter().map(|choice| choice["text"].clone()).collect();
    let answers = std::thread::scope(|scope| {
        let send = |m: &Value| server.post(&path, &json!({ "move": m, "ply": 0 })).status;
        let threads: Vec<_> = moves.iter().map(|m| scope.spawn(move || send(m))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<u16>>()
    });
    assert_eq!(answers.iter().filter(|&&status| status == 200).count(), 1, "{answers:?}");
    assert!(answers.iter().all(|status| [200, 409].contains(status)), "{answers:?}");
}

#[test]
fn undo_goes_back_to_any_ply() {
    let server = serve();
    let start = server.session(json!({ "game": "othello", "seats": people(2) }));
    let mut states = vec![start.clone()];
    for _ in 0..5 {
        states.push(server.play_first(states.last().unwrap()));
    }
    let path = format!("/sessions/{}/undo", id(&start));
    for ply in [3, 3, 0] {
        let state = server.post(&path, &json!({ "ply": ply })).expect(200);
        assert_eq!(state["text"], states[ply]["text"]);
        assert_eq!(state["history"].as_array().unwrap().len(), ply);
    }
    assert_eq!(server.post(&path, &json!({ "ply": 1 })).error(409), "ply");
}

#[test]
fn an_earlier_ply_looks_as_it_did() {
    let server = serve();
    let start = server.session(json!({ "game": "focus", "seats": people(4), "players": 4 }));
    let second = server.play_first(&server.play_first(&start));
    let seen = server.get(&format!("/sessions/{}?ply=0", id(&start))).expect(200);
    assert_eq!((&seen["text"], &seen["moves"], &seen["turn"]), (&start["text"], &start["moves"], &start["turn"]));
    assert_eq!((&seen["ply"], &seen["plies"], &seen["history"]), (&json!(0), &json!(2), &second["history"]));
    assert_eq!(server.get(&format!("/sessions/{}?ply=3", id(&start))).error(422), "ply");
}

#[test]
fn whoever_resigns_has_no_share() {
    let server = serve();
    let mut seats = people(3);
    seats[2] = json!({ "kind": "agent", "agent": "random" });
    let state = server.session(json!({ "game": "rolit", "players": 3, "seats": seats }));
    let path = format!("/sessions/{}/resign", id(&state));
    assert_eq!(server.post(&path, &json!({ "player": 2 })).error(409), "agent");
    assert_eq!(server.post(&path, &json!({ "player": 3 })).error(422), "player");
    let over = server.post(&path, &json!({ "player": 1 })).expect(200);
    assert_eq!(over["over"], json!({ "payoff": [0.5, 0.0, 0.5], "reason": "resigned", "player": 1 }));
    assert_eq!(server.post(&path, &json!({ "player": 1 })).expect(200), over, "once more changes nothing");
    assert_eq!(server.post(&path, &json!({ "player": 0 })).error(409), "over");
    // To take it back is to go back to where one was.
    let back = server.post(&format!("/sessions/{}/undo", id(&state)), &json!({ "ply": 0 })).expect(200);
    assert_eq!(back["over"], Value::Null);
}

#[test]
fn a_seat_can_be_taken_over() {
    let server = serve();
    let state = server.session(json!({ "game": "othello", "seats": people(2) }));
    let take =
        |seat: usize, body: Value| server.send("PUT", &format!("/sessions/{}/seats/{seat}", id(&state)), Some(&body));
    let think = || server.post(&format!("/sessions/{}/think", id(&state)), &json!({ "ply": 0 }));
    assert_eq!(think().error(409), "human");
    let taken = take(0, json!({ "kind": "agent", "agent": "greedy:eval=discs" })).expect(200);
    assert_eq!(taken["seats"][0]["agent"], "greedy:eval=discs");
    let body = json!({ "move": state["moves"][0]["text"], "ply": 0 });
    assert_eq!(server.post(&format!("/sessions/{}/moves", id(&state)), &body).error(409), "agent");
    let after = server.think(&taken);
    assert_eq!(after["history"][0]["thought"]["agent"], "greedy:eval=discs");
    take(0, json!({ "kind": "human" })).expect(200);
    assert_eq!(take(0, json!({ "kind": "agent", "agent": "nobody" })).error(422), "unknown-name");
    assert_eq!(take(2, json!({ "kind": "human" })).error(404), "not-found");
}

#[test]
fn sessions_survive_a_restart() {
    let server = serve();
    let mut seats = people(2);
    seats[1] = json!({ "kind": "agent", "agent": "brs:eval=discs", "budget": "nodes=500" });
    let state = server.session(json!({ "game": "othello", "seats": seats, "moves": ["d3"] }));
    let state = server.play_first(&server.think(&state));
    let other =
        server.session(json!({ "game": "hearts", "options": { "hidden": true }, "players": 3, "seats": people(3) }));
    server.post(&format!("/sessions/{}/resign", id(&other)), &json!({ "player": 0 })).expect(200);
    let show = |server: &crate::client::Served| {
        [&state, &other].map(|state| server.get(&format!("/sessions/{}", id(state))).expect(200))
    };
    let (before, list) = (show(&server), server.get("/sessions").expect(200));
    assert_eq!(before[0]["plies"], 3);
    let server = server.restart();
    assert_eq!((show(&server), server.get("/sessions").expect(200)), (before, list));
    server.think(&state);
}

#[test]
fn a_deleted_session_is_gone() {
    let server = serve();
    let state = server.session(json!({ "game": "tree", "seats": people(3) }));
    let path = format!("/sessions/{}", id(&state));
    assert_eq!(server.get("/sessions").expect(200).as_array().unwrap().len(), 1);
    server.send("DELETE", &path, None).expect(204);
    assert_eq!(server.get(&path).error(404), "not-found");
    assert_eq!(server.send("DELETE", &path, None).error(404), "not-found");
    assert_eq!(server.get("/sessions").expect(200), json!([]));
}

#[test]
fn a_session_has_a_seat_for_each_player() {
    let server = serve();
    let make = |body: Value| server.post("/sessions", &body).error(422);
    assert_eq!(make(json!({ "game": "othello", "seats": people(3) })), "seats");
    assert_eq!(make(json!({ "game": "othello", "players": 3, "seats": people(3) })), "refused");
    assert_eq!(make(json!({ "game": "othello", "seats": people(2), "moves": ["d3", "d3"] })), "move");
    assert_eq!(make(json!({ "game": "othello", "seats": people(2), "color": 1 })), "bad-value");
    let stopped = json!({ "kind": "agent", "agent": "brs", "budget": "playouts=5" });
    assert_eq!(make(json!({ "game": "othello", "seats": [stopped, { "kind": "human" }] })), "usage");
}
