package import MessageStore

extension StoreModel {
    mutating func applyFolderEvent(_ body: ConversationFolderChanged) {
        let isThere = body.isThere
        guard folderChoices.choose(body.folder, at: body.time, clock, holdsTie: isThere) else { return }
        folders[body.folder] = isThere ? body : nil
    }

    /// The last word on each folder that there is, in their order.
    package func folderList() -> [ConversationFolderChanged] {
        folders.values.sorted { ($0.order, $0.folder) < ($1.order, $1.folder) }
    }

    /// What is unread over the listed conversations for which a condition holds.
    package func unreadTotals(matching condition: ConversationCondition, includesMuted: Bool = false) -> UnreadTotals {
        totals(
            of: conversations(matching: ConversationQuery(condition)).compactMap { conversations[$0] },
            includesMuted: includesMuted)
    }
}
