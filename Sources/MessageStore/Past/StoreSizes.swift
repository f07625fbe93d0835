internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog
internal import MessageStoreProjections

/// The bytes of a store by conversation, month and content type; see `MessageStore.sizes()`.
///
/// ```swift
/// let sizes = try await store.sizes()
/// for (conversation, amount) in sizes.amounts(by: \.conversation).prefix(10) { show(conversation, amount.bytes) }
/// ```
public struct StoreSizes: Sendable, Hashable {
    /// A month of the Gregorian calendar, in UTC.
    public struct Month: Sendable, Hashable, Comparable, CustomStringConvertible {
        /// The year.
        public let year: Int
        /// The month of the year, 1 to 12.
        public let month: Int
        /// As `2026-11`.
        public var description: String { "\(year)-\(month < 10 ? "0" : "")\(month)" }

        /// Creates a month.
        public init(year: Int, month: Int) { (self.year, self.month) = (year, month) }

        /// Creates the month of a time.
        public init(_ time: Timestamp) {
            let (year, month) = time.month
            self.init(year: Int(year), month: Int(month))
        }

        /// The order in time.
        public static func < (left: Month, right: Month) -> Bool {
            (left.year, left.month) < (right.year, right.month)
        }
    }

    /// The property that records have in common.
    public struct Part: Sendable, Hashable {
        /// The conversation; nil for events of the account.
        public let conversation: ConversationKey?
        /// The month of the server's time, or of the recording where there is none.
        public let month: Month
        /// The content type of messages, edits, snapshots and a filter's replacements; nil for other events.
        public let type: ContentType?
    }

    /// A sum of bytes.
    public struct Amount: Sendable, Hashable {
        /// Records of the log.
        public internal(set) var records = 0
        /// The bytes of these records.
        public internal(set) var recordBytes = 0
        /// Files of messages that this device keeps, as reported (`AttachmentStateChanged`).
        public internal(set) var files = 0
        /// The bytes of these files.
        public internal(set) var fileBytes = 0

        /// The bytes of records and files.
        public var bytes: Int { recordBytes + fileBytes }

        /// Creates an amount of nothing.
        public init() {}

        init(records: Int = 0, recordBytes: Int = 0, files: Int = 0, fileBytes: Int = 0) {
            (self.records, self.recordBytes, self.files, self.fileBytes) = (records, recordBytes, files, fileBytes)
        }

        /// Adds an amount.
        public static func += (sum: inout Amount, amount: Amount) {
            sum.records += amount.records
            sum.recordBytes += amount.recordBytes
            sum.files += amount.files
            sum.fileBytes += amount.fileBytes
        }
    }

    /// Bytes of the store's files that belong to no single record.
    public struct Overhead: Sendable, Hashable {
        /// As `log/symbolNames`, `views/timeline`, `log/records: keys and free space`, `views: free pages`, `journal`,
        /// `locks and marks`.
        public let name: String
        /// The bytes.
        public let bytes: Int
    }

    /// The last event that is counted.
    public let position: Position
    /// The amount of each part.
    public let parts: [Part: Amount]
    /// The other bytes of the files of the store; files of messages are not the store's.
    public let overheads: [Overhead]

    /// The amounts of parts with an equal property, the largest first.
    ///
    /// - Parameter property: The property, as `\.conversation`.
    public func amounts<Value: Hashable>(by property: (Part) -> Value) -> [(value: Value, amount: Amount)] {
        var sums: [Value: Amount] = [:]
        for (part, amount) in parts { sums[property(part), default: Amount()] += amount }
        return sums.map { ($0.key, $0.value) }.sorted { $0.amount.bytes > $1.amount.bytes }
    }

    /// The bytes of the store's own files: of the records and the overheads.
    public var storeBytes: Int {
        parts.values.reduce(0) { $0 + $1.recordBytes } + overheads.reduce(0) { $0 + $1.bytes }
    }
}

extension MessageStore {
    /// The bytes of records and files by conversation, month and content type, and of the store's tables.
    ///
    /// Costs a scan of the log, and a few point reads for each file of a message that this device keeps; the result
    /// stays in memory until the log changes. Recording continues meanwhile.
    ///
    /// - Throws: `StoreError`: `recordDamaged` where a record cannot be read, and others.
    public func sizes() throws -> StoreSizes {
        let rewrites = signal.rewrites
        let statistics = try statistics()
        let (position, parts) = try read { views in
            let position = views.position
            if let known = knownSizes.withLock({ $0 }), known.sizes.position == position, known.rewrites == rewrites {
                return (position, known.sizes.parts)
            }
            return (position, try views.sizes())
        }
        let sizes = StoreSizes(position: position, parts: parts, overheads: try overheads(statistics, parts))
        knownSizes.withLock { $0 = (rewrites, sizes) }
        return sizes
    }

    /// The bytes of records and files; the `async` form of `sizes()`.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    public func sizes() async throws -> StoreSizes {
        try await run(on: readQueue) { try self.sizes() }
    }

    private func overheads(
        _ statistics: StoreStatistics, _ parts: [StoreSizes.Part: StoreSizes.Amount]
    ) throws -> [StoreSizes.Overhead] {
        let records = parts.values.reduce(0) { $0 + $1.recordBytes }
        var overheads = statistics.tables.map { table in
            let name = "\(table.environment)/\(table.name)"
            return name == "log/records"
                ? StoreSizes.Overhead(name: name + ": keys and free space", bytes: max(table.bytes - records, 0))
                : StoreSizes.Overhead(name: name, bytes: table.bytes)
        }
        for environment in statistics.environments {
            overheads.append(.init(name: environment.name + ": free pages", bytes: environment.freeBytes))
            let tables = statistics.tables.filter { $0.environment == environment.name }.reduce(0) { $0 + $1.bytes }
            let rest = environment.usedBytes - environment.freeBytes - tables
            overheads.append(.init(name: environment.name + ": list of tables", bytes: max(rest, 0)))
        }
        // Records that wait there are counted as records.
        let committed = statistics.tables.first { $0.environment == "log" && $0.name == "records" }?.bytes ?? 0
        overheads.append(
            .init(
                name: "journal",
                bytes: statistics.journalBytes - min(max(records - committed, 0), statistics.journalBytes)))
        let locks = try StoreError.translating { try FileSystem.byteCount(below: path) { !Self.isCounted($0) } }
        overheads.append(.init(name: "locks and marks", bytes: locks))
        return overheads.filter { $0.bytes > 0 }
    }

    /// Whether statistics count a file by its name.
    private static func isCounted(_ name: String) -> Bool { name == "data.mdb" || name.hasPrefix("journal-") }
}

extension Views {
    /// The bytes of records and files by part.
    fileprivate borrowing func sizes() throws -> [StoreSizes.Part: StoreSizes.Amount] {
        struct Key: Hashable {
            let conversation: UInt32
            let type: UInt32
            let month: StoreSizes.Month
        }
        var sums: [Key: StoreSizes.Amount] = [:]
        // Most records are of the month before.
        var (day, month) = (Int64.min, StoreSizes.Month(.unknown))
        try snapshot.log.scan(from: Position(1), to: position) { record in
            let time = record.serverTime ?? record.recordedTime
            if time.day != day { (day, month) = (time.day, StoreSizes.Month(time)) }
            let key = Key(conversation: record.conversation, type: record.contentType, month: month)
            sums[key, default: .init()] += .init(records: 1, recordBytes: record.bytes.byteCount)
            return .proceed
        }
        var parts: [StoreSizes.Part: StoreSizes.Amount] = [:]
        for (key, amount) in sums {
            let part = StoreSizes.Part(
                conversation: key.conversation == 0 ? nil : try snapshot.symbols.conversation(key.conversation),
                month: key.month, type: key.type == 0 ? nil : try snapshot.symbols.contentType(key.type))
            parts[part, default: .init()] += amount
        }
        var last: PageCursor?
        repeat {
            let page = try localFiles(after: last, limit: Self.pageLimits.upperBound)
            for file in page.elements {
                let message = try message(file.message, in: file.conversation)
                let part = StoreSizes.Part(
                    conversation: file.conversation, month: StoreSizes.Month(message?.time ?? file.time),
                    type: message?.content.type)
                parts[part, default: .init()] += .init(files: 1, fileBytes: Int(clamping: file.byteCount))
            }
            last = page.next
        } while last != nil
        return parts
    }
}
