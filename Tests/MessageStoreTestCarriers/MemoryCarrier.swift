internal import MessageStoreLog
internal import MessageStoreShipping
internal import MessageStoreWorkload
package import Synchronization

/// Objects in memory, and failures before or after a call took effect.
package final class MemoryCarrier: Carrier {
    package struct State {
        package var objects: [String: [UInt8]] = [:]
        var random = SplitMix64(seed: 0)
        package var failureChance = 0.0
        package var puts = 0
        fileprivate var waiting:
            [(isMet: @Sendable ([String: [UInt8]]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    package let state: Mutex<State>
    package let objectSize: Int

    package init(_ objects: [String: [UInt8]] = [:], objectSize: Int = 64 << 10) {
        state = Mutex(State(objects: objects))
        self.objectSize = objectSize
    }

    package var description: String { "memory" }
    package var objects: [String: [UInt8]] { state.withLock { $0.objects } }

    /// From now on calls fail at random, half of them after they took effect.
    package func fail(chance: Double, seed: UInt64) {
        state.withLock { ($0.failureChance, $0.random) = (chance, SplitMix64(seed: seed)) }
    }

    /// Waits until a call leaves objects that meet a condition; returns at once where they meet it already.
    package func wait(until isMet: @escaping @Sendable ([String: [UInt8]]) -> Bool) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if isMet(state.objects) { continuation.resume() } else { state.waiting.append((isMet, continuation)) }
            }
        }
    }

    package func put(_ bytes: [UInt8], ifAbsent name: String) async throws -> Bool {
        try call(name) { state in
            if state.objects[name] != nil { return false }
            state.objects[name] = bytes
            state.puts += 1
            return true
        }
    }

    package func get(_ name: String) async throws -> [UInt8]? { try call(name) { $0.objects[name] } }

    package func list(_ prefix: String, after name: String?) async throws -> [String] {
        try call(nil) { state in
            // Few at a time, so that lists have several parts.
            Array(state.objects.keys.filter { $0.hasPrefix(prefix) && $0 > name ?? "" }.sorted().prefix(7))
        }
    }

    package func replace(_ name: String, with bytes: [UInt8]) async throws {
        try call(name) { $0.objects[name] = bytes }
    }

    package func remove(_ name: String) async throws { try call(name) { $0.objects[name] = nil } }

    private func call<Result>(_ name: String?, _ body: (inout sending State) throws -> Result) throws -> Result {
        try name?.checkObjectName()
        return try state.withLock { state in
            let (failing, later) = (state.random.nextUnit() < state.failureChance, state.random.nextUnit() < 0.5)
            if failing, !later { throw StoreError(.carrierFailed, "no answer") }
            let result = try body(&state)
            for waiting in state.waiting where waiting.isMet(state.objects) { waiting.continuation.resume() }
            state.waiting.removeAll { [objects = state.objects] in $0.isMet(objects) }
            if failing { throw StoreError(.carrierFailed, "the answer was lost") }
            return result
        }
    }
}
