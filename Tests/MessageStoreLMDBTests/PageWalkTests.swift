import Foundation
import MessageStoreLMDB
import MessageStoreWorkload
import Testing

@Suite("The walk over a data file's pages", .timeLimit(.minutes(30))) struct PageWalkTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path }

    @Test("I10: pages that contradict each other are damage", arguments: StructuralDamage.all)
    func contradictions(_ damage: StructuralDamage) throws {
        var file = try PageEditor(try Self.filledFile(path))
        let whole = file.bytes
        try damage.apply(&file)
        #expect(file.bytes != whole)
        try FileSystem.createDirectory(path + "/copy")
        try FileSystem.create(path + "/copy/data.mdb", bytes: file.bytes)
        #expect(code { try Preflight.check(path + "/copy/data.mdb", walks: true) } == .failedPreflight)
        #expect(code { try Fixture.open(path + "/copy") } == .failedPreflight)
    }

    @Test func `a whole file passes, and each page is read once`() throws {
        let file = try Self.filledFile(path)
        let report = try Preflight.check(file, walks: true)
        let editor = try PageEditor(file)
        #expect(report.transaction == editor.word(editor.meta + 144))
        #expect(report.walkedBytes > 100 * PageEditor.pageSize && report.walkedBytes < editor.bytes.count)
        #expect(try Preflight.check(file, walks: false).walkedBytes == 0)
    }

    @Test("I10: whatever is damaged, what passes the walk can be read and written without a crash", arguments: 1...8)
    func randomDamage(seed: Int) async throws {
        await #expect(processExitsWith: .success) { [seed = seed as Int] in
            var random = SplitMix64(seed: UInt64(seed))
            try withTemporaryDirectory { path in
                let whole = try PageEditor(try Self.filledFile(path))
                var refused = 0
                for round in 0..<60 {
                    var file = whole
                    for _ in 0...Int.random(in: 0...1, using: &random) { Self.damage(&file, &random) }
                    let copy = path + "/copy-\(round)"
                    try FileSystem.createDirectory(copy)
                    try FileSystem.create(copy + "/data.mdb", bytes: file.bytes)
                    do {
                        try Self.use(Fixture.open(copy))
                    } catch let error as LMDBError {
                        #expect(error.isDamage, "seed \(seed), round \(round): \(error)")
                        refused += 1
                    }
                    try FileSystem.remove(copy)
                }
                #expect(refused > 20, "seed \(seed)")
            }
        }
    }

    /// Reads all, then writes and removes all over the tables.
    private static func use(_ fixture: Fixture) throws {
        let rows = try fixture.rows()
        _ = try fixture.environment.statistics()
        for number in stride(from: 0, to: 3000, by: 7) {
            try fixture.environment.write { transaction in
                try transaction.remove(key(number).span.bytes, in: fixture.table)
                try transaction.put(key(number).span.bytes, for: key(number + 5000).span.bytes, in: fixture.table)
            }
        }
        let after = try fixture.rows()
        #expect(after.count > rows.count - 500)
    }

    /// One damage: a bit or more of anything, of a header, of a slot, or a page gone wrong.
    private static func damage(_ file: inout PageEditor, _ random: inout SplitMix64) {
        let size = PageEditor.pageSize
        let start = Int.random(in: 0..<file.pageCount, using: &random) * size
        switch Int.random(in: 0..<7, using: &random) {
        case 0:
            file.bytes[Int.random(in: 0..<file.bytes.count, using: &random)] ^=
                1 << UInt8.random(in: 0..<8, using: &random)
        case 1:
            file.bytes[start + Int.random(in: 0..<16, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2:
            file.setHalf(
                start + 16 + 2 * Int.random(in: 0..<4, using: &random), Int.random(in: 0..<65536, using: &random))
        case 3: for offset in start..<start + size { file.bytes[offset] = 0 }
        case 4: for offset in start..<start + size { file.bytes[offset] = UInt8.random(in: 0...255, using: &random) }
        case 5:
            let other = Int.random(in: 0..<file.pageCount, using: &random) * size
            for offset in 0..<size { file.bytes[start + offset] = file.bytes[other + offset] }
        default:
            let sector = start + 512 * Int.random(in: 0..<8, using: &random)
            for offset in sector..<sector + 512 { file.bytes[offset] = 0 }
        }
    }

    /// A file with two tables, branches, large values and free pages.
    private static func filledFile(_ path: String) throws -> String {
        try FileSystem.createDirectory(path + "/source")
        let fixture = try Fixture.create(path + "/source")
        let other = try fixture.environment.openTables(["other"], create: true)
        for start in stride(from: 0, to: 3000, by: 100) {
            try fixture.environment.write { transaction in
                for number in start..<start + 100 {
                    let value = [UInt8](repeating: 1, count: number % 300 == 7 ? 9000 : 150 + number % 90)
                    try transaction.put(value.span.bytes, for: key(number).span.bytes, in: fixture.table)
                    try transaction.put(key(number).span.bytes, for: key(number * 7919 % 3000).span.bytes, in: other[0])
                }
            }
        }
        for start in stride(from: 0, to: 3000, by: 500) {
            try fixture.environment.write { transaction in
                for number in start..<start + 40 { try transaction.remove(key(number).span.bytes, in: fixture.table) }
            }
        }
        return path + "/source/data.mdb"
    }
}
