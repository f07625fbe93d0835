@_spi(Storage) internal import MessageStoreLog

/// A row of `profiles`: what the provider last reported about a user.
struct ProfileRow: ViewRow {
    struct Flags: RowFlags {
        let rawValue: UInt8
        static let bitNames = ["isKnown", "isStale", "hasFailed"]
        static let isKnown = Flags(rawValue: 1)
        static let isStale = Flags(rawValue: 2)
        static let hasFailed = Flags(rawValue: 4)
    }

    /// The last event that reported the user; compared with the last "all invalid" to find out staleness.
    var position: UInt64 = 0
    var flags: Flags = []
    var userID: String?
    var name: String?
    var avatarURL: String?
    var thumbnailURL: String?
    var attributes: [UInt8]?

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("position", &position)
        parts.part("flags", &flags)
        describeFields(&parts)
    }

    /// The parts that a fetched profile has too.
    mutating func describeFields(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.field(Profile.userID.number, "userID", &userID, .string)
        parts.field(Profile.name.number, "name", &name, .string)
        parts.field(Profile.avatarURL.number, "avatarURL", &avatarURL, .string)
        parts.field(Profile.thumbnailURL.number, "thumbnailURL", &thumbnailURL, .string)
        parts.field(Profile.attributes.number, "attributes", &attributes, .bytes)
    }

    /// The bytes before the fields.
    private static let fixedSize = layout.fixedSize

    /// The name in a row, empty where there is none; the rest is checked and not decoded. Nil for bytes that are no
    /// row.
    static func name(in row: RawSpan) -> String? {
        guard row.byteCount >= fixedSize else { return nil }
        var fields = FieldReader(row.extracting(fixedSize..<row.byteCount))
        var name = ""
        while let field = fields.next() {
            if field.id == Profile.name.number { name = field.string }
        }
        return fields.isMalformed ? nil : name
    }
}

/// The projection of profiles. Invalidation marks rows stale and keeps showing them (d25).
struct Profiles: HandlingProjection {
    static let declaration = ProjectionDeclaration(
        .profiles, version: 3, events: handlers.types,
        tables: all, profiles, byID)
    static var profiles: Table<UserNumber, ProfileRow> { Table("profiles", 19) }
    /// The position of the last event that invalidated every profile.
    static var all: Table<AllKey, NumberRow> { Table("profiles", 19) }
    static var byID: Table<UserIDKey, NoValue> { Table("profiles", 19) }

    static let handlers = EventHandlers<Self>()
        .on(ProfilesFetched.self) { fold, event, rows, _ in
            var reader = event.record.fields
            while let field = reader.next() {
                if field.id == ProfilesFetched.profiles.number {
                    try fold.fetched(field.bytes, event.record.position, &rows)
                }
            }
        }
        .on(ProfileFetchFailed.self) { fold, event, rows, _ in
            for user in event[ProfileFetchFailed.ids] {
                try fold.failed(UserNumber(rawValue: user), event.record.position, &rows)
            }
        }
        .on(ProfileInvalidated.self) { fold, event, rows, _ in
            let purges = event[ProfileInvalidated.purges]
            if let users = event[ProfileInvalidated.ids] {
                for user in users { try fold.invalidate(UserNumber(rawValue: user), purges: purges, &rows) }
            } else if purges {
                try rows.removeAllProfiles()
            } else {
                rows.put(Self.all, .all, NumberRow(number: event.record.position.rawValue))
            }
        }

    private func fetched(_ profile: RawSpan, _ position: Position, _ rows: inout FoldRows) throws {
        var row = ProfileRow()
        row.position = position.rawValue
        row.flags = .isKnown
        var user: UInt64?
        var fields = EventFields(FieldReader(profile))
        while fields.next() {
            row.describeFields(&fields)
            user = user ?? fields.number(of: Profile.id.number)
        }
        guard let user = user.map({ UserNumber(rawValue: UInt32(truncatingIfNeeded: $0)) }) else { return }
        rows.setProfile(row, of: user)
        rows.put(Self.byID, try rows.snapshot.profileIDKey(user), NoValue())
    }

    private func failed(_ user: UserNumber, _ position: Position, _ rows: inout FoldRows) throws {
        var row = try rows.snapshot.profileRow(user) ?? ProfileRow()
        row.flags.insert(.hasFailed)
        // The failure is newer than what invalidated every profile before; what that made stale stays so.
        row.position = position.rawValue
        rows.setProfile(row, of: user)
    }

    private func invalidate(_ user: UserNumber, purges: Bool, _ rows: inout FoldRows) throws {
        guard !purges else {
            rows.remove(Self.byID, try rows.snapshot.profileIDKey(user))
            return rows.remove(Self.profiles, user)
        }
        guard var row = try rows.snapshot.profileRow(user) else { return }
        row.flags.insert(.isStale)
        row.flags.remove(.hasFailed)
        rows.setProfile(row, of: user)
    }
}

/// The key by which a known profile is found in the order of ids.
struct UserIDKey: ViewKey {
    private var index = IDIndex.index
    private var id: [UInt8] = []

    init() {}

    init(_ user: UserID?) { id = Array((user?.rawValue ?? "").utf8) }

    var user: UserID { UserID(String(decoding: id, as: UTF8.self)) }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("index", &index)
        parts.rest("id", &id, .id)
    }
}

extension FoldRows {
    /// Forgets every profile; costs a step for each.
    fileprivate mutating func removeAllProfiles() throws {
        for key in try snapshot.profileKeys() { remove(Profiles.profiles.place, key.span.bytes) }
    }

    mutating func setProfile(_ row: ProfileRow, of user: UserNumber) {
        guard user != .none else { return }
        put(Profiles.profiles, user, row)
    }
}
