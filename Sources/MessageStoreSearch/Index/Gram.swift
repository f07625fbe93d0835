@_spi(Storage) internal import MessageStoreLog
@_spi(Storage) internal import MessageStoreProjections

/// A part of a text or a property of a message, for which the index has a list of messages.
///
/// - A word is a gram, cut off after ``greatestCount`` bytes as all are.
/// - Two characters that follow each other without a separator are one, and so is a character that no other follows:
///   texts that begin with a character are a range of grams.
/// - Properties begin with a byte that no folded text has.
enum Gram {
    /// The bytes that are looked up; the rest is compared with the text.
    static let greatestCount = 32

    static func conversation(_ number: UInt32) -> [UInt8] { property(0x63, number) }
    static func sender(_ number: UInt32) -> [UInt8] { property(0x73, number) }
    static func contentType(_ number: UInt32) -> [UInt8] { property(0x74, number) }
    static let mention: [UInt8] = [1, 0x6D]
    static let link: [UInt8] = [1, 0x6C]

    private static func property(_ kind: UInt8, _ number: UInt32) -> [UInt8] {
        [1, kind] + withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    }

    /// The first bytes of a word or of characters, up to a scalar's end.
    static func beginning(
        of units: UnsafeRawBufferPointer, count: Int = greatestCount
    ) -> UnsafeRawBufferPointer {
        guard units.count > count else { return units }
        var end = count
        while end > 0, units[end] & 0xC0 == 0x80 { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: units[..<end])
    }

    /// Calls `body` with the grams of a text, some of them several times.
    static func forEach(in text: borrowing FoldedText, _ body: (UnsafeRawBufferPointer) -> Void) {
        text.bytes.withUnsafeBytes { bytes in
            let count = text.units.count
            for index in 0..<count {
                let unit = text.units[index]
                let range = unit.folded
                switch unit.kind {
                case .word: body(beginning(of: UnsafeRawBufferPointer(rebasing: bytes[range])))
                case .character:
                    // Units follow each other without gaps.
                    var end = range.upperBound
                    if index + 1 < count {
                        let next = text.units[index + 1]
                        if next.kind == .character, next.isJoined { end = next.folded.upperBound }
                    }
                    body(beginning(of: UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound..<end])))
                }
            }
        }
    }
}

/// How a host's type of events provides the text by which its events are found.
///
/// ```swift
/// SearchIndex(hostTexts: [HostText(NoteWritten.self) { $0.note }])
/// ```
public struct HostText: Sendable {
    let type: EventType
    let version: UInt32
    let text: @Sendable (any EventPayload) -> String?

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - payload: A type of the configuration's `events`.
    ///   - version: Raised when `text` changes, so that the index is made again.
    ///   - text: The text of an event; nil if it has none. An event that was redacted comes without its content.
    public init<Payload: EventPayload>(
        _ payload: Payload.Type, version: UInt32 = 1, _ text: @escaping @Sendable (Payload) -> String?
    ) {
        type = EventType(payload)
        self.version = version
        self.text = { event in (event as? Payload).flatMap(text) }
    }
}

/// Finds addresses of the web in a text: `http://`, `https://` or `www.`, in any case.
enum LinkFinder {
    static func hasLink(_ text: UnsafeRawBufferPointer) -> Bool {
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: ":"):
                if follows(text, index, "//"), precedes(text, index, "http") || precedes(text, index, "https") {
                    return true
                }
            case UInt8(ascii: "."):
                if precedes(text, index, "www") { return true }
            default: break
            }
        }
        return false
    }

    private static func follows(_ text: UnsafeRawBufferPointer, _ index: Int, _ expected: StaticString) -> Bool {
        text[(index + 1)...].starts(with: expected.bytes)
    }

    private static func precedes(_ text: UnsafeRawBufferPointer, _ index: Int, _ expected: StaticString) -> Bool {
        let bytes = expected.bytes
        guard index >= bytes.count else { return false }
        // ASCII letters differ from their capitals in one bit.
        return zip(text[(index - bytes.count)..<index], bytes).allSatisfy { $0 | 0x20 == $1 }
    }
}

extension StaticString {
    fileprivate var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}

/// Reads the names of files in the contents of messages that have one, as the payloads of the library write them.
struct FileNames {
    /// The types of such contents, as numbers of records.
    private let types: [UInt32]

    private struct Payload: Decodable {
        struct File: Decodable { let name: String? }
        let file: File
    }

    init(_ symbols: SymbolTable) throws {
        types = try SearchQuery.fileTypes.compactMap { try symbols.existingNumber(of: $0) }
    }

    /// The name of a content's file; nil if there is none.
    func name(in holder: RecordView) -> String? {
        guard types.contains(holder.contentType), let data = holder.messageData else { return nil }
        return try? JSONBytes.decode(Payload.self, from: data.copied).file.name
    }

    /// Whether a text of a content is longer than the part of it that is found.
    func hasLongText(_ holder: RecordView) -> Bool {
        let greatest = FoldingRules.maximumTextBytes
        return holder.messageText?.byteCount ?? 0 > greatest || name(in: holder)?.utf8.count ?? 0 > greatest
    }
}
