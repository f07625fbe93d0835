/// LMDB's table of readers, `lock.mdb`, made ready before LMDB maps it.
///
/// LMDB would follow a link there, and would enlarge the file without asking the medium for room: on a full one the
/// first write through the map then ends in SIGBUS. So the file is checked and written out here.
enum LockFile {
    /// Makes the file at `path` a regular one with room for `readers`, unless another process uses it now.
    ///
    /// - Parameter isReadOnly: Whether the environment is only read, for which a read-only medium needs no such file.
    static func prepare(_ path: String, readers: Int, isReadOnly: Bool) throws {
        try FileSystem.requireRegularFile(path)
        var descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        if descriptor < 0, errno == EROFS, isReadOnly { return }
        try FileSystem.check(descriptor >= 0, "open", path)
        // Closing gives back all locks of this process on the file; it has none, since it has no such environment open.
        defer { if descriptor >= 0 { close(descriptor) } }
        guard isUnused(descriptor) else { return }
        let size = size(readers: readers)
        var status = stat()
        try FileSystem.check(fstat(descriptor, &status) == 0, "stat", path)
        if status.st_nlink > 1 {
            // A hard link: the same file under another name is not the store's to change.
            close(descriptor)
            descriptor = -1
            try FileSystem.remove(path)
            descriptor = try FileSystem.openFile(path, O_RDWR | O_CREAT | O_EXCL, "create")
            status.st_size = 0
        }
        if status.st_size == off_t(size), Int(status.st_blocks) * 512 >= size { return }
        // Its content is of no use: LMDB begins a new table when it is the only user, too.
        try FileSystem.check(ftruncate(descriptor, 0) == 0, "truncate", path)
        let zeros = [UInt8](repeating: 0, count: size)
        try FileSystem.write(zeros.span.bytes, to: descriptor, path)
    }

    /// Bytes of a table for so many readers: at least what LMDB asks for (`MDB_txninfo`, then a cache line each).
    private static func size(readers: Int) -> Int {
        let pageSize = 4096
        return ((readers + 16) * 64 + pageSize - 1) / pageSize * pageSize
    }

    /// Whether another process has the environment open. This one must not: closing the file gives back its locks.
    static func isUsed(_ path: String) throws -> Bool {
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if descriptor < 0, errno == ENOENT { return false }
        try FileSystem.check(descriptor >= 0, "open", path)
        defer { close(descriptor) }
        return !isUnused(descriptor)
    }

    /// Whether no process has the environment open: LMDB's own question, a lock on the first byte.
    private static func isUnused(_ descriptor: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0
        lock.l_len = 1
        return fcntl(descriptor, F_SETLK, &lock) == 0
    }
}
