import MessageStore
import MessageStoreModel
import MessageStoreSearch
import MessageStoreSharing
import MessageStoreShipping
import MessageStoreWorkload

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Does everything that puts bytes into files until it is killed: by the test, or by itself at one of its seals.
struct SealedWriting {
    /// A piece of work.
    private enum Work: CaseIterable {
        case sync, package, flush, index, inbox, waiting, segment, backup, ship, rebuild, compact, suspend, verify
    }

    private let scene: PersonalScene
    /// Another one for each process of a scene.
    private let round: UInt64
    private let key: KeySource?

    /// - Parameters:
    ///   - ledger: The file of the nonces; nil for a store without a key.
    ///   - seal: The seal at which the process ends; nil for none.
    init(_ directory: String, round: UInt64, ledger: String?, killedAt seal: Int?) throws {
        (scene, self.round) = (PersonalScene(directory), round)
        key = try ledger.map { try NonceFile($0, killsAt: seal).source(PersonalScene.key) }
    }

    /// Works until it is killed; acknowledges what is durable. An error ends the process.
    func run() async throws {
        var configuration = scene.configuration(key)
        configuration.laggingProjections = [SearchIndex()]
        let store = try await MessageStore.open(
            scene.store, account: PersonalScene.account, configuration: configuration)
        acknowledge(.origin)
        let carrier = try FolderCarrier(scene.place, objectSize: 16 << 10)
        var options = LogShipper.Options()
        (options.eventsPerBase, options.segmentBytes) = (150, 4096)
        let shipper = LogShipper(of: store, to: carrier, options: options)
        var random = SplitMix64(seed: round &* 0x9E37_79B9)
        for step in 0... {
            // Each once, and then at random.
            let work = step < Work.allCases.count ? step : random.nextIndex(Work.allCases.count)
            switch Work.allCases[work] {
            case .sync: try await sync(store)
            case .ship: try await shipper.ship()
            default: try run(Work.allCases[work], step, store)
            }
            acknowledge(try lastDurablePosition(of: store))
            if step + 1 == Work.allCases.count { acknowledge(Position(PersonalScene.everythingDone)) }
        }
    }

    private func lastDurablePosition(of store: MessageStore) throws -> Position { try store.lastDurablePosition() }

    /// The packages after those that the store has.
    private func packets(_ count: UInt32, after store: MessageStore) throws -> [OfflinePackage] {
        let cursor = try store.read { try $0.syncCursor(PersonalEvents.cursor) } ?? []
        let last = UInt32(String(decoding: cursor, as: UTF8.self)) ?? 0
        return (last + 1...last + count).map(PersonalEvents.packet)
    }

    private func sync(_ store: MessageStore) async throws {
        let packets = try packets(3, after: store)
        let stream = AsyncStream<OfflinePackage> { continuation in
            for packet in packets { continuation.yield(packet) }
            continuation.finish()
        }
        try await store.ingest(stream) { _, result in acknowledge(result.lastPosition) }
    }

    private func run(_ work: Work, _ step: Int, _ store: MessageStore) throws {
        let name = "/\(round)-\(step)"
        switch work {
        case .package: try store.ingest(packets(1, after: store)[0])
        case .flush: try store.flush()
        case .index: try store.catchUp(SearchIndex.id)
        case .inbox:
            let number = round << 20 + UInt64(step)
            try handOver(PersonalScene.handedOverID(number), number, to: scene.inbox)
            acknowledge(Position(PersonalScene.handedOver + number))
            try store.drainInbox()
        case .waiting: try handOver("waiting-\(step)", UInt64(step), to: scene.waiting)
        case .segment:
            let last = try store.lastPosition().rawValue
            try store.writeSegment(after: Position(last - min(last, 40)), to: scene.segments + name)
        case .backup: try store.backup(to: scene.backups + name)
        case .rebuild: try store.rebuild()
        case .compact: try store.compact()
        case .suspend:
            try store.suspend()
            try store.resume()
        case .verify: guard try store.verify().isConsistent else { exit(67) }
        case .sync, .ship: exit(64)
        }
    }

    private func handOver(_ id: ServerMessageID, _ number: UInt64, to inbox: String) throws {
        try Inbox(at: inbox, account: PersonalScene.account, key: key).handOver([PersonalEvents.message(id, number)])
    }
}
