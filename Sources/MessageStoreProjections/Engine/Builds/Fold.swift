@_spi(Storage) internal import MessageStoreLog

/// Events on their way through the projections: a pure function from records to rows.
///
/// The result does not depend on when it is finished: a projection's decoded entries are a cache of rows until then.
struct Fold: ~Copyable {
    private let plan: FoldPlan
    /// Released with the fold; unmanaged, because every event would retain and release each of them.
    private var folds: [Unmanaged<AnyFold>?]
    private var changes = FoldChanges()
    private var plain: PlainMessages?
    /// The number of the content type of text, and one that is another type's; 0 if they are not known yet.
    private var (textType, otherType) = (UInt32(0), UInt32(0))

    init(_ plan: FoldPlan) {
        self.plan = plan
        folds = [Unmanaged<AnyFold>?](repeating: nil, count: plan.catalog.entries.count)
    }

    deinit {
        for fold in folds { fold?.release() }
    }

    /// - Parameter projections: A bit for each projection that folds the event, if it handles such events.
    mutating func apply(_ record: RecordView, _ rows: inout FoldRows, only projections: UInt64 = .max) throws {
        changes.removeAll()
        let route = plan.route(of: record) & projections
        let library = route & ~plan.hosts.rawValue
        // Who folds nothing of plain messages need not know which they are.
        let isPlain =
            try library & (plan.arrivals | plan.unchangedByPlain) != 0 && record.isPlainArrival
            && isText(record, rows)
        if try !isPlain || library != plan.arrivals || !applyPlain(record, &rows) {
            try applyLibrary(library, record, isPlain: isPlain, &rows)
            if !changes.index.isEmpty { try applyLibrary(plan.indexing, record, isPlain: false, &rows) }
        }
        var hosts = route & plan.hosts.rawValue
        while hosts != 0 {
            try applyHost(hosts.trailingZeroBitCount, record, &rows)
            hosts &= hosts &- 1
        }
        rows.position = record.position
    }

    /// Folds a plain message, unless it takes the general way.
    @inline(__always)
    private mutating func applyPlain(_ record: RecordView, _ rows: inout FoldRows) throws -> Bool {
        if let isFolded = try plain?.apply(record, &rows) { return isFolded }
        plain = PlainMessages(plan.catalog) { fold(at: plan.catalog.index(of: $0) ?? 0) }
        return false
    }

    /// Folds an event into projections of the library; each has a bit.
    ///
    /// - Parameter isPlain: Whether it is a message that some of them have nothing to do with, if nothing was recorded
    ///   about it before: text that is no reply, does not mention this account and asks for nothing.
    private mutating func applyLibrary(
        _ route: UInt64, _ record: RecordView, isPlain: Bool, _ rows: inout FoldRows
    ) throws {
        var route = route
        while route != 0 {
            let index = route.trailingZeroBitCount
            route &= route &- 1
            // The timeline's changes are known when its readers come.
            if isPlain, index == plan.firstUnchanged, changes.timeline.isOneArrival {
                route &= ~plan.unchangedByPlain
                continue
            }
            #if DEBUG
            rows.writable = plan.catalog.entries[index].tableBits
            #endif
            try fold(at: index)._withUnsafeGuaranteedRef { fold throws in try fold.apply(record, &rows, &changes) }
        }
    }

    /// Whether a message's content is text.
    @inline(__always)
    private mutating func isText(_ record: RecordView, _ rows: borrowing FoldRows) throws -> Bool {
        let type = record.contentType
        if type == textType { return type != 0 }
        guard type != 0, type != otherType else { return false }
        let isText = try rows.snapshot.symbols.contentType(type) == .text
        if isText { textType = type } else { otherType = type }
        return isText
    }

    /// Folds an event into a host's projection.
    ///
    /// Its reads show the state as of the event, whatever other projections keep decoded of it.
    private mutating func applyHost(_ index: Int, _ record: RecordView, _ rows: inout FoldRows) throws {
        let entry = plan.catalog.entries[index]
        for source in entry.sources.indices where source != index {
            #if DEBUG
            rows.writable = plan.catalog.entries[source].tableBits
            #endif
            try folds[source]?.takeUnretainedValue().finishBatch(&rows)
        }
        rows.position = record.position
        #if DEBUG
        rows.writable = plan.catalog.entries[index].tableBits
        #endif
        rows.lend(tables: entry.readable)
        defer { rows.takeBack() }
        try fold(at: index).takeUnretainedValue().apply(record, &rows, &changes)
    }

    @inline(__always)
    private mutating func fold(at index: Int) -> Unmanaged<AnyFold> {
        if let fold = folds[index] { return fold }
        return makeFold(at: index)
    }

    private mutating func makeFold(at index: Int) -> Unmanaged<AnyFold> {
        let fold = Unmanaged.passRetained(plan.catalog.entries[index].makeFold())
        folds[index] = fold
        return fold
    }

    /// The most conversations whose rows a projection keeps decoded.
    var openConversations: Int {
        folds.reduce(0) { max($0, $1?.takeUnretainedValue().openConversations ?? 0) }
    }

    /// Writes rows that the projections kept decoded; only then do the views match the position.
    mutating func finishBatch(_ rows: inout FoldRows) throws {
        for (index, fold) in folds.enumerated() {
            #if DEBUG
            rows.writable = plan.catalog.entries[index].tableBits
            #endif
            try fold?.takeUnretainedValue().finishBatch(&rows)
        }
    }
}
