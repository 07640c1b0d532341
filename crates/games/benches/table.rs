//! Time and memory of building the distance table of Chinese Checkers, and time of loading it:
//! `cargo bench -p nply-games --bench table`. The table is built in a folder for temporary files, on as many threads as there are cores.

use std::time::Instant;
use std::{fs, thread};

use nply_games::chinese_checkers::{DistanceTable, TableError};

fn main() -> Result<(), TableError> {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("table");
    let threads = thread::available_parallelism().map_or(1, |count| count.get());
    let started = Instant::now();
    DistanceTable::open_or_build(&path, &|_| ())?;
    let built = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let table = DistanceTable::open(&path)?;
    let loaded = started.elapsed().as_secs_f64();
    assert_eq!(table.histogram(), DistanceTable::HISTOGRAM);
    println!("threads             {threads}");
    println!("built in            {built:.1} s");
    // Where the system tells: seconds are in hundredths, fields are counted from the end of the name.
    if let Ok(text) = fs::read_to_string("/proc/self/stat") {
        let fields: Vec<&str> = text.rsplit(") ").next().unwrap_or_default().split(' ').collect();
        let ticks: u32 = fields[11..13].iter().map(|ticks| ticks.parse::<u32>().expect("a number")).sum();
        println!("processor time      {:.1} s", f64::from(ticks) / 100.0);
    }
    if let Some(bytes) = fs::read_to_string("/proc/self/status").ok().as_deref().and_then(most_memory) {
        println!("memory at the most  {:.0} MB", bytes / 1e6);
    }
    println!("loaded in           {:.0} ms", 1e3 * loaded);
    Ok(())
}

/// The most bytes that were in use, of the text of `/proc/self/status`.
fn most_memory(status: &str) -> Option<f64> {
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix(" kB")?;
    Some(1024.0 * kilobytes.parse::<f64>().ok()?)
}
