/// A message as somebody names it: `local:3` by its id in the store, `server:m1` by the server's, or only 3 or m1.
struct MessageArgument {
    let text: String
    /// What it can mean: a number is an id of either kind.
    let references: [MessageReference]

    init(_ text: String) {
        self.text = text
        if let id = Self.rest(of: text, after: "local:").flatMap({ UInt64($0) }) {
            references = [.local(LocalMessageID(id))]
        } else if let id = Self.rest(of: text, after: "server:") {
            references = [.server(ServerMessageID(id))]
        } else {
            let local = UInt64(text).map { MessageReference.local(LocalMessageID($0)) }
            references = (local.map { [$0] } ?? []) + [.server(ServerMessageID(text))]
        }
    }

    private static func rest(of text: String, after prefix: String) -> String? {
        text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
    }

    /// The error for an argument whose two meanings are different messages.
    var ambiguity: ToolError {
        .usage(
            "\(text) names two messages: write local:\(text) for that of event \(text), server:\(text) for the server's"
        )
    }
}
