//! Short inputs made long, since time that grows with the square of the length
//! shows in long inputs only, and those are slow to search.

/// Long enough for a square of it to exceed the time limit of a run.
const LONG: usize = 256 << 10;

/// For few inputs: the input over and over.
pub fn lengthened(input: &[u8]) -> Option<Vec<u8>> {
    let wanted = !input.is_empty() && is_chosen(input, 512);
    wanted.then(|| input.repeat(LONG.div_ceil(input.len())))
}

/// Whether the input is one of the few, one in so many, for which something costly
/// is done. Its bytes alone decide: a finding must be one again when it is repeated.
pub fn is_chosen(input: &[u8], one_in: u32) -> bool {
    checksum(input).is_multiple_of(one_in)
}

/// A number drawn from the input.
pub fn checksum(input: &[u8]) -> u32 {
    let sum = input
        .iter()
        .fold(0x811c_9dc5, |sum, &byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    // The low bits alone follow those of the bytes.
    sum ^ (sum >> 16)
}
