/// Directories of environments that others took the place of.
extension Environment {
    /// Puts the directory of this environment, which is on the medium, in the place of another one's, in one step where
    /// the file system has such a step, and synchronises their parent; where that fails, both are where they were.
    ///
    /// A crash leaves the old or the new directory at its path, or none there and the old one at `retired`.
    ///
    /// - Parameter retired: Where the other directory is afterwards.
    package func replace(_ other: Environment, retiredTo retired: String) throws {
        let (path, new) = (other.path, path)
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

    /// Removes the directories next to `path` whose names continue its own with a mark and a number, as far as no process
    /// has them open (see ``OwnFiles``); answers whether none is left.
    ///
    /// - Parameter kept: The mark that those get which are open; nil for none.
    @discardableResult
    package static func removeUnused(nextTo path: String, mark: String, keepingAs kept: String? = nil) throws -> Bool {
        var isNoneLeft = true
        for found in try directories(nextTo: path, mark: mark) where OwnFiles.fill(found.path) {
            if try !isOpen(in: found.path) {
                try FileSystem.remove(found.path)
            } else {
                isNoneLeft = false
                if let kept { try FileSystem.rename(found.path, to: nextPath(nextTo: path, mark: kept)) }
            }
        }
        return isNoneLeft
    }

    /// The directories next to `path` whose names continue its own with a mark and a number in hexadecimal, by that.
    package static func directories(nextTo path: String, mark: String) throws -> [(path: String, number: UInt64)] {
        let (parent, own) = (FileSystem.parent(of: path), path.split(separator: "/").last.map(String.init) ?? "")
        return try FileSystem.names(in: parent).compactMap { name in
            guard name.hasPrefix(own + mark), let number = UInt64(name.dropFirst((own + mark).count), radix: 16) else {
                return nil
            }
            return (parent + "/" + name, number)
        }.sorted { $0.number < $1.number }
    }

    /// A path next to `path` whose name continues its own with a mark and random digits.
    package static func newPath(nextTo path: String, mark: String) -> String {
        path + mark + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// The path that follows those that ``directories(nextTo:mark:)`` finds.
    package static func nextPath(nextTo path: String, mark: String) throws -> String {
        path + mark + String((try directories(nextTo: path, mark: mark).last?.number ?? 0) &+ 1, radix: 16)
    }
}
