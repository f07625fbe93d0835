internal import ArgumentParser
internal import MessageStore

/// What every reading command takes.
struct StoreArguments: ParsableArguments {
    @Argument(help: "The store's directory.")
    var store: String

    @Flag(help: "Print JSON: lists as JSON lines, all else as one document.")
    var json = false

    /// Opens the store for reading only; a long recovery shows its progress.
    func openReadOnly() throws -> MessageStore { try Self.openReadOnly(store) }

    static func openReadOnly(_ store: String) throws -> MessageStore {
        let progress = ReplayProgressLine("folding the log")
        defer { progress.finish() }
        return try MessageStore.openReadOnly(
            store, configuration: MessageStoreCommand.configuration, progress: progress.update)
    }

    /// Opens an existing store for writing.
    func openForWriting() throws -> MessageStore {
        let account = try MessageStore.account(ofStoreAt: store)
        let progress = ReplayProgressLine("folding the log")
        defer { progress.finish() }
        return try MessageStore.open(
            store, account: account, configuration: MessageStoreCommand.configuration, progress: progress.update)
    }
}

/// What every command takes that reads views.
struct ViewArguments: ParsableArguments {
    @OptionGroup var arguments: StoreArguments

    @Option(parsing: .unconditional, help: "Show the past: \(Moment.help).")
    var at: Moment?

    @OptionGroup var whatIf: WhatIfArguments

    /// Runs `body` with the views as they are, or as they were at the moment that was asked for, or would be with other events.
    func read<Result>(_ body: (borrowing Views) throws -> Result) throws -> Result {
        let store = try arguments.openReadOnly()
        if let replacement = try whatIf.replacement(in: store) {
            let position = try at?.position(in: store) ?? store.lastPosition()
            let progress = ReplayProgressLine("replaying")
            return try replacement.session(store).read(at: position, progress: progress.update) { views in
                progress.finish()
                return try body(views)
            }
        }
        guard let at else { return try store.read(body) }
        let progress = ReplayProgressLine("replaying")
        return try store.replay(to: at.position(in: store), progress: progress.update) { views in
            progress.finish()
            return try body(views)
        }
    }
}

/// A progress line for folds, which report positions; ctrl-C ends them in good order.
final class ReplayProgressLine {
    private let label: String
    private var line: ProgressLine?
    private var isNoting = true

    init(_ label: String) {
        self.label = label
        Interruption.beginNoting()
    }

    deinit { endNoting() }

    private func endNoting() {
        if isNoting { Interruption.endNoting() }
        isNoting = false
    }

    /// - Throws: ``Interruption``.
    func update(reached: Position, last: Position) throws {
        try Interruption.check()
        if line == nil { line = ProgressLine(label: label, total: Int(clamping: last.rawValue)) }
        line?.update(done: Int(clamping: reached.rawValue))
    }

    /// Writes the last line; from now on a signal ends the process at once.
    func finish() {
        line?.finish()
        endNoting()
    }
}

/// Finds the conversation that an argument names, in the views or else in the log: it may have been deleted, or be one of
/// which only counts are known.
func findConversation(_ argument: String, in store: MessageStore) throws -> ConversationKey {
    try knownConversation(argument, in: store) ?? store.read { try findConversation(argument, $0) }
}

/// The same; nil where there is none.
func knownConversation(_ argument: String, in store: MessageStore) throws -> ConversationKey? {
    let keys = conversationKeys(argument)
    if let key = try store.read({ views in try keys.first { try views.conversation($0) != nil } }) { return key }
    return try keys.first { try !store.events(where: EventFilter(conversation: $0), limit: 1).isEmpty }
}

/// Finds the conversation that an argument names: by its id alone, or as `kind:id`, `kind:id#channel`.
///
/// - Throws: ``ToolError``, which names one that is like it where there is one.
func findConversation(_ argument: String, _ views: borrowing Views) throws -> ConversationKey {
    let keys = conversationKeys(argument)
    for key in keys where try views.conversation(key) != nil { return key }
    for key in keys {
        guard let like = try views.knownConversation(like: key) else { continue }
        throw ToolError.usage("the store has no conversation \(argument); it has \(like)")
    }
    throw ToolError.usage("the store has no conversation \(argument)")
}

/// The conversations that an argument can name, the likeliest first.
func conversationKeys(_ argument: String) -> [ConversationKey] {
    let kinds: [ConversationKind] = [.group, .single, .system, .chatRoom, .unspecified]
    return kinds.map { ConversationKey($0, argument) } + [ConversationKey(argument)].compactMap { $0 }
}
