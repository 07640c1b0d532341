//! Everything that is registered works together.

use nply::numbers::Planes;
use nply::settings::{self, Domain, Setting};
use nply::{Budget, Code, Error, Rng, Spec, testing};
use nply_arena::{AgentInfo, NamedGame, Registry, Request};
use serde_json::json;

fn registry() -> Registry {
    Registry::standard()
}

/// The evaluation that needs no table, where the usual one does.
fn quick_eval(game: &NamedGame) -> Option<&'static str> {
    game.info().bench.iter().find_map(|position| position.eval)
}

/// An agent for a game, with an evaluation that needs no table.
fn quick(agent: &AgentInfo, game: &NamedGame) -> String {
    let Some(eval) = quick_eval(game) else { return agent.name.into() };
    let has = |domain: Domain| agent.settings.iter().any(|setting| setting.domain == domain);
    if has(Domain::Evaluation) {
        format!("{}:eval={eval}", agent.name)
    } else if has(Domain::Agent) {
        format!("{}:agent=(maxn:eval={eval})", agent.name)
    } else {
        agent.name.into()
    }
}

fn refusal(game: &NamedGame, request: &Request, agent: &str) -> Error {
    let mut session = game.open(request).unwrap();
    match session.agent(agent).and_then(|agent| session.seat(&agent, 1)) {
        Ok(_) => panic!("{agent} plays {game}"),
        Err(error) => error,
    }
}

#[test]
fn every_game_is_played_by_the_numbers_of_its_moves() {
    let registry = registry();
    for info in registry.games() {
        let game = registry.find(info.name).unwrap();
        for &players in info.players {
            let mut session = game.open(&Request { players: Some(players), ..Request::default() }).unwrap();
            let (layout, mut planes, mut numbers, mut rng) =
                (session.layout().unwrap(), Planes::default(), Vec::new(), Rng::new(1));
            for _ in 0..60 {
                session.draw(Some(session.turn()), &mut planes).unwrap();
                assert_eq!(planes.count(), layout.planes.len(), "{}", info.name);
                session.move_numbers(&mut numbers).unwrap();
                let moves = session.moves();
                assert_eq!(numbers.len(), moves.len(), "{}", info.name);
                if moves.is_empty() {
                    break;
                }
                let chosen = rng.below(moves.len());
                session.play_number(numbers[chosen]).unwrap();
                assert_eq!(session.played().last(), Some(&moves[chosen]), "{}", info.name);
            }
        }
    }
}

#[test]
fn a_number_that_is_no_legal_move_is_refused_with_those_that_are() {
    let mut session = registry().find("tree").unwrap().open(&Request::default()).unwrap();
    let error = session.play_number(2).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::Move, "no legal move has the number 2 here"));
    assert_eq!(error.help.as_deref(), Some("legal are 0 (1), 1 (2)"));
    session.play_number(0).unwrap();
    assert_eq!(session.play_number(0).unwrap_err().message, "no move 0: the game is over");
}

#[test]
fn every_agent_plays_every_game_or_says_why_not() {
    let registry = registry();
    for info in registry.games() {
        let game = registry.find(info.name).unwrap();
        for &players in info.players {
            // What `best` stands for may need a table, and is among the others.
            for agent in registry.agents().iter().filter(|agent| !["program", "best"].contains(&agent.name)) {
                let mut session = game.open(&Request { players: Some(players), ..Request::default() }).unwrap();
                let made = session.agent(&quick(agent, &game)).and_then(|agent| session.seat(&agent, 1));
                let seat = match made {
                    Ok(seat) => seat,
                    Err(error) => {
                        let expected = match agent.name {
                            "alphabeta" => players > 2 && error.message.contains("two players"),
                            "brs" => !info.is_out_of_turn && error.message.contains("out of turn"),
                            _ => false,
                        };
                        assert!(expected && error.help.is_some(), "{} in {}: {error}", agent.name, info.name);
                        continue;
                    }
                };
                let thought = match session.think(seat, &Budget::nodes(300), &mut |_| ()) {
                    Ok(thought) => thought,
                    Err(error) => {
                        let expected = agent.name == "greedy" && info.name == "tree";
                        assert!(expected, "{} in {}: {error}", agent.name, info.name);
                        continue;
                    }
                };
                assert!(thought.nodes <= 300, "{} in {}", agent.name, info.name);
                assert_eq!(thought.pv[0], thought.m);
                session.play(&thought.m).unwrap();
            }
        }
    }
}

#[test]
fn best_stands_for_an_agent_in_every_game_with_every_limit() {
    let registry = registry();
    let budgets = [
        Budget::default(),
        Budget::nodes(100),
        Budget::nodes(1_000_000),
        Budget::time(std::time::Duration::from_secs(2)),
        Budget::depth(3),
        Budget::playouts(50),
    ];
    for info in registry.games() {
        let hidden = info.options.iter().any(|option| option.key == "hidden");
        let names = [Some(info.name.to_string()), hidden.then(|| format!("{}:hidden=yes", info.name))];
        for name in names.into_iter().flatten() {
            let game = registry.find(&name).unwrap();
            for &players in info.players {
                for budget in &budgets {
                    let agent = game.agent_within("best", players, budget).unwrap();
                    let text = agent.to_string();
                    assert_eq!((agent.asked.as_deref(), &agent.label, &agent.budget), (Some("best"), &None, &None));
                    assert!(!text.contains("best"), "{text}");
                    if *budget != Budget::default() {
                        agent.check_budget(budget).unwrap_or_else(|error| panic!("{name} {players}: {error}"));
                    }
                    // It is the agent of that name, which does not depend on the table.
                    let plain = game.agent(&text, players).unwrap();
                    assert_eq!((plain.to_string(), plain.asked), (text.clone(), None));
                    assert_eq!(text.starts_with("worlds"), name.contains("hidden=yes"), "{name}: {text}");
                    let session = game.open(&Request { players: Some(players), ..Request::default() }).unwrap();
                    assert_eq!(session.agent_within("best", budget).unwrap().to_string(), text);
                }
            }
        }
    }
}

#[test]
fn best_passes_on_limits_and_labels_and_takes_no_other_setting() {
    let game = registry().find("rolit").unwrap();
    let named = |text: &str| game.agent(text, 3).unwrap();
    let own = named("strong=best:nodes=10k");
    assert_eq!((own.to_string(), own.label.as_deref()), ("mcts:nodes=10k".into(), Some("strong")));
    assert_eq!((own.asked.as_deref(), own.asked_text()), (Some("best:nodes=10k"), "best:nodes=10k".to_string()));
    assert_eq!(named("best:depth=3").to_string(), "brs:depth=3");
    assert_eq!(game.agent_json(&json!({ "name": "best", "nodes": 10_000 }), 3).unwrap(), named("best:nodes=10k"));
    let error = game.agent("best:score=own", 3).unwrap_err();
    assert_eq!(error.code, Code::UnknownSetting, "{error}");
    assert!(error.message.starts_with("best: "), "{error}");
    assert!(game.agent("bset", 3).unwrap_err().help.unwrap().starts_with("did you mean \"best\"?"));
    // What it stands for on a full board needs one.
    for text in ["othello:size=4", "rolit:size=6"] {
        let mut session =
            registry().find(text).unwrap().open(&Request { players: Some(2), ..Request::default() }).unwrap();
        let best = session.agent("best").unwrap();
        assert_eq!(best.to_string(), "alphabeta");
        session.seat(&best, 1).unwrap();
    }
    // Inside another agent everything is seen, so it is no vote over guesses.
    let hidden = registry().find("hearts:hidden=yes").unwrap();
    let inside = hidden.agent("worlds:n=5,agent=(best)", 3).unwrap();
    assert_eq!((inside.to_string(), inside.asked.is_some()), ("worlds:n=5".into(), true));
    let inside = hidden.agent("worlds:n=5,agent=(best),playouts=50", 3).unwrap();
    assert_eq!(inside.to_string(), "worlds:n=5,agent=mcts,playouts=50");
    let mut session = hidden.open(&Request { players: Some(3), ..Request::default() }).unwrap();
    let seat = session.seat(&inside, 1).unwrap();
    assert!(session.think(seat, &Budget::default(), &mut |_| ()).is_ok());
}

#[test]
fn out_of_turn_is_declared_where_it_is_so() {
    let registry = registry();
    for info in registry.games() {
        let game = registry.find(info.name).unwrap();
        let brs = registry.agents().iter().find(|agent| agent.name == "brs").unwrap();
        let mut session = game.open(&Request::default()).unwrap();
        let agent = session.agent(&quick(brs, &game)).unwrap();
        assert_eq!(session.seat(&agent, 1).is_ok(), info.is_out_of_turn, "{}", info.name);
    }
}

#[test]
fn settings_that_do_not_go_together_are_refused() {
    let registry = registry();
    for (game, agent, expected) in [
        ("focus", "maxn:pruning=shallow,ties=cautious", "ties=left"),
        ("focus", "maxn:pruning=shallow,ties=average", "ties=left"),
        ("focus", "maxn:pruning=shallow,score=share", "score=share has none"),
        ("focus", "maxn:killers=yes", "killers does not take \"yes\""),
        ("focus", "brs:attacker=no", "unknown setting \"attacker\""),
        ("focus", "brs+:special=pass,top=2", "one special move"),
        ("focus", "opps:width=3", "opps has no width"),
        ("focus", "soft-maxn:models=(own win)", "unknown model \"win\""),
        ("focus", "mix:calm=mcts", "mix cannot be calm as \"mcts\""),
        ("focus", "mix:calm=(opps:width=3)", "opps has no width"),
        ("focus", "mix:calm=(maxn:nodes=5k)", "nodes=5k inside mix has no effect"),
        ("focus", "opps:others=2,top=2", "draws one move"),
        ("focus", "opps:best=2,top=3", "more moves than best=2"),
        ("hearts", "brs+:special=pass", "out of turn"),
        ("hearts", "mcts:playout=brs", "out of turn"),
        ("tree", "brs", "a tree says only what the player to move can do"),
        ("focus", "worlds:agent=(nobody)", "unknown agent"),
        ("focus", "worlds:agent=(brs:nodes=5k)", "nodes=5k inside worlds has no effect"),
        ("focus", "worlds:agent=(maxn:tie=left)", "unknown setting \"tie\""),
        ("focus", "brs:eval=discs", "unknown evaluation of focus \"discs\""),
        ("chinese-checkers:board=large", "brs:eval=table", "board=small only"),
        ("rolit", "brs:null=yes", "null=yes has no effect in rolit"),
        ("hearts", "brs+:null=yes", "null=yes has no effect in hearts"),
        ("chinese-checkers", "paranoid:quiet=2", "quiet=2 has no effect in chinese-checkers"),
        ("rolit", "opps:null=yes", "null=yes has no effect in rolit"),
        ("rolit", "mix:null=yes", "null=yes has no effect in rolit"),
        ("focus", "brs:reduce=yes,threads=2", "with reduce=yes the value depends on the order of the search"),
    ] {
        let error = refusal(&registry.find(game).unwrap(), &Request::default(), agent);
        assert!(error.message.contains(expected), "{agent}: {error}");
    }
    let mut session = registry.find("four-player-chess").unwrap().open(&Request::default()).unwrap();
    for agent in ["brs:attacker=no", "paranoid:null=yes,quiet=3,reduce=yes,deeper=yes"] {
        let agent = session.agent(agent).unwrap();
        session.seat(&agent, 1).unwrap();
    }
}

#[test]
fn wrong_names_and_settings_get_errors_that_say_what_would_be_right() {
    let registry = registry();
    let game = registry.find("focus").unwrap();
    for (agent, expected) in [
        ("brss", "unknown agent \"brss\"\n  help: did you mean \"brs\"?"),
        ("maxn:tie=left", "maxn: unknown setting \"tie\"\n  help: did you mean \"ties\"?"),
        ("maxn:ties=right", "maxn: ties does not take \"right\"\n  help: it takes left|cautious|average"),
        ("brs:playouts=5", "brs does not take the limit \"playouts\"\n  help: it takes depth, nodes, time"),
        ("random:nodes=5", "random does not take the limit \"nodes\"\n  help: it takes none"),
        ("brs:depth=0", "brs: depth does not take \"0\"\n  help: it takes 1 to"),
        ("brs:nodes=many", "brs: nodes does not take \"many\""),
        ("brs:time=5", "brs: time does not take \"5\"\n  help: it takes a time such as 200ms or 1.5s"),
        ("worlds:agent=(maxn", "has a `(` without a `)` after it"),
        ("maxn:", "has a colon but no settings"),
    ] {
        let error = game.agent(agent, 4).unwrap_err().to_string();
        assert!(error.contains(expected), "{agent}: {error}");
    }
    for (game, expected) in [
        ("fokus", "unknown game \"fokus\"\n  help: did you mean \"focus\"?"),
        ("focus:rule=short", "focus: unknown setting \"rule\"\n  help: did you mean \"rules\"?"),
        ("focus:rules=long", "focus: rules does not take \"long\"\n  help: it takes short|standard"),
        ("focus:limit=(3", "has a `(` without a `)` after it"),
    ] {
        let error = registry.find(game).unwrap_err().to_string();
        assert!(error.contains(expected), "{game}: {error}");
    }
}

#[test]
fn a_table_larger_than_memory_is_refused() {
    let game = registry().find("focus").unwrap();
    let request = Request { players: Some(2), ..Request::default() };
    for agent in
        ["maxn", "soft-maxn", "prob-maxn", "paranoid", "brs", "brs+", "brs+:special=pass", "opps", "mix", "alphabeta"]
    {
        for size in ["18446744073709551615", "8000000000G"] {
            let separator = if agent.contains(':') { ',' } else { ':' };
            let error = refusal(&game, &request, &format!("{agent}{separator}table={size}"));
            assert!(error.message.ends_with("is more than the available memory"), "{error}");
        }
    }
}

/// Values of a setting: all words, and the ends of ranges.
fn values(setting: &Setting, evaluations: &[&str]) -> Vec<String> {
    let or = |word: &Option<&str>| word.map(String::from).into_iter();
    match &setting.domain {
        Domain::Words(words) => words.iter().map(ToString::to_string).collect(),
        Domain::Flag => vec!["yes".into(), "no".into()],
        Domain::Whole { min, max, or: word } => {
            [min.to_string(), (min + 1).to_string(), max.to_string()].into_iter().chain(or(word)).collect()
        }
        Domain::Number { min, max } => vec![min.to_string(), "0.25".into(), max.to_string()],
        Domain::Size { or: word } => ["1".into(), "64M".into(), "3k".into()].into_iter().chain(or(word)).collect(),
        Domain::Time => vec!["0ms".into(), "1.5ms".into(), "2m".into()],
        Domain::Evaluation => evaluations.iter().map(ToString::to_string).collect(),
        Domain::Agent => vec!["random".into(), "worlds:agent=(brs+:top=3)".into(), "mcts:c=0.2,w=0".into()],
        Domain::Path => vec!["agent.py".into(), "my agents/(a)".into()],
        Domain::List => vec!["-x".into(), "-c (print 1) () brs:n=(5)".into()],
    }
}

#[test]
fn every_agent_with_every_value_survives_text_and_json() {
    let registry = registry();
    let mut checked = 0;
    for info in registry.games() {
        let game = registry.find(info.name).unwrap();
        let names: Vec<&str> = info.evaluations.iter().map(|(name, _)| *name).collect();
        for agent in registry.agents() {
            let base = if agent.name == "program" { vec![("path".to_string(), "x".to_string())] } else { vec![] };
            for setting in agent.settings_in(info) {
                for value in values(&setting, &names) {
                    let mut pairs = base.clone();
                    pairs.retain(|(key, _)| key != setting.key);
                    if setting.key == "batch" && agent.name == "mcts" {
                        // Only leaves that are judged at once can be judged together.
                        pairs.push(("cutoff".into(), "0".into()));
                    }
                    pairs.push((setting.key.into(), value));
                    let text = Spec { name: agent.name.into(), pairs }.to_string();
                    let Ok(named) = game.agent(&text, 2) else {
                        // Some values do not go with the other defaults.
                        let refused = ["ties=cautious", "special=pass", "opps:width=", "mix:calm=", "models="];
                        assert!(refused.iter().any(|part| text.contains(part)), "{text}");
                        continue;
                    };
                    let written = named.to_string();
                    assert_eq!(game.agent(&written, 2).unwrap().to_string(), written, "{text}");
                    let json = named.to_json();
                    let read = game.agent_json(&json, 2).unwrap_or_else(|error| panic!("{text}: {json}: {error}"));
                    assert_eq!((read.to_string(), read.to_json()), (written, json), "{text}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 500, "{checked}");
}

#[test]
fn names_are_canonical_in_declared_order_without_defaults() {
    let game = registry().find("focus:limit=300,rules=standard").unwrap();
    assert_eq!(game.to_string(), "focus:rules=standard");
    for (text, canonical) in [
        ("brs:table=64M,nodes=10000,score=own", "brs:score=own,nodes=10k"),
        ("maxn:mu=1", "maxn"),
        ("worlds:agent=(paranoid:table=off,score=difference),n=20", "worlds:agent=(paranoid:table=off)"),
        ("mcts:time=1500ms,c=0.20", "mcts:time=1.5s"),
        ("mix:calm=(brs+:table=off,top=1),attack=inf,defend=30", "mix:defend=30,calm=(brs+:table=off)"),
    ] {
        assert_eq!(game.agent(text, 4).unwrap().to_string(), canonical);
    }
    let named = game.agent("brs:score=own,nodes=10k,table=off", 4).unwrap();
    assert_eq!(named.to_json(), json!({ "name": "brs", "score": "own", "table": "off", "nodes": 10_000 }));
    let nested = json!({ "name": "worlds", "n": 5, "agent": { "name": "maxn", "ties": "cautious", "table": null } });
    assert_eq!(game.agent_json(&nested, 4).unwrap().to_string(), "worlds:n=5,agent=(maxn:ties=cautious)");
}

#[test]
fn a_schema_describes_every_setting() {
    let registry = registry();
    let game = registry.find("four-player-chess").unwrap();
    let brs = registry.agents().iter().find(|agent| agent.name == "brs").unwrap();
    let schema = brs.schema(game.info());
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["properties"]["score"]["enum"], json!(["difference", "own"]));
    assert_eq!(schema["properties"]["score"]["default"], "difference");
    assert_eq!(schema["properties"]["attacker"]["type"], "boolean");
    assert_eq!(schema["properties"]["eval"]["enum"], json!(["material", "material-only"]));
    assert_eq!(schema["properties"]["nodes"]["type"], "integer");
    let rules = &registry.find("focus").unwrap().info().schema()["properties"]["rules"];
    assert_eq!(rules["enum"], json!(["short", "standard"]));
}

/// Every name with each of its settings.
fn all_settings(name: &str, settings: &[Setting]) -> Vec<String> {
    let with = |setting: &Setting| match (&setting.value, &setting.domain) {
        (_, Domain::Words(words)) => format!("{name}:{}={}", setting.key, words.last().unwrap()),
        (None, _) => name.into(),
        (Some(value), _) => Spec { name: name.into(), pairs: vec![(setting.key.into(), value.clone())] }.to_string(),
    };
    settings.iter().map(with).chain([name.to_string()]).collect()
}

#[test]
fn no_text_makes_the_reader_of_games_fail() {
    let registry = registry();
    let samples: Vec<String> = registry.games().flat_map(|game| all_settings(game.name, &game.options)).collect();
    let mut read = 0;
    testing::mangle(&samples, 1_000_000, |text| match registry.find(text) {
        Ok(game) => {
            read += 1;
            assert_eq!(registry.find(&game.to_string()), Ok(game), "{text:?}");
        }
        Err(error) => testing::check_error(&error.message, text),
    });
    assert!(read > 10_000, "{read}");
}

#[test]
fn no_text_makes_the_maker_of_agents_fail() {
    let registry = registry();
    let mut samples: Vec<String> =
        registry.agents().iter().flat_map(|agent| all_settings(agent.name, &agent.settings)).collect();
    samples.push("worlds:n=5,agent=(brs+:special=own,top=3,nodes=5k)".into());
    samples.push("mcts:playout=brs,policy=paranoid,c=0.5,time=1s".into());
    let game = registry.find("focus").unwrap();
    let mut session = game.open(&Request::default()).unwrap();
    let mut made = 0;
    testing::mangle(&samples, 1_000_000, |text| {
        match session.agent(text).and_then(|agent| session.seat(&agent, 1)) {
            // Agents stay as long as their session.
            Ok(999) => session = game.open(&Request::default()).unwrap(),
            Ok(_) => made += 1,
            Err(error) => testing::check_error(&error.message, text),
        }
    });
    assert!(made > 10_000, "{made}");
}

#[test]
fn hidden_cards_do_not_change_what_an_agent_plays() {
    // Two deals that player 1 cannot tell apart.
    let deals = ["1:AK.Q.2.3 QJ.3.4.5 T9.5.6.7 8.76.9.2", "1:AK.Q.2.3 8.76.9.2 QJ.3.4.5 T9.5.6.7"];
    let game = registry().find("hearts:hidden=yes").unwrap();
    for agent in ["paranoid", "maxn", "mcts", "ismcts", "worlds:n=5,agent=(paranoid)", "greedy"] {
        let choose = |deal: &str| {
            let mut session = game.open(&Request { position: Some(deal.into()), ..Request::default() }).unwrap();
            let agent = session.agent(agent).unwrap();
            let seat = session.seat(&agent, 1).unwrap();
            session.think(seat, &Budget::nodes(2000), &mut |_| ()).unwrap().m
        };
        assert_eq!(choose(deals[0]), choose(deals[1]), "{agent}");
    }
}

#[test]
fn a_budget_is_text_both_ways() {
    for (text, canonical) in [("time=1500ms,nodes=2000000,depth=3", "depth=3,nodes=2M,time=1.5s"), ("", "")] {
        let mut budget = Budget::default();
        settings::read(&mut budget, text).unwrap();
        assert_eq!(budget.to_string(), canonical);
        assert_eq!(canonical.parse::<Budget>().unwrap(), budget);
    }
}
