import MessageStore

extension Disagreement {
    /// Compares pinned and starred messages, page by page.
    static func checkMarks(_ views: borrowing Views, _ model: StoreModel) throws {
        for key in model.world {
            let expected = model.pinnedMessages(in: key)
            let pinned = try views.all(atMost: expected.count) { try $0.pinnedMessages(in: key, after: $1, limit: 2) }
            try check("pinned in \(key)", pinned, expected)
        }
        for key in model.world.map(Optional.some) + [nil] {
            let expected = model.starredMessages(in: key)
            let starred = try views.all(atMost: expected.count) { try $0.starredMessages(in: key, after: $1, limit: 3) }
            let place = key.map { "\($0)" } ?? "all conversations"
            try check("starred in \(place)", starred, expected)
            for marked in starred {
                let message = marked.message
                try check(
                    "star of \(message.id)", try views.isStarred(.local(message.id), in: message.conversation), true)
            }
        }
    }
}
