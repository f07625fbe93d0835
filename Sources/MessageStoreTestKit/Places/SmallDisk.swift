package import MessageStoreLMDB

/// A file system in memory that is soon full; only if this process may mount one.
package struct SmallDisk {
    /// The path at which it is mounted.
    package let path: String

    /// Whether file systems may be mounted here: on Linux, as root, outside of most containers.
    package static let isAvailable: Bool = (try? with(kilobytes: 64) { _ in true }) ?? false

    private struct NotMounted: Error {}

    /// Runs `body` with a new disk of a size.
    package static func with<Result>(kilobytes: Int, _ body: (SmallDisk) throws -> Result) throws -> Result {
        let path = FileSystem.temporaryDirectory + "/small-disk-\(UInt64.random(in: .min ... .max))"
        try FileSystem.createDirectory(path)
        defer { try? FileSystem.remove(path) }
        #if os(Linux)
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(kilobytes)k,mode=700") == 0 else { throw NotMounted() }
        defer { umount2(path, Int32(MNT_DETACH)) }
        return try body(SmallDisk(path: path))
        #else
        throw NotMounted()
        #endif
    }

    /// Fills the disk with a file of zeros, but for a number of kilobytes.
    package func fill(leaving kilobytes: Int = 0) throws {
        let descriptor = open(path + "/ballast", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(operation: "fill", path: path, errno: errno) }
        defer { close(descriptor) }
        let zeros = [UInt8](repeating: 0, count: 4096)
        var written = 0
        while write(descriptor, zeros, zeros.count) > 0 { written += zeros.count }
        guard ftruncate(descriptor, off_t(max(0, written - kilobytes << 10))) == 0 else {
            throw FileError(operation: "fill", path: path, errno: errno)
        }
    }

    /// Takes back the room that ``fill(leaving:)`` took.
    package func makeRoom() throws {
        let ballast = path + "/ballast"
        // A process that is being started holds every open file until it runs: a file that is only removed may still
        // take room.
        guard truncate(ballast, 0) == 0 else { throw FileError(operation: "truncate", path: ballast, errno: errno) }
        try FileSystem.remove(ballast)
    }

    /// Lets nothing more be written.
    package func makeReadOnly() throws {
        #if os(Linux)
        guard mount("", path, "", UInt(MS_REMOUNT) | UInt(MS_RDONLY), nil) == 0 else {
            throw FileError(operation: "remount", path: path, errno: errno)
        }
        #endif
    }
}

/// The limit on the size of the files that this process writes.
package enum FileSizeLimit {
    /// Sets the limit, for the whole process.
    ///
    /// - Parameter bytes: nil for no limit.
    package static func set(_ bytes: Int?) {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
        let resource = RLIMIT_FSIZE
        #endif
        var limit = rlimit()
        getrlimit(resource, &limit)
        limit.rlim_cur = bytes.map { rlim_t($0) } ?? limit.rlim_max
        setrlimit(resource, &limit)
    }
}

extension FileSystem {
    /// The directory of tests' stores: `TMPDIR`, else memory if Linux has room in it, else `/tmp`.
    ///
    /// Each store that is created and closed is synced some 20 times, which takes most of a short test's time on a disk.
    package static let testDirectory: String = {
        #if os(Linux)
        var memory = statvfs()
        if getenv("TMPDIR") == nil, access("/dev/shm", W_OK) == 0, statvfs("/dev/shm", &memory) == 0,
            UInt64(memory.f_bavail) * UInt64(memory.f_frsize) >= 1 << 30
        {
            return "/dev/shm"
        }
        #endif
        return temporaryDirectory
    }()
}

/// Lends a new directory and removes it at the end.
package func withTemporaryDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
    let directory = TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    return try body(directory.path)
}

/// A new directory, which goes with its value.
package final class TemporaryDirectory: Sendable {
    /// Its path.
    package let path = FileSystem.testDirectory + "/directory-tests-\(UInt64.random(in: .min ... .max))"

    /// Makes the directory; if that fails, so do its users.
    package init() {
        try? FileSystem.createDirectory(path)
    }

    deinit {
        try? FileSystem.remove(path)
    }
}
