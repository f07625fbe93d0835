/// A sorted list of grams with the messages that have them, of a range of events.
///
/// It lies in rows of up to ``greatestChunk`` bytes. The key of a row is the run's number, the row's first gram, and the
/// highest message in the row's part of that gram's list; its value is the row's number in the run, then for each gram
/// what it shares with the one before, the rest of it, and its messages, the highest first, as differences. Rows are
/// numbered, so that a missing one is noticed.
struct SearchRun: Equatable {
    let number: UInt32
    /// How many events it is of.
    var events: UInt64
    /// How many rows it has.
    var chunks: UInt32 = 0
    /// The lowest and the highest message in its lists.
    var lowest: UInt64 = .max
    var highest: UInt64 = 0
    /// How many of the erasures it has applied, see ``SearchDirectory``.
    var erasures: UInt64 = 0

    /// The bytes of a row: with its checksum it fills a page of 4,096 bytes of its own, in whatever order rows are written.
    static let greatestChunk = 4_076

    /// Runs of a size class are merged when there are so many; each class is so many times as large as the one before.
    static let fanOut = 8
    private static let smallest: UInt64 = 512
    /// More than any log has.
    static let greatestEvents: UInt64 = 1 << 48

    var level: Int {
        var (level, size) = (0, Self.smallest * UInt64(Self.fanOut))
        while events >= size {
            level += 1
            size *= UInt64(Self.fanOut)
        }
        return level
    }

    /// The first byte of the keys of chunks; a byte before it are those of everything else.
    static let keyKind: UInt8 = 1

    /// The beginning of the keys of a run's rows.
    static func key(_ number: UInt32) -> [UInt8] {
        [keyKind] + withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    }

    /// The key of the row with the messages of a gram from the highest wanted on.
    static func key(_ number: UInt32, _ gram: UnsafeRawBufferPointer, from highest: UInt64) -> [UInt8] {
        var key = Self.key(number)
        key.append(contentsOf: gram)
        key.append(0)
        withUnsafeBytes(of: (~highest).bigEndian) { key.append(contentsOf: $0) }
        return key
    }
}
