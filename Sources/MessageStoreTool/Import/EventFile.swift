internal import Foundation

/// Reads an exported log, event by event, and checks that it is whole.
final class EventFile {
    let header: ExportHeader
    /// The last line; nil before all events were read.
    private(set) var trailer: ExportTrailer?

    private let path: String
    // Events go through `decode` here, so that the bytes of their lines can be digested.
    private let reader: JSONLineReader<RecordedEvent>
    private var reached: Position
    private var digest = LineDigest()

    /// A line may have more bytes than its event: base64, escapes and names.
    private static let maximumLineBytes = 128 << 20

    /// Opens a file and reads its first line.
    ///
    /// - Throws: ``ChatLogError`` if it cannot be read, or is no exported log of a format that this version knows.
    init(path: String) throws {
        self.path = path
        reader = try JSONLineReader(path: path, maximumLineBytes: Self.maximumLineBytes) {
            (try JSONDecoder().decode(RecordedEvent.self, from: Data($0)), 0)
        }
        guard let line = try reader.nextLine(), let header = try? reader.decode(ExportHeader.self, from: line, at: 1),
            header.format == ExportHeader.format
        else { throw ChatLogError(code: .notAnExport, file: path, line: 1, detail: "the first line is no header") }
        guard header.formatVersion <= ExportHeader.formatVersion else {
            throw ChatLogError(
                code: .notAnExport, file: path, line: 1, detail: "of the later format \(header.formatVersion)")
        }
        guard header.first.rawValue > 0, header.last.rawValue < UInt64.max, header.descriptions != nil,
            header.first.rawValue <= header.last.rawValue + 1
        else { throw ChatLogError(code: .notAnExport, file: path, line: 1, detail: "the header contradicts itself") }
        if let base = header.base {
            throw ChatLogError(
                code: .notAnExport, file: path, line: 1,
                detail: "events before event \(base) were cut off, so that no store can be made of it: use backup")
        }
        self.header = header
        reached = Position(header.first.rawValue - 1)
    }

    /// The next event; nil after the last, when the trailer was read and agrees.
    func next() throws -> RecordedEvent? {
        guard trailer == nil else { return nil }
        guard let line = try reader.nextLine() else { throw error(.endsEarly, "after event \(reached)") }
        guard reached < header.last else {
            try readTrailer(line)
            return nil
        }
        digest.add(line)
        let event = try decode(RecordedEvent.self, line)
        reached = Position(reached.rawValue + 1)
        guard event.position == reached else {
            throw error(.notAsExported, "event \(event.position) stands in the place of event \(reached)")
        }
        return event
    }

    /// The error with the line of an event that a store refused.
    func error(refusing position: Position, _ refusal: StoreError) -> ChatLogError {
        let line = Int(clamping: position.rawValue - header.first.rawValue) + 2
        return ChatLogError(code: .invalidEvent, file: path, line: line, detail: refusal.message)
    }

    private func readTrailer(_ line: ArraySlice<UInt8>) throws {
        let trailer = try decode(ExportTrailer.self, line)
        guard trailer.events == Int(clamping: header.last.rawValue + 1 - header.first.rawValue) else {
            throw error(.notAsExported, "the last line counts \(NumberFormat.count(trailer.events, "event", "events"))")
        }
        guard trailer.digest == digest.text else {
            throw error(.notAsExported, "the events' lines have another digest than the last line says")
        }
        guard try reader.nextLine() == nil else { throw error(.notAsExported, "something follows the last line") }
        self.trailer = trailer
    }

    private func decode<Content: Decodable>(_ content: Content.Type, _ line: ArraySlice<UInt8>) throws -> Content {
        try reader.decode(content, from: line, at: reader.lineNumber)
    }

    private func error(_ code: ChatLogError.Code, _ detail: String) -> ChatLogError {
        ChatLogError(code: code, file: path, line: reader.lineNumber, detail: detail)
    }
}

/// Finds names and members of a file that are older than the store's, which they replace all the same.
struct OlderFacts {
    private static let types: Set<EventType> = [
        .conversationCreated, .conversationUpdated, .membersAdded, .membersRemoved, .selfInvited, .selfKicked,
    ]

    private var known: LateEvents

    /// Takes the facts that a store has. Costs a scan of its log.
    init(of store: MessageStore) throws {
        var known = LateEvents(account: store.account)
        try store.forEachEvent(where: EventFilter(types: Self.types)) { recorded in
            _ = known.examine(recorded.event, at: recorded.position)
            return true
        }
        self.known = known
    }

    /// Takes new events, and counts facts that are older than the known ones.
    ///
    /// - Parameter isMoment: Whether the events report one moment, in any order, and are not compared with each other.
    mutating func count(_ events: [(event: Event, position: Position)], isMoment: Bool) -> Int {
        var facts = events.filter { Self.types.contains($0.event.type) }
        if isMoment { facts.sort { ($0.event.serverTime ?? .unknown) < ($1.event.serverTime ?? .unknown) } }
        return facts.count { known.examine($0.event, at: $0.position) != nil }
    }
}
