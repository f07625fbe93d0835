internal import MessageStoreShipping
internal import Synchronization

/// A carrier that counts the calls to another one.
final class CountedCarrier<Base: Carrier>: Carrier {
    private let base: Base
    private let counted = Mutex((writing: 0, reading: 0))

    init(_ base: Base) { self.base = base }

    /// The calls since this was asked last: of those that put, replace or remove, or list, and of those that get.
    ///
    /// Services charge for them apart.
    func takeCalls() -> (writing: Int, reading: Int) {
        counted.withLock { counted in
            defer { counted = (0, 0) }
            return counted
        }
    }

    var objectSize: Int { base.objectSize }
    var description: String { base.description }

    func put(_ bytes: [UInt8], ifAbsent name: String) async throws -> Bool {
        counted.withLock { $0.writing += 1 }
        return try await base.put(bytes, ifAbsent: name)
    }

    func get(_ name: String) async throws -> [UInt8]? {
        counted.withLock { $0.reading += 1 }
        return try await base.get(name)
    }

    func list(_ prefix: String, after name: String?) async throws -> [String] {
        counted.withLock { $0.writing += 1 }
        return try await base.list(prefix, after: name)
    }

    func replace(_ name: String, with bytes: [UInt8]) async throws {
        counted.withLock { $0.writing += 1 }
        try await base.replace(name, with: bytes)
    }

    func remove(_ name: String) async throws {
        counted.withLock { $0.writing += 1 }
        try await base.remove(name)
    }
}
