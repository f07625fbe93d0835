/// The blocks that the app gives to ChatKit before it signs in.
struct LCCKBlocks: Sendable {
    typealias FetchProfiles =
        @Sendable (
            _ userIds: [String], _ completionHandler: @escaping @Sendable ([LCCKUser]?, (any Error)?) -> Void
        ) -> Void
    typealias FilterMessages =
        @Sendable (
            _ conversation: LCCKConversationType, _ messages: [AVIMTypedMessage],
            _ completionHandler: @escaping @Sendable ([AVIMTypedMessage]?, (any Error)?) -> Void
        ) -> Void

    /// Names and pictures of users, whenever some are shown that are not known.
    var fetchProfiles: FetchProfiles?
    /// New messages, live ones and those of history: what is not handed on is hidden, what is changed is shown changed.
    var filterMessages: FilterMessages?
}
