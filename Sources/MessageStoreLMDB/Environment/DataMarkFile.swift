/// The file with the mark, and the data file that it is about, in a directory that is held open: it may be renamed
/// meanwhile.
struct DataMarkFile: Sendable {
    static let name = "data.mark"
    private static let dataName = "data.mdb"

    private let directory: OpenDirectory
    private let path: String

    init(directory: OpenDirectory, path: String) {
        (self.directory, self.path) = (directory, path)
    }

    /// The mark; nil where there is none, or none that can be read.
    func read() -> DataMark? {
        let descriptor = openat(directory.descriptor, Self.name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let bytes = [UInt8](unsafeUninitializedCapacity: DataMark.byteCount) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        return DataMark(bytes)
    }

    /// Writes a mark over the one that is there, or one that vouches for nothing; on the medium when this returns.
    ///
    /// A write that is cut short leaves none, by its checksum. The entry of a new file need not be on the medium: where
    /// there is none, the pages are looked at.
    func write(_ mark: DataMark?) throws(FileError) {
        let file = path + "/" + Self.name
        var status = stat()
        if fstatat(directory.descriptor, Self.name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_nlink > 1 {
            // A hard link: what else has that name is not the store's to change.
            guard unlinkat(directory.descriptor, Self.name, 0) == 0 else {
                throw FileError(operation: "remove file", path: file, errno: errno)
            }
        }
        let descriptor = openat(
            directory.descriptor, Self.name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw FileError(operation: "open", path: file, errno: errno) }
        defer { close(descriptor) }
        let bytes = mark?.bytes ?? [UInt8](repeating: 0, count: DataMark.byteCount)
        try FileSystem.write(bytes.span.bytes, to: descriptor, file)
        guard flush(descriptor) == 0 else { throw FileError(operation: "sync", path: file, errno: errno) }
    }

    /// Forces the data file to the medium.
    func synchronizeData() throws(FileError) {
        let descriptor = openat(directory.descriptor, Self.dataName, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileError(operation: "open", path: path, errno: errno) }
        defer { close(descriptor) }
        guard flush(descriptor) == 0 else { throw FileError(operation: "sync", path: path, errno: errno) }
    }

    /// The system's attributes of the data file.
    func stamps() throws(FileError) -> DataMark.Stamps {
        var status = stat()
        guard fstatat(directory.descriptor, Self.dataName, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw FileError(operation: "stat", path: path + "/" + Self.dataName, errno: errno)
        }
        #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        return DataMark.Stamps(
            inode: UInt64(status.st_ino), size: UInt64(truncatingIfNeeded: status.st_size),
            modified: Self.nanoseconds(modified), changed: Self.nanoseconds(changed))
    }

    private static func nanoseconds(_ time: timespec) -> UInt64 {
        UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
    }

    /// Checks the data file before LMDB maps it.
    ///
    /// If the file is opened for reading only, another process may commit between two looks at it: a finding counts as
    /// damage only if the file did not change. A walk over the pages of a file that keeps changing is given up after a
    /// few tries, for its writer is alive.
    ///
    /// - Returns: The mark that was found, whether it says that the file was closed and vouches for it, and the bytes
    ///   of the pages that were looked at.
    func check(
        isReadOnly: Bool, _ pageCheck: Environment.Configuration.PageCheck
    ) throws -> (mark: DataMark?, isMarkedClosed: Bool, walkedBytes: Int) {
        let file = path + "/" + Self.dataName
        try FileSystem.requireRegularFile(path + "/" + Self.name)
        var attempt = 0
        while true {
            attempt += 1
            // The mark before the file: a file that goes on is never older than its mark.
            let mark = read()
            let stamps = try? stamps()
            let isVouchedFor = mark.flatMap { mark in stamps.map(mark.vouches) } ?? false
            let before = isReadOnly ? try? Preflight.transaction(of: file) : nil
            do {
                let walks = (pageCheck == .always || !isVouchedFor) && attempt <= 3
                let report = try Preflight.check(file, walks: walks)
                if let mark, mark.stamps.inode == stamps?.inode, report.transaction < mark.transaction {
                    throw Preflight.failure(
                        file, "the last commits are missing: \(report.transaction), not \(mark.transaction)")
                }
                return (mark, isVouchedFor && mark?.state == .closed, report.walkedBytes)
            } catch let error as LMDBError {
                guard isReadOnly, attempt < 20 else { throw error }
                if let before, before == (try? Preflight.transaction(of: file)) { throw error }
                FileSystem.pause(milliseconds: 1)
            }
        }
    }
}
