import Dispatch
import MessageStore
import MessageStoreShipping
import MessageStoreWorkload

#if JetStream
import MessageStoreJetStream
#endif
#if S3
import MessageStoreS3
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A writer that ships, and a reader that restores what was shipped. Both continue while the place's server is away.
struct Shipping {
    static let account: UserID = "me"
    /// So many bytes of an object make several of each base.
    private static let objectSize = 16 << 10

    let directory: String
    /// `folder`, or `s3` or `jetstream` with a colon and the port of the test's server.
    let place: String

    /// Records, redacts and ships until it is killed; acknowledges what was shipped. With an even seed the shipper runs by
    /// itself, and bases for erased words wait.
    func ship(seed: UInt64) async throws {
        var configuration = MessageStore.Configuration.ofTests
        configuration.bufferBytes = 64 << 10
        let store = try await MessageStore.open(
            directory + "/store", account: Self.account, configuration: configuration)
        var options = LogShipper.Options()
        (options.eventsPerBase, options.segmentBytes) = (120, 4096)
        (options.interval, options.erasureInterval) = (.milliseconds(10), .milliseconds(150))
        let shipper = LogShipper(of: store, to: LossyCarrier(try carrier(), seed: seed), options: options)
        acknowledge(.origin)
        var random = SplitMix64(seed: seed)
        let runs = seed.isMultiple(of: 2)
        if runs {
            Task.detached {
                try? await shipper.run { if case .success(let report) = $0 { acknowledge(report.position) } }
                exit(3)
            }
        }
        while true {
            for _ in 0...random.nextIndex(3) { try record(store, &random) }
            let last = try store.lastPosition().rawValue
            if random.chance(0.3) {
                let position = Position(1 + UInt64(random.nextIndex(Int(last))))
                try await store.redact(position)
            }
            guard !runs else {
                usleep(20_000)
                continue
            }
            do { acknowledge(try await shipper.ship(base: random.chance(0.03)).position) } catch let error as StoreError
                where error.code == .carrierFailed
            {
                // The server that was killed starts again, and says to nobody when.
                usleep(50_000)
            }
        }
    }

    private func record(_ store: MessageStore, _ random: inout SplitMix64) throws {
        let first = try store.lastPosition().rawValue + 1
        let events = (first...first + UInt64(random.nextIndex(8))).map { number in
            Event.received(
                ServerMessageID("m\(number)"), from: UserID("u\(number % 5)"), in: .group("g\(number % 7)"),
                at: Timestamp(milliseconds: 1_700_000_000_000 + Int64(number)),
                content: .text("secret-\(number)-secret-\(number)-"))
        }
        try store.record(events)
    }

    /// Restores again and again until it is killed; acknowledges the last position of each copy.
    func restore(number: UInt64) async throws {
        let carrier = LossyCarrier(try carrier(), seed: number)
        acknowledge(.origin)
        for attempt in 0... {
            let path = directory + "/copy-\(number)-\(attempt)"
            let restorer = LogRestorer(from: carrier, key: TemporaryStore.key)
            do { acknowledge(try await restorer.restore(to: path)) } catch let error as StoreError
                where [.storeMissing, .segmentMissing, .carrierFailed].contains(error.code)
            {
                // The writer has not begun, or was faster three times.
                if error.code == .carrierFailed { usleep(50_000) }
            }
        }
    }

    private func carrier() throws -> any Carrier {
        let words = place.split(separator: ":").map(String.init)
        switch (words.first, words.last ?? "") {
        case ("folder", _): return try FolderCarrier(directory + "/place", objectSize: Self.objectSize)
        #if S3
        case ("s3", let port):
            var configuration = S3Carrier.Configuration(
                endpoint: "http://127.0.0.1:\(port)", bucket: "bucket", accessKey: "access", secretKey: "secret")
            configuration.objectSize = Self.objectSize
            return try S3Carrier(configuration)
        #endif
        #if JetStream
        case ("jetstream", let port):
            var configuration = JetStreamCarrier.Configuration(
                servers: ["nats://127.0.0.1:\(port)"], stream: "TEST", prefix: "place")
            configuration.objectSize = Self.objectSize
            return try JetStreamCarrier(configuration)
        #endif
        default: exit(64)
        }
    }
}
