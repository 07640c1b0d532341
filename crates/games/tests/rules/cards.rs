//! Hearts and Spades against a slow reference, and rule by rule.

use std::collections::HashMap;

use nply::{
    Agent, Budget, ByPlayer, Decision, Declaration, Evaluator, Game, Greedy, Maxn, Mcts, MoveOrder, Notation, Player,
    Rng, Stance, Worlds, testing,
};
use nply_games::cards::Rules::{self, Hearts, Spades};
use nply_games::cards::{self, Card, Eval, Hand, Options, Order, Suit, Tricks};

/// Every combination of game, players and options.
fn configurations() -> impl Iterator<Item = (Rules, usize, Options)> {
    let flags = [false, true];
    [Hearts, Spades].into_iter().flat_map(move |rules| {
        [3, 4].into_iter().flat_map(move |players| {
            flags.into_iter().flat_map(move |breaking| {
                flags.into_iter().map(move |hidden| (rules, players, Options { breaking, hidden }))
            })
        })
    })
}

fn tricks(rules: Rules, players: usize, seed: u64, options: Options) -> Tricks {
    match rules {
        Hearts => cards::Hearts::start(players, &options, seed),
        Spades => cards::Spades::start(players, &options, seed),
    }
}

fn start(rules: Rules, players: usize) -> Tricks {
    tricks(rules, players, 1, Options::default())
}

const BREAK: Options = Options { breaking: true, hidden: false };
const HIDDEN: Options = Options { breaking: false, hidden: true };
const BOTH: Options = Options { breaking: true, hidden: true };

fn moves(game: &Tricks) -> Vec<Card> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves
}

fn words<T: ToString>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

/// Plays cards by name.
fn play(game: &Tricks, cards: &str) -> Tricks {
    let mut game = game.clone();
    for card in cards.split(' ') {
        let m = game.move_from_text(card).unwrap_or_else(|error| panic!("{}: {error}", game.to_text()));
        game.play(m);
    }
    game
}

/// A random deal of `cards` cards to each player, as text.
fn small_deal(players: usize, cards: usize, rng: &mut Rng) -> String {
    let mut deck: Vec<Card> = Hand::ALL.iter().collect();
    rng.shuffle(&mut deck);
    let leader = 1 + rng.below(players);
    let hand = |cards: &[Card]| {
        let hand: Hand = cards.iter().copied().collect();
        let suit = |suit| hand.of(suit).iter().map(|card| card.to_string()[..1].to_string()).collect::<String>();
        Suit::ALL.map(suit).join(".")
    };
    let hands: Vec<String> = (0..players).map(|player| hand(&deck[player * cards..][..cards])).collect();
    format!("{leader}:{}", hands.join(" "))
}

// The reference: the rules word for word, on lists.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plain {
    rank: u32,
    suit: char,
}

impl Plain {
    fn of(card: Card) -> Plain {
        let text = card.to_string();
        let mut letters = text.chars();
        let rank = match letters.next().unwrap() {
            'A' => 14,
            'K' => 13,
            'Q' => 12,
            'J' => 11,
            'T' => 10,
            digit => digit.to_digit(10).unwrap(),
        };
        Plain { rank, suit: letters.next().unwrap() }
    }

    fn text(self) -> String {
        let rank = match self.rank {
            14 => 'A',
            13 => 'K',
            12 => 'Q',
            11 => 'J',
            10 => 'T',
            low => char::from_digit(low, 10).unwrap(),
        };
        format!("{rank}{}", self.suit)
    }

    fn points(self) -> u32 {
        match (self.suit, self.rank) {
            ('H', _) => 1,
            ('S', 12) => 13,
            _ => 0,
        }
    }
}

#[derive(Clone, Debug)]
struct Reference {
    rules: Rules,
    breaking: bool,
    hands: Vec<Vec<Plain>>,
    turn: usize,
    trick: Vec<(usize, Plain)>,
    points: Vec<u32>,
    broken: bool,
    /// Suits each player has shown to lack.
    shown: Vec<Vec<char>>,
}

impl Reference {
    /// From a position at the start of a trick with nothing taken.
    fn of(game: &Tricks) -> Reference {
        let players = game.player_count();
        let hand = |player| game.hand(player).iter().map(Plain::of).collect();
        Reference {
            rules: game.rules(),
            breaking: game.options().breaking,
            hands: Player::all(players).map(hand).collect(),
            turn: game.turn().index(),
            trick: Vec::new(),
            points: vec![0; players],
            broken: false,
            shown: vec![Vec::new(); players],
        }
    }

    fn special(&self) -> char {
        if self.rules == Hearts { 'H' } else { 'S' }
    }

    fn moves(&self) -> Vec<Plain> {
        let hand = &self.hands[self.turn];
        let mut legal: Vec<Plain> = Vec::new();
        for &card in hand {
            let allowed = match self.trick.first() {
                Some((_, led)) => card.suit == led.suit || hand.iter().all(|held| held.suit != led.suit),
                None if self.breaking && !self.broken && card.suit == self.special() => {
                    hand.iter().all(|held| held.suit == card.suit)
                }
                None => true,
            };
            if allowed {
                legal.push(card);
            }
        }
        legal.sort_by_key(|card| ("SHDC".find(card.suit), std::cmp::Reverse(card.rank)));
        legal
    }

    fn play(&mut self, card: Plain) {
        let player = self.turn;
        match self.trick.first() {
            Some((_, led)) if led.suit != card.suit => {
                self.shown[player].push(led.suit);
                if card.suit == self.special() {
                    self.broken = true;
                }
            }
            None if self.breaking && !self.broken && card.suit == self.special() => {
                let others = "SHDC".chars().filter(|&suit| suit != card.suit);
                self.shown[player].extend(others);
            }
            _ => {}
        }
        self.hands[player].retain(|&held| held != card);
        self.trick.push((player, card));
        self.turn = (player + 1) % self.hands.len();
        if self.trick.len() < self.hands.len() {
            return;
        }
        let led = self.trick[0].1.suit;
        let trumped = self.rules == Spades && self.trick.iter().any(|(_, card)| card.suit == 'S');
        let wanted = if trumped { 'S' } else { led };
        let of_suit = self.trick.iter().filter(|(_, card)| card.suit == wanted);
        let taker = of_suit.max_by_key(|(_, card)| card.rank).unwrap().0;
        self.points[taker] += match self.rules {
            Hearts => self.trick.iter().map(|(_, card)| card.points()).sum(),
            Spades => 1,
        };
        self.trick.clear();
        self.turn = taker;
    }

    fn payoff(&self) -> Option<Vec<f32>> {
        if self.hands.iter().any(|hand| !hand.is_empty()) {
            return None;
        }
        let best = if self.rules == Hearts { self.points.iter().min() } else { self.points.iter().max() };
        let winners = self.points.iter().filter(|points| Some(*points) == best).count();
        let share = |points: &u32| if Some(points) == best { 1.0 / winners as f32 } else { 0.0 };
        Some(self.points.iter().map(share).collect())
    }

    fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let child = |card| {
            let mut child = self.clone();
            child.play(card);
            child.perft(depth - 1)
        };
        self.moves().into_iter().map(child).sum()
    }
}

/// Plays a random game beside the reference and calls `see` with both at every position.
fn beside_reference(start: &Tricks, seed: u64, mut see: impl FnMut(&Tricks, &Reference)) {
    let (mut game, mut reference) = (start.clone(), Reference::of(start));
    let mut rng = Rng::new(seed);
    loop {
        see(&game, &reference);
        let moves = moves(&game);
        if moves.is_empty() {
            return;
        }
        let m = rng.pick(&moves);
        game.play(m);
        reference.play(Plain::of(m));
    }
}

#[test]
fn the_game_is_the_reference_move_for_move() {
    let mut positions = 0;
    for (rules, players, options) in configurations() {
        for seed in 0..500 {
            let start = tricks(rules, players, seed, options);
            beside_reference(&start, seed, |game, reference| {
                let expected: Vec<String> = reference.moves().into_iter().map(Plain::text).collect();
                assert_eq!(words(&moves(game)), expected.join(" "), "{}", game.to_text());
                assert_eq!(game.turn().index(), reference.turn, "{}", game.to_text());
                let points: Vec<f32> = reference.points.iter().map(|&points| points as f32).collect();
                assert_eq!(game.points().unwrap().as_slice(), points);
                assert_eq!(game.payoff().map(|payoff| payoff.as_slice().to_vec()), reference.payoff());
                assert_eq!(game.is_broken(), reference.broken);
                for player in Player::all(players) {
                    for suit in Suit::ALL {
                        let shown = reference.shown[player.index()].contains(&suit.letter());
                        assert_eq!(game.lacks(player, suit), shown, "{}", game.to_text());
                    }
                }
                positions += 1;
            });
        }
    }
    assert_eq!(positions, 8 * 500 * (52 + 53));
}

#[test]
fn perft_of_small_deals_is_the_references() {
    let mut rng = Rng::new(3);
    let mut restricted = 0;
    for round in 0..60 {
        for (rules, players, options) in configurations().filter(|(_, _, options)| !options.hidden) {
            let cards = if players == 3 { 3 + round % 2 } else { 3 };
            let text = small_deal(players, cards, &mut rng);
            let mut game = tricks(rules, players, 1, options).read(&text).unwrap();
            let open = tricks(rules, players, 1, Options::default()).read(&text).unwrap();
            let plies = (players * cards) as u32;
            for depth in [1, 2, plies / 2, plies, plies + 1] {
                let expected = Reference::of(&game).perft(depth);
                assert_eq!(testing::perft(&mut game, depth), expected, "{rules:?} {options:?} {text} depth {depth}");
            }
            restricted += u32::from(testing::perft(&mut open.clone(), 1) != testing::perft(&mut game, 1));
        }
    }
    assert!(restricted > 50, "the lead was restricted in {restricted} deals only");
}

// Rule by rule.

#[test]
fn a_player_follows_suit_if_possible_and_else_plays_any_card() {
    let game = start(Hearts, 3).read("1:AK.Q.. QJ.2.. .43.5.").unwrap();
    assert_eq!(words(&moves(&game)), "AS KS QH");
    let game = play(&game, "KS");
    assert_eq!(words(&moves(&game)), "QS JS");
    let game = play(&game, "QS");
    assert_eq!(words(&moves(&game)), "4H 3H 5D");
}

#[test]
fn the_highest_card_of_the_suit_led_takes_the_trick_and_its_owner_leads() {
    let game = play(&start(Hearts, 3).read("2:2.A.. 3..A. 4..2.").unwrap(), "AD 2D AH");
    assert_eq!((game.turn(), words(&moves(&game))), (Player::new(1), "3S".into()));
    assert_eq!(game.points().unwrap(), ByPlayer::from_slice(&[0.0, 1.0, 0.0]));
}

#[test]
fn in_spades_the_highest_spade_takes_the_trick() {
    let game = start(Spades, 4).read("1:..A. 2... 3... ..K.").unwrap();
    let game = play(&game, "AD 2S 3S KD");
    assert_eq!(game.points().unwrap(), ByPlayer::from_slice(&[0.0, 0.0, 1.0, 0.0]));
    assert_eq!(game.payoff(), Some(ByPlayer::from_slice(&[0.0, 0.0, 1.0, 0.0])));
    let hearts = play(&start(Hearts, 4).read("1:..A. 2... 3... ..K.").unwrap(), "AD 2S 3S KD");
    assert_eq!(hearts.turn(), Player::new(0), "spades are no trump in Hearts");
}

#[test]
fn hearts_count_one_and_the_queen_of_spades_thirteen() {
    let game = start(Hearts, 3).read("1:.A.. .2.. Q...").unwrap();
    let game = play(&game, "AH 2H QS");
    assert_eq!(game.points().unwrap(), ByPlayer::from_slice(&[15.0, 0.0, 0.0]));
    assert_eq!(game.payoff().unwrap(), ByPlayer::from_slice(&[0.0, 0.5, 0.5]), "the fewest win, ties share");
}

#[test]
fn there_is_no_bonus_for_taking_all() {
    let mut game =
        start(Hearts, 4).read("1:.AKQJT98765432.. AK...AKQJT987654 ..AKQJT98765432. QJT98765432...32").unwrap();
    for _ in 0..13 {
        for _ in 0..4 {
            let m = *moves(&game).first().unwrap();
            game.play(m);
        }
    }
    assert_eq!(game.points().unwrap(), ByPlayer::from_slice(&[26.0, 0.0, 0.0, 0.0]));
    assert_eq!(game.payoff().unwrap().as_slice()[0], 0.0);
}

#[test]
fn three_players_have_seventeen_cards_each_and_one_is_left_out() {
    let mut left_out = Hand::NONE;
    for seed in 0..1000 {
        let game = tricks(Hearts, 3, seed, Options::default());
        let mut all: Hand = game.left_out().into_iter().collect();
        left_out = left_out | all;
        for player in Player::all(3) {
            assert_eq!(game.hand(player).len(), 17);
            all = all | game.hand(player);
        }
        assert_eq!((all, game.turn()), (Hand::ALL, Player::new(0)));
    }
    assert_eq!(left_out, Hand::ALL, "any card can be left out");
}

#[test]
fn four_players_have_thirteen_cards_each_and_a_seed_deals_the_same_in_both_games() {
    for seed in 0..100 {
        let (hearts, spades) = (tricks(Hearts, 4, seed, BOTH), tricks(Spades, 4, seed, HIDDEN));
        assert!(Player::all(4).all(|player| hearts.hand(player).len() == 13));
        let all = Player::all(4).fold(Hand::NONE, |all, player| all | hearts.hand(player));
        assert_eq!((all, hearts.left_out()), (Hand::ALL, None));
        assert_eq!(hearts.to_text(), spades.to_text());
        assert_ne!(hearts.to_text(), tricks(Hearts, 4, seed + 1, BOTH).to_text());
    }
}

#[test]
fn any_card_may_be_led_unless_break_is_asked_for() {
    let text = "1:2.3.4. 5.6.7. 8.9.T.";
    assert_eq!(words(&moves(&start(Hearts, 3).read(text).unwrap())), "2S 3H 4D");
    assert_eq!(words(&moves(&tricks(Hearts, 3, 1, BREAK).read(text).unwrap())), "2S 4D");
    assert_eq!(words(&moves(&tricks(Spades, 3, 1, BREAK).read(text).unwrap())), "3H 4D");
}

#[test]
fn a_card_played_on_another_suits_lead_breaks() {
    let start = tricks(Hearts, 3, 1, BREAK);
    let game = play(&start.read("1:A2.3.. 54.6.. .987..").unwrap(), "2S 5S 9H");
    assert!(game.is_broken());
    assert_eq!(words(&moves(&game)), "4S 6H");
    // A diamond does not.
    let game = play(&start.read("1:A2.3.. 54.6.. .98.7.").unwrap(), "2S 5S 7D");
    assert_eq!((game.is_broken(), words(&moves(&game))), (false, "4S".into()));
}

#[test]
fn a_lead_of_nothing_else_breaks_nothing_and_shows_that_all_else_is_lacking() {
    let start = tricks(Hearts, 3, 1, BREAK);
    let game = play(&start.read("1:.32.. 5.6.. .7.8.").unwrap(), "2H 6H 7H");
    assert!(!game.is_broken());
    let shown = |player| Suit::ALL.map(|suit| game.lacks(Player::new(player), suit));
    assert_eq!(shown(0), [true, false, true, true]);
    assert_eq!((shown(1), shown(2)), ([false; 4], [false; 4]));
    // Without the rule the lead shows nothing.
    let free = tricks(Hearts, 3, 1, HIDDEN).read("1:.32.. 5.6.. .7.8.").unwrap();
    assert!(!play(&free, "2H").lacks(Player::new(0), Suit::Spades));
}

#[test]
fn the_key_knows_what_decides_the_game_and_nothing_else() {
    let read = |text: &str| tricks(Hearts, 3, 1, BOTH).read(text).unwrap().key();
    let base = read("1:3.4.. 5.6.. 7.8..");
    for other in [
        "2:3.4.. 5.6.. 7.8..",
        "1:5.4.. 3.6.. 7.8..",
        "1:3.4.. 5.6.. 7.8.. taken=1,0,0",
        "1:3.4.. 5.6.. 7.8.. taken=0,1,0",
        "1:3.4.. 5.6.. 7.8.. broken",
        "1:.4.. 5.6.. 7.8.. table=3S",
        "1:3... 5.6.. 7.8.. table=4H broken",
    ] {
        assert_ne!(read(other), base, "{other}");
    }
    assert_eq!(base, read("1:3.4.. 5.6.. 7.8.. lacks=D,DC,- out=AS"), "what is known to be lacking decides nothing");
    let free = |text: &str| start(Hearts, 3).read(text).unwrap().key();
    assert_eq!(free("1:3.4.. 5.6.. 7.8.."), free("1:3.4.. 5.6.. 7.8.. broken"), "nor does a break that is not played");
}

// Text.

#[test]
fn a_deal_is_written_as_in_the_rules() {
    let text = "1:AK.Q.. QJ.2.. T9.3..";
    for rules in [Hearts, Spades] {
        assert_eq!(start(rules, 3).read(text).unwrap().to_text(), text);
    }
    for (rules, players, options) in configurations() {
        let text = tricks(rules, players, 5, options).to_text();
        let words: Vec<&str> = text.strip_prefix("1:").unwrap().split(' ').collect();
        assert_eq!(words.len(), players, "nothing but hands: {text}");
        assert!(words.iter().all(|word| word.matches('.').count() == 3));
    }
    let over = start(Spades, 3).read("2:... ... ...").unwrap();
    assert_eq!((over.to_text().as_str(), over.payoff().is_some()), ("2:... ... ...", true));
}

#[test]
fn the_text_says_what_happened_in_and_before_the_trick() {
    let start = tricks(Hearts, 3, 1, BOTH).read("1:A2.3.. K4.6.. .98.7. out=QS").unwrap();
    let game = play(&start, "AS 4S 9H 2S");
    assert_eq!(game.to_text(), "1:.3.. K.6.. .8.7. table=2S taken=1,0,0 lacks=-,-,S broken out=QS");
    assert_eq!(game.left_out().unwrap().to_string(), "QS");
    // A current trick shows what players lack, whether the text has it or not.
    let game = start.read("3:A... K6... .8.. table=7D,9H").unwrap();
    assert_eq!(game.to_text(), "3:A... K6... .8.. table=7D,9H lacks=D,-,- broken");
    let game = start.read("1:.3.. K.6.. .8.7. table=2H").unwrap();
    assert_eq!(game.to_text(), "1:.3.. K.6.. .8.7. table=2H lacks=SDC,-,-");
    // Words may come in any order.
    let game = start.read("1:.3.. K.6.. .8.7.  out=QS broken lacks=-,-,S  taken=1,0,0 table=2S ").unwrap();
    assert_eq!(game.to_text(), "1:.3.. K.6.. .8.7. table=2S taken=1,0,0 lacks=-,-,S broken out=QS");
}

#[test]
fn the_card_left_out_of_a_full_deal_goes_without_saying() {
    let full = tricks(Hearts, 3, 9, HIDDEN);
    let read = start(Spades, 3).read(&full.to_text()).unwrap();
    assert_eq!((read.left_out(), read.left_out().is_some()), (full.left_out(), true));
    let mut game = full.clone();
    for _ in 0..3 {
        assert_eq!(full.read(&game.to_text()).unwrap().left_out(), full.left_out());
        assert!(!game.to_text().contains("out"));
        let m = moves(&game)[0];
        game.play(m);
    }
    assert!(game.to_text().ends_with(&format!("out={}", full.left_out().unwrap())));
}

#[test]
fn a_wrong_text_is_refused_where_it_goes_wrong() {
    for (text, at, expected) in [
        ("", 0, "the leader's number, from 1 to 3"),
        ("4:AK.Q.. QJ.2.. T9.3..", 0, "the leader's number, from 1 to 3"),
        ("é", 0, "the leader's number"),
        ("1", 1, "a colon"),
        ("1AK.Q.. QJ.2.. T9.3..", 1, "a colon"),
        ("1:", 2, "player 1's hand"),
        ("1:AK.Q.", 7, "player 1's hand"),
        ("1:AK.Q.. QJ.2..", 15, "player 3's hand"),
        ("1:AK.Q... QJ.2.. T9.3..", 8, "the end of the hand"),
        ("1:AK.1.. QJ.2.. T9.3..", 5, "a rank"),
        ("1:ak.Q.. QJ.2.. T9.3..", 2, "a rank"),
        ("1:KA.Q.. QJ.2.. T9.3..", 3, "from high to low"),
        ("1:AA.Q.. QJ.2.. T9.3..", 3, "from high to low"),
        ("1:AK.Q.. QJ.2.. A9.3..", 16, "AS is there already"),
        ("1:AK.Q.. QJ.2.. T9...", 16, "a hand of 3"),
        ("2:AK... QJ.2.. T9.3..", 2, "a hand of 3"),
        ("1:AK.Q.. QJ.2.. T9.3.. x", 23, "table=, taken=, lacks=, broken, out= or the end"),
        ("1:AK.Q.. QJ.2.. T9.3.. broken=1", 23, "table="),
        ("1:AK.Q.. QJ.2.. T9.3.. broken broken", 30, "broken only once"),
        ("1:AK.Q.. QJ.2.. T9.3.. out=", 27, "a card"),
        ("1:AK.Q.. QJ.2.. T9.3.. out=AS", 27, "AS is there already"),
        ("1:AK.Q.. QJ.2.. T9.3.. taken=1,2", 29, "3 parts"),
        ("1:AK.Q.. QJ.2.. T9.3.. taken=1,2,x", 33, "points taken"),
        ("1:AK.Q.. QJ.2.. T9.3.. taken=0,27,0", 31, "points taken"),
        ("1:AK.Q.. QJ.2.. T9.3.. taken=0,11,0", 29, "can have given"),
        ("1:AK.Q.. KJ.2.. T9.3.. taken=0,13,0", 9, "KS is there already"),
        ("1:AK.Q.. J8.2.. T9.3.. taken=7,7,0", 29, "can have given"),
        ("1:AK.Q.. QJ.2.. T9.3.. lacks=-,HS,-", 31, "letters of suits"),
        ("1:AK.Q.. QJ.2.. T9.3.. lacks=-,H,-", 31, "player 2 holds none"),
        ("1:AK.Q.. QJ.2.. T9.3.. table=2D", 9, "a hand of 4"),
        ("1:AK... QJ.2.. T9.. table=2D", 19, "player 3's hand"),
        ("1:AK... QJ.2.. T9... table=2D", 15, "a hand of 3"),
        ("1:AK.Q.. QJ.. T9.3.. table=2D", 13, "player 2's hand"),
        ("1:AK.. QJ.2.. T9.3.. table=2D", 6, "player 1's hand"),
        ("1:A.Q.. QJ.2.. T9.3.. table=2D,", 31, "a card"),
        ("1:A.Q.. Q.2.. T9.3.. table=2S,4D", 27, "player 2 can"),
        ("1:A... Q... T... table=2S,4S,7D", 29, "at most 2 cards"),
    ] {
        let error = start(Hearts, 3).read(text).expect_err(text);
        assert_eq!(error.text, text);
        assert!(error.to_string().contains(expected), "{text}: {error}");
        assert_eq!(error.at, at, "{text}: {error}");
    }
    let four = start(Hearts, 4).read("1:2... 3... 4... 5... out=AS").unwrap_err();
    assert_eq!(four.at, 22, "nothing is left out with four players");
    let lead = tricks(Hearts, 3, 1, BREAK).read("1:A... 3.4.. 5.6.. table=7H").unwrap_err();
    assert!(lead.to_string().contains("player 1 holds other suits"));
    assert!(start(Spades, 3).read("1:A... 3... 5... taken=16,0,0").is_ok());
    assert!(start(Spades, 3).read("1:A... 3... 5... taken=16,1,0").is_err());
}

#[test]
fn pictures_have_colors_only_where_asked_for() {
    let game = play(&tricks(Hearts, 3, 1, BREAK).read("1:A2.3.. K4.6.. .98.7. out=QS").unwrap(), "AS 4S");
    let plain = game.to_string();
    assert!(!plain.contains('\x1b') && format!("{game:#}").contains("\x1b[1;31m"));
    assert!(plain.contains("leads A♠") && plain.contains("left out: QS") && plain.contains("hearts not broken"));
    assert!(plain.lines().nth(2).unwrap().starts_with("> 3"), "{plain}");
}

// Hidden cards.

/// All deals of what `observer` cannot see that fit, by brute force, as texts.
fn fitting(game: &Tricks, observer: Player) -> Vec<String> {
    let others: Vec<Player> = Player::all(game.player_count()).filter(|&player| player != observer).collect();
    let mut unseen: Vec<Card> = game.left_out().into_iter().collect();
    others.iter().for_each(|&player| unseen.extend(game.hand(player).iter()));
    let mut found = Vec::new();
    let (mut hands, mut out) = (vec![Hand::NONE; others.len()], None);
    assign(game, &others, &unseen, &mut hands, &mut out, &mut |hands, out| {
        let mut text = format!("{out:?}");
        for hand in hands {
            text += &format!(" {hand:?}");
        }
        found.push(text);
    });
    found
}

fn assign(
    game: &Tricks,
    others: &[Player],
    unseen: &[Card],
    hands: &mut Vec<Hand>,
    out: &mut Option<Card>,
    found: &mut dyn FnMut(&[Hand], Option<Card>),
) {
    let Some((&card, rest)) = unseen.split_first() else { return found(hands, *out) };
    for (index, &player) in others.iter().enumerate() {
        if hands[index].len() < game.hand(player).len() && !game.lacks(player, card.suit()) {
            hands[index].insert(card);
            assign(game, others, rest, hands, out, found);
            hands[index].remove(card);
        }
    }
    if game.left_out().is_some() && out.is_none() {
        *out = Some(card);
        assign(game, others, rest, hands, out, found);
        *out = None;
    }
}

/// What an observer cannot see of a position, in the form of [`fitting`].
fn dealt(game: &Tricks, observer: Player) -> String {
    let mut text = format!("{:?}", game.left_out());
    for player in Player::all(game.player_count()).filter(|&player| player != observer) {
        text += &format!(" {:?}", game.hand(player));
    }
    text
}

/// Draws determinizations of a position and compares their frequencies with all deals that fit.
fn check_uniform(game: &Tricks, observer: Player, seed: u64) -> usize {
    let all = fitting(game, observer);
    let mut counts: HashMap<String, u32> = all.iter().map(|deal| (deal.clone(), 0)).collect();
    assert_eq!(counts.len(), all.len());
    let mut rng = Rng::new(seed);
    let each = 40;
    for _ in 0..each * all.len() {
        let drawn = dealt(&game.determinize(observer, &mut rng), observer);
        *counts.get_mut(&drawn).unwrap_or_else(|| panic!("{drawn} does not fit {}", game.to_text())) += 1;
    }
    let each = f64::from(each as u32);
    let chi: f64 = counts.values().map(|&count| (f64::from(count) - each).powi(2) / each).sum();
    let freedom = (all.len() - 1) as f64;
    // Four and a half standard deviations: about once in a million for many deals, and somewhat more often for few.
    let limit = freedom + 4.5 * (2.0 * freedom).sqrt() + 6.0;
    assert!(chi < limit, "chi-square {chi} for {freedom} degrees of freedom: {} {observer}", game.to_text());
    all.len()
}

#[test]
fn every_deal_that_fits_is_as_likely_as_any_other() {
    for (players, text, deals) in [
        // Nothing known: 6 cards in two hands of 3; 7 with one left out; 6 in three hands of 2.
        (3, "1:AK.Q.. QJ.2.. T9.3..", 20),
        (3, "1:AK.Q.. QJ.2.. T9.3.. out=2C", 140),
        (4, "1:A.Q.. J.2.. T.3.. 4..2.", 90),
        // Player 2 has no spades: the three others; with a fourth, three of four, and any of what is then left is left out.
        (3, "1:AK.Q.. .42.5. T98... lacks=-,S,-", 1),
        (3, "1:AK.Q.. .42.5. T98... lacks=-,S,- out=2C", 16),
        // Player 3 has just shown to have no diamonds: two of three, and one of the other three is left out.
        (3, "2:AK.Q.. ..96. T.3.. table=5D,7H out=2C", 9),
    ] {
        let game = tricks(Hearts, players, 1, HIDDEN).read(text).unwrap();
        assert_eq!(check_uniform(&game, Player::new(0), 7), deals, "{text}");
    }
    let mut rng = Rng::new(11);
    let (mut most, mut constrained) = (0, 0);
    for (rules, players, options) in configurations().filter(|(_, _, options)| options.hidden) {
        for round in 0..12 {
            let cards = if players == 3 { 4 } else { 3 };
            let mut text = small_deal(players, cards, &mut rng);
            let start = tricks(rules, players, 1, options);
            let dealt = start.read(&text).unwrap();
            let held = Player::all(players).fold(Hand::NONE, |all, player| all | dealt.hand(player));
            if players == 3 && round % 3 > 0 {
                let rest: Vec<Card> = (!held).iter().collect();
                text += &format!(" out={}", rng.pick(&rest));
            }
            let mut game = start.read(&text).unwrap();
            for _ in 0..players + rng.below(players) {
                let m = game.random_move(&mut Vec::new(), &mut rng);
                game.play(m);
            }
            let observer = Player::new(rng.below(players));
            let deals = check_uniform(&game, observer, round);
            most = most.max(deals);
            let lacking = |player: Player| Suit::ALL.iter().any(|&suit| game.lacks(player, suit));
            constrained += u32::from(Player::all(players).any(lacking));
        }
    }
    assert!(most >= 90 && constrained > 30, "{most} {constrained}");
}

#[test]
fn a_large_deal_is_drawn_as_by_trying_until_it_fits() {
    let mut rng = Rng::new(1);
    let observer = Player::new(0);
    let others: Vec<Player> = Player::all(4).skip(1).collect();
    let lacks = |game: &Tricks, player| Suit::ALL.iter().any(|&suit| game.lacks(player, suit));
    let unseen = |game: &Tricks| others.iter().flat_map(|&player| game.hand(player).iter()).collect::<Vec<Card>>();
    let game = (0..).find_map(|seed| {
        let mut game = tricks(Spades, 4, seed, HIDDEN);
        while others.iter().filter(|&&player| lacks(&game, player)).count() < 2 {
            let m = game.random_move(&mut Vec::new(), &mut rng);
            game.play(m);
        }
        (unseen(&game).len() > 24).then_some(game)
    });
    let game = game.unwrap();
    let mut unseen = unseen(&game);
    let rounds = 20_000;
    let mut counts: HashMap<(usize, Card), [i32; 2]> = HashMap::new();
    for _ in 0..rounds {
        let drawn = game.determinize(observer, &mut rng);
        for (index, &player) in others.iter().enumerate() {
            drawn.hand(player).iter().for_each(|card| counts.entry((index, card)).or_default()[0] += 1);
        }
        let hands = loop {
            rng.shuffle(&mut unseen);
            let mut cards = unseen.iter().copied();
            let hands: Vec<Hand> =
                others.iter().map(|&player| cards.by_ref().take(game.hand(player).len()).collect()).collect();
            let fits = |(hand, &player): (&Hand, &Player)| !hand.iter().any(|card| game.lacks(player, card.suit()));
            if hands.iter().zip(&others).all(fits) {
                break hands;
            }
        };
        for (index, hand) in hands.iter().enumerate() {
            hand.iter().for_each(|card| counts.entry((index, card)).or_default()[1] += 1);
        }
    }
    for (place, [drawn, tried]) in counts {
        // Five standard deviations of a difference of two counts.
        let limit = 5.0 * (f64::from(drawn + tried)).sqrt();
        assert!(f64::from(drawn - tried).abs() <= limit, "{place:?}: {drawn} {tried}");
    }
}

#[test]
fn what_an_observer_is_shown_never_contradicts_what_the_observer_knows() {
    let mut rng = Rng::new(5);
    for (rules, players, options) in configurations().filter(|(_, _, options)| options.hidden) {
        for seed in 0..12 {
            let start = tricks(rules, players, seed, options);
            beside_reference(&start, seed, |game, reference| {
                for observer in Player::all(players) {
                    let seen = game.determinize(observer, &mut rng);
                    assert_eq!(seen.hand(observer), game.hand(observer));
                    assert_eq!((seen.turn(), seen.leader(), seen.table()), (game.turn(), game.leader(), game.table()));
                    assert_eq!((seen.points(), seen.is_broken()), (game.points(), game.is_broken()));
                    let mut cards: Hand = seen.left_out().into_iter().collect();
                    let mut total = cards.len();
                    for player in Player::all(players) {
                        let hand = seen.hand(player);
                        assert_eq!(hand.len(), game.hand(player).len());
                        let shown = &reference.shown[player.index()];
                        assert!(hand.iter().all(|card| !shown.contains(&card.suit().letter())), "{}", seen.to_text());
                        cards = cards | hand;
                        total += hand.len();
                    }
                    let held = Player::all(players).map(|player| game.hand(player));
                    let all = held.fold(game.left_out().into_iter().collect(), |all: Hand, hand| all | hand);
                    assert_eq!((cards, total), (all, all.len()), "the same cards, each once");
                    // It is a position like any other.
                    let again = start.read(&seen.to_text()).unwrap_or_else(|error| panic!("{error}"));
                    assert_eq!((again.key(), again.to_text()), (seen.key(), seen.to_text()));
                }
            });
        }
    }
}

#[test]
fn a_determinization_is_as_good_as_the_truth_to_determinize_again() {
    // Not only the same distribution: with the same seed the same deal, so nothing unknown has any influence.
    let mut rng = Rng::new(6);
    for (rules, players, options) in configurations().filter(|(_, _, options)| options.hidden) {
        for seed in 0..10 {
            let mut game = tricks(rules, players, seed, options);
            while game.payoff().is_none() {
                for observer in Player::all(players) {
                    let seen = game.determinize(observer, &mut rng);
                    let chance = Rng::new(rng.bits());
                    let first = game.determinize(observer, &mut chance.clone());
                    let second = seen.determinize(observer, &mut chance.clone());
                    assert_eq!(first.to_text(), second.to_text());
                    assert_eq!(first.key(), second.key());
                }
                let m = game.random_move(&mut Vec::new(), &mut rng);
                game.play(m);
            }
        }
    }
}

#[test]
fn open_hands_are_seen_as_they_are() {
    let game = tricks(Hearts, 3, 1, BREAK);
    assert_eq!(game.determinize(Player::new(0), &mut Rng::new(1)).to_text(), game.to_text());
}

#[test]
fn many_worlds_choose_the_same_whatever_the_hidden_cards_are() {
    let (mut rng, mut positions) = (Rng::new(8), 0);
    for (rules, players, options) in configurations().filter(|(_, _, options)| options.hidden) {
        let mut game = tricks(rules, players, 4, options);
        while game.payoff().is_none() {
            let seen = game.determinize(game.turn(), &mut rng);
            let agent = || -> Box<dyn Agent<Tricks>> {
                match positions % 3 {
                    0 => Box::new(Worlds::new(8, Greedy::new(Eval, 3), 2)),
                    1 => Box::new(Worlds::new(4, Maxn::new(Eval, Order), 2)),
                    _ => Box::new(Worlds::new(4, Mcts::new(Eval, Order, 3), 2)),
                }
            };
            let budget = Budget::nodes(200);
            let (first, second) = (agent().choose(&game, &budget), agent().choose(&seen, &budget));
            assert_eq!(Decision { time: first.time, ..second }, first, "{}", game.to_text());
            positions += 1;
            game.play(first.m);
        }
    }
    assert_eq!(positions, 4 * (51 + 52));
}

// Evaluation and ordering.

#[test]
fn forecasts_share_out_exactly_what_is_open_within_bounds_that_only_tighten() {
    for (rules, players, options) in configurations() {
        for seed in 0..40 {
            let start = tricks(rules, players, seed, options);
            let dealt = Reference::of(&start);
            let in_play: u32 = dealt.hands.iter().flatten().map(|card| card.points()).sum();
            let sum = if rules == Hearts { (players as u32 - 1) * in_play } else { dealt.hands[0].len() as u32 };
            let mut last = Eval.bounds(&start);
            beside_reference(&start, seed, |game, reference| {
                let (scores, bounds) = (Eval.scores(game), Eval.bounds(game));
                assert_eq!((scores.sum(), bounds.max_sum), (sum as i32, sum as i32), "{}", game.to_text());
                let taken: u32 = reference.points.iter().sum();
                for player in Player::all(players) {
                    let own = reference.points[player.index()];
                    let sure = if rules == Hearts { taken - own } else { own };
                    assert_eq!(bounds.min[player], sure as i32);
                    assert!(scores[player] >= bounds.min[player] && scores[player] <= bounds.max(player));
                    assert!(bounds.min[player] >= last.min[player]);
                    assert_eq!(Eval.evaluate_for(game, player), Eval.evaluate(game)[player]);
                    if game.payoff().is_some() {
                        let score = if rules == Hearts { in_play - own } else { own };
                        assert_eq!(scores[player], score as i32);
                    }
                }
                last = bounds;
            });
        }
    }
}

#[test]
fn the_points_in_play_are_those_of_the_cards_there_and_those_taken() {
    let sum = |rules, text| Eval.bounds(&start(rules, 3).read(text).unwrap()).max_sum;
    assert_eq!(sum(Hearts, "1:AK.Q.. QJ.2.. T9.3.."), 2 * 16);
    assert_eq!(sum(Hearts, "1:AK.Q.. J8.2.. T9.3.. taken=13,0,1"), 2 * 17);
    assert_eq!(sum(Spades, "1:AK.Q.. QJ.2.. T9.3.. taken=1,0,1"), 5);
    assert_eq!(sum(Spades, "1:K.Q.. QJ.2.. T9.3.. table=AS taken=1,0,1"), 5);
    for seed in 0..200 {
        let deal = tricks(Hearts, 3, seed, Options::default());
        let out = deal.left_out().unwrap();
        let in_play = 26 - Plain::of(out).points() as i32;
        assert_eq!(Eval.bounds(&deal).max_sum, 2 * in_play);
    }
}

fn sorted(rules: Rules, stance: Stance, text: &str) -> String {
    let game = start(rules, 3).read(text).unwrap();
    let mut moves = moves(&game);
    Order.sort(&game, stance, &mut moves);
    words(&moves)
}

#[test]
fn in_hearts_the_highest_card_that_loses_comes_first() {
    let own = Stance::Own;
    // Following: losers from high to low, then what somebody may still beat, low first.
    assert_eq!(sorted(Hearts, own, "3:...A832 4..3.KJ 5.62.. table=TC"), "8C 3C 2C AC");
    assert_eq!(sorted(Hearts, own, "3:...KJ32 4..3.AQ 5.62.. table=TC"), "3C 2C JC KC");
    // Cards with no card in play between them are equally high.
    assert_eq!(sorted(Hearts, own, "3:...KQ32 4..3.AJ 5.62.. table=TC"), "3C 2C KC QC");
    // The queen goes under a higher spade, but not on a lower one.
    assert_eq!(sorted(Hearts, own, "3:AQ2... 4..3.J 5.6.. table=KS"), "QS 2S AS");
    assert_eq!(sorted(Hearts, own, "3:KQ2... 4..3.J 5.6.. table=JS"), "2S KS QS");
    // A player who takes the trick anyway takes it with the highest card.
    assert_eq!(sorted(Hearts, own, "2:KT..3. ..5.J .65.. table=9S,8D"), "KS TS");
    // A discard: the queen, cards that would catch it, hearts, high cards.
    assert_eq!(sorted(Hearts, own, "3:KQ4.82.. 5.3.3.J9 6.65..2 table=9D"), "QS KS 8H 2H 4S");
    assert_eq!(sorted(Hearts, own, "3:K4.82.. 5.3.3.J 6.65.. table=9D"), "8H 2H KS 4S");
    // A lead: low, and not a card that nobody can beat.
    assert_eq!(sorted(Hearts, own, "1:.Q2.A. 5.3.3. 6.65.."), "2H QH AD");
}

#[test]
fn in_spades_the_cheapest_card_that_wins_comes_first_and_else_the_cheapest() {
    let own = Stance::Own;
    assert_eq!(sorted(Spades, own, "2:..KJ3. 4..Q. 2..4. table=TD,5D"), "JD KD 3D");
    assert_eq!(sorted(Spades, own, "2:..973. 4..8. 2..4. table=TD,5D"), "3D 7D 9D");
    // Low trumps win before high ones.
    assert_eq!(sorted(Spades, own, "2:K3..9. 4...J 2...6 table=TC,5C"), "3S KS 9D");
    // The next player must follow suit; then one who need not, and has a trump in between.
    assert_eq!(sorted(Spades, own, "3:K3..9. 4..J.3 2..A. table=TC"), "3S KS 9D");
    assert_eq!(sorted(Spades, own, "3:K3..9. 4..J3. 2..A. table=TC"), "KS 9D 3S");
    assert_eq!(sorted(Spades, own, "1:K3..9. 4..J.3 2..A.6"), "KS 9D 3S");
}

#[test]
fn against_a_player_points_go_to_that_players_tricks_and_to_no_others() {
    let against = |number: usize| Stance::Against(Player::new(number - 1));
    // Player 1 holds the trick.
    assert_eq!(sorted(Hearts, against(1), "1:A.2.3.4 Q5.85.9. 6.74.7.2 table=KC"), "QS 8H 5H 9D 5S");
    // Player 1 no longer holds it; player 2 does.
    let text = "1:A.2.3. 6.7.7. Q5.8.9. table=3C,KC";
    assert_eq!(sorted(Hearts, against(1), text), "9D 5S 8H QS");
    assert_eq!(sorted(Hearts, against(2), text), "QS 8H 9D 5S");
}

#[test]
fn against_a_player_spades_win_what_that_player_would() {
    let against = |number: usize| Stance::Against(Player::new(number - 1));
    let text = "1:5..2. ..KJ3. 2..QA. table=TD";
    assert_eq!(start(Spades, 3).read(text).unwrap_err().at, 19);
    let text = "1:5..2. ..KJ3. 2..Q4. table=TD";
    assert_eq!(sorted(Spades, against(1), text), "JD KD 3D");
    assert_eq!(sorted(Spades, against(3), text), "KD 3D JD");
    // Player 1 has lost the trick already: nothing is spent.
    assert_eq!(sorted(Spades, against(1), "1:5..2. 6..J. 2..K4. table=TD,QD"), "4D KD");
    assert_eq!(sorted(Spades, against(2), "1:5..2. 6..J. 2..K4. table=TD,QD"), "KD 4D");
}

#[test]
fn evaluation_and_ordering_play_better_than_chance() {
    // Each against three random players; equals would take 6.5 points, or 3.25 tricks.
    for (rules, limit) in [(Hearts, 3.5), (Spades, 3.7)] {
        let (mut greedy, mut ordered) = (0.0, 0.0);
        let games = 400;
        for seed in 0..games {
            let start = tricks(rules, 4, seed, Options::default());
            let mut agent = Greedy::new(Eval, seed);
            greedy += against_chance(&start, seed, |game| agent.choose(game, &Budget::default()).m);
            ordered += against_chance(&start, seed, |game| Order.first(game, Stance::Own, &moves(game)));
        }
        for points in [greedy, ordered] {
            let mean = points / games as f32;
            assert!(if rules == Hearts { mean < limit } else { mean > limit }, "{rules:?}: {greedy} {ordered}");
        }
    }
}

/// The points of one player among random ones.
fn against_chance(start: &Tricks, seed: u64, mut choose: impl FnMut(&Tricks) -> Card) -> f32 {
    let (mut game, mut rng) = (start.clone(), Rng::new(seed));
    let own = Player::new(seed as usize % start.player_count());
    while game.payoff().is_none() {
        let m = if game.turn() == own { choose(&game) } else { game.random_move(&mut Vec::new(), &mut rng) };
        game.play(m);
    }
    game.points().unwrap()[own]
}

#[test]
fn sorting_is_by_rate_with_ties_as_listed_and_the_first_is_first() {
    let mut rng = Rng::new(9);
    for (rules, players, options) in configurations().filter(|(_, _, options)| !options.hidden) {
        for seed in 0..20 {
            let mut game = tricks(rules, players, seed, options);
            while game.payoff().is_none() {
                let listed = moves(&game);
                for stance in std::iter::once(Stance::Own).chain(Player::all(players).map(Stance::Against)) {
                    let mut expected = listed.clone();
                    expected.sort_by_key(|&m| -Order.rate(&game, stance, m));
                    let mut sorted = listed.clone();
                    Order.sort(&game, stance, &mut sorted);
                    assert_eq!(sorted, expected);
                    assert_eq!(Order.first(&game, stance, &listed), sorted[0]);
                }
                let own = Stance::Against(game.turn());
                assert!(listed.iter().all(|&m| Order.rate(&game, own, m) == Order.rate(&game, Stance::Own, m)));
                let m = rng.pick(&listed);
                game.play(m);
            }
        }
    }
}
