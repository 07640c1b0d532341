//! The trees of searches, for every game, as text, JSON and pictures.

use nply::Budget;
use nply::settings::Domain;
use nply_arena::{Explanation, Registry, Request};

fn explain(game: &str, position: &str, agent: &str) -> Explanation {
    let request = Request { position: Some(position.into()), ..Request::default() };
    let mut session = Registry::standard().find(game).unwrap().open(&request).unwrap();
    let agent = session.agent(agent).unwrap();
    session.explain(&agent, 1, &Budget { depth: Some(9), playouts: Some(20), ..Budget::default() }, 2000).unwrap()
}

/// Figure 6 of Sturtevant 2003.
fn figure() -> Explanation {
    explain("tree:sum=10", "(1 5,4,1 (2 3,3,4 (3 4,4,2 1,1,8) 6,4,0))", "maxn:pruning=speculative,mu=0")
}

#[test]
fn every_agent_shows_its_tree_in_every_game_or_says_which_agents_do() {
    let registry = Registry::standard();
    let names: Vec<&str> = registry.agents().iter().filter(|info| info.rule.is_some()).map(|info| info.name).collect();
    let searching =
        ["alphabeta", "maxn", "soft-maxn", "prob-maxn", "paranoid", "brs", "brs+", "opps", "mix", "ubfm", "mcts"];
    assert_eq!(names, searching);
    for info in registry.games() {
        let game = registry.find(info.name).unwrap();
        let eval = info.bench.iter().find_map(|position| position.eval);
        // `best` shows the tree of what it stands for.
        for agent in registry.agents().iter().filter(|agent| agent.name != "best") {
            let mut session = game.open(&Request::default()).unwrap();
            let has_eval = agent.settings.iter().any(|setting| setting.domain == Domain::Evaluation);
            let text = match eval.filter(|_| has_eval) {
                Some(eval) => format!("{}:eval={eval}", agent.name),
                None => agent.name.to_string(),
            };
            // Such as alpha-beta for more than two, or a program without a path.
            let Ok(named) = session.agent(&text) else { continue };
            let budget = Budget { depth: Some(2), playouts: Some(30), ..Budget::default() };
            let Some(rule) = agent.rule else {
                let error = session.explain(&named, 1, &budget, 2000).unwrap_err();
                assert_eq!(error.help, Some(format!("these do: {}", searching.join(", "))));
                continue;
            };
            assert!(rule.ends_with('.') && rule.len() > 40, "{rule}");
            // Such as Best-Reply Search where players move in turn.
            let Ok(seat) = session.seat(&named, 1) else { continue };
            let mut iterations = vec![0];
            // Hidden cards are dealt anew for each question.
            let hides = session.view() != session.view();
            let thought = session.think(seat, &budget, &mut |thought| iterations.push(thought.nodes));
            let Ok(thought) = thought else { continue };
            let shown = session.explain(&named, 1, &budget, 100).unwrap();
            assert_eq!(shown.players, session.player_count());
            if !hides {
                let cost = |thought: &nply_arena::Thought| {
                    (thought.m.clone(), thought.value, thought.nodes, thought.pv.clone())
                };
                assert_eq!(cost(&shown.thought), cost(&thought), "{named} {}", info.name);
                if let [.., before, last] = iterations[..] {
                    let has_depth = !["ubfm", "mcts"].contains(&agent.name);
                    assert!(!has_depth || shown.recording.visited == last - before, "{named} {}", info.name);
                }
            }
            let json = shown.to_json(true);
            assert_eq!(json["nodes"].as_array().unwrap().len(), shown.recording.nodes.len());
            assert_eq!(shown.recording.is_truncated, shown.note().is_some());
            assert!(json["svg"].as_str().unwrap().ends_with("</svg>\n"));
            assert!(shown.to_text().lines().count() >= shown.recording.nodes.len());
        }
    }
}

#[test]
fn a_tree_as_json_has_the_shape_that_the_page_reads() {
    let json = figure().to_json(false);
    assert_eq!((json["players"].as_u64(), json["truncated"].as_bool()), (Some(3), Some(false)));
    assert_eq!(json["thought"]["move"], "2");
    let node = &json["nodes"][4];
    assert_eq!(
        *node,
        serde_json::json!({
            "id": 4, "parent": 2, "move": "2", "by": 1, "player": 2, "kind": "own", "depth": 1, "value": null,
            "value_is": null, "vector": null, "dead": 0, "alpha": null, "beta": null, "bounds": [5, 3, 2],
            "cut": {
                "reason": "speculative",
                "detail": "to become the value of node 0, a value must give player 1 more than 5 (node 0), player 2 more than 3 \
                           (node 2), player 3 more than 2 (node 4): together more than 10, and all can have at most 10",
                "skipped": ["2"],
            },
            "chosen": false, "again": null, "visits": null, "rate": null, "terms": null, "proven": null,
        })
    );
    assert_eq!(
        (&json["nodes"][7]["again"], &json["nodes"][9]["vector"]),
        (&serde_json::json!(4), &serde_json::json!([1, 1, 8]))
    );
    let json = explain("tree", "(1 (2 1,0,0 0,1,0) (2 0,0,1 (3 1,0,0)))", "mcts:solver=off").to_json(false);
    assert_eq!(json["nodes"][0]["visits"], 20);
    let terms = &json["nodes"][1]["terms"];
    assert!(["rate", "exploration", "history"].iter().all(|name| terms[name].is_number()), "{terms}");
}

#[test]
fn pictures_and_text_are_as_they_were() {
    let shown = figure();
    for (name, drawn) in [("figure.svg", shown.to_svg()), ("figure.tex", shown.to_tikz())] {
        let path = format!("{}/tests/explain/{name}", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("NPLY_BLESS").is_some() {
            std::fs::write(&path, &drawn).unwrap();
        }
        assert!(std::fs::read_to_string(&path).unwrap() == drawn, "{name}: NPLY_BLESS=1 writes it");
    }
    let text = shown.to_text();
    let start: Vec<&str> = text.lines().take(5).collect();
    assert_eq!(
        start,
        [
            "#0    1: (6, 4, 0)",
            "#1      1  (5, 4, 1)",
            "#2      2*  2: (6, 4, 0)",
            "#3        1  (3, 3, 4)",
            "#4        2  3: not #0's value"
        ]
    );
    assert_eq!(text.lines().count(), 11);
}
