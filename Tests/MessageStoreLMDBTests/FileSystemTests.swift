import Foundation
import MessageStoreLMDB
import Testing

@Suite struct `Files and directories` {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path }

    @Test func `directories and files are made for the owner alone, with all bytes, once`() throws {
        try FileSystem.createDirectory(path + "/new")
        #expect(try permissions(of: path + "/new") == 0o700)
        #expect(throws: FileError.self) { try FileSystem.createDirectory(path + "/new") }
        let file = path + "/file"
        let content = [UInt8]("内容".utf8)
        try FileSystem.create(file, bytes: content)
        #expect(try permissions(of: file) == 0o600)
        #expect(try FileSystem.read(file, limit: 100) == content)
        #expect(try FileSystem.read(file, offset: 1, limit: 2) == Array(content[1..<3]))
        #expect(try FileSystem.read(file, offset: 100, limit: 2).isEmpty)
        #expect(throws: FileError.self) { try FileSystem.create(file, bytes: []) }
        #expect(try FileSystem.read(file, limit: 100) == content)
    }

    @Test func `a link is neither read nor written through`() throws {
        let (file, link) = (path + "/file", path + "/link")
        try FileSystem.create(file, bytes: [1])
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        #expect(try FileSystem.status(of: link)?.kind == .other)
        #expect(throws: FileError.self) { try FileSystem.read(link, limit: 1) }
        #expect(throws: FileError.self) { try FileSystem.create(link, bytes: [2]) }
        #expect(throws: FileError.self) { try FileLock.take(link) }
        #expect(throws: FileError.self) { try FileSystem.synchronize(link) }
        try FileSystem.remove(link)
        #expect(try FileSystem.read(file, limit: 1) == [1])
    }

    @Test(.timeLimit(.minutes(30))) func `a pipe is neither read nor waited for`() throws {
        let pipe = path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(throws: FileError.self) { try FileSystem.read(pipe, limit: 1) }
        #expect(throws: FileError.self) { try FileLock.take(pipe) }
    }

    @Test func `removing a directory removes links in it and not what they name`() throws {
        try FileSystem.createDirectory(path + "/kept")
        try FileSystem.create(path + "/kept/file", bytes: [1])
        try FileSystem.createDirectory(path + "/gone")
        try FileSystem.createDirectory(path + "/gone/deep")
        try FileManager.default.createSymbolicLink(
            atPath: path + "/gone/deep/link", withDestinationPath: path + "/kept")
        try FileSystem.remove(path + "/gone")
        #expect(try FileSystem.names(in: path) == ["kept"])
        #expect(try FileSystem.names(in: path + "/kept") == ["file"])
        try FileSystem.remove(path + "/gone")
    }

    @Test func `what is missing is nil or a typed error`() throws {
        let missing = path + "/missing"
        #expect(try FileSystem.status(of: missing) == nil)
        #expect(throws: FileError.self) { try FileSystem.names(in: missing) }
        #expect(throws: FileError.self) { try FileSystem.rename(missing, to: path + "/new") }
        do {
            _ = try FileSystem.read(missing, limit: 1)
            Issue.record("a missing file was read")
        } catch {
            #expect(error.isNotFound && error.description.contains(missing))
        }
    }

    @Test(arguments: [("/a/b", "/a"), ("/a/b/", "/a"), ("/a", "/"), ("a", "."), ("a/b", "a"), ("/", "/")])
    func `the parent of a path`(path: String, parent: String) {
        #expect(FileSystem.parent(of: path) == parent)
    }
}

@Suite(.timeLimit(.minutes(30))) struct `File locks` {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path }

    @Test func `a lock is held by one and free again after it`() throws {
        let file = path + "/lock"
        try withExtendedLifetime(FileLock.take(file)) { held in
            let second = try FileLock.take(file)
            #expect(held != nil)
            #expect(second == nil)
        }
        #expect(try FileLock.take(file) != nil)
        #expect(try permissions(of: file) == 0o600)
    }

    @Test(
        "what others do to its file is noticed, and that its directory was moved is no loss",
        arguments: LockChange.allCases)
    func change(_ change: LockChange) throws {
        let (directory, manager) = (path + "/store", FileManager.default)
        let file = directory + "/lock"
        try FileSystem.createDirectory(directory)
        let lock = try #require(try FileLock.take(file))
        #expect(lock.isHeld)
        switch change {
        case .removed: try manager.removeItem(atPath: file)
        case .renamed: try manager.moveItem(atPath: file, toPath: path + "/other")
        case .removedButForALink:
            try manager.linkItem(atPath: file, toPath: path + "/other")
            #expect(lock.isHeld)
            try manager.removeItem(atPath: file)
        case .replaced:
            try FileSystem.create(path + "/other", bytes: [])
            try FileSystem.rename(path + "/other", to: file)
        case .directoryMoved: try manager.moveItem(atPath: directory, toPath: path + "/moved")
        case .directoryReplaced:
            try manager.moveItem(atPath: directory, toPath: path + "/moved")
            try FileSystem.createDirectory(directory)
            try FileSystem.create(file, bytes: [])
        }
        #expect(lock.isHeld == [.directoryMoved, .directoryReplaced].contains(change))
    }

    enum LockChange: CaseIterable {
        case removed, renamed, removedButForALink, replaced, directoryMoved, directoryReplaced
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd"), "descriptors cannot be listed"))
    func `a lock is free after it, though a child that is being started still has its descriptor`() throws {
        var lock = try FileLock.take(path + "/lock")
        #expect(lock != nil)
        let directory = "/proc/self/fd/"
        let held = try FileManager.default.contentsOfDirectory(atPath: directory).compactMap { Int32($0) }.first {
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: directory + String($0))
            return target?.hasSuffix(URL(fileURLWithPath: path).lastPathComponent + "/lock") == true
        }
        let copy = dup(try #require(held))
        defer { close(copy) }
        lock = nil
        #expect(try FileLock.take(path + "/lock") != nil)
    }

    @Test func `another process finds the lock taken`() async throws {
        let path = try makeTemporaryDirectory()
        let file = path + "/lock"
        let held = try FileLock.take(file)
        await #expect(processExitsWith: .success) { [file = file as String] in
            let second = try FileLock.take(file)
            #expect(second == nil)
        }
        withExtendedLifetime(held) {}
        try FileSystem.remove(path)
    }

    @Test("a directory stays where it is if the one to replace it is gone", arguments: [true, false])
    func replace(isThere: Bool) throws {
        for name in ["served", "built"] {
            try FileSystem.createDirectory(path + "/" + name)
            try FileSystem.create(path + "/" + name + "/" + name, bytes: [1])
        }
        if !isThere { try FileSystem.rename(path + "/built", to: path + "/gone") }
        func replace() throws {
            try FileSystem.replace(path + "/served", by: path + "/built", keepingAs: path + "/old")
        }
        if isThere { try replace() } else { #expect(throws: FileError.self) { try replace() } }
        #expect(try FileSystem.names(in: path + "/served") == [isThere ? "built" : "served"])
        #expect(try FileSystem.names(in: path) == (isThere ? ["old", "served"] : ["gone", "served"]))
    }

    @Test("what is made appears as a whole, over what a kill left, and nothing is left where the making fails")
    func put() throws {
        let (place, temporary) = (path + "/place", path + "/place.new")
        try FileSystem.create(place, bytes: [1])
        try FileSystem.create(temporary, bytes: [2, 2])
        try FileSystem.put([3], at: place, through: temporary)
        #expect(try FileSystem.read(place, limit: 9) == [3])
        #expect(throws: CancellationError.self) {
            try FileSystem.put(at: place, through: temporary) {
                try FileSystem.createDirectory($0)
                throw CancellationError()
            }
        }
        #expect(try FileSystem.names(in: path) == ["place"])
        #expect(try FileSystem.read(place, limit: 9) == [3])
    }

    @Test("I20: a directory or a link in the place of what is being made is none of the library's, and stays")
    func putOverOthers() throws {
        let temporary = path + "/place.new"
        try FileSystem.createDirectory(temporary)
        try FileSystem.create(temporary + "/mine", bytes: [1])
        #expect(throws: FileError.self) { try FileSystem.put([3], at: path + "/place", through: temporary) }
        #expect(try FileSystem.names(in: temporary) == ["mine"])
        #expect(symlink(temporary, path + "/link") == 0)
        #expect(throws: FileError.self) { try FileSystem.put([3], at: path + "/place", through: path + "/link") }
        #expect(try FileSystem.names(in: path) == ["link", "place.new"])
    }
}
