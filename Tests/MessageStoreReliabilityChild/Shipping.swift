import Dispatch
import MessageStore
import MessageStoreShipping
import MessageStoreWorkload

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A writer that ships to a folder, and a reader that restores from it.
enum Shipping {
    static let account: UserID = "me"

    /// Records, redacts and ships until it is killed, or so many rounds; acknowledges what was shipped.
    static func ship(_ directory: String, seed: UInt64, rounds: Int) async throws {
        var configuration = MessageStore.Configuration()
        configuration.bufferBytes = 64 << 10
        let store = try await MessageStore.open(directory + "/store", account: account, configuration: configuration)
        var options = LogShipper.Options()
        (options.eventsPerBase, options.segmentBytes) = (120, 4096)
        let carrier = try FolderCarrier(directory + "/place", objectSize: 16 << 10)
        let shipper = LogShipper(of: store, to: carrier, options: options)
        acknowledge(.origin)
        var random = SplitMix64(seed: seed)
        for _ in 0..<rounds {
            for _ in 0...random.nextIndex(3) { try record(store, &random) }
            let last = try store.lastPosition().rawValue
            if random.chance(0.3) {
                let position = Position(1 + UInt64(random.nextIndex(Int(last))))
                try await store.redact(position)
            }
            acknowledge(try await shipper.ship(base: random.chance(0.03)).position)
        }
        try await store.close()
    }

    private static func record(_ store: MessageStore, _ random: inout SplitMix64) throws {
        let first = try store.lastPosition().rawValue + 1
        let events = (first...first + UInt64(random.nextIndex(8))).map { number in
            Event.received(
                ServerMessageID("m\(number)"), from: UserID("u\(number % 5)"), in: .group("g\(number % 7)"),
                at: Timestamp(milliseconds: 1_700_000_000_000 + Int64(number)), content: .text(word(number)))
        }
        try store.record(events)
    }

    /// The text of the message at a position.
    static func word(_ number: UInt64) -> String { "secret-\(number)-" }

    /// Restores again and again until it is killed; acknowledges the last position of each copy.
    static func restore(_ directory: String, number: UInt64) async throws {
        let carrier = try FolderCarrier(directory + "/place")
        acknowledge(.origin)
        for attempt in 0... {
            let path = directory + "/copy-\(number)-\(attempt)"
            do { acknowledge(try await LogRestorer(from: carrier).restore(to: path)) } catch let error as StoreError
                where error.code == .storeMissing || error.code == .segmentMissing
            {
                // The writer has not begun, or was faster three times.
                continue
            }
        }
    }
}
