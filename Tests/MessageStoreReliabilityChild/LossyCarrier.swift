import MessageStoreLMDB
import MessageStoreLog
import MessageStoreShipping
import MessageStoreWorkload

/// A carrier that now and then does a call twice, or loses the answer to one that took effect.
struct LossyCarrier: Carrier {
    private let base: any Carrier
    private let random: Locked<SplitMix64>

    init(_ base: any Carrier, seed: UInt64) { (self.base, random) = (base, Locked(SplitMix64(seed: seed))) }

    var objectSize: Int { base.objectSize }
    var description: String { base.description }

    func put(_ bytes: [UInt8], ifAbsent name: String) async throws -> Bool {
        try await call { try await base.put(bytes, ifAbsent: name) }
    }

    func get(_ name: String) async throws -> [UInt8]? { try await call { try await base.get(name) } }

    func list(_ prefix: String, after name: String?) async throws -> [String] {
        try await call { try await base.list(prefix, after: name) }
    }

    func replace(_ name: String, with bytes: [UInt8]) async throws {
        try await call { try await base.replace(name, with: bytes) }
    }

    func remove(_ name: String) async throws { try await call { try await base.remove(name) } }

    private func call<Result>(_ body: () async throws -> Result) async throws -> Result {
        let fate = random.withLock { $0.nextIndex(60) }
        if fate == 0 { _ = try await body() }
        let result = try await body()
        if fate == 1 { throw StoreError(.carrierFailed, "the answer was lost") }
        return result
    }
}
