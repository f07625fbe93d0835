import Foundation
import Logging

/// Keeps what a store logs.
final class LoggedLines: @unchecked Sendable {  // Protected by `lock`.
    private let lock = NSLock()
    private var entries: [(message: String, metadata: [String: String])] = []

    var all: [(message: String, metadata: [String: String])] { lock.withLock { entries } }

    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: LoggedLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.warning

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).mapValues(\.description)
            lines.lock.withLock { lines.entries.append((event.message.description, metadata)) }
        }
    }
}
