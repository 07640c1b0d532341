//! Gzip files, RFC 1952: one member, in memory.

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// The first bytes of every gzip file.
pub(crate) const MAGIC: [u8; 2] = [0x1f, 0x8b];
/// What a file may hold at most.
const LIMIT: usize = 1 << 30;

const CRC: [u32; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let (mut value, mut bit) = (index as u32, 0);
        while bit < 8 {
            value = if value & 1 == 1 { 0xedb8_8320 ^ (value >> 1) } else { value >> 1 };
            bit += 1;
        }
        table[index] = value;
        index += 1;
    }
    table
};

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| CRC[usize::from(crc as u8 ^ byte)] ^ (crc >> 8))
}

/// The bytes as a gzip file without name and date, so that it depends on them alone.
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    // Deflate, no flags, no date, the slowest compression, an unknown system.
    let mut packed = vec![MAGIC[0], MAGIC[1], 8, 0, 0, 0, 0, 0, 2, 255];
    packed.extend(compress_to_vec(bytes, 10));
    packed.extend(crc(bytes).to_le_bytes());
    packed.extend((bytes.len() as u32).to_le_bytes());
    packed
}

/// The content of a gzip file; `None` if it is damaged.
pub(crate) fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let (header, mut rest) = packed.split_at_checked(10)?;
    let flags = header[3];
    if header[..3] != [MAGIC[0], MAGIC[1], 8] || flags & 0xe0 != 0 {
        return None;
    }
    if flags & 4 != 0 {
        let (length, after) = rest.split_first_chunk::<2>()?;
        rest = after.get(usize::from(u16::from_le_bytes(*length))..)?;
    }
    // A name and a comment, each up to a zero.
    for flag in [8, 16] {
        if flags & flag != 0 {
            rest = &rest[1 + rest.iter().position(|&byte| byte == 0)?..];
        }
    }
    if flags & 2 != 0 {
        rest = rest.get(2..)?;
    }
    let (rest, size) = rest.split_last_chunk::<4>()?;
    let (deflated, sum) = rest.split_last_chunk::<4>()?;
    let bytes = decompress_to_vec_with_limit(deflated, LIMIT).ok()?;
    let fits = crc(&bytes) == u32::from_le_bytes(*sum) && bytes.len() as u32 == u32::from_le_bytes(*size);
    fits.then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_standard_one() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn packed_bytes_unpack_and_damaged_ones_do_not() {
        for length in [0, 1, 1000, 100_000] {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let packed = pack(&bytes);
            assert_eq!(unpack(&packed).as_ref(), Some(&bytes));
            for at in [0, 2, packed.len() - 6, packed.len() - 1] {
                let mut damaged = packed.clone();
                damaged[at] ^= 0x55;
                assert_eq!(unpack(&damaged), None, "byte {at}");
            }
            assert_eq!(unpack(&packed[..packed.len() - 1]), None);
        }
    }

    #[test]
    fn optional_fields_are_skipped() {
        let plain = pack(b"games");
        let fields: [(u8, &[u8]); 4] = [(4, &[2, 0, 9, 9]), (8, b"name\0"), (16, b"comment\0"), (2, &[1, 2])];
        for (flag, field) in fields {
            let mut packed = plain.clone();
            packed[3] = flag;
            packed.splice(10..10, field.iter().copied());
            assert_eq!(unpack(&packed).as_deref(), Some(&b"games"[..]), "flag {flag}");
        }
    }
}
