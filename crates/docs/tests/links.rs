//! Every link in a Markdown file of the repository leads to a file, heading or module that exists. Other sites are not
//! visited.

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const REPOSITORY: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/");

/// The folder of each package, for links to its documentation.
const PACKAGES: [(&str, &str); 4] =
    [("nply", "search"), ("nply-games", "games"), ("nply-arena", "arena"), ("nply-cli", "cli")];

fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            if name != "target" && name != "node_modules" && !name.to_string_lossy().starts_with('.') {
                pages(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// The lines of a page that are not in a fenced block of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The targets of `[text](target)` and `[text]: target`.
fn links(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in prose(text) {
        found.extend(line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target));
        found.extend(line.split_once("]: ").filter(|(text, _)| text.starts_with('[')).map(|(_, target)| target));
    }
    found
}

/// The anchors of the headings of a page, as GitHub and mdBook make them.
fn anchors(text: &str) -> Vec<String> {
    let heading = |line: &str| line.starts_with('#').then(|| line.trim_start_matches('#').trim().to_lowercase());
    let keep = |c: char| (c.is_alphanumeric() || "-_ ".contains(c)).then_some(if c == ' ' { '-' } else { c });
    prose(text).filter_map(heading).map(|title| title.chars().filter_map(keep).collect()).collect()
}

/// Whether `PACKAGE/latest/CRATE/MODULE/…` is the documentation of a module that has a source file.
fn is_module(path: &str) -> bool {
    let mut parts = path.split('/').filter(|part| !part.is_empty() && !part.ends_with(".html"));
    let package = parts.next();
    let Some((_, folder)) = PACKAGES.iter().find(|(name, _)| Some(*name) == package) else { return false };
    let module: PathBuf = parts.skip(2).collect();
    let source = Path::new(ROOT).join("crates").join(folder).join("src").join(module);
    source.is_dir() || source.with_extension("rs").is_file()
}

/// What is wrong with a link.
fn fault(page: &Path, target: &str) -> Option<&'static str> {
    if let Some(path) = target.strip_prefix(REPOSITORY) {
        return (!Path::new(ROOT).join(path).exists()).then_some("no such file in the repository");
    }
    if let Some(path) = target.strip_prefix("https://docs.rs/nply") {
        return (!is_module(&format!("nply{path}"))).then_some("no such module");
    }
    if target.contains("://") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file = if file.is_empty() { page.to_owned() } else { page.parent().unwrap().join(file) };
    let Ok(file) = file.canonicalize() else { return Some("no such file") };
    let docs = Path::new(ROOT).join("docs").canonicalize().unwrap();
    if page.starts_with(&docs) && !file.starts_with(&docs) {
        return Some("leads out of the book: use the address of the file in the repository");
    }
    let is_known = anchor.is_empty() || anchors(&fs::read_to_string(file).unwrap()).iter().any(|known| known == anchor);
    (!is_known).then_some("no such heading")
}

#[test]
fn every_link_leads_somewhere() {
    let mut all = Vec::new();
    pages(&Path::new(ROOT).canonicalize().unwrap(), &mut all);
    let mut faults = Vec::new();
    let mut count = 0;
    for page in &all {
        for target in links(&fs::read_to_string(page).unwrap()) {
            count += 1;
            faults.extend(fault(page, target).map(|fault| format!("{}: {target}: {fault}", page.display())));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 30, "{count} links found in {} files", all.len());
}

#[test]
fn faults_are_found() {
    let page = Path::new(ROOT).join("docs/engine.md").canonicalize().unwrap();
    let fault = |target: &str| fault(&page, target);
    assert_eq!(fault("engine.md#forfeits"), None);
    assert_eq!(fault("engine.md#forfeit"), Some("no such heading"));
    assert_eq!(fault("motor.md"), Some("no such file"));
    assert_eq!(fault(&format!("{REPOSITORY}README.md")), None);
    assert_eq!(fault(&format!("{REPOSITORY}README.txt")), Some("no such file in the repository"));
    assert_eq!(fault("https://docs.rs/nply/latest/nply/maxn/"), None);
    assert_eq!(fault("https://docs.rs/nply/latest/nply/minn/"), Some("no such module"));
    assert!(fault("../README.md").unwrap().starts_with("leads out of the book"));
    assert_eq!(links("[a](b) and [c](d#e)\n```text\n[x](y)\n```\n[f]: g"), ["b", "d#e", "g"]);
    assert_eq!(anchors("# Max^n: everybody\n```sh\n# no\n```\n"), ["maxn-everybody"]);
}

#[test]
fn the_book_has_every_page() {
    let summary = fs::read_to_string(Path::new(ROOT).join("docs/SUMMARY.md")).unwrap();
    let listed = links(&summary);
    for entry in fs::read_dir(Path::new(ROOT).join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".md") && name != "SUMMARY.md" {
            assert!(listed.contains(&name.as_str()), "docs/SUMMARY.md does not list {name}");
        }
    }
}
