//! The bytes of a transcript, read at any offset.
//!
//! A transcript grows, and may be truncated, while it is read. The length is
//! taken once; bytes that are gone by the time they are asked for read as
//! newlines, which end a torn record and start none.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use fs_err::os::unix::fs::OpenOptionsExt;

/// Where the bytes of a transcript come from.
#[derive(Debug)]
pub struct Source {
    bytes: Bytes,
    length: u64,
}

#[derive(Debug)]
enum Bytes {
    File(fs_err::File),
    Memory(Vec<u8>),
}

/// O_NONBLOCK of Linux and of the BSDs, macOS included: opening a FIFO that has
/// no writer then returns at once, to be refused, instead of hanging.
const NONBLOCK: i32 = if cfg!(target_os = "linux") { 0o4000 } else { 4 };

/// How a zstd frame begins.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// What is compressed is held in memory whole; a full session has some hundred MB.
const LARGEST: u64 = 1 << 30;

impl Source {
    /// Opens a file, which must be a regular one.
    ///
    /// # Errors
    /// The file cannot be opened; a directory, FIFO or device is
    /// [`io::ErrorKind::InvalidInput`] with its kind in words.
    pub fn open(path: &Path) -> io::Result<Source> {
        let file = fs_err::OpenOptions::new().read(true).custom_flags(NONBLOCK).open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        Ok(Source { bytes: Bytes::File(file), length: metadata.len() })
    }

    /// Takes all that a stream has to give.
    ///
    /// # Errors
    /// Reading failed.
    pub fn stream(mut stream: impl Read) -> io::Result<Source> {
        let mut memory = Vec::new();
        stream.read_to_end(&mut memory)?;
        Ok(Source { length: memory.len() as u64, bytes: Bytes::Memory(memory) })
    }

    /// The same bytes, up to this offset.
    #[must_use]
    pub(crate) fn up_to(self, end: u64) -> Source {
        Source { length: self.length.min(end), ..self }
    }

    /// What the bytes are when they are decompressed, if they are compressed.
    ///
    /// # Errors
    /// They are not what they begin as, or too many.
    pub(crate) fn decompressed(&self, head: &[u8]) -> io::Result<Option<Source>> {
        if !head.starts_with(&ZSTD) {
            return Ok(None);
        }
        let mut compressed = Vec::new();
        self.read(0, usize::try_from(self.length).unwrap_or(usize::MAX), &mut compressed)?;
        let bad = |error: &dyn std::fmt::Display| {
            io::Error::new(io::ErrorKind::InvalidData, format!("cannot decompress: {error}"))
        };
        let decoder = ruzstd::decoding::StreamingDecoder::new(compressed.as_slice());
        let mut decoder = decoder.map_err(|error| bad(&error))?.take(LARGEST + 1);
        let mut memory = Vec::new();
        decoder.read_to_end(&mut memory).map_err(|error| bad(&error))?;
        if memory.len() as u64 > LARGEST {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "larger than any session is"));
        }
        Ok(Some(Source { length: memory.len() as u64, bytes: Bytes::Memory(memory) }))
    }

    /// The length in bytes when it was opened.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Appends `size` bytes from `offset` on to the buffer. Its spare room is not
    /// cleared first: clearing 64 KiB costs as much as all the rest of a look at a
    /// transcript.
    pub(crate) fn read(&self, offset: u64, size: usize, buffer: &mut Vec<u8>) -> io::Result<()> {
        let end = buffer.len() + size;
        buffer.reserve_exact(size);
        match &self.bytes {
            Bytes::Memory(memory) => {
                let from = usize::try_from(offset).unwrap_or(usize::MAX).min(memory.len());
                buffer.extend_from_slice(&memory[from..memory.len().min(from + size)]);
            }
            Bytes::File(file) => {
                let mut file = file.file();
                file.seek(SeekFrom::Start(offset))?;
                file.take(size as u64).read_to_end(buffer)?;
            }
        }
        buffer.resize(end, b'\n');
        Ok(())
    }
}
