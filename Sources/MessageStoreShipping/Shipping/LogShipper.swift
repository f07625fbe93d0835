internal import Dispatch

/// Ships the log of a store to another place, where it can be restored and followed.
///
/// ```swift
/// let shipper = LogShipper(of: store, to: try FolderCarrier("/mnt/backup/alice"))
/// try await shipper.run()  // until the task is cancelled
/// ```
///
/// What is durable in the store is put as **segments** of up to a megabyte, after the sync and on threads of its own, so
/// that recording does not wait for it. A **base** is a whole copy of the store, from which restoring begins; it is put
/// first, after every 200,000 events or 1,000 segments, and when something was erased that an earlier one has. After a
/// kill the shipper continues with the last object of the place.
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
        /// Conversations on the first page, which is put with each base and when it has changed, at most once a minute;
        /// 0 for no page.
        public var pageCount = 50
        /// Whether the store continues the log of the one that it was restored from, and erases what was erased there since.
        public var takesOver = false
        /// Whether the store erases what was erased in the place and not in the store, as where an earlier copy took the place of
        /// the store's files. Whoever can write to the place can name any event, so ask whoever uses the store first.
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
    /// Where the place and the store are compared; nil until the first round.
    var course: ShippingCourse?
    /// When this shipper put a base; nil where it has not.
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
    /// - Parameter base: Whether to put a base in any case.
    /// - Throws: `StoreError`: `lineageForked`, `carrierFailed`, `carrierRefused`, `closed`, `suspended`, `readOnly`,
    ///   `recordDamaged`, `segmentDamaged` or `segmentMissing` for an object of the place, `positionCut` where the log was cut
    ///   while a base was copied, `diskFull` and `inputOutput`; `CancellationError`.
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
        var delay = options.interval
        while !Task.isCancelled {
            do {
                let shipped = try await ship(base: false, isPatient: true)
                if shipped.isSomething { report(.success(shipped)) }
                delay = options.interval
            } catch is CancellationError {
                return
            } catch let error as StoreError where !Self.passes(error) {
                if error.code == .closed { return }
                throw error
            } catch {
                report(.failure(error))
                delay = min(delay * 2, .seconds(60))
            }
            try? await Pause.sleep(for: delay)
        }
    }

    /// Whether waiting helps.
    static func passes(_ error: StoreError) -> Bool {
        [
            .carrierFailed, .diskFull, .suspended, .rebuilding, .inputOutput, .tooManyReaders, .positionCut,
            .segmentMissing, .alreadyOpen,
        ].contains(error.code)
    }

    private func shipRound(base: Bool, _ isPatient: Bool) async throws -> ShippingReport {
        guard !store.isReadOnly else { throw StoreError(.readOnly, "the store is open for reading only") }
        do {
            if let course, try await isGone(course) { self.course = nil }
            var course = if let course { course } else { try await findCourse() }
            self.course = nil
            defer { self.course = course }
            var report = ShippingReport(position: course.head)
            // Segments first: only they prove that no other writer continues the log, whose events a ledger would name.
            try await shipSegments(&course, &report)
            try await shipErasures(&course, &report, isPatient)
            let damage = try await findDamage(course)
            try await shipBase(&course, &report, isWanted: base || damage != nil)
            (report.damagedObject, removedObject) = (damage ?? removedObject, nil)
            try await shipPage(&course, report)
            report.position = course.head
            return report
        } catch {
            // The next round asks the place again what it has.
            course = nil
            throw error
        }
    }
}

/// What a round shipped.
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
    /// the place of all that are like that, or the object was put again. Nil where there was none, or nothing was compared; see ``LogShipper/Options/checksPlace``.
    public internal(set) var damagedObject: String?

    /// Whether anything was put.
    public var isSomething: Bool { segments > 0 || hasBase || hasErased }
}

/// How far a place has come, as the shipper knows it.
struct ShippingCourse: Sendable {
    let storeName: String
    /// The last position that the place has.
    var head: Position
    /// The position of the newest base; nil where it does not exist.
    var base: Position?
    /// The segments that the place has, ascending.
    var segments: [ShippedLog.Segment]
    /// The ledger of erasures that the place has, and its number.
    var ledger: ErasureLedger?
    var ledgerNumber: UInt64
    /// What the store had changed without an event when the ledger was compared; nil before that.
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
