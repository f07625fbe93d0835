import MessageStore

extension Disagreement {
    /// Compares pinned and starred messages, page by page.
    static func checkMarks(_ views: borrowing Views, _ model: StoreModel) throws {
        for key in model.world {
            let expected = model.pinnedMessages(in: key)
            var pinned: [MarkedMessage] = []
            while case let page = try views.pinnedMessages(in: key, after: pinned.last, limit: 2).elements,
                !page.isEmpty,
                pinned.count <= expected.count
            {
                pinned += page
            }
            try check("pinned in \(key)", pinned, expected)
        }
        for key in model.world.map(Optional.some) + [nil] {
            let expected = model.starredMessages(in: key)
            var starred: [MarkedMessage] = []
            while case let page = try views.starredMessages(in: key, after: starred.last, limit: 3).elements,
                !page.isEmpty,
                starred.count <= expected.count
            {
                starred += page
            }
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
