//! Information-set Monte-Carlo tree search in card games: open, it is Monte-Carlo tree search; hidden, it sees nothing that its player
//! does not.

use nply::{
    Agent, Budget, Decision, Declaration, Game, Ismcts, IsmctsSettings, Mcts, MctsSettings, Notation, Rng, settings,
};
use nply_games::cards::{Eval, Hearts, Options, Order, Spades, Tricks};

/// A position some way into a deal, for each game and number of players.
fn positions(hidden: bool, each: u64) -> Vec<Tricks> {
    let mut rng = Rng::new(1);
    let mut all = Vec::new();
    let options = Options { hidden, ..Options::default() };
    for seed in 0..each {
        for mut game in [
            Hearts::start(3, &options, seed),
            Hearts::start(4, &options, seed),
            Spades::start(3, &options, seed),
            Spades::start(4, &options, seed),
        ] {
            for _ in 0..rng.below(40) {
                let m = game.random_move(&mut Vec::new(), &mut rng);
                let before = game.clone();
                game.play(m);
                if game.payoff().is_some() {
                    game = before;
                    break;
                }
            }
            all.push(game);
        }
    }
    all
}

fn settings_of(text: &str) -> IsmctsSettings {
    let mut settings = IsmctsSettings::default();
    settings::read(&mut settings, text).unwrap();
    settings
}

#[test]
fn with_open_cards_it_is_mcts_node_for_node() {
    let texts = ["playout=random", "playout=mast", "cutoff=0", "cutoff=3,reward=points", "playout=paranoid,k=2", "w=0"];
    for (number, game) in positions(false, 6).into_iter().enumerate() {
        let text = &format!("lines=20,memory=8M,{}", texts[number / 4]);
        let mut open = MctsSettings::default();
        settings::read(&mut open, &format!("{text},solver=off,reuse=no")).unwrap();
        let mut mcts = Mcts::new(Eval, Order, 3);
        mcts.settings = open;
        let budget = Budget::playouts(60);
        let (expected, found) =
            (mcts.choose(&game, &budget), Ismcts::with(&settings_of(text), Eval, Order, 3).choose(&game, &budget));
        assert_eq!((found.m, found.nodes, found.depth), (expected.m, expected.nodes, expected.depth), "{game}");
        let lines = |decision: &nply::Decision<<Tricks as Game>::Move>| {
            decision.lines.iter().map(|line| (line.pv[0], line.scores)).collect::<Vec<_>>()
        };
        assert_eq!(lines(&found), lines(&expected), "{game}");
    }
}

#[test]
fn no_decision_depends_on_cards_that_the_player_cannot_see() {
    let mut rng = Rng::new(2);
    let mut others = 0;
    let playouts = ["one-ply", "random", "move", "maxn,k=2", "paranoid,k=2", "mast", "nst", "ppa"];
    let rest = ["", ",cutoff=0", ",cutoff=3", ",reward=points", ",choose=visits"];
    for (number, game) in positions(true, 10).into_iter().enumerate() {
        let (playout, rest) = (playouts[number % 8], rest[number % 5]);
        let settings = settings_of(&format!("lines=20,memory=4M,playout={playout}{rest}"));
        let decide = |game: &Tricks| Ismcts::with(&settings, Eval, Order, 3).choose(game, &Budget::playouts(40));
        let expected = decide(&game);
        for _ in 0..2 {
            let other = game.determinize(game.turn(), &mut rng);
            others += usize::from(other.to_text() != game.to_text());
            let found = decide(&other);
            assert_eq!(Decision { time: expected.time, ..found }, expected, "{playout}{rest} {game}");
        }
    }
    assert!(others > 50, "{others}");
}
