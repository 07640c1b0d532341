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

/// The deal of a seed, and others in which players 3 and 4 have exchanged a card each.
fn deals(game: &str) -> Vec<String> {
    let game = nply_arena::Registry::standard().find(&format!("{game}:hidden=yes")).expect("a game");
    let session = game.open(&nply_arena::Request { players: Some(4), seed: 3, ..Default::default() }).expect("a deal");
    let text = session.position();
    let (leader, hands) = text.split_once(':').expect("a leader");
    let hands: Vec<Vec<String>> = hands.split(' ').map(|hand| hand.split('.').map(String::from).collect()).collect();
    let swap = |(from, to): (usize, usize)| {
        let mut other = hands.clone();
        let (mine, theirs) = (other[2][from].pop().expect("a card"), other[3][to].pop().expect("a card"));
        other[2][to].push(theirs);
        other[3][from].push(mine);
        for suit in other.iter_mut().flatten() {
            let mut ranks: Vec<char> = suit.chars().collect();
            ranks.sort_by_key(|rank| "AKQJT98765432".find(*rank));
            *suit = ranks.into_iter().collect();
        }
        let hands: Vec<String> = other.iter().map(|hand| hand.join(".")).collect();
        format!("{leader}:{}", hands.join(" "))
    };
    let others = [(0, 1), (1, 0), (2, 3)].map(swap);
    std::iter::once(text.clone()).chain(others).collect()
}

/// Everything that differs from one run to the next for other reasons than cards.
fn untimed(mut answer: Value) -> Value {
    for key in ["id", "search"] {
        if answer[key].is_string() {
            answer[key] = json!("some");
        }
    }
    answer
}

#[test]
fn nothing_that_a_player_is_shown_depends_on_hidden_cards() {
    let server = serve();
    let mut hidden = 0;
    for game in ["hearts", "spades"] {
        for (agent, budget) in [
            ("greedy", "nodes=100"),
            ("paranoid", "nodes=500"),
            ("mcts", "playouts=30"),
            ("ismcts", "playouts=30"),
            ("worlds:n=3,agent=(maxn)", "nodes=300"),
        ] {
            let seat = json!({ "kind": "agent", "agent": agent, "budget": budget });
            let seats = json!([{ "kind": "human" }, seat, seat, seat]);
            let play = |position: &String| {
                let body = json!({ "game": game, "options": { "hidden": true }, "players": 4, "seats": seats, "position": position, "seed": 3 });
                let mut state = server.session(body);
                let mut shown = vec![(String::new(), vec![untimed(state.clone())])];
                while state["over"].is_null() && shown.len() < 8 {
                    let mut answers = Vec::new();
                    let path = format!("/sessions/{}", id(&state));
                    if state["turn"] == 0 {
                        let hint = json!({ "ply": state["plies"], "agent": agent, "budget": budget });
                        let hint = server.post(&format!("{path}/hint"), &hint).expect(202);
                        let mut found = server.wait(hint["search"].as_str().unwrap());
                        found["time_ms"] = Value::Null;
                        answers.push(untimed(found));
                        state = server.play_first(&state);
                    } else {
                        let started =
                            server.post(&format!("{path}/think"), &json!({ "ply": state["plies"] })).expect(202);
                        let search = format!("/searches/{}", started["search"].as_str().unwrap());
                        let events = server.events(&format!("{search}/events"), |_, _| false);
                        // How many come depends on when the reader does; all of them show the same.
                        let blank = |(_, found): &(String, Value)| {
                            let mut found = untimed(found.clone());
                            (found["status"], found["done"]) = (Value::Null, Value::Null);
                            found
                        };
                        let last = blank(events.last().unwrap());
                        assert!(events.iter().all(|event| blank(event) == last), "{events:?}");
                        answers.push(last);
                        answers.push(untimed(server.get(&search).expect(200)));
                        state = server.get(&path).expect(200);
                    }
                    answers.push(untimed(state.clone()));
                    let m = state["history"].as_array().unwrap().last().unwrap()["move"].as_str().unwrap().to_string();
                    shown.push((m, answers));
                }
                shown
            };
            let shown: Vec<Vec<(String, Vec<Value>)>> = deals(game).iter().map(play).collect();
            for other in &shown[1..] {
                // Until somebody plays another card.
                let same = shown[0].iter().zip(other).take_while(|(first, other)| first.0 == other.0);
                for (ply, (first, other)) in same.enumerate() {
                    assert_eq!(first.1, other.1, "{game} {agent} after {ply} plies");
                    let player =
                        first.1.last().unwrap()["history"].as_array().unwrap().last().map(|last| &last["player"]);
                    hidden += usize::from(player == Some(&json!(2)) || player == Some(&json!(3)));
                }
            }
        }
    }
    assert!(hidden >= 10, "only {hidden} moves of players with other cards were the same");
}
