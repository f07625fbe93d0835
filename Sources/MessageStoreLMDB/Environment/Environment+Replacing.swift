/// Directories of environments that others took the place of.
extension Environment {
    /// Follows the name of an environment's directory, before a number, in the name of one next to it.
    package enum Mark: String, CaseIterable {
        /// A build of views.
        case building = ".build-"
        /// A log that a compaction writes.
        case compacting = ".compacting-"
        /// One whose place another one took.
        case retired = ".retired-"
    }

    /// Puts the directory of this environment, which is on the medium, in the place of another one's, in one step where
    /// the file system has such a step, and synchronises their parent; where that fails, both are where they were.
    ///
    /// A crash leaves the old or the new directory at its path, or none there and the old one as the last that is retired.
    package func replace(_ other: Environment) throws {
        let (path, new) = (other.path, path)
        let retired = try Self.retiredPath(nextTo: path)
        try FileSystem.replace(path, by: new, keepingAs: retired) {
            try FileSystem.synchronize(FileSystem.parent(of: path))
        }
        other.moved(to: retired)
        moved(to: path)
    }

    /// Whether this process or another one has the environment in a directory open.
    package static func isOpen(in directory: String) throws -> Bool {
        guard let status = try FileSystem.status(of: directory) else { return false }
        if EnvironmentRegistry.isOpen(.init(device: status.device, inode: status.inode)) { return true }
        return try LockFile.isUsed(directory + "/lock.mdb")
    }

    /// Removes the retired directories next to `path`, as far as no process has them open (see ``OwnFiles``); answers
    /// whether none is left.
    ///
    /// - Parameter made: The mark of directories that a crash left unfinished, which go as well; an open one is
    ///   retired.
    @discardableResult
    package static func removeUnused(nextTo path: String, made: Mark? = nil) throws -> Bool {
        var isNoneLeft = true
        for mark in [made, .retired].compactMap({ $0 }) {
            for found in try directories(nextTo: path, mark) {
                guard OwnFiles.fill(found.path) else {
                    isNoneLeft = isNoneLeft && mark != .retired
                    continue
                }
                if try !isOpen(in: found.path) {
                    try FileSystem.remove(found.path)
                } else if mark == .retired {
                    isNoneLeft = false
                } else {
                    try FileSystem.rename(found.path, to: retiredPath(nextTo: path))
                }
            }
        }
        return isNoneLeft
    }

    /// The directories next to `path` whose names continue its own with a mark and a number in hexadecimal, by that.
    package static func directories(nextTo path: String, _ mark: Mark) throws -> [(path: String, number: UInt64)] {
        let (parent, own) = (FileSystem.parent(of: path), path.split(separator: "/").last.map(String.init) ?? "")
        let beginning = own + mark.rawValue
        return try FileSystem.names(in: parent).compactMap { name in
            guard name.hasPrefix(beginning), let number = UInt64(name.dropFirst(beginning.count), radix: 16) else {
                return nil
            }
            return (parent + "/" + name, number)
        }.sorted { $0.number < $1.number }
    }

    /// A path next to `path` for one that is being made.
    package static func newPath(nextTo path: String, _ mark: Mark) -> String {
        path + mark.rawValue + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// The path that follows the paths of retired directories.
    package static func retiredPath(nextTo path: String) throws -> String {
        let last = try directories(nextTo: path, .retired).last?.number ?? 0
        return path + Mark.retired.rawValue + String(last &+ 1, radix: 16)
    }
}
