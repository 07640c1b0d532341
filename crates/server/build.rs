//! Lists the files of the client, so that they are compiled in.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=client");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it")).join("client");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut list = String::from("[\n");
    for file in &files {
        let name = file.strip_prefix(&root).expect("it is in there").to_str().expect("a name in UTF-8");
        let name = name.replace('\\', "/");
        writeln!(list, "    ({name:?}, include_bytes!({file:?}) as &[u8]),").expect("a String takes everything");
    }
    list.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it")).join("client.rs");
    fs::write(out, list).expect("the folder for built files can be written");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the client is there") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
