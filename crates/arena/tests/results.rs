//! Every file of games in `results/` still opens, reports and replays.

use std::path::Path;

use nply_arena::statistics::Tally;
use nply_arena::{GameRecord, MatchSettings, Registry, Request, Store, csv_header, games_csv, report};

/// Plays the moves of a game and compares the result.
fn replay(settings: &MatchSettings, record: &GameRecord) {
    let game = Registry::standard().find(&settings.game).unwrap();
    let opening = record.opening.moves.len();
    let moves: Vec<&str> = record.opening.moves.iter().chain(&record.moves).map(String::as_str).collect();
    let (players, moves) = (Some(settings.players), moves.join(" "));
    let end = game.open(&Request { players, moves, seed: record.seed, ..Request::default() }).unwrap();
    assert_eq!((end.payoff().as_ref(), end.points()), (Some(&record.payoff), record.points.clone()));
    assert_eq!(end.played().len(), opening + record.decisions.len());
}

#[test]
fn every_file_of_results_opens_reports_and_replays() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    let mut files = 0;
    for file in std::fs::read_dir(results).unwrap() {
        let file = file.unwrap().path();
        if !file.to_string_lossy().ends_with(".db.gz") {
            continue;
        }
        assert!(file.metadata().unwrap().len() < 1 << 20, "{}: files are kept small", file.display());
        let bytes = std::fs::read(&file).unwrap();
        let store = Store::open(&file).unwrap();
        for kept in store.matches().unwrap() {
            let games = store.games(&kept).unwrap();
            assert_eq!(games.len() as u64, kept.games);
            // Distances from winning, where their table is built, are slow.
            let few = &games[..games.len().min(6)];
            let tables = report::tables(&Tally::of(&Registry::standard(), &kept.settings, few));
            assert_eq!(tables[0].rows.len(), kept.settings.agents.len(), "{}", kept.name);
            let text = games_csv(&kept.name, &kept.settings, &games);
            let columns = csv_header().split(',').count();
            assert!(text.lines().all(|line| line.split(',').count() >= columns), "{}", kept.name);
            games.first().into_iter().chain(games.last()).for_each(|record| replay(&kept.settings, record));
        }
        drop(store);
        assert_eq!(std::fs::read(&file).unwrap(), bytes, "{}: reading changes nothing", file.display());
        files += 1;
    }
    assert!(files > 40, "{files}");
}
