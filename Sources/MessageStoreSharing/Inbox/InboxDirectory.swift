internal import MessageStoreLMDB

/// The files of an inbox: `tmp`, where they are written, `new`, where they wait, and `bad` with rejected ones.
package struct InboxDirectory: Sendable {
    package let path: String

    /// Files that wait longer than this are old.
    private static let secondsOfWaiting: Int64 = 3600
    /// Files that were rejected and are kept; of more, the earliest by name are removed.
    private static let rejectedFiles = 1000
    private static let reasonSuffix = ".reason"

    package var newPath: String { path + "/new" }
    private var temporaryPath: String { path + "/tmp" }
    private var rejectedPath: String { path + "/bad" }

    /// - Throws: ``StoreError`` with code `invalidArgument` if the path is empty or holds a NUL.
    package init(_ path: String) throws(StoreError) {
        let trimmed = FileSystem.withoutTrailingSlashes(path)
        guard !trimmed.isEmpty, !trimmed.utf8.contains(0) else {
            throw StoreError(.invalidArgument, "the path of an inbox is empty or holds a NUL")
        }
        self.path = trimmed
    }

    /// Makes the directories that are missing.
    ///
    /// - Throws: ``StoreError`` with code `notAStore` if something else is in the place of one.
    package func create() throws {
        try create(path, in: FileSystem.parent(of: path))
        for directory in [temporaryPath, newPath, rejectedPath] { try create(directory, in: path) }
    }

    private func create(_ directory: String, in parent: String) throws {
        if let status = try FileSystem.status(of: directory) {
            guard status.kind == .directory else {
                throw StoreError(.notAStore, "an inbox is a directory of directories; no link", path: directory)
            }
            return
        }
        do { try FileSystem.createSharedDirectory(directory) } catch {
            guard error.isNotFound else { throw error }
            throw StoreError(.invalidArgument, "the directory for the inbox does not exist", path: parent)
        }
    }

    /// Writes a file, and lets it wait under a name that no other has; it is on the medium when this returns.
    func add(_ bytes: [UInt8], as name: String) throws {
        do {
            try FileSystem.put(bytes, at: newPath + "/" + name, through: temporaryPath + "/" + name)
        } catch {
            // The store may have recorded it already.
            try? remove(name)
            throw error
        }
    }

    /// How many files wait, and their bytes; counting ends at the limit.
    package func waiting(limit: Int = .max) throws -> (files: Int, bytes: Int) {
        var (files, bytes) = (0, 0)
        for name in try names(in: newPath, limit: limit) {
            guard let status = try FileSystem.status(of: newPath + "/" + name) else { continue }
            files += 1
            bytes = bytes.addingReportingOverflow(status.size).overflow ? .max : bytes + status.size
        }
        return (files, bytes)
    }

    /// How many files were rejected and are kept.
    package func rejected() throws -> Int {
        try names(in: rejectedPath, where: InboxFileName.isValid).count
    }

    /// The names of files that wait, in their order: names that an inbox gave before others.
    package func next(limit: Int) throws -> [String] {
        let all = try names(in: newPath, limit: limit)
        return all.filter(InboxFileName.isValid) + all.filter { !InboxFileName.isValid($0) }
    }

    /// Whether a name is one that an inbox gives.
    package func isName(_ name: String) -> Bool { InboxFileName.isValid(name) }

    /// Whether a file has waited for so long that it will not be recorded any more.
    package func isOld(_ name: String) -> Bool {
        let modified = (try? FileSystem.status(of: newPath + "/" + name))??.modified ?? .max
        return modified < SystemClock.sinceEpoch().seconds - Self.secondsOfWaiting
    }

    private func names(
        in directory: String, limit: Int = .max, where isIncluded: (String) -> Bool = { _ in true }
    ) throws -> [String] {
        do { return try FileSystem.names(in: directory, limit: limit, where: isIncluded) } catch {
            guard error.isNotFound else { throw error }
            return []
        }
    }

    /// The bytes of a file that waits; nil if it is gone.
    ///
    /// - Throws: `Rejection` if it is no file that an inbox made.
    package func read(_ name: String) throws -> [UInt8]? {
        let file = newPath + "/" + name
        guard let status = try FileSystem.status(of: file) else { return nil }
        guard InboxFileName.isValid(name) else { throw Rejection("the name is not one of an inbox") }
        guard status.kind == .file, status.links == 1 else {
            throw Rejection("it is a link, a directory or something else that is not a file")
        }
        guard status.size <= InboxFile.maximumSealedBytes else { throw Rejection("the file is too large") }
        do {
            // One byte more shows a file that grew meanwhile, which has no trailer at its end.
            return try FileSystem.read(file, limit: status.size + 1)
        } catch {
            guard !error.isNotFound else { return nil }
            throw error
        }
    }

    /// Removes a file that was recorded.
    package func remove(_ name: String) throws { try FileSystem.removeFile(newPath + "/" + name) }

    /// Puts a file that cannot be recorded aside, with its reason next to it; see ``limitRejected()``.
    package func reject(_ name: String, because reason: String) throws {
        // Any other name could be too long, or that of another file's reason.
        let isFree = try FileSystem.status(of: rejectedPath + "/" + name)?.kind != .directory
        let kept = InboxFileName.isValid(name) && isFree ? name : InboxFileName.next()
        let rejected = rejectedPath + "/" + kept
        // A copy that was rejected before makes room.
        try FileSystem.removeFile(rejected)
        try FileSystem.rename(newPath + "/" + name, to: rejected)
        try? FileSystem.removeFile(rejected + Self.reasonSuffix)
        try? FileSystem.create(rejected + Self.reasonSuffix, bytes: Array((reason + "\n").utf8))
    }

    /// Removes the earliest of the files that were rejected, if there are more than are kept. Costs a list of all.
    package func limitRejected() throws {
        for name in try names(in: rejectedPath, where: InboxFileName.isValid).dropLast(Self.rejectedFiles) {
            try? FileSystem.removeFile(rejectedPath + "/" + name)
            try? FileSystem.removeFile(rejectedPath + "/" + name + Self.reasonSuffix)
        }
    }

    /// Removes the files that were rejected; they may hold anything. Directories, which no inbox makes, stay.
    package func removeRejected() throws {
        for name in try names(in: rejectedPath) { try FileSystem.removeFile(rejectedPath + "/" + name) }
    }

    /// Removes files that were being written by processes that were killed.
    package func removeUnfinished() {
        OwnFiles.removeLeft(in: temporaryPath, alsoAhead: true, named: InboxFileName.isValid) { $1.kind == .file }
    }
}
