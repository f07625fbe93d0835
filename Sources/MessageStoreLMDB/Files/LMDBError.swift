internal import MessageStoreCLMDB

/// A failed LMDB call: what was tried, where, and LMDB's own code.
package struct LMDBError: Error, Hashable, Sendable, CustomStringConvertible {
    /// LMDB's return code: an `MDB_…` constant, or an `errno` value where positive.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: Int32

        package init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        package static let notFound = Code(rawValue: MDB_NOTFOUND)
        package static let keyExists = Code(rawValue: MDB_KEYEXIST)
        package static let mapFull = Code(rawValue: MDB_MAP_FULL)
        package static let mapResized = Code(rawValue: MDB_MAP_RESIZED)
        package static let corrupted = Code(rawValue: MDB_CORRUPTED)
        package static let pageNotFound = Code(rawValue: MDB_PAGE_NOTFOUND)
        package static let versionMismatch = Code(rawValue: MDB_VERSION_MISMATCH)
        package static let invalid = Code(rawValue: MDB_INVALID)
        /// All slots for readers are taken, over all processes.
        package static let readersFull = Code(rawValue: MDB_READERS_FULL)
        /// Writing the end of a commit failed, and the environment cannot be used until it is opened anew.
        package static let panic = Code(rawValue: MDB_PANIC)
        package static let badValueSize = Code(rawValue: MDB_BAD_VALSIZE)
        /// The same environment is open already in this process (not an LMDB code).
        package static let alreadyOpen = Code(rawValue: -1_000_001)
        /// The file fails the checks made before LMDB maps it (not an LMDB code).
        package static let failedPreflight = Code(rawValue: -1_000_002)
        /// The seal of a value does not fit its key (not an LMDB code).
        package static let brokenSeal = Code(rawValue: -1_000_003)
        /// A sealed value has not the checksum that it was written with (not an LMDB code).
        package static let failedChecksum = Code(rawValue: -1_000_004)
    }

    package let code: Code
    package let operation: String
    package let path: String
    /// The problem, if the code alone does not name it; never holds stored content.
    package let detail: String?
    /// Whether the environment holds a cache, so that damage to it loses nothing.
    package let isInCache: Bool

    package init(_ code: Code, operation: String, path: String, detail: String? = nil, isInCache: Bool = false) {
        self.code = code
        self.operation = operation
        self.path = path
        self.detail = detail
        self.isInCache = isInCache
    }

    /// True if the file, not the call or the machine, is at fault.
    package var isDamage: Bool {
        switch code {
        case .corrupted, .pageNotFound, .invalid, .versionMismatch, .failedPreflight, .brokenSeal, .failedChecksum: true
        default: false
        }
    }

    /// True if one value cannot be opened.
    package var isOfSealedValue: Bool { code == .brokenSeal || code == .failedChecksum }

    /// True if there is no room for more: on the medium, in a quota, or within a limit on the size of files.
    package var isFull: Bool { FileError.isFull(code.rawValue) }

    package var description: String {
        // Numbers of this library's own say less than its words.
        if let detail, code == .alreadyOpen { return "\(operation) failed at \(path): \(detail)" }
        let reason = detail ?? String(cString: mdb_strerror(code.rawValue))
        return "\(operation) failed at \(path): \(reason) (\(code.rawValue))"
    }
}
