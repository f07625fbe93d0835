/// The receipt of a user: everything in the room, or in a thread of it, is read up to an event.
public struct MatrixReceipt: Sendable {
    /// The id of the event.
    public let event: String
    /// Who read it.
    public let user: UserID
    /// When, by the server's clock.
    public let time: Timestamp
    /// `main`, or the thread's root, where messages of other threads are not read by it; nil if all are.
    public let thread: String?

    /// Whether it is of a thread alone.
    public var isOfThread: Bool { thread ?? "main" != "main" }

    /// The receipts of a room's part of a response, by event, kind and user.
    public static func all(in room: JSONValue) -> [MatrixReceipt] {
        room.events("ephemeral").filter { $0["type"]?.string == "m.receipt" }.flatMap { all(of: $0) }
    }

    static func all(of receipts: JSONValue) -> [MatrixReceipt] {
        (receipts["content"]?.members ?? []).flatMap { event, kinds in
            ["m.read", "m.read.private"].flatMap { kind in
                (kinds[kind]?.members ?? []).compactMap { user, receipt -> MatrixReceipt? in
                    guard receipt.object != nil else { return nil }
                    let time = Timestamp(milliseconds: receipt["ts"]?.integer ?? 0)
                    return MatrixReceipt(
                        event: event, user: UserID(user), time: time, thread: receipt["thread_id"]?.string)
                }
            }
        }
    }
}
