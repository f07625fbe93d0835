internal import ArgumentParser
internal import Foundation
internal import MessageStoreSearch

struct Search: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find messages by what they show, newest first.",
        discussion: """
            Words are found as a whole whatever their case, width and accents, begin* by their first letters, "words in a row" \
            together, and -word leaves messages out (after --, so that it is no option). Chinese, Japanese, Korean and \
            Thai characters and emoji are found wherever they are. Recalled, deleted and erased messages are never found.

            An index that an app or --index made is used; without one the whole log is read.
            """)

    @OptionGroup var arguments: StoreArguments

    @Argument(help: "What to look for.")
    var words: [String]

    @Flag(help: "Any of the words is enough.")
    var any = false

    @Option(
        help:
            "Only messages of this conversation: its id, kind:id, or a name that no other has; may be given more than once."
    )
    var conversation: [String] = []

    @Option(help: "Only messages of this sender: an id, or a name that no other has; may be given more than once.")
    var sender: [String] = []

    @Option(help: "Only messages of this content type, such as text or image; may be given more than once.")
    var type: [String] = []

    @Option(help: "Only messages with this: file, mention or link; may be given more than once, and all must hold.")
    var has: [Property] = []

    @Option(help: "Only messages of this TIME or later.", transform: EventArguments.time)
    var since: Timestamp?

    @Option(help: "Only messages of this TIME or before.", transform: EventArguments.time)
    var until: Timestamp?

    @Option(help: "The maximum number of messages, 1 to 1000.")
    var limit = 20

    @Option(help: "Only messages before this ID: the last one of the page before.")
    var before: UInt64?

    @Flag(help: "Update the index first, or make it. Opens the store for writing.")
    var index = false

    /// A property that a message may have.
    enum Property: String, ExpressibleByArgument, CaseIterable { case file, mention, link }

    func validate() throws {
        guard since ?? .unknown <= until ?? .latest else { throw ValidationError("--since is after --until") }
    }

    func run() throws {
        if index { try updateIndex() }
        let store = try arguments.openReadOnly()
        defer { try? store.close() }
        let query = try query(in: store)
        let names = Names(store)
        let cursor = before.map { PageCursor(below: Position($0)) }
        let page = try store.search(query, after: cursor, limit: limit, scanning: .max)
        if arguments.json {
            for hit in page.elements {
                // An event of a host is no message.
                var row: JSONObject = ["id": hit.position, "text": hit.text]
                if let message = hit.message { row = JSONObject(try store.read { try MessageOutput(message, $0) }) }
                row["field"] = hit.field.rawValue
                if hit.field == .fileName { row["fileName"] = hit.text }
                let text = hit.text.utf16
                row["highlights"] = hit.highlights.map { range in
                    [
                        text.distance(from: text.startIndex, to: range.lowerBound),
                        text.distance(from: range.lowerBound, to: range.upperBound),
                    ]
                }
                try JSON.print(row)
            }
        } else {
            let style = Terminal.standardOutput.style
            for hit in page.elements { print(SearchOutput(hit, names).lines(style), terminator: "") }
        }
        if page.elements.isEmpty { writeToStandardError("nothing was found\n") }
        if let next = try page.next?.position() { writeToStandardError("more with --before \(next)\n") }
        if page.hasLongTexts {
            writeToStandardError("of texts over \(SearchPage.textLimit) bytes the beginning was searched\n")
        }
    }

    /// Makes the index, or adds the events that it lacks.
    private func updateIndex() throws {
        let store = try arguments.openForWriting(StoreArguments.searchIndex)
        try withProgress("indexing") { try store.catchUp(SearchIndex.id, progress: $0) }
        try store.close()
    }

    private func query(in store: MessageStore) throws -> SearchQuery {
        // The shell took the quotes of a phrase that is an argument by itself.
        let typed = words.map { $0.contains(where: \.isWhitespace) && !$0.contains("\"") ? "\"\($0)\"" : $0 }
        var query = SearchQuery(typed.joined(separator: " "))
        if any { query.matching = .any }
        if !conversation.isEmpty {
            query.conversations = try Set(conversation.map { try findConversation($0, in: store) })
        }
        if !sender.isEmpty { query.senders = try Set(sender.map { try findUser($0, in: store) }) }
        var types = type.isEmpty ? nil : Set(type.map { ContentType(rawValue: $0) })
        if has.contains(.file) { types = types.map { $0.intersection(SearchQuery.fileTypes) } ?? SearchQuery.fileTypes }
        query.types = types
        query.mentionsAccount = has.contains(.mention)
        query.hasLink = has.contains(.link)
        if since != nil || until != nil { query.time = (since ?? .unknown)...(until ?? .latest) }
        do { try query.check() } catch let error as StoreError { throw ToolError.usage(error.message) }
        return query
    }
}
