internal import MessageStore
internal import MessageStoreWorkload

extension RandomEvents {
    /// Few folders, some of a condition that no version knows.
    mutating func folderEvent() -> Event {
        let conditions = [
            #"{"kinds":[2]}"#, #"{"all":[{"tagged":"t1"},{"property":"isArchived","equal":false}]}"#,
            #"{"any":[{"containsAny":["u1"]},{"property":"unreadCount","greater":0}]}"#,
            #"{"not":{"property":"isMuted","equal":true}}"#, #"{"some":[]}"#, "no condition",
        ]
        return Event(
            ConversationFolderChanged(
                "f\(random.nextIndex(3))", name: random.chance(0.8) ? "name \(random.nextIndex(5))" : nil,
                condition: random.chance(0.25) ? nil : conditions[random.nextIndex(conditions.count)],
                order: Int32(random.nextIndex(3)) - 1, at: maybeTime()))
    }
}
