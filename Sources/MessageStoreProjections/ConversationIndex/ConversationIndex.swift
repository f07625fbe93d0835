@_spi(Storage) internal import MessageStoreLog

/// The projection of what conversations are found by: members, name, creator, id, tags and attributes.
struct ConversationIndex: BuiltInProjection, ~Copyable {
    static let declaration = ProjectionDeclaration(
        .conversationIndex, version: 3, events: .indexChanges, reads: [.conversationList, .members],
        tables: index)
    static var index: Table<IndexRowKey, NoValue> { Table("conversationIndex", 16) }

    private struct MemberSet {
        /// nil where the rows have none.
        let original: ConversationIndexKey?
        var key: ConversationIndexKey?
    }

    /// The member sets that changed since the last finish: whoever joins a conversation changes its set, and only the
    /// last one is of use.
    private var memberSets = ConversationCache<MemberSet>()

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        for change in changes.index {
            if change.key.kind == .memberSet {
                noteMemberSet(change)
            } else {
                set(change.key, change.conversation, change.isIndexed, &rows)
            }
        }
    }

    private mutating func noteMemberSet(_ change: IndexChange) {
        let key = change.isIndexed ? change.key : nil
        if let slot = memberSets.slot(of: change.conversation) {
            memberSets[slot].key = key
        } else {
            // A set that the rows have is taken out before another one is entered.
            let original = change.isIndexed ? nil : change.key
            _ = memberSets.insert(MemberSet(original: original, key: key), of: change.conversation)
        }
    }

    private func set(
        _ key: ConversationIndexKey, _ conversation: ConversationNumber, _ isIndexed: Bool, _ rows: inout FoldRows
    ) {
        rows.set(Self.index, IndexRowKey(key: key, conversation: conversation), isThere: isIndexed)
    }

    var openConversations: Int { memberSets.conversations.count }

    /// Writes by which member sets conversations are found.
    mutating func finishBatch(_ rows: inout FoldRows) {
        for (conversation, entry) in zip(memberSets.conversations, memberSets.entries)
        where entry.key != entry.original {
            if let old = entry.original { set(old, conversation, false, &rows) }
            if let new = entry.key { set(new, conversation, true, &rows) }
        }
        memberSets.removeAll()
    }
}
