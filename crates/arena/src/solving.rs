//! Solving in text: what a session is asked, what it finds, and files of proofs.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use nply::dfpn::Answer;
use nply::proof::{self, Counts};
use nply::solve::{Asked, Proof, Solver};
use nply::{Budget, Code, Declaration, Error, Game, Notation, Player, Question, Rng, Score, Tally, WHOLE, mix};
use serde_json::{Value, json};

/// What one player against the rest is asked for.
#[derive(Clone, Debug, Default)]
pub struct Solving {
    /// The player, from 1.
    pub player: usize,
    /// Whether shares of the win are asked for, and not points; `None` for points, where the game counts them.
    pub share: Option<bool>,
    /// How much is enough, as text; `None` to find the most.
    pub at_least: Option<String>,
    /// The limits of each question.
    pub budget: Budget,
    /// The most bytes of the table.
    pub table: usize,
    /// Whether proofs are written, and of how many chosen moves at most.
    pub proof: Option<u64>,
}

/// How far a search is.
#[derive(Clone, Debug, PartialEq)]
pub struct SolvingState {
    /// What is under way, in one line.
    pub text: String,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// The player, from 1.
    pub player: usize,
    /// What is counted: `discs`, or `share`.
    pub tally: &'static str,
    /// Whether that are shares of the win, in sixtieths.
    pub is_share: bool,
    /// The answer for the amount that was asked for.
    pub answer: Option<(Score, Answer)>,
    /// The most that the player is sure of, and the least that the others can keep the player down to, if no amount was asked for.
    pub value: Option<(Score, Score)>,
    /// Every question.
    pub asked: Vec<Asked>,
    /// How the game goes if whoever has a proof follows it.
    pub line: Vec<String>,
    /// Time used, without that of writing proofs.
    pub time: Duration,
    /// The claims that are proved, with their proofs.
    pub claims: Vec<ProvedClaim>,
}

/// A claim and its proof.
#[derive(Clone, Debug, PartialEq)]
pub struct ProvedClaim {
    /// The amount.
    pub at_least: Score,
    /// Whether the player gets that much; otherwise the others prevent it.
    pub yes: bool,
    /// The proof.
    pub proof: Proof,
}

/// An amount as text: `12`, or `1/2` of the win.
pub fn amount_text(amount: Score, is_share: bool) -> String {
    match amount {
        _ if !is_share => amount.to_string(),
        0 => "0".into(),
        WHOLE => "1".into(),
        _ if WHOLE % amount == 0 => format!("1/{}", WHOLE / amount),
        _ => format!("{amount}/{WHOLE}"),
    }
}

/// Reads an amount; a share that nobody can have asks for the next greater one.
fn read_amount<G>(text: &str, tally: &Tally<G>) -> Result<Score, Error> {
    let bad = |help: String| Error::new(Code::BadValue, format!("{text:?} is not an amount to ask for")).help(help);
    if !tally.is_share {
        let help = || format!("write a whole number of {}, such as 12, or use --by share", tally.name);
        return text.parse().map_err(|_| bad(help()));
    }
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    let share = match text.split_once('/') {
        Some((part, among)) => number(part).zip(number(among)).map(|(part, among)| part / among),
        None => number(text),
    };
    let share = share.filter(|share| (0.0..=1.0).contains(share));
    let share = share.ok_or_else(|| bad("write a share of the win, such as 1/2, or 1 for all of it".into()))?;
    Ok((share * f64::from(WHOLE) - 1e-6).ceil() as Score)
}

/// The tally that is asked for, and the player.
fn about<D: Declaration>(
    game: &D::Game,
    player: usize,
    share: Option<bool>,
) -> Result<(Tally<D::Game>, Player), Error> {
    let players = game.player_count();
    if !(1..=players).contains(&player) {
        let error = Error::new(Code::BadValue, format!("there is no player {player}"));
        return Err(error.help(format!("players are numbered from 1 to {players}")));
    }
    let tally = match (share, D::TALLY) {
        (Some(true), _) | (None, None) => Tally::shares(),
        (Some(false) | None, Some(points)) => points,
        (Some(false), None) => {
            return Err(Error::refused(format!("{} counts no points", D::NAME)).help("use --by share"));
        }
    };
    Ok((tally, Player::new(player - 1)))
}

/// Refuses a game in which anything is hidden.
fn check_open<D: Declaration>(game: &D::Game) -> Result<(), Error> {
    let (text, mut rng) = (game.to_text(), Rng::new(1));
    let mut is_other = |player| (0..4).any(|_| game.determinize(player, &mut rng).to_text() != text);
    if Player::all(game.player_count()).any(&mut is_other) {
        let error = Error::refused(format!("{} cannot be solved where something is hidden", D::NAME));
        return Err(error.help("ask about the open game: leave hidden=yes out"));
    }
    Ok(())
}

/// Solves a position.
pub(crate) fn solve<D: Declaration>(
    game: &D::Game,
    asked_for: &Solving,
    watch: &mut dyn FnMut(&SolvingState),
) -> Result<Solved, Error> {
    let (tally, player) = about::<D>(game, asked_for.player, asked_for.share)?;
    let at_least = asked_for.at_least.as_ref().map(|text| read_amount(text, &tally)).transpose()?;
    check_open::<D>(game)?;
    let started = Instant::now();
    let budget = &asked_for.budget;
    let mut solver = Solver::new(asked_for.table);
    let question = |at_least| Question { tally, player, at_least };
    let amount = |amount| amount_text(amount, tally.is_share);
    let mut state = |asked: Score, state: &nply::dfpn::State| {
        let (name, asked) = (tally.name, amount(asked));
        let numbers = format!("proof number {}, disproof number {}", state.pn, state.dn);
        watch(&SolvingState { text: format!("{name} of at least {asked}: {} nodes, {numbers}", state.nodes) });
    };
    let (mut answer, mut value, mut proved) = (None, None, Vec::new());
    let asked = match at_least {
        Some(at_least) => {
            let asked = solver.ask(game, &question(at_least), budget, &mut |now| state(at_least, now));
            answer = Some((at_least, asked.answer));
            match asked.answer {
                Answer::Proved => proved.push((question(at_least), true)),
                Answer::Disproved => proved.push((question(at_least), false)),
                Answer::Unknown => {}
            }
            vec![asked]
        }
        None => {
            let found = solver.value(game, tally, player, budget, &mut state);
            value = Some((found.least, found.most));
            proved.push((question(found.least), true));
            // The next amount that there is; any more than the most is out of the question.
            let next = tally.amounts(game, player).into_iter().find(|&amount| amount > found.most);
            proved.push((question(next.unwrap_or(found.most + 1)), false));
            found.asked
        }
    };
    let line = line_text(game, &solver.line(game, &proved, budget));
    let time = started.elapsed();
    let mut claims = Vec::new();
    for (question, yes) in proved.iter().filter(|_| asked_for.proof.is_some()) {
        let written = solver.proof(game, question, *yes, asked_for.proof.unwrap_or(0), budget, &mut |counts| {
            watch(&SolvingState { text: format!("writing the proof: {} positions", counts.positions) });
        });
        let proof = written.map_err(|fault| Error::failed(format!("no proof was written: {fault}")))?;
        claims.push(ProvedClaim { at_least: question.at_least, yes: *yes, proof });
    }
    let (tally, is_share, player) = (tally.name, tally.is_share, asked_for.player);
    Ok(Solved { player, tally, is_share, answer, value, asked, line, time, claims })
}

fn line_text<G: Notation>(game: &G, line: &[G::Move]) -> Vec<String> {
    let mut game = game.clone();
    let mut text = |&m: &G::Move| {
        let text = game.move_to_text(m);
        game.play(m);
        text
    };
    line.iter().map(&mut text).collect()
}

/// Checks the proof of a claim about a position, by the rules alone.
pub(crate) fn check<D: Declaration>(
    game: &D::Game,
    file: &ProofFile,
    claim: &ProofClaim,
    watch: &mut dyn FnMut(&SolvingState),
) -> Result<Counts, Error> {
    let (tally, player) = about::<D>(game, file.player, Some(file.share))?;
    check_open::<D>(game)?;
    let question = Question { tally, player, at_least: claim.at_least };
    let checked = proof::check(game, &question, claim.yes, &claim.bytes, &mut |counts| {
        watch(&SolvingState { text: format!("checking the proof: {} positions", counts.positions) });
    });
    checked.map_err(|fault| Error::failed(format!("the proof is wrong: {fault}")))
}

impl Solved {
    /// Positions expanded, counted each time.
    pub fn nodes(&self) -> u64 {
        self.asked.iter().map(|asked| asked.nodes).sum()
    }

    /// An amount as text.
    pub fn amount(&self, amount: Score) -> String {
        amount_text(amount, self.is_share)
    }

    /// As JSON: amounts are numbers, shares of the win from 0 to 1.
    pub fn to_json(&self) -> Value {
        let number = |amount: Score| match self.is_share {
            true => json!(f64::from(amount) / f64::from(WHOLE)),
            false => json!(amount),
        };
        let asked = |asked: &Asked| json!({ "at_least": number(asked.at_least), "answer": asked.answer.word(), "nodes": asked.nodes });
        let claim = |claim: &ProvedClaim| {
            let Counts { positions, choices, ends, bounds } = claim.proof.counts;
            json!({
                "at_least": number(claim.at_least), "proved": claim.yes, "positions": positions, "choices": choices,
                "ends": ends, "bounds": bounds, "bytes": claim.proof.bytes.len(),
            })
        };
        json!({
            "player": self.player,
            "by": self.tally,
            "at_least": self.answer.map(|(amount, _)| number(amount)),
            "answer": self.answer.map(|(_, answer)| answer.word()),
            "least": self.value.map(|(least, _)| number(least)),
            "most": self.value.map(|(_, most)| number(most)),
            "asked": self.asked.iter().map(asked).collect::<Vec<Value>>(),
            "line": self.line,
            "nodes": self.nodes(),
            "time_ms": self.time.as_secs_f64() * 1e3,
            "proofs": self.claims.iter().map(claim).collect::<Vec<Value>>(),
        })
    }
}

/// Claims about a position with their proofs, as a file has them; `docs/solve.md` describes the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofFile {
    /// The game with its options.
    pub game: String,
    /// The number of players.
    pub players: usize,
    /// The position.
    pub position: String,
    /// The player who is asked for, from 1.
    pub player: usize,
    /// Whether the claims are about shares of the win, and not about points.
    pub share: bool,
    /// The claims.
    pub claims: Vec<ProofClaim>,
}

/// A claim in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofClaim {
    /// The amount.
    pub at_least: Score,
    /// Whether the player gets that much; otherwise the others prevent it.
    pub yes: bool,
    /// The proof.
    pub bytes: Vec<u8>,
}

/// The first line of a file.
const FIRST: &str = "nply proof 1";

/// The most claims of a file.
const CLAIMS: usize = 100;

impl ProofFile {
    /// The file: a line for each fact and each claim, an empty line, and the bytes of all proofs.
    pub fn to_bytes(&self) -> Vec<u8> {
        let ProofFile { game, players, position, player, share, claims } = self;
        let by = if *share { "share" } else { "points" };
        let mut text = format!(
            "{FIRST}\ngame {game}\nplayers {players}\nposition {position}\nplayer {player}\nby {by}\nclaims {}\n",
            claims.len()
        );
        for ProofClaim { at_least, yes, bytes } in claims {
            let word = if *yes { Answer::Proved } else { Answer::Disproved }.word();
            let _ = writeln!(text, "{word} {at_least} {} {:016x}", bytes.len(), checksum(bytes));
        }
        text.push('\n');
        let mut out = text.into_bytes();
        claims.iter().for_each(|claim| out.extend(&claim.bytes));
        out
    }

    /// Reads a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<ProofFile, Error> {
        let mut lines = Lines { rest: bytes, number: 0 };
        if lines.line() != Ok(FIRST) {
            let error = Error::file(format!("not a file of proofs: it does not begin with {FIRST:?}"));
            return Err(error.help("nply solve --proof FILE writes one"));
        }
        let game = lines.word("game")?.to_string();
        let players = lines.number("players")?;
        let position = lines.word("position")?.to_string();
        let player = lines.number("player")?;
        let share = match lines.word("by")? {
            "share" => true,
            "points" => false,
            _ => return Err(lines.damaged("\"by share\" or \"by points\"")),
        };
        let count = lines.number("claims")?;
        if count > CLAIMS {
            return Err(lines.damaged("no more than a hundred claims"));
        }
        let mut heads = Vec::new();
        for _ in 0..count {
            let line = lines.line()?;
            heads.push(claim_head(line).ok_or_else(|| lines.damaged("a claim"))?);
        }
        if !lines.line()?.is_empty() {
            return Err(lines.damaged("an empty line"));
        }
        let mut rest = lines.rest;
        let mut claims = Vec::new();
        for (yes, at_least, length, sum) in heads {
            let damaged = |what: &str| Error::file(format!("the file of proofs is damaged: {what}"));
            let (bytes, more) = rest.split_at_checked(length).ok_or_else(|| damaged("it ends too early"))?;
            if checksum(bytes) != sum {
                return Err(damaged("the checksum of a proof is another one"));
            }
            rest = more;
            claims.push(ProofClaim { at_least, yes, bytes: bytes.to_vec() });
        }
        if !rest.is_empty() {
            return Err(Error::file(format!("the file of proofs is damaged: {} bytes too many", rest.len())));
        }
        Ok(ProofFile { game, players, position, player, share, claims })
    }
}

/// `proved 12 345 0123456789abcdef`: the answer, the amount, the bytes of the proof and their checksum.
fn claim_head(line: &str) -> Option<(bool, Score, usize, u64)> {
    let [word, at_least, length, sum] = line.split(' ').collect::<Vec<&str>>()[..] else { return None };
    let yes = match word {
        _ if word == Answer::Proved.word() => true,
        _ if word == Answer::Disproved.word() => false,
        _ => return None,
    };
    Some((yes, at_least.parse().ok()?, length.parse().ok()?, u64::from_str_radix(sum, 16).ok()?))
}

/// The lines at the beginning of a file.
struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
}

impl<'a> Lines<'a> {
    fn damaged(&self, expected: &str) -> Error {
        Error::file(format!("the file of proofs is damaged: line {} should have {expected}", self.number))
    }

    fn line(&mut self) -> Result<&'a str, Error> {
        self.number += 1;
        let end = self.rest.iter().position(|&byte| byte == b'\n');
        let text = end.and_then(|end| std::str::from_utf8(&self.rest[..end]).ok());
        let text = text.ok_or_else(|| self.damaged("text"))?;
        self.rest = &self.rest[text.len() + 1..];
        Ok(text)
    }

    /// What follows a key on the next line.
    fn word(&mut self, key: &str) -> Result<&'a str, Error> {
        let line = self.line()?;
        let word = line.strip_prefix(key).and_then(|rest| rest.strip_prefix(' '));
        word.ok_or_else(|| self.damaged(&format!("{key:?}")))
    }

    fn number(&mut self, key: &str) -> Result<usize, Error> {
        let word = self.word(key)?;
        word.parse().map_err(|_| self.damaged(&format!("{key:?} and a number")))
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    bytes.chunks(8).fold(mix(bytes.len() as u64), |sum, chunk| mix(sum ^ word(chunk)))
}

#[cfg(test)]
mod tests {
    use nply::testing;

    use super::*;

    fn file() -> ProofFile {
        ProofFile {
            game: "rolit:size=6".into(),
            players: 3,
            position: "..............RY....BG.............. R".into(),
            player: 2,
            share: false,
            claims: vec![
                ProofClaim { at_least: 1, yes: true, bytes: Vec::new() },
                ProofClaim { at_least: 2, yes: false, bytes: (0..50).collect() },
            ],
        }
    }

    #[test]
    fn files_read_back_and_damaged_ones_are_refused() {
        let bytes = file().to_bytes();
        assert_eq!(ProofFile::from_bytes(&bytes), Ok(file()));
        for end in 0..bytes.len() {
            assert!(ProofFile::from_bytes(&bytes[..end]).is_err(), "cut off at {end}");
        }
        let head = bytes.len() - 50;
        for at in head..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            assert!(ProofFile::from_bytes(&damaged).is_err(), "byte {at}");
        }
        let text = String::from_utf8(bytes).unwrap();
        testing::mangle(&[&text], 20_000, |text| {
            if let Err(error) = ProofFile::from_bytes(text.as_bytes()) {
                testing::check_error(&error.message, text);
            }
        });
    }

    #[test]
    fn amounts_are_whole_numbers_or_shares() {
        let shares: Tally<nply::Tree> = Tally::shares();
        for (text, amount) in [("1", 60), ("1/2", 30), ("0.5", 30), ("1/3", 20), ("0", 0), ("0.4", 24), ("2/3", 40)] {
            assert_eq!(read_amount(text, &shares).unwrap(), amount, "{text}");
        }
        for text in ["2", "-1", "1/0", "0/0", "x", "", "1/", "nan", "inf"] {
            assert!(read_amount(text, &shares).is_err(), "{text}");
        }
        let points = nply::Tree::TALLY.unwrap();
        assert_eq!(read_amount("12", &points).unwrap(), 12);
        assert!(read_amount("1/2", &points).unwrap_err().to_string().contains("write a whole number of points"));
        assert_eq!(
            [0, 12, 20, 30, 60, 40].map(|share| amount_text(share, true)),
            ["0", "1/5", "1/3", "1/2", "1", "40/60"]
        );
        assert_eq!(amount_text(30, false), "30");
    }
}
