import MessageStoreLMDB
import MessageStoreShipping

/// Objects in memory.
final class MemoryCarrier: Carrier {
    private let state: Locked<[String: [UInt8]]>

    init(_ objects: [String: [UInt8]] = [:]) { state = Locked(objects) }

    let objectSize = 16 << 10
    var description: String { "memory" }
    var objects: [String: [UInt8]] { state.withLock { $0 } }

    func put(_ bytes: [UInt8], ifAbsent name: String) async throws -> Bool {
        state.withLock { objects in
            if objects[name] != nil { return false }
            objects[name] = bytes
            return true
        }
    }

    func get(_ name: String) async throws -> [UInt8]? { state.withLock { $0[name] } }

    func list(_ prefix: String, after name: String?) async throws -> [String] {
        state.withLock { objects in
            let names = objects.keys.filter { $0.hasPrefix(prefix) && $0 > name ?? "" }
            return Array(names.sorted().prefix(CarrierLimits.page))
        }
    }

    func replace(_ name: String, with bytes: [UInt8]) async throws { state.withLock { $0[name] = bytes } }

    func remove(_ name: String) async throws { state.withLock { $0[name] = nil } }
}
