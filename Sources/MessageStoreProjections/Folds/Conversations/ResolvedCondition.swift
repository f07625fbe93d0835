/// A condition with the numbers of its users.
indirect enum ResolvedCondition {
    case all([ResolvedCondition])
    case any([ResolvedCondition])
    case not(ResolvedCondition)
    case containsAny(Set<UserNumber>)
    case containsAll(Set<UserNumber>)
    case exactMembers(Set<UserNumber>)
    case tagged(String)
    case kinds(Set<ConversationKind>)
    case property(ConversationProperty, ValueCondition)

    static var never: ResolvedCondition { .any([]) }

    /// - Throws: ``StoreError`` with code `invalidArgument` for a comparison with a list, an object or null.
    init(_ condition: ConversationCondition, _ snapshot: borrowing ViewSnapshot) throws {
        switch condition {
        case .all(let conditions): self = .all(try Self.resolve(conditions, snapshot))
        case .any(let conditions): self = .any(try Self.resolve(conditions, snapshot))
        case .not(let condition): self = .not(try Self(condition, snapshot))
        case .containsAny(let users): self = .containsAny(Set(try Self.numbers(of: users, snapshot)))
        case .containsAll(let users):
            let numbers = try Self.numbers(of: users, snapshot)
            self = numbers.count == users.count ? .containsAll(Set(numbers)) : .never
        case .exactMembers(let users):
            let numbers = try Self.numbers(of: users, snapshot)
            self = numbers.count == users.count ? .exactMembers(Set(numbers)) : .never
        case .tagged(let tag): self = .tagged(tag)
        case .kinds(let kinds): self = .kinds(kinds)
        case .property(let property, let condition):
            guard condition.operands.allSatisfy(\.isScalar) else {
                throw StoreError(.invalidArgument, "values are compared with strings, numbers and booleans alone")
            }
            self = .property(property, condition)
        }
    }

    private static func resolve(
        _ conditions: [ConversationCondition], _ snapshot: borrowing ViewSnapshot
    ) throws -> [ResolvedCondition] {
        var resolved: [ResolvedCondition] = []
        for condition in conditions { resolved.append(try ResolvedCondition(condition, snapshot)) }
        return resolved
    }

    /// The numbers of the users that the log ever named.
    private static func numbers(of users: [UserID], _ snapshot: borrowing ViewSnapshot) throws -> [UserNumber] {
        var numbers: [UserNumber] = []
        for user in users {
            if let number = try snapshot.symbols.number(of: user) { numbers.append(number) }
        }
        return numbers
    }

    /// Whether it holds for a conversation.
    func holds(for candidate: inout QueriedConversation, _ snapshot: borrowing ViewSnapshot) throws -> Bool {
        switch self {
        case .all(let conditions):
            for condition in conditions where try !condition.holds(for: &candidate, snapshot) { return false }
            return true
        case .any(let conditions):
            for condition in conditions where try condition.holds(for: &candidate, snapshot) { return true }
            return false
        case .not(let condition): return try !condition.holds(for: &candidate, snapshot)
        case .containsAny(let users):
            for user in users where try snapshot.hasMember(user, in: candidate.number) { return true }
            return false
        case .containsAll(let users): return try Self.hasMembers(users, candidate.number, snapshot)
        case .exactMembers(let users):
            guard try snapshot.memberCount(of: candidate.number) == users.count else { return false }
            return try Self.hasMembers(users, candidate.number, snapshot)
        case .tagged(let tag): return try candidate.hasTag(tag, snapshot)
        case .kinds(let kinds): return kinds.contains(try candidate.row(snapshot).conversationKind)
        case .property(let property, let condition):
            return condition.holds(for: try candidate.value(of: property, snapshot))
        }
    }

    private static func hasMembers(
        _ users: Set<UserNumber>, _ conversation: ConversationNumber, _ snapshot: borrowing ViewSnapshot
    ) throws -> Bool {
        for user in users where try !snapshot.hasMember(user, in: conversation) { return false }
        return true
    }
}

extension ResolvedCondition {
    /// The conversations for which it can hold, as to the archive.
    var archived: ArchivedConversations {
        switch self {
        case .all(let conditions): conditions.lazy.map(\.archived).first { $0 != .included } ?? .included
        case .property(.isArchived, .equal(.bool(let isArchived))): isArchived ? .only : .excluded
        default: .included
        }
    }

    /// The place of every conversation for which a condition holds: under one of some keys of the index, or among the
    /// listed conversations with some numbers.
    struct Index {
        /// The smaller, the fewer conversations are likely to be found.
        var rank: Int
        var keys: [ConversationIndexKey] = []
        var numbers: [AttributeNumbers] = []

        /// The place of conversations in both, if that is between numbers of one attribute.
        fileprivate func intersection(_ other: Index) -> Index? {
            guard keys.isEmpty, other.keys.isEmpty, numbers.count == 1, other.numbers.count == 1 else { return nil }
            return numbers[0].intersection(other.numbers[0]).map { Index(rank: rank, numbers: [$0]) }
        }
    }

    /// nil if no index serves.
    func index(_ snapshot: borrowing ViewSnapshot) throws -> Index? {
        switch self {
        case .all(let conditions):
            var best: Index?
            for condition in conditions {
                guard let index = try condition.index(snapshot) else { continue }
                if let both = best?.intersection(index) {
                    best = both
                } else if index.rank < best?.rank ?? .max {
                    best = index
                }
            }
            return best
        case .any(let conditions):
            var all = Index(rank: 0)
            for condition in conditions {
                guard let index = try condition.index(snapshot) else { return nil }
                all.rank = max(all.rank, index.rank)
                all.keys += index.keys
                all.numbers += index.numbers
            }
            return all
        case .exactMembers(let users):
            return users.isEmpty ? nil : Index(rank: 1, keys: [.memberSet(MemberList(users).setHash)])
        // The user with the highest number was named last and is in few conversations; this account, the first, is
        // nearly everywhere.
        case .containsAll(let users):
            return users.max().map { Index(rank: $0 == .account ? 9 : 3, keys: [.member($0)]) }
        case .containsAny(let users):
            return Index(rank: users.contains(.account) ? 9 : 4, keys: users.map { .member($0) })
        case .tagged(let tag): return Index(rank: 5, keys: [.tag(tag)])
        case .property(let property, let condition): return try Self.index(of: property, condition, snapshot)
        case .not, .kinds: return nil
        }
    }

    private static func index(
        of property: ConversationProperty, _ condition: ValueCondition, _ snapshot: borrowing ViewSnapshot
    ) throws -> Index? {
        guard let values = condition.wantedValues else {
            guard case .attribute(let name) = property else { return nil }
            return AttributeNumbers(name, condition).map { Index(rank: 8, numbers: [$0]) }
        }
        var strings: [String] { values.compactMap(\.stringValue) }
        switch property {
        case .id: return condition.wantsElements ? nil : Index(rank: 0, keys: strings.map { .id($0) })
        case .name: return condition.wantsElements ? nil : Index(rank: 2, keys: strings.map { .name($0) })
        case .creator:
            guard !condition.wantsElements else { return nil }
            var keys: [ConversationIndexKey] = []
            for user in strings {
                if let number = try snapshot.symbols.number(of: UserID(user)) { keys.append(.creator(number)) }
            }
            return Index(rank: 6, keys: keys)
        case .attribute(let name): return Index(rank: 7, keys: values.map { .attribute(name, $0) })
        default: return nil
        }
    }
}

extension ValueCondition {
    /// Wanted values: a conversation must have one of them, itself or in a list; nil if others serve as well.
    fileprivate var wantedValues: [JSONValue]? {
        switch self {
        case .equal(let value): [value]
        case .oneOf(let values): values
        // A string may be part of another one.
        case .contains(let value): value.stringValue == nil ? [value] : nil
        default: nil
        }
    }

    fileprivate var wantsElements: Bool {
        if case .contains = self { true } else { false }
    }
}
