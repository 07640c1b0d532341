use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Served, serve, serve_with};

fn setup(games: u64, budget: &str) -> Value {
    json!({ "game": "rolit", "players": 3, "agents": ["greedy:eval=discs", "random"], "games": games, "budget": budget })
}

fn start(server: &Served, setup: &Value) -> String {
    server.post("/tournaments", setup).expect(202)["id"].as_str().unwrap().into()
}

#[test]
fn a_tournament_has_a_live_table_intervals_plots_and_games() {
    let server = serve();
    let id = start(&server, &setup(12, "nodes=50"));
    let events = server.events(&format!("/tournaments/{id}/events"), |_, _| false);
    let (name, last) = events.last().unwrap();
    assert_eq!((name.as_str(), &last["status"], &last["played"]), ("done", &json!("done"), &json!(12)));
    let whole = server.get(&format!("/tournaments/{id}")).expect(200);
    let agents = whole["report"]["agents"].as_array().unwrap();
    assert_eq!(agents.len(), 2);
    for agent in agents {
        let (rate, ends) = (agent["rate"].as_f64().unwrap(), agent["interval"].as_array().unwrap());
        assert!(ends[0].as_f64().unwrap() <= rate && rate <= ends[1].as_f64().unwrap(), "{agent}");
    }
    assert_eq!(whole["plots"][0]["name"], "rates");
    assert!(whole["plots"][0]["svg"].as_str().unwrap().starts_with("<svg"));
    assert_eq!(whole["games"].as_array().unwrap().len(), 12);
    // A game can be replayed in the analyzer.
    let game = server.get(&format!("/tournaments/{id}/games/7")).expect(200);
    let moves: Vec<&str> = game["moves"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
    let shown = server.get(&format!("/position?game=rolit&players=3&moves={}", moves.join("%20"))).expect(200);
    assert_eq!(shown["over"]["payoff"], whole["games"][7]["payoff"]);
    assert_eq!(server.get(&format!("/tournaments/{id}/games/12")).error(404), "not-found");
    assert_eq!(server.get("/tournaments").expect(200)[0]["id"], id.as_str());
    server.send("DELETE", &format!("/tournaments/{id}"), None).expect(204);
    assert_eq!(server.get(&format!("/tournaments/{id}")).error(404), "not-found");
}

#[test]
fn a_tournament_is_stopped_and_resumed_also_by_another_server() {
    let server = serve();
    // So slow that it cannot end before it is stopped.
    let mut slow = setup(1200, "nodes=5k");
    slow["agents"] = json!(["brs:eval=discs", "paranoid:eval=discs"]);
    let id = start(&server, &slow);
    server.events(&format!("/tournaments/{id}/events"), |_, table| table["played"].as_u64() >= Some(3));
    assert_eq!(server.send("DELETE", &format!("/tournaments/{id}"), None).error(409), "running");
    server.send("POST", &format!("/tournaments/{id}/stop"), None).expect(200);
    let status = |server: &Served| server.get(&format!("/tournaments/{id}")).expect(200)["status"].clone();
    let until = Instant::now() + Duration::from_secs(20);
    while status(&server) != "stopped" {
        assert!(Instant::now() < until, "it goes on: {}", status(&server));
        std::thread::sleep(Duration::from_millis(50));
    }
    let server = server.restart();
    let before = server.get(&format!("/tournaments/{id}")).expect(200);
    assert_eq!(before["status"], "stopped");
    let played = before["played"].as_u64().unwrap();
    assert!((3..1200).contains(&played), "{played}");
    server.send("POST", &format!("/tournaments/{id}/resume"), None).expect(200);
    let events =
        server.events(&format!("/tournaments/{id}/events"), |_, table| table["played"].as_u64() > Some(played + 2));
    assert!(events.iter().any(|(_, table)| table["played"].as_u64() > Some(played)), "{events:?}");
}

#[test]
fn tournaments_are_limited() {
    let server = serve_with(|options| {
        (options.limits.max_games, options.limits.max_tournaments) = (12, 2);
        options.limits.max_move_time = Duration::from_millis(20);
        options.limits.max_tournament_time = Duration::from_millis(600);
    });
    let refused = |setup: &Value| server.post("/tournaments", setup).error(422);
    assert_eq!(refused(&setup(13, "nodes=50")), "games");
    assert_eq!(refused(&setup(0, "nodes=50")), "games");
    let mut wrong = setup(6, "nodes=50");
    wrong["agents"] = json!([]);
    assert_eq!(refused(&wrong), "agents");
    wrong["agents"] = json!(["brs:eval=discs", "brss"]);
    assert_eq!(refused(&wrong), "unknown-name");
    let mut slow = setup(12, "time=1h");
    slow["agents"] = json!(["brs:eval=discs", "paranoid:eval=discs"]);
    let id = start(&server, &slow);
    let events = server.events(&format!("/tournaments/{id}/events"), |_, _| false);
    let (_, last) = events.last().unwrap();
    assert_eq!((&last["status"], &last["report"]["budget"]), (&json!("stopped"), &json!("time=20ms")), "{last}");
    start(&server, &setup(6, "nodes=50"));
    assert_eq!(server.post("/tournaments", &setup(6, "nodes=50")).error(503), "tournaments");
}

#[test]
fn results_are_shown_from_a_folder_that_was_named_at_the_start() {
    let closed = serve();
    assert_eq!(closed.get("/results").error(404), "not-found");
    let kept = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    let folder = tempfile::tempdir().unwrap();
    let file = "brs-plus-2013-6.db.gz";
    std::fs::copy(kept.join(file), folder.path().join(file)).unwrap();
    std::fs::write(folder.path().join("secret.txt"), "x").unwrap();
    std::fs::write(folder.path().join("damaged.db.gz"), "x").unwrap();
    let row = folder.path().join("row.db");
    nply_arena::Store::extract(&kept.join(file), &row).unwrap();
    let damage = "UPDATE games SET depth = 'deep' WHERE experiment = (SELECT min(id) FROM experiments) AND number = 2";
    assert_eq!(rusqlite::Connection::open(&row).unwrap().execute(damage, []).unwrap(), 1);
    let server = serve_with(|options| options.results = Some(folder.path().into()));
    let list = server.get("/results").expect(200);
    let names: Vec<&str> = list.as_array().unwrap().iter().map(|entry| entry["file"].as_str().unwrap()).collect();
    assert_eq!(names, [file, "damaged.db.gz", "row.db"]);
    assert_eq!(list[0]["experiment"], "brs-plus-2013-6");
    let results = server.get(&format!("/results/{file}")).expect(200);
    let first = &results["matches"][0];
    assert!(first["report"]["games"].as_u64().unwrap() > 0);
    let cell = &first["cells"][0];
    assert!(
        cell["paper"]["value"].is_number() && cell["here"]["value"].is_number() && cell["verdict"].is_string(),
        "{cell}"
    );
    let name = first["name"].as_str().unwrap().replace('/', "%2F");
    let number = &first["games"][0]["game"];
    let game = server.get(&format!("/results/{file}/game?match={name}&game={number}")).expect(200);
    assert_eq!(game["moves"].as_array().unwrap().len() as u64, first["games"][0]["plies"].as_u64().unwrap());
    for path in ["/results/secret.txt", "/results/..%2F..%2Fetc%2Fpasswd", "/results/nothing.db"] {
        assert_eq!(server.get(path).error(404), "not-found", "{path}");
    }
    assert_eq!(server.get("/results/damaged.db.gz").error(422), "file");
    let damaged = server.get("/results/row.db");
    assert_eq!(damaged.error(422), "file");
    let message = damaged.expect(422)["error"]["message"].to_string();
    assert!(message.contains("in game 2 of match") && message.contains("depths does not fit: "), "{message}");
}

#[test]
fn schedule_clock_and_adjudication_are_those_of_the_command() {
    let server = serve();
    let with = |more: Value| {
        let mut setup = setup(6, "nodes=50");
        setup.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        setup
    };
    let played = |more: Value| -> Vec<Value> {
        let id = start(&server, &with(more));
        let events = server.events(&format!("/tournaments/{id}/events"), |_, _| false);
        assert_eq!(events.last().unwrap().1["status"], "done", "{events:?}");
        server.get(&format!("/tournaments/{id}")).expect(200)["games"].as_array().unwrap().clone()
    };
    let kinds = |game: &Value| {
        let seats = game["seats"].as_array().unwrap();
        seats.iter().map(|agent| agent.as_str().unwrap().to_string()).collect::<std::collections::BTreeSet<String>>()
    };
    let three = json!(["a=random", "b=random", "c=random"]);
    let together = played(json!({ "agents": three }));
    assert!(together.iter().all(|game| kinds(game).len() == 3), "{together:?}");
    let pairs = played(json!({ "agents": three, "schedule": "pairs", "games": 18 }));
    assert!(pairs.len() == 18 && pairs.iter().all(|game| kinds(game).len() == 2), "{pairs:?}");
    let four = json!(["a=random", "b=random", "c=random", "d=random"]);
    let gauntlet = played(json!({ "agents": four, "schedule": "gauntlet", "games": 18 }));
    assert!(gauntlet.len() == 18 && gauntlet.iter().all(|game| kinds(game).contains("a")), "{gauntlet:?}");
    let adjudicated = played(json!({ "adjudicate": "plies=9", "clock": "60s+0.5s" }));
    assert!(adjudicated.iter().all(|game| game["plies"] == 9), "{adjudicated:?}");
    // A clock is limit enough for an agent that needs one.
    let mut searching = with(json!({ "agents": ["brs:eval=discs", "random"], "budget": "", "clock": "60s" }));
    server.post("/tournaments", &searching).expect(202);
    searching["clock"] = Value::Null;
    server.post("/tournaments", &searching).error(422);
    // What is wrong is said at once, with the setting's name.
    for (key, text) in [("clock", "soon"), ("adjudicate", "plies=0"), ("adjudicate", "")] {
        let answer = server.post("/tournaments", &with(json!({ key: text })));
        let message = answer.expect(422)["error"]["message"].as_str().unwrap().to_string();
        assert!(message.starts_with(&format!("{key}: ")), "{message}");
    }
    assert_eq!(
        server.post("/tournaments", &with(json!({ "schedule": "pairs", "agents": ["random"] }))).error(422),
        "usage"
    );
    server.post("/tournaments", &with(json!({ "schedule": "swiss" }))).error(422);
}

#[test]
fn the_form_of_a_tournament_is_described_with_its_schedules() {
    let document = serve().get("/openapi.json").expect(200);
    let fields = &document["components"]["schemas"]["Setup"]["properties"];
    assert_eq!(fields["schedule"]["enum"], json!(["all", "gauntlet", "pairs"]));
    for key in ["schedule", "clock", "adjudicate"] {
        assert!(fields[key]["description"].as_str().is_some_and(|about| about.len() > 20), "{key}: {}", fields[key]);
    }
}
