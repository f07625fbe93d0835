internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog
internal import MessageStoreSealing

/// The environment of a lagging projection: its rows, and how far they are.
struct LaggingFiles: Sendable {
    /// The format, version and store that the rows were made for; rows of another origin are made again.
    struct Origin: Sendable, Equatable {
        static let format: UInt32 = 1
        let version: UInt32
        let storeID: [UInt8]

        var bytes: [UInt8] {
            [Self.format, version].flatMap { number in withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) } }
                + storeID
        }
    }

    let environment: Environment
    let rows: Table
    private let about: Table
    private let partBytes: Int

    private static let names = ["about", "rows"]

    /// Opens the files that are there.
    ///
    /// - Throws: An error if there is nothing that can be read, or if it is of another origin.
    init(
        path: String, _ origin: Origin, access: Environment.Configuration.Access,
        pageCheck: Environment.Configuration.PageCheck, mapSize: Int = 64 << 20, partBytes: Int,
        key: SecretKey?
    ) throws {
        let isNew = access == .create
        if isNew { try FileSystem.createDirectory(path) }
        var configuration = Environment.Configuration(
            access: access, durability: .relaxed, mapSize: mapSize, isCache: true, key: key)
        configuration.pageCheck = pageCheck
        self.partBytes = partBytes
        environment = try Environment(path: path, configuration: configuration)
        let tables = try Self.openTables(in: environment, create: isNew, partBytes)
        (about, rows) = (tables[0], tables[1])
        if isNew {
            try environment.write { transaction in
                try put(origin.bytes, .origin, in: transaction)
                if key != nil { try put([UInt8(clamping: partBytes)], .partBytes, in: transaction) }
            }
        }
        guard try environment.read({ try value(.origin, in: $0) }) == origin.bytes else { throw LaggingRow.damaged }
    }

    private static func openTables(
        _ names: [String] = names, in environment: Environment, create: Bool, _ partBytes: Int
    ) throws -> [Table] {
        do {
            return try environment.openTables(names, create: create, sealed: ["rows": SealedForm { _ in partBytes }])
        } catch let error as LMDBError
            where error.code == .notFound
        {
            // The power was lost right after the files were made.
            throw LaggingRow.damaged
        }
    }

    /// Facts about the rows as a whole, by the first byte of their keys.
    private enum Fact: UInt8 {
        case origin
        /// The last position, and its recorded time.
        case position
        /// Positions whose contents the log is about to lose, or has lost.
        case erasing
        /// A note that bytes which had to go may be in pages of the file.
        case owed
        /// How many bytes of the keys of sealed rows stay clear.
        case partBytes
    }

    private func value(_ fact: Fact, in transaction: borrowing some Transaction & ~Copyable) throws -> [UInt8]? {
        let key = [fact.rawValue]
        return try transaction.payload(at: key, in: about)
    }

    private func put(_ value: [UInt8], _ fact: Fact, in transaction: borrowing WriteTransaction) throws {
        let key = [fact.rawValue]
        try transaction.put(LaggingRow.sealed(value, at: key).span.bytes, for: key.span.bytes, in: about)
    }

    private func numbers(_ fact: Fact, in transaction: borrowing some Transaction & ~Copyable) throws -> [UInt64] {
        let bytes = try value(fact, in: transaction) ?? []
        guard bytes.count % 8 == 0 else { throw LaggingRow.damaged }
        return bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / 8).map {
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
            }
        }
    }

    private func put(_ numbers: [UInt64], _ fact: Fact, in transaction: borrowing WriteTransaction) throws {
        try put(
            numbers.flatMap { number in withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) } }, fact,
            in: transaction)
    }

    /// The last event that the rows know of, and when it was recorded; nil if they know none.
    func position(
        in transaction: borrowing some Transaction & ~Copyable
    ) throws -> (position: Position, recordedTime: Timestamp)? {
        let numbers = try numbers(.position, in: transaction)
        guard numbers.count == 2 else { return nil }
        return (Position(numbers[0]), Timestamp(milliseconds: Int64(bitPattern: numbers[1])))
    }

    /// Notes the last event that the rows know of.
    func reach(_ position: Position, recorded time: Timestamp, in transaction: borrowing WriteTransaction) throws {
        try put([position.rawValue, UInt64(bitPattern: time.milliseconds)], .position, in: transaction)
    }

    /// The events whose contents the log is about to lose, or has lost.
    func erasing(in transaction: borrowing some Transaction & ~Copyable) throws -> [Position] {
        try numbers(.erasing, in: transaction).map { Position($0) }
    }

    /// Notes events whose contents the log is about to lose, as far as the rows know them; even if the power fails
    /// after the log has lost them.
    func noteErasing(_ positions: [Position]) throws {
        let isNoted = try environment.write { transaction in
            let reached = try position(in: transaction)?.position ?? .origin
            let known = positions.filter { $0 <= reached }
            guard !known.isEmpty else { return false }
            let all = try Set(erasing(in: transaction) + known).ordered()
            try put(all.map(\.rawValue), .erasing, in: transaction)
            return true
        }
        if isNoted { try environment.synchronize() }
    }

    /// Notes that the rows have nothing of such events any more, and pages may.
    func noteErased(in transaction: borrowing WriteTransaction) throws {
        try put([UInt64](), .erasing, in: transaction)
        try put([UInt64](), .owed, in: transaction)
    }

    /// Whether pages of the file may have bytes that had to go.
    func isOwing() throws -> Bool {
        try environment.read { try value(.owed, in: $0) != nil || !erasing(in: $0).isEmpty }
    }

    /// Entries and pages of the tables.
    func tableStatistics() throws -> [(name: String, statistics: TableStatistics)] {
        try environment.read { transaction in
            try [about, rows].map { ($0.name, try transaction.statistics(of: $0)) }
        }
    }

    /// Reads every row.
    ///
    /// - Throws: `StoreError` with code `viewsDamaged` if a checksum is another, `LMDBError` and others.
    static func checkRows(at path: String, key: SecretKey?) throws {
        let environment = try Environment(path: path, configuration: .init(access: .readOnly, isCache: true, key: key))
        let about = try openTables([names[0]], in: environment, create: false, 0)[0]
        let parts = try environment.read { try $0.payload(at: [Fact.partBytes.rawValue], in: about)?.first }
        let tables = try openTables(in: environment, create: false, Int(parts ?? 0))
        try environment.read { transaction in
            for table in tables { try transaction.forEachPayload(in: table, from: []) { _, _ in true } }
        }
    }

    /// Writes the entries to a new environment, one by one, so that no page keeps removed ones.
    ///
    /// - Parameter isClean: Whether no row has anything that had to go.
    func copy(to path: String, isClean: Bool, _ check: () throws -> Void) throws {
        try FileSystem.createDirectory(path)
        let copy = try Environment(
            path: path,
            configuration: .init(
                access: .create, durability: .relaxed, mapSize: environment.statistics().mapSize, isCache: true,
                key: environment.configuration.key))
        for (table, target) in zip([about, rows], try Self.openTables(in: copy, create: true, partBytes)) {
            var entries = TableCopy()
            while try entries.step(
                of: table, in: environment, to: target, in: copy,
                leavingOut: { isClean && table == about && $0.isEqual(to: [Fact.owed.rawValue].span.bytes) })
            {
                try check()
            }
        }
    }
}
