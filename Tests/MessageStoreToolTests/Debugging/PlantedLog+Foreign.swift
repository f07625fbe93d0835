import MessageStore
import MessageStoreTestKit

extension PlantedLog {
    /// Plants a fault of a kind that was chosen without knowledge of the tool.
    mutating func plantForeign() throws {
        let target = Self.target
        switch fault {
        case .recallByOther:
            let id = try freshMessage()
            let other = Self.users.prefix(6).first { $0 != last[target]?.sender && $0 != "ann" }
            set(
                "status(hikers, \(id))",
                Event(MessageRecalled(.server(id), by: other), in: target, origin: .live, serverTime: ago(60)))
        case .kickedWriter:
            set(
                "member(hikers, carla)",
                Event(
                    MembersRemoved(["carla"], kind: .kicked, by: "ann"), in: target, origin: .live, serverTime: ago(60))
            )
        case .markerElsewhere:
            reads = false
            let order = last[.group("garden")]?.order
            set(
                "unread(hikers)",
                Event(ConversationRead(upTo: order), in: target, origin: .otherDevice, device: "laptop"))
        case .echoOfDevice: set("unread(hikers)", message(in: target, from: "me/laptop"))
        case .lateMessage, .messageAhead:
            let (id, isLate) = (nextID(), fault == .lateMessage)
            set(
                isLate ? "exists(hikers, \(id))" : "activity(hikers)",
                .received(
                    id, from: "bob", in: target, at: isLate ? ago(8_000_000) : later(hours: 12), content: .text(words())
                ))
        case .nameOfAnother: set("name(bob)", .profilesFetched([Profile(id: "bob", name: "Ann")]))
        case .expiryWithoutTimer:
            let id = try freshMessage()
            set("exists(hikers, \(id))", Event(MessagesDeleted([.server(id)], isExpiry: true), in: target))
        case .misrouted: set("unread(single:bob)", message(in: .single("bob"), from: "deniz"))
        case .cutMemberList:
            set(
                "member(hikers, carla)",
                Event(
                    ConversationSnapshotReceived(
                        ConversationFields(name: "hikers friends"),
                        members: ["me", "ann", "bob", "deniz", "emil", "fatma"]),
                    in: target, origin: .offline))
        case .emptyName: set("name(ann)", .profilesFetched([Profile(id: "ann", name: "")]))
        case .otherCase: set("unread(hikers)", message(in: .group("Hikers"), from: "bob"))
        default:
            set(
                "muted(hikers)",
                Event(
                    ConversationMuted(until: Timestamp(milliseconds: 28_800_000), at: ago(300)), in: target,
                    origin: .otherDevice, device: "tablet"))
        }
    }
}
