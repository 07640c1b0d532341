//! Games that are declared while the program runs, and sessions that branch.

use nply_arena::{GameInfo, Registry, Request};
use nply_games::connect_four::{ConnectFour, Options};

#[test]
fn a_game_can_be_registered_under_another_name_with_other_players_and_options() {
    let info = |is_out_of_turn| GameInfo {
        name: "three-in-a-row",
        players: &[3],
        usual_players: 3,
        ..GameInfo::new::<ConnectFour>(is_out_of_turn)
    };
    let start = Options { line: 3, ..Options::default() };
    let registry = Registry::empty().game_as::<ConnectFour>(info(false), start.clone());
    let game = registry.find("three-in-a-row").unwrap();
    assert!(game.open(&Request { players: Some(2), ..Request::default() }).is_err());
    let mut session = game.open(&Request::default()).unwrap();
    assert_eq!((session.player_count(), session.info().name), (3, "three-in-a-row"));
    session.play_all("a b c a b c a").unwrap();
    assert_eq!(session.payoff(), Some(vec![1.0, 0.0, 0.0]));
    let error = game.open(&Request::default()).unwrap().seat(&game.agent("brs", 3).unwrap(), 1).unwrap_err();
    assert!(error.message.contains("which three-in-a-row does not allow"), "{error}");
    let error = game.agent("brs:eval=x", 3).unwrap_err();
    assert!(error.message.contains("unknown evaluation of three-in-a-row"), "{error}");
    let game = registry.game_as::<ConnectFour>(info(true), start).find("three-in-a-row").unwrap();
    game.open(&Request::default()).unwrap().seat(&game.agent("brs", 3).unwrap(), 1).unwrap();
}

#[test]
fn a_child_is_a_session_after_one_more_move() {
    let game = Registry::standard().find("othello").unwrap();
    let session = game.open(&Request::default()).unwrap();
    let child = session.child("d3").unwrap();
    let grandchild = child.child("c5").unwrap();
    let played = game.open(&Request { moves: "d3 c5".into(), ..Request::default() }).unwrap();
    assert_eq!((grandchild.position(), grandchild.moves()), (played.position(), played.moves()));
    assert_eq!(
        (session.played().len(), child.played(), grandchild.played()),
        (0, vec!["d3".into()], vec!["c5".into()])
    );
    assert!(session.child("a1").is_err_and(|error| error.message.contains("no legal move")));
}
