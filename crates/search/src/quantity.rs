//! Counts, sizes and times as people write them: `250k`, `64M`, `1.5s`. What is written reads back.

use std::time::Duration;

use crate::{Code, Error};

/// A count: `250`, `250k`, `1M`, `2.5G`, in thousands.
///
/// ```
/// assert_eq!(nply::quantity::count("2.5k").unwrap(), 2500);
/// ```
pub fn count(text: &str) -> Result<u64, Error> {
    scaled(text, 1000)
        .ok_or_else(|| Error::new(Code::BadValue, format!("{text:?} is not a count; write 250, 250k or 1M")))
}

/// A number of bytes: `64M`, `1G`, in powers of 1024.
pub fn size(text: &str) -> Result<u64, Error> {
    scaled(text, 1024)
        .ok_or_else(|| Error::new(Code::BadValue, format!("{text:?} is not a size; write 512k, 64M or 1G")))
}

/// A time: `200ms`, `1.5s`, `2m`.
pub fn time(text: &str) -> Result<Duration, Error> {
    let seconds = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)]
        .iter()
        .find_map(|(unit, factor)| Some(decimal(text.strip_suffix(unit)?)? * factor));
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| Error::new(Code::BadValue, format!("{text:?} is not a time; write 200ms, 1.5s or 2m")))
}

/// The shortest text of a count: `250k`.
///
/// ```
/// assert_eq!(nply::quantity::count_text(250_000), "250k");
/// ```
pub fn count_text(count: u64) -> String {
    shortest(count, 1000, &["", "k", "M"])
}

/// The shortest text of a number of bytes: `64M`.
pub fn size_text(bytes: u64) -> String {
    shortest(bytes, 1024, &["", "k", "M", "G"])
}

/// The text of a time: `200ms`, `1.5s`.
pub fn time_text(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 1.0 { format!("{}ms", seconds * 1e3) } else { format!("{seconds}s") }
}

/// A number in the largest unit that divides it.
fn shortest(number: u64, kilo: u64, units: &[&str]) -> String {
    let (mut rest, mut unit) = (number, 0);
    while rest > 0 && rest.is_multiple_of(kilo) && unit + 1 < units.len() {
        (rest, unit) = (rest / kilo, unit + 1);
    }
    format!("{rest}{}", units[unit])
}

/// A number that has digits and at most a point, so no sign, no exponent, no infinity.
fn decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.') && text.starts_with(|c: char| c.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

fn scaled(text: &str, kilo: u64) -> Option<u64> {
    let units = [("k", 1), ("K", 1), ("M", 2), ("G", 3)];
    let (number, power) =
        units.iter().find_map(|&(unit, power)| Some((text.strip_suffix(unit)?, power))).unwrap_or((text, 0));
    if let Ok(whole) = number.parse::<u64>()
        && number.starts_with(|c: char| c.is_ascii_digit())
    {
        return whole.checked_mul(kilo.pow(power));
    }
    let value = decimal(number)? * kilo.pow(power) as f64;
    (value.fract() == 0.0 && value < u64::MAX as f64).then_some(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn quantities_are_read_as_people_write_them() {
        assert_eq!(count("250k").unwrap(), 250_000);
        assert_eq!(count("1M").unwrap(), 1_000_000);
        assert_eq!(count("0").unwrap(), 0);
        assert_eq!(size("64M").unwrap(), 64 << 20);
        assert_eq!(time("200ms").unwrap(), Duration::from_millis(200));
        assert_eq!(time("1.5s").unwrap(), Duration::from_millis(1500));
    }

    #[test]
    fn no_text_makes_a_reader_of_quantities_fail() {
        let samples = ["250", "2.5k", "64M", "1G", "200ms", "1.5s", "2m", "0.25h", "18446744073709551615"];
        testing::mangle(&samples, 1_000_000, |text| {
            for read in [count(text), size(text)] {
                match read {
                    Ok(number) => {
                        assert_eq!(count(&count_text(number)), Ok(number), "{text:?}");
                        assert_eq!(size(&size_text(number)), Ok(number), "{text:?}");
                    }
                    Err(error) => testing::check_error(&error, text),
                }
            }
            match time(text) {
                // Beyond some weeks a nanosecond is more than a floating-point number can tell.
                Ok(length) if length < Duration::from_secs(1_000_000) => {
                    assert_eq!(time(&time_text(length)), Ok(length), "{text:?}");
                }
                Ok(_) => {}
                Err(error) => testing::check_error(&error, text),
            }
        });
    }

    #[test]
    fn nonsense_is_refused() {
        for text in
            ["", "k", "-1", "+1", "1.0001", "1e9", "inf", "99999999999999999999", "18446744073709551615k", "1 k"]
        {
            assert!(count(text).is_err(), "{text}");
        }
        for text in ["", "1", "ms", "-1s", "1e9s", "infs", "nans", "99999999999999999999999h"] {
            assert!(time(text).is_err(), "{text}");
        }
    }
}
