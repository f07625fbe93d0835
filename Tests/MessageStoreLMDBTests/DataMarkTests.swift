import Foundation
import MessageStoreLMDB
import Testing

@Suite("The mark next to a data file", .timeLimit(.minutes(30))) struct DataMarkTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path }

    private typealias PageCheck = Environment.Configuration.PageCheck

    @Test func `its bytes say what it says, and a damaged one is none`() throws {
        let stamps = DataMark.Stamps(inode: 7, size: 1 << 40, modified: .max, changed: 1)
        for boot: [UInt8] in [[], [65], [UInt8](repeating: 66, count: 64)] {
            let mark = DataMark(.closed, stamps, transaction: 12, boot: boot)
            #expect(DataMark(mark.bytes) == mark)
            for index in mark.bytes.indices {
                var damaged = mark.bytes
                damaged[index] ^= 4
                #expect(DataMark(damaged) == nil)
            }
            #expect(DataMark([]) == nil)
            #expect(DataMark(mark.bytes + [0]) == nil)
        }
    }

    @Test(arguments: [Environment.Configuration.Access.readOnly, .readWrite])
    func `a closed file is opened without looking at its pages`(access: Environment.Configuration.Access) throws {
        try Self.fill(path)
        #expect(try Self.mark(path)?.state == .closed)
        for _ in 0..<2 { #expect(try Self.walked(path, access) == 0) }
        #expect(try Self.walked(path, access, .always) > 0)
    }

    @Test func `an opening that writes nothing leaves the mark`() throws {
        try Self.fill(path)
        let mark = try Self.mark(path)
        for access in [Environment.Configuration.Access.readOnly, .readWrite] {
            #expect(try Fixture.open(path, access).rows().count == 50)
            #expect(try Self.mark(path) == mark)
        }
    }

    @Test func `before the first write the mark says open, in this session, and closed at the end`() throws {
        try Self.fill(path)
        var fixture: Fixture? = try Fixture.open(path)
        let closed = try #require(try Self.mark(path))
        #expect(closed.state == .closed)
        try fixture?.put(key(1), [9])
        let open = try #require(try Self.mark(path))
        #expect(open.state == .open && open.transaction == closed.transaction)
        #expect(open.stamps.inode == closed.stamps.inode)
        try fixture?.put(key(2), [9])
        #expect(try Self.mark(path) == open, "it is written once")
        fixture = nil
        let last = try #require(try Self.mark(path))
        #expect(last.state == .closed && last.transaction == closed.transaction + 2)
    }

    @Test func `killed in this session, the pages are not looked at; in another, they are`() async throws {
        let path = try makeTemporaryDirectory()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let fixture = try Fixture.create(path)
            for number in 0..<50 { try fixture.put(key(number), key(number)) }
            kill(getpid(), SIGKILL)
        }
        var mark = try #require(try Self.mark(path))
        #expect(mark.state == .open)
        #expect(try Self.walked(path, .readOnly) == 0)
        mark.boot = [UInt8]("another session".utf8)
        try Self.set(mark, path)
        #expect(try Self.walked(path, .readOnly) > 0)
        #expect(try Self.walked(path, .readWrite) > 0)
        // That opening closed the file as it should be.
        #expect(try Self.walked(path, .readWrite) == 0)
        #expect(try Fixture.open(path).rows().count == 50)
        try FileSystem.remove(path)
    }

    @Test(arguments: ["missing", "empty", "cut", "a byte", "of another file", "of another time", "of another length"])
    func `a mark that does not fit is not believed`(change: String) throws {
        try Self.fill(path)
        let file = path + "/data.mark"
        var mark = try #require(try Self.mark(path))
        var bytes: [UInt8]? = mark.bytes
        switch change {
        case "missing": bytes = nil
        case "empty": bytes = []
        case "cut": bytes?.removeLast()
        case "a byte": bytes?[20] ^= 1
        case "of another file":
            mark.stamps.inode += 1
            bytes = mark.bytes
        case "of another time":
            mark.stamps.changed += 1
            bytes = mark.bytes
        default:
            mark.stamps.size += 4096
            bytes = mark.bytes
        }
        try FileSystem.remove(file)
        if let bytes { try FileSystem.create(file, bytes: bytes) }
        #expect(try Self.walked(path, .readOnly) > 0)
        #expect(try Self.walked(path, .readWrite) > 0)
        #expect(try Self.walked(path, .readWrite) == 0)
    }

    @Test("I10: damage after a clean close is found, for the file's times have changed")
    func damageAfterClose() throws {
        try Self.fill(path)
        var file = try PageEditor(path + "/data.mdb")
        let root = try file.root("rows")
        file.bytes[root * PageEditor.pageSize + 12] ^= 2
        try Self.overwrite(path, file)
        #expect(code { try Fixture.open(path) } == .failedPreflight)
        #expect(code { try Fixture.open(path, .readOnly) } == .failedPreflight)
    }

    @Test("I10: a lost or undone last commit is damage", arguments: [true, false], [DataMark.State.closed, .open])
    func lostCommit(keepsStamps: Bool, state: DataMark.State) throws {
        try Self.fill(path)
        var file = try PageEditor(path + "/data.mdb")
        // The page of the last commit holds what was there two commits ago.
        let number = file.word(file.meta + 144)
        file.setWord(file.meta + 144, number - 2)
        try Self.overwrite(path, file)
        var mark = try #require(try Self.mark(path))
        mark.state = state
        if keepsStamps { mark.stamps = try Self.stamps(path) }
        try Self.set(mark, path)
        #expect(code { try Fixture.open(path) } == .failedPreflight)
        #expect(code { try Fixture.open(path, .readOnly) } == .failedPreflight)
    }

    @Test func `a scratch build has no mark until it is to last`() throws {
        let file = path + "/data.mark"
        var environment: Environment? = try Environment(
            path: path, configuration: .init(access: .create, durability: .none))
        let table = try #require(try environment?.openTables(["rows"], create: true).first)
        #expect(try FileSystem.status(of: file) == nil)
        try environment?.makeDurable(.full)
        try environment?.write { try $0.put(key(1).span.bytes, for: key(1).span.bytes, in: table) }
        #expect(try Self.mark(path)?.state == .open)
        environment = nil
        #expect(try Self.mark(path)?.state == .closed)
    }

    @Test func `the mark of a directory that was renamed is where the directory is`() throws {
        try FileSystem.createDirectory(path + "/old")
        var fixture: Fixture? = try Fixture.create(path + "/old")
        try FileSystem.rename(path + "/old", to: path + "/new")
        fixture?.environment.moved(to: path + "/new")
        try fixture?.put(key(1), [1])
        fixture = nil
        #expect(try FileSystem.names(in: path) == ["new"])
        #expect(try Self.walked(path + "/new", .readOnly) == 0)
    }

    @Test func `an environment whose directory was removed is written all the same`() throws {
        try FileSystem.createDirectory(path + "/gone")
        let fixture = try Fixture.create(path + "/gone")
        let other = try Fixture.create(path)
        for (fixture, directory) in [(fixture, path + "/gone"), (other, path + "/data.mdb")] {
            try FileSystem.remove(directory)
            try fixture.put(key(1), [1])
            #expect(try fixture.rows().count == 1)
        }
    }

    @Test func `something else in the mark's place is refused`() throws {
        try Self.fill(path)
        try FileSystem.remove(path + "/data.mark")
        #expect(mkfifo(path + "/data.mark", 0o600) == 0)
        do {
            _ = try Fixture.open(path)
            Issue.record("opened")
        } catch let error as LMDBError {
            #expect(error.code == .failedPreflight && error.path == path + "/data.mark")
        }
    }

    @Test func `a reader that looks at all pages opens beside a busy writer`() async throws {
        let path = try makeTemporaryDirectory()
        let writer = try Fixture.create(path)
        for number in 0..<200 { try writer.put(key(number), [UInt8](repeating: 1, count: 500)) }
        let writing = Repeaters(1) {
            let number = Int.random(in: 0..<200)
            try writer.put(key(number), [UInt8](repeating: 2, count: 500))
        }
        for _ in 0..<3 {
            await #expect(processExitsWith: .success) { [path = path as String] in
                for _ in 0..<10 {
                    var configuration = Environment.Configuration(access: .readOnly)
                    configuration.pageCheck = .always
                    let environment = try Environment(path: path, configuration: configuration)
                    let table = try #require(try environment.openTables(["rows"], create: false).first)
                    let entries = try environment.read { try $0.statistics(of: table).entries }
                    #expect(entries == 200)
                }
            }
        }
        #expect(try writing.stop() > 0)
        try FileSystem.remove(path)
    }

    private static func fill(_ path: String) throws {
        let fixture = try Fixture.create(path)
        for number in 0..<50 { try fixture.put(key(number), [UInt8](repeating: 1, count: 300)) }
    }

    private static func walked(
        _ path: String, _ access: Environment.Configuration.Access, _ pageCheck: PageCheck = .afterUncleanClose
    ) throws -> Int {
        var configuration = Environment.Configuration(access: access)
        configuration.pageCheck = pageCheck
        return try Environment(path: path, configuration: configuration).walkedBytes
    }

    private static func mark(_ path: String) throws -> DataMark? {
        DataMark(try FileSystem.read(path + "/data.mark", limit: 1000))
    }

    private static func set(_ mark: DataMark, _ path: String) throws {
        try FileSystem.remove(path + "/data.mark")
        try FileSystem.create(path + "/data.mark", bytes: mark.bytes)
    }

    /// Writes other bytes into the data file, which stays the same file.
    private static func overwrite(_ path: String, _ file: PageEditor) throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "/data.mdb"))
        try handle.write(contentsOf: Data(file.bytes))
        try handle.close()
    }

    private static func stamps(_ path: String) throws -> DataMark.Stamps {
        var status = stat()
        #expect(stat(path + "/data.mdb", &status) == 0)
        #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        func nanoseconds(_ time: timespec) -> UInt64 { UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec) }
        return DataMark.Stamps(
            inode: UInt64(status.st_ino), size: UInt64(status.st_size), modified: nanoseconds(modified),
            changed: nanoseconds(changed))
    }
}
