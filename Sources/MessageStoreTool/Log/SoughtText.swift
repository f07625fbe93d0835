internal import Foundation
@_spi(Storage) internal import MessageStoreLog

/// A text to look for in the values of events, in whatever case.
///
/// Nearly all events are plain messages, and few hold it: the bytes of their records are looked at first, and their
/// values, as the log command shows them, only if those may hold it.
final class SoughtText {
    private let small: String
    private let bytes: [UInt8]
    /// The characters that a text must have to hold it; nil if ASCII is sought.
    private let scalars: SoughtScalars?
    /// Whether the words that every message shows may hold it: its type, or a word for yes, no and an unknown time.
    private let isCommon: Bool
    /// Whether a number, a time or a size may hold it.
    private let isNumeric: Bool
    private var conversations = KnownAnswers()
    private var users = KnownAnswers()
    private var contentTypes = KnownAnswers()
    private var origins = KnownAnswers()

    init(_ text: String) {
        small = text.lowercased()
        bytes = Array(small.utf8)
        let composed = small.decomposedStringWithCanonicalMapping.unicodeScalars.filter { !$0.isASCII }
        let (small, isASCII) = (small, bytes.allSatisfy { $0 < 0x80 })
        scalars = isASCII ? nil : SoughtScalars(composed)
        let words = ["true", "false", "unknown", "messagereceived"]
        // Text that is written otherwise than in ASCII and means the same is found in no bytes.
        isCommon = !isASCII && composed.isEmpty || words.contains { $0.contains(small) }
        isNumeric = small.allSatisfy { "0123456789-+:.tz, bytes".contains($0) }
    }

    /// Whether a value of an event holds it.
    func isIn(_ event: RecordedEvent, _ hosts: HostEvents) -> Bool {
        if case .undecoded(let message) = event.source, !message.read({ mayBe(in: $0, message, event) }) {
            return false
        }
        return EventColumns(event, hosts, hasContent: true).columns.contains { $0.text.map(isIn) == true }
    }

    private func isIn(_ text: String) -> Bool {
        // Of ASCII no copy is made, and characters are bytes; but a carriage return and a line feed are one character.
        var text = text
        let isFound = text.withUTF8 { text in
            text.allSatisfy { $0 < 0x80 && $0 != 0x0D } ? isIn(UnsafeRawBufferPointer(text)) : nil
        }
        return isFound ?? text.holds(lowercased: small)
    }

    /// Whether the values of a plain message may hold it: its strings, the names of its numbers, its times and sizes.
    private func mayBe(in record: RecordView, _ message: UndecodedMessage, _ event: RecordedEvent) -> Bool {
        if isCommon || mayBe(in: record.serverID) || mayBe(in: record.clientToken) { return true }
        var hasSize = false
        var fields = FieldReader(record.content)
        while let field = fields.next() {
            if mayBe(in: field.bytes) { return true }
            // Data that is no text is shown as its size.
            hasSize = hasSize || field.id != MessageContent.Fields.text.number
        }
        fields = FieldReader(record.fieldBytes)
        while let field = fields.next() { if mayBe(in: field.bytes) { return true } }
        if conversations.answer(record.conversation, { message.names.conversation.map { isIn("\($0)") } == true })
            || users.answer(record.actor, { message.names.actor.map { isIn("\($0)") } == true })
            || contentTypes.answer(record.contentType, { message.names.contentType.map { isIn("\($0)") } == true })
            || origins.answer(UInt32(record.origin.rawValue), { isIn("\(record.origin)") })
        {
            return true
        }
        guard isNumeric else { return false }
        return hasSize || isIn("\(event.position)") || isIn("\(event.commit)") || isIn("\(event.clockTime)")
            || record.serverTime.map { isIn("\($0)") } == true
    }

    private func mayBe(in text: RawSpan) -> Bool {
        text.withUnsafeBytes { text in
            guard text.contains(where: { $0 >= 0x80 }) else { return isIn(text) }
            return scalars.map { $0.areAll(in: text) } ?? (isIn(text) || SoughtScalars.isASCII(in: text))
        }
    }

    /// Whether bytes hold the text's, letters of ASCII in whatever case.
    private func isIn(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let first = bytes.first else { return true }
        guard text.count >= bytes.count else { return false }
        for start in 0...text.count - bytes.count where Self.small(text[start]) == first {
            var index = 1
            while index < bytes.count, Self.small(text[start + index]) == bytes[index] { index += 1 }
            if index == bytes.count { return true }
        }
        return false
    }

    private static func small(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}

/// Characters beyond ASCII: a text must have each, in whatever case and however composed.
private final class SoughtScalars {
    private let sought: [Unicode.Scalar]
    /// By character: the bits of the sought characters that it has, and the highest bit if that was looked up.
    private var found = [UInt8](repeating: 0, count: 0x11_0000)

    init(_ scalars: String.UnicodeScalarView) { sought = Array(Set(scalars).prefix(7)) }

    func areAll(in text: UnsafeRawBufferPointer) -> Bool {
        var all: UInt8 = 0x80
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars where !scalar.isASCII { all |= bits(scalar) }
        return all == UInt8(1 << sought.count - 1) | 0x80
    }

    private func bits(_ scalar: Unicode.Scalar) -> UInt8 {
        let index = Int(scalar.value)
        if found[index] == 0 {
            let parts = String(scalar).lowercased().decomposedStringWithCanonicalMapping.unicodeScalars
            found[index] = sought.indices.reduce(0x80) { $0 | (parts.contains(sought[$1]) ? 1 << UInt8($1) : 0) }
        }
        return found[index]
    }

    /// Whether a text has one of the three characters that are ASCII in small letters or in their canonical form.
    static func isASCII(in text: UnsafeRawBufferPointer) -> Bool {
        String(decoding: text, as: UTF8.self).unicodeScalars.contains {
            ["\u{37E}", "\u{1FEF}", "\u{212A}"].contains($0)
        }
    }
}

/// Answers by the number of a symbol; each answer is found once.
private struct KnownAnswers {
    private var answers: [Bool?] = []

    mutating func answer(_ number: UInt32, _ find: () -> Bool) -> Bool {
        let index = Int(number)
        // Numbers of symbols are dense.
        guard index < 1 << 22 else { return find() }
        if index >= answers.count { answers += [Bool?](repeating: nil, count: index + 1) }
        if let answer = answers[index] { return answer }
        let answer = find()
        answers[index] = answer
        return answer
    }
}
