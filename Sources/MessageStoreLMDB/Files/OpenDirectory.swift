#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A directory that is kept open until the object is released.
final class OpenDirectory: Sendable {
    let descriptor: Int32

    init(_ path: String) throws(FileError) {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw FileError(operation: "open directory", path: path, errno: errno) }
    }

    deinit { close(descriptor) }
}
