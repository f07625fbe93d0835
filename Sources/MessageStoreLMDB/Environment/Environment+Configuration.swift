extension Environment {
    /// How an environment is opened.
    package struct Configuration: Sendable {
        /// The access of this process to the environment.
        package enum Access: Sendable { case readOnly, readWrite, create }

        /// The promise of a commit.
        package enum Durability: Sendable {
            /// Data and meta page are on the medium when a commit returns.
            case full
            /// `MDB_NOMETASYNC`: power loss may undo the last commits, in order; `kill -9` may not.
            case relaxed
            /// `MDB_NOSYNC`: for scratch builds that are thrown away or synchronised before use.
            case none
        }

        /// When all pages of the data file are looked at before LMDB maps it; the meta pages always are.
        package enum PageCheck: Sendable {
            /// At each opening.
            case always
            /// If ``DataMark`` does not vouch for the file.
            case afterUncleanClose
        }

        package var access: Access
        package var durability: Durability
        package var pageCheck = PageCheck.afterUncleanClose
        /// Bytes of address space reserved at first; it doubles whenever the map is full.
        package var mapSize: Int
        package var maximumTables: Int
        /// Read transactions at a time, of all processes, those that processes keep for reuse included.
        package var maximumReaders: Int
        /// Whether what the environment holds can be made anew; its errors say so.
        package var isCache: Bool
        /// Called before each commit, or its substitute in the log's journal, is written, on its thread: where tests
        /// make commits slow or fail.
        package var commitFault: (@Sendable () throws -> Void)?

        package init(
            access: Access,
            durability: Durability = .full,
            mapSize: Int = 1 << 30,
            maximumTables: Int = 64,
            maximumReaders: Int = 1024,
            isCache: Bool = false
        ) {
            self.access = access
            self.durability = durability
            self.mapSize = mapSize
            self.maximumTables = maximumTables
            self.maximumReaders = maximumReaders
            self.isCache = isCache
        }
    }
}
