internal import ArgumentParser

struct Erase: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove personal values of users, conversations or events: names, pictures, tags, reactions, words.",
        discussion: """
            Ids, times and numbers stay, unless --also-ids is given. What is erased is in no answer afterwards; 'compact' then removes its bytes from \
            the files. Only a copy that was made before has it.

            Exits with 3 where the erasure is recorded and not finished, because the disk is full, say.
            """)

    @OptionGroup var arguments: StoreArguments

    @Option(help: "A user: an id, or a name that no other has; may be given more than once.")
    var user: [String] = []

    @Flag(help: "Also the words of the users' messages.")
    var alsoMessages = false

    @Option(help: "A conversation: its id, kind:id, or a name that no other has; may be given more than once.")
    var conversation: [String] = []

    @Option(help: "The position of an event; may be given more than once.")
    var event: [UInt64] = []

    @Flag(name: .customLong("also-ids"), help: "Also the ids of the users and conversations.")
    var alsoIDs = false

    func validate() throws {
        guard !user.isEmpty || !conversation.isEmpty || !event.isEmpty else {
            throw ValidationError("name a --user, a --conversation or an --event")
        }
        guard !alsoIDs || !user.isEmpty || !conversation.isEmpty else {
            throw ValidationError("--also-ids needs a --user or a --conversation")
        }
        guard !alsoMessages || !user.isEmpty else { throw ValidationError("--also-messages needs a --user") }
    }

    func run() throws {
        let store = try arguments.openForWriting()
        let (users, conversations) = try (
            user.map { try findUser($0, in: store) }, conversation.map { try findConversation($0, in: store) }
        )
        let position = try Unfinished.closing(store, arguments.json) {
            try store.erase(
                Erasure(
                    users: users, alsoMessages: alsoMessages, conversations: conversations,
                    events: event.map { Position($0) }), alsoIDs: alsoIDs)
        }
        let owed = try store.statistics().owedBytes
        try store.close()
        if arguments.json {
            try JSON.print(["event": position?.rawValue, "done": true, "owedBytes": owed] as JSONObject)
        } else {
            let bytes = NumberFormat.bytes(UInt64(clamping: owed))
            let erased = position.map { "erased by event \($0)" } ?? "nothing was left to erase"
            print("\(erased); \(bytes) are in the files until 'messagestore compact'")
        }
    }
}
