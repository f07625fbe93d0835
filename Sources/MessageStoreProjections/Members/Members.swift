internal import MessageStoreLog

/// A row of `members`.
struct MemberRow: Equatable {
    var isMember = false
    var kind: UInt8 = 0
    var role: UInt8 = 0
    /// Who brought the member in; 0 for themselves or unknown.
    var actor: UInt32 = 0
    var nickname = ""

    init() {}

    init?(_ row: RawSpan) {
        guard let isMember = row.load(at: 0, as: UInt8.self), let kind = row.load(at: 1, as: UInt8.self),
            let role = row.load(at: 2, as: UInt8.self), let actor = row.load(at: 3, as: UInt32.self)
        else { return nil }
        self.isMember = isMember == 1
        self.kind = kind
        self.role = role
        self.actor = actor
        nickname = row.extracting(7..<row.byteCount).string
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 8 + nickname.utf8.count)
        writer.append(UInt8(isMember ? 1 : 0))
        writer.append(kind)
        writer.append(role)
        writer.append(actor)
        writer.append(nickname)
        return writer.bytes.copied
    }
}

/// The projection of membership. Telling the same twice changes nothing (B25).
struct Members {
    /// The number of the store's account, the first user that its log ever named.
    static let account: UInt32 = 1

    mutating func apply(_ event: RecordView, _ views: inout Views) throws {
        switch event.type {
        case .conversationCreated:
            try forEachUser(7, of: event) { try add($0, kind: .invited, by: event.actor, event, &views) }
        case .conversationSnapshotReceived: try replaceAll(event, &views)
        case .membersAdded:
            let kind = JoinKind(rawValue: UInt8(truncatingIfNeeded: event.number(4) ?? 0)) ?? .joined
            try forEachUser(3, of: event) { try add($0, kind: kind, by: event.actor, event, &views) }
        case .membersRemoved: try forEachUser(3, of: event) { try remove($0, event, &views) }
        case .selfInvited: try add(Self.account, kind: .invited, by: event.actor, event, &views)
        case .selfKicked: try remove(Self.account, event, &views)
        case .memberInfoChanged:
            guard let member = event.number(3).map({ UInt32(truncatingIfNeeded: $0) }) else { return }
            let nickname = event.string(4)
            let role = event.number(5)
            try update(member, event, &views) { row in
                if let nickname { row.nickname = nickname }
                if let role { row.role = UInt8(truncatingIfNeeded: role) }
            }
        default: break
        }
    }

    private func forEachUser(_ field: UInt32, of event: RecordView, _ body: (UInt32) throws -> Void) throws {
        var reader = event.fields
        while let part = reader.next() {
            if part.id == field { try part.forEachPacked(body) }
        }
    }

    private func add(
        _ member: UInt32, kind: JoinKind, by actor: UInt32, _ event: RecordView, _ views: inout Views
    ) throws {
        try update(member, event, &views) { row in
            guard !row.isMember else { return }
            row.isMember = true
            row.kind = kind.rawValue
            row.actor = actor
        }
    }

    private func remove(_ member: UInt32, _ event: RecordView, _ views: inout Views) throws {
        try update(member, event, &views) { row in
            row.isMember = false
            row.role = 0
            row.actor = 0
            row.kind = 0
        }
    }

    /// The server's list wins: who is not in it is not a member (d23).
    private func replaceAll(_ event: RecordView, _ views: inout Views) throws {
        var listed: Set<UInt32>?
        var reader = event.fields
        while let field = reader.next() {
            if field.id == 7 { listed = Set(field.packed) }
        }
        guard let listed else { return }
        for member in try views.memberNumbers(of: event.conversation) where !listed.contains(member) {
            try remove(member, event, &views)
        }
        for member in listed.sorted() { try add(member, kind: .invited, by: 0, event, &views) }
    }

    private func update(
        _ member: UInt32, _ event: RecordView, _ views: inout Views, _ body: (inout MemberRow) -> Void
    ) throws {
        let key = RowKey.pair(event.conversation, member)
        let before = try views.member(member, of: event.conversation) ?? MemberRow()
        var after = before
        body(&after)
        guard after != before else { return }
        // Who is neither a member nor named leaves no row.
        if after == MemberRow() {
            views.remove(.members, key.span.bytes)
        } else {
            views.put(.members, key.span.bytes, after.bytes.span.bytes)
        }
        guard after.isMember != before.isMember else { return }
        let listKey = RowKey.number(event.conversation)
        let count = try views.memberCount(of: event.conversation)
        let changed = after.isMember ? count &+ 1 : count &- 1
        views.put(.memberLists, listKey.span.bytes, RowKey.number(changed).span.bytes)
    }
}

extension Views {
    borrowing func member(_ member: UInt32, of conversation: UInt32) throws -> MemberRow? {
        guard let row = try row(.members, RowKey.pair(conversation, member).span.bytes) else { return nil }
        guard let decoded = MemberRow(row) else { throw StoreError.damagedView(.members) }
        return decoded
    }

    borrowing func memberCount(of conversation: UInt32) throws -> UInt32 {
        try row(.memberLists, RowKey.number(conversation).span.bytes)?.loadBigEndian(at: 0, as: UInt32.self) ?? 0
    }

    /// The numbers of a conversation's members, in the order in which the log first named them.
    borrowing func memberNumbers(of conversation: UInt32, limit: Int = .max) throws -> [UInt32] {
        var numbers: [UInt32] = []
        var cursor = try rows(.members, from: RowKey.number(conversation).span.bytes)
        while numbers.count < limit, try cursor.next(),
            cursor.key.loadBigEndian(at: 0, as: UInt32.self) == conversation
        {
            if cursor.value.load(at: 0, as: UInt8.self) == 1,
                let member = cursor.key.loadBigEndian(at: 4, as: UInt32.self)
            {
                numbers.append(member)
            }
        }
        return numbers
    }
}
