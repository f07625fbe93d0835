internal import ArgumentParser
internal import Foundation
internal import MessageStoreLMDB

struct Debug: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve a page for the browser that shows the store at any moment of its past.",
        discussion: """
            Serves the page to this machine only, under an address that cannot be guessed, and prints the address; \
            ctrl-C ends it. Nothing is changed.

            --html writes the page into a file instead, for a bug report, with the newest 5,000 events or those that --from \
            and --to choose, at most 5,000. All message text is in it, unless --no-text or --anonymise removes it, as they \
            do for `export`.
            """)

    @Argument(help: "The store's directory.")
    var store: String

    @Option(help: "The port; any free one by default.")
    var port: UInt16 = 0

    @Option(help: "Write the page into this file instead of serving it.")
    var html: String?

    @OptionGroup var range: RangeArguments

    @OptionGroup var whatIf: WhatIfArguments

    @Flag(help: "Remove message text; names and ids stay.")
    var noText = false

    @Flag(help: "Remove message text, and replace ids, names and all other strings.")
    var anonymise = false

    func validate() throws {
        guard html != nil || (range.from == nil && range.to == nil && !noText && !anonymise) else {
            throw ValidationError("--from, --to, --no-text and --anonymise need --html")
        }
        guard html == nil || port == 0 else { throw ValidationError("give --port or --html, not both") }
    }

    func run() throws {
        // Closing the store removes the temporary files of its sessions.
        try whatIf.withStore(StoreArguments.openReadOnly(self.store)) { store in
            if let html { try write(store, html) } else { try serve(store) }
        }
    }

    private func write(_ store: MessageStore, _ path: String) throws {
        guard try FileSystem.status(of: path) == nil else {
            throw ToolError.usage("\(path) exists already; remove it, or choose another name")
        }
        var (first, last) = try range.positions(in: store)
        if range.from == nil { first = DebugReport.newest(upTo: last) }
        let replayStart = try store.replayStart()
        guard replayStart < last || last == .origin else {
            throw ToolError.usage(
                "records up to event \(replayStart), the last one, were cut off: no event can be replayed")
        }
        if replayStart > .origin, first <= replayStart {
            first = Position(replayStart.rawValue + 1)
            writeToStandardError(
                "messagestore: records before event \(replayStart) were cut off: the page begins after that\n")
        }
        guard first <= last else { throw ToolError.usage("there is no event from \(first) to \(last)") }
        let count = last.rawValue - first.rawValue + 1
        guard count <= DebugReport.maximumEvents else {
            throw ToolError.usage(
                "a page holds at most \(DebugReport.maximumEvents) events, and these are \(count): give --to as well")
        }
        if range.from == nil, first.rawValue > 1 {
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
        let report = try withProgress("replaying") { try DebugReport(of: store, from: first, to: last, progress: $0) }
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
