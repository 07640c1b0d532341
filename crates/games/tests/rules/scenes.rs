//! How positions look: every game's scenes, and what is special to some.

use crate::walk::{configurations, limited};
use nply::scene::{Arrow, Role, Scene, SvgOptions, Theme, svg};
use nply::{Declaration, Game, GameVisitor, Notation, Player, Rng, testing};
use nply_games::cards::{self, Hearts};
use nply_games::chess::FourPlayerChess;
use nply_games::chinese_checkers::ChineseCheckers;
use nply_games::focus::Focus;
use nply_games::rolit::{Options, Othello, Rolit, Size};

fn everybody<G: Game>(game: &G) -> Vec<Player> {
    Player::all(game.player_count()).collect()
}

fn scene<G: Notation>(game: &G) -> Scene {
    game.scene(&everybody(game)).expect("a scene")
}

struct Promises;

impl GameVisitor for Promises {
    fn game<D: Declaration>(&mut self) {
        for (players, options) in configurations::<D>() {
            testing::check_scene(&D::start(players, &limited::<D>(&options, 30), 1), 2);
        }
    }
}

#[test]
fn scenes_are_sound() {
    nply_games::games(&mut Promises);
}

/// The number of a player's pieces on the fields.
fn pieces_of(scene: &Scene, player: Player) -> usize {
    let is_field = |id: &str| scene.place(id).is_some_and(|place| place.role == Role::Field);
    scene.pieces.iter().filter(|piece| piece.player == Some(player) && is_field(&piece.place)).count()
}

struct Counts;

impl GameVisitor for Counts {
    /// The first word of a position's text has each player's letter as often as there are pieces; in a card game the word of each hand
    /// has a letter for each card.
    fn game<D: Declaration>(&mut self) {
        for (players, options) in configurations::<D>() {
            let (mut game, mut rng) = (D::start(players, &limited::<D>(&options, 200), 3), Rng::new(3));
            while game.payoff().is_none() {
                let (text, scene) = (game.to_text(), scene(&game));
                let cards = scene.places.iter().any(|place| place.role == Role::Trick);
                for (index, player) in Player::all(players).enumerate() {
                    if cards {
                        let hand = text.split(' ').nth(index).unwrap().rsplit(':').next().unwrap();
                        let in_hand =
                            |role| scene.places.iter().filter(|p| p.role == role && p.owner == Some(player)).count();
                        assert_eq!(in_hand(Role::Hand), hand.replace('.', "").len(), "hand of {player} in {text}");
                        assert_eq!(in_hand(Role::Trick), 1, "{text}");
                    } else {
                        let board = text.split(' ').next().unwrap();
                        let count = board.matches(scene.players[index].letter).count();
                        assert_eq!(pieces_of(&scene, player), count, "pieces of {player} in {text}");
                    }
                }
                game.play(game.random_move(&mut Vec::new(), &mut rng));
            }
        }
    }
}

#[test]
fn scenes_have_the_pieces_of_the_text() {
    nply_games::games(&mut Counts);
}

#[test]
fn a_chain_of_hops_goes_over_a_piece_with_every_click() {
    let mut longest = 0;
    for players in [2, 3, 6] {
        let mut game = ChineseCheckers::start(players, &Default::default(), 0);
        let mut rng = Rng::new(players as u64);
        for _ in 0..60 {
            let (mut moves, scene) = (Vec::new(), scene(&game));
            game.moves(&mut moves);
            let at = |id: &String| scene.place(id).map(|place| (place.x, place.y)).unwrap();
            let is_full = |x: f32, y: f32| {
                let near = |id: &String| (at(id).0 - x).hypot(at(id).1 - y) < 0.1;
                scene.pieces.iter().any(|piece| near(&piece.place))
            };
            for &m in &moves {
                let clicks = game.clicks(m).places;
                let ends = format!("{}-{}", clicks[0], clicks[clicks.len() - 1]);
                assert_eq!(ends, game.move_to_text(m), "the ends of {clicks:?}");
                longest = longest.max(clicks.len());
                for pair in clicks.windows(2) {
                    let ((x, y), (to_x, to_y)) = (at(&pair[0]), at(&pair[1]));
                    assert!(!is_full(to_x, to_y), "{clicks:?} ends on empty fields");
                    let length = (to_x - x).hypot(to_y - y);
                    let is_step = clicks.len() == 2 && (length - 1.0).abs() < 0.01;
                    let is_hop = (length - 2.0).abs() < 0.01 && is_full((x + to_x) / 2.0, (y + to_y) / 2.0);
                    assert!(is_step || is_hop, "{pair:?} of {clicks:?} in {}", game.to_text());
                }
            }
            if game.payoff().is_some() {
                break;
            }
            game.play(rng.pick(&moves));
        }
    }
    assert!(longest > 4, "there were long chains, not only of {longest} clicks");
}

#[test]
fn several_viewers_see_their_own_cards_and_no_others() {
    let options = cards::Options { hidden: true, ..Default::default() };
    let game = Hearts::start(4, &options, 7);
    let text = game.to_text();
    let (leader, hands) = text.split_once(':').unwrap();
    let hands: Vec<&str> = hands.split(' ').collect();
    let swapped = game.read(&format!("{leader}:{} {} {} {}", hands[0], hands[3], hands[2], hands[1])).unwrap();
    let viewers = [Player::new(0), Player::new(2)];
    assert_eq!(game.scene(&viewers), swapped.scene(&viewers));
    assert_ne!(scene(&game), scene(&swapped));
    let seen = game.scene(&viewers).unwrap();
    for place in seen.places.iter().filter(|place| place.role == Role::Hand) {
        let card = seen.pieces.iter().find(|piece| piece.place == place.id).unwrap();
        assert_eq!(card.hidden, !viewers.contains(&place.owner.unwrap()), "{place:?}");
    }
    // Whoever looks alone sits at the bottom.
    for viewer in everybody(&game) {
        let seen = game.scene(&[viewer]).unwrap();
        let own = |place: &&nply::scene::Place| place.role == Role::Hand && place.owner == Some(viewer);
        let lowest = seen.places.iter().map(|place| place.y).fold(0.0, f32::max);
        assert!(seen.places.iter().filter(own).all(|place| place.y == lowest), "player {viewer}");
    }
}

#[test]
fn a_promotion_is_chosen_after_the_clicks() {
    // Play at random until somebody may promote.
    let (mut game, mut rng) = (FourPlayerChess::start(4, &(), 0), Rng::new(2));
    for _ in 0..100_000 {
        let mut moves = Vec::new();
        game.moves(&mut moves);
        let promoting: Vec<_> = moves.iter().filter(|&&m| game.move_to_text(m).ends_with("=Q")).collect();
        if let Some(&&m) = promoting.first() {
            let clicks = game.clicks(m);
            assert_eq!(clicks.choice.as_deref(), Some("queen"));
            let same = moves.iter().filter(|&&other| game.clicks(other).places == clicks.places).count();
            assert_eq!(same, 4, "a queen, a rook, a bishop or a knight");
            return;
        }
        if moves.is_empty() {
            game = FourPlayerChess::start(4, &(), 0);
        } else {
            game.play(rng.pick(&moves));
        }
    }
    panic!("nobody could promote");
}

#[test]
fn a_stack_lies_bottom_up_and_reserves_have_counts() {
    let start = Focus::start(2, &Default::default(), 0);
    let game = start
        .read("..____../.(RRG)_____./________/________/________/________/.______./..____.. G 2,0 0,1/0,0 9")
        .unwrap();
    let scene = scene(&game);
    let stack: Vec<usize> =
        scene.pieces.iter().filter(|piece| piece.place == "b7").map(|piece| piece.player.unwrap().number()).collect();
    assert_eq!(stack, [1, 1, 2]);
    let count = |id: &str| scene.pieces.iter().find(|piece| piece.place == id).and_then(|piece| piece.count);
    assert_eq!((count("reserve1"), count("reserve2"), count("captured1G")), (Some(2), None, Some(1)));
    let red = start.read(&game.to_text().replace(" G 2", " R 2")).unwrap();
    let m = red.move_from_text("@c3").unwrap();
    assert_eq!(red.clicks(m).places, ["reserve1", "c3"]);
}

#[test]
fn discs_without_a_player_are_nobodys_and_a_pass_has_no_clicks() {
    let scene = scene(&Rolit::start(3, &Options::default(), 0));
    let nobodys: Vec<_> = scene.pieces.iter().filter(|piece| piece.player.is_none()).collect();
    assert_eq!(nobodys.len(), 1);
    assert_eq!(nobodys[0].text.as_deref(), Some("B"));
    assert_eq!(
        (scene.places.len(), self::scene(&Rolit::start(3, &Options { size: Size::Six }, 0)).places.len()),
        (64, 36)
    );
    let board = format!("{}{} B -", "BW", ".".repeat(62));
    let game = Othello::start(2, &Options::default(), 0).read(&board).unwrap();
    let m = game.move_from_text("c1").unwrap();
    assert_eq!(game.clicks(m).places, ["c1"]);
    let stuck = Othello::start(2, &Options::default(), 0).read(&format!("{}{} B -", "BB", ".".repeat(62))).unwrap();
    let clicks = stuck.clicks(stuck.move_from_text("-").unwrap());
    assert!(clicks.places.is_empty() && clicks.choice.as_deref() == Some("pass"));
}

#[test]
fn an_arrow_leads_through_its_places_and_one_to_nowhere_is_left_out() {
    let scene = scene(&ChineseCheckers::start(2, &Default::default(), 0));
    let arrow = |places: &[&str]| Arrow {
        player: Some(Player::new(1)),
        places: places.iter().map(ToString::to_string).collect(),
    };
    let draw = |arrows: Vec<Arrow>| svg(&scene, &SvgOptions { arrows, theme: Theme::Dark, ..SvgOptions::default() });
    let none = draw(Vec::new());
    assert_eq!(draw(vec![arrow(&["a1", "z9"])]), none);
    let place = |id: &str| scene.place(id).unwrap();
    let chain = draw(vec![arrow(&["a1", "c1", "e3"])]);
    let first = format!("M{} {}L", place("a1").x, place("a1").y);
    assert!(chain.contains(&first) && chain.len() > none.len(), "{first}");
    assert!(draw(vec![arrow(&["a1"])]).matches("<circle").count() == none.matches("<circle").count() + 2);
}
