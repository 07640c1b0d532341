//! Everything that is registered works together.

use std::sync::Arc;

use nply::Budget;
use nply_arena::{NamedGame, Played, Request, Spec, Tournament, agents, infos};

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

fn tournament(threads: usize) -> Vec<Played> {
    let tournament = Tournament {
        agents: Spec::parse_list("paranoid brs+ random").unwrap(),
        game: named("focus:limit=40"),
        players: 3,
        games: 12,
        budget: Budget::nodes(200),
        seed: 3,
        threads,
        progress: |_, _| (),
    };
    let mut games = tournament.run(&Arc::default(), |_| ()).unwrap();
    // Time is the one thing that no two runs share.
    for played in &mut games {
        played.costs.iter_mut().for_each(|cost| cost.time = Default::default());
        played.steps.iter_mut().for_each(|step| step.time = Default::default());
    }
    games
}

#[test]
fn any_number_of_workers_plays_the_same_games() {
    let alone = tournament(1);
    assert_eq!(alone.len(), 12);
    assert_eq!(tournament(2), alone);
    assert_eq!(tournament(8), alone);
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
