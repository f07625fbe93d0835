internal import ArgumentParser
internal import MessageStoreSearch

/// The arguments of every reading command.
struct StoreArguments: ParsableArguments {
    @Argument(help: "The store's directory.")
    var store: String

    @Flag(help: "Print JSON: lists as JSON lines, all else as one document.")
    var json = false

    /// Opens the store for reading only; a long recovery shows its progress.
    func openReadOnly() throws -> MessageStore { try Self.openReadOnly(store) }

    static func openReadOnly(
        _ store: String, _ change: (inout MessageStore.Configuration) -> Void = { _ in }
    ) throws -> MessageStore {
        try withProgress("folding the log") {
            var configuration = MessageStoreCommand.configuration
            searchIndex(&configuration)
            change(&configuration)
            return try MessageStore.openReadOnly(store, configuration: configuration, progress: $0)
        }
    }

    /// Registers the search index, unless a host has registered one with texts of its own.
    static func searchIndex(_ configuration: inout MessageStore.Configuration) {
        guard !configuration.laggingProjections.contains(where: { $0 is SearchIndex }) else { return }
        configuration.laggingProjections.append(SearchIndex())
    }

    /// Opens an existing store for writing.
    func openForWriting() throws -> MessageStore { try openForWriting { _ in } }

    /// Opens an existing store for writing, with a change to the configuration.
    func openForWriting(_ change: (inout MessageStore.Configuration) -> Void) throws -> MessageStore {
        let account = try MessageStore.account(ofStoreAt: store)
        var configuration = MessageStoreCommand.configuration
        change(&configuration)
        return try withProgress("folding the log") {
            try MessageStore.open(store, account: account, configuration: configuration, progress: $0)
        }
    }
}

/// The arguments of every command that reads views.
struct ViewArguments: ParsableArguments {
    @OptionGroup var arguments: StoreArguments

    @Option(parsing: .unconditional, help: "Show the past: \(Moment.help).")
    var at: Moment?

    @OptionGroup var whatIf: WhatIfArguments

    /// Runs `body` with the views at the chosen moment, of the log as it is or with other events.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func read<Result>(_ body: (borrowing Views) throws -> Result) throws -> Result {
        let store = try arguments.openReadOnly()
        let replacement = try whatIf.replacement(in: store)
        guard replacement != nil || at != nil else { return try store.read(body) }
        let position = try at?.position(in: store) ?? store.lastPosition()
        let progress = ReplayProgressLine("replaying")
        func finish(_ views: borrowing Views) throws -> Result {
            progress.finish()
            return try body(views)
        }
        guard let replacement else { return try store.replay(to: position, progress: progress.update, finish) }
        return try replacement.session(store).read(at: position, progress: progress.update, finish)
    }
}

/// Runs `body` with a progress line for folds, which report positions; ctrl-C ends them cleanly.
func withProgress<Result>(
    _ label: String, _ body: (_ progress: MessageStore.ReplayProgress) throws -> Result
) rethrows -> Result {
    let progress = ReplayProgressLine(label)
    let result = try body(progress.update)
    progress.finish()
    return result
}

/// A progress line for folds, which report positions; ctrl-C ends them cleanly.
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
