internal import ArgumentParser
internal import Dispatch
internal import Foundation
internal import MessageStore
internal import MessageStoreLMDB

struct Debug: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve a page for the browser that shows the store at any moment of its past.",
        discussion: """
            Serves the page on this machine alone, under an address that nobody can guess, and prints the address; \
            ctrl-C ends it. Nothing is changed.

            --html writes the page into a file instead, for a report of a defect, with the newest 5,000 events or at most as \
            many that --from and --to choose. \
            Everything that was written is in it, unless --no-text or --anonymise leaves it out, as they do for `export`.
            """)

    @Argument(help: "The store's directory.")
    var store: String

    @Option(help: "The port; any that is free by default.")
    var port: UInt16 = 0

    @Option(help: "Write the page into this file in place of serving it.")
    var html: String?

    @Option(parsing: .unconditional, help: "The first event in the file: \(Moment.help).")
    var from: Moment?

    @Option(parsing: .unconditional, help: "The last event in the file: \(Moment.help).")
    var to: Moment?

    @OptionGroup var whatIf: WhatIfArguments

    @Flag(help: "Leave out what messages say; names and ids stay.")
    var noText = false

    @Flag(help: "Leave out what messages say, and give ids, names and all other strings other names.")
    var anonymise = false

    func validate() throws {
        guard html != nil || (from == nil && to == nil && !noText && !anonymise) else {
            throw ValidationError("--from, --to, --no-text and --anonymise are for --html")
        }
        guard html == nil || port == 0 else { throw ValidationError("give --port or --html, not both") }
    }

    func run() throws {
        let recorded = try StoreArguments.openReadOnly(self.store)
        let copy = try whatIf.copy(of: recorded)
        let store = copy?.store ?? recorded
        // Temporary files are removed with the store's sessions.
        defer {
            try? store.close()
            copy?.remove()
        }
        if let html { try write(store, html) } else { try serve(store) }
    }

    private func write(_ store: MessageStore, _ path: String) throws {
        guard try FileSystem.status(of: path) == nil else {
            throw ToolError.usage("\(path) exists already; remove it, or give another name")
        }
        let last = try to?.position(in: store) ?? store.read { $0.position }
        let newest = Position(max(last.rawValue, DebugReport.maximumEvents) - DebugReport.maximumEvents + 1)
        let first = try from?.firstPosition(in: store) ?? newest
        guard first <= last else { throw ToolError.usage("there is no event from \(first) to \(last)") }
        let count = last.rawValue - first.rawValue + 1
        guard count <= DebugReport.maximumEvents else {
            throw ToolError.usage(
                "a page takes \(DebugReport.maximumEvents) events, and these are \(count): give --to, too")
        }
        if from == nil, first.rawValue > 1 {
            writeToStandardError(
                "messagestore: the page has the newest \(NumberFormat.count(Int(count))) events up to "
                    + "\(NumberFormat.count(Int(last.rawValue))); --from and --to choose others\n")
        }
        guard noText || anonymise else { return try write(store, first, last, path) }
        let copy = try AnonymousCopy(of: store, to: last, keepsNames: !anonymise)
        defer { copy.remove() }
        try write(copy.store, first, last, path)
    }

    private func write(_ store: MessageStore, _ first: Position, _ last: Position, _ path: String) throws {
        let progress = ReplayProgressLine("replaying")
        let report = try DebugReport(of: store, from: first, to: last, progress: progress.update)
        progress.finish()
        let page = Array(try report.page().utf8)
        do {
            try FileSystem.create(path, bytes: page)
        } catch {
            throw ToolError.usage("\(path): the file cannot be written: \(error)")
        }
    }

    private func serve(_ store: MessageStore) throws {
        let server = try DebugServer(store, port: port)
        let end = Locked<Result<Void, any Error>?>(nil)
        let task = Task {
            let result: Result<Void, any Error>
            do {
                try await server.run { address in
                    print(address)
                    writeToStandardError("messagestore: open the address in a browser; ctrl-C ends this\n")
                    try StandardOutput.flush()
                }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await server.close()
            end.signal { $0 = result }
        }
        let signals = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { task.cancel() }
            source.resume()
            return source
        }
        let result = end.waitUntil({ $0 != nil }, then: { $0 })
        signals.forEach { $0.cancel() }
        if !task.isCancelled { try result?.get() }
    }
}
