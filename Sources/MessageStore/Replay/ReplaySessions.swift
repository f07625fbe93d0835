internal import MessageStoreLMDB

/// The sessions of a store that are to end when it is closed.
final class ReplaySessions: Sendable {
    private struct Reference: Sendable { weak let session: ReplaySession? }

    private let references = Locked<[Reference]>([])

    func add(_ session: ReplaySession) {
        references.withLock { references in
            references.removeAll { $0.session == nil }
            references.append(Reference(session: session))
        }
    }

    func end() {
        for reference in references.withLock({ $0 }) { reference.session?.end() }
    }
}
