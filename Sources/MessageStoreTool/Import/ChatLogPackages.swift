internal import Dispatch
internal import MessageStore

/// Reads a chat log on a thread of its own and hands its events over in packages.
struct ChatLogPackages {
    enum Item: Sendable {
        /// Events of consecutive lines, and how many of the lines were records.
        case package([Event], records: Int)
        /// A malformed line that was passed over.
        case badLine(ChatLogError)
        /// The end of the file, or the error that ended it.
        case end(ChatLogError?)
    }

    private let queue = BoundedQueue<Item>(limit: 32)

    /// Starts reading; from here on the reader belongs to the reading thread.
    init(reader: sending ChatLogReader, path: String, packageSize: Int, skipsBadLines: Bool) {
        let queue = queue
        nonisolated(unsafe) let reader = reader
        DispatchQueue.global(qos: .userInitiated).async {
            var producer = Producer(
                queue: queue, reader: reader, path: path, packageSize: packageSize, skipsBadLines: skipsBadLines)
            producer.run()
        }
    }

    func next() -> Item { queue.pop() }

    /// Ends the reading early.
    func cancel() { queue.cancel() }

    private struct Producer {
        let queue: BoundedQueue<Item>
        let reader: ChatLogReader
        let path: String
        let packageSize: Int
        let skipsBadLines: Bool
        var events: [Event] = []
        var records = 0

        mutating func run() {
            var failure: ChatLogError?
            do throws(ChatLogError) {
                while try readLine() {}
            } catch {
                failure = error
            }
            _ = handOver()
            _ = queue.push(.end(failure))
        }

        /// Reads a line; returns false at the end, or if the consumer has stopped.
        private mutating func readLine() throws(ChatLogError) -> Bool {
            do throws(ChatLogError) {
                guard let (line, content) = try reader.next() else { return false }
                let events = ChatLogEvents.events(of: content, line: line)
                do {
                    for event in events { try event.validate() }
                } catch {
                    let detail = (error as? StoreError)?.message ?? "\(error)"
                    throw ChatLogError(code: .invalidEvent, file: path, line: line, detail: detail)
                }
                if case .record = content { records += 1 }
                self.events.append(contentsOf: events)
                return self.events.count < packageSize || handOver()
            } catch {
                guard error.isLineError, skipsBadLines else { throw error }
                return handOver() && queue.push(.badLine(error))
            }
        }

        private mutating func handOver() -> Bool {
            guard !events.isEmpty else { return true }
            defer { (events, records) = ([], 0) }
            return queue.push(.package(events, records: records))
        }
    }
}
