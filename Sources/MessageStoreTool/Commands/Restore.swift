internal import ArgumentParser
internal import Foundation
internal import MessageStoreShipping

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a new store from a backup, without what was erased since.",
        discussion: """
            The backup stays as it is. The new store has its events, and an id of its own. With --ledger, the events \
            that `erasures` listed for the live store have no content in the new one. Files that `backup --after` wrote \
            continue the backup, each with a --segment, in their order. Events that were recorded later are missing, \
            deletions among them. Views are made when the store is first opened for writing, which \
            this command does only to finish an erasure; it exits with 3 where that fails.

            Where the backup is a URL, or with --shipped, it is a place that `ship` wrote to: its newest base and all \
            segments are fetched, and the top of the conversation list is shown before that. A new place is \
            continued with `ship --take-over`.
            """)

    @Argument(help: "The backup: a directory that `backup` wrote, or a place that `ship` wrote to.")
    var backup: String

    @Argument(help: "The directory of the new store; nothing may exist there.")
    var store: String

    @Option(help: "A file that `backup --after` wrote; repeat it for the next ones.")
    var segment: [String] = []

    @Option(help: "A file that `erasures` wrote.")
    var ledger: String?

    @Option(help: "Seal the new store under the key in this file, instead of the key of --key-file.")
    var newKeyFile: String?

    @Flag(help: "Print JSON: one document.")
    var json = false

    @Flag(help: "The backup is a directory that `ship` wrote to.")
    var shipped = false

    func validate() throws {
        guard isShipped else { return }
        guard ledger == nil, segment.isEmpty else {
            throw ValidationError("a shipped log has its own segments and ledger")
        }
        guard newKeyFile == nil else {
            throw ValidationError("a shipped log is restored under its key; `compact --new-key-file` changes it")
        }
    }

    private var isShipped: Bool { shipped || PlaceArgument.isURL(backup) }

    func run() throws {
        let key = try newKeyFile.map { try KeyFile.source(from: $0) } ?? MessageStoreCommand.key
        let last = try isShipped ? restoreShipped() : restoreBackup(key)
        try finishErasures(key)
        if json {
            try JSON.print(["events": last.rawValue] as JSONObject)
        } else {
            print("\(NumberFormat.count(last.rawValue, "event", "events")) in \(store)".terminalSafe)
        }
    }

    /// Erases the content that copied events order to erase, since commands that read refuse the new store until then.
    private func finishErasures(_ key: KeySource?) throws {
        guard try MessageStore.owesErasures(at: store, key: key) else { return }
        let account = try MessageStore.account(ofStoreAt: store, key: key)
        var configuration = MessageStoreCommand.configuration
        configuration.privacy.key = key
        let opened = try withProgress("erasing") { [configuration] in
            try MessageStore.open(store, account: account, configuration: configuration, progress: $0)
        }
        try Unfinished.close(opened)
    }

    private func restoreShipped() throws -> Position {
        let carrier = try PlaceArgument.carrier(backup)
        // A damaged page keeps nobody from the log.
        try? FirstPageOutput.print(carrier, json)
        let (path, key) = (store, MessageStoreCommand.key)
        return try waitForTask { try await LogRestorer(from: carrier, key: key).restore(to: path) }
    }

    private func restoreBackup(_ key: KeySource?) throws -> Position {
        let ledger = try ledger.map(readLedger)
        return try withProgress("copying") {
            try MessageStore.restoreBackup(
                from: backup, segments: segment, to: store, applying: ledger, key: MessageStoreCommand.key, newKey: key,
                progress: $0)
        }
    }

    private func readLedger(_ file: String) throws -> ErasureLedger {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw ToolError.usage("\(file) cannot be read")
        }
        do { return try ErasureLedger(json: String(decoding: data, as: UTF8.self)) } catch let error as StoreError {
            throw ToolError.check("\(file): \(error.words)")
        }
    }
}

struct Erasures: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the events that lost their content or values, for restoring an older backup without them.",
        discussion: """
            Prints one JSON document with the ids of the stores that recorded the log, positions, and numbers of users and \
            conversations; it has no erased word. Keep it apart from the store, and give it to `restore --ledger`.
            """)

    @Argument(help: "The store's directory.")
    var store: String

    func run() throws {
        let store = try StoreArguments.openReadOnly(store)
        print(try store.erasureLedger().json)
        try store.close()
    }
}
