/// Builds texts of a wanted length in UTF-8 bytes from a small vocabulary.
///
/// No text is cut inside a character. Words follow each other without sense, in the frequencies of Zipf's law.
public struct WorkloadText: Sendable {
    /// The script in which a text is written.
    public enum Script: Sendable, Equatable {
        /// English words and a few with accents, divided by spaces.
        case latin
        /// Chinese words, undivided; what does not fill three bytes is ASCII at the end.
        case chinese
    }

    private let emojiShare: Double
    private var buffer: [UInt8] = []

    /// Creates a builder; `emojiShare` is the share of texts that get an emoji if they are long enough.
    public init(emojiShare: Double) {
        self.emojiShare = emojiShare
    }

    /// Returns a text of exactly `byteCount` bytes; none below 1.
    ///
    /// - Parameters:
    ///   - script: The script of its words.
    ///   - byteCount: Its length in UTF-8 bytes.
    ///   - mention: A name to begin with, where there is room.
    ///   - random: Where the words are drawn from.
    public mutating func next(
        _ script: Script, byteCount: Int, mention: String? = nil, using random: inout SplitMix64
    ) -> String {
        guard byteCount > 0 else { return "" }
        buffer.removeAll(keepingCapacity: true)
        appendMention(mention, within: byteCount)
        let ending = Self.ending(script, byteCount - buffer.count, emojiShare: emojiShare, using: &random)
        let vocabulary = script == .latin ? WorkloadVocabulary.latin : WorkloadVocabulary.chinese
        vocabulary.fill(byteCount - buffer.count - ending.count, into: &buffer, using: &random)
        buffer.append(contentsOf: ending)
        return String(decoding: buffer, as: UTF8.self)
    }

    private mutating func appendMention(_ name: String?, within byteCount: Int) {
        guard let name, name.utf8.count + 2 <= byteCount else { return }
        buffer.append(UInt8(ascii: "@"))
        buffer.append(contentsOf: name.utf8)
        buffer.append(UInt8(ascii: " "))
    }

    /// Chooses the last bytes of a text of which `room` bytes are left, so that words fill what is before them.
    private static func ending(
        _ script: Script, _ room: Int, emojiShare: Double, using random: inout SplitMix64
    ) -> [UInt8] {
        let wantsEmoji = random.chance(emojiShare)
        let choice = random.nextIndex(marks.count)
        switch script {
        case .latin:
            if wantsEmoji, room >= WorkloadParameters.emojiMinimumBytes { return spacedEmoji[choice] }
            return room >= 12 ? marks[choice] : []
        case .chinese:
            let emoji = wantsEmoji && room >= WorkloadParameters.emojiMinimumBytes ? Self.emoji[choice] : []
            return tails[(room - emoji.count) % 3] + emoji
        }
    }

    /// Ends of Latin texts; half of them have none.
    private static let marks = [".", "?", "!", ".", "", "", "", ""].map { Array($0.utf8) }
    /// As many as `marks`, of 4 bytes each.
    private static let emoji = ["😀", "😂", "👍", "🎉", "🙏", "😅", "🔥", "🚀"].map { Array($0.utf8) }
    private static let spacedEmoji = emoji.map { [UInt8(ascii: " ")] + $0 }
    /// Ends of Chinese texts by what three-byte characters leave over.
    private static let tails = ["", "!", "ok"].map { Array($0.utf8) }
}
