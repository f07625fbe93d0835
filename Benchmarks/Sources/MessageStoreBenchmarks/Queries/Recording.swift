internal import MessageStore

/// Records one message, with and without a look for repeats by content.
enum Recording {
    static let names = ["a message recorded", "a message recorded, repeats by content looked for"]

    /// Opens a store each way and records one message between callgrind's requests, after others that warm it.
    static func count(at path: String) throws {
        for (name, looksForRepeats) in [(names[0], false), (names[1], true)] {
            var configuration = MessageStore.Configuration()
            configuration.duplicateSuppression.inConversations = looksForRepeats
            let store = try MessageStore.open(path, account: QueryStore.account, configuration: configuration)
            guard let conversation = try store.read({ try $0.conversations(limit: 1).conversations.first }) else {
                throw Failure("the store has no conversation")
            }
            for number in 0...100 {
                if number == 100 { Callgrind.zero() }
                let time = (conversation.activity ?? .unknown).milliseconds + Int64(number) * 100
                try store.record(
                    .received(
                        ServerMessageID("\(name) \(number)"), from: "somebody", in: conversation.key,
                        at: Timestamp(milliseconds: time), content: .text("message \(number)"), origin: .live))
            }
            Callgrind.dump(name)
            try store.close()
        }
    }
}
