use nply_arena::Registry;
use serde_json::{Value, json};

use crate::client::{id, people, serve};

/// Options under which games of random moves end soon.
fn short(name: &str) -> Value {
    match name {
        "focus" | "chinese-checkers" => json!({ "limit": 40 }),
        _ => json!({}),
    }
}

#[test]
fn every_game_is_played_to_its_end_by_a_person_and_agents() {
    let server = serve();
    for info in Registry::standard().games() {
        let mut seats = vec![json!({ "kind": "agent", "agent": "random" }); info.usual_players];
        seats[0] = json!({ "kind": "human", "name": "Ada" });
        let mut state =
            server.session(json!({ "game": info.name, "options": short(info.name), "seats": seats, "seed": 5 }));
        let mut plies = 0;
        while state["over"].is_null() {
            assert_eq!(state["plies"], plies, "{}", info.name);
            state = if state["turn"] == 0 { server.play_first(&state) } else { server.think(&state) };
            plies += 1;
        }
        assert_eq!(state["over"]["reason"], "played");
        let payoff: f64 = state["over"]["payoff"].as_array().unwrap().iter().map(|share| share.as_f64().unwrap()).sum();
        assert!((payoff - 1.0).abs() < 1e-3, "{}: {state}", info.name);
        assert_eq!((&state["turn"], &state["moves"]), (&Value::Null, &json!([])), "{}", info.name);
        // What the server says was played leads to the same end without it.
        let moves: Vec<&str> =
            state["history"].as_array().unwrap().iter().map(|played| played["move"].as_str().unwrap()).collect();
        let text = moves.join("%20");
        let path = format!(
            "/position?game={}&options={}&seed=5&moves={text}",
            info.name,
            short(info.name).to_string().replace('"', "%22")
        );
        let same = server.get(&path).expect(200);
        assert_eq!((&same["text"], &same["over"]), (&state["text"], &state["over"]), "{}", info.name);
        let error = server.post(&format!("/sessions/{}/moves", id(&state)), &json!({ "move": "x", "ply": plies }));
        assert_eq!(error.error(409), "over");
    }
}

#[test]
fn games_and_agents_are_listed_with_their_schemas() {
    let server = serve();
    let games = server.get("/games").expect(200);
    let names: Vec<&str> = games.as_array().unwrap().iter().map(|game| game["name"].as_str().unwrap()).collect();
    let declared = Registry::standard();
    assert_eq!(names, declared.games().map(|info| info.name).collect::<Vec<&str>>());
    let hidden =
        |name: &str| games.as_array().unwrap().iter().find(|game| game["name"] == name).unwrap()["hidden"] == true;
    assert!(hidden("hearts") && hidden("spades") && !hidden("focus") && !hidden("tree"));
    for name in names {
        let found = server.get(&format!("/games/{name}/agents")).expect(200);
        let levels: Vec<&str> =
            found["levels"].as_array().unwrap().iter().map(|level| level["name"].as_str().unwrap()).collect();
        assert_eq!(levels, ["easy", "medium", "hard", "strongest"]);
        let agents = found["agents"].as_array().unwrap();
        assert!(agents.iter().all(|agent| agent["schema"]["type"] == "object"), "{name}");
        assert!(agents.iter().all(|agent| agent["name"] != "program"), "what is refused is not offered");
    }
    assert_eq!(server.get("/games/nothing/agents").error(404), "not-found");
    assert_eq!(server.get("/games/focus/agents?players=7").error(422), "refused");
}

#[test]
fn a_position_needs_no_session() {
    let server = serve();
    let state = server.get("/position?game=rolit&players=3&moves=f4%20c5&ply=1").expect(200);
    assert_eq!((&state["ply"], &state["plies"], &state["id"]), (&json!(1), &json!(2), &Value::Null));
    assert_eq!(state["turn"], 1);
    assert!(state["moves"].as_array().unwrap().len() > 1);
    assert_eq!(server.get("/position?game=rolit&moves=a1").error(422), "move");
    assert_eq!(server.get("/position?game=rolit&position=x").error(422), "position");
    assert_eq!(server.get("/position?game=nothing").error(422), "unknown-name");
    assert_eq!(server.get("/position").error(400), "query");
    assert_eq!(server.get("/position?game=focus&options=%7B%22limit%22:0%7D").error(422), "bad-value");
    assert_eq!(server.get("/sessions").expect(200), json!([]), "no session was made");
}

#[test]
fn levels_can_be_played() {
    let server = serve();
    let seats = json!([{ "kind": "level", "level": "easy" }, { "kind": "level", "level": "medium" }]);
    let state = server.session(json!({ "game": "connect-four", "players": 2, "seats": seats }));
    assert_eq!(state["seats"][1]["level"], "medium");
    let state = server.think(&server.think(&state));
    assert_eq!(state["plies"], 2);
    assert!(state["history"][1]["thought"]["nodes"].as_u64().unwrap() > 100, "{state}");
    // The strongest is `best`, which a seat keeps as what it stands for.
    let seats =
        json!([{ "kind": "level", "level": "strongest" }, { "kind": "agent", "agent": "best", "budget": "nodes=9" }]);
    let state = server.session(json!({ "game": "connect-four", "players": 2, "seats": seats }));
    assert_eq!((&state["seats"][0]["agent"], &state["seats"][1]["agent"]), (&json!("alphabeta"), &json!("alphabeta")));
    let wrong = json!({ "game": "connect-four", "players": 2, "seats": [{ "kind": "level", "level": "hardest" }, people(1)[0]] });
    assert_eq!(server.post("/sessions", &wrong).error(422), "unknown-name");
}
