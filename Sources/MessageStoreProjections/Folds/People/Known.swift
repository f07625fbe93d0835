@_spi(Storage) internal import MessageStoreLog

/// A row of `profiles` or `teams`: a provider's last report about a user or a team.
struct KnownRow<Info: KnownInfo>: ViewRow {
    /// The last event that reported it; compared with the last "all invalid" to find out staleness.
    var position: UInt64 = 0
    var flags: KnownFlags = []
    /// Its id is in the key alone.
    var info = Info()

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("position", &position)
        parts.part("flags", &flags)
        info.describe(&parts)
    }
}

/// Other known facts of a user or a team.
struct KnownFlags: RowFlags {
    let rawValue: UInt8
    static let bitNames = ["isKnown", "isStale", "hasFailed"]
    static let isKnown = KnownFlags(rawValue: 1)
    static let isStale = KnownFlags(rawValue: 2)
    static let hasFailed = KnownFlags(rawValue: 4)
}

/// The projection of profiles or of teams. Invalidation marks rows stale and keeps showing them (C7, d25).
struct Known<Info: KnownInfo>: HandlingProjection {
    static var declaration: ProjectionDeclaration {
        ProjectionDeclaration(
            Info.projection, version: Info.version, events: handlers.types, traits: .ofAccount, tables: all, Info.table,
            byID)
    }
    /// The position of the last event that invalidated all.
    static var all: Table<AllKey, NumberRow> { Table(in: Info.table) }
    static var byID: Table<Info.IDKey, NoValue> { Table(in: Info.table) }

    static var handlers: EventHandlers<Self> { Info.handlers }

    /// Takes over the infos in the fields of a number.
    func fetched(_ infos: UInt32, _ event: RecordView, _ rows: inout FoldRows) throws {
        var reader = event.fields
        while let info = reader.next() {
            guard info.id == infos else { continue }
            var row = KnownRow<Info>(position: event.position.rawValue, flags: .isKnown)
            var id: UInt64?
            var fields = EventFields(FieldReader(info.bytes))
            while fields.next() {
                row.info.describe(&fields)
                id = id ?? fields.number(of: Info.idField)
            }
            for number in numbers([UInt32(truncatingIfNeeded: id ?? 0)]) {
                rows.put(Info.table, number, row)
                rows.put(Self.byID, try Info.idKey(number, rows.snapshot.symbols), NoValue())
            }
        }
    }

    func failed(_ ids: [UInt32], _ position: Position, _ rows: inout FoldRows) throws {
        for number in numbers(ids) {
            var row: KnownRow<Info> = try rows.snapshot.knownRow(number) ?? KnownRow()
            row.flags.insert(.hasFailed)
            // The failure is newer than what invalidated all before; what that made stale stays so.
            row.position = position.rawValue
            rows.put(Info.table, number, row)
        }
    }

    /// Marks rows stale; for nil all, at no cost.
    func invalidate(_ ids: [UInt32]?, _ position: Position, _ rows: inout FoldRows) throws {
        guard let ids else { return rows.put(Self.all, .all, NumberRow(number: position.rawValue)) }
        for number in numbers(ids) {
            guard var row: KnownRow<Info> = try rows.snapshot.knownRow(number) else { continue }
            row.flags.insert(.isStale)
            row.flags.remove(.hasFailed)
            rows.put(Info.table, number, row)
        }
    }

    /// Removes rows; for nil all, at the cost of a step for each.
    func purge(_ ids: [UInt32]?, _ rows: inout FoldRows) throws {
        guard let ids else {
            for key in try rows.snapshot.keys(of: Info.table.viewTable) {
                rows.remove(Info.table.viewTable, key.span.bytes)
            }
            return
        }
        for number in numbers(ids) {
            rows.remove(Info.table, number)
            rows.remove(Self.byID, try Info.idKey(number, rows.snapshot.symbols))
        }
    }

    private func numbers(_ ids: [UInt32]) -> [Info.Number] {
        ids.map { Info.Number(rawValue: $0) }.filter { $0 != .none }
    }
}

/// A host's provider's report about a user or a team, as ``Known`` keeps it.
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
    static var table: Table<UserNumber, KnownRow<Profile>> { Table("profiles", 19, [.noted, .sealed]) }
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

    /// The name in a row, empty if there is none; the rest is checked and not decoded. Nil for bytes that are no row.
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

    static var clearBytes: (@Sendable (UnsafeRawBufferPointer) -> Int)? { { _ in 4 } }

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("index", &index)
        parts.rest("id", &id, .id)
    }
}

extension TeamInfo: KnownInfo {
    static var projection: ProjectionID { .teams }
    static var version: UInt32 { 3 }
    static var table: Table<ConversationNumber, KnownRow<TeamInfo>> { Table("teams", 20, [.noted, .sealed]) }
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

    static var clearBytes: (@Sendable (UnsafeRawBufferPointer) -> Int)? { { _ in 4 } }

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("index", &index)
        parts.bytes("id", &id, count: -MemoryLayout<ConversationNumber>.size, .id)
        parts.part("conversation", &number, .conversation)
    }
}

extension ViewSnapshot {
    /// The known row of a user or a team; stale also if all were invalidated later.
    borrowing func knownRow<Info: KnownInfo>(_ number: Info.Number) throws -> KnownRow<Info>? {
        guard number != .none, var row = try row(Info.table, number) else { return nil }
        if let all = try self.row(Known<Info>.all, .all), all.number > row.position {
            row.flags.insert(.isStale)
            row.flags.remove(.hasFailed)
        }
        return row
    }

    /// The keys of all rows of a table.
    borrowing func keys(of table: ViewTable) throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        var cursor = try rows(table)
        while try cursor.next() { keys.append(cursor.key.copied) }
        return keys
    }

    /// The name of a user, in a conversation that is not between two people; nil if there is only the id.
    ///
    /// The account's own remark goes before what others call the user.
    borrowing func shownName(of user: UserNumber, in conversation: ConversationNumber?) throws -> String? {
        if let remark = try row(Contacts.contacts, user)?.remark.shown { return remark }
        if let conversation,
            let nickname = try row(Members.members, MemberKey(conversation: conversation, user: user))?.nickname,
            !nickname.isEmpty
        {
            return nickname
        }
        return try profileName(user)
    }

    private borrowing func profileName(_ user: UserNumber) throws -> String? {
        guard let row = try row(Profile.table.viewTable, at: user.rawValue) else { return nil }
        guard let name = Profile.name(in: row) else { throw StoreError.unreadableRow(of: Profile.table, at: user) }
        return name.isEmpty ? nil : name
    }
}

extension ProjectionID {
    /// Profiles of users.
    public static let profiles: ProjectionID = "Profiles"
    /// Names and avatars of teams.
    public static let teams: ProjectionID = "Teams"
}
