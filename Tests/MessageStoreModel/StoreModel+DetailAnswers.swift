package import MessageStore

extension StoreModel {
    /// A reaction and its givers, in a form that can be made and compared.
    package struct ShownReaction: Hashable, Sendable {
        /// The reaction.
        package var key: String
        /// Who gave it, the first one first.
        package var users: [UserID]
        /// How many gave it.
        package var count: Int
    }

    /// A member's receipt.
    package struct ShownReceipt: Hashable, Sendable {
        /// Who.
        package var member: UserID
        /// When, if reported for the message itself.
        package var time: Timestamp?
    }

    /// Who received and who read a message.
    package struct ShownReceipts: Hashable, Sendable {
        /// Members who received it.
        package var delivered: [ShownReceipt]
        /// Members who read it.
        package var read: [ShownReceipt]
        /// The server's numbers.
        package var counts: ReadCounts?
        /// The server's number of those who received it.
        package var deliveredCount: Int?
    }
}

extension StoreModel.ShownReaction {
    /// Takes over what a store answered.
    package init(_ reaction: Reaction) {
        self.init(key: reaction.key, users: reaction.users, count: reaction.count)
    }
}

extension StoreModel.ShownReceipts {
    /// Takes over what a store answered.
    package init(_ receipts: MessageReceipts) {
        self.init(
            delivered: receipts.delivered.map { StoreModel.ShownReceipt(member: $0.member, time: $0.time) },
            read: receipts.read.map { StoreModel.ShownReceipt(member: $0.member, time: $0.time) },
            counts: receipts.counts, deliveredCount: receipts.deliveredCount)
    }
}
