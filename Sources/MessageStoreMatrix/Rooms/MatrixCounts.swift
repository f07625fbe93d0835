/// A server's counts of what is unread in a room.
///
/// Where a client asks for counts by thread, that of the room has those of the main timeline alone, and the room's
/// number is the sum.
struct MatrixCounts {
    private var main: [JSONValue]
    private var threads: [JSONValue]
    /// Whether the server reports any.
    let areKnown: Bool

    init(_ room: JSONValue) {
        func counts(_ values: [JSONValue]) -> [JSONValue] { values.filter { $0["notification_count"]?.integer != nil } }
        main = counts(room["unread_notifications"].map { [$0] } ?? [])
        threads = counts(room["unread_thread_notifications"]?.members.map(\.value) ?? [])
        areKnown = !(main + threads).isEmpty
    }

    var messages: UInt32 { sum("notification_count") }
    var mentions: UInt32 { sum("highlight_count") }

    /// Takes out what a receipt up to the end of the timeline reads: the server may have counted before it had it.
    mutating func read(by receipt: MatrixReceipt) {
        main = []
        if receipt.thread == nil { threads = [] }
    }

    private func sum(_ name: String) -> UInt32 {
        let counts = (main + threads).map { UInt64(UInt32(clamping: $0[name]?.integer ?? 0)) }
        return UInt32(clamping: counts.reduce(0, +))
    }
}
