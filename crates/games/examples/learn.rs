//! Makes a file of patterns from a folder of WTHOR files: `learn FOLDER FILE [YEAR]`.
//!
//! With a year, only games up to it are learned from, and the scores are compared with how the later games ended;
//! without, they are compared with the games that were learned from. The file that this crate ships is `learn FOLDER
//! data/rolit.patterns`.

use std::error::Error;
use std::path::Path;

use nply_games::rolit::learn::{Report, learn};
use nply_games::rolit::wthor::{self, Record};

const SOURCE: &str = "WTHOR, the games kept by the French Othello Federation";

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (folder, file, year) = match &args[..] {
        [folder, file] => (folder, file, None),
        [folder, file, year] => (folder, file, Some(year.parse()?)),
        _ => return Err("usage: learn FOLDER FILE [YEAR]".into()),
    };
    let games = wthor::read_folder(Path::new(folder))?;
    let is_early = |game: &Record| year.is_none_or(|year: u16| game.year <= year);
    let (early, late): (Vec<Record>, Vec<Record>) = games.into_iter().partition(is_early);
    let patterns = learn(SOURCE, &early);
    println!("learned from {} games, {} positions", early.len(), patterns.provenance().positions);
    let report = Report::new(&patterns, if year.is_some() { &late } else { &early });
    println!("compared with {} games, {} positions", report.games, report.positions);
    for (number, stage) in report.stages.iter().enumerate() {
        println!("stage {:>2}: {:>7} positions, correlation {:.3}", number + 1, stage.positions, stage.correlation);
    }
    std::fs::write(file, patterns.to_bytes())?;
    Ok(())
}
