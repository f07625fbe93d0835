import Foundation
import MessageStoreLMDB
import Testing

@Suite struct `Preflight of a data file` {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path }

    @Test("I10: a missing, empty or foreign data file is damage, never a new store", arguments: DamagedFile.all)
    func unusableFile(_ damaged: DamagedFile) throws {
        let file = path + "/data.mdb"
        if let content = damaged.content { try FileSystem.create(file, bytes: content) }
        try expectDamage(path)
        #expect(try FileSystem.status(of: file)?.size == damaged.content?.count)
    }

    @Test func `a data file that is a link, a directory or a pipe is refused`() throws {
        let (real, store) = (path + "/real", path + "/store")
        try FileSystem.createDirectory(real)
        try FileSystem.createDirectory(store)
        try Fixture.create(real).put(key(1), [1])
        let file = store + "/data.mdb"
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: real + "/data.mdb")
        try expectDamage(store)
        try FileSystem.remove(file)
        try FileSystem.createDirectory(file)
        try expectDamage(store)
        try FileSystem.remove(file)
        #expect(mkfifo(file, 0o600) == 0)
        try expectDamage(store)
    }

    @Test("I10: a file cut anywhere is damage or still whole, never a crash")
    func truncatedAnywhere() throws {
        let whole = try filledFile(path)
        let pageSize = 4096
        let lengths = stride(from: 0, through: whole.count, by: pageSize).flatMap { [$0 - 1, $0, $0 + 1] }
        var refused = 0
        for length in lengths where length >= 0 && length < whole.count {
            let copy = path + "/cut-\(length)"
            try FileSystem.createDirectory(copy)
            try FileSystem.create(copy + "/data.mdb", bytes: Array(whole[..<length]))
            do {
                let rows = try Fixture.open(copy).rows()
                #expect(rows == expectedRows, "cut at \(length)")
            } catch let error as LMDBError {
                #expect(error.isDamage, "cut at \(length): \(error)")
                refused += 1
            }
            try FileSystem.remove(copy)
        }
        #expect(refused > lengths.count * 9 / 10)
    }

    @Test("I10: a damaged meta page is damage, never an older snapshot", arguments: MetaDamage.all)
    func damagedMeta(_ damage: MetaDamage) throws {
        var whole = try filledFile(path)
        damage.apply(&whole)
        let copy = path + "/copy"
        try FileSystem.createDirectory(copy)
        try FileSystem.create(copy + "/data.mdb", bytes: whole)
        try expectDamage(copy)
    }

    @Test("I10: one bit of a meta page's transaction is damage or changes nothing", arguments: 0..<128)
    func transactionBits(bit: Int) throws {
        var whole = try Self.filled.get()
        whole[(bit / 64) * 4096 + 144 + bit % 64 / 8] ^= 1 << UInt8(bit % 8)
        try FileSystem.createDirectory(path + "/copy")
        try FileSystem.create(path + "/copy/data.mdb", bytes: whole)
        do {
            let rows = try Fixture.open(path + "/copy").rows()
            #expect(rows == expectedRows)
        } catch let error as LMDBError {
            #expect(error.isDamage)
        }
    }

    @Test func `both meta pages swapped is damage`() throws {
        let whole = try filledFile(path)
        let swapped = Array(whole[4096..<8192] + whole[..<4096] + whole[8192...])
        try FileSystem.createDirectory(path + "/copy")
        try FileSystem.create(path + "/copy/data.mdb", bytes: swapped)
        try expectDamage(path + "/copy")
    }

    /// Made once, for tests with many cases.
    private static let filled = Result { try withTemporaryDirectory { try Self().filledFile($0) } }

    private var expectedRows: [Row] {
        (0..<400).map { number in
            let length = number % 40 == 0 ? 9000 : 700
            return Row(key(number), [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: length))
        }
    }

    /// The bytes of a data file of a few hundred kilobytes, with overflow pages.
    private func filledFile(_ path: String) throws -> [UInt8] {
        let source = path + "/source"
        try FileSystem.createDirectory(source)
        let fixture = try Fixture.create(source)
        for row in expectedRows { try fixture.put(row.key, row.value) }
        let file = source + "/data.mdb"
        return try FileSystem.read(file, limit: FileSystem.status(of: file)?.size ?? 0)
    }

    private func expectDamage(_ path: String) throws {
        for access in [Environment.Configuration.Access.readWrite, .readOnly] {
            do {
                _ = try Fixture.open(path, access)
                Issue.record("a damaged data file was opened")
            } catch let error as LMDBError {
                #expect(error.isDamage, "\(error)")
            }
        }
    }
}
