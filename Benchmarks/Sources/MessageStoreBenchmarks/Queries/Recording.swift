internal import MessageStore

/// Records messages one by one, with and without a look for repeats by content.
enum Recording {
    static let names = ["a message recorded", "a message recorded, repeats by content looked for"]

    /// How many are counted, each by itself: the median leaves out what is done once for many.
    private static let count = 101

    /// Opens a store each way and records messages between callgrind's requests, after as many that warm it.
    static func count(at path: String) throws {
        for (name, looksForRepeats) in [(names[0], false), (names[1], true)] {
            var configuration = MessageStore.Configuration()
            configuration.sync.duplicateSuppression.inConversations = looksForRepeats
            let store = try MessageStore.open(path, account: QueryStore.account, configuration: configuration)
            guard let conversation = try store.read({ try $0.conversations(limit: 1).elements.first }) else {
                throw Failure("the store has no conversation")
            }
            for number in 0..<2 * count {
                let time = (conversation.activity ?? .unknown).milliseconds + Int64(number) * 100
                let message = Event.received(
                    ServerMessageID("\(name) \(number)"), from: "somebody", in: conversation.key,
                    at: Timestamp(milliseconds: time), content: .text("message \(number)"), origin: .live)
                Callgrind.zero()
                try store.record(message)
                if number >= count { Callgrind.dump("\(name) #\(number)") }
            }
            try store.close()
        }
    }
}
