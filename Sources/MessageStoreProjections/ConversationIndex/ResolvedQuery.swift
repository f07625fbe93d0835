@_spi(Storage) internal import MessageStoreLog

/// A query with the numbers of its users.
struct ResolvedQuery {
    let query: ConversationQuery
    private let anyMember: Set<UserNumber>?
    private let allMembers: Set<UserNumber>
    private let exactMembers: Set<UserNumber>?
    private let creator: UserNumber?

    /// - Returns: nil where the log never named a user without whom nothing matches.
    init?(_ query: ConversationQuery, _ snapshot: borrowing ViewSnapshot) throws {
        let allNames = (query.containsAll ?? []) + (query.exactMembers ?? []) + [query.creator].compactMap { $0 }
        guard try allNames.allSatisfy({ try snapshot.symbols.number(of: $0) != nil }) else { return nil }
        self.query = query
        anyMember = try query.containsAny.map { try Self.numbers(of: $0, snapshot) }
        allMembers = try Self.numbers(of: query.containsAll ?? [], snapshot)
        exactMembers = try query.exactMembers.map { try Self.numbers(of: $0, snapshot) }
        creator = try query.creator.flatMap { try snapshot.symbols.number(of: $0) }
    }

    private static func numbers(of users: [UserID], _ snapshot: borrowing ViewSnapshot) throws -> Set<UserNumber> {
        var numbers: Set<UserNumber> = []
        for user in users {
            if let number = try snapshot.symbols.number(of: user) { numbers.insert(number) }
        }
        return numbers
    }

    /// The conversations that the index of the first given condition finds, each once; nil where no index serves.
    func candidates(_ snapshot: borrowing ViewSnapshot) throws -> Set<ConversationNumber>? {
        guard let keys = indexKeys else { return nil }
        var numbers: Set<ConversationNumber> = []
        for key in keys { numbers.formUnion(try snapshot.conversationNumbers(indexedBy: key)) }
        return numbers
    }

    private var indexKeys: [ConversationIndexKey]? {
        if let id = query.id { return [.id(id)] }
        if let exactMembers, !exactMembers.isEmpty { return [.memberSet(MemberList(exactMembers).setHash)] }
        if let name = query.name { return [.name(name)] }
        // Who was heard of last is in few conversations; this account, the first, is nearly everywhere.
        if let member = allMembers.max() { return [.member(member)] }
        if let anyMember { return anyMember.map { .member($0) } }
        if let tag = query.tag { return [.tag(tag)] }
        if let creator { return [.creator(creator)] }
        if let (key, value) = query.attributes.min(by: { $0.key < $1.key }) { return [.attribute(key, value)] }
        return nil
    }

    /// The conversation's row, where every condition holds for it.
    func match(_ number: ConversationNumber, _ snapshot: borrowing ViewSnapshot) throws -> ConversationRow? {
        guard let row = try snapshot.conversationRow(number), query.includesHidden || !row.flags.contains(.isHidden),
            query.includesChatRooms || row.kind != ConversationKind.chatRoom.rawValue,
            try hasMembers(number, snapshot)
        else { return nil }
        if let id = query.id, try !snapshot.symbols.conversation(number).id.hasSameBytes(as: id) { return nil }
        let info = try snapshot.conversationInfo(of: number) ?? ConversationInfo()
        if let name = query.name, info.name?.hasSameBytes(as: name) != true { return nil }
        if let creator, info.creator != creator { return nil }
        if let tag = query.tag, !info.tags.contains(where: { $0.hasSameBytes(as: tag) }) { return nil }
        for (key, value) in query.attributes {
            let holds = info.indexed.contains { $0.key.hasSameBytes(as: key) && $0.value.hasSameBytes(as: value) }
            if !holds { return nil }
        }
        return row
    }

    private func hasMembers(_ conversation: ConversationNumber, _ snapshot: borrowing ViewSnapshot) throws -> Bool {
        if let exactMembers {
            guard try snapshot.memberCount(of: conversation) == exactMembers.count else { return false }
        }
        for member in allMembers.union(exactMembers ?? []) {
            guard try snapshot.hasMember(member, in: conversation) else { return false }
        }
        guard let anyMember else { return true }
        for member in anyMember {
            if try snapshot.hasMember(member, in: conversation) { return true }
        }
        return false
    }
}
