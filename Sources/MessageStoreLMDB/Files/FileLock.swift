/// An exclusive advisory lock on a file, held until it or the object is released, or the process ends.
package final class FileLock: Sendable {
    private let descriptor: Int32
    private let path: String
    private let file: Identity
    private let directory: Identity?
    private let owner = getpid()
    private let isReleased = Locked(false)

    /// Takes the lock, creating the file (mode 0600) where it is missing.
    ///
    /// - Returns: nil if another process, or another open store of this one, holds it.
    package static func take(_ path: String) throws(FileError) -> FileLock? {
        let descriptor = try FileSystem.openFile(path, O_RDWR | O_CREAT | O_NONBLOCK, "open lock")
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FileError(operation: "open lock as a regular file", path: path, errno: EINVAL)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(descriptor)
            if code == EWOULDBLOCK { return nil }
            throw FileError(operation: "lock", path: path, errno: code)
        }
        // Another name of the file has a purpose that the library does not know.
        if status.st_nlink == 1 { noteHolder(in: descriptor) }
        return FileLock(descriptor, path, Identity(status))
    }

    /// Who has a lock, as that process noted it.
    package struct Holder: Equatable, Sendable {
        package let process: Int32
        /// The program's name.
        package let name: String
        /// Seconds since 1970.
        package let since: Int64
    }

    /// Who noted last that it has the lock; nil if nobody did.
    package static func holder(of path: String) -> Holder? {
        guard let bytes = try? FileSystem.read(path, limit: greatestNote) else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ", maxSplits: 2)
        guard words.count == 3, let process = Int32(words[0]), let since = Int64(words[1]) else { return nil }
        return Holder(process: process, name: String(words[2].prefix { isPlain($0) }), since: since)
    }

    /// Whether the process that noted last that it has the lock is another one and runs, with the lock or without.
    package static func isHolderThere(_ path: String) -> Bool {
        guard let holder = holder(of: path), holder.process > 0, holder.process != getpid() else { return false }
        return kill(holder.process, 0) == 0 || errno == EPERM
    }

    private static let greatestNote = 128

    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "._-+".contains(character))
    }

    /// Writes who holds the lock into its file, for those who cannot take it; nothing depends on it.
    private static func noteHolder(in descriptor: Int32) {
        let name = CommandLine.arguments.first?.split(separator: "/").last?.filter(isPlain).prefix(64) ?? "-"
        let note = Array("\(getpid()) \(SystemClock.sinceEpoch().seconds) \(name)\n".utf8)
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = note.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    /// A file's identity, whatever its name.
    private struct Identity: Equatable {
        let (device, inode): (dev_t, ino_t)

        init(_ status: stat) { (device, inode) = (status.st_dev, status.st_ino) }

        init?(at path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            self.init(status)
        }
    }

    private init(_ descriptor: Int32, _ path: String, _ file: Identity) {
        (self.descriptor, self.path, self.file) = (descriptor, path, file)
        directory = Identity(at: FileSystem.parent(of: path))
    }

    /// Whether nobody removed, renamed or replaced the file, after which others can take the lock as well; one system
    /// call, unless the directory has moved.
    package var isHeld: Bool {
        var status = stat()
        if lstat(path, &status) == 0 {
            if Identity(status) == file { return true }
        } else if errno != ENOENT, errno != ENOTDIR {
            return true
        }
        // If the directory is not at its path any more, the file moved with it, unless it has no name at all.
        guard Identity(at: FileSystem.parent(of: path)) != directory else { return false }
        return fstat(descriptor, &status) != 0 || status.st_nlink > 0
    }

    /// Gives the lock back; calling again is harmless.
    package func release() {
        let isFirst = isReleased.withLock { isReleased in
            defer { isReleased = true }
            return !isReleased
        }
        guard isFirst else { return }
        // Closing alone is not enough: a child process that is just being started has the descriptor as well until it
        // executes its program. A forked child that releases the object must not give back its parent's lock.
        if getpid() == owner { flock(descriptor, LOCK_UN) }
        close(descriptor)
    }

    deinit { release() }
}
