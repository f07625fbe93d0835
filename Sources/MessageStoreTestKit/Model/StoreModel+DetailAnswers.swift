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
