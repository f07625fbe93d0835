import Foundation
import MessageStoreLMDB
import MessageStoreTestKit
import Testing

@Suite("A full disk", .timeLimit(.minutes(30))) struct FullDiskTests {
    @Test(
        "I10: opening without a lock file is an error, not a crash",
        .enabled(if: SmallDisk.isAvailable, "no file system can be mounted here"),
        arguments: [0, 4, 8, 60])
    func opening(kilobytes: Int) async throws {
        await #expect(processExitsWith: .success) { [kilobytes = kilobytes as Int] in
            try SmallDisk.with(kilobytes: 1024) { disk in
                let store = disk.path + "/store"
                try FileSystem.createDirectory(store)
                try Fixture.create(store).put([1], [1])
                try FileSystem.remove(store + "/lock.mdb")
                try disk.fill(leaving: kilobytes)
                for access in [Environment.Configuration.Access.readOnly, .readWrite] {
                    #expect(isFull { try Fixture.open(store, access) })
                }
                try disk.makeRoom()
                #expect(try Fixture.open(store).rows() == [Row([1], [1])])
            }
        }
    }

    @Test(
        "I10: making an environment is an error, not a crash",
        .enabled(if: SmallDisk.isAvailable, "no file system can be mounted here"),
        arguments: [0, 4, 8, 12, 60, 68])
    func creating(kilobytes: Int) async throws {
        await #expect(processExitsWith: .success) { [kilobytes = kilobytes as Int] in
            try SmallDisk.with(kilobytes: 1024) { disk in
                let store = disk.path + "/store"
                try FileSystem.createDirectory(store)
                try disk.fill(leaving: kilobytes)
                #expect(isFull { try Fixture.create(store) })
            }
        }
    }

    @Test(
        "writing says that the disk is full, also where a write was cut short; then all goes on",
        .enabled(if: SmallDisk.isAvailable, "no file system can be mounted here"), arguments: [0, 4, 40, 100, 200])
    func writing(kilobytes: Int) throws {
        try SmallDisk.with(kilobytes: 2048) { disk in
            let store = disk.path + "/store"
            try FileSystem.createDirectory(store)
            let fixture = try Fixture.create(store)
            try fixture.put(key(0), [0])
            try disk.fill(leaving: kilobytes)
            #expect(isFull { try fixture.put(key(1), [UInt8](repeating: 1, count: 400_000)) })
            #expect(try fixture.rows() == [Row(key(0), [0])])
            try disk.makeRoom()
            try fixture.put(key(1), [1])
            #expect(try fixture.rows().count == 2)
        }
    }

    @Test(
        "a small disk has room again at once, also where another process holds the file that filled it",
        .enabled(if: SmallDisk.isAvailable, "no file system can be mounted here"))
    func makingRoom() throws {
        try SmallDisk.with(kilobytes: 1024) { disk in
            try disk.fill()
            let held = open(disk.path + "/ballast", O_RDONLY)
            defer { close(held) }
            try disk.makeRoom()
            try FileSystem.createDirectory(disk.path + "/store")
            try Fixture.create(disk.path + "/store").put(key(0), [0])
        }
    }

    @Test(
        "a store on a read-only medium is read, with a lock file or without",
        .enabled(if: SmallDisk.isAvailable, "no file system can be mounted here"), arguments: [true, false])
    func readOnlyMedium(hasLockFile: Bool) throws {
        try SmallDisk.with(kilobytes: 1024) { disk in
            let store = disk.path + "/store"
            try FileSystem.createDirectory(store)
            try Fixture.create(store).put(key(0), [0])
            if !hasLockFile { try FileSystem.remove(store + "/lock.mdb") }
            try disk.makeReadOnly()
            #expect(try Fixture.open(store, .readOnly).rows() == [Row(key(0), [0])])
            #expect(throws: FileError.self) { try Fixture.open(store) }
        }
    }

    @Test(arguments: [100_000, 130_000, 131_072, 200_001])
    func `a limit on the size of files is reported like a full disk`(bytes: Int) async throws {
        await #expect(processExitsWith: .success) { [bytes = bytes as Int] in
            try withTemporaryDirectory { path in
                let fixture = try Fixture.create(path)
                try fixture.put(key(0), [0])
                signal(SIGXFSZ, SIG_IGN)
                FileSizeLimit.set(bytes)
                #expect(isFull { try fixture.put(key(1), [UInt8](repeating: 1, count: 400_000)) })
                #expect(try fixture.rows() == [Row(key(0), [0])])
                try fixture.put(key(2), [2])
                #expect(try fixture.rows().count == 2)
            }
        }
    }
}

/// Whether `body` fails for want of room.
func isFull<Result>(_ body: () throws -> Result) -> Bool {
    do {
        _ = try body()
        return false
    } catch let error as LMDBError {
        return error.isFull
    } catch {
        return (error as? FileError)?.isFull == true
    }
}
