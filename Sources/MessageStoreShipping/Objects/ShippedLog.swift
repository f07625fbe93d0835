#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The objects of a log in a place, as they are listed at one moment.
///
/// A log is continued by one store after the other: each has segments and bases under its own name, and the last object
/// of a store that does not continue names its successor.
struct ShippedLog: Sendable {
    /// A segment by its first position.
    struct Segment: Sendable, Equatable {
        let first: Position
        let name: String
    }

    /// A complete base.
    struct Base: Sendable, Equatable {
        let position: Position
        /// The beginning of its objects' names.
        let name: String
    }

    /// The stores that shipped, in their order; the last one continues the log.
    let stores: [String]
    /// Their segments, ascending.
    let segments: [Segment]
    /// Their bases, ascending.
    let bases: [Base]

    /// The store that continues the log.
    var current: String { stores.last ?? "" }

    /// The segments that continue a log after a position.
    func segments(after position: Position) -> ArraySlice<Segment> {
        segments[(segments.firstIndex { $0.first > position } ?? segments.count)...]
    }

    /// Lists the objects of a place; nil if nothing was ever shipped.
    ///
    /// - Throws: ``StoreError`` with code `segmentDamaged` if an object cannot be read; what the carrier throws.
    ///
    /// - Parameters:
    ///   - known: Stores that an earlier list had; the last of them and its successors are looked at.
    ///   - position: Segments that begin up to here are left out.
    static func list(
        _ carrier: some Carrier, knowing known: [String] = [], after position: Position = .origin
    ) async throws -> ShippedLog? {
        var (stores, segments, bases): ([String], [Segment], [Base]) = (known.dropLast(), [], [])
        let start = if let last = known.last { last } else { try await first(carrier) }
        guard var store = start else { return nil }
        while !stores.contains(store) {
            guard ObjectName.isStore(store) else {
                throw StoreError(.segmentDamaged, "a shipped object names no store", path: carrier.description)
            }
            stores.append(store)
            // A store that is not known yet may have ended before the position, which its last object says.
            let isKnown = position != .origin && store == known.last
            let last = isKnown ? ObjectName.segment(of: store, from: position) : nil
            var names = try await carrier.objects(ObjectName.segments(of: store), after: last)
            let newest = names.last
            let object = if let newest { try await carrier.get(newest) } else { [UInt8]?.none }
            let end = if let newest, let object { try end(object, name: newest) } else { LogEndNote?.none }
            if end != nil { names.removeLast() }
            segments += names.compactMap { name in
                ObjectName.lastNumber(of: name).map { Segment(first: Position($0), name: name) }
            }
            bases += try await carrier.objects(ObjectName.bases(of: store)).compactMap(Base.init(manifest:))
            guard let end else {
                // An end follows all bases of its store, so another object in its place does as well.
                if let newest, let object, ObjectName.lastNumber(of: newest) ?? 0 > bases.last?.position.rawValue ?? 0 {
                    try checkSegment(object, name: newest)
                }
                break
            }
            store = end.successor
        }
        return ShippedLog(
            stores: stores, segments: segments.filter { $0.first > position }.sorted { $0.first < $1.first },
            bases: bases.sorted { $0.position < $1.position })
    }

    /// The store that shipped first.
    private static func first(_ carrier: some Carrier) async throws -> String? {
        guard let bytes = try await carrier.get(ObjectName.first) else { return nil }
        return try SealedJSON.decode(FirstStore.self, bytes, name: ObjectName.first).store
    }

    /// The end of a store's log, if its last object is one.
    private static func end(_ bytes: [UInt8], name: String) throws -> LogEndNote? {
        guard bytes.isLogEnd else { return nil }
        let end = try SealedJSON.decode(LogEndNote.self, bytes, name: name)
        guard ObjectName.lastNumber(of: name) == end.last &+ 1 else {
            throw StoreError(.segmentDamaged, "the end of a log is that of another position", path: name)
        }
        return end
    }

    /// Throws unless a segment has the position of its name: one in the place of another's, or of an end, would be taken for
    /// the end of the log.
    static func checkSegment(_ bytes: [UInt8], name: String) throws(StoreError) {
        guard let first = ObjectName.lastNumber(of: name), let positions = EventLog.positions(ofSegment: bytes),
            positions.first.rawValue <= first, first <= positions.last.rawValue
        else { throw StoreError(.segmentDamaged, "a shipped segment has other events than its name says", path: name) }
    }

    /// The newest ledger of erasures, and its name; nil if nothing was erased.
    ///
    /// - Throws: ``StoreError`` with code `segmentMissing` if newer ones took its place again and again,
    ///   `segmentDamaged`.
    func ledger(_ carrier: some Carrier) async throws -> (name: String, ledger: ErasureLedger)? {
        var (name, bytes) = ("", nil as [UInt8]?)
        for _ in 0..<3 where bytes == nil {
            guard let newest = try await ledgerName(carrier) else { return nil }
            (name, bytes) = (newest, try await carrier.get(newest))
        }
        guard let bytes else { throw StoreError(.segmentMissing, "a ledger that was listed is not there", path: name) }
        guard let ledger = try? ErasureLedger(json: String(decoding: bytes, as: UTF8.self)) else {
            throw StoreError(.segmentDamaged, "a shipped ledger of erasures is damaged", path: name)
        }
        return (name, ledger)
    }

    /// The name of the newest ledger.
    func ledgerName(_ carrier: some Carrier) async throws -> String? {
        for store in stores.reversed() {
            let names = try await carrier.objects(ObjectName.erasures(of: store))
            if let name = names.last(where: { ObjectName.lastNumber(of: $0) != nil }) { return name }
        }
        return nil
    }
}

extension ShippedLog.Base {
    /// - Throws: ``StoreError`` with code `segmentMissing` if the base was removed meanwhile, `segmentDamaged`.
    func manifest(_ carrier: some Carrier) async throws -> BaseManifest {
        let name = name + ObjectName.manifest
        guard let bytes = try await carrier.get(name) else {
            throw StoreError(.segmentMissing, "a base that was listed is not there", path: name)
        }
        return try SealedJSON.decode(BaseManifest.self, bytes, name: name)
    }

    /// - Returns: nil if the name is not a manifest's.
    init?(manifest name: String) {
        guard name.hasSuffix("/" + ObjectName.manifest) else { return nil }
        let base = name.dropLast(ObjectName.manifest.utf8.count)
        let parts = name.split(separator: "/")
        guard parts.count > 3, let position = ObjectName.number(parts[parts.count - 3]) else { return nil }
        self.init(position: Position(position), name: String(base))
    }
}

/// The store that ships first.
package struct FirstStore: Codable {
    let store: String
}

/// The end of a store's log, in the place of its next segment: another store continues it.
package struct LogEndNote: Codable {
    let successor: String
    let last: UInt64
}

/// A note that all words which the ledgers up to a number name were taken out of the place.
package struct ErasedNote: Codable {
    let ledger: UInt64
}

extension [UInt8] {
    /// Whether an object among the segments ends the log. A segment begins otherwise.
    package var isLogEnd: Bool { first != UInt8(ascii: "\n") }
}

/// The parts of a base: a copy of the store, cut into pieces.
package struct BaseManifest: Codable {
    /// A file of the copy, by its path in the copy.
    struct File: Codable {
        let path: String
        let size: Int
    }

    /// The last position of the copy.
    let position: UInt64
    let files: [File]
    /// Checksums of the pieces, which are the files one after the other.
    let pieces: [String]
    /// A segment that ends with the last event, to recognise a log that went another way.
    package let end: Data
    /// The bits of a word on the machine of the copy, on which the layout of its files depends; nil: 64.
    var wordBits: Int? = Int.bitWidth

    /// - Throws: ``StoreError`` with code `notAStore` if this machine cannot read the files.
    func checkWords(_ name: String) throws {
        let bits = wordBits ?? 64
        guard bits != Int.bitWidth else { return }
        throw StoreError(
            .notAStore, "the base is of a machine with words of \(bits) bits; this one has \(Int.bitWidth)", path: name)
    }

    /// Whether every path stays inside of the copy.
    package var isSafe: Bool {
        files.allSatisfy { file in
            file.size >= 0
                && file.path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
                    !$0.isEmpty && !$0.hasPrefix(".") && !$0.utf8.contains(0)
                }
        }
    }

    package static func checksum(of piece: [UInt8]) -> String { SealedJSON.checksum(of: piece) }
}

/// The top of the conversation list as the shipping store last wrote it, to show while a log is still being restored.
public struct FirstPage: Sendable, Hashable, Codable {
    /// A conversation of the list.
    public struct Row: Sendable, Hashable, Codable, Identifiable {
        /// Its key.
        public let key: ConversationKey
        /// The same as ``key``.
        public var id: ConversationKey { key }
        /// The name to show.
        public let displayName: String
        /// The URL of its picture.
        public let avatarURL: String?
        /// Whether it is pinned.
        public let isPinned: Bool
        /// Whether none of its messages notifies.
        public let isMuted: Bool
        /// Its unread messages.
        public let unreadMessages: Int
        /// When the last message was sent; nil if it has none.
        public let lastTime: Timestamp?
        /// The name of its sender.
        public let lastSender: String?
        /// Its text, as the list shows it.
        public let lastText: String?

        init(_ conversation: Conversation) {
            (key, displayName) = (conversation.key, conversation.displayName)
            (avatarURL, isPinned, isMuted) = (conversation.avatarURL, conversation.isPinned, conversation.isMuted)
            unreadMessages = conversation.unread.messages
            lastTime = conversation.lastMessage?.time
            lastSender = conversation.lastMessage?.senderName
            lastText = conversation.lastMessage.flatMap { $0.isRecalled ? nil : $0.text }
        }
    }

    /// The account.
    public let account: UserID
    /// The last event that the page shows.
    public let position: Position
    /// The conversations, in the list's order.
    public let conversations: [Row]

    init(of store: MessageStore, count: Int) throws {
        account = store.account
        (position, conversations) = try store.read { views in
            (views.position, try views.conversations(limit: min(count, 1_000)).elements.map(Row.init))
        }
    }
}
