/// Builds texts of a wanted length in UTF-8 bytes from a small vocabulary.
///
/// No text is cut inside a character. Words follow each other without sense, in the frequencies of Zipf's law.
public struct WorkloadText: Sendable {
    /// The script in which a text is written.
    public enum Script: Sendable, Equatable {
        /// English words and a few with accents, divided by spaces.
        case latin
        /// Chinese words, undivided; a rest of less than three bytes is ASCII at the end.
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
    ///   - mention: A name to begin with, if there is room.
    ///   - random: The source of the words.
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

    /// Chooses the last bytes of a text with `room` bytes left, so that words fill the part before them.
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
    /// Ends of Chinese texts by the bytes that three-byte characters leave over.
    private static let tails = ["", "!", "ok"].map { Array($0.utf8) }
}

/// The words of one script as bytes in a row, in the order of how common they are.
///
/// Up to the longest, there are words of every length (Latin) or of every multiple of 3 bytes (Chinese), so that any
/// text can be filled to the last byte.
struct WorkloadVocabulary: Sendable {
    /// The bytes between two words.
    private let separator: [UInt8]
    /// The length of the longest word in bytes.
    private let longest: Int
    /// Every word with the separator after it.
    private var bytes: [UInt8] = []
    private var starts: [Int] = [0]
    /// Words by their length in bytes, to end a text with.
    private var byLength: [[Int]]
    private let sampler: ZipfSampler

    /// Reads words divided by spaces, the common ones first, which are drawn by Zipf's law with exponent 1.
    init(_ text: String, separator: String) {
        let words = text.split(separator: " ").map { Array($0.utf8) }
        let longest = words.map(\.count).max() ?? 0
        self.separator = Array(separator.utf8)
        self.longest = longest
        byLength = Array(repeating: [], count: longest + 1)
        for (ordinal, word) in words.enumerated() {
            bytes += word + separator.utf8
            starts.append(bytes.count)
            byLength[word.count].append(ordinal)
        }
        sampler = ZipfSampler(count: words.count, exponent: 1)
    }

    /// Appends words and separators that take up exactly `byteCount` bytes, for Chinese a multiple of 3.
    ///
    /// One word in 32 is a number of three digits: texts have many words that occur in few other texts.
    func fill(_ byteCount: Int, into buffer: inout [UInt8], using random: inout SplitMix64) {
        let end = buffer.count + byteCount
        var misses = 0
        while end - buffer.count > Self.closingBytes, misses < 4 || end - buffer.count > longest {
            let isNumber = random.next() & 31 == 0
            let word = sampler.next(using: &random)
            let width = isNumber ? 3 + separator.count : starts[word + 1] - starts[word]
            if width >= end - buffer.count {
                misses += 1
            } else if isNumber {
                appendNumber(100 + random.nextIndex(900), to: &buffer)
            } else {
                for place in starts[word]..<starts[word + 1] { buffer.append(bytes[place]) }
            }
        }
        appendLastWord(end - buffer.count, to: &buffer, using: &random)
    }

    /// If no more than this is left, a word of just the length is put; few long words would fit elsewhere.
    private static let closingBytes = 5

    private func appendLastWord(_ byteCount: Int, to buffer: inout [UInt8], using random: inout SplitMix64) {
        guard byLength.indices.contains(byteCount), !byLength[byteCount].isEmpty else { return }
        let word = byLength[byteCount][random.nextIndex(byLength[byteCount].count)]
        buffer.append(contentsOf: bytes[starts[word]..<starts[word] + byteCount])
    }

    private func appendNumber(_ number: Int, to buffer: inout [UInt8]) {
        for digit in [number / 100, number / 10 % 10, number % 10] {
            buffer.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
        }
        buffer.append(contentsOf: separator)
    }
}

extension WorkloadVocabulary {
    /// Common words of English chat, and a few with accents, of 1 to 12 bytes.
    static let latin = WorkloadVocabulary(
        """
        the to you I a and it is that of in for have on this be with but not can just so if what do was my or are at \
        like there get as your we they yes how from know me all an use no one now will then about think time see some \
        out when need good work would up here more want ok thanks go has them people make really try still right had \
        any been should where only well code did why something than which way could new other also too sure page even \
        much back thing after maybe first lol help want's today again better same before great problem actually \
        working question please because sorry looking someone anyone install version already message tomorrow weekend \
        coffee lunch train tickets photos meeting morning evening later birthday dinner movie music phone laptop \
        battery screen download update server channel account password keyboard language anything everything sometimes \
        different important definitely probably beautiful tonight yesterday café naïve déjà über señor garçon \
        x k u ya hm yo oh hey wow nah hello early awesome perfect finally exactly usually writing reading learning \
        interested restaurants information interesting particularly conversation introduction presentation
        """,
        separator: " "
    )

    /// Common Chinese words and short phrases of 1 to 5 characters of 3 bytes.
    static let chinese = WorkloadVocabulary(
        """
        的 我 你 是 了 在 有 不 好 吗 就 也 都 他 吧 啊 嗯 ， 。 ？ ！ 去 来 看 说 想 我们 你们 他们 什么 怎么 可以 没有 现在 知道 \
        今天 明天 昨天 谢谢 晚上 早上 时候 这个 那个 一个 已经 还是 因为 所以 但是 如果 觉得 喜欢 时间 问题 朋友 吃饭 开会 \
        上班 下班 回家 电影 音乐 天气 地铁 照片 文件 手机 电脑 消息 密码 周末 旅行 咖啡 牛奶 苹果 学校 老师 学生 公园 \
        超市 医院 生日 礼物 比赛 新闻 价格 地址 电话 没问题 不知道 怎么样 没关系 等一下 为什么 好不好 太好了 在哪里 \
        对不起 差不多 图书馆 火车站 打电话 看电影 喝咖啡 有意思 我在路上 马上就到 非常感谢 一起吃饭 早点休息 明天再说 \
        收到消息 会议改期 下雨带伞 周末愉快 请发一下 我看一看 你说得对 辛苦大家了 晚上一起吗 今天天气好 我已经到家 \
        文件发给你 几点见面呢 路上小心点 祝大家快乐
        """,
        separator: ""
    )
}
