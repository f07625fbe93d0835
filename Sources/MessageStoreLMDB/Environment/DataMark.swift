/// How a data file was left: the content of `data.mark` next to it.
///
/// An environment that is about to write for the first time says `open`, on the medium, and one that was closed says
/// `closed` once all it wrote is on the medium. So a file can be trusted without looking at its pages
///
/// - where the mark says `closed` and the file is the one it names, of the same length and times;
/// - where it says `open` in this session of the system: a process that is killed leaves the file whole, as LMDB's
///   order of writes is that of the system's memory. A system that stopped need not have kept it.
package struct DataMark: Hashable, Sendable {
    package enum State: UInt64, Sendable {
        case open = 1, closed = 2
        /// Open, with events in one or two files of a journal, which are not removed before another state is noted.
        case openWithJournal = 3, openWithTwoJournals = 4

        init(journalFiles count: Int) {
            self = count == 0 ? .open : count == 1 ? .openWithJournal : .openWithTwoJournals
        }

        var journalFiles: Int { self == .openWithJournal ? 1 : self == .openWithTwoJournals ? 2 : 0 }
    }

    /// The system's attributes of a file; times are nanoseconds.
    package struct Stamps: Hashable, Sendable {
        package var inode: UInt64
        package var size: UInt64
        package var modified: UInt64
        package var changed: UInt64

        package init(inode: UInt64, size: UInt64, modified: UInt64, changed: UInt64) {
            (self.inode, self.size, self.modified, self.changed) = (inode, size, modified, changed)
        }
    }

    package var state: State
    package var stamps: Stamps
    /// The transaction that the file was at.
    package var transaction: UInt64
    /// A random number, so that two openings differ.
    package var opening: UInt64
    /// ``BootSession/current`` when the mark was written.
    package var boot: [UInt8]

    /// Longer than any system's name for its session.
    static let bootBytes = 64
    package static let byteCount = 8 * 8 + bootBytes + 8
    private static let magic: UInt64 = 0x314B_5241_4D53_4D0A  // "\nMSMARK1"

    package init(_ state: State, _ stamps: Stamps, transaction: UInt64, boot: [UInt8] = BootSession.current) {
        self.state = state
        self.stamps = stamps
        self.transaction = transaction
        opening = .random(in: .min ... .max)
        self.boot = Array(boot.prefix(Self.bootBytes))
    }

    /// Whether a file with these stamps needs no look at its pages.
    func vouches(for current: Stamps) -> Bool {
        switch state {
        case .closed: current == stamps
        case .open, .openWithJournal, .openWithTwoJournals:
            current.inode == stamps.inode && !boot.isEmpty && boot == BootSession.current
        }
    }
}

extension DataMark {
    /// Reads a mark; nil where the bytes are none.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        let span = bytes.span.bytes
        func word(_ index: Int) -> UInt64 {
            UInt64(littleEndian: span.unsafeLoadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
        }
        guard word(0) == Self.magic, let state = State(rawValue: word(1)),
            word(Self.byteCount / 8 - 1) == Self.checksum(bytes.dropLast(8))
        else { return nil }
        self.state = state
        stamps = Stamps(inode: word(2), size: word(3), modified: word(4), changed: word(5))
        transaction = word(6)
        opening = word(7)
        boot = Array(bytes[64..<64 + Self.bootBytes].prefix { $0 != 0 })
    }

    /// Eight numbers, the session's name filled up with zeros, and the checksum of all that.
    package var bytes: [UInt8] {
        let words = [
            Self.magic, state.rawValue, stamps.inode, stamps.size, stamps.modified, stamps.changed, transaction,
            opening,
        ]
        var bytes = words.flatMap(Self.bytes)
        bytes += boot + [UInt8](repeating: 0, count: Self.bootBytes - boot.count)
        return bytes + Self.bytes(Self.checksum(bytes[...]))
    }

    private static func bytes(_ word: UInt64) -> [UInt8] {
        withUnsafeBytes(of: word.littleEndian) { [UInt8]($0) }
    }

    /// FNV-1a, 64 bits: enough against a write that was cut short.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
