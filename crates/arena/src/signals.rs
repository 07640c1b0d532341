//! How signals were set up by whoever started this process.

/// Whether this process was told to ignore SIGHUP, as `nohup` does. To be asked before it is handled here.
pub fn ignores_hangup() -> bool {
    #[cfg(not(unix))]
    return false;
    #[cfg(unix)]
    {
        const HANGUP: u64 = 1;
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        if let Some(mask) = status.lines().find_map(|line| line.strip_prefix("SigIgn:")) {
            return u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & HANGUP != 0);
        }
        // What is ignored is inherited: a shell survives the signal then.
        let shell = std::process::Command::new("/bin/sh").args(["-c", "kill -s HUP $$"]).status();
        shell.is_ok_and(|status| status.success())
    }
}
