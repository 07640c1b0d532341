//! The client: the files of `client/`, compiled in and compressed once.

use std::sync::OnceLock;

use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use nply_arena::gzip;

use crate::error::ApiError;

/// Names and contents.
const FILES: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/client.rs"));

/// Types by the ends of names.
const TYPES: &[(&str, &str)] = &[
    (".html", "text/html; charset=utf-8"),
    (".js", "text/javascript; charset=utf-8"),
    (".css", "text/css; charset=utf-8"),
    (".svg", "image/svg+xml"),
    (".png", "image/png"),
    (".ico", "image/x-icon"),
    (".woff2", "font/woff2"),
    (".json", "application/json"),
    (".webmanifest", "application/manifest+json"),
    (".txt", "text/plain; charset=utf-8"),
];

/// The file of a path.
pub(crate) async fn file(uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let Some(index) = FILES.iter().position(|(name, _)| *name == path) else {
        return ApiError::not_found("such page").into_response();
    };
    let (name, content) = FILES[index];
    let kind = TYPES.iter().find(|(end, _)| name.ends_with(end)).map_or("application/octet-stream", |(_, kind)| kind);
    // The names of assets change with their contents.
    let caching = if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let fixed = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, caching), (header::VARY, "accept-encoding")];
    let accepts = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or("");
    let compressed = &compressed()[index];
    if compressed.len() < content.len() && accepts.split(',').any(|one| one.trim().starts_with("gzip")) {
        let encoding = [(header::CONTENT_ENCODING, "gzip")];
        return (StatusCode::OK, fixed, encoding, compressed.as_slice()).into_response();
    }
    (StatusCode::OK, fixed, content).into_response()
}

/// The files as gzip, in the same order.
fn compressed() -> &'static [Vec<u8>] {
    static COMPRESSED: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    COMPRESSED.get_or_init(|| FILES.iter().map(|(_, content)| gzip(content)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_has_a_first_page_that_fits_its_limits() {
        let first: usize = FILES.iter().zip(compressed()).map(|(_, compressed)| compressed.len()).sum();
        assert!(FILES.iter().any(|(name, _)| *name == "index.html"));
        assert!(first < 400_000, "{first} bytes");
        for (name, _) in FILES {
            assert!(TYPES.iter().any(|(end, _)| name.ends_with(end)), "{name} has no type");
        }
    }
}
