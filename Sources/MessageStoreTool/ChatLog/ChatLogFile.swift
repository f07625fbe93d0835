#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An open file, read from its start to its end.
///
/// The descriptor is closed when the value goes away.
struct ChatLogFile: ~Copyable {
    private let path: String
    private let descriptor: CInt

    /// Opens the file at `path` for reading.
    init(path: String) throws(ChatLogError) {
        // A C string would silently end at a NUL and so name another file.
        guard !path.utf8.contains(0) else {
            throw Self.error(.cannotOpen, path: path, number: EINVAL)
        }
        var opened = open(path, O_RDONLY | O_CLOEXEC)
        while opened < 0 && errno == EINTR {
            opened = open(path, O_RDONLY | O_CLOEXEC)
        }
        guard opened >= 0 else {
            throw Self.error(.cannotOpen, path: path, number: errno)
        }
        self.path = path
        self.descriptor = opened
    }

    deinit {
        close(descriptor)
    }

    /// Reads the next bytes into the start of `buffer` and returns how many there were, 0 at the end of the file.
    func read(into buffer: inout [UInt8]) throws(ChatLogError) -> Int {
        while true {
            let (count, number) = buffer.withUnsafeMutableBytes { bytes in
                let count = systemRead(descriptor, bytes.baseAddress, bytes.count)
                return (count, errno)
            }
            if count >= 0 { return count }
            switch number {
            case EINTR: continue
            case EISDIR: throw Self.error(.isDirectory, path: path, number: number)
            default: throw Self.error(.cannotRead, path: path, number: number)
            }
        }
    }

    private static func error(_ code: ChatLogError.Code, path: String, number: CInt) -> ChatLogError {
        let detail = strerror(number).map { String(cString: $0) } ?? "error \(number)"
        return ChatLogError(code: code, file: path, line: nil, detail: detail)
    }
}

/// The C function `read`, under a name that the method does not hide.
private func systemRead(_ descriptor: CInt, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
