import MessageStoreSealing
import MessageStoreTestKit
import MessageStoreWorkload
import Testing

@testable import MessageStoreLMDB

@Suite("Hidden keys", .enabled(if: AuthenticatedCipher.isBuilt), .timeLimit(.minutes(5)))
struct HiddenKeyTests {
    /// Two tables of an environment with the same rows: one with hidden keys, one in clear.
    private final class Fixture {
        private let directory = TemporaryDirectory()
        let environment: Environment
        let hidden: Table
        let clear: Table

        /// - Parameter clearBytes: How many bytes of keys stay clear.
        init(clearBytes: Int) throws {
            let path = directory.path + "/environment"
            try FileSystem.createDirectory(path)
            var configuration = Environment.Configuration(access: .create, durability: .none, mapSize: 1 << 26)
            configuration.key = try SecretKey([UInt8](repeating: 7, count: 32))
            environment = try Environment(path: path, configuration: configuration)
            let tables = try environment.openTables(
                ["hidden", "clear"], create: true, sealed: ["hidden": SealedForm { _ in clearBytes }])
            (hidden, clear) = (tables[0], tables[1])
        }

        func bytes() throws -> [UInt8] {
            try FileSystem.read(environment.path + "/data.mdb", limit: 1 << 26)
        }
    }

    private struct Row: Equatable {
        let key: [UInt8]
        let value: [UInt8]
    }

    private static func row(_ cursor: borrowing Cursor, _ isFound: Bool) throws -> Row? {
        isFound
            ? Row(
                key: cursor.key.withUnsafeBytes { [UInt8]($0) }, value: try cursor.value.withUnsafeBytes { [UInt8]($0) }
            ) : nil
    }

    /// Keys of few letters and lengths, so that beginnings are shared and met again.
    private static func key(_ random: inout some RandomNumberGenerator) -> [UInt8] {
        (0..<Int.random(in: 1...5, using: &random)).map { _ in UInt8.random(in: 1...3, using: &random) }
    }

    private static func step(_ random: inout some RandomNumberGenerator) -> UnboundCursor.Step {
        [.next, .previous, .next, .previous, .first, .last][Int.random(in: 0..<6, using: &random)]
    }

    /// Moves both cursors by the same random steps; answers the first after which they are at different rows.
    private static func walk(
        _ fixture: Fixture, _ transaction: borrowing some Transaction & ~Copyable, _ random: inout SplitMix64
    ) throws -> String? {
        var hidden = try transaction.cursor(in: fixture.hidden)
        var clear = try transaction.cursor(in: fixture.clear)
        for number in 0..<60 {
            let key = key(&random)
            let (name, found, expected): (String, Bool, Bool)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                (name, found, expected) = (
                    "seek \(key)", try hidden.seek(key.span.bytes), try clear.seek(key.span.bytes)
                )
            case 1:
                (name, found, expected) = (
                    "seek at or below \(key)", try hidden.seek(atOrBelow: key.span.bytes),
                    try clear.seek(atOrBelow: key.span.bytes)
                )
            default:
                let step = step(&random)
                (name, found, expected) = ("\(step)", try hidden.move(step), try clear.move(step))
            }
            let (row, other) = (try row(hidden, found), try row(clear, expected))
            guard row == other else {
                return "step \(number), \(name): \(String(describing: row)), \(String(describing: other))"
            }
            // LMDB's own cursor is elsewhere after a seek that found nothing.
            guard found else { return nil }
        }
        return nil
    }

    @Test("a table with hidden keys answers as a clear one, whatever is put, removed and walked", arguments: [0, 1, 2])
    func model(clearBytes: Int) throws {
        let fixture = try Fixture(clearBytes: clearBytes)
        var random = SplitMix64(seed: 11 &+ UInt64(clearBytes))
        for round in 0..<60 {
            try fixture.environment.write { transaction in
                for _ in 0..<Int.random(in: 1...20, using: &random) {
                    let (key, value) = (Self.key(&random), [UInt8](repeating: UInt8(round & 0xFF), count: round % 40))
                    for table in [fixture.hidden, fixture.clear] {
                        if Bool.random(using: &random) || round < 3 {
                            try transaction.put(value.span.bytes, for: key.span.bytes, in: table)
                        }
                    }
                    // The same in both.
                    let clear = try transaction.value(for: key.span.bytes, in: fixture.clear)?.withUnsafeBytes {
                        [UInt8]($0)
                    }
                    if let clear {
                        try transaction.put(clear.span.bytes, for: key.span.bytes, in: fixture.hidden)
                    } else {
                        try transaction.remove(key.span.bytes, in: fixture.hidden)
                    }
                }
            }
            try fixture.environment.read { transaction in
                for _ in 0..<6 {
                    let difference = try Self.walk(fixture, transaction, &random)
                    #expect(difference == nil)
                    let key = Self.key(&random)
                    let values = try [fixture.hidden, fixture.clear].map { table in
                        try transaction.value(for: key.span.bytes, in: table)?.withUnsafeBytes { [UInt8]($0) }
                    }
                    #expect(values[0] == values[1])
                }
                let counts = try [fixture.hidden, fixture.clear].map { try transaction.statistics(of: $0).entries }
                #expect(counts[0] == counts[1])
            }
        }
    }

    @Test("no key of such a table is in the file but its clear beginning, and a row in another one's place is refused")
    func file() throws {
        let fixture = try Fixture(clearBytes: 4)
        let marker = Array("MARKER-".utf8)
        for number in UInt8(0)..<100 {
            try fixture.environment.write { transaction in
                let key = Array("room".utf8) + marker + [number]
                try transaction.put(marker.span.bytes, for: key.span.bytes, in: fixture.hidden)
            }
        }
        let bytes = try fixture.bytes()
        #expect(bytes.firstRange(of: marker) == nil)
        #expect(bytes.firstRange(of: Array("room".utf8)) != nil)
        // Without a form the table has stored keys and values.
        let stored = try fixture.environment.openTables(["hidden"], create: false)[0]
        let rows = try fixture.environment.read { transaction in
            var rows: [Row] = []
            var cursor = try transaction.cursor(in: stored)
            while try cursor.move(.next) {
                if let row = try Self.row(cursor, true) { rows.append(row) }
            }
            return rows
        }
        #expect(rows.count == 100 && rows.allSatisfy { $0.key.count == 20 })
        let (value, key) = (rows[0].value, rows[1].key)
        try fixture.environment.write { try $0.put(value.span.bytes, for: key.span.bytes, in: stored) }
        var found: [LMDBError.Code?] = []
        for number in UInt8(0)..<100 {
            let key = Array("room".utf8) + marker + [number]
            do {
                let value = try fixture.environment.read {
                    try $0.value(for: key.span.bytes, in: fixture.hidden)?.withUnsafeBytes { [UInt8]($0) }
                }
                #expect(value == marker)
            } catch { found.append((error as? LMDBError)?.code) }
        }
        #expect(found == [.brokenSeal])
    }

    @Test("a copy in steps has every row", arguments: [0, 3])
    func copy(clearBytes: Int) throws {
        let (fixture, other) = (try Fixture(clearBytes: clearBytes), try Fixture(clearBytes: clearBytes))
        let count = 40_000
        try fixture.environment.write { transaction in
            for number in 0..<count {
                let key = Array("\(number % 7)-key-\(number + 100_000)".utf8)
                try transaction.put(key.span.bytes, for: key.span.bytes, in: fixture.hidden)
            }
        }
        var entries = TableCopy()
        var steps = 1
        while try entries.step(
            of: fixture.hidden, in: fixture.environment, to: other.hidden, in: other.environment)
        {
            steps += 1
        }
        #expect(steps > 2)
        let rows = try [fixture, other].map { fixture in
            try fixture.environment.read { transaction in
                var rows: [[UInt8]] = []
                var cursor = try transaction.cursor(in: fixture.hidden)
                while try cursor.move(.next) { rows.append(try cursor.value.withUnsafeBytes { [UInt8]($0) }) }
                return rows
            }
        }
        let isCopied = rows[0] == rows[1]
        #expect(isCopied && rows[0].count == count)
    }
}
