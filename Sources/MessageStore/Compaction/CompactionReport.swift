/// The result of a compaction.
public struct CompactionReport: Sendable, Hashable {
    /// Bytes of the files of log and views before.
    public let bytesBefore: Int
    /// Bytes of them afterwards.
    public let bytesAfter: Int
    /// How many events were cut off: those that no answer needs, because others erased what they are about.
    public let cutEvents: Int
    /// Whether no file of the store holds a byte of what was erased before the compaction began. Otherwise a process,
    /// or a read of this one, still has an older file open; the file goes at a later compaction or opening.
    public let isErasureComplete: Bool
}

/// What a compaction would do now.
public struct CompactionPreview: Sendable, Hashable {
    /// Bytes of pages that hold nothing, in the files of log and views.
    public let freeBytes: Int
    /// Bytes that were erased and are still in a file.
    public let owedBytes: Int
    /// How many events it would cut off.
    public let cutEvents: Int
    /// The bytes of their records; rows of views about them are as much again, about.
    public let cutBytes: Int
}
