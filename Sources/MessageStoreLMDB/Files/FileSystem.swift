internal import MessageStoreCLMDB

/// The few file-system calls that a store needs, with typed errors and no symbolic link followed.
package enum FileSystem {
    /// The file at a path.
    package struct Status: Equatable, Sendable {
        package enum Kind: Sendable { case directory, file, other }
        package let kind: Kind
        package let size: Int
        package let device: UInt64
        package let inode: UInt64
        /// When its content changed last, in seconds since 1970.
        package let modified: Int64
        /// Whether it belongs to the user of this process.
        package let isOwn: Bool
        /// How many names it has.
        package let links: Int
    }

    /// The status of what is at `path` itself (a link is `other`), or nil if there is nothing.
    package static func status(of path: String) throws(FileError) -> Status? {
        var status = stat()
        let isThere = lstat(path, &status) == 0
        if !isThere, errno == ENOENT { return nil }
        try check(isThere, "stat", path)
        let kind: Status.Kind =
            switch status.st_mode & S_IFMT {
            case S_IFDIR: .directory
            case S_IFREG: .file
            default: .other
            }
        return Status(
            kind: kind,
            size: Int(status.st_size),
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(status.st_ino),
            modified: modificationTime(status),
            isOwn: status.st_uid == geteuid(),
            links: Int(status.st_nlink)
        )
    }

    /// Creates a directory that only its owner may enter (mode 0700).
    package static func createDirectory(_ path: String) throws(FileError) {
        try check(mkdir(path, 0o700) == 0, "create directory", path)
    }

    /// Creates a directory, if there is none yet; it is on the medium when this returns.
    package static func createSharedDirectory(_ path: String) throws(FileError) {
        do { try createDirectory(path) } catch {
            guard try status(of: path)?.kind == .directory else { throw error }
        }
        try synchronize(parent(of: path))
    }

    package static func rename(_ old: String, to new: String) throws(FileError) {
        let result = old.withCString { old in new.withCString { new in systemRename(old, new) } }
        try check(result == 0, "rename", old)
    }

    /// Gives a file a second name, unless something has it.
    ///
    /// - Returns: Whether the file has it now.
    package static func link(_ path: String, to new: String) throws(FileError) -> Bool {
        if linkat(AT_FDCWD, path, AT_FDCWD, new, 0) == 0 { return true }
        guard errno == EEXIST else { throw FileError(operation: "link", path: path, errno: errno) }
        return false
    }

    /// Makes a file or a directory at `temporary` and moves it to `path`, so that a crash leaves at `path` what was there, or
    /// what was made; where that fails, nothing is left at `temporary`.
    ///
    /// - Parameters:
    ///   - temporary: The path at which a killed process may have left a file, which is removed; see ``OwnFiles``.
    ///   - isDurable: Whether it is at `path` on the medium as well when this returns.
    ///   - make: Makes it, on the medium.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    package static func put<Result>(
        at path: String, through temporary: String, isDurable: Bool = true,
        _ make: (_ temporary: String) throws -> Result
    ) throws -> Result {
        if let left = try status(of: temporary) {
            guard left.kind == .file else { throw FileError(operation: "create", path: temporary, errno: EEXIST) }
            try removeFile(temporary)
        }
        do {
            let result = try make(temporary)
            try rename(temporary, to: path)
            if isDurable { try synchronize(parent(of: path)) }
            return result
        } catch {
            // Something that appeared there meanwhile is another's.
            if (error as? FileError)?.errno != EEXIST { try? remove(temporary) }
            throw error
        }
    }

    /// Puts a file of these bytes at a path; see ``put(at:through:isDurable:_:)``.
    package static func put(
        _ bytes: [UInt8], at path: String, through temporary: String, isDurable: Bool = true
    ) throws {
        try put(at: path, through: temporary, isDurable: isDurable) { try create($0, bytes: bytes) }
    }

    /// Moves what is at `path` to `old`, and what is at `new` to `path`; where that or `body` fails, both are where they
    /// were.
    ///
    /// Something is at `path` at any time, unless the file system cannot exchange two names.
    ///
    /// - Parameter body: Does what belongs to the move.
    package static func replace(
        _ path: String, by new: String, keepingAs old: String, _ body: () throws -> Void = {}
    ) throws {
        try exchange(path, new, old)
        do { try body() } catch {
            try exchange(path, old, new)
            throw error
        }
    }

    private static func exchange(_ path: String, _ new: String, _ old: String) throws(FileError) {
        if messagestore_exchange(path, new) == 0 {
            do { return try rename(new, to: old) } catch {
                _ = messagestore_exchange(path, new)
                throw error
            }
        }
        try rename(path, to: old)
        do { try rename(new, to: path) } catch {
            try rename(old, to: path)
            throw error
        }
    }

    /// The names in a directory, sorted, without `.` and `..`.
    ///
    /// - Parameters:
    ///   - limit: So many names are looked for; which ones they are of more is not defined.
    ///   - isIncluded: Whether a name counts.
    package static func names(
        in path: String, limit: Int = .max, where isIncluded: (String) -> Bool = { _ in true }
    ) throws(FileError) -> [String] {
        guard let directory = opendir(path) else {
            throw FileError(operation: "list directory", path: path, errno: errno)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(directory) {
            let capacity = MemoryLayout.size(ofValue: entry.pointee.d_name)
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: capacity) { String(cString: $0) }
            }
            if name != ".", name != "..", isIncluded(name) { names.append(name) }
        }
        return names.sorted()
    }

    /// The bytes of the files in a directory and in those in it, as far as their names are wanted. Links are not
    /// followed; files that go meanwhile do not count.
    package static func byteCount(below path: String, where isWanted: (String) -> Bool) throws(FileError) -> Int {
        var sum = 0
        for name in try names(in: path) {
            guard let status = try status(of: path + "/" + name) else { continue }
            switch status.kind {
            case .directory:
                do { sum += try byteCount(below: path + "/" + name, where: isWanted) } catch
                    where error.errno == ENOENT
                {}
            case .file where isWanted(name): sum += status.size
            default: break
            }
        }
        return sum
    }

    /// Removes a file, or a directory with all that is in it; links are removed, not followed. Another process may remove
    /// the same meanwhile.
    package static func remove(_ path: String) throws(FileError) {
        guard let status = try status(of: path) else { return }
        if status.kind == .directory {
            // A process that still has it open may create a file in it meanwhile.
            for attempt in 1... {
                do {
                    for name in try names(in: path) { try remove(path + "/" + name) }
                } catch {
                    guard error.isNotFound else { throw error }
                    return
                }
                if rmdir(path) == 0 || errno == ENOENT { return }
                guard errno == ENOTEMPTY || errno == EEXIST, attempt < 10 else {
                    throw FileError(operation: "remove directory", path: path, errno: errno)
                }
            }
        } else {
            try removeFile(path)
        }
    }

    /// Removes a file or a link, if there is one; a directory stays.
    package static func removeFile(_ path: String) throws(FileError) {
        guard try status(of: path).map({ $0.kind != .directory }) ?? false else { return }
        try check(unlink(path) == 0 || errno == ENOENT, "remove file", path)
    }

    /// Forces a file's or directory's content to the medium.
    package static func synchronize(_ path: String) throws(FileError) {
        let descriptor = try openFile(path, O_RDONLY | O_NONBLOCK)
        defer { close(descriptor) }
        try check(flush(descriptor) == 0, "sync", path)
    }

    /// The directory of short-lived files: `TMPDIR`, else `/tmp`.
    package static var temporaryDirectory: String {
        getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    }

    /// Lets the calling thread wait, for something that another process does, or so that others get on.
    package static func pause(milliseconds: UInt32) {
        usleep(milliseconds * 1000)
    }

    /// A path to which something may be appended.
    package static func withoutTrailingSlashes(_ path: String) -> String {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
        return String(trimmed)
    }

    /// The directory that holds `path`.
    package static func parent(of path: String) -> String {
        let trimmed = withoutTrailingSlashes(path)
        guard let slash = trimmed.lastIndex(of: "/") else { return "." }
        return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    }
}

private func modificationTime(_ status: stat) -> Int64 {
    #if canImport(Darwin)
    Int64(status.st_mtimespec.tv_sec)
    #else
    Int64(status.st_mtim.tv_sec)
    #endif
}

/// `rename(2)` under a name that does not clash with ``FileSystem/rename(_:to:)``.
private func systemRename(_ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>) -> Int32 {
    rename(old, new)
}

/// Forces a descriptor's content to the medium; on Apple's systems `fsync` alone leaves it in the drive's cache.
func flush(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
    return fcntl(descriptor, F_FULLFSYNC)
    #else
    return fsync(descriptor)
    #endif
}

extension FileSystem {
    /// Reads at most `limit` bytes of a regular file, from `offset`; other files are refused and never waited for.
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
        guard failure == 0 else { throw FileError(operation: "read", path: path, errno: failure) }
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
        try check(flush(descriptor) == 0, "sync", path)
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
        try check(descriptor >= 0, operation, path)
        return descriptor
    }

    /// Throws the error of a call of the system's, unless it is done.
    static func check(_ isDone: Bool, _ operation: String, _ path: String) throws(FileError) {
        guard isDone else { throw FileError(operation: operation, path: path, errno: errno) }
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
            try check(result > 0, "write", path)
            written += result
        }
    }
}

/// `write(2)` under a name that does not clash with ``FileSystem/write(_:to:_:)``.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

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

    /// True if there is no room for more: on the medium, in a quota, or within a limit on the size of files.
    package var isFull: Bool { Self.isFull(errno) }

    /// True if the process lacks the rights, or the medium is for reading only.
    package var isDenied: Bool { errno == EACCES || errno == EPERM || errno == EROFS }

    static func isFull(_ errno: Int32) -> Bool {
        errno == ENOSPC || errno == EDQUOT || errno == EFBIG
    }
}

/// A directory that is kept open until the object is released.
final class OpenDirectory: Sendable {
    let descriptor: Int32

    init(_ path: String) throws(FileError) {
        descriptor = try FileSystem.openFile(path, O_RDONLY | O_DIRECTORY, "open directory")
    }

    deinit { close(descriptor) }
}
