@_spi(Storage) internal import MessageStoreLog

/// A conversation that a query looks at; its rows are read when a condition asks for them.
struct QueriedConversation {
    let number: ConversationNumber
    let row: ConversationRow
    private var knownInfo: ConversationInfo?

    init(_ number: ConversationNumber, _ row: ConversationRow) {
        self.number = number
        self.row = row
    }

    mutating func info(_ snapshot: borrowing ViewSnapshot) throws -> ConversationInfo {
        if let knownInfo { return knownInfo }
        let info = try snapshot.row(ConversationList.info, number) ?? ConversationInfo()
        knownInfo = info
        return info
    }

    /// nil where the conversation has none.
    mutating func value(of property: ConversationProperty, _ snapshot: borrowing ViewSnapshot) throws -> JSONValue? {
        switch property {
        case .id: return .string(try snapshot.symbols.conversation(number).id)
        case .name: return try info(snapshot).name.map { .string($0) }
        case .creator:
            let creator = try info(snapshot).creator
            return creator == .none ? nil : .string(try snapshot.symbols.user(creator).rawValue)
        case .activity: return row.activity == 0 ? nil : .integer(Int64(clamping: row.activity))
        case .memberCount: return .integer(Int64(try snapshot.memberCount(of: number)))
        case .unreadCount: return .integer(Int64(clamping: try snapshot.unreadRow(of: number).messages))
        case .isMuted: return .bool(row.muting.level(at: try snapshot.time()) == .nothing)
        case .attribute(let name): return try info(snapshot).value(ofAttribute: name)
        default: return property.flag.map { .bool(row.flags[$0]) }
        }
    }
}

/// A conversation's place in the order of a query: its values, then the latest activity, then who was heard of first.
struct QueryPlace: Hashable {
    let values: [JSONValue?]
    let activity: UInt64
    let number: ConversationNumber

    init(_ candidate: inout QueriedConversation, _ order: [ConversationOrder], _ snapshot: borrowing ViewSnapshot)
        throws
    {
        var values: [JSONValue?] = []
        for key in order { values.append(try candidate.value(of: key.property, snapshot)) }
        self.values = values
        activity = candidate.row.activity
        number = candidate.number
    }

    func precedes(_ other: QueryPlace, in order: [ConversationOrder]) -> Bool {
        for index in order.indices {
            switch (values[index], other.values[index]) {
            case (nil, nil): continue
            case (_, nil): return true
            case (nil, _): return false
            case (let first?, let second?):
                let result = first.sorts(against: second)
                if result != 0 { return order[index].isDescending == (result > 0) }
            }
        }
        return (other.activity, number) < (activity, other.number)
    }
}
