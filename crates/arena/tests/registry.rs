//! Everything that is registered works together.

use std::sync::Arc;

use nply::{Budget, testing};
use nply_arena::{GameRecord, Kind, Match, NamedGame, OptionInfo, Request, Spec, agents, infos};

/// An agent for a game, with the evaluation that needs no table in Chinese Checkers.
fn spec(agent: &str, game: &str) -> Spec {
    match (agent, game) {
        ("worlds", "chinese-checkers") => Spec::parse("worlds:n=3,agent=(maxn:eval=distance)").unwrap(),
        ("random", "chinese-checkers") => Spec::parse(agent).unwrap(),
        (_, "chinese-checkers") => Spec::parse(&format!("{agent}:eval=distance")).unwrap(),
        _ => Spec::parse(agent).unwrap(),
    }
}

fn named(game: &str) -> NamedGame {
    NamedGame::new(&Spec::parse(game).unwrap()).unwrap()
}

#[test]
fn every_agent_plays_every_game_or_says_why_not() {
    for game in infos() {
        for &players in game.players {
            for agent in agents().iter().filter(|agent| agent.name != "program") {
                let mut session =
                    named(game.name).open(&Request { players: Some(players), ..Request::default() }).unwrap();
                let seat = match session.seat(&spec(agent.name, game.name), 1) {
                    Ok(seat) => seat,
                    Err(error) => {
                        let (name, message) = (agent.name, error.message);
                        let expected = match name {
                            "alphabeta" => players > 2 && message.contains("is for two players"),
                            "brs" => !game.is_out_of_turn && message.contains("out of turn"),
                            _ => false,
                        };
                        assert!(expected, "{name} in {}: {message}", game.name);
                        assert!(error.help.is_some(), "{name} in {}", game.name);
                        continue;
                    }
                };
                let budget = Budget { nodes: Some(300), ..Budget::default() };
                let thought = match session.think(seat, &budget, &mut |_| ()) {
                    Ok(thought) => thought,
                    Err(error) => {
                        assert!(
                            agent.name == "greedy" && game.name == "tree",
                            "{} in {}: {error}",
                            agent.name,
                            game.name
                        );
                        continue;
                    }
                };
                assert!(thought.nodes <= 300, "{} in {}", agent.name, game.name);
                assert_eq!(thought.pv[0], thought.m);
                session.play(&thought.m).unwrap();
            }
        }
    }
}

#[test]
fn out_of_turn_is_declared_where_it_is_so() {
    for game in infos() {
        let mut session = named(game.name).open(&Request::default()).unwrap();
        assert_eq!(session.seat(&spec("brs", game.name), 1).is_ok(), game.is_out_of_turn, "{}", game.name);
    }
}

#[test]
fn settings_that_do_not_go_together_are_refused() {
    for (game, agent, expected) in [
        ("focus", "maxn:pruning=shallow,ties=cautious", "ties=left"),
        ("focus", "maxn:killers=yes", "killers=yes is not possible"),
        ("focus", "brs:attacker=no", "unknown option of brs"),
        ("focus", "brs+:special=pass,top=2", "one special move"),
        ("hearts", "brs+:special=pass", "out of turn"),
        ("hearts", "mcts:playout=brs", "out of turn"),
        ("tree", "brs", "a tree says only what the player to move can do"),
        ("focus", "worlds:agent=(nobody)", "unknown agent"),
        ("chinese-checkers:board=large", "brs:eval=table", "board=small only"),
    ] {
        let mut session = named(game).open(&Request::default()).unwrap();
        let error = session.seat(&Spec::parse(agent).unwrap(), 1).unwrap_err();
        assert!(error.message.contains(expected), "{agent}: {error}");
    }
    let mut session = named("four-player-chess").open(&Request::default()).unwrap();
    session.seat(&Spec::parse("brs:attacker=no").unwrap(), 1).unwrap();
}

#[test]
fn a_table_larger_than_memory_is_refused() {
    for agent in ["maxn", "paranoid", "brs", "brs+", "brs+:special=pass", "alphabeta"] {
        let mut session = named("focus").open(&Request { players: Some(2), ..Request::default() }).unwrap();
        for size in ["18446744073709551615", "8000000000G"] {
            let separator = if agent.contains(':') { ',' } else { ':' };
            let spec = Spec::parse(&format!("{agent}{separator}table={size}")).unwrap();
            let error = session.seat(&spec, 1).unwrap_err();
            assert!(error.message.ends_with("is more memory than there is"), "{error}");
        }
    }
}

/// Every name with every option, as it is if nothing is said.
fn all_options(name: &str, options: &[OptionInfo]) -> Vec<String> {
    let with = |info: &OptionInfo| match (info.default, info.kind) {
        (_, Kind::Choice(words)) => format!("{name}:{}={}", info.key, words.last().unwrap()),
        ("", _) => name.into(),
        (default, _) => format!("{name}:{}={default}", info.key),
    };
    options.iter().map(with).chain([name.to_string()]).collect()
}

#[test]
fn no_text_makes_the_reader_of_games_fail() {
    let samples: Vec<String> = infos().flat_map(|game| all_options(game.name, game.options)).collect();
    let mut read = 0;
    testing::mangle(&samples, 1_000_000, |text| match Spec::parse(text).and_then(|spec| NamedGame::new(&spec)) {
        Ok(game) => {
            read += 1;
            assert!(
                game.spec.pairs.is_empty() || NamedGame::new(&Spec::parse(&game.spec.to_string()).unwrap()).is_ok()
            );
        }
        Err(error) => testing::check_error(&error.message, text),
    });
    assert!(read > 10_000, "{read}");
}

#[test]
fn no_text_makes_the_maker_of_agents_fail() {
    let mut samples: Vec<String> =
        agents().iter().flat_map(|agent| all_options(agent.name, &agent.options(None))).collect();
    samples.push("worlds:n=5,agent=(brs+:special=own,top=3,nodes=5k)".into());
    samples.push("mcts:playout=brs,policy=paranoid,c=0.5,time=1s".into());
    let game = named("focus");
    let mut session = game.open(&Request::default()).unwrap();
    let mut made = 0;
    testing::mangle(&samples, 1_000_000, |text| {
        match Spec::parse(text).and_then(|spec| session.seat(&spec, 1)) {
            // Agents stay as long as their session.
            Ok(999) => session = game.open(&Request::default()).unwrap(),
            Ok(_) => made += 1,
            Err(error) => testing::check_error(&error.message, text),
        }
    });
    assert!(made > 10_000, "{made}");
}

fn games(threads: usize) -> Vec<GameRecord> {
    let game = Match {
        agents: Spec::parse_list("paranoid brs+ random").unwrap(),
        game: named("focus:limit=40"),
        players: 3,
        games: 12,
        budget: Budget::nodes(200),
        seed: 3,
        threads,
        progress: |_, _| (),
    };
    let mut games = game.run(&Arc::default(), |_| ()).unwrap();
    // Time is the one thing that no two runs share.
    for record in &mut games {
        record.costs.iter_mut().for_each(|cost| cost.time = Default::default());
        record.decisions.iter_mut().for_each(|decision| decision.time = Default::default());
    }
    games
}

#[test]
fn any_number_of_workers_plays_the_same_games() {
    let alone = games(1);
    assert_eq!(alone.len(), 12);
    assert_eq!(games(2), alone);
    assert_eq!(games(8), alone);
}

#[test]
fn hidden_cards_do_not_change_what_an_agent_plays() {
    // Two deals that player 1 cannot tell apart.
    let deals = ["1:AK.Q.2.3 QJ.3.4.5 T9.5.6.7 8.76.9.2", "1:AK.Q.2.3 8.76.9.2 QJ.3.4.5 T9.5.6.7"];
    for agent in ["paranoid", "maxn", "mcts", "worlds:n=5,agent=(paranoid)", "greedy"] {
        let choose = |deal: &str| {
            let request = Request { position: Some(deal.into()), ..Request::default() };
            let mut session = named("hearts:hidden=yes").open(&request).unwrap();
            let seat = session.seat(&Spec::parse(agent).unwrap(), 1).unwrap();
            session.think(seat, &Budget::nodes(2000), &mut |_| ()).unwrap().m
        };
        assert_eq!(choose(deals[0]), choose(deals[1]), "{agent}");
    }
}
