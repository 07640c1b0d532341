//! Rules that can fail: those of a game in another language, which may raise an exception anywhere.
//!
//! No method of a [`Game`](nply::Game) returns an error, as no rule fails. One that does all the same unwinds with the error,
//! [`fail`], and whoever plays the game turns that back into a result, [`caught`].

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use nply::Error;

/// Unwinds to the nearest [`caught`] with an error. It is no panic: nothing is written.
///
/// ```
/// use nply::Error;
/// use nply_arena::{caught, fail};
/// let failed = caught(|| if true { fail(Error::failed("no such rule")) } else { Ok(7) });
/// assert_eq!(failed.unwrap_err().message, "no such rule");
/// assert_eq!(caught(|| Ok(7)), Ok(7));
/// ```
pub fn fail(error: Error) -> ! {
    resume_unwind(Box::new(error))
}

/// Calls `f`, and returns the error that [`fail`] unwound with. Panics go on. Whatever `f` was searching with is not to be used again.
pub fn caught<T>(f: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(result) => result,
        Err(payload) => match payload.downcast::<Error>() {
            Ok(error) => Err(*error),
            Err(payload) => resume_unwind(payload),
        },
    }
}
