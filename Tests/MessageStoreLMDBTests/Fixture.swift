import MessageStoreLMDB

/// An environment with one table, in a directory of its own.
final class Fixture: Sendable {
    let path: String
    let environment: Environment
    let table: Table

    private init(path: String, environment: Environment, table: Table) {
        (self.path, self.environment, self.table) = (path, environment, table)
    }

    /// Makes the environment in the existing directory `path`.
    static func create(_ path: String, mapSize: Int = 1 << 24) throws -> Fixture {
        try make(path, .init(access: .create, mapSize: mapSize))
    }

    /// Opens the environment in `path`.
    static func open(_ path: String, _ access: Environment.Configuration.Access = .readWrite) throws -> Fixture {
        try make(path, .init(access: access, mapSize: 1 << 24))
    }

    private static func make(_ path: String, _ configuration: Environment.Configuration) throws -> Fixture {
        let environment = try Environment(path: path, configuration: configuration)
        let tables = try environment.openTables(["rows"], create: configuration.access == .create)
        return Fixture(path: path, environment: environment, table: try requireFirst(tables))
    }

    func put(_ key: [UInt8], _ value: [UInt8], mode: WriteTransaction.PutMode = .upsert) throws {
        try environment.write { transaction in
            try transaction.put(value.span.bytes, for: key.span.bytes, in: table, mode: mode)
        }
    }

    func value(_ key: [UInt8]) throws -> [UInt8]? {
        try environment.read { transaction in
            try transaction.bytes(of: key, in: table)
        }
    }

    /// All rows, in key order.
    func rows() throws -> [Row] {
        try environment.read { transaction in
            var rows: [Row] = []
            var cursor = try transaction.cursor(in: table)
            while try cursor.move(.next) { rows.append(Row(bytes(cursor.key), bytes(cursor.storedValue))) }
            return rows
        }
    }
}

extension Transaction where Self: ~Copyable {
    /// A copy of the value of `key`.
    borrowing func bytes(of key: [UInt8], in table: Table) throws -> [UInt8]? {
        try value(for: key.span.bytes, in: table)?.withUnsafeBytes { [UInt8]($0) }
    }
}

struct Row: Equatable {
    let key: [UInt8]
    let value: [UInt8]

    init(_ key: [UInt8], _ value: [UInt8]) {
        (self.key, self.value) = (key, value)
    }
}

struct NoTable: Error {}

private func requireFirst(_ tables: [Table]) throws -> Table {
    guard let first = tables.first else { throw NoTable() }
    return first
}

func bytes(_ span: RawSpan) -> [UInt8] {
    span.withUnsafeBytes { [UInt8]($0) }
}

/// A number as a key that sorts like it.
func key(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt64(number).bigEndian) { [UInt8]($0) }
}
