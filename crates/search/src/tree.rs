//! Games drawn by hand, for tests, for teaching, and for checking algorithms against the figures of papers.
//!
//! A tree is text. `(P child child …)` is a node where player P (from 1) moves; a leaf is one score per player, separated
//! by commas. This is the tree of figure 2 in Sturtevant's pruning paper, where player 1 is sure of 5 and need not look at
//! the last leaf:
//!
//! ```
//! use nply::{Game, Notation, Player, Tree};
//! let tree: Tree = "(1 5,4,1 (2 4,6,0 0,5,5))".parse().unwrap();
//! assert_eq!(tree.player_count(), 3);
//! assert_eq!(tree.height(), 2);
//! let mut child = tree.clone();
//! child.play(tree.move_from_text("2").unwrap());
//! assert_eq!(child.turn(), Player::new(1));
//! assert_eq!(child.to_text(), "(2 4,6,0 0,5,5)");
//! ```
//!
//! A subtree whose leaves sum to less than those of the whole tree is followed by that sum: `(2 1,4,1) sum=10`.
//!
//! A move is the child's number, from 1. The highest score wins; ties share. Inner nodes have no scores, so only
//! searches that reach the leaves make sense.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::numbers::{Numbered, Numbers, Planes};
use crate::scene::{Align, Clicks, Figure, Label, Piece, Place, Scene, Seat, Shape};
use crate::settings::Visitor;
use crate::{
    AsListed, Bounds, ByPlayer, Declaration, Evaluation, Evaluator, Game, MAX_PLAYERS, Notation, Player, PositionError,
    Score, Settings, Tally, mix, shares,
};

/// The greatest score a leaf may have.
pub const MAX_SCORE: Score = 1_000_000;

/// The greatest height of a tree: enough for any example, and no recursive search runs out of stack.
pub const MAX_HEIGHT: usize = 500;

/// A position in a game drawn by hand: a node of a tree.
#[derive(Clone, Debug)]
pub struct Tree {
    drawn: Arc<Drawn>,
    at: u32,
}

#[derive(Debug)]
struct Drawn {
    players: usize,
    /// The greatest sum of scores, if it was given apart from the text.
    given_sum: Option<Score>,
    sum: Score,
    /// Children stand before their parents; the root is last.
    nodes: Vec<Node>,
}

#[derive(Debug)]
struct Node {
    mover: Player,
    /// Empty in a leaf.
    children: Vec<u32>,
    /// All zero in an inner node.
    scores: ByPlayer<Score>,
    height: u32,
    /// The largest sum of scores among the leaves.
    largest: Score,
    key: u64,
}

impl Tree {
    /// Reads a tree for `players` players, or for as many as its first leaf has scores; `sum` is the greatest sum of scores, by
    /// default the largest among the leaves.
    pub fn parse(text: &str, players: Option<usize>, sum: Option<Score>) -> Result<Tree, PositionError> {
        let given_sum = sum;
        let mut parser = Parser { text, rest: text, players, sum, nodes: Vec::new() };
        parser.parse_tree()?;
        let (nodes, sum) = (parser.nodes, parser.sum);
        let largest = nodes.last().map_or(0, |node| node.largest);
        // A tree has at least one leaf, and that leaf decided the number of players.
        let players = nodes[0].scores.len();
        if let Some(node) = nodes.iter().find(|node| node.mover.index() >= players) {
            let number = node.mover.number();
            let at = text.find(&format!("({number}")).unwrap_or(0);
            return Err(PositionError::new(text, at + 1, format!("a player from 1 to {players}")));
        }
        let at = nodes.len() as u32 - 1;
        Ok(Tree { drawn: Arc::new(Drawn { players, given_sum, sum: sum.unwrap_or(largest), nodes }), at })
    }

    /// The plies to the deepest leaf.
    pub fn height(&self) -> u32 {
        self.node().height
    }

    fn node(&self) -> &Node {
        &self.drawn.nodes[self.at as usize]
    }

    fn child(&self, at: u32) -> Tree {
        Tree { drawn: self.drawn.clone(), at }
    }

    fn is_leaf(&self) -> bool {
        self.node().children.is_empty()
    }

    fn write(&self, out: &mut String) {
        let node = self.node();
        if self.is_leaf() {
            let scores: Vec<String> = node.scores.as_slice().iter().map(Score::to_string).collect();
            out.push_str(&scores.join(","));
            return;
        }
        out.push('(');
        out.push_str(&node.mover.to_string());
        for &child in &node.children {
            out.push(' ');
            self.child(child).write(out);
        }
        out.push(')');
    }

    fn whole_look(&self) -> Scene {
        let mut scene = Scene::new(0.0, 1.0 + 1.4 * self.height() as f32, Vec::new());
        scene.players = Player::all(self.drawn.players).map(Seat::numbered).collect();
        (scene.width, _) = self.look(&mut scene, 0, 0.0);
        scene.turn = (!self.is_leaf()).then_some(self.node().mover);
        scene
    }

    /// Adds the nodes below this one to a scene, leaves side by side from `left` on; returns where they end and where this node is.
    fn look(&self, scene: &mut Scene, depth: u32, left: f32) -> (f32, f32) {
        let (id, y, node) = (self.id(), 0.5 + 1.4 * depth as f32, self.node());
        let index = scene.places.len();
        if self.is_leaf() {
            let mut text = String::new();
            self.write(&mut text);
            let size = 0.3 + 0.2 * text.len() as f32;
            let place = Place { shape: Shape::Box, size, label: Some(text), ..Place::field(id, left + size / 2.0, y) };
            scene.places.push(place);
            return (left + size + 0.25, left + size / 2.0);
        }
        scene.places.push(Place { shape: Shape::Circle, owner: Some(node.mover), ..Place::field(id.clone(), 0.0, y) });
        scene.pieces.push(Piece::new(id.clone(), node.mover, Figure::Disc));
        let mut end = left;
        let mut middles = Vec::new();
        for &child in &node.children {
            let child = self.child(child);
            scene.links.push((id.clone(), child.id()));
            let (next, middle) = child.look(scene, depth + 1, end);
            end = next;
            middles.push(middle);
        }
        let x = (middles[0] + middles[middles.len() - 1]) / 2.0;
        scene.places[index].x = x;
        for (number, middle) in (1..).zip(middles) {
            let label = Label::new(0.45 * x + 0.55 * middle, y + 0.77, Align::Middle, format!("{number}"));
            scene.labels.push(label);
        }
        (end.max(left + 1.1), x)
    }

    /// The id of this node in scenes, the same wherever the game is.
    fn id(&self) -> String {
        self.at.to_string()
    }
}

impl Game for Tree {
    type Move = u32;

    fn player_count(&self) -> usize {
        self.drawn.players
    }

    fn turn(&self) -> Player {
        self.node().mover
    }

    fn moves(&self, out: &mut Vec<u32>) {
        out.extend(1..=self.node().children.len() as u32);
    }

    fn play(&mut self, m: u32) {
        self.at = self.node().children[m as usize - 1];
    }

    fn payoff(&self) -> Option<ByPlayer<f32>> {
        if !self.is_leaf() {
            return None;
        }
        Some(shares(&self.node().scores))
    }

    fn key(&self) -> u64 {
        self.node().key
    }

    fn points(&self) -> Option<ByPlayer<f32>> {
        self.is_leaf().then(|| self.node().scores.map(|score| score as f32))
    }
}

impl Notation for Tree {
    const MOVE_FORM: &'static str = "the number of a child, from 1";

    fn to_text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        let largest = self.node().largest;
        if self.drawn.given_sum.is_none() && largest < self.drawn.sum {
            text.push_str(&format!(" sum={}", self.drawn.sum));
        }
        text
    }

    fn read(&self, text: &str) -> Result<Tree, PositionError> {
        Tree::parse(text, Some(self.drawn.players), self.drawn.given_sum)
    }

    /// What is left of the tree.
    fn scene(&self, _viewers: &[Player]) -> Option<Scene> {
        Some(self.whole_look())
    }

    /// The child.
    fn clicks(&self, m: u32) -> Clicks {
        Clicks::on([self.child(self.node().children[m as usize - 1]).id()])
    }

    fn move_to_text(&self, m: u32) -> String {
        m.to_string()
    }
}

/// A tree is no board: its only plane is a row with a field for each node of the whole tree.
impl Numbered for Tree {
    fn grid(&self) -> [usize; 2] {
        [1, self.drawn.nodes.len()]
    }

    fn draw(&self, planes: &mut Planes) {
        planes.plane(format_args!("node")).mark(0, self.at as usize);
    }

    fn move_count(&self) -> usize {
        self.drawn.nodes.iter().map(|node| node.children.len()).max().unwrap_or(0)
    }

    fn move_number(&self, m: u32) -> usize {
        m as usize - 1
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.whole_look().fmt(f)
    }
}

impl FromStr for Tree {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Tree, PositionError> {
        Tree::parse(text, None, None)
    }
}

/// The scores of the leaves. Those of inner nodes are all 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeafScores;

impl Evaluator<Tree> for LeafScores {
    fn bounds(&self, game: &Tree) -> Bounds {
        Bounds { min: ByPlayer::splat(game.player_count(), 0), max_sum: game.drawn.sum }
    }

    fn evaluate(&self, game: &Tree) -> ByPlayer<Score> {
        game.node().scores
    }

    fn terminal(&self, game: &Tree, _: &ByPlayer<f32>) -> ByPlayer<Score> {
        game.node().scores
    }
}

/// The options of the game `tree`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeOptions {
    /// The greatest sum of scores; `None` for the largest among the leaves.
    pub sum: Option<Score>,
}

impl Settings for TreeOptions {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        let about = "greatest sum of scores; by default the largest among the leaves";
        v.whole_or("sum", &mut self.sum, "largest", 0..=(MAX_PLAYERS as u64 * MAX_SCORE as u64), about);
    }
}

impl Declaration for Tree {
    type Game = Tree;
    type Options = TreeOptions;
    type Eval = LeafScores;
    type Order = AsListed;

    const NAME: &'static str = "tree";
    const ABOUT: &'static str =
        "a game drawn by hand: `(P child …)` is a move of player P, a leaf is one score per player";
    const PLAYERS: &'static [usize] = &[2, 3, 4, 5, 6];
    const USUAL_PLAYERS: usize = 3;
    const EVALUATIONS: &'static [Evaluation<Tree, LeafScores>] =
        &[Evaluation { name: "leaves", about: "scores of the leaves", make: |_, _| Ok(LeafScores) }];
    const IN_TURN: &'static str = "a tree says only what the player to move can do";
    const NUMBERS: Option<Numbers<Tree>> = Some(Numbers::NEW);
    const TALLY: Option<Tally<Tree>> = Some(Tally {
        name: "points",
        of: |game| game.node().scores,
        bounds: |game| LeafScores.bounds(game),
        is_share: false,
    });

    /// The tree of figure 2 in Sturtevant's pruning paper, with a score of 0 for every further player.
    fn start(players: usize, options: &TreeOptions, _seed: u64) -> Tree {
        let leaf = |scores: [Score; 3]| {
            let all = scores.iter().chain(&[0; 3]).take(players).map(Score::to_string);
            all.collect::<Vec<String>>().join(",")
        };
        let text = format!("(1 {} (2 {} {}))", leaf([5, 4, 1]), leaf([4, 6, 0]), leaf([0, 5, 5]));
        // A smaller sum can only go with another position, which is read by this start position.
        let zeros = || Tree::parse(&leaf([0; 3]), Some(players), options.sum).expect("zeros fit any sum");
        Tree::parse(&text, Some(players), options.sum).unwrap_or_else(|_| zeros())
    }

    fn least_depth(game: &Tree) -> Option<u32> {
        Some(game.height())
    }
}

struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
    players: Option<usize>,
    sum: Option<Score>,
    nodes: Vec<Node>,
}

impl<'a> Parser<'a> {
    fn error<T>(&self, expected: impl Into<String>) -> Result<T, PositionError> {
        Err(PositionError::at(self.text, self.rest, expected))
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn number(&mut self) -> Option<u32> {
        let length = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest[..length].parse().ok()?;
        self.rest = &self.rest[length..];
        Some(number)
    }

    /// Reads the whole text: a stack of open nodes, no recursion.
    fn parse_tree(&mut self) -> Result<(), PositionError> {
        let mut open: Vec<(Player, Vec<u32>)> = Vec::new();
        loop {
            self.skip_space();
            let done = if let Some(rest) = self.rest.strip_prefix('(') {
                if open.len() == MAX_HEIGHT {
                    return self.error(format!("at most {MAX_HEIGHT} levels"));
                }
                self.rest = rest;
                self.skip_space();
                open.push((self.player()?, Vec::new()));
                continue;
            } else if let Some(rest) = self.rest.strip_prefix(')') {
                match open.pop() {
                    None => return self.error("a node or a leaf"),
                    Some((_, children)) if children.is_empty() => return self.error("a child"),
                    Some((mover, children)) => {
                        self.rest = rest;
                        self.node(mover, children)
                    }
                }
            } else if self.rest.is_empty() {
                return self.error(if open.is_empty() { "a node or a leaf" } else { "a child or `)`" });
            } else {
                self.leaf()?
            };
            match open.last_mut() {
                Some((_, children)) => children.push(done),
                None => break,
            }
        }
        self.skip_space();
        if let (None, Some(rest)) = (self.sum, self.rest.strip_prefix("sum=")) {
            self.rest = rest;
            let largest = self.nodes.last().map_or(0, |node| node.largest);
            match self.number().map(i64::from) {
                Some(sum) if (i64::from(largest)..=i64::from(MAX_PLAYERS as Score * MAX_SCORE)).contains(&sum) => {
                    self.sum = Some(sum as Score);
                }
                _ => {
                    self.rest = rest;
                    return self.error(format!("a sum of {largest} or more"));
                }
            }
            self.skip_space();
        }
        if self.rest.is_empty() { Ok(()) } else { self.error("the end") }
    }

    fn player(&mut self) -> Result<Player, PositionError> {
        let most = self.players.unwrap_or(MAX_PLAYERS);
        let before = self.rest;
        match self.number() {
            Some(number) if (1..=most as u32).contains(&number) => Ok(Player::new(number as usize - 1)),
            _ => {
                self.rest = before;
                self.error(format!("a player from 1 to {most}"))
            }
        }
    }

    fn leaf(&mut self) -> Result<u32, PositionError> {
        let start = self.rest;
        let mut scores = Vec::new();
        loop {
            let before = self.rest;
            match self.number() {
                Some(score) if score <= MAX_SCORE as u32 => scores.push(score as Score),
                _ => {
                    self.rest = before;
                    let what = if scores.is_empty() { "`(`, `)` or " } else { "" };
                    return self.error(format!("{what}a score from 0 to {MAX_SCORE}"));
                }
            }
            match self.rest.strip_prefix(',') {
                Some(rest) => self.rest = rest,
                None => break,
            }
        }
        let after = self.rest;
        self.rest = start;
        match self.players {
            Some(players) if scores.len() != players => return self.error(format!("{players} scores")),
            None if !(2..=MAX_PLAYERS).contains(&scores.len()) => {
                return self.error(format!("2 to {MAX_PLAYERS} scores"));
            }
            _ => self.players = Some(scores.len()),
        }
        let scores = ByPlayer::from_slice(&scores);
        if let Some(sum) = self.sum.filter(|&sum| scores.sum() > sum) {
            return self.error(format!("scores that sum to at most {sum}"));
        }
        self.rest = after;
        let key = scores.as_slice().iter().fold(1, |key, &score| mix(key ^ score as u64));
        self.nodes.push(Node {
            mover: Player::default(),
            children: Vec::new(),
            scores,
            height: 0,
            largest: scores.sum(),
            key,
        });
        Ok(self.nodes.len() as u32 - 1)
    }

    fn node(&mut self, mover: Player, children: Vec<u32>) -> u32 {
        let child = |&index: &u32| &self.nodes[index as usize];
        let height = 1 + children.iter().map(child).map(|node| node.height).max().unwrap_or(0);
        let key = children
            .iter()
            .map(child)
            .fold(mix(2 + mover.index() as u64), |key, node| mix(key.rotate_left(1) ^ node.key));
        let largest = children.iter().map(child).map(|node| node.largest).max().unwrap_or(0);
        let scores = ByPlayer::splat(self.players.unwrap_or(MAX_PLAYERS), 0);
        self.nodes.push(Node { mover, children, scores, height, largest, key });
        self.nodes.len() as u32 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Tree::parse(text, Some(3), Some(10)).unwrap_err().to_string()
    }

    #[test]
    fn errors_say_where_and_what() {
        for (text, expected) in [
            ("", "expected a node or a leaf at character 1, found the end"),
            ("(1)", "expected a child at character 3, found \")\""),
            ("(1 5,4,1", "expected a child or `)` at character 9, found the end"),
            ("(1 5,4,1 5,4)", "expected 3 scores at character 10, found \"5,4)\""),
            ("(4 5,4,1)", "expected a player from 1 to 3 at character 2, found \"4 5,4,1)\""),
            ("(1 5,-4,1)", "expected a score from 0 to 1000000 at character 6, found \"-4,1)\""),
            ("(1 5,4,2)", "expected scores that sum to at most 10 at character 4, found \"5,4,2)\""),
            ("1,2,3 4", "expected the end at character 7, found \"4\""),
            ("(x 1,2,3)", "expected a player from 1 to 3 at character 2, found \"x 1,2,3)\""),
        ] {
            assert!(error(text).ends_with(expected), "{text}: {}", error(text));
        }
        let deep = "(1 ".repeat(MAX_HEIGHT + 1);
        assert!(error(&deep).contains("at most 500 levels"));
    }

    #[test]
    fn a_player_above_the_leaves_scores_is_an_error() {
        let error = "(1 (3 1,2))".parse::<Tree>().unwrap_err();
        assert_eq!(error.expected, "a player from 1 to 2");
        assert_eq!(error.at, 4);
    }

    #[test]
    fn the_highest_score_wins_and_ties_share() {
        let tree: Tree = "5,5,0".parse().unwrap();
        assert_eq!(tree.payoff(), Some(ByPlayer::from_slice(&[0.5, 0.5, 0.0])));
    }

    #[test]
    fn a_subtree_keeps_the_sum_of_the_whole() {
        let tree: Tree = "(1 9,9,9 (2 1,4,1 0,2,4))".parse().unwrap();
        let mut child = tree.clone();
        child.play(2);
        assert_eq!(child.to_text(), "(2 1,4,1 0,2,4) sum=27");
        let read = tree.read(&child.to_text()).unwrap();
        assert_eq!(LeafScores.bounds(&read), LeafScores.bounds(&child));
        let error = tree.read("(2 1,4,1 0,2,4) sum=5").unwrap_err();
        assert_eq!(error.expected, "a sum of 6 or more");
    }

    #[test]
    fn the_scene_has_a_piece_for_each_inner_node_and_a_box_for_each_leaf() {
        let tree: Tree = "(1 5,4,1 (2 4,6,0 (2 1,2,3)))".parse().unwrap();
        let scene = tree.scene(&[]).unwrap();
        let movers: Vec<usize> = scene.pieces.iter().filter_map(|piece| Some(piece.player?.number())).collect();
        assert_eq!(movers, [1, 2, 2]);
        let leaves: Vec<&str> = scene.places.iter().filter_map(|place| place.label.as_deref()).collect();
        assert_eq!(leaves, ["5,4,1", "4,6,0", "1,2,3"]);
        assert_eq!(scene.links.len(), 5);
        // A node keeps its id when the game reaches it.
        let clicked = tree.clicks(2).places;
        let mut child = tree.clone();
        child.play(2);
        assert_eq!(child.scene(&[]).unwrap().places[0].id, clicked[0]);
        assert_eq!(
            tree.to_string(),
            "player 1\n├─ 1: 5,4,1\n└─ 2: player 2\n   ├─ 1: 4,6,0\n   └─ 2: player 2\n      └─ 1: 1,2,3\n"
        );
    }

    #[test]
    fn equal_subtrees_have_equal_keys() {
        let tree: Tree = "(1 (2 1,2 3,4) (2 1,2 3,4) (2 3,4 1,2))".parse().unwrap();
        let keys: Vec<u64> = (1..=3).map(|m| tree.clone().visit(m, |child| child.key())).collect();
        assert_eq!(keys[0], keys[1]);
        assert_ne!(keys[0], keys[2]);
    }

    #[test]
    fn trees_keep_what_every_game_promises() {
        let tree: Tree = "(1 5,4,1 (2 4,6,0 (3 (1 0,5,5) 1,1,1)) (2 (1 3,3,3 1,2,3) 0,0,9))".parse().unwrap();
        crate::testing::check_notation(&tree, 100);
        crate::testing::check_scene(&tree, 20);
        crate::testing::check_text(&tree, 1_000_000);
    }

    #[test]
    fn a_declared_tree_starts_with_the_figure_unless_the_sum_is_too_small_for_it() {
        let start = |players, sum| Tree::start(players, &TreeOptions { sum }, 0);
        assert_eq!(start(3, None).to_text(), "(1 5,4,1 (2 4,6,0 0,5,5))");
        assert_eq!(start(2, None).to_text(), "(1 5,4 (2 4,6 0,5))");
        assert_eq!(start(4, Some(12)).to_text(), "(1 5,4,1,0 (2 4,6,0,0 0,5,5,0))");
        assert_eq!(LeafScores.bounds(&start(4, Some(12))).max_sum, 12);
        let small = start(3, Some(9));
        assert_eq!(small.to_text(), "0,0,0");
        assert!(small.read("(1 3,3,3 4,4,1)").is_ok());
        assert!(small.read("(1 3,3,3 4,4,2)").is_err());
        assert_eq!(Tree::least_depth(&start(3, None)), Some(2));
    }
}
