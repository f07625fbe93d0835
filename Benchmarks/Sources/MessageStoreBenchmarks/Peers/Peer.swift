internal import MessageStore

/// Who takes part in a sync.
enum Peer: String, CaseIterable {
    case store
    case stream
    case raw
    case naive
    case grdbFull = "grdb-full"
    case grdbEvents = "grdb-events"
    case grdbNormal = "grdb-normal"
    case rocksdb
    case flushControl = "flush-control"

    var title: String {
        switch self {
        case .store: "MessageStore"
        case .stream: "MessageStore, packages as a stream"
        case .raw: "raw LMDB append of the same bytes"
        case .naive: "LMDB, log and two indexes in one transaction"
        case .grdbFull: "GRDB, WAL, synchronous FULL"
        case .grdbEvents: "GRDB with an event table, WAL, synchronous FULL"
        case .grdbNormal: "GRDB, WAL, synchronous NORMAL"
        case .rocksdb: "RocksDB, synchronous batches"
        case .flushControl: "flush control: the same bytes, one write and one flush a package"
        }
    }

    /// What charts and sentences call it.
    var name: String {
        switch self {
        case .store: "MessageStore"
        case .stream: "MessageStore, stream"
        case .raw: "LMDB append"
        case .naive: "LMDB with indexes"
        case .grdbFull: "GRDB"
        case .grdbEvents: "GRDB with events"
        case .grdbNormal: "GRDB, NORMAL"
        case .rocksdb: "RocksDB"
        case .flushControl: "bytes alone"
        }
    }

    var isSlow: Bool { [.naive, .grdbFull, .grdbEvents, .grdbNormal].contains(self) }
    /// Whether it recognises every event again, and keeps all others.
    var keepsEvents: Bool { [.store, .stream, .grdbEvents, .rocksdb].contains(self) }
    /// Whether each package that it acknowledges has waited for the medium by itself.
    var flushesEachPackage: Bool { ![.stream, .grdbNormal].contains(self) }

    /// Opens the peer's files in a directory, which has them already if the peer was there before.
    ///
    /// - Parameter sizes: The records that the store made of the backlog, for peers without an encoding of their own.
    func open(
        in directory: String, _ backlog: Backlog, _ sizes: RecordSizes,
        configuration: MessageStore.Configuration = .init()
    ) throws -> any SyncPeer {
        let path = directory + "/db"
        return switch self {
        case .store: try StorePeer(at: path, backlog, configuration: configuration)
        case .stream: try StreamPeer(at: path, backlog, configuration: configuration)
        case .raw: try RawPeer(at: path, sizes)
        case .naive: try NaivePeer(at: path, sizes)
        case .grdbFull: try SQLitePeer(at: path + ".sqlite", backlog, .full)
        case .grdbEvents: try SQLitePeer(at: path + ".sqlite", backlog, .full, keepsEvents: true)
        case .grdbNormal: try SQLitePeer(at: path + ".sqlite", backlog, .normal)
        case .rocksdb: try RocksPeer(at: path, backlog, sizes)
        case .flushControl: try FlushControlPeer(at: path, sizes)
        }
    }
}
