@_spi(Storage) internal import MessageStoreLog

/// A row of `profiles`: what the provider last told of a user.
struct ProfileRow: ViewRow, Equatable {
    /// The last event that told of the user; compared with the last "all invalid" to tell staleness.
    var position: UInt64 = 0
    var isKnown = false
    var isStale = false
    var hasFailed = false
    var userID: String?
    var name: String?
    var avatarURL: String?

    init() {}

    init?(_ row: RawSpan) {
        guard let position = row.load(at: 0, as: UInt64.self), let flags = row.load(at: 8, as: UInt8.self) else {
            return nil
        }
        self.position = position
        isKnown = flags & 1 != 0
        isStale = flags & 2 != 0
        hasFailed = flags & 4 != 0
        guard set(FieldReader(row.extracting(9..<row.byteCount))) else { return nil }
    }

    /// Takes over the parts of a profile but its id; false where their bytes are broken.
    @discardableResult
    mutating func set(_ fields: consuming FieldReader) -> Bool {
        while let field = fields.next() {
            switch field.id {
            case Profile.Parts.userID: userID = field.string
            case Profile.Parts.name: name = field.string
            case Profile.Parts.avatarURL: avatarURL = field.string
            default: break
            }
        }
        return !fields.isMalformed
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.append(position)
        writer.append(UInt8((isKnown ? 1 : 0) | (isStale ? 2 : 0) | (hasFailed ? 4 : 0)))
        writer.field(Profile.Parts.userID, userID)
        writer.field(Profile.Parts.name, name)
        writer.field(Profile.Parts.avatarURL, avatarURL)
        return writer.bytes.copied
    }
}

/// The name in a row of `profiles`, nil where it is empty or missing; the rest is checked and not decoded.
struct ProfileNameRow: ViewRow {
    private(set) var name: String?

    init?(_ row: RawSpan) {
        guard row.byteCount >= 9 else { return nil }
        var fields = FieldReader(row.extracting(9..<row.byteCount))
        while let field = fields.next() {
            if field.id == Profile.Parts.name, field.bytes.byteCount > 0 { name = field.string }
        }
        if fields.isMalformed { return nil }
    }
}

/// The projection of profiles. Invalidation marks rows stale and keeps showing them (d25).
struct Profiles {
    /// Row 0 holds the position of the last event that invalidated every profile.
    static let allInvalidated: UInt32 = 0

    mutating func apply(_ event: RecordView, _ views: inout Views) throws {
        switch event.type {
        case .profilesFetched:
            var reader = event.fields
            while let field = reader.next() {
                if field.id == ProfilesFetched.Fields.profiles.number {
                    try fetched(field.bytes, event.position, &views)
                }
            }
        case .profileFetchFailed:
            for user in event[ProfileFetchFailed.Fields.ids] { try failed(user, event.position, &views) }
        case .profileInvalidated:
            let purges = event[ProfileInvalidated.Fields.purges]
            if let users = event[ProfileInvalidated.Fields.ids] {
                for user in users { try invalidate(user, purges: purges, &views) }
            } else if purges {
                try views.removeAllProfiles()
            } else {
                views.put(
                    .profiles, RowKey.number(Self.allInvalidated).span.bytes,
                    RowKey.number(event.position.rawValue).span.bytes)
            }
        default: break
        }
    }

    private func fetched(_ profile: RawSpan, _ position: Position, _ views: inout Views) throws {
        var row = ProfileRow()
        row.position = position.rawValue
        row.isKnown = true
        row.set(FieldReader(profile))
        var reader = FieldReader(profile)
        while let field = reader.next() {
            if field.id == Profile.Parts.id { views.setProfile(row, of: UInt32(truncatingIfNeeded: field.number)) }
        }
    }

    private func failed(_ user: UInt32, _ position: Position, _ views: inout Views) throws {
        var row = try views.profile(user) ?? ProfileRow()
        row.hasFailed = true
        // The failure is newer than what invalidated every profile before; what that made stale stays so.
        row.position = position.rawValue
        views.setProfile(row, of: user)
    }

    private func invalidate(_ user: UInt32, purges: Bool, _ views: inout Views) throws {
        guard !purges else { return views.remove(.profiles, RowKey.number(user).span.bytes) }
        guard var row = try views.profile(user) else { return }
        row.isStale = true
        row.hasFailed = false
        views.setProfile(row, of: user)
    }
}

extension Views {
    /// What is known of a user; stale also where all profiles were invalidated later.
    borrowing func profile(_ user: UInt32) throws -> ProfileRow? {
        guard var row: ProfileRow = try decoded(.profiles, at: user) else { return nil }
        let all: NumberRow? = try decoded(.profiles, at: Profiles.allInvalidated)
        if let all, all.number > row.position {
            row.isStale = true
            row.hasFailed = false
        }
        return row
    }

    /// Forgets every profile; costs a step for each.
    fileprivate mutating func removeAllProfiles() throws {
        var keys: [[UInt8]] = []
        do {
            var cursor = try rows(.profiles)
            while try cursor.next() { keys.append(cursor.key.copied) }
        }
        for key in keys { remove(.profiles, key.span.bytes) }
    }

    mutating func setProfile(_ row: ProfileRow, of user: UInt32) {
        guard user != Profiles.allInvalidated else { return }
        put(.profiles, RowKey.number(user).span.bytes, row.bytes.span.bytes)
    }
}
