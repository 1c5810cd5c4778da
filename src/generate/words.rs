//! Names and texts that nobody could have written down before.

use super::dice::Dice;

const CONSONANTS: [&str; 14] = ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z"];
const VOWELS: [&str; 5] = ["a", "e", "i", "o", "u"];
const HAN: [&str; 40] = [
    "山", "川", "木", "林", "石", "田", "水", "火", "风", "云", "雨", "雪", "星", "月", "日", "海", "河", "花", "草", "鸟", "鱼", "马",
    "牛", "门", "窗", "桥", "路", "车", "船", "书", "画", "歌", "茶", "米", "糖", "盐", "铁", "银", "金", "玉",
];
const KANA: [&str; 12] = ["あ", "か", "さ", "た", "な", "は", "ま", "や", "ら", "わ", "カ", "ラ"];
const WIDE: [&str; 12] = ["ａ", "ｂ", "ｄ", "ｅ", "ｇ", "ｋ", "ｍ", "ｏ", "ｐ", "ｓ", "ｔ", "ｚ"];
const CYRILLIC: [&str; 10] = ["ба", "во", "ги", "да", "жу", "ке", "ло", "ми", "но", "ру"];
const ASTRAL: [&str; 8] = ["🚀", "🧭", "🪐", "🧪", "𝛼", "𠮷", "🦉", "🌵"];
/// A letter with a mark of its own behind it, and one that has it within.
const MARKED: [&str; 6] = ["e\u{301}", "o\u{308}", "n\u{303}", "é", "ö", "ñ"];
/// Signs that some renderer somewhere escapes.
const SIGNS: [&str; 6] = ["<b>", "&", "\"quoted\"", "'single'", "100%", "a|b"];

impl Dice {
    /// A word of ASCII letters, of six to eight of them.
    pub(super) fn word(&mut self) -> String {
        (0..self.between(3, 4)).map(|_| self.pick(&CONSONANTS).to_owned() + self.pick(&VOWELS)).collect()
    }

    /// A word that begins with a capital letter.
    pub(super) fn capital(&mut self) -> String {
        let word = self.word();
        word[..1].to_uppercase() + &word[1..]
    }

    /// A name of ASCII letters, hyphens and digits.
    pub(super) fn name(&mut self) -> String {
        match self.below(4) {
            0 => format!("{}-{}-{}", self.word(), self.word(), self.below(100)),
            1 => format!("{}{}", self.word(), self.word()),
            _ => format!("{}-{}", self.word(), self.word()),
        }
    }

    /// A name in any script.
    pub(super) fn any_name(&mut self) -> String {
        match self.below(12) {
            // Behind all of Han in code points, and before what stands outside the basic plane.
            10 => (0..self.between(3, 6)).map(|_| self.pick(&WIDE)).collect(),
            0 => (0..self.between(3, 6)).map(|_| self.pick(&HAN)).collect(),
            1 => format!("{}-{}", self.word(), self.pick(&MARKED)),
            2 => format!("{}{}", self.pick(&ASTRAL), self.word()),
            3 => format!("{}{}", self.capital(), self.capital()),
            _ => self.name(),
        }
    }

    /// A sentence of so many words of ASCII.
    pub(super) fn sentence(&mut self, words: usize) -> String {
        let rest: Vec<String> = (1..words.max(1)).map(|_| self.word()).collect();
        std::iter::once(self.capital()).chain(rest).collect::<Vec<_>>().join(" ")
    }

    /// A text of about so many characters, in any script, on one line and without a blank at an end.
    pub(super) fn text(&mut self, characters: usize) -> String {
        let kind = self.below(8);
        let mut text = self.capital();
        let mut count = text.chars().count();
        while count < characters {
            let piece = match kind {
                0 => self.pick(&HAN).to_owned(),
                1 => format!("{}{}", self.pick(&KANA), self.pick(&HAN)),
                2 => format!(" {}{}", self.pick(&CYRILLIC), self.pick(&CYRILLIC)),
                3 => format!(" {}{}", self.word(), self.pick(&ASTRAL)),
                4 => format!(" {}{}", self.word(), self.pick(&MARKED)),
                5 => format!(" {} {}", self.word(), self.pick(&SIGNS)),
                _ => format!(" {}", self.word()),
            };
            count += piece.chars().count();
            text.push_str(&piece);
        }
        text
    }

    /// A path of a file that no one has, of ASCII.
    pub(super) fn path(&mut self, extension: &str) -> String {
        let folder = self.pick(&["docs", "notes", "out", "refs", "records"]);
        match self.below(3) {
            0 => format!("{folder}/{}/{}.{extension}", self.word(), self.word()),
            _ => format!("{folder}/{}-{}.{extension}", self.word(), self.word()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_tidy_and_as_long_as_asked() {
        let mut dice = Dice::of(3, "words", 0, 0);
        for _ in 0..400 {
            let length = dice.between(10, 300);
            let text = dice.text(length);
            assert_eq!(text.trim(), text);
            assert!(!text.contains(['\n', '\r', '\t', '`']), "{text}");
            assert!((length..length + 20).contains(&text.chars().count()), "{length}: {text}");
            let name = dice.any_name();
            assert!(!name.is_empty() && name.chars().count() < 64 && !name.contains(['/', ' ']), "{name}");
        }
    }
}
