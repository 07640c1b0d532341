//! The counter-example of docs/findings.md: figure 7 of Sturtevant 2003, taken as printed, gives a tree a wrong value.

mod common;

/// A tree for three players, as `nply search tree --position` reads it.
const TREE: &str = "(1 1,3,0 (2 (3 0,0,4 1,1,2) (3 4,0,0 1,3,0)))";
/// The sum of every leaf's scores.
const MAXSUM: i32 = 4;

enum Node {
    Leaf([i32; 3]),
    Inner(usize, Vec<Node>),
}

fn parse(words: &mut std::iter::Peekable<std::vec::IntoIter<String>>) -> Node {
    let word = words.next().expect("a node");
    if word != "(" {
        let scores: Vec<i32> = word.split(',').map(|score| score.parse().expect("a score")).collect();
        return Node::Leaf(scores.try_into().expect("three scores"));
    }
    let player: usize = words.next().expect("a player").parse().expect("a number");
    let mut children = Vec::new();
    while words.peek().expect("a closing parenthesis") != ")" {
        children.push(parse(words));
    }
    words.next();
    Node::Inner(player - 1, children)
}

fn tree() -> Node {
    let spaced = TREE.replace('(', " ( ").replace(')', " ) ");
    let words: Vec<String> = spaced.split_whitespace().map(String::from).collect();
    parse(&mut words.into_iter().peekable())
}

/// Max^n by its definition, the first of equals.
fn maxn(node: &Node) -> [i32; 3] {
    match node {
        Node::Leaf(scores) => *scores,
        Node::Inner(player, children) => {
            let values = children.iter().map(maxn);
            values.reduce(|best, value| if value[*player] > best[*player] { value } else { best }).expect("a child")
        }
    }
}

/// Figure 7 line by line; NIL counts as a bound of 0.
fn printed(node: &Node, parent: i32, grandparent: i32) -> Option<[i32; 3]> {
    let (player, children) = match node {
        Node::Leaf(scores) => return Some(*scores),
        Node::Inner(player, children) => (*player, children),
    };
    let previous = (player + 2) % 3;
    let (mut best, mut pruned): (Option<[i32; 3]>, Vec<&Node>) = (None, Vec::new());
    let mut list: std::collections::VecDeque<&Node> = children.iter().collect();
    while let Some(child) = list.pop_front() {
        let own = best.map_or(0, |best| best[player]);
        let above = if best.map_or(0, |best| best[previous]) <= parent { parent } else { 0 };
        let result = printed(child, own, above);
        match (best, result) {
            (None, result) => best = result,
            (Some(_), None) => pruned.push(child),
            (Some(old), Some(new)) if old[player] < new[player] => {
                best = Some(new);
                if new[previous] > parent {
                    list.extend(pruned.drain(..));
                }
            }
            (Some(_), Some(_)) => {}
        }
        if grandparent + parent + best.map_or(0, |best| best[player]) > MAXSUM {
            return None;
        }
    }
    best
}

#[test]
fn figure_7_as_printed_gives_a_tree_a_wrong_value_and_ours_the_right_one() {
    assert_eq!(maxn(&tree()), [1, 3, 0]);
    assert_eq!(printed(&tree(), 0, 0), Some([4, 0, 0]));
    for pruning in ["none", "last-branch", "speculative"] {
        let agent = format!("maxn:pruning={pruning}");
        let shown = common::stdout(&["search", "tree", "--position", TREE, "--agent", &agent, "--depth", "4"]);
        let scores = shown.lines().find(|line| line.starts_with("scores")).expect("scores");
        assert_eq!(scores.split_whitespace().skip(1).collect::<Vec<_>>(), ["1", "3", "0"], "{pruning}");
    }
}
