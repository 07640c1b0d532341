//! Information-set Monte-Carlo tree search in card games: open, it is Monte-Carlo tree search; hidden, it sees nothing that its player
//! does not.

use nply::{Agent, Budget, Declaration, Game, Ismcts, IsmctsSettings, Mcts, MctsSettings, Notation, Rng, settings};
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
    for game in positions(false, 4) {
        let text = "lines=20,memory=8M,playout=random";
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
    for game in positions(true, 10) {
        let settings = settings_of("lines=20,memory=4M,playout=move");
        let decide = |game: &Tricks| Ismcts::with(&settings, Eval, Order, 3).choose(game, &Budget::playouts(40));
        let expected = decide(&game);
        for _ in 0..2 {
            let other = game.determinize(game.turn(), &mut rng);
            others += usize::from(other.to_text() != game.to_text());
            let found = decide(&other);
            assert_eq!(
                (found.m, found.nodes, found.lines),
                (expected.m, expected.nodes, expected.lines.clone()),
                "{game}"
            );
        }
    }
    assert!(others > 50, "{others}");
}
