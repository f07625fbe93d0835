import Foundation
import MessageStoreLMDB
import MessageStoreProjections

@testable import MessageStore
@testable import MessageStoreTestSupport

/// One seed: a store and the model fed with the same batches, compared all the time.
final class ModelRun {
    private let seed: UInt64
    private let directory: String
    let clock = ManualTime(startingAt: ms(1_000_000))
    /// By how many milliseconds the clock is wrong.
    private var wrongBy: Int64 = 0
    private let faults = CommitFaults()
    var random: SplitMix64
    private var events: RandomEvents
    var model: StoreModel
    var store: MessageStore
    var batches: [(events: [Event], time: Timestamp, erasure: ModelErasure?)] = []
    private(set) var step = 0
    /// The last position of the backup that there is, and the last event for which it has no more events of others.
    private var backup: (last: Position, base: Position)?

    init(seed: UInt64) throws {
        self.seed = seed
        random = SplitMix64(seed: ~seed)
        events = RandomEvents(
            seed: seed, largestBatch: seed % 5 == 0 ? 60 : 8, futureChance: seed % 3 == 0 ? 0.05 : 0,
            timerChance: Self.hasTimers(seed) ? 0.2 : 0)
        directory = FileSystem.testDirectory + "/model-\(seed)-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        model = StoreModel(
            account: RandomEvents.account, ownMessagesMarkRead: Self.ownMessagesMarkRead(seed),
            packageNumbers: Self.packageNumbers(seed))
        model.erasesHidden = Self.erasesHidden(seed)
        store = try Self.open(directory + "/store", seed, clock, faults)
    }

    private static func hasTimers(_ seed: UInt64) -> Bool { seed % 3 == 1 }

    private static func ownMessagesMarkRead(_ seed: UInt64) -> Bool { seed % 4 == 1 }

    private static func erasesHidden(_ seed: UInt64) -> Bool { seed % 5 == 2 }

    private static func packageNumbers(_ seed: UInt64) -> MessageStore.PackageNumbering {
        switch seed % 7 {
        case 3: .withoutHoles
        case 5: .strict
        default: .any
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    private static func open(
        _ path: String, _ seed: UInt64, _ clock: ManualTime, _ faults: CommitFaults = CommitFaults(),
        hasSmallBuffer: Bool = true
    ) throws -> MessageStore {
        var configuration = MessageStore.Configuration()
        faults.install(in: &configuration)
        // Now and then a group is committed by number, else by what comes after it.
        configuration.durability.groupCommit.delay = .seconds(3600)
        configuration.durability.groupCommit.batches = 8
        configuration.durability.level = .relaxed
        // The test says when.
        configuration.automaticCompaction = nil
        configuration.mapBytes = 16 << 20
        configuration.sync.ownMessagesMarkRead = ownMessagesMarkRead(seed)
        if erasesHidden(seed) { configuration.privacy.removedContent = .erase }
        configuration.sync.packageNumbers = packageNumbers(seed)
        if hasSmallBuffer, seed % 2 == 0 {
            configuration.bufferBytes = seed % 4 == 0 ? 8 << 10 : 32 << 10
            configuration.replayBytes = 4 * configuration.bufferBytes
        }
        configuration.now = { clock.now }
        // Messages disappear when the test looks, and no timer of the store's fires.
        if hasTimers(seed) { configuration.clock = ManualClock() }
        return try MessageStore.open(path, account: RandomEvents.account, configuration: configuration)
    }

    /// Runs until the log has at least `count` events, then checks the whole.
    func run(_ count: Int) throws {
        while model.log.count < count {
            step += 1
            try applyBatch()
            if random.chance(0.15) { try disturb() }
        }
        try compareAll(store)
        try checkVerification()
        try checkReplays()
        try checkSingly()
        try store.close()
    }

    private func applyBatch() throws {
        if random.chance(0.8) { clock.move(byMilliseconds: Int64(random.nextIndex(4_000)) - 500) }
        if seed % 3 == 0, random.chance(0.02) { clock.move(byMilliseconds: 86_400_000) }
        jump()
        if random.chance(0.05) { try reuseToken() }
        var batch = events.nextBatch(after: model.lastPosition)
        if model.refusesPackages(batch.map(model.named)) {
            try refuse(batch, .packageMissing)
            batch.removeAll { $0.payload is OfflinePackageReceived }
        }
        let before = model.log.count
        batches.append((batch, clock.now, nil))
        let carrier = carrier(of: batch)
        let result = try record(batch, by: carrier, after: before)
        let named = batch.map(model.named)
        let expected = take(named, by: carrier)
        try Disagreement.check("positions of \(batch.map { "\n\($0)" })", result.positions, expected)
        try Disagreement.check("last position", result.lastPosition, model.lastPosition)
        try Disagreement.check(
            "duplicates", result.duplicates,
            expected.filter { $0.rawValue <= before }.count
                + Self.repeats(expected, after: before))
        try expire()
        // Time passes between an event and a look.
        if random.chance(0.2) { clock.move(byMilliseconds: Int64(random.nextIndex(5_000))) }
        model.now = clock.now
        let touched = Set(named.compactMap(\.conversation))
        try store.read { views in
            // A look at every buffered row, now and then: it costs as much as all the comparisons.
            if step.isMultiple(of: 4) { try views.snapshot.checkInvariants() }
            try compare(views, model, touched)
            try compareLookups(views, model, named)
            try compareAccount(views, model)
        }
    }

    /// Lets the clock show a wrong time, ahead or slow, or the right one again.
    private func jump() {
        if wrongBy != 0 {
            guard random.chance(0.3) else { return }
            clock.move(byMilliseconds: -wrongBy)
            wrongBy = 0
        } else if random.chance(0.05) {
            // Where the clock is far ahead, no message disappears until the host confirms it.
            let hours: [Int64] = Self.hasTimers(seed) ? [1, -1] : [1, -1, 20, -20, 24 * 400, -24 * 400]
            let wrong = hours[random.nextIndex(hours.count)] * 3_600_000
            wrongBy = max(wrong, -clock.now.milliseconds)
            clock.move(byMilliseconds: wrongBy)
        }
    }

    /// Lets the model record the last batch. What the store recorded of the end of a session is recorded by hand where the
    /// events are recorded singly.
    private func take(_ events: [Event], by carrier: StoreModel.Carrier = .direct) -> [Position] {
        let isInterrupted = model.isInterrupted(before: events)
        let before = model.log.count
        let positions = model.record(events, at: clock.now, by: carrier)
        if isInterrupted { batches[batches.count - 1].events.insert(model.log[before], at: 0) }
        return positions
    }

    /// Records something where the next event is preceded by the end of a session.
    func touch() throws {
        // Else messages disappear between what follows.
        try expire()
        let event = Event(SyncCursorAdvanced(name: "c1", value: [1]))
        guard model.isInterrupted(before: [event]) else { return }
        batches.append(([event], clock.now, nil))
        try store.record(event)
        _ = take([event])
    }

    /// Queues another message with a token that is used.
    private func reuseToken() throws {
        guard let event = events.reuse(), let original = model.reusedToken(of: model.named(event)) else { return }
        let position = try refuse([event], .tokenReused)
        try Disagreement.check("position of the message with the token", position, original)
    }

    /// Records events that a store refuses.
    ///
    /// - Returns: The position that the error names.
    @discardableResult
    private func refuse(_ events: [Event], _ code: StoreError.Code) throws -> Position? {
        do {
            try store.record(events)
        } catch let error as StoreError where error.code == code {
            try Disagreement.check("last position after an error", try store.lastPosition(), model.lastPosition)
            return error.position
        }
        throw Disagreement(description: "no error \(code) for \(events)")
    }

    /// Now and then a batch is handed over, and a package comes as one.
    private func carrier(of batch: [Event]) -> StoreModel.Carrier {
        if batch.last?.payload is OfflinePackageReceived { return random.chance(0.5) ? .package : .direct }
        return random.chance(0.1) ? .inbox : .direct
    }

    private func record(
        _ batch: [Event], by carrier: StoreModel.Carrier, _ acknowledgement: Acknowledgement
    ) throws -> RecordResult {
        switch carrier {
        case .direct: try store.record(batch, acknowledgement: acknowledgement)
        case .inbox: try store.record(batch, closing: nil, acknowledgement, isHandedOver: true)
        case .package: try store.record(Array(batch.dropLast()), closing: batch.last, acknowledgement)
        }
    }

    /// Records a batch, durably or not, now and then after a commit that failed: then nothing has changed (I6).
    private func record(_ batch: [Event], by carrier: StoreModel.Carrier, after count: Int) throws -> RecordResult {
        let acknowledgement: Acknowledgement = random.chance(0.3) ? .visible : .durable
        // What disappears would meet the fault as well.
        guard !Self.hasTimers(seed), random.chance(0.1) else {
            return try record(batch, by: carrier, acknowledgement)
        }
        defer { faults.fail(next: 0) }
        faults.fail(next: 1)
        do {
            let result = try record(batch, by: carrier, acknowledgement)
            faults.fail(next: 0)
            // An erasure that failed is finished when nothing is recorded for a while.
            if Self.erasesHidden(seed) || batch.contains(where: \.erases) { _ = try? store.compactIfDue() }
            return result
        } catch let error as StoreError where error.code == .diskFull {
            faults.fail(next: 0)
            try Disagreement.check(
                "position after a commit that failed", try store.lastPosition().rawValue, UInt64(count))
            if random.chance(0.3) { try checkVerification() }
            return try record(batch, by: carrier, acknowledgement)
        }
    }

    /// How many of the new positions were given again within the batch.
    private static func repeats(_ positions: [Position], after last: Int) -> Int {
        let new = positions.filter { $0.rawValue > last }
        return new.count - Set(new).count
    }

    private func disturb() throws {
        switch random.nextIndex(15) {
        case 0: try store.flush()
        case 8, 9: try redact()
        case 1, 2: try reopen(deletingViews: false)
        case 3: try reopen(deletingViews: true)
        case 4: try store.rebuild()
        case 5: try store.rebuild([ProjectionID.builtIn[random.nextIndex(ProjectionID.builtIn.count)]])
        case 6: try readOnly()
        case 7: try erase()
        case 10: try restore()
        case 11, 12: try compact()
        case 13, 14: try retain()
        default: try checkVerification()
        }
        try compareAll(store)
    }

    private func reopen(deletingViews: Bool) throws {
        try store.close()
        model.reopen()
        if deletingViews { try FileManager.default.removeItem(atPath: directory + "/store/views") }
        store = try Self.open(directory + "/store", seed, clock, faults)
        try expire()
    }

    /// Takes over what the store deleted because its time had come: nothing else, and all of that.
    func expire() throws {
        store.expireNow()
        var recorded = try store.events(from: Position(model.lastPosition.rawValue + 1), limit: .max).map(\.event)
        // The model records the end of a session itself.
        if model.isInterrupted(before: Array(recorded.dropFirst())),
            (recorded.first?.payload as? SessionStateChanged)?.state == .interrupted
        {
            recorded.removeFirst()
        }
        for event in recorded {
            guard let deletion = event.payload as? MessagesDeleted, deletion.isExpiry, deletion.erases,
                deletion.messages.allSatisfy({ model.expiry(of: $0).map { $0 <= clock.now } ?? true })
            else { throw Disagreement(description: "nobody recorded \(event)") }
        }
        if !recorded.isEmpty { model.record(recorded, at: clock.now) }
        let late = model.world.flatMap(model.timeline).filter {
            $0.expires.map { $0 <= clock.now } ?? false
        }
        try Disagreement.check("what should have disappeared", [], late.map(\.id))
    }

    /// Makes a backup, or goes on with a store that is restored from an earlier one, from what was recorded since and
    /// without what was erased since.
    private func restore() throws {
        try store.waitUntilDurable()
        let (last, copy, segment) = (try store.lastPosition(), directory + "/backup", directory + "/segment")
        if let old = backup, old.base < model.base {
            // It has what was cut off since, or no segment continues it.
            try FileManager.default.removeItem(atPath: copy)
            backup = nil
        }
        guard let backup, backup.last < last else {
            if backup == nil { backup = (try store.backup(to: copy), model.base) }
            return
        }
        try store.writeSegment(after: backup.last, to: segment)
        let (digests, events) = (try store.digests(), try store.events(limit: .max))
        let ledger = try ErasureLedger(json: store.erasureLedger().json)
        try store.close()
        model.reopen()
        try FileManager.default.removeItem(atPath: directory + "/store")
        try MessageStore.restoreBackup(from: copy, segments: [segment], to: directory + "/store", applying: ledger)
        for path in [copy, segment] { try FileManager.default.removeItem(atPath: path) }
        self.backup = nil
        store = try Self.open(directory + "/store", seed, clock, faults)
        try Disagreement.check("digests after a restore", try store.digests(), digests)
        try Disagreement.check("events after a restore", try store.events(limit: .max), events)
    }

    /// Opens the store for reading only, with its views on disk or without any.
    private func readOnly() throws {
        try store.close()
        model.reopen()
        if random.chance(0.5) { try FileManager.default.removeItem(atPath: directory + "/store/views") }
        var configuration = MessageStore.Configuration()
        configuration.now = { [clock] in clock.now }
        let reader = try MessageStore.openReadOnly(directory + "/store", configuration: configuration)
        try compareAll(reader)
        try reader.close()
        store = try Self.open(directory + "/store", seed, clock, faults)
        try expire()
    }

    func compareAll(_ store: MessageStore) throws {
        try store.read { views in
            try views.snapshot.checkInvariants()
            try compare(views, model, model.world)
            try compareAccount(views, model)
        }
    }

    func checkVerification() throws {
        let report = try store.verify()
        guard !report.isConsistent else { return }
        throw Disagreement(
            description: "verify: \(report.differenceCount) rows differ: \(report.differences.prefix(5))")
    }

    /// The past, at batch boundaries and within batches (I3).
    private func checkReplays() throws {
        for _ in 0..<4 {
            let base = Int(model.base.rawValue)
            let position = base + random.nextIndex(model.log.count - base + 1)
            let past = StoreModel(model, upTo: position)
            try store.replay(to: Position(UInt64(position))) { views in
                try compare(views, past, past.world)
                try compareAccount(views, past)
            }
        }
    }

    /// A store that got the same events one by one has the same log and the same digests (I3, I4), except of what says which
    /// messages are of the past: that is decided by what the store had before a call.
    private func checkSingly() throws {
        let logged = try store.events(limit: .max)
        for event in logged {
            let modelled = model.log[Int(event.position.rawValue) - 1]
            try Disagreement.check(
                "event \(event.position) and the model's", AnyHashable(event.event.payload),
                AnyHashable(modelled.payload))
            guard model.cut.isEmpty else { continue }
            try Disagreement.check(
                "the clock at event \(event.position)", [event.event.clockTime, event.event.correctedTime],
                [modelled.clockTime, modelled.correctedTime])
        }
        for time in [clock.now, ms(0), ms(1_000_000), ms(2_000_000), logged.randomElement(using: &random)?.clockTime] {
            guard let time else { continue }
            try Disagreement.check(
                "the last position of \(time)", try store.lastPosition(recordedBy: time),
                logged.last { $0.clockTime <= time }?.position ?? .origin)
            let range = ms(time.milliseconds - min(time.milliseconds, 5_000))...time
            try Disagreement.check(
                "events of \(range)", try store.events(where: EventFilter(recordedTime: range), limit: .max),
                logged.filter { range.contains($0.clockTime) })
        }
        // A store that was never opened again also knows of packages what it did not record.
        // Nor does one learn anything from copies of what was cut off.
        guard model.packageNumbers == .any, !Self.hasTimers(seed), model.cut.isEmpty else { return }
        let other = try Self.open(directory + "/singly", seed, clock, hasSmallBuffer: false)
        for (events, time, erasure) in batches {
            clock.set(time)
            if let erasure { try Self.erase(erasure, other) }
            for event in events { try other.record(event) }
        }
        let singly = try other.events(limit: .max)
        try Disagreement.check("length of the log", logged.count, singly.count)
        for (event, other) in zip(logged, singly) where !event.isRedacted {
            try Disagreement.check("event \(event.position)", event.event, other.event)
        }
        let byCall: [ProjectionID] = [.timeline, .timelineMarks, .threads, .unreadCounters]
        let (digests, others) = (
            try store.digests().filter { !byCall.contains($0.key) },
            try other.digests().filter { !byCall.contains($0.key) }
        )
        try Disagreement.check("digests of events recorded one by one", others, digests)
        try other.close()
    }
}
