internal import MessageStoreLMDB

/// The names of logs that a compaction writes or replaced, next to the log's own.
package enum RetiredLog {
    static let compactionMark = ".compacting-"
    static let retiredMark = ".retired-"

    /// Puts a log back that a compaction had moved away when it was killed before the new one was in its place. Only
    /// whoever may write the store calls this.
    package static func restore(to path: String) throws {
        guard try FileSystem.status(of: path) == nil,
            // The one that was replaced last.
            let retired = try Environment.directories(nextTo: path, mark: retiredMark).last?.path
        else { return }
        try FileSystem.rename(retired, to: path)
        try FileSystem.synchronize(FileSystem.parent(of: path))
    }
}
