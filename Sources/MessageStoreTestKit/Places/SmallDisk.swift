internal import MessageStoreLMDB

/// A file system in memory that is soon full; only where this process may mount one.
package struct SmallDisk {
    /// Where it is mounted.
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

    /// Takes back what ``fill(leaving:)`` took.
    package func makeRoom() throws {
        let ballast = path + "/ballast"
        // A process that is being started holds every open file until it runs: what is removed alone may still take room.
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
