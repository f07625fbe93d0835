import Foundation
import Logging
import MessageStore
import MessageStoreTestKit
import Testing

@Suite("Reads that stay open")
struct ReaderWatchTests {
    /// Keeps what is logged.
    private struct Memory: LogHandler {
        final class Lines: @unchecked Sendable {  // Protected by `lock`.
            private let lock = NSLock()
            private var entries: [Logger.Metadata] = []

            func add(_ metadata: Logger.Metadata) { lock.withLock { entries.append(metadata) } }
            var all: [Logger.Metadata] { lock.withLock { entries } }
        }

        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.warning

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.add(event.metadata ?? [:]) }
    }

    @Test(
        "a read that stays open while much is recorded is warned of, with the growth; others are not",
        arguments: [true, false])
    func warns(staysOpen: Bool) throws {
        let lines = Memory.Lines()
        try withTemporaryStore { configuration in
            configuration.logger = Logger(label: "test") { _ in Memory(lines: lines) }
        } _: { store in
            let (open, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let reader = Thread {
                try? store.read { _ in
                    open.signal()
                    if staysOpen { done.wait() }
                }
                done.signal()
            }
            reader.start()
            open.wait()
            for index in 0..<2 * 1024 { try store.record(received("m\(index)", at: Int64(index))) }
            if staysOpen { done.signal() }
            done.wait()
        }
        let warnings = lines.all.filter { $0["bytesGrown"] != nil }
        #expect(warnings.isEmpty != staysOpen)
        if staysOpen {
            let grown = warnings.last.flatMap { $0["bytesGrown"]?.description }.flatMap { Int($0) } ?? 0
            #expect(grown > 1024 * 4096)
        }
    }
}
