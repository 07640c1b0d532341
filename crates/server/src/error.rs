//! Errors as the interface reports them.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use nply::{Code, Error};
use schemars::JsonSchema;
use serde::Serialize;

/// Why a request failed.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    pub(crate) status: StatusCode,
    pub(crate) detail: Detail,
    pub(crate) retry_after: Option<u64>,
}

/// The body of every answer that is an error.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ErrorBody {
    error: Detail,
}

/// What is wrong.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Detail {
    /// Kind of error; its text is stable.
    pub(crate) code: &'static str,
    /// What is wrong, in one line.
    pub(crate) message: String,
    /// What would be right.
    pub(crate) help: Option<String>,
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> ApiError {
        let message = message.into();
        ApiError { status, detail: Detail { code, message, help: None }, retry_after: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> ApiError {
        self.detail.help = Some(help.into());
        self
    }

    /// When to try again, in seconds.
    pub(crate) fn retry_after(mut self, seconds: u64) -> ApiError {
        self.retry_after = Some(seconds);
        self
    }

    pub(crate) fn not_found(what: impl std::fmt::Display) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, "not-found", format!("there is no {what}"))
    }

    /// The request does not fit the state of what it is about.
    pub(crate) fn conflict(code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::CONFLICT, code, message)
    }

    /// A request that can be read but not carried out.
    pub(crate) fn refused(code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    pub(crate) fn too_many(code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::TOO_MANY_REQUESTS, code, message)
    }

    /// The server has no room for this now.
    pub(crate) fn busy(code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, code, message).retry_after(5)
    }

    pub(crate) fn internal(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> ApiError {
        let Error { code, message, help } = error;
        let status = match code {
            Code::File => StatusCode::INTERNAL_SERVER_ERROR,
            Code::Usage
            | Code::UnknownName
            | Code::UnknownSetting
            | Code::BadValue
            | Code::Refused
            | Code::Position
            | Code::Move
            | Code::Forfeit
            | Code::OutOfTime
            | Code::Failed => StatusCode::UNPROCESSABLE_ENTITY,
        };
        ApiError { status, detail: Detail { code: code.as_str(), message, help }, retry_after: None }
    }
}

impl From<rusqlite::Error> for ApiError {
    fn from(error: rusqlite::Error) -> ApiError {
        ApiError::internal(format!("the file of sessions failed: {error}"))
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(ErrorBody { error: self.detail })).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
