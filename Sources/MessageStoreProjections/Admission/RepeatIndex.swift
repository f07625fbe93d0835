@_spi(Storage) internal import MessageStoreLog

/// An index of recent messages, which finds a repeat without a look at every message around it (D23).
///
/// Time is cut into stretches as long as the window of repeats. A conversation's stretch is read from the views once,
/// when a message near it arrives; later messages are added here. It is a cache, and emptied when it grows too big.
struct RepeatIndex: Sendable {
    private struct Place: Hashable {
        let conversation: ConversationNumber
        let stretch: Int64
    }

    private static let limit = 1 << 16

    private var loaded: Set<Place> = []
    private var messages: [UInt64: [LocalMessageID]] = [:]
    private var count = 0

    /// The message of earlier commits that a record about to be appended repeats (d12).
    mutating func message(
        repeatedBy record: RecordView, within window: Int64, _ snapshot: borrowing ViewSnapshot
    ) throws -> LocalMessageID? {
        guard let time = record.serverTime?.milliseconds else { return nil }
        let stretch = time / max(window, 1)
        for near in max(stretch - 1, 0)...stretch + 1 {
            let place = Place(conversation: record.conversationNumber, stretch: near)
            if loaded.insert(place).inserted { try load(place, window, snapshot) }
            for local in messages[record.repeatKey &+ UInt64(near)] ?? [] {
                guard let other = try snapshot.log.record(at: Position(local.rawValue)),
                    record.repeats(other, within: window), try snapshot.hidesRepeats(local)
                else { continue }
                return local
            }
        }
        return nil
    }

    /// Adds an appended message.
    mutating func note(
        _ batch: borrowing EncodedBatch, except repeats: Set<Position>, _ windows: RepeatWindows,
        _ symbols: SymbolTable
    ) throws {
        if count > Self.limit { self = RepeatIndex() }
        for index in 0..<batch.count {
            guard let record = batch[index], record.type == .messageReceived, !record.flags.contains(.isOutgoing),
                !repeats.contains(record.position),
                let window = windows.window(for: try symbols.conversation(record.conversationNumber).kind)
            else { continue }
            let stretch = (record.serverTime?.milliseconds ?? 0) / max(window, 1)
            guard loaded.contains(Place(conversation: record.conversationNumber, stretch: stretch)) else { continue }
            add(record, stretch)
        }
    }

    private mutating func load(_ place: Place, _ window: Int64, _ snapshot: borrowing ViewSnapshot) throws {
        var found: [(key: UInt64, local: LocalMessageID)] = []
        let first = place.stretch * window
        try snapshot.forEachReceived(in: place.conversation, from: first, upTo: first + window - 1) { record in
            found.append((record.repeatKey, LocalMessageID(record.position.rawValue)))
        }
        for (key, local) in found { messages[key &+ UInt64(place.stretch), default: []].append(local) }
        count += found.count
    }

    private mutating func add(_ record: RecordView, _ stretch: Int64) {
        messages[record.repeatKey &+ UInt64(stretch), default: []].append(LocalMessageID(record.position.rawValue))
        count += 1
    }
}

/// Within how many milliseconds a message without a token may repeat another (d12); nil if none is looked for (D21,
/// D23).
package struct RepeatWindows: Sendable {
    private let conversations: Int64?
    private let chatRooms: Int64?

    package init(conversations: Int64? = nil, chatRooms: Int64? = nil) {
        self.conversations = conversations
        self.chatRooms = chatRooms
    }

    var isOn: Bool { conversations != nil || chatRooms != nil }

    func window(for kind: ConversationKind) -> Int64? {
        kind == .chatRoom ? chatRooms : conversations
    }
}

extension Admitter {
    /// Appends that the message added last repeats another, if it does.
    mutating func noteRepeat(_ event: Event, _ index: inout RepeatIndex) throws {
        guard repeatWindows.isOn, let conversation = event.conversation,
            let window = repeatWindows.window(for: conversation.kind),
            let message = event.payload as? MessageReceived, let original = try findRepeated(within: window, &index)
        else { return }
        repeats.insert(writer.batch.lastPosition)
        let verdict = MessageDuplicateSuppressed(serverID: message.serverID, duplicateOf: original, rule: .content)
        try writer.append(Event(verdict, in: conversation, origin: event.origin))
        // The message keeps its identities; the verdict has none.
        writer.keep()
    }

    /// The message that the batch's last record repeats, in this batch or before it.
    private mutating func findRepeated(within window: Int64, _ index: inout RepeatIndex) throws -> LocalMessageID? {
        var messages = messagesByContent
        messagesByContent = [:]
        defer { messagesByContent = messages }
        let last = writer.batch.count - 1
        guard let record = writer.batch[last], !record.flags.contains(.isOutgoing) else { return nil }
        // Messages that repeat none lie further apart than the window: few share a stretch of that length.
        let key = record.repeatKey
        let stretch = UInt64(clamping: (record.serverTime?.milliseconds ?? 0) / max(window, 1))
        for near in (stretch == 0 ? 0 : stretch - 1)...stretch + 1 {
            for earlier in messages[key &+ near] ?? [] {
                if let first = writer.batch[earlier], record.repeats(first, within: window) {
                    return LocalMessageID(first.position.rawValue)
                }
            }
        }
        if let stored = try views.ask({ try index.message(repeatedBy: record, within: window, $0) }),
            try !isForgotten(Position(stored.rawValue), in: record.conversationNumber)
        {
            return stored
        }
        messages[key &+ stretch, default: []].append(last)
        return nil
    }
}
