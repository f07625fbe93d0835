package import MessageStoreLMDB

extension FileSystem {
    /// The directory of tests' stores: `TMPDIR`, else memory where Linux has room in it, else `/tmp`.
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

    /// Makes the directory; where that fails, so does what uses it.
    package init() {
        try? FileSystem.createDirectory(path)
    }

    deinit {
        try? FileSystem.remove(path)
    }
}
