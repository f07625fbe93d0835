@_spi(Storage) internal import MessageStoreLog

/// The projection of what this version could not fold: how many events of each unknown type there are (I9).
///
/// The policy is to keep and to skip: such events stay in the log byte for byte, and a later version that knows the
/// type rebuilds its projections from them.
struct UnknownEvents: BuiltInProjection {
    static let declaration = ProjectionDeclaration(
        .unknownEvents, version: 1, events: .unknown, tables: [.unknownEvents])

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        let key = RowKey.number(event.type.rawValue)
        let row: NumberRow? = try rows.snapshot.decoded(.unknownEvents, key.span.bytes)
        let (count, isOutside) = (row?.number ?? 0).addingReportingOverflow(1)
        guard !isOutside else { throw StoreError.impossibleCount(in: .unknownEvents, at: key.span.bytes) }
        rows.put(.unknownEvents, key.span.bytes, RowKey.number(count).span.bytes)
    }
}
