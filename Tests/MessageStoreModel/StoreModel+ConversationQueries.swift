#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
package import MessageStore

extension StoreModel {
    /// The conversations that match a query, in its order: a plain filter over all that the log tells.
    package func conversations(matching query: ConversationQuery) -> [ConversationKey] {
        conversations.values
            .filter { entry in
                entry.isInList && (query.includesHidden || entry.isListed)
                    && (query.includesChatRooms || entry.key.kind != .chatRoom) && holds(query.condition, for: entry)
            }
            .sorted { first, second in
                for order in query.order {
                    let values = [value(of: order.property, first), value(of: order.property, second)]
                    if let isFirst = Plain.isFirst(values[0], values[1], isDescending: order.isDescending) {
                        return isFirst
                    }
                }
                let activities = (activity(of: first), activity(of: second))
                return activities.0 == activities.1 ? first.number < second.number : activities.0 > activities.1
            }
            .map(\.key)
    }

    private func holds(_ condition: ConversationCondition, for entry: ConversationEntry) -> Bool {
        let members = Set(entry.members.keys)
        return switch condition {
        case .all(let conditions): conditions.allSatisfy { holds($0, for: entry) }
        case .any(let conditions): conditions.contains { holds($0, for: entry) }
        case .not(let condition): !holds(condition, for: entry)
        case .containsAny(let users): !members.isDisjoint(with: users.map(named))
        case .containsAll(let users): members.isSuperset(of: users.map(named))
        case .exactMembers(let users): members == Set(users.map(named))
        case .tagged(let tag): entry.states.tags.contains(tag)
        case .kinds(let kinds): kinds.contains(entry.kind)
        case .property(let property, let condition): Plain.holds(condition, value(of: property, entry))
        }
    }

    func shown(_ entry: ConversationEntry) -> Conversation {
        let last = visible(in: entry.key).last { $0.policy.updatesLastMessage }
        let fields = entry.fields
        return Conversation(
            key: entry.key, kind: entry.kind, name: fields.name, displayName: displayName(of: entry),
            peer: peer(of: entry), creator: fields.creator, avatarURL: avatarURL(of: entry),
            attributes: fields.attributes ?? [], indexedAttributes: fields.indexed ?? [:],
            tags: entry.states.tags.sorted(), isPinned: entry.isPinned, notificationLevel: level(of: entry),
            mutedUntil: level(of: entry) == .all ? nil : entry.mutedUntil, isArchived: entry.isArchived,
            isHidden: !entry.isListed,
            isOutdated: entry.isOutdated,
            activity: activity(of: entry) == 0 ? nil : Timestamp(milliseconds: activity(of: entry)),
            lastMessage: last.map { preview(of: shown($0), in: entry) }, draft: entry.draft,
            draftTime: entry.states.draftTime, unread: unread(of: entry.key), memberCount: entry.members.count)
    }

    private func value(of property: ConversationProperty, _ entry: ConversationEntry) -> Plain? {
        switch property {
        case .id: return .text(Array(entry.key.id.utf8))
        case .name: return entry.fields.name.map { .text(Array($0.utf8)) }
        case .creator: return entry.fields.creator.map { .text(Array($0.rawValue.utf8)) }
        case .activity:
            let activity = activity(of: entry)
            return activity == 0 ? nil : .number(Double(activity))
        case .memberCount: return .number(Double(entry.members.count))
        case .unreadCount: return .number(Double(unread(of: entry.key).messages))
        case .isPinned: return .truth(entry.isPinned)
        case .isMuted: return .truth(level(of: entry) == .nothing)
        case .isArchived: return .truth(entry.isArchived)
        case .attribute(let name):
            if let value = entry.fields.indexed?[name] { return .text(Array(value.utf8)) }
            let attributes = Data(entry.fields.attributes ?? [])
            let members = try? JSONDecoder().decode([String: Member].self, from: attributes)
            return members.flatMap { Plain.find(name, in: $0.compactMapValues(\.value)) }
        }
    }
}

extension StoreModel.ConversationEntry {
    var isPinned: Bool { flags.contains(.conversationPinned) }
    var isArchived: Bool { flags.contains(.conversationArchived) }
}

/// An attribute, which others beside it do not depend on; nil where it cannot be read.
private struct Member: Decodable {
    let value: JSONValue?

    init(from decoder: any Decoder) { value = try? JSONValue(from: decoder) }
}

/// A value in the plainest form that can be compared.
private enum Plain: Equatable {
    case truth(Bool), number(Double), text([UInt8])
    case list([Plain])

    /// A name goes before a path of the same spelling.
    static func find(_ name: String, in object: [String: JSONValue]) -> Plain? {
        if let value = object[name], let plain = Plain(value) { return plain }
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, case .object(let inner) = object[parts[0]] else { return nil }
        return find(parts[1], in: inner)
    }

    init?(_ value: JSONValue) {
        switch value {
        case .bool(let bool): self = .truth(bool)
        case .integer(let integer): self = .number(Double(integer))
        case .number(let number): self = .number(number)
        case .string(let string): self = .text(Array(string.utf8))
        case .array(let elements): self = .list(elements.compactMap { Plain($0) })
        case .null, .object: return nil
        }
    }

    /// Nothing is below what cannot be compared with it.
    private static func isBelow(_ first: Plain?, _ second: Plain?) -> Bool {
        switch (first, second) {
        case (.number(let first), .number(let second)): first < second
        case (.text(let first), .text(let second)): first.lexicographicallyPrecedes(second)
        default: false
        }
    }

    static func holds(_ condition: ValueCondition, _ value: Plain?) -> Bool {
        switch condition {
        case .equal(let other): return value != nil && value == Plain(other)
        case .notEqual(let other): return !holds(.equal(other), value)
        case .less(let other): return isBelow(value, Plain(other))
        case .greater(let other): return isBelow(Plain(other), value)
        case .lessOrEqual(let other):
            if case .truth = value { return false }
            return isBelow(value, Plain(other)) || holds(.equal(other), value)
        case .greaterOrEqual(let other):
            if case .truth = value { return false }
            return isBelow(Plain(other), value) || holds(.equal(other), value)
        case .oneOf(let others): return others.contains { holds(.equal($0), value) }
        case .noneOf(let others): return !others.contains { holds(.equal($0), value) }
        case .hasPrefix(let prefix): return value.text?.starts(with: Array(prefix.utf8)) == true
        case .hasSuffix(let suffix):
            return value.text.map { Array($0.suffix(suffix.utf8.count)) == Array(suffix.utf8) } == true
        case .contains(let other):
            if case .list(let elements) = value { return Plain(other).map(elements.contains) == true }
            guard let whole = value.text, let part = Plain(other).text else { return false }
            return (0...whole.count).contains { whole[$0...].starts(with: part) }
        case .exists: return value != nil
        case .isMissing: return value == nil
        }
    }

    /// Which of two values comes first in an order; nil where neither does. What is missing comes last.
    static func isFirst(_ first: Plain?, _ second: Plain?, isDescending: Bool) -> Bool? {
        if (first == nil) != (second == nil) { return second == nil }
        let ranks = (first?.rank ?? 0, second?.rank ?? 0)
        if ranks.0 != ranks.1 { return (ranks.0 < ranks.1) != isDescending }
        if case .truth(let one) = first, case .truth(let other) = second {
            return one == other ? nil : (other && !one) != isDescending
        }
        if isBelow(first, second) { return !isDescending }
        return isBelow(second, first) ? isDescending : nil
    }

    private var rank: Int {
        switch self {
        case .truth: 0
        case .number: 1
        case .text: 2
        case .list: 3
        }
    }
}

extension Plain? {
    fileprivate var text: [UInt8]? {
        if case .text(let bytes) = self { bytes } else { nil }
    }
}
