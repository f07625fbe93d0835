import Foundation
import Testing

@testable import MessageStoreLMDB

@Suite(
    "A commit that cannot be written", .timeLimit(.minutes(30)),
    .enabled(if: DataDescriptors.canBreakWrites, "there is no device that is always full"))
struct FailedCommitTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path }

    @Test(arguments: [DataDescriptors.Use.pages, .meta])
    func `the commit fails, nothing is lost, and reading and writing go on`(use: DataDescriptors.Use) throws {
        let fixture = try Fixture.create(path)
        let other = try fixture.environment.openTables(["other"], create: true)[0]
        try fixture.put(key(1), [1])
        try DataDescriptors.breakWrites(use, of: path + "/data.mdb")
        #expect(isFull { try fixture.put(key(2), [2]) })
        #expect(try fixture.rows() == [Row(key(1), [1])])
        guard use == .meta else { return }
        // The handle was opened anew, and the tables have their numbers.
        try fixture.put(key(3), [3])
        try fixture.environment.write { try $0.put(key(4).span.bytes, for: key(4).span.bytes, in: other) }
        #expect(try fixture.rows() == [Row(key(1), [1]), Row(key(3), [3])])
        #expect(try fixture.environment.read { try $0.bytes(of: key(4), in: other) } == key(4))
    }

    @Test func `what was written after it is there when the environment is opened again`() throws {
        do {
            let fixture = try Fixture.create(path)
            try fixture.put(key(1), [1])
            for number in 2...5 {
                try DataDescriptors.breakWrites(.meta, of: path + "/data.mdb")
                #expect(isFull { try fixture.put(key(1000 + number), [0]) })
                try fixture.put(key(number), [1])
            }
        }
        let fixture = try Fixture.open(path)
        #expect(fixture.environment.walkedBytes == 0)
        #expect(try fixture.rows() == (1...5).map { Row(key($0), [1]) })
    }

    @Test func `where it was the last, the pages are looked at by the next opening, and are well`() throws {
        do {
            let fixture = try Fixture.create(path)
            for number in 1...9 { try fixture.put(key(number), [1]) }
            try DataDescriptors.breakWrites(.meta, of: path + "/data.mdb")
            #expect(isFull { try fixture.put(key(10), [1]) })
        }
        let fixture = try Fixture.open(path)
        #expect(fixture.environment.walkedBytes > 0)
        #expect(try fixture.rows().count == 9)
    }

    @Test func `inside a transaction it is an error with a code of its own; after it all goes on`() throws {
        let fixture = try Fixture.create(path)
        try fixture.put(key(1), [1])
        try fixture.environment.read { transaction in
            try DataDescriptors.breakWrites(.meta, of: path + "/data.mdb")
            #expect(isFull { try fixture.put(key(2), [2]) })
            #expect(code { try fixture.put(key(2), [2]) } == .panic)
            #expect(code { try fixture.rows() } == .panic)
            // The snapshot that is open already stays readable.
            #expect(try transaction.bytes(of: key(1), in: fixture.table) == [1])
        }
        try fixture.put(key(2), [2])
        #expect(try fixture.rows().count == 2)
    }

    @Test func `readers on other threads see no failure`() throws {
        let fixture = try Fixture.create(path)
        try fixture.put(key(0), [0])
        let readers = Repeaters(4) {
            let value = try fixture.value(key(0))
            #expect(value == [0])
        }
        for number in 1...20 {
            try DataDescriptors.breakWrites(.meta, of: path + "/data.mdb")
            #expect(isFull { try fixture.put(key(1000), [0]) })
            try fixture.put(key(number), [1])
        }
        #expect(try readers.stop() > 0)
        #expect(try fixture.rows().count == 21)
    }

    @Test func `where the directory has gone, it is an error, and the environment is not made anew elsewhere`() throws {
        let (store, moved) = (path + "/store", path + "/moved")
        try FileSystem.createDirectory(store)
        let fixture = try Fixture.create(store)
        try fixture.put(key(1), [1])
        try DataDescriptors.breakWrites(.meta, of: store + "/data.mdb")
        #expect(isFull { try fixture.put(key(2), [2]) })
        try FileSystem.rename(store, to: moved)
        for _ in 0..<2 { #expect(code { try fixture.rows() } == .panic) }
        fixture.environment.moved(to: moved)
        #expect(try fixture.rows().count == 1)
        try fixture.put(key(2), [2])
        #expect(try FileSystem.names(in: path) == ["moved"])
    }

    @Test func `a map that cannot grow is an error, and the old one is there again`() throws {
        let fixture = try Fixture.create(path, mapSize: 1 << 38)
        try fixture.put(key(1), [1])
        var failure: LMDBError?
        // No processor has so many addresses.
        for _ in 0..<16 where failure == nil {
            do throws(LMDBError) { try fixture.environment.growMap() } catch { failure = error }
        }
        #expect(failure?.code.rawValue == ENOMEM)
        for number in 2...4 {
            try fixture.put(key(number), [1])
            #expect(try fixture.rows().count == number)
        }
    }
}
