//! The interface, from the outside: a real server on loopback and a plain client.

mod client;
mod games;
mod hidden;
mod limits;
mod requests;
mod searches;
mod security;
mod sessions;
mod tournaments;
