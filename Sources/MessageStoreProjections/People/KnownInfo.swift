@_spi(Storage) internal import MessageStoreLog

/// What a host's provider reports about a user or a team, as ``Known`` keeps it.
protocol KnownInfo: Identifiable, Hashable, Sendable {
    /// The number of an id.
    associatedtype Number: SymbolNumber & ViewKey
    /// The key of an id in the order of ids.
    associatedtype IDKey: ViewKey

    static var projection: ProjectionID { get }
    static var version: UInt32 { get }
    static var table: Table<Number, KnownRow<Self>> { get }
    static var handlers: EventHandlers<Known<Self>> { get }
    /// The number of the field in which an event has the id.
    static var idField: UInt32 { get }

    var id: ID { get set }
    /// An info to read into.
    init()
    /// Names the parts but the id.
    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable)

    static func number(of id: ID, _ symbols: SymbolTable) throws -> Number?
    static func idKey(_ id: ID, _ symbols: SymbolTable) throws -> IDKey
    static func idKey(_ number: Number, _ symbols: SymbolTable) throws -> IDKey
    static func id(_ key: IDKey, _ symbols: SymbolTable) throws -> ID
}

extension Profile: KnownInfo {
    static var projection: ProjectionID { .profiles }
    static var version: UInt32 { 3 }
    static var table: Table<UserNumber, KnownRow<Profile>> { Table("profiles", 19) }
    static let handlers = EventHandlers<Known<Profile>>()
        .on(ProfilesFetched.self) { fold, event, rows, _ in
            try fold.fetched(ProfilesFetched.profiles.number, event.record, &rows)
        }
        .on(ProfileFetchFailed.self) { fold, event, rows, _ in
            try fold.failed(event[ProfileFetchFailed.ids], event.record.position, &rows)
        }
        .on(ProfileInvalidated.self) { fold, event, rows, _ in
            let users = event[ProfileInvalidated.ids]
            if event[ProfileInvalidated.purges] {
                try fold.purge(users, &rows)
            } else {
                try fold.invalidate(users, event.record.position, &rows)
            }
        }
    static var idField: UInt32 { id.number }

    init() { self.init(id: "") }

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.field(Self.userID.number, "userID", &userID, .string)
        parts.field(Self.name.number, "name", &name, .string)
        parts.field(Self.avatarURL.number, "avatarURL", &avatarURL, .string)
        parts.field(Self.thumbnailURL.number, "thumbnailURL", &thumbnailURL, .string)
        parts.field(Self.attributes.number, "attributes", &attributes, .bytes)
    }

    static func number(of id: UserID, _ symbols: SymbolTable) throws -> UserNumber? { try symbols.number(of: id) }
    static func idKey(_ id: UserID, _ symbols: SymbolTable) -> UserIDKey { UserIDKey(id) }
    static func idKey(_ number: UserNumber, _ symbols: SymbolTable) throws -> UserIDKey {
        UserIDKey(try symbols.user(number))
    }
    static func id(_ key: UserIDKey, _ symbols: SymbolTable) -> UserID { key.user }

    /// The bytes of a row before its fields.
    private static let fixedSize = KnownRow<Profile>.layout.fixedSize

    /// The name in a row, empty where there is none; the rest is checked and not decoded. Nil for bytes that are no
    /// row.
    static func name(in row: RawSpan) -> String? {
        guard row.byteCount >= fixedSize else { return nil }
        var fields = FieldReader(row.extracting(fixedSize..<row.byteCount))
        var name = ""
        while let field = fields.next() {
            if field.id == Self.name.number { name = field.string }
        }
        return fields.isMalformed ? nil : name
    }
}

/// The key by which a known profile is found in the order of ids.
struct UserIDKey: ViewKey {
    private var index = IDIndex.index
    private var id: [UInt8] = []

    init() {}

    init(_ user: UserID) { id = Array(user.rawValue.utf8) }

    var user: UserID { UserID(String(decoding: id, as: UTF8.self)) }

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("index", &index)
        parts.rest("id", &id, .id)
    }
}

extension TeamInfo: KnownInfo {
    static var projection: ProjectionID { .teams }
    static var version: UInt32 { 3 }
    static var table: Table<ConversationNumber, KnownRow<TeamInfo>> { Table("teams", 20) }
    static let handlers = EventHandlers<Known<TeamInfo>>()
        .on(TeamInfoFetched.self) { fold, event, rows, _ in
            try fold.fetched(TeamInfoFetched.teams.number, event.record, &rows)
        }
        .on(TeamInfoInvalidated.self) { fold, event, rows, _ in
            try fold.invalidate(event[TeamInfoInvalidated.ids], event.record.position, &rows)
        }
    static var idField: UInt32 { id.number }

    init() { self.init(id: .group("")) }

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.field(Self.name.number, "name", &name, .string)
        parts.field(Self.avatarURL.number, "avatarURL", &avatarURL, .string)
        parts.field(Self.kind.number, "kind", &kind, .number)
        parts.field(Self.thumbnailURL.number, "thumbnailURL", &thumbnailURL, .string)
        parts.field(Self.attributes.number, "attributes", &attributes, .bytes)
    }

    static func number(of id: ConversationKey, _ symbols: SymbolTable) throws -> ConversationNumber? {
        try symbols.number(of: id)
    }
    static func idKey(_ id: ConversationKey, _ symbols: SymbolTable) throws -> TeamIDKey {
        TeamIDKey(id, try symbols.number(of: id) ?? .none)
    }
    static func idKey(_ number: ConversationNumber, _ symbols: SymbolTable) throws -> TeamIDKey {
        TeamIDKey(try symbols.conversation(number), number)
    }
    static func id(_ key: TeamIDKey, _ symbols: SymbolTable) throws -> ConversationKey {
        try symbols.conversation(key.number)
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

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("index", &index)
        parts.bytes("id", &id, count: -MemoryLayout<ConversationNumber>.size, .id)
        parts.part("conversation", &number, .conversation)
    }
}
