@_spi(Storage) internal import MessageStoreLog

/// The projection of what this version could not fold: how many events of each unknown type there are (I9).
///
/// The policy is to keep and to skip: such events stand in the log byte for byte, and a later version that knows the
/// type rebuilds its projections from them.
struct UnknownEvents {
    mutating func apply(_ event: RecordView, _ views: inout Views) throws {
        let key = RowKey.number(event.type.rawValue)
        let count = try views.row(.unknownEvents, key.span.bytes)?.loadBigEndian(at: 0, as: UInt64.self) ?? 0
        views.put(.unknownEvents, key.span.bytes, RowKey.number(count + 1).span.bytes)
    }
}
