//! The agent `best`: a name that stands for the strongest agent known for a game, a number of players and a budget.
//!
//! It is replaced by what it stands for as soon as it is named, so that matches, kept games and reports have an agent that means
//! the same when the table has changed. The table is `best.toml` in the folder of this crate; `nply tune` writes its entries.

use std::fmt::Write as _;
use std::sync::OnceLock;

use nply::{Budget, Error, Limit, Spec};
use serde::{Deserialize, Serialize};

use super::{AgentInfo, GameInfo};

/// How users write it.
pub(super) const NAME: &str = "best";

const TABLE: &str = include_str!("../../best.toml");

/// The declaration of `best`.
pub(super) fn info() -> AgentInfo {
    AgentInfo {
        name: NAME,
        about: "the strongest agent known for the game, the number of players and the budget",
        rule: None,
        limits: Limit::ALL,
        needs_limit: true,
        uses_order: false,
        keeps_time: false,
        settings: Vec::new(),
        games: None,
    }
}

/// What a match has shown of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// A sequential test found it stronger than what it played against.
    Stronger,
    /// A sequential test found both rates near one half.
    Equal,
    /// A sequential test was not decided when all games were played.
    Undecided,
    /// It was first among several families in a match that is too short to show much.
    ShortMatch,
    /// Searching to the end needs no match.
    Exact,
}

impl Shown {
    /// What it says of an entry, in words.
    pub fn describe(self) -> &'static str {
        match self {
            Shown::Stronger => "stronger by a sequential test",
            Shown::Equal => "equal by a sequential test",
            Shown::Undecided => "undecided by a sequential test",
            Shown::ShortMatch => "chosen by short matches",
            Shown::Exact => "searches to the end",
        }
    }
}

/// An entry of the table: the strongest agent known, and the match that shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BestEntry {
    /// The game, with those options that it holds for.
    pub game: String,
    /// The numbers of players.
    pub players: Vec<usize>,
    /// The budget of a decision at which the match was played; it is used for the budgets that are nearest.
    pub budget: String,
    /// The agent.
    pub agent: String,
    /// What the match has shown.
    pub shown: Shown,
    /// The agent that it played against or, of several, the best of the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// Number of games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
    /// Its rate in percent, and the ends of the 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<[f64; 3]>,
    /// The command that played it, or the page that reports it.
    pub source: String,
}

impl BestEntry {
    /// The entry as it stands in the table.
    pub fn to_toml(&self) -> String {
        // Strings of JSON are strings of TOML.
        let text = |text: &str| serde_json::Value::from(text).to_string();
        let players: Vec<String> = self.players.iter().map(usize::to_string).collect();
        let shown = serde_json::to_value(self.shown).expect("a word");
        let mut toml = format!(
            "[[entry]]\ngame = {}\nplayers = [{}]\nbudget = {}\nagent = {}\nshown = {shown}\n",
            text(&self.game),
            players.join(", "),
            text(&self.budget),
            text(&self.agent),
        );
        let against = self.against.iter().map(|against| format!("against = {}\n", text(against)));
        let games = self.games.iter().map(|games| format!("games = {games}\n"));
        let rate = self.rate.iter().map(|[rate, low, high]| format!("rate = [{rate:.1}, {low:.1}, {high:.1}]\n"));
        toml.extend(against.chain(games).chain(rate));
        let _ = writeln!(toml, "source = {}", text(&self.source));
        toml
    }

    /// The match in words: what it played against, with which result.
    pub fn describe(&self) -> String {
        let mut text = self.shown.describe().to_string();
        if let Some([rate, low, high]) = self.rate {
            let _ = write!(text, ", {rate:.1} % ({low:.1} to {high:.1})");
        }
        if let Some(games) = self.games {
            let _ = write!(text, " of {games} games");
        }
        if let Some(against) = &self.against {
            let _ = write!(text, " against {against}");
        }
        text
    }

    fn budget(&self) -> Budget {
        self.budget.parse().expect("the table is tested")
    }

    /// The number of options that it names and that are not as usual, if all that it names are as in the game.
    fn fits(&self, game: &str, options: &Options, players: usize) -> Option<usize> {
        let spec = Spec::parse(&self.game).expect("the table is tested");
        let fits = spec.name == game && self.players.contains(&players);
        let is_special = |pair: &&(String, String)| !options.usual.contains(pair);
        (fits && spec.pairs.iter().all(|pair| options.own.contains(pair)))
            .then(|| spec.pairs.iter().filter(is_special).count())
    }

    /// Whether another entry is for the same game, players and budget.
    fn is_same(&self, other: &BestEntry) -> bool {
        (&self.game, &self.players, &self.budget) == (&other.game, &other.players, &other.budget)
    }
}

/// All options of a game, as text.
pub(crate) struct Options {
    /// Those of the game that is played.
    pub(crate) own: Vec<(String, String)>,
    /// Their defaults.
    pub(crate) usual: Vec<(String, String)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(rename = "entry")]
    entries: Vec<BestEntry>,
}

fn read(text: &str) -> Result<Vec<BestEntry>, Error> {
    let table: Table = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
        let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
        Error::file(format!("line {line}: {message}"))
    })?;
    Ok(table.entries)
}

fn table() -> &'static [BestEntry] {
    static ENTRIES: OnceLock<Vec<BestEntry>> = OnceLock::new();
    ENTRIES.get_or_init(|| read(TABLE).expect("the table is tested"))
}

/// About how many nodes a budget comes to, for comparing budgets of different kinds: half a million in a second, 200 in a playout.
/// `None` where nothing but a depth, or nothing, is given.
fn size(budget: &Budget) -> Option<f64> {
    let nodes = budget.nodes.map(|nodes| nodes as f64);
    let playouts = budget.playouts.map(|playouts| 200.0 * playouts as f64);
    let time = budget.time.map(|time| 5e5 * time.as_secs_f64());
    [nodes, playouts, time].into_iter().flatten().reduce(f64::min)
}

/// The entries for a game: those for most of the options that are not as usual first, then by the ratio of budgets; where no
/// budget is given, the largest first. Each has the number of those options.
pub(super) fn entries(
    game: &str,
    options: &Options,
    players: usize,
    budget: &Budget,
) -> Vec<(usize, &'static BestEntry)> {
    let asked = size(budget);
    let distance = |entry: &BestEntry| {
        let own = size(&entry.budget()).unwrap_or(1.0).max(1.0);
        asked.map_or(-own, |asked| (own / asked.max(1.0)).ln().abs())
    };
    let fitting = table().iter().filter_map(|entry| Some((entry.fits(game, options, players)?, entry)));
    let mut fitting: Vec<(usize, &BestEntry)> = fitting.collect();
    // Of entries that are as near, the one for fewer numbers of players.
    fitting.sort_by(|(one, a), (other, b)| {
        let key = |entry: &BestEntry| (distance(entry), entry.players.len());
        let ((near, few), (far, many)) = (key(a), key(b));
        other.cmp(one).then(near.total_cmp(&far)).then(few.cmp(&many))
    });
    fitting
}

/// What it stands for in any game that the table does not have, the first that takes the limits: where something is hidden, a vote
/// over guesses of it; for two players alpha-beta; Best-Reply Search where players may move out of turn, which the papers found
/// strongest, and else Paranoid; Monte-Carlo tree search where only playouts are limited.
pub(crate) fn defaults(game: &GameInfo, players: usize, hides: bool) -> Vec<&'static str> {
    if hides {
        return vec!["worlds", "worlds:agent=(mcts)"];
    }
    let search = if players == 2 {
        "alphabeta"
    } else if game.is_out_of_turn {
        "brs"
    } else {
        "paranoid"
    };
    vec![search, "mcts"]
}

/// The text of a table with an entry more; one for the same game, players and budget is replaced, and everything else stays as
/// it is.
pub fn with_entry(text: &str, entry: &BestEntry) -> Result<String, Error> {
    let index = read(text)?.iter().position(|other| other.is_same(entry));
    let starts: Vec<usize> = text.match_indices("[[entry]]").map(|(at, _)| at).collect();
    let is_line = |&at: &usize| at == 0 || text.as_bytes()[at - 1] == b'\n';
    let starts: Vec<usize> = starts.into_iter().filter(is_line).collect();
    let Some(start) = index.and_then(|index| starts.get(index).copied()) else {
        let gap = if text.is_empty() || text.ends_with("\n\n") { "" } else { "\n" };
        return Ok(format!("{text}{gap}{}", entry.to_toml()));
    };
    // An entry has no empty line.
    let end = text[start..].find("\n\n").map_or(text.len(), |at| start + at + 1);
    Ok(format!("{}{}{}", &text[..start], entry.to_toml(), &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;

    fn sample() -> BestEntry {
        BestEntry {
            game: "focus".into(),
            players: vec![3],
            budget: "nodes=2k".into(),
            agent: "brs".into(),
            shown: Shown::Stronger,
            against: Some("brs+:top=3".into()),
            games: Some(120),
            rate: Some([61.52, 52.0, 70.5]),
            source: "nply tune \"focus\"".into(),
        }
    }

    #[test]
    fn every_entry_of_the_table_can_be_played_as_it_is_written() {
        let registry = Registry::standard();
        for entry in table() {
            let game = registry.find(&entry.game).unwrap();
            // Options are written as they are read, even those that are defaults.
            assert!(game.best_entries(entry.players[0]).contains(&entry), "{entry:?}");
            let budget: Budget = entry.budget.parse().unwrap();
            assert!(size(&budget).is_some() && budget.to_string() == entry.budget, "{entry:?}");
            for &players in &entry.players {
                game.player_count(Some(players)).unwrap();
                let agent = game.agent(&entry.agent, players).unwrap();
                agent.check_budget(&budget).unwrap();
                assert_eq!((agent.to_string(), agent.budget), (entry.agent.clone(), None));
            }
            let is_tested = matches!(entry.shown, Shown::Stronger | Shown::Equal | Shown::Undecided);
            assert!(
                !is_tested || entry.rate.is_some() && entry.games.is_some() && entry.against.is_some(),
                "{entry:?}"
            );
        }
        let is_twice = |entry: &&BestEntry| table().iter().filter(|other| other.is_same(entry)).count() > 1;
        assert_eq!(table().iter().find(is_twice), None);
    }

    #[test]
    fn the_table_is_written_as_it_stands() {
        for entry in table() {
            assert!(TABLE.contains(&entry.to_toml()), "{}", entry.to_toml());
        }
    }

    #[test]
    fn an_entry_is_read_back_added_and_replaced() {
        let entry = sample();
        let read_back = read(&entry.to_toml()).unwrap();
        assert_eq!(read_back, [BestEntry { rate: Some([61.5, 52.0, 70.5]), ..entry.clone() }]);
        let added = with_entry(TABLE, &entry).unwrap();
        assert!(added.starts_with(TABLE.trim_end()) && added.ends_with(&entry.to_toml()));
        let other = BestEntry { players: vec![4], ..entry.clone() };
        let two = with_entry(&added, &other).unwrap();
        let replaced = with_entry(&two, &BestEntry { agent: "brs+".into(), ..entry.clone() }).unwrap();
        assert_eq!(replaced, two.replacen(&entry.to_toml(), &entry.to_toml().replace("\"brs\"", "\"brs+\""), 1));
        assert_eq!(read(&replaced).unwrap().len(), table().len() + 2);
        assert!(with_entry("entry = 5", &entry).unwrap_err().message.starts_with("line 1: "));
    }

    #[test]
    fn the_nearest_budget_counts_and_then_the_options() {
        let pairs = |hidden: &str| vec![("break".into(), "no".into()), ("hidden".into(), hidden.to_string())];
        let options = |hidden: &str| Options { own: pairs(hidden), usual: pairs("no") };
        let found = |hidden: &str| entries("hearts", &options(hidden), 3, &Budget::default());
        let agents = |hidden: &str| found(hidden).iter().map(|(_, entry)| entry.agent.as_str()).collect::<Vec<_>>();
        assert_eq!((agents("yes"), agents("no")), (vec!["worlds", "maxn"], vec!["maxn"]));
        // An option that is as usual limits an entry, but says no more about the usual game than none.
        let othello = Registry::standard().find("othello").unwrap();
        let options = Options { own: othello.whole_spec().pairs, usual: othello.whole_spec().pairs };
        assert_eq!(entries("othello", &options, 2, &Budget::default())[0].0, 0);
        assert!(size(&Budget::nodes(10_000)) > size(&Budget::playouts(10)));
        assert_eq!((size(&Budget::default()), size(&Budget::depth(3))), (None, None));
    }
}
