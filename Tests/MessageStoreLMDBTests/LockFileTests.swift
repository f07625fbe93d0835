import Foundation
import MessageStoreLMDB
import Testing

@Suite("LMDB's lock file", .timeLimit(.minutes(30))) struct LockFileTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path }

    /// What may stand where LMDB's files belong.
    enum Intruder: CaseIterable {
        case link, danglingLink, pipe, directory

        func put(at path: String, target: String) throws {
            switch self {
            case .link:
                try FileSystem.create(target, bytes: [1, 2, 3])
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
            case .danglingLink: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
            case .pipe: #expect(mkfifo(path, 0o600) == 0)
            case .directory: try FileSystem.createDirectory(path)
            }
        }
    }

    @Test(
        "I10: what is not a regular file is refused by name, and nothing is written through it",
        arguments: Intruder.allCases, ["data.mdb", "lock.mdb"])
    func intruders(_ intruder: Intruder, name: String) throws {
        let (store, target) = (path + "/store", path + "/target")
        try FileSystem.createDirectory(store)
        try Fixture.create(store).put([1], [1])
        try FileSystem.remove(store + "/" + name)
        try intruder.put(at: store + "/" + name, target: target)
        let before = try FileSystem.status(of: target)?.size
        for access in [Environment.Configuration.Access.readOnly, .readWrite] {
            do {
                _ = try Fixture.open(store, access)
                Issue.record("an environment was opened through \(intruder)")
            } catch let error as LMDBError {
                #expect(error.code == .failedPreflight)
                #expect(error.path == store + "/" + name)
            }
        }
        let after = try FileSystem.status(of: target)?.size
        #expect(after == before)
        if before != nil { #expect(try FileSystem.read(target, limit: 10) == [1, 2, 3]) }
    }

    @Test func `it has room for all readers and is written out, whatever stood there`() throws {
        let lock = path + "/lock.mdb"
        try Fixture.create(path).put([1], [1])
        for size: Int? in [nil, 0, 100, 8192, 1 << 30] {
            try FileSystem.remove(lock)
            if let size {
                try FileSystem.create(lock, bytes: [])
                #expect(truncate(lock, off_t(size)) == 0)
            }
            let fixture = try Fixture.open(path, .readOnly)
            #expect(try fixture.rows() == [Row([1], [1])])
            var status = stat()
            #expect(stat(lock, &status) == 0)
            #expect(status.st_size >= 1024 * 64 && status.st_size < 1 << 20)
            #expect(Int(status.st_blocks) * 512 >= Int(status.st_size), "a hole could not be filled on a full disk")
            withExtendedLifetime(fixture) {}
        }
    }

    @Test(
        "what else has the name of a hard link stays as it is, for readers and writers",
        arguments: ["lock.mdb", "data.mark"], [Environment.Configuration.Access.readOnly, .readWrite])
    func hardLinks(name: String, access: Environment.Configuration.Access) throws {
        let (store, target) = (path + "/store", path + "/target")
        try FileSystem.createDirectory(store)
        try Fixture.create(store).put([1], [1])
        try FileSystem.remove(store + "/" + name)
        try FileSystem.create(target, bytes: [1, 2, 3])
        #expect(link(target, store + "/" + name) == 0)
        let fixture = try Fixture.open(store, access)
        if access == .readWrite { try fixture.put([2], [2]) }
        #expect(try fixture.rows().count == (access == .readWrite ? 2 : 1))
        #expect(try FileSystem.read(target, limit: 10) == [1, 2, 3])
    }

    @Test func `one that another process uses is left as it is`() async throws {
        let path = try makeTemporaryDirectory()
        let fixture = try Fixture.create(path)
        try fixture.put([1], [1])
        let size = try FileSystem.status(of: path + "/lock.mdb")?.size
        await #expect(processExitsWith: .success) { [path = path as String] in
            let environment = try Environment(path: path, configuration: .init(access: .readOnly, maximumReaders: 5000))
            withExtendedLifetime(environment) {}
        }
        #expect(try FileSystem.status(of: path + "/lock.mdb")?.size == size)
        try fixture.put([2], [2])
        #expect(try fixture.rows().count == 2)
        try FileSystem.remove(path)
    }
}
