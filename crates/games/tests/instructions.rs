//! How counts of instructions are read and compared. `./check` counts them: `benches/instructions.rs`.

#[path = "../benches/counts/mod.rs"]
mod counts;

use std::fs;

use counts::{Counts, WRITE, read_callgrind};

fn baseline() -> Counts {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/instructions.txt");
    Counts::read(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The baseline with the first count multiplied by `factor`.
fn changed(factor: f64) -> Counts {
    let mut counts = baseline();
    counts.rows[0].1 *= factor;
    counts
}

#[test]
fn a_baseline_reads_back_as_it_was_written() {
    let counts = baseline();
    assert!(counts.rows.len() > 100, "{}", counts.rows.len());
    assert_eq!(Counts::read(&counts.to_string()), Ok(counts));
    assert!(Counts::read("").is_err());
    assert!(Counts::read("a compiler\nothello 2 moves many").is_err());
}

#[test]
fn three_percent_more_or_less_fails_with_the_name_and_what_to_do() {
    for factor in [1.03, 0.97] {
        let report = changed(factor).compare(&baseline(), false).unwrap_err();
        let first = report.lines().next().unwrap();
        assert!(first.starts_with(&baseline().rows[0].0) && first.ends_with("beyond the tolerance"), "{report}");
        assert!(report.contains("1 of ") && report.ends_with(WRITE), "{report}");
    }
}

#[test]
fn one_percent_passes_and_is_reported() {
    let report = changed(1.01).compare(&baseline(), false).unwrap();
    assert!(report.starts_with(&baseline().rows[0].0) && report.contains("+1.0 %"), "{report}");
    assert_eq!(baseline().compare(&baseline(), false).unwrap().lines().count(), 1);
}

#[test]
fn another_compiler_is_reported_but_does_not_fail() {
    let mut counts = changed(1.5);
    counts.compiler = "rustc 1.0.0".into();
    let report = counts.compare(&baseline(), false).unwrap();
    assert!(report.contains("NOT ENFORCED: 1 of") && report.contains("this one: rustc 1.0.0"), "{report}");
}

#[test]
fn paths_that_are_new_or_gone_fail() {
    let mut fewer = baseline();
    fewer.rows.remove(0);
    let report = baseline().compare(&fewer, true).unwrap_err();
    assert!(report.contains("not in the baseline"), "{report}");
    let report = fewer.compare(&baseline(), false).unwrap_err();
    assert!(report.contains("no longer counted"), "{report}");
    assert!(fewer.compare(&baseline(), true).is_ok(), "only some games were counted");
}

#[test]
fn calls_to_the_c_library_count_the_same_whatever_they_take() {
    let text = |library: u32| {
        format!(
            "# callgrind format\nversion: 1\npart: 1\n\npositions: line\nevents: Ir\nsummary: 9\n\n\
             ob=/lib/libc.so.6\nfl=???\nfn=memcpy\n0 {library}\n\n\
             ob=/program\nfl=???\nfn=counted_work\n0 7\ncfn=other\ncalls=2 0 \n0 11\n0 1\ncob=/lib/libc.so.6\ncfi=???\ncfn=memcpy\n\
             calls=3 0 \n0 {library}\ncfn=other\ncalls=1 0 \n0 5\n\nfn=other\n12 16\ntotals: 9\n\npart: 2\n\nob=/program\nfn=a\n1 4\n"
        )
    };
    // 7 + 1 + 16, and three calls.
    for library in [1, 99_999] {
        assert_eq!(read_callgrind(&text(library), "/program"), Ok(vec![24 + 3 * 50, 4]));
    }
    assert!(read_callgrind("part: 1\nob=/program\n0 many", "/program").is_err());
}
