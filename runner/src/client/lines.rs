//! Bytes from the pipe, cut into lines.

/// Room that is offered to one read: as much as a pipe usually holds, so that one read empties it.
pub(super) const READ_BYTES: usize = 64 * 1024;

/// A buffer of at most one line of the limit and one read. No byte is searched twice.
#[derive(Debug)]
pub(super) struct Lines {
    buffer: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// Up to where there is no line end.
    searched: usize,
    /// Up to where the buffer is filled.
    end: usize,
    max_line_bytes: usize,
}

/// What stands at the front of the buffer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next<'a> {
    /// A line, without its line end; it is taken out.
    Line(&'a [u8]),
    /// Nothing, or the beginning of a line.
    Incomplete,
    /// A line over the limit, whether its end is there or not.
    TooLong,
}

impl Lines {
    pub(super) fn new(max_line_bytes: usize) -> Self {
        Self { buffer: vec![0; 2 * READ_BYTES], start: 0, searched: 0, end: 0, max_line_bytes }
    }

    /// Where to read to; at least [`READ_BYTES`].
    pub(super) fn room(&mut self) -> &mut [u8] {
        if self.start == self.end {
            self.clear();
        }
        if self.buffer.len() - self.end < READ_BYTES && self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.searched -= self.start;
            self.start = 0;
        }
        if self.buffer.len() - self.end < READ_BYTES {
            // A line over the limit is refused before more is read, so the bound below is never in the way of a read.
            let bound = self.max_line_bytes.saturating_add(1).saturating_add(READ_BYTES);
            let length = (self.buffer.len() * 2).min(bound).max(self.end + READ_BYTES);
            self.buffer.reserve_exact(length - self.buffer.len());
            self.buffer.resize(length, 0);
        }
        &mut self.buffer[self.end..]
    }

    /// The first `count` bytes of the room are filled.
    pub(super) fn filled(&mut self, count: usize) {
        self.end = (self.end + count).min(self.buffer.len());
    }

    pub(super) fn next(&mut self) -> Next<'_> {
        let Some(offset) = memchr::memchr(b'\n', &self.buffer[self.searched..self.end]) else {
            self.searched = self.end;
            return if self.unfinished() > self.max_line_bytes { Next::TooLong } else { Next::Incomplete };
        };
        let line = self.start..self.searched + offset;
        if line.len() > self.max_line_bytes {
            return Next::TooLong;
        }
        self.start = line.end + 1;
        self.searched = self.start;
        Next::Line(&self.buffer[line])
    }

    /// Bytes of a line without its end, once [`Next::Incomplete`] was said.
    pub(super) fn unfinished(&self) -> usize {
        self.end - self.start
    }

    pub(super) fn clear(&mut self) {
        (self.start, self.searched, self.end) = (0, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads `text` in pieces of `step` bytes and collects what comes out.
    fn split(text: &[u8], step: usize, max_line_bytes: usize) -> (Vec<Vec<u8>>, bool, usize) {
        let mut lines = Lines::new(max_line_bytes);
        let mut found = Vec::new();
        for piece in text.chunks(step) {
            lines.room()[..piece.len()].copy_from_slice(piece);
            lines.filled(piece.len());
            loop {
                match lines.next() {
                    Next::Line(line) => found.push(line.to_vec()),
                    Next::Incomplete => break,
                    Next::TooLong => return (found, true, lines.buffer.capacity()),
                }
            }
        }
        (found, false, lines.buffer.capacity())
    }

    #[test]
    fn lines_do_not_depend_on_how_they_were_read() {
        let long = "x".repeat(300_000);
        let text = format!("a\n\nbc\r\n{long}\nd\nunfinished");
        let expected: Vec<_> = ["a", "", "bc\r", &long, "d"].map(|line| line.as_bytes().to_vec()).into();
        for step in [1, 2, 7, 4096, READ_BYTES - 1, READ_BYTES] {
            assert_eq!(split(text.as_bytes(), step, 1 << 20).0, expected, "{step}");
        }
    }

    #[test]
    fn a_line_of_the_limit_passes_and_one_byte_more_does_not() {
        for limit in [0, 1, 10, READ_BYTES, 3 * READ_BYTES] {
            let line = vec![b'x'; limit];
            let text = [&line[..], b"\n"].concat();
            assert_eq!(split(&text, READ_BYTES, limit).0, [line], "{limit}");
            assert!(split(&[b"x", &text[..]].concat(), READ_BYTES, limit).1, "{limit}");
            assert!(split(&[b"x", &text[..limit]].concat(), READ_BYTES, limit).1, "{limit}");
        }
    }

    #[test]
    fn no_more_than_the_limit_and_one_read_is_held() {
        let limit = 10 * READ_BYTES + 5;
        let (_, too_long, capacity) = split(&vec![b'x'; 4 << 20], READ_BYTES, limit);
        assert!(too_long && capacity <= limit + 2 * READ_BYTES, "{capacity}");
    }
}
