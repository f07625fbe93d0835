internal import MessageStoreLMDB
package import MessageStoreLog
package import MessageStoreSealing

/// The nonces by which keys have sealed: none may come twice.
package final class NonceLedger: Sendable {
    private struct State {
        var nonces: [UInt64: Set<UInt64>] = [:]
        var repeats = 0
    }

    private let state = Locked(State())

    package init() {}

    /// A key all of whose seals are noted, and those of all keys that follow from it.
    package func key(_ number: UInt8) throws -> SecretKey {
        try SecretKey([UInt8](repeating: number, count: SecretKey.byteCount), ledger: note)
    }

    /// The same as a host gives it.
    package func source(_ number: UInt8) -> KeySource {
        KeySource(ledger: note) { [UInt8](repeating: number, count: SecretKey.byteCount) }
    }

    private var note: SecretKey.Ledger {
        { [state] key, nonce in
            state.withLock { state in
                if !state.nonces[key, default: []].insert(nonce).inserted { state.repeats += 1 }
            }
        }
    }

    /// How many nonces came twice under a key.
    package var repeats: Int { state.withLock { $0.repeats } }

    /// How many seals were made.
    package var seals: Int { state.withLock { $0.nonces.values.reduce(0) { $0 + $1.count } } }

    /// How many keys have sealed.
    package var keys: Int { state.withLock { $0.nonces.count } }
}
