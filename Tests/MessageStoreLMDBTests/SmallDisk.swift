import Foundation
import MessageStoreLMDB
import Testing

/// A file system in memory that is soon full; only where this process may mount one.
struct SmallDisk {
    let path: String

    /// Whether file systems may be mounted here: on Linux, as root, outside of most containers.
    static let isAvailable: Bool = (try? with(kilobytes: 64) { _ in true }) ?? false

    static let comment: Comment = "no file system can be mounted here"

    struct NotMounted: Error {}

    static func with<Result>(kilobytes: Int, _ body: (SmallDisk) throws -> Result) throws -> Result {
        try withTemporaryDirectory { path in
            #if os(Linux)
            guard mount("tmpfs", path, "tmpfs", 0, "size=\(kilobytes)k,mode=700") == 0 else { throw NotMounted() }
            defer { umount2(path, Int32(MNT_DETACH)) }
            return try body(SmallDisk(path: path))
            #else
            throw NotMounted()
            #endif
        }
    }

    /// Fills the disk with a file of zeros, but for a number of kilobytes.
    func fill(leaving kilobytes: Int = 0) throws {
        let descriptor = open(path + "/ballast", O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        let zeros = [UInt8](repeating: 0, count: 4096)
        var written = 0
        while write(descriptor, zeros, zeros.count) > 0 { written += zeros.count }
        ftruncate(descriptor, off_t(max(0, written - kilobytes << 10)))
    }

    func makeRoom() throws {
        try FileSystem.remove(path + "/ballast")
    }
}
