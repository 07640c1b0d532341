//! What is hidden stays hidden while the game lasts.

use serde_json::{Value, json};

use crate::client::{Served, id, people, serve};

fn hearts(server: &Served, seats: Value) -> Value {
    server.session(json!({ "game": "hearts", "options": { "hidden": true }, "players": 3, "seats": seats, "seed": 3 }))
}

/// One person against two agents.
fn alone() -> Value {
    let mut seats = people(3);
    seats[1] = json!({ "kind": "agent", "agent": "worlds:n=2,agent=(paranoid)", "budget": "nodes=200" });
    seats[2] = json!({ "kind": "agent", "agent": "worlds:n=2,agent=(paranoid)", "budget": "nodes=200" });
    seats
}

#[test]
fn a_person_sees_only_their_own_cards() {
    let server = serve();
    let state = hearts(&server, alone());
    assert_eq!((&state["hidden"], &state["viewers"]), (&json!(true), &json!([0])));
    assert_eq!((&state["seed"], &state["text"]), (&Value::Null, &Value::Null), "both would show all cards");
    assert_eq!(state["picture"].as_str().unwrap().matches("17 cards").count(), 2, "{}", state["picture"]);
    let look = |viewers: &str| server.get(&format!("/sessions/{}?viewers={viewers}", id(&state)));
    assert_eq!(look("1").error(422), "viewers");
    assert_eq!(look("0,2").error(422), "viewers");
    assert_eq!(look("x").error(422), "viewers");
    let nobody = look("").expect(200);
    assert_eq!((nobody["picture"].as_str().unwrap().matches("17 cards").count(), &nobody["moves"]), (3, &json!([])));
}

#[test]
fn moves_and_thoughts_of_others_are_not_shown() {
    let server = serve();
    let mut state = hearts(&server, alone());
    for _ in 0..12 {
        if state["turn"] == 0 {
            assert!(!state["moves"].as_array().unwrap().is_empty());
            state = server.play_first(&state);
            continue;
        }
        assert_eq!(state["moves"], json!([]), "the moves of a hand show the hand");
        let path = format!("/sessions/{}", id(&state));
        assert_eq!(server.post(&format!("{path}/hint"), &json!({ "ply": state["plies"] })).error(409), "agent");
        let started = server.post(&format!("{path}/think"), &json!({ "ply": state["plies"] })).expect(202);
        let events = server.events(&format!("/searches/{}/events", started["search"].as_str().unwrap()), |_, _| false);
        for (_, found) in &events {
            assert!(found["move"].is_null() && found["value"].is_null() && found["scores"].is_null(), "{found}");
            assert_eq!(found["pv"], json!([]));
        }
        state = server.get(&path).expect(200);
        assert!(state["history"].as_array().unwrap().iter().all(|played| played["thought"].is_null()));
    }
    // An illegal move does not list the legal ones.
    while state["turn"] != 0 {
        state = server.think(&state);
    }
    let answer =
        server.post(&format!("/sessions/{}/moves", id(&state)), &json!({ "move": "XX", "ply": state["plies"] }));
    assert_eq!(answer.json()["error"]["message"], "no legal move \"XX\" here");
}

#[test]
fn people_who_share_a_screen_look_one_at_a_time() {
    let server = serve();
    let state = hearts(&server, people(3));
    assert_eq!((&state["viewers"], &state["moves"]), (&json!([]), &json!([])), "nobody, until somebody looks");
    let seen = server.get(&format!("/sessions/{}?viewers=0", id(&state))).expect(200);
    assert_eq!(seen["picture"].as_str().unwrap().matches("17 cards").count(), 2);
    let turn = state["turn"].as_u64().unwrap();
    let own = server.get(&format!("/sessions/{}?viewers={turn}", id(&state))).expect(200);
    let body = json!({ "move": own["moves"][0]["text"], "ply": 0, "viewers": [turn] });
    let after = server.post(&format!("/sessions/{}/moves", id(&state)), &body).expect(200);
    assert_eq!((&after["viewers"], &after["plies"]), (&json!([turn]), &json!(1)));
}

#[test]
fn everything_is_shown_when_the_game_is_over() {
    let server = serve();
    let mut state = hearts(&server, alone());
    for _ in 0..4 {
        state = if state["turn"] == 0 { server.play_first(&state) } else { server.think(&state) };
    }
    let over = server.post(&format!("/sessions/{}/resign", id(&state)), &json!({ "player": 0 })).expect(200);
    assert_eq!((&over["seed"], &over["viewers"]), (&json!(3), &json!([0, 1, 2])));
    assert!(over["text"].is_string());
    let shown = |played: &Value| played["player"] == 0 || played["thought"]["move"].is_string();
    assert!(over["history"].as_array().unwrap().iter().all(shown), "{over}");
}

#[test]
fn who_only_watches_agents_may_see_all() {
    let server = serve();
    let state = hearts(&server, json!(vec![json!({ "kind": "agent", "agent": "random" }); 3]));
    assert_eq!(state["viewers"], json!([]));
    let seen = server.get(&format!("/sessions/{}?viewers=0,1,2", id(&state))).expect(200);
    assert!(seen["text"].is_string() && !seen["moves"].as_array().unwrap().is_empty());
}
