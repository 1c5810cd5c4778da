//! What a child said on stderr.

/// The head and the tail of a stream.
#[derive(Debug)]
pub(super) struct Said {
    head: Vec<u8>,
    tail: Vec<u8>,
    /// Bytes of each.
    half: usize,
    /// Bytes that went by between the two.
    left_out: u64,
}

impl Said {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { head: Vec::new(), tail: Vec::new(), half: max_bytes / 2, left_out: 0 }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(self.half - self.head.len()));
        self.head.extend(head);
        self.tail.extend(rest);
        // Cut at twice the length, so that a byte of a flood is moved about once.
        if self.tail.len() > 2 * self.half {
            let excess = self.tail.len() - self.half;
            self.tail.drain(..excess);
            self.left_out += excess as u64;
        }
    }

    /// All of it, or head and tail with a line between them that says how much is missing.
    pub(super) fn text(&self) -> String {
        let (excess, tail) = self.tail.split_at(self.tail.len().saturating_sub(self.half));
        let left_out = self.left_out + excess.len() as u64;
        if left_out == 0 {
            return String::from_utf8_lossy(&[&self.head[..], tail].concat()).into_owned();
        }
        let (head, tail) = (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(tail));
        format!("{head}\n[… {left_out} bytes left out …]\n{tail}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_whole() {
        let mut said = Said::new(20);
        for piece in ["one ", "tw", "ö ", "three"] {
            said.push(piece.as_bytes());
        }
        assert_eq!(said.text(), "one twö three");
    }

    #[test]
    fn a_flood_keeps_its_head_and_its_tail() {
        let mut said = Said::new(8);
        said.push(b"head");
        for _ in 0..1000 {
            said.push(b"....");
            assert!(said.tail.len() <= 8);
        }
        said.push(b"\xfftail");
        assert_eq!(said.text(), "head\n[… 4001 bytes left out …]\ntail");
    }

    #[test]
    fn nothing_may_be_kept() {
        let mut said = Said::new(0);
        said.push(b"abc");
        assert_eq!(said.text(), "\n[… 3 bytes left out …]\n");
    }
}
