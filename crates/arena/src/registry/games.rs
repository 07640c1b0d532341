//! The games, each with its options and how its parts are made.

use std::sync::Arc;

use nply::tree::{LeafScores, MAX_SCORE};
use nply::{AsListed, Budget, Score, Tree};
use nply_games::cards::{self, Tricks};
use nply_games::chess::{self, FourPlayerChess};
use nply_games::chinese_checkers::{self, Board, ChineseCheckers};
use nply_games::focus::{self, Focus, Rules};
use nply_games::rolit::{self, Othello, Rolit};

use super::{AnyEntry, Entry, GameInfo, game, game_out_of_turn};
use crate::error::Error;
use crate::spec::{Kind, OptionInfo, Options, Spec};

/// Every game, in the order of listings.
pub(super) fn all() -> Vec<Arc<dyn AnyEntry>> {
    vec![
        game_out_of_turn(chinese_checkers()),
        game_out_of_turn(focus()),
        game_out_of_turn(rolit()),
        game_out_of_turn(othello()),
        game_out_of_turn(four_player_chess()),
        game(cards(HEARTS, |players, options, seed| deal(cards::Hearts, players, options, seed))),
        game(cards(SPADES, |players, options, seed| deal(cards::Spades, players, options, seed))),
        game(tree()),
    ]
}

/// An option of every game that needs a limit to end.
const fn limit(default: &'static str) -> OptionInfo {
    let kind = Kind::Whole { min: 1, max: 1_000_000, or: None };
    OptionInfo { key: "limit", kind, default, about: "the plies after which the game is a draw" }
}

fn chinese_checkers() -> Entry<ChineseCheckers, chinese_checkers::Eval, chinese_checkers::Order> {
    const BOARD: OptionInfo = OptionInfo {
        key: "board",
        kind: Kind::Choice(&["small", "large"]),
        default: "small",
        about: "73 fields and 6 pieces each, or 121 fields and 10 pieces each",
    };
    Entry {
        info: GameInfo {
            name: "chinese-checkers",
            about: "be first to cross the star; pieces hop over each other",
            players: ChineseCheckers::PLAYERS,
            usual: 3,
            options: const { &[BOARD, limit("1000")] },
            evals: &[
                ("table", "the moves that the pieces need alone on the board, from a table; small board only"),
                ("distance", "pieces in the goal, stragglers at home, distances; the large board's default"),
            ],
            order_options: &[],
            is_out_of_turn: true,
        },
        start: |players, options, _| {
            let board = if options.text("board") == "large" { Board::Large } else { Board::Small };
            ChineseCheckers::new(players, board, plies(options))
        },
        eval: |name, game, progress| match (name, game.board()) {
            ("distance", _) | ("", Board::Large) => Ok(chinese_checkers::Eval::Distance),
            (_, board) => chinese_checkers::Eval::table(board, &|done| progress("building the distance table", done))
                .map_err(|error| Error::failed(error.to_string())),
        },
        order: |_| chinese_checkers::Order,
        noise: chinese_checkers::Eval::noise,
        refuse: nothing,
    }
}

fn focus() -> Entry<Focus, focus::Eval, focus::Order> {
    const RULES: OptionInfo = OptionInfo {
        key: "rules",
        kind: Kind::Choice(&["short", "standard"]),
        default: "short",
        about: "won by captures, or only when nobody else can move",
    };
    Entry {
        info: GameInfo {
            name: "focus",
            about: "stacks move as far as they are tall; capture what is below five",
            players: focus::PLAYERS,
            usual: 4,
            options: const { &[RULES, limit("300")] },
            evals: &[
                ("height", "captures still needed, and how high the own pieces stand"),
                ("stacks", "captures still needed, and how many stacks are controlled"),
            ],
            order_options: &[],
            is_out_of_turn: true,
        },
        start: |players, options, _| {
            let rules = if options.text("rules") == "standard" { Rules::Standard } else { Rules::Short };
            Focus::new(players, rules, plies(options))
        },
        eval: |name, _, _| Ok(if name == "stacks" { focus::Eval::Stacks } else { focus::Eval::Height }),
        order: |_| focus::Order,
        noise: |_| focus::NOISE,
        refuse: nothing,
    }
}

/// The evaluations of Rolit and Othello.
const DISCS: &[(&str, &str)] = &[
    ("patterns", "the expected disc difference by patterns learned from Othello games, in thousandths"),
    ("discs", "the own discs, in thousandths"),
    ("mobility", "corners and flipping moves: a yardstick"),
];

fn discs<G>(name: &str, _: &G, _: fn(&str, f64)) -> Result<rolit::Eval, Error> {
    Ok(match name {
        "discs" => rolit::Eval::Discs,
        "mobility" => rolit::Eval::Mobility,
        _ => rolit::Eval::default(),
    })
}

fn rolit() -> Entry<Rolit, rolit::Eval, rolit::Order> {
    Entry {
        info: GameInfo {
            name: "rolit",
            about: "Othello in two to four colours; nobody ever passes",
            players: &[2, 3, 4],
            usual: 4,
            options: &[],
            evals: DISCS,
            order_options: &[],
            is_out_of_turn: true,
        },
        start: |players, _, _| Rolit::new(players).expect("a number of players that the game allows"),
        eval: discs,
        order: |_| rolit::Order,
        noise: |_| rolit::NOISE,
        refuse: nothing,
    }
}

fn othello() -> Entry<Othello, rolit::Eval, rolit::Order> {
    Entry {
        info: GameInfo {
            name: "othello",
            about: "turn discs by enclosing them; most discs win",
            players: &[2],
            usual: 2,
            options: &[],
            evals: DISCS,
            order_options: &[],
            is_out_of_turn: true,
        },
        start: |_, _, _| Othello::new(),
        eval: discs,
        order: |_| rolit::Order,
        noise: |_| rolit::NOISE,
        refuse: nothing,
    }
}

fn four_player_chess() -> Entry<FourPlayerChess, chess::Eval, chess::Order> {
    const ATTACKER: OptionInfo = OptionInfo {
        key: "attacker",
        kind: Kind::Choice(&["yes", "no"]),
        default: "yes",
        about: "whether captures of equal victims are ordered by the cheapest attacker",
    };
    Entry {
        info: GameInfo {
            name: "four-player-chess",
            about: "chess on four sides; the last player standing wins",
            players: &[4],
            usual: 4,
            options: &[],
            evals: &[("material", "material, mobility, king safety and pawn advance")],
            order_options: &[ATTACKER],
            is_out_of_turn: true,
        },
        start: |_, _, _| FourPlayerChess::new(),
        eval: |_, _, _| Ok(chess::Eval::default()),
        order: |options| chess::Order { attacker: !options.has("attacker") || options.yes("attacker") },
        noise: |_| chess::NOISE,
        refuse: nothing,
    }
}

const HEARTS: GameInfo =
    GameInfo { name: "hearts", about: "take no hearts and not the queen of spades; fewest points win", ..CARDS };

const SPADES: GameInfo = GameInfo { name: "spades", about: "take tricks, spades are trumps; most tricks win", ..CARDS };

/// What both card games have in common.
const CARDS: GameInfo = GameInfo {
    name: "",
    about: "",
    players: &[3, 4],
    usual: 4,
    options: &[
        OptionInfo {
            key: "break",
            kind: Kind::Choice(&["no", "yes"]),
            default: "no",
            about: "whether the suit of the name may be led only after one was played on another suit",
        },
        OptionInfo {
            key: "hidden",
            kind: Kind::Choice(&["no", "yes"]),
            default: "no",
            about: "whether players see only their own cards",
        },
    ],
    evals: &[("forecast", "what was taken, and a forecast from the cards held")],
    order_options: &[],
    is_out_of_turn: false,
};

fn cards(info: GameInfo, start: fn(usize, &Options, u64) -> Tricks) -> Entry<Tricks, cards::Eval, cards::Order> {
    Entry {
        info,
        start,
        eval: |_, _, _| Ok(cards::Eval),
        order: |_| cards::Order,
        noise: |_| cards::NOISE,
        refuse: nothing,
    }
}

fn deal(kind: cards::Kind, players: usize, options: &Options, seed: u64) -> Tricks {
    let table = cards::Options { breaking: options.yes("break"), hidden: options.yes("hidden") };
    Tricks::new(kind, players, seed, table)
}

fn plies(options: &Options) -> u32 {
    options.whole("limit").expect("a limit is a number") as u32
}

/// Refuses no search.
fn nothing<G>(_: &G, _: &Spec, _: &Budget) -> Result<(), Error> {
    Ok(())
}

fn tree() -> Entry<Tree, LeafScores, AsListed> {
    const SUM: OptionInfo = OptionInfo {
        key: "sum",
        kind: Kind::Whole { min: 0, max: 6 * MAX_SCORE as u64, or: Some("largest") },
        default: "largest",
        about: "the greatest sum of scores; by default the largest among the leaves",
    };
    Entry {
        info: GameInfo {
            name: "tree",
            about: "a game drawn by hand: `(P child …)` is player P's move, a leaf is one score per player",
            players: &[2, 3, 4, 5, 6],
            usual: 3,
            options: &[SUM],
            evals: &[("leaves", "the scores of the leaves")],
            order_options: &[],
            is_out_of_turn: false,
        },
        start: start_tree,
        eval: |_, _, _| Ok(LeafScores),
        order: |_| AsListed,
        noise: |_| 0,
        refuse: refuse_half_trees,
    }
}

/// The tree of figure 2 in the pruning paper, with a score of 0 for every further player.
fn start_tree(players: usize, options: &Options, _seed: u64) -> Tree {
    let leaf = |scores: [Score; 3]| {
        let all = scores.iter().chain(&[0; 3]).take(players).map(Score::to_string);
        all.collect::<Vec<String>>().join(",")
    };
    let text = format!("(1 {} (2 {} {}))", leaf([5, 4, 1]), leaf([4, 6, 0]), leaf([0, 5, 5]));
    let sum = options.whole("sum").map(|sum| sum as Score);
    let drawn = Tree::parse(&text, Some(players), sum);
    // A sum below this tree's can only go with another position; that is read with the sum as it was said.
    drawn.unwrap_or_else(|_| Tree::parse(&vec!["0"; players].join(","), Some(players), sum).expect("zeros fit any sum"))
}

fn refuse_half_trees(game: &Tree, agent: &Spec, budget: &Budget) -> Result<(), Error> {
    let height = game.height();
    if agent.name == "greedy" && height > 1 {
        return Err(Error::failed("greedy looks one ply ahead, and inner nodes of a tree have no scores"));
    }
    match budget.depth {
        Some(depth) if depth < height => {
            Err(Error::failed(format!("inner nodes of a tree have no scores, and depth {depth} ends there"))
                .help(format!("search this tree with --depth {height}")))
        }
        _ => Ok(()),
    }
}
