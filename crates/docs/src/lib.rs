//! Runs the Rust code in README files and in `docs/` as documentation tests. A package of its own, because a published one
//! may not include files from outside its folder.

#![cfg(doctest)]

#[doc = include_str!("../../../README.md")]
struct Readme;

#[doc = include_str!("../../../docs/algorithms.md")]
struct Algorithms;

#[doc = include_str!("../../search/README.md")]
struct Search;

#[doc = include_str!("../../games/README.md")]
struct Games;

#[doc = include_str!("../../arena/README.md")]
struct Arena;
