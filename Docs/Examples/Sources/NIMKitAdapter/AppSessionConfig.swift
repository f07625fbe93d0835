import MessageStore

/// The app's configuration of a session: small pages, fetched on entry, and a view for its own type.
struct AppSessionConfig: NIMSessionConfig {
    var messageLimit: Int { 5 }
    var autoFetchWhenOpenSession: Bool { true }

    func cellContent(_ message: Message) -> String? {
        message.content.type == "nim/jan-ken-pon" ? "JanKenPonContentView" : nil
    }
}
