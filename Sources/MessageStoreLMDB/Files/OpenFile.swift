#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A regular file that is kept open for reading until the object is released; links are not followed.
final class OpenFile: Sendable {
    private let descriptor: Int32
    private let path: String
    let size: Int

    init(_ path: String) throws(FileError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileError(operation: "open", path: path, errno: errno) }
        var status = stat()
        let isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        size = Int(status.st_size)
        guard isRegular else {
            close(descriptor)
            throw FileError(operation: "open a regular file", path: path, errno: EINVAL)
        }
    }

    deinit { close(descriptor) }

    /// Reads `count` bytes from `offset`.
    ///
    /// - Throws: ``FileError``, also where the file ends before.
    func read(_ offset: Int, _ count: Int) throws(FileError) -> [UInt8] {
        var failure: Int32 = 0
        guard offset >= 0, count >= 0, count <= size - min(offset, size) else {
            throw FileError(operation: "read beyond the end", path: path, errno: EINVAL)
        }
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            while done < count {
                let result = pread(descriptor, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
                if result < 0, errno == EINTR { continue }
                if result <= 0 {
                    failure = result < 0 ? errno : EINVAL
                    break
                }
                done += result
            }
        }
        guard failure == 0 else { throw FileError(operation: "read", path: path, errno: failure) }
        return bytes
    }
}
