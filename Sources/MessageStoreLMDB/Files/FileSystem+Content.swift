extension FileSystem {
    /// Reads at most `limit` bytes of a regular file, from `offset`; what is none is refused and never waited for.
    package static func read(_ path: String, offset: Int = 0, limit: Int) throws(FileError) -> [UInt8] {
        let descriptor = try openRegularFile(path)
        defer { close(descriptor) }
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            while count < limit {
                let result = pread(
                    descriptor, buffer.baseAddress.map { $0 + count }, limit - count, off_t(offset + count))
                if result < 0, errno == EINTR { continue }
                if result < 0 { failure = errno }
                if result <= 0 { break }
                count += result
            }
        }
        guard failure == 0 else {
            throw FileError(operation: "read", path: path, errno: failure)
        }
        return bytes
    }

    /// Creates a file (mode 0600, it must not exist) with these bytes, on the medium when this returns.
    package static func create(_ path: String, bytes: [UInt8]) throws {
        try create(path) { write in try write(bytes.span.bytes) }
    }

    /// Creates a file (mode 0600, it must not exist) of what `body` writes, on the medium when this returns.
    package static func create<Result>(
        _ path: String, _ body: (_ write: (RawSpan) throws -> Void) throws -> Result
    ) throws -> Result {
        let descriptor = try openFile(path, O_WRONLY | O_CREAT | O_EXCL, "create")
        defer { close(descriptor) }
        let result = try body { try write($0, to: descriptor, path) }
        guard flush(descriptor) == 0 else {
            throw FileError(operation: "sync", path: path, errno: errno)
        }
        return result
    }

    /// Writes bytes to the end of a file, which is created (mode 0600) if it does not exist, without forcing it to the medium.
    package static func append(_ bytes: [UInt8], to path: String) throws(FileError) {
        let descriptor = try openFile(path, O_WRONLY | O_CREAT | O_APPEND)
        defer { close(descriptor) }
        try write(bytes.span.bytes, to: descriptor, path)
    }

    /// Throws if there is something other than a regular file at `path`, which may not exist; a link is not followed.
    static func requireRegularFile(_ path: String) throws {
        guard let status = try status(of: path), status.kind != .file else { return }
        throw LMDBError(.failedPreflight, operation: "check", path: path, detail: "not a regular file")
    }

    /// Opens a file (mode 0600 if it is created), for this process alone; a link is not followed.
    static func openFile(_ path: String, _ flags: Int32, _ operation: String = "open") throws(FileError) -> Int32 {
        let descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError(operation: operation, path: path, errno: errno) }
        return descriptor
    }

    /// Opens a regular file for reading. A pipe, which nobody may ever write to, is refused and not waited for.
    static func openRegularFile(_ path: String) throws(FileError) -> Int32 {
        let descriptor = try openFile(path, O_RDONLY | O_NONBLOCK)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FileError(operation: "open as a regular file", path: path, errno: EINVAL)
        }
        return descriptor
    }

    /// Writes all of `bytes` at the descriptor's place.
    static func write(_ bytes: RawSpan, to descriptor: Int32, _ path: String) throws(FileError) {
        var written = 0
        while written < bytes.byteCount {
            let result = bytes.extracting(droppingFirst: written).withUnsafeBytes { systemWrite(descriptor, $0) }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else {
                throw FileError(operation: "write", path: path, errno: errno)
            }
            written += result
        }
    }
}

/// `write(2)` under a name that does not clash with ``FileSystem/write(_:to:_:)``.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
