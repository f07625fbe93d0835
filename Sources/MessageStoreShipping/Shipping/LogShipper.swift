internal import Dispatch
internal import MessageStoreLMDB

/// Ships the log of a store to another place, where it can be restored and followed.
///
/// ```swift
/// let shipper = LogShipper(of: store, to: try FolderCarrier("/mnt/backup/alice"))
/// try await shipper.run()  // until the task is cancelled
/// ```
///
/// Durable events of the store are put as **segments** of up to a megabyte, after the sync and on threads of its own,
/// so that recording does not wait for it. A **base** is a whole copy of the store, from which restoring begins; it is
/// put first, after every 200,000 events or 1,000 segments, and when something that an earlier one has was erased.
/// After a kill the shipper continues with the last object of the place.
///
/// One store ships to a place; it may ship to several places, each with a shipper of its own. A copy of the store's files
/// that ships there as well is found by the first event that differs, and fails with `lineageForked`. A store that was
/// restored from the place continues it with `takesOver`: from then on the store before it fails.
///
/// Words that were erased leave the place with the next round: segments and bases that have them are replaced.
/// ``run(report:)`` replaces bases less often; see ``Options/erasureInterval``.
public actor LogShipper {
    /// How a log is shipped.
    public struct Options: Sendable {
        /// So many events after a base, the next one is put.
        public var eventsPerBase = 200_000
        /// So many segments after a base, the next one is put: restoring gets each of them.
        public var segmentsPerBase = 1_000
        /// A segment ends with the event that reaches so many bytes.
        public var segmentBytes = 1 << 20
        /// How often ``LogShipper/run(report:)`` looks for events that became durable.
        public var interval = Duration.seconds(1)
        /// ``LogShipper/run(report:)`` puts a base for erased words only so long after the last base. Until then that
        /// one has the words, which a restorer leaves out; ``LogShipper/ship(base:)`` puts one at once.
        public var erasureInterval = Duration.seconds(300)
        /// Conversations on the first page, at most 1,000, which is put with each base and when it has changed, at most
        /// once a minute; 0 for no page.
        public var pageCount = 50
        /// Whether the store continues the log of the one that it was restored from, and erases the content that was
        /// erased there since.
        public var takesOver = false
        /// Whether the store erases content that was erased in the place and not in the store, such as after an earlier
        /// copy took the place of the store's files. Whoever can write to the place can name any event, so ask whoever
        /// uses the store first.
        public var takesErasures = false
        /// Whether the first round of a shipper that finds a base also fetches everything that a restore would, so that an
        /// object that was lost or damaged is noticed, and a base takes its place. Costs the requests and bytes of a restore.
        public var checksPlace = true
        /// How often a place is asked whether it is still there.
        var presenceInterval = Duration.seconds(60)

        /// The defaults.
        public init() {}
    }

    let store: MessageStore
    let carrier: any Carrier
    let options: Options
    let queue = DispatchQueue(label: "MessageStore.LogShipper")
    /// The comparison of the place and the store; nil until the first round.
    var course: ShippingCourse?
    /// When this shipper put a base; nil if it has not.
    var baseTime: ContinuousClock.Instant?
    /// Whether the objects of the place were fetched and compared.
    var isChecked = false
    /// A damaged object that was removed from the place.
    var removedObject: String?
    private var last: Task<ShippingReport, any Error>?

    /// - Parameters:
    ///   - store: A store that is open for writing.
    ///   - carrier: The place; another one for each store.
    ///   - options: How the log is shipped.
    public init(of store: MessageStore, to carrier: any Carrier, options: Options = Options()) {
        (self.store, self.carrier, self.options) = (store, carrier, options)
    }

    /// Ships all durable events, and takes erased words out of the place; rounds follow each other.
    ///
    /// It may be repeated whenever it fails: objects that are there are not put again, except for a base that was not
    /// finished.
    ///
    /// - Parameter base: Whether to put a base in any case. It also replaces the objects of this store that are under another
    ///   key than the store has now, or clear: of sealed ones the positions alone are compared with the store.
    /// - Throws: `StoreError`: `keyRefused` for such objects without a base, or of a store that this one takes over;
    ///   `lineageForked`, `carrierFailed`, `carrierRefused`, `closed`, `suspended`, `readOnly`,
    ///   `recordDamaged`, `segmentDamaged` or `segmentMissing` for an object of the place, `positionCut` if the log was
    ///   cut while a base was copied, `diskFull` and `inputOutput`; `CancellationError`.
    @discardableResult
    public func ship(base: Bool = false) async throws -> ShippingReport {
        try await ship(base: base, isPatient: false)
    }

    private func ship(base: Bool, isPatient: Bool) async throws -> ShippingReport {
        let earlier = last
        let round = Task {
            _ = await earlier?.result
            try Task.checkCancellation()
            return try await shipRound(base: base, isPatient)
        }
        last = round
        return try await withTaskCancellationHandler {
            try await round.value
        } onCancel: {
            round.cancel()
        }
    }

    /// Ships until the task is cancelled or the store closed, and continues after failures of the carrier.
    ///
    /// - Parameter report: Called after each round that shipped something, and with each failure that passes.
    /// - Throws: `StoreError` as ``ship(base:)``, for failures that do not pass by waiting.
    public func run(
        report: @Sendable (Result<ShippingReport, any Error>) -> Void = { _ in }
    ) async throws {
        try await Pause.rounds(every: options.interval, report: report, passes: Self.passes) {
            let shipped = try await ship(base: false, isPatient: true)
            return shipped.isSomething ? shipped : nil
        }
    }

    /// Whether waiting helps; the next base has the events that were cut off.
    static func passes(_ error: StoreError) -> Bool {
        error.isTransient || [.positionCut, .segmentMissing].contains(error.code)
    }

    private func shipRound(base: Bool, _ isPatient: Bool) async throws -> ShippingReport {
        guard !store.isReadOnly else { throw StoreError(.readOnly, "the store is open for reading only") }
        do {
            if let course, course.keyName != store.shippingKeyName { self.course = nil }
            if let course, try await isGone(course) { self.course = nil }
            var course = if let course { course } else { try await findCourse(puttingBase: base) }
            self.course = nil
            defer { self.course = course }
            var report = ShippingReport(position: course.head)
            // Segments first: only they prove that no other writer continues the log, whose events a ledger would name.
            try await shipSegments(&course, &report)
            try await shipErasures(&course, &report, isPatient)
            let damage = try await course.otherKeyEnd != nil ? nil : findDamage(course)
            try await shipBase(&course, &report, isWanted: base || damage != nil)
            (report.damagedObject, removedObject) = (damage ?? removedObject, nil)
            try await shipPage(&course, report)
            report.position = course.head
            return report
        } catch {
            // The next round asks the place again for its objects.
            course = nil
            throw error
        }
    }
}

/// The objects that a round shipped.
public struct ShippingReport: Sendable, Hashable {
    /// The last event that the place has.
    public internal(set) var position: Position
    /// Segments that were put or replaced.
    public internal(set) var segments = 0
    /// Bytes of all objects that were put or replaced.
    public internal(set) var bytes = 0
    /// Whether a base was put.
    public internal(set) var hasBase = false
    /// Whether objects without erased words took the place of others.
    public internal(set) var hasErased = false
    /// The name of an object that could not be restored, because it was damaged or objects before it were missing; a base takes
    /// the place of all that are like that, or the object was put again. Nil if there was none, or nothing was
    /// compared; see ``LogShipper/Options/checksPlace``.
    public internal(set) var damagedObject: String?

    /// Whether anything was put.
    public var isSomething: Bool { segments > 0 || hasBase || hasErased }
}

/// How far a place has come, as the shipper knows it.
struct ShippingCourse: Sendable {
    let storeName: String
    /// The last position that the place has.
    var head: Position
    /// The position of the newest base; nil if it does not exist.
    var base: Position?
    /// The segments that the place has, ascending.
    var segments: [ShippedLog.Segment]
    /// The ledger of erasures that the place has, and its number.
    var ledger: ErasureLedger?
    var ledgerNumber: UInt64
    /// The last position of a place with objects that the store's key does not open; nil if it opens all.
    var otherKeyEnd: Position?
    /// The name of the key that the store had; nil if it was clear.
    let keyName: [UInt8]?
    /// The count of the store's changes without an event when the ledger was compared; nil before that.
    var rewrites: Int?
    /// Whether the newest base has words that the ledger names.
    var owesBase = false
    /// Whether the place notes that it has none of those words.
    var isErasedNoted = true
    /// The head when the first page was written, and when that was.
    var pageHead: Position?
    var pageTime: ContinuousClock.Instant?
    /// When the place was last seen.
    var seenTime = ContinuousClock.now
}

extension LogShipper {
    /// Compares the place with the store, and makes the store the one that ships there if it may be.
    ///
    /// A damaged object that decides where the place ends is removed, if no other store has shipped there.
    ///
    /// - Parameter isBaseWanted: Whether the round puts a base, so that the place may be under another key.
    func findCourse(puttingBase isBaseWanted: Bool) async throws -> ShippingCourse {
        try await removingDamage { try await compareCourse(isBaseWanted) }
    }

    private func compareCourse(_ isBaseWanted: Bool) async throws -> ShippingCourse {
        let name = store.storeName
        // A copy may have words that were erased since.
        try await onQueue { Leftovers.remove(.shipping, in: FileSystem.parent(of: $0.path)) }
        if try await carrier.get(ObjectName.first) == nil {
            // Of two stores that begin here, one succeeds.
            _ = try await carrier.put(SealedJSON.encode(FirstStore(store: name)), ifAbsent: ObjectName.first)
        }
        guard let log = try await ShippedLog.list(carrier) else {
            throw StoreError(.carrierFailed, "an object that was put is not there", path: carrier.description)
        }
        guard log.current == name || options.takesOver && !log.stores.contains(name) else {
            throw forked("another store ships here", at: log.segments.last?.first)
        }
        let (head, isOfOtherKey) = try await checkedHead(of: log, isBaseWanted)
        // Before anything is removed: a predecessor's ledger goes with its bases.
        let ledger = try await log.ledger(carrier)
        if let ledger { try await take(ledger.ledger, isTakeOver: log.current != name) }
        if log.current != name {
            try await end(log.current, at: head, for: name)
            try await carrier.remove(ObjectName.page(of: log.current))
        } else if let base = log.bases.last {
            // A kill may have left segments under another key.
            let oldest = log.segments.first { $0.first <= base.position }
            let isOfOtherKey = if let oldest { try await !opens(oldest) } else { false }
            try await removeSuperfluous(log, isOfOtherKey ? base.position : .origin, base)
        }
        let number = ledger.flatMap { ObjectName.lastNumber(of: $0.name) } ?? 0
        // The next one needs a number as well.
        guard number < UInt64.max >> 2 else { throw damaged(ledger?.name ?? "") }
        let isErased = try await erasedLedger(of: name) == number
        if options.pageCount <= 0 { try await carrier.remove(ObjectName.page(of: name)) }
        return ShippingCourse(
            storeName: name, head: head, base: log.bases.last?.position, segments: log.segments,
            // Another store's ledger goes with its bases, and objects that a kill left in the place are looked for once
            // more.
            ledger: log.current == name && isErased ? ledger?.ledger : nil, ledgerNumber: number,
            otherKeyEnd: isOfOtherKey ? head : nil, keyName: store.shippingKeyName)
    }

    /// Compares the place's erasures with the store, and erases here only if the host agreed to that: whoever can write
    /// to the place can forge a ledger (I19).
    ///
    /// - Throws: ``StoreError`` with code `lineageForked` if the store has content that was erased in the place.
    private func take(_ ledger: ErasureLedger, isTakeOver: Bool) async throws {
        if isTakeOver || options.takesErasures { return try await onQueue { try $0.redact(by: ledger) } }
        if let position = try await onQueue({ try $0.firstUnredacted(of: ledger) }) {
            throw forked(
                "more was erased in the place than in the store: the store was set back to an earlier copy, or somebody else "
                    + "wrote there (Options.takesErasures erases it here)", at: position)
        }
    }

    private func erasedLedger(of store: String) async throws -> UInt64? {
        let name = ObjectName.erased(of: store)
        guard let bytes = try await carrier.get(name) else { return nil }
        return try SealedJSON.decode(ErasedNote.self, bytes, name: name).ledger
    }

    /// Ends the log of the store before this one, so that it ships no more.
    private func end(_ store: String, at head: Position, for successor: String) async throws {
        let note = LogEndNote(successor: successor, last: head.rawValue)
        let name = ObjectName.segment(of: store, from: Position(head.rawValue + 1))
        if try await carrier.put(SealedJSON.encode(note), ifAbsent: name) { return }
        // An answer may have been lost.
        guard let bytes = try await carrier.get(name), bytes.isLogEnd,
            try SealedJSON.decode(LogEndNote.self, bytes, name: name).successor == successor
        else { throw forked("the place was continued meanwhile", at: Position(head.rawValue + 1)) }
    }

    /// Lists the place, which this store must still continue, and to which nobody else may have put anything.
    ///
    /// - Throws: ``StoreError`` with code `lineageForked`.
    func checkedLog(_ course: ShippingCourse, upTo head: Position) async throws -> ShippedLog {
        guard let log = try await ShippedLog.list(carrier), log.current == course.storeName else {
            throw forked("another store continues the log", at: nil)
        }
        if let other = log.segments.last, other.first > course.head {
            throw forked("another writer shipped meanwhile", at: other.first)
        }
        if let other = log.bases.last, other.position > head {
            throw forked("another writer put a base meanwhile", at: other.position)
        }
        return log
    }

    func damaged(_ name: String) -> StoreError {
        StoreError(.segmentDamaged, "a shipped object is damaged", path: name)
    }

    func forked(_ problem: String, at position: Position?) -> StoreError {
        StoreError(.lineageForked, problem, position: position, path: carrier.description)
    }

    /// Runs blocking work on the shipper's own thread.
    func onQueue<Result: Sendable>(
        _ body: @escaping @Sendable (MessageStore) throws -> Result
    ) async throws -> Result {
        try await queue.run { [store] in try body(store) }
    }
}

extension LogShipper {
    /// Whether somebody removed the place's objects, as by unmounting a disk.
    func isGone(_ course: ShippingCourse) async throws -> Bool {
        guard course.seenTime.duration(to: .now) >= options.presenceInterval else { return false }
        self.course?.seenTime = .now
        return try await carrier.get(ObjectName.first) == nil
    }

    /// The name of an object that cannot be restored; nil if all can, or the place was compared before.
    func findDamage(_ course: ShippingCourse) async throws -> String? {
        // A place without a base gets one now.
        guard options.checksPlace, !isChecked, course.base != nil else { return nil }
        var damage: String?
        do {
            let reached = try await LogRestorer(from: carrier).check { [store] segment, name in
                guard try !store.opens(segment: segment) else { return }
                throw StoreError(.segmentDamaged, "a shipped object is under another key", path: name)
            }
            if reached < course.head { damage = ObjectName.logs }
        } catch let error as StoreError where [.segmentDamaged, .segmentMissing, .storeMissing].contains(error.code) {
            damage = error.path ?? ObjectName.logs
        }
        isChecked = true
        return damage
    }

    /// Runs `body`, and removes each damaged object on which it fails: the store has the content of such an object.
    ///
    /// - Throws: The error of `body`, if other stores have shipped to the place: a damaged object may be the end of
    ///   this store's log.
    func removingDamage<Result>(_ body: () async throws -> Result) async throws -> Result {
        var removed: Set<String> = []
        while true {
            do { return try await body() } catch let error as StoreError where error.code == .segmentDamaged {
                let own = ObjectName.log(of: store.storeName)
                guard let name = error.path, ObjectName.isOwn(name), removed.insert(name).inserted,
                    try await carrier.objects(ObjectName.logs).allSatisfy({ $0.hasPrefix(own) })
                else { throw error }
                try await carrier.remove(name)
                removedObject = name
            }
        }
    }
}
