#if os(macOS) || os(Linux)
import Foundation
import MessageStore
import MessageStoreModel
import MessageStoreTestKit
import MessageStoreWorkload
import Testing

/// A store whose process is killed again and again, with all that it hands to others, and what it has to hold.
struct KilledStore {
    private struct Earlier {
        let path: String
        let durable: UInt64
    }

    let directory: TemporaryDirectory
    let scene: PersonalScene
    /// Notes the seals of this process; nil for a store in clear.
    private let ledger: NonceFile?
    private let name: String
    private var random: SplitMix64
    /// The payloads of the first events: samples of all types that hold what people wrote.
    private var samples: [AnyHashable] = []
    /// The last position that was acknowledged.
    private var durable: UInt64 = 0
    /// The messages that were handed over and have to be there.
    private var handedOver: Set<UInt64> = []
    private var earlier: Earlier?

    init(seed: UInt64, ledger: NonceFile?) throws {
        (directory, self.ledger, name) = (try TemporaryDirectory(), ledger, "seed \(seed)")
        scene = PersonalScene(directory.path + "/scene")
        random = SplitMix64(seed: seed)
        for path in [scene.directory, scene.backups, scene.segments, scene.temporary] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        let store = try open()
        for sample in SampleEvents.all where sample.type != .valuesErased {
            let event = try PersonalEvents.marked(sample)
            guard "\(event.payload)".contains(PersonalEvents.word) else { continue }
            // Some samples name messages that there are none of.
            _ = try? store.record(event)
        }
        samples = try store.events(limit: .max).map { AnyHashable($0.event.payload) }
        try store.close()
        #expect(samples.count > 20)
    }

    /// The key as this process gives it.
    private var key: KeySource? { ledger?.source(PersonalScene.key) }

    private func open() throws -> MessageStore {
        try MessageStore.open(
            scene.store, account: PersonalScene.account, configuration: scene.configuration(key))
    }

    /// A child that works in the scene.
    private func child(_ round: Int, killedAt seal: Int?) throws -> ChildProcess {
        let ledger = ledger.map { [$0.path] + (seal.map { ["\($0)"] } ?? []) } ?? []
        return try ChildProcess(
            ["sealed", scene.directory, "\(round)"] + ledger, environment: ["TMPDIR": scene.temporary],
            untilReady: seal == nil)
    }

    /// Runs the child until it has done everything once, and kills it.
    mutating func runOnce() throws {
        let child = try child(1, killedAt: nil)
        var count = 1
        while try !child.acknowledgements(count).contains(PersonalScene.everythingDone),
            child.acknowledged.count == count
        {
            count += 1
        }
        try child.kill()
        try #require(child.acknowledged.contains(PersonalScene.everythingDone), "the child ended early")
        note(child.acknowledged)
    }

    /// Runs the child until it is killed at a random moment: at one of its seals, or after some work.
    mutating func kill(_ round: Int) throws {
        // Few are made while it opens, that is recovers from the last kill.
        let isEarly = random.chance(0.3)
        let seal = 1 + random.nextIndex(isEarly ? 60 : 2_500)
        if ledger != nil, random.chance(0.6) {
            let child = try child(round, killedAt: seal)
            let end = try child.wait()
            try #require(end == .killed(signal: SIGKILL), "\(name), kill \(round) at seal \(seal)")
            note(child.acknowledged)
        } else {
            let child = try child(round, killedAt: nil)
            _ = try child.acknowledgements(2 + random.nextIndex(20))
            try child.kill()
            note(child.acknowledged)
        }
        guard random.chance(0.3) else { return }
        // As the kill left it: what is opened below, and again when the directory is set back.
        let path = directory.path + "/earlier-\(round)"
        try FileManager.default.copyItem(atPath: scene.store, toPath: path)
        earlier = Earlier(path: path, durable: durable)
    }

    private mutating func note(_ acknowledged: [UInt64]) {
        let messages = acknowledged.filter { (PersonalScene.handedOver..<PersonalScene.everythingDone).contains($0) }
        handedOver.formUnion(messages.map { $0 - PersonalScene.handedOver })
        durable = max(durable, acknowledged.filter { $0 < PersonalScene.handedOver }.max() ?? 0)
    }

    /// Puts an earlier copy of the store in its place, now and then.
    mutating func setBack(_ round: Int) throws {
        guard let earlier, random.chance(0.4) else { return }
        try FileManager.default.removeItem(atPath: scene.store)
        try FileManager.default.copyItem(atPath: earlier.path, toPath: scene.store)
        // The place has events that this store does not have any more, and other ones will be in theirs.
        try? FileManager.default.removeItem(atPath: scene.place)
        (durable, handedOver) = (earlier.durable, [])
    }

    /// The files that have a word or the host's key, of all that are in the scene.
    func filesWithWords() -> Set<String> {
        FileHunt.files(below: scene.directory, having: [Array(PersonalEvents.word.utf8), PersonalScene.key])
    }

    /// Opens the store and compares what it has with what was acknowledged.
    ///
    /// - Parameter isLast: Whether the views are compared with a replay, too.
    mutating func check(_ round: Int, isLast: Bool) throws {
        guard isLast || random.chance(0.6) else {
            // The next child has to recover by itself.
            let reader = try MessageStore.openReadOnly(scene.store, configuration: scene.configuration(key))
            try compare(reader, round, isDrained: false)
            return try reader.close()
        }
        let store = try open()
        try store.drainInbox()
        try compare(store, round, isDrained: true)
        if isLast { #expect(try store.verify().isConsistent, "\(name), kill \(round)") }
        try store.close()
    }

    private func compare(_ store: MessageStore, _ round: Int, isDrained: Bool) throws {
        let last = try store.lastPosition().rawValue
        let events = try store.events(limit: .max).map(\.event)
        let isThere = last >= durable && events.count == Int(last)
        #expect(isThere, "\(name), kill \(round): \(events.count) events up to \(last); \(durable) was acknowledged")
        let numbers = events.compactMap(PersonalScene.handedOverNumber)
        let isOnce = Set(numbers).count == numbers.count
        let isComplete = !isDrained || handedOver.isSubset(of: numbers)
        #expect(isOnce && isComplete, "\(name), kill \(round): handed over")
        let payloads = events.filter { PersonalScene.handedOverNumber(of: $0) == nil }
            .filter { ($0.payload as? SessionStateChanged)?.state != .interrupted }.map { AnyHashable($0.payload) }
        var (expected, number) = (samples, UInt32(0))
        // A package that is there in part would end elsewhere.
        while expected.count < payloads.count {
            number += 1
            expected += PersonalEvents.recorded(PersonalEvents.packet(number))
        }
        let difference = payloads.indices.first { expected.count <= $0 || payloads[$0] != expected[$0] }
        let isEqual = difference == nil && payloads.count == expected.count
        #expect(isEqual, "\(name), kill \(round): \(payloads.count) and \(expected.count) events, \(difference ?? -1)")
    }
}
#endif
