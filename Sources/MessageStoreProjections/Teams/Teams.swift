@_spi(Storage) internal import MessageStoreLog

/// A row of `teams`: what the provider last reported about a team.
struct TeamRow: ViewRow {
    /// The event that reported it; compared with the last "all invalid" to find out staleness.
    var position: UInt64 = 0
    var isStale = false
    var name: String?
    var avatarURL: String?
    var kind: UInt8?
    var thumbnailURL: String?
    var attributes: [UInt8]?

    init() {}

    init(at position: Position) { self.position = position.rawValue }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("position", &position)
        parts.part("isStale", &isStale)
        describeFields(&parts)
    }

    /// The parts that a fetched team has too.
    mutating func describeFields(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.field(TeamInfo.name.number, "name", &name, .string)
        parts.field(TeamInfo.avatarURL.number, "avatarURL", &avatarURL, .string)
        parts.field(TeamInfo.kind.number, "kind", &kind, .number)
        parts.field(TeamInfo.thumbnailURL.number, "thumbnailURL", &thumbnailURL, .string)
        parts.field(TeamInfo.attributes.number, "attributes", &attributes, .bytes)
    }
}

/// The projection of teams. Invalidation marks rows stale and keeps showing them (C7, d25).
struct Teams: HandlingProjection {
    static let declaration = ProjectionDeclaration(
        .teams, version: 2, events: handlers.types, tables: all, teams, byID)
    static var teams: Table<ConversationNumber, TeamRow> { Table("teams", 20) }
    /// The position of the last event that invalidated every team.
    static var all: Table<AllKey, NumberRow> { Table("teams", 20) }
    static var byID: Table<TeamIDKey, NoValue> { Table("teams", 20) }

    static let handlers = EventHandlers<Self>()
        .on(TeamInfoFetched.self) { fold, event, rows, _ in
            var reader = event.record.fields
            while let field = reader.next() {
                if field.id == TeamInfoFetched.teams.number {
                    try fold.fetched(field.bytes, event.record.position, &rows)
                }
            }
        }
        .on(TeamInfoInvalidated.self) { fold, event, rows, _ in
            if let teams = event[TeamInfoInvalidated.ids] {
                for team in teams { try fold.invalidate(ConversationNumber(rawValue: team), &rows) }
            } else {
                rows.put(Self.all, .all, NumberRow(number: event.record.position.rawValue))
            }
        }

    private func fetched(_ team: RawSpan, _ position: Position, _ rows: inout FoldRows) throws {
        var row = TeamRow(at: position)
        var number: UInt64?
        var fields = EventFields(FieldReader(team))
        while fields.next() {
            row.describeFields(&fields)
            number = number ?? fields.number(of: TeamInfo.id.number)
        }
        guard let number, case let team = ConversationNumber(rawValue: UInt32(truncatingIfNeeded: number)),
            team != .none
        else { return }
        rows.setTeam(row, of: team)
        rows.put(Self.byID, TeamIDKey(try rows.snapshot.symbols.conversation(team), team), NoValue())
    }

    private func invalidate(_ team: ConversationNumber, _ rows: inout FoldRows) throws {
        guard var row = try rows.snapshot.teamRow(team) else { return }
        row.isStale = true
        rows.setTeam(row, of: team)
    }
}

/// The key by which a team is found in the order of ids; the number distinguishes teams with one id.
struct TeamIDKey: ViewKey {
    private var index = IDIndex.index
    private var id: [UInt8] = []
    private(set) var number = ConversationNumber.none

    init() {}

    init(_ team: ConversationKey, _ number: ConversationNumber) {
        id = Array(team.id.utf8)
        self.number = number
    }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("index", &index)
        parts.bytes("id", &id, count: -MemoryLayout<ConversationNumber>.size, .id)
        parts.part("conversation", &number, .conversation)
    }
}

extension FoldRows {
    fileprivate mutating func setTeam(_ row: TeamRow, of conversation: ConversationNumber) {
        guard conversation != .none else { return }
        put(Teams.teams, conversation, row)
    }
}
