//! Errors as exceptions.

use nply::Error;
use pyo3::prelude::*;

/// The exception of an error: `nply.Error` with its code, message and help.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let make = || {
        let class = py.import("nply._errors")?.getattr("make")?;
        class.call1((error.code.as_str(), &error.message, error.help.as_deref()))
    };
    make().map_or_else(|failed| failed, PyErr::from_value)
}

/// A result whose error is an exception.
pub(crate) fn raised<T>(py: Python<'_>, result: Result<T, Error>) -> PyResult<T> {
    result.map_err(|error| exception(py, &error))
}
