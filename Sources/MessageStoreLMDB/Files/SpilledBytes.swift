#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Bytes that lie in a file without a name, whose pages the system drops and reads again as it likes, and not in memory
/// of the process's own. The file's room is free again when the object is released.
package final class SpilledBytes: @unchecked Sendable {  // Nothing changes the bytes.
    package let address: UnsafeRawPointer
    private let count: Int

    /// Writes bytes, at least one.
    ///
    /// - Parameter directory: The directory of the file until it has lost its name; one caller at a time.
    package init(_ bytes: RawSpan, in directory: String) throws(FileError) {
        precondition(bytes.byteCount > 0, "no bytes cannot be mapped")
        let path = directory + "/spilled"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError(operation: "create", path: path, errno: errno) }
        defer { close(descriptor) }
        try FileSystem.remove(path)
        try FileSystem.write(bytes, to: descriptor, path)
        let address = mmap(nil, bytes.byteCount, PROT_READ, MAP_SHARED, descriptor, 0)
        guard let address, address != MAP_FAILED else { throw FileError(operation: "map", path: path, errno: errno) }
        self.address = UnsafeRawPointer(address)
        count = bytes.byteCount
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: address), count) }
}
