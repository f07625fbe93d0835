@_spi(Storage) internal import MessageStoreLog

/// The views at the log's end, taken when a batch first asks them something.
///
/// Most batches contain only events that the filter of identities does not know: they ask nothing, and need not wait
/// for the fold of the batch before.
final class LateViews {
    private let take: () throws -> ViewSnapshot
    private var taken: ViewSnapshot?

    init(_ take: @escaping () throws -> ViewSnapshot) { self.take = take }

    /// Runs `body` with the views; the same ones each time.
    func ask<Answer>(_ body: (borrowing ViewSnapshot) throws -> Answer) throws -> Answer {
        while true {
            switch taken {
            case .some(let views): return try body(views)
            case .none: break
            }
            taken = try take()
        }
    }

    /// The event of earlier commits that an identity names.
    func position(of identity: Identity, _ key: IdentityKey) throws -> Position? {
        try ask { try $0.position(of: identity, key: key) }
    }

    /// The event for which the one of an identity was cut off; nil where none was.
    func cutPosition(of key: IdentityKey) throws -> Position? {
        try ask { try $0.log.isCut(key) ? $0.log.base : nil }
    }
}
