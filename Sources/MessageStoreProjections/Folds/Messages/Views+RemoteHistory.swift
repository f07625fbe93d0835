@_spi(Storage) package import MessageStoreLog

/// The part of a conversation's past that a server is asked for.
package enum HistoryPart: Sendable, Hashable {
    /// The messages older than a place; nil for the newest.
    case before(MessageOrder?)
    /// The messages newer than a place.
    case after(MessageOrder)

    fileprivate var isBefore: Bool { if case .before = self { true } else { false } }

    fileprivate var anchor: MessageOrder? {
        switch self {
        case .before(let anchor): anchor
        case .after(let anchor): anchor
        }
    }

    /// The same part of what the store has.
    package var timelinePart: TimelinePart {
        switch self {
        case .before(nil): .latest
        case .before(let anchor?): .before(.order(anchor))
        case .after(let anchor): .after(.order(anchor))
        }
    }
}

/// A page next to an anchor, and whether a server could add to it.
package struct LocalHistoryPage: Sendable {
    /// The page; without messages beyond a gap.
    package let page: TimelinePage
    /// Whether loaded history proves that nothing is missing: neither within nor, where it is short, beyond it.
    package let isComplete: Bool
}

extension Views {
    /// The place of an anchor, as a server would understand it.
    ///
    /// - Throws: `StoreError`: `notFound` for an unknown message, `invalidArgument` for one that no server knows.
    package borrowing func remoteOrder(
        of anchor: TimelineAnchor, in conversation: ConversationKey
    ) throws -> MessageOrder {
        if case .order(let order) = anchor { return order }
        guard let number = try snapshot.symbols.number(of: conversation) else {
            throw StoreError(.notFound, "the anchor names no message of the conversation")
        }
        let bytes = try order(of: anchor, in: number)
        var isProvisional = false
        if case .message(let message) = anchor, let local = try snapshot.local(of: message, in: number) {
            isProvisional = try snapshot.row(Messages.states, local)?.flags.contains(.isTimeProvisional) ?? false
        }
        guard let order = MessageOrder(bytes), !isProvisional else {
            throw StoreError(.invalidArgument, "the anchor is a message whose place no server reported")
        }
        return order
    }

    /// Whether nothing can be missing between a part and its anchor: the message there is known, or there cannot be
    /// one. A time alone sorts above all messages of its time; the part after it begins there only if those are known.
    package borrowing func isClosed(_ part: HistoryPart, in conversation: ConversationKey) throws -> Bool {
        guard let anchor = part.anchor else { return false }
        if part.isBefore, anchor.id == nil { return true }
        guard let number = try snapshot.symbols.number(of: conversation) else { return false }
        // Messages that were cleared are not missing.
        if let floor = try snapshot.floor(of: number), floor >= OrderKey(anchor) { return true }
        guard let id = anchor.id else { return try snapshot.range(containing: OrderKey(anchor), in: number) != nil }
        return try snapshot.local(of: .server(id), in: number).map { try !snapshot.isForgotten($0, in: number) }
            ?? false
    }

    /// The part without cleared messages, which are not shown; nil if all of it was cleared.
    package borrowing func uncleared(_ part: HistoryPart, of conversation: ConversationKey) throws -> HistoryPart? {
        guard let number = try snapshot.symbols.number(of: conversation),
            let floor = try snapshot.floor(of: number)
        else {
            return part
        }
        switch part {
        case .before(nil): return part
        case .before(let anchor?): return floor >= OrderKey(anchor) ? nil : part
        case .after(let anchor):
            guard OrderKey(anchor) < floor, let place = MessageOrder(floor) else { return part }
            return .after(place)
        }
    }

    /// The page next to an anchor, or the newest, as far as loaded history proves it.
    package borrowing func localHistory(
        of conversation: ConversationKey, _ part: HistoryPart, limit: Int
    ) throws -> LocalHistoryPage {
        let page = try timeline(of: conversation, part.timelinePart, limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation) else {
            return LocalHistoryPage(page: page, isComplete: false)
        }
        let orders = page.elements.map { message in
            message.isTimeProvisional
                ? nil : message.serverID.map { OrderKey(MessageOrder(time: message.time, id: $0)) }
        }
        let known = orders.compactMap { $0 }
        let anchored = try range(of: part, number)
        let nearest = part.isBefore ? known.last : known.first
        guard let range = try anchored ?? nearest.flatMap({ try snapshot.range(containing: $0, in: number) }) else {
            return LocalHistoryPage(page: page, isComplete: false)
        }
        let reachesEnd =
            switch part {
            case .before: try range.reachesBeginning || snapshot.floor(of: number).map { $0 >= range.oldest } ?? false
            case .after: range.reachesEnd
            }
        // Messages without a server's order lie where this device put them, and prove nothing.
        let near = part.isBefore ? orders.reversed() : orders
        let proven = reachesEnd ? near.count : near.prefix { $0.map { range.contains($0) } ?? true }.count
        if proven == page.elements.count {
            return LocalHistoryPage(page: page, isComplete: anchored != nil && (reachesEnd || proven == limit))
        }
        guard proven > 0 else {
            let empty = TimelinePage(
                [], hasOlder: part.isBefore || page.hasOlder, hasNewer: !part.isBefore || page.hasNewer,
                isContiguous: false, hasGapBefore: true, hasGapAfter: true)
            return LocalHistoryPage(page: empty, isComplete: false)
        }
        return LocalHistoryPage(
            page: try timeline(of: conversation, part.timelinePart, limit: proven), isComplete: false)
    }

    /// The stretch without gaps in which a part begins; the newest page has no end but the server's.
    private borrowing func range(
        of part: HistoryPart, _ conversation: ConversationNumber
    ) throws -> TimelineRange? {
        switch part {
        case .before(let anchor?), .after(let anchor):
            return try snapshot.range(containing: OrderKey(anchor), in: conversation)
        case .before(nil):
            return try snapshot.row(Timeline.heads, conversation)?.range
        }
    }
}
