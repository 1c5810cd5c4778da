//! Requests on their way to the pipe.

/// Bytes that were encoded and not written yet.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    bytes: Vec<u8>,
    written: usize,
}

impl Outgoing {
    /// Where requests are appended.
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    pub(super) fn unwritten(&self) -> &[u8] {
        &self.bytes[self.written..]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.written == self.bytes.len()
    }

    /// The next `count` bytes are written.
    pub(super) fn advance(&mut self, count: usize) {
        self.written += count;
        if self.is_empty() {
            self.clear();
        } else if self.written > self.bytes.len() / 2 {
            // Moved only when the rest is the smaller part, so that each byte moves about once.
            self.bytes.drain(..self.written);
            self.written = 0;
        }
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.written = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_leave_in_order_however_few_at_a_time() {
        let mut outgoing = Outgoing::default();
        let mut seen: Vec<u8> = Vec::new();
        for round in 0..50_u8 {
            outgoing.buffer().extend([round; 7]);
            let count = usize::from(round % 5).min(outgoing.unwritten().len());
            seen.extend(&outgoing.unwritten()[..count]);
            outgoing.advance(count);
        }
        seen.extend(outgoing.unwritten());
        assert_eq!(seen, (0..50).flat_map(|round| [round; 7]).collect::<Vec<_>>());
        outgoing.advance(outgoing.unwritten().len());
        assert!(outgoing.is_empty());
    }
}
