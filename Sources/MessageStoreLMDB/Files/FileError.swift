/// A failed call on a file or directory: what was tried, where, and `errno`.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    package let operation: String
    package let path: String
    package let errno: Int32

    package init(operation: String, path: String, errno: Int32) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }

    package var description: String {
        "\(operation) failed at \(path): \(String(cString: strerror(errno))) (\(errno))"
    }

    package var isNotFound: Bool { errno == ENOENT }

    /// True where there is no room for more: on the medium, in a quota, or within a limit on the size of files.
    package var isFull: Bool { Self.isFull(errno) }

    /// True where the process lacks the rights, or the medium is for reading only.
    package var isDenied: Bool { errno == EACCES || errno == EPERM || errno == EROFS }

    static func isFull(_ errno: Int32) -> Bool {
        errno == ENOSPC || errno == EDQUOT || errno == EFBIG
    }
}
