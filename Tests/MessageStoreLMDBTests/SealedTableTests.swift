import Foundation
import MessageStoreSealing
import MessageStoreWorkload
import Testing

@testable import MessageStoreLMDB

/// Values that are sealed in LMDB's files, whatever happens to these.
@Suite("Sealed tables", .enabled(if: AuthenticatedCipher.isBuilt), .serialized)
struct SealedTableTests {
    private let directory = TemporaryDirectory()

    @Test("a sealed table answers as a clear one, by keys and cursors, before and after commits and openings")
    func sameAnswers() throws {
        var random = SplitMix64(seed: 1)
        var sealed = try SealedFixture.create(directory.path, key: testKey(1))
        var rows: [[UInt8]: [UInt8]] = [:]
        for round in 0..<60 {
            try sealed.environment.write { transaction in
                for _ in 0..<20 {
                    let name = key(random.nextIndex(80))
                    if random.chance(0.2) {
                        #expect(try transaction.remove(name.span.bytes, in: sealed.table) == (rows[name] != nil))
                        rows[name] = nil
                    } else {
                        // Also empty ones, ones without sealed bytes, and ones with pages of their own.
                        let value = (0..<random.nextIndex(random.chance(0.1) ? 9000 : 60)).map { UInt8($0 & 255) }
                        try transaction.put(value.span.bytes, for: name.span.bytes, in: sealed.table)
                        rows[name] = value
                    }
                    #expect(try transaction.bytes(of: name, in: sealed.table) == rows[name])
                }
            }
            #expect(try sealed.rows() == rows.keys.sorted(by: isLess).map { Row($0, rows[$0] ?? []) })
            if round % 9 == 0 {
                sealed.close()
                sealed = try SealedFixture.open(directory.path, key: testKey(1))
            }
        }
        for (name, value) in rows { #expect(try sealed.value(name) == value) }
        #expect(try sealed.value(key(99)) == nil)
    }

    @Test("appended values are sealed, and a write cursor reads what it wrote")
    func writeCursor() throws {
        let sealed = try SealedFixture.create(directory.path, key: testKey(1))
        try sealed.environment.write { transaction in
            let cursor = try transaction.writeCursor(in: sealed.table)
            for number in 0..<500 {
                let value = [UInt8](repeating: UInt8(number & 255), count: 30)
                try cursor.put(value.span.bytes, for: key(number).span.bytes, mode: .append)
                var written: [UInt8] = []
                if let found = try cursor.value(for: key(number).span.bytes) { written = bytes(found) }
                #expect(written == value)
            }
            #expect(throws: LMDBError.self) {
                try cursor.put([1].span.bytes, for: key(3).span.bytes, mode: .append)
            }
        }
        #expect(try sealed.rows().map(\.value) == (0..<500).map { [UInt8](repeating: UInt8($0 & 255), count: 30) })
    }

    @Test("no sealed byte is in a file, the clear ones are, and equal values are different bytes")
    func bytesOfFiles() throws {
        let marker = Array("MARKER-".utf8)
        for (place, secret) in [("clear", nil), ("sealed", try testKey(1))] {
            let path = directory.path + "/" + place
            try FileSystem.createDirectory(path)
            let fixture = try SealedFixture.create(path, key: secret, clearBytes: 5)
            for number in 0..<50 {
                try fixture.put(key(number), Array("CLEAR".utf8) + marker + [UInt8](repeating: 7, count: 300))
                // What is replaced and removed leaves pages.
                try fixture.put(key(number), Array("CLEAR".utf8) + marker + [UInt8](repeating: 8, count: 200))
            }
            let stored = try fixture.storedRows().map(\.value)
            #expect(Set(stored.map { Array($0.dropFirst(5)) }).count == (secret == nil ? 1 : 50))
            fixture.close()
            var found = (clear: 0, marker: 0)
            for name in try FileSystem.names(in: path) {
                let data = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
                if data.range(of: Data("CLEAR".utf8)) != nil { found.clear += 1 }
                if data.range(of: Data(marker)) != nil { found.marker += 1 }
            }
            #expect(found == (1, secret == nil ? 1 : 0), "\(place)")
        }
    }

    @Test("a value in the place of another key, table or environment is refused, and so is a replaced opening")
    func swapped() throws {
        let first = try SealedFixture.create(directory.path, key: testKey(1))
        let other = directory.path + "/other"
        try FileSystem.createDirectory(other)
        let second = try SealedFixture.create(other, key: testKey(2))
        for fixture in [first, second] {
            for number in 0..<4 { try fixture.put(key(number), [UInt8](repeating: 5, count: 40)) }
            try fixture.put(key(0), [UInt8](repeating: 5, count: 40), in: fixture.otherTable)
        }
        let stored = try first.storedRows()
        #expect(Set(stored.map(\.value)).count == 4)
        let foreign = try second.storedRows()
        first.close()
        second.close()
        for number in 0..<4 {
            for (index, value) in (stored + foreign).map(\.value).enumerated() where index != number {
                try SealedFixture.rewrite(directory.path, "rows", key(number), value)
                #expect(try SealedFixture.code(directory.path, testKey(1), key(number)) == .brokenSeal)
                let otherNumber = (number + 1) % 4
                #expect(try SealedFixture.code(directory.path, testKey(1), key(otherNumber)) == nil)
            }
            try SealedFixture.rewrite(directory.path, "rows", key(number), stored[number].value)
        }
        try SealedFixture.rewrite(directory.path, "others", key(0), stored[0].value)
        #expect(try SealedFixture.code(directory.path, testKey(1), key(0), table: 1) == .brokenSeal)
        #expect(try SealedFixture.code(directory.path, testKey(1), key(0)) == nil)
        let number = withUnsafeBytes(of: UInt32(1).bigEndian) { [UInt8]($0) }
        for salt in [[UInt8](repeating: 9, count: 16), [1], []] {
            try SealedFixture.rewrite(directory.path, "openings", number, salt)
            #expect(try SealedFixture.code(directory.path, testKey(1), key(0)) == .brokenSeal)
        }
    }

    @Test("another key, a missing one and one that is too much are errors, and leave the files as they are")
    func keys() throws {
        for isSealed in [true, false] {
            let path = directory.path + "/\(isSealed)"
            try FileSystem.createDirectory(path)
            let fixture = try SealedFixture.create(path, key: isSealed ? testKey(1) : nil)
            try fixture.put(key(1), [1, 2, 3])
            fixture.close()
            let before = try FileSystem.read(path + "/data.mdb", limit: 1 << 24)
            for secret in isSealed ? [try testKey(2), nil] : [try testKey(1)] {
                let code = code { try SealedFixture.open(path, key: secret).value(key(1)) }
                #expect(code == .brokenSeal)
                #expect(try FileSystem.read(path + "/data.mdb", limit: 1 << 24) == before)
            }
            #expect(try SealedFixture.open(path, key: isSealed ? testKey(1) : nil).value(key(1)) == [1, 2, 3])
        }
    }

    @Test("an opening whose first commits are lost, while another thread commits, seals what can be read again")
    func lostRows() throws {
        try SealedFixture.create(directory.path, key: testKey(1)).close()
        for round in 0..<20 {
            try Self.lose(round, in: directory.path)
            let rows = try SealedFixture.open(directory.path, key: testKey(1)).rows()
            #expect(rows == [0, 1, 3].map { Row(key(100 + $0), [UInt8($0)]) })
        }
    }

    private static func lose(_ round: Int, in path: String) throws {
        let opened = try SealedFixture.open(path, key: testKey(1))
        let (environment, table) = (opened.environment, opened.table)
        #expect(throws: Abort.self) {
            try environment.write { transaction in
                try transaction.put([9].span.bytes, for: key(round).span.bytes, in: table)
                throw Abort()
            }
        }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            try? environment.write { transaction in
                try transaction.put([UInt8(thread)].span.bytes, for: key(100 + thread).span.bytes, in: table)
                if thread == 2 { throw Abort() }
            }
        }
    }

    @Test("one changed bit of a stored value is found, at its end and in its clear bytes too; so is a missing byte")
    func bits() throws {
        let fixture = try SealedFixture.create(directory.path, key: testKey(1), clearBytes: 5)
        try fixture.put(key(1), Array(0..<24))
        try fixture.put(key(2), [1])
        let value = try #require(try fixture.storedRows().first?.value)
        #expect(value.count == 48)
        fixture.close()
        for bit in 0..<8 * value.count {
            var changed = value
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            try SealedFixture.rewrite(directory.path, "rows", key(1), changed)
            #expect(try SealedFixture.code(directory.path, testKey(1), key(1), clearBytes: 5) == .brokenSeal, "\(bit)")
        }
        for count in 0..<value.count {
            try SealedFixture.rewrite(directory.path, "rows", key(1), Array(value.prefix(count)))
            #expect(
                try SealedFixture.code(directory.path, testKey(1), key(1), clearBytes: 5) == .brokenSeal, "\(count)")
        }
        #expect(try SealedFixture.code(directory.path, testKey(1), key(2), clearBytes: 5) == nil)
    }

    @Test("no nonce comes twice under a key: not after aborted, failed and lost commits, nor in a directory set back")
    func nonces() throws {
        let ledger = NonceLedger()
        let live = directory.path + "/live"
        let copy = directory.path + "/copy"
        try FileSystem.createDirectory(live)
        var fixture = try SealedFixture.create(live, key: ledger.key(1))
        var random = SplitMix64(seed: 3)
        for round in 0..<200 {
            for _ in 0...random.nextIndex(3) { try fixture.put(key(random.nextIndex(9)), Array(0..<30)) }
            try? fixture.environment.write { transaction in
                try transaction.put([1].span.bytes, for: key(1).span.bytes, in: fixture.table)
                throw Abort()
            }
            fixture.close()
            if round % 5 == 0 {
                try? FileManager.default.removeItem(atPath: copy)
                try FileManager.default.copyItem(atPath: live, toPath: copy)
            } else if random.chance(0.5) {
                try FileManager.default.removeItem(atPath: live)
                try FileManager.default.copyItem(atPath: copy, toPath: live)
            }
            fixture = try SealedFixture.open(live, key: ledger.key(1))
            if random.chance(0.3) {
                // The first commit of an opening fails, and the next one has its row.
                fixture.fault.withLock { $0 = true }
                #expect(throws: Abort.self) { try fixture.put(key(1), [1, 2, 3]) }
                fixture.fault.withLock { $0 = false }
            }
            _ = try fixture.rows()
        }
        #expect(ledger.repeats == 0)
        #expect(ledger.seals > 600 && ledger.keys >= 200, "the list sees what is sealed")
    }
}

private struct Abort: Error {}

private func testKey(_ number: UInt8) throws -> SecretKey { try SecretKey([UInt8](repeating: number, count: 32)) }

private func isLess(_ first: [UInt8], _ second: [UInt8]) -> Bool { first.lexicographicallyPrecedes(second) }

/// An environment with two tables that are sealed where it has a key.
private final class SealedFixture {
    var environment: Environment {
        guard let opened else { preconditionFailure("the environment is closed") }
        return opened
    }
    private var opened: Environment?
    private(set) var table: Table
    private(set) var otherTable: Table
    let fault: Locked<Bool>

    private init(_ path: String, _ configuration: Environment.Configuration, _ clearBytes: Int) throws {
        var configuration = configuration
        let fault = Locked(false)
        configuration.commitFault = { if fault.withLock({ $0 }) { throw Abort() } }
        self.fault = fault
        let environment = try Environment(path: path, configuration: configuration)
        let form = SealedForm(clearBytes: clearBytes)
        let tables = try environment.openTables(
            ["rows", "others"], create: configuration.access == .create, sealed: ["rows": form, "others": form])
        (table, otherTable) = (tables[0], tables[1])
        opened = environment
    }

    static func create(_ path: String, key: SecretKey?, clearBytes: Int = 0) throws -> SealedFixture {
        var configuration = Environment.Configuration(access: .create, mapSize: 1 << 24)
        configuration.key = key
        return try SealedFixture(path, configuration, clearBytes)
    }

    static func open(_ path: String, key: SecretKey?, clearBytes: Int = 0) throws -> SealedFixture {
        var configuration = Environment.Configuration(access: .readWrite, mapSize: 1 << 24)
        configuration.key = key
        return try SealedFixture(path, configuration, clearBytes)
    }

    func close() { opened = nil }

    func put(_ key: [UInt8], _ value: [UInt8], in other: Table? = nil) throws {
        try environment.write { try $0.put(value.span.bytes, for: key.span.bytes, in: other ?? table) }
    }

    func value(_ key: [UInt8]) throws -> [UInt8]? { try environment.read { try $0.bytes(of: key, in: table) } }

    func rows() throws -> [Row] { try rows { bytes(try $0.value) } }

    /// The rows as they are in the file.
    func storedRows() throws -> [Row] { try rows { bytes($0.storedValue) } }

    private func rows(_ value: (borrowing Cursor) throws -> [UInt8]) throws -> [Row] {
        try environment.read { transaction in
            var rows: [Row] = []
            var cursor = try transaction.cursor(in: table)
            while try cursor.move(.next) { rows.append(Row(bytes(cursor.key), try value(cursor))) }
            return rows
        }
    }

    /// Puts the stored value of a key in the place of another one, as somebody does who changes the file.
    static func rewrite(_ path: String, _ table: String, _ key: [UInt8], _ value: [UInt8]) throws {
        var configuration = Environment.Configuration(access: .readWrite, mapSize: 1 << 24)
        configuration.key = try testKey(1)
        let environment = try Environment(path: path, configuration: configuration)
        // Without a form the table has stored bytes.
        let tables = try environment.openTables([table], create: false)
        try environment.write { try $0.put(value.span.bytes, for: key.span.bytes, in: tables[0]) }
    }

    /// The error that a read of a key throws, by key and by cursor; nil if it throws none.
    static func code(
        _ path: String, _ secret: SecretKey, _ key: [UInt8], clearBytes: Int = 0, table: Int = 0
    ) throws -> LMDBError.Code? {
        let fixture = try open(path, key: secret, clearBytes: clearBytes)
        defer { fixture.close() }
        let table = table == 0 ? fixture.table : fixture.otherTable
        let byKey = failure { try fixture.environment.read { _ = try $0.bytes(of: key, in: table) } }
        let byCursor = failure {
            try fixture.environment.read { transaction in
                var cursor = try transaction.cursor(in: table)
                if try cursor.seek(key.span.bytes) { _ = try cursor.value }
            }
        }
        #expect(byKey == byCursor)
        return byKey
    }

    private static func failure(_ body: () throws -> Void) -> LMDBError.Code? {
        do { try body() } catch { return (error as? LMDBError)?.code ?? .invalid }
        return nil
    }
}
