internal import ArgumentParser

struct Why: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Explain a value: the rule with its numbers, and the events that made it.",
        discussion: """
            Write one of
              why STORE badge
              why STORE unread CONVERSATION
              why STORE message MESSAGE
              why STORE conversation CONVERSATION
              why STORE member CONVERSATION USER
              why STORE profile USER
            A CONVERSATION is a name that no other has or had, an id, kind:id or kind:id#channel, a USER a name or an id; a MESSAGE is its id in the store or the server's, or local:ID or \
            server:ID where a number could be either. The events are those whose change of the value still stands at the end, and all before them as far as -n goes, \
            with what each of them changed.
            """)

    @OptionGroup var arguments: StoreArguments

    @Argument(help: "What to explain: badge, unread, message, conversation, member or profile.")
    var kind: Subject.Kind

    @Argument(help: "Which one.")
    var names: [String] = []

    @Option(parsing: .unconditional, help: "Explain the value of the past: \(Moment.help).")
    var at: Moment?

    @Option(help: "The conversation of a message, where a server's id is not unique.")
    var conversation: String?

    @Option(name: .customShort("n"), help: "The maximum number of events to show.")
    var limit = 20

    @OptionGroup var whatIf: WhatIfArguments

    @Flag(help: "Show the words of messages.")
    var text = false

    func validate() throws {
        guard limit > 0 else { throw ValidationError("-n takes a number above 0") }
    }

    func run() throws {
        try whatIf.withStore(arguments.openReadOnly()) { store in
            let position = try at?.position(in: store) ?? store.lastPosition()
            var former: [FormerName] = []
            let subject = try Subject(kind, names, in: store, conversation: conversation, through: position) {
                former.append($0)
            }
            let names = arguments.json ? nil : Names(store)
            let notes = former.map { $0.words(names) }
            let explanation = try withProgress("replaying") {
                try Explanation(
                    subject, notes: notes, in: store, at: position, limit: limit, names: names, progress: $0)
            }
            if arguments.json { return try JSON.print(explanation.object, omitsContent: !text) }
            let hosts = HostEvents(try store.eventDescriptions())
            for line in explanation.lines(hosts, hasContent: text, names: Names(store)) { print(line) }
        }
    }
}
