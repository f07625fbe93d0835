import MessageStore

extension Disagreement {
    /// Compares what a message said, page by page; the last of it is what it says.
    static func checkEdits(
        _ views: borrowing Views, _ model: StoreModel, _ key: ConversationKey, _ reference: MessageReference
    ) throws {
        let expected = model.edits(of: reference, in: key)
        let versions = try views.all(atMost: expected.count) {
            try $0.edits(of: reference, in: key, after: $1, limit: 2)
        }
        try check("versions of \(reference) in \(key)", versions, expected)
        guard let last = versions.last else { return }
        let message = try views.message(reference, in: key)
        try check("last version of \(reference) in \(key)", last.content, message?.content)
    }
}
