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
