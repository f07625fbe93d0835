/// The differences in the shown data of two stores, whatever their events are: conversations, unread counts, members
/// and messages.
///
/// Messages are the same by their conversation and server id; messages that no server knows, by their token.
struct StoreComparison {
    /// A thing that differs, or that only one store has.
    struct Difference: Encodable {
        let subject: String
        let name: String
        let first: Fact.Value
        let second: Fact.Value
    }

    /// Takes a difference.
    typealias Report = (Difference) throws -> Void

    /// Reports the differences at both stores' ends, conversation by conversation.
    ///
    /// - Parameter names: The names to show with ids, for people; nil for ids alone.
    static func compare(_ first: MessageStore, _ second: MessageStore, _ names: Names?, _ report: Report) throws {
        let keys = try Set(first.read { try $0.everyConversation() }).union(second.read { try $0.everyConversation() })
        let totals = try (first.read { try Subject.badge.facts($0) }, second.read { try Subject.badge.facts($0) })
        try compare("badge", totals.0, totals.1, report)
        for key in keys.ordered(by: { $0.description < $1.description }) {
            try compare(key, first, second, names, report)
        }
    }

    private static let pageSize = 1000

    private static func compare(
        _ key: ConversationKey, _ first: MessageStore, _ second: MessageStore, _ names: Names?, _ report: Report
    ) throws {
        let one = try first.read { try Contents(key, $0) }
        let other = try second.read { try Contents(key, $0) }
        let label = names.label(of: key)
        try compare("conversation \(label)", one.facts, other.facts, report)
        for name in one.order + other.order.filter({ one.items[$0] == nil }) {
            let (item, counterpart) = (one.items[name], other.items[name])
            guard item?.hash != counterpart?.hash else { continue }
            let facts = try first.read { try item?.facts($0) ?? [] }
            let title = names.flatMap { (item ?? counterpart)?.title($0) } ?? name
            try compare("\(title) in \(label)", facts, second.read { try counterpart?.facts($0) ?? [] }, report)
        }
    }

    private static func compare(_ subject: String, _ first: [Fact], _ second: [Fact], _ report: Report) throws {
        guard first != second else { return }
        if first.isEmpty || second.isEmpty {
            return try report(
                Difference(
                    subject: subject, name: "there", first: .flag(!first.isEmpty), second: .flag(!second.isEmpty)))
        }
        for (one, other) in zip(first, second) where one != other {
            try report(
                Difference(
                    subject: subject, name: one.name, first: withoutWords(one), second: withoutWords(other)))
        }
    }

    /// The value, or of people's words their length.
    private static func withoutWords(_ fact: Fact) -> Fact.Value {
        guard ["name", "shown as", "nickname", "tags"].contains(fact.name), case .text(let words) = fact.value else {
            return fact.value
        }
        return .text(NumberFormat.exactBytes(words.utf8.count))
    }

    /// A store's content of one conversation; the names of its facts are always the same.
    private struct Contents {
        let facts: [Fact]
        /// Members and messages, by their names.
        private(set) var items: [String: Item] = [:]
        private(set) var order: [String] = []

        init(_ key: ConversationKey, _ views: borrowing Views) throws {
            guard let conversation = try views.conversation(key) else {
                facts = []
                return
            }
            let last = try conversation.lastMessage.flatMap { try views.message($0.id) }
            // Ids in a store are its own.
            facts =
                try Subject.conversation(key).facts(views).filter { !["last message", "unread"].contains($0.name) }
                + Subject.unread(key).facts(views) + [Fact("last message", last?.serverID?.rawValue)]
            var members: PageCursor?
            repeat {
                let page = try views.members(in: key, after: members, limit: pageSize)
                for member in page.elements {
                    let subject = Subject.member(member.id, key)
                    add("member \(member.id)", .member(subject, hash: try subject.facts(views).hashValue))
                }
                members = page.next
            } while members != nil
            let beginning = TimelineAnchor.order(MessageOrder(time: .unknown, id: ""))
            var page = try views.timeline(of: key, .after(beginning), limit: pageSize)
            while true {
                for message in page.elements {
                    add(message.comparedName, .message(message.id, hash: message.comparedFacts.hashValue))
                }
                guard page.hasNewer, let last = page.elements.last else { break }
                page = try views.timeline(of: key, .after(.message(.local(last.id))), limit: pageSize)
            }
        }

        /// Adds an item; items of one name, such as several messages of this device at one time, get numbers.
        private mutating func add(_ name: String, _ item: Item) {
            var (unique, number) = (name, 1)
            while items[unique] != nil {
                number += 1
                unique = "\(name) (\(number))"
            }
            items[unique] = item
            order.append(unique)
        }
    }

    /// A member or a message as a hash alone: a conversation may have very many.
    private enum Item {
        case member(Subject, hash: Int)
        case message(LocalMessageID, hash: Int)

        var hash: Int {
            switch self {
            case .member(_, let hash), .message(_, let hash): hash
            }
        }

        /// The name of a member with the id; nil for messages.
        func title(_ names: Names) -> String? {
            if case .member(.member(let user, _), _) = self { "member \(names.label(of: user))" } else { nil }
        }

        func facts(_ views: borrowing Views) throws -> [Fact] {
            switch self {
            case .member(let subject, _): try subject.facts(views)
            case .message(let id, _): try views.message(id)?.comparedFacts ?? []
            }
        }
    }
}

extension Message {
    fileprivate var comparedName: String {
        if let serverID { return "message \(serverID)" }
        return clientToken.map { "message with the token \($0)" } ?? "message of \(sender) at \(time)"
    }

    fileprivate var comparedFacts: [Fact] {
        [
            Fact("sender", sender), Fact("time", isTimeProvisional ? nil : time),
            Fact("status", String(describing: status)), Fact("recalled", isRecalled), Fact("modified", isModified),
            Fact("replaced by the filter", isReplaced), Fact("removed", isRedacted),
            Fact("policy lets it count", countsUnread), Fact("user's flags", Int(flags.rawValue)),
            Fact("delivered", deliveredTime), Fact("read by others", readTime),
            // Words are compared and never shown.
            Fact("content", .digest(of: content)),
        ]
    }
}

extension Fact.Value {
    /// A salt that makes digests useless to somebody who tries all short texts.
    private static let salt = (0..<32).map { _ in UInt8.random(in: .min ... .max) }

    /// Content, shown only as the same or another; digests of two runs have nothing to do with each other.
    fileprivate static func digest(of content: MessageContent) -> Fact.Value {
        var digest = LineDigest()
        digest.add(salt)
        for part in [Array((content.text ?? "").utf8), content.data, content.attributes] { digest.add(part) }
        return .text("\(content.type), digest \(digest.text)")
    }
}
