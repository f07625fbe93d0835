public import MessageStore

extension StoreModel {
    /// A reaction and its givers, in a form that can be made and compared.
    public struct ShownReaction: Hashable, Sendable {
        /// The reaction.
        public var key: String
        /// Who gave it, the first one first.
        public var users: [UserID]
        /// How many gave it.
        public var count: Int
    }

    /// A member's receipt.
    public struct ShownReceipt: Hashable, Sendable {
        /// Who.
        public var member: UserID
        /// When, if reported for the message itself.
        public var time: Timestamp?
    }

    /// Who received and who read a message.
    public struct ShownReceipts: Hashable, Sendable {
        /// Members who received it.
        public var delivered: [ShownReceipt]
        /// Members who read it.
        public var read: [ShownReceipt]
        /// The server's numbers.
        public var counts: ReadCounts?
        /// The server's number of those who received it.
        public var deliveredCount: Int?
    }

    /// A change that waits for the server.
    public struct ShownPendingChange: Hashable, Sendable {
        /// The position of its event.
        public var id: LocalMessageID
        /// The message to change.
        public var message: LocalMessageID
        /// The conversation.
        public var conversation: ConversationKey
        /// What is to be done.
        public var kind: PendingChange.Kind
        /// Sending or failed.
        public var status: MessageStatus
        /// The transport's error while it is failed.
        public var failureCode: Int32?
        /// Whether the server knows the message.
        public var isReady: Bool
    }
}

extension StoreModel.ShownReaction {
    /// Takes over what a store answered.
    public init(_ reaction: Reaction) {
        self.init(key: reaction.key, users: reaction.users, count: reaction.count)
    }
}

extension StoreModel.ShownReceipts {
    /// Takes over what a store answered.
    public init(_ receipts: MessageReceipts) {
        self.init(
            delivered: receipts.delivered.map { StoreModel.ShownReceipt(member: $0.member, time: $0.time) },
            read: receipts.read.map { StoreModel.ShownReceipt(member: $0.member, time: $0.time) },
            counts: receipts.counts, deliveredCount: receipts.deliveredCount)
    }
}

extension StoreModel.ShownPendingChange {
    /// Takes over what a store answered.
    public init(_ change: PendingChange) {
        self.init(
            id: change.id, message: change.message, conversation: change.conversation, kind: change.kind,
            status: change.status, failureCode: change.failureCode, isReady: change.isReady)
    }
}
