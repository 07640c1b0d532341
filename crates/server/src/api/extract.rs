//! Reading of requests, with errors as the interface reports them.

use std::sync::Arc;

use axum::body::to_bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;

use crate::App;
use crate::error::ApiError;

/// A body in JSON.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Body<T>, ApiError> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
        let kind = kind.split(';').next().unwrap_or("").trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            let error =
                ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "media-type", format!("the body is {kind:?}"));
            return Err(error.help("send application/json"));
        }
        let bytes = to_bytes(request.into_body(), app.options.limits.max_body as usize).await.map_err(|error| {
            let source = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
            if source.contains("length limit") {
                return too_large();
            }
            ApiError::new(StatusCode::BAD_REQUEST, "body", "the body cannot be read to its end")
        })?;
        serde_json::from_slice(&bytes).map(Body).map_err(|error| {
            if error.is_data() {
                return ApiError::refused("bad-value", one_line(&error.to_string()));
            }
            ApiError::new(StatusCode::BAD_REQUEST, "json", one_line(&format!("the body is not JSON: {error}")))
        })
    }
}

pub(crate) fn too_large() -> ApiError {
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "the body is too large")
}

/// A message may quote the request: control characters are escaped.
fn one_line(text: &str) -> String {
    nply::Error::usage(text).message
}

/// What stands after the question mark.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Query<T>, ApiError> {
        let read = axum::extract::Query::try_from_uri(&parts.uri);
        read.map(|axum::extract::Query(query)| Query(query))
            .map_err(|error| ApiError::new(StatusCode::BAD_REQUEST, "query", one_line(&error.body_text())))
    }
}

/// The parts of the path that vary.
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Path<T>, ApiError> {
        let read = axum::extract::Path::from_request_parts(parts, state).await;
        read.map(|axum::extract::Path(path)| Path(path))
            .map_err(|error| ApiError::new(StatusCode::BAD_REQUEST, "path", one_line(&error.body_text())))
    }
}

/// The address that a request comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) std::net::IpAddr);

impl<S: Sync> FromRequestParts<S> for Peer {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Peer, ApiError> {
        let peer = parts.extensions.get::<Peer>().copied();
        peer.ok_or_else(|| ApiError::internal("the connection has no address"))
    }
}
