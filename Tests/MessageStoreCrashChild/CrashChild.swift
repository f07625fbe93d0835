import MessageStore
import MessageStoreTestKit

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A process that writes stores until it is killed: `MessageStoreCrashChild append|create PATH SEED`.
///
/// It tells each acknowledged position as 8 bytes on its standard output, and ends when nobody reads them any more.
@main
enum CrashChild {
    static func main() throws {
        guard CommandLine.arguments.count == 4, let seed = UInt64(CommandLine.arguments[3]) else { exit(64) }
        switch CommandLine.arguments[1] {
        case "append": try append(CommandLine.arguments[2], seed)
        case "create": try create(CommandLine.arguments[2])
        default: exit(64)
        }
    }

    /// Goes on with the seed's stream of batches where the store ends.
    private static func append(_ path: String, _ seed: UInt64) throws {
        var configuration = MessageStore.Configuration()
        configuration.bufferBytes = 16 << 10
        configuration.mapBytes = 1 << 20
        let store = try MessageStore.open(path, account: RandomEvents.account, configuration: configuration)
        let last = try store.lastPosition()
        var stream = CrashStream(seed: seed)
        while stream.model.lastPosition < last { _ = stream.next() }
        guard stream.model.lastPosition == last else { exit(65) }
        tell(last)
        var random = SplitMix64(seed: seed &+ last.rawValue)
        while true {
            let result = try store.record(stream.next())
            guard result.lastPosition == stream.model.lastPosition else { exit(66) }
            tell(result.lastPosition)
            if random.chance(0.05) { try store.rebuild() }
            if random.chance(0.05) { try store.flush() }
        }
    }

    /// Makes one store after another at `path` and a number.
    private static func create(_ path: String) throws {
        var number: UInt64 = 0
        while true {
            tell(Position(number))
            let store = try MessageStore.open("\(path)\(number)", account: RandomEvents.account)
            try store.record(Event(OfflineSyncCompleted()))
            try store.close()
            number += 1
        }
    }

    private static func tell(_ position: Position) {
        let written = withUnsafeBytes(of: position.rawValue.littleEndian) { write(1, $0.baseAddress, $0.count) }
        guard written == MemoryLayout<UInt64>.size else { exit(0) }
    }
}
