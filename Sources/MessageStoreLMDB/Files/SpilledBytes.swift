internal import MessageStoreCLMDB

/// Bytes that lie in a file without a name, whose pages the system drops and reads again as it likes, and not in memory
/// of the process's own. The file's room is free again when the object is released.
///
/// Whoever changes the bytes lets nobody else use them meanwhile.
package final class SpilledBytes: @unchecked Sendable {
    /// The file's name until it loses it.
    package static let name = "spilled"

    package let address: UnsafeMutableRawPointer
    private let count: Int

    /// Writes bytes, at least one.
    ///
    /// - Parameter directory: The directory of the file until it has lost its name; one caller at a time.
    package convenience init(_ bytes: RawSpan, in directory: String) throws(FileError) {
        try self.init(byteCount: bytes.byteCount, in: directory, PROT_READ) { (descriptor, path) throws(FileError) in
            try FileSystem.write(bytes, to: descriptor, path)
        }
    }

    /// Zeros, at least one, which may be changed through ``address``.
    package convenience init(zeros byteCount: Int, in directory: String) throws(FileError) {
        try self.init(byteCount: byteCount, in: directory, PROT_READ | PROT_WRITE) {
            (descriptor, path) throws(FileError) in
            // A page that finds no room later would end the process.
            #if os(Linux)
            let code = posix_fallocate(descriptor, 0, off_t(byteCount))
            if code != 0 { throw FileError(operation: "allocate", path: path, errno: code) }
            #else
            let zeros = [UInt8](repeating: 0, count: min(byteCount, 1 << 20))
            for offset in stride(from: 0, to: byteCount, by: zeros.count) {
                let count = min(zeros.count, byteCount - offset)
                try FileSystem.write(zeros.span.bytes.extracting(0..<count), to: descriptor, path)
            }
            #endif
        }
    }

    private init(
        byteCount: Int, in directory: String, _ access: Int32,
        _ write: (_ descriptor: Int32, _ path: String) throws(FileError) -> Void
    ) throws(FileError) {
        precondition(byteCount > 0, "no bytes cannot be mapped")
        let path = directory + "/" + Self.name
        let descriptor = try FileSystem.openFile(path, O_RDWR | O_CREAT | O_EXCL, "create")
        defer { close(descriptor) }
        try FileSystem.remove(path)
        try write(descriptor, path)
        let address = mmap(nil, byteCount, access, MAP_SHARED, descriptor, 0)
        guard let address, address != MAP_FAILED else { throw FileError(operation: "map", path: path, errno: errno) }
        self.address = address
        count = byteCount
    }

    deinit { munmap(address, count) }
}

extension UnsafeRawPointer {
    /// Begins to load what is there into the processor's cache.
    package func prefetch() { messagestore_prefetch(self) }
}
