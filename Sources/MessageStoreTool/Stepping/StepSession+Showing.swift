internal import MessageStore

extension StepSession {
    /// The conversations and messages that are shown at a time.
    private static let pageSize = 20

    /// One line: the event, as `log` shows it.
    func showPlace() throws {
        guard position > .origin else { return print("0  before the first event") }
        let printer = EventPrinter(format: .text, fields: nil, hasContent: hasContent, names: Names(store))
        print(printer.text(try event(), hosts))
        for line in try EventNotes(store: store, session: session).lines(at: position) {
            print("    \(line)".terminalSafe)
        }
    }

    private func event() throws -> RecordedEvent {
        guard let event = try store.events(from: position, to: position, limit: 1).first, position > .origin else {
            throw ToolError.usage("there is no event at position \(position)")
        }
        return event
    }

    func showEvent() throws {
        let columns = EventColumns(try event(), hosts, hasContent: hasContent, names: Names(store)).columns
        var table = TextTable(columns: [.init(header: "FIELD"), .init(header: "VALUE")])
        for column in columns { if let text = column.text { table.append([column.name, text]) } }
        // Every field in full.
        print(table.rendered(style: Terminal.standardOutput.style), terminator: "")
    }

    func showChanges() throws {
        let before = Position(try event().position.rawValue - 1)
        let (changes, count) = try session.changes(
            from: before, to: position, of: nil, limit: Self.pageSize * 10, hasContent: hasContent,
            where: { !$0.isBookkeeping }, progress: { _, _ in })
        Diff.printText(changes, count, before, position, Names(store))
        for line in try EventNotes(store: store, session: session).lines(at: position) { print(line.terminalSafe) }
    }

    func showList() throws {
        let page = try session.read(at: position) { try $0.conversations(archived: .included, limit: Self.pageSize) }
        let rows = page.conversations.map { ConversationOutput($0, hasContent: hasContent) }
        ConversationOutput.table(rows).print()
        if page.next != nil { print("more: `messagestore conversations --at \(position) --all` lists them") }
    }

    func showTimeline(of conversation: String) throws {
        let (rows, hasOlder) = try session.read(at: position) { views in
            let page = try views.timeline(of: try findConversation(conversation, views), limit: Self.pageSize)
            var rows: [MessageOutput] = []
            for message in page.messages { rows.append(try MessageOutput(message, views, hasContent: hasContent)) }
            return (rows, page.hasOlder)
        }
        if hasOlder { print("older ones: `messagestore messages --at \(position) --all` lists them") }
        MessageOutput.table(rows).print()
    }

    func showTotals() throws {
        Unread.table(try session.read(at: position) { try Unread.output($0) }).print()
    }

    func showUnread(in conversation: String) throws {
        let (unread, shown) = try session.read(at: position) { views in
            let key = try findConversation(conversation, views)
            return (try views.unread(of: key), try views.shownUnread(in: key))
        }
        var table = TextTable(columns: [.init(header: "UNREAD"), .init(header: "VALUE")])
        table.append(["messages", NumberFormat.count(unread.messages)])
        table.append(["mentions", NumberFormat.count(unread.mentions)])
        table.append(["shown", NumberFormat.count(shown)])
        table.append(["read up to", unread.readUpTo?.words ?? "nothing"])
        if let report = unread.report {
            table.append(["server's count", "\(NumberFormat.count(report.count)) up to \(report.upTo.words)"])
        }
        if unread.isMarkedUnread { table.append(["mark", "unread"]) }
        if unread.isLowerBound { table.append(["there may be", "more"]) }
        table.print()
    }
}
