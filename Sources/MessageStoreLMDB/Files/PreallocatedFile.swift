/// A file whose every byte is written before it is used.
///
/// Overwriting such bytes and forcing them to the medium changes nothing that the file system itself keeps, so it costs
/// one flush. Its owner calls one function at a time.
package final class PreallocatedFile: Sendable {
    package let path: String
    private let descriptor: Int32

    /// Creates an empty file (mode 0600); nothing may exist there.
    package init(creating path: String) throws(FileError) {
        self.path = path
        descriptor = try FileSystem.openFile(path, O_RDWR | O_CREAT | O_EXCL, "create")
    }

    deinit { close(descriptor) }

    private static let zeros = [UInt8](repeating: 0, count: 64 << 10)

    /// Writes zeros; ``flush()`` forces them to the medium with what is written over them.
    ///
    /// In large pieces, which Linux keeps in memory as such: with pieces of 4 KB, overwriting 34 KB and forcing them to
    /// the medium took a quarter longer (ext4).
    package func zero(_ range: Range<Int>) throws(FileError) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = min(Self.zeros.count, range.upperBound - offset)
            try write(Self.zeros.span.bytes.extracting(0..<count), at: offset)
            offset += count
        }
    }

    /// Overwrites bytes.
    package func write(_ bytes: RawSpan, at offset: Int) throws(FileError) {
        try bytes.withUnsafeBytes { (bytes) throws(FileError) in
            var written = 0
            while written < bytes.count {
                let result = pwrite(
                    descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written, off_t(offset + written))
                if result < 0, errno == EINTR { continue }
                guard result > 0 else { throw failure("write") }
                written += result
            }
        }
    }

    /// Cuts the file off, where it cannot be overwritten.
    package func truncate(to count: Int) throws(FileError) {
        guard ftruncate(descriptor, off_t(count)) == 0 else { throw failure("truncate") }
    }

    /// Forces what was written to the medium, and the file's length where it is new.
    package func flush() throws(FileError) {
        guard flushData(descriptor) == 0 else { throw failure("sync") }
    }

    private func failure(_ operation: String) -> FileError { FileError(operation: operation, path: path, errno: errno) }
}

/// Forces a descriptor's content to the medium, without what nobody needs in order to read it.
///
/// On Apple's systems the drive's cache is emptied as well: `fsync` alone, and so LMDB, leaves what it writes there.
private func flushData(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
    return fcntl(descriptor, F_FULLFSYNC)
    #else
    return fdatasync(descriptor)
    #endif
}
