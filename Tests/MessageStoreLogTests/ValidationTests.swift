@_spi(Storage) import MessageStoreLog
import Testing

@Suite struct `Validation of events` {
    static let tooLong = String(repeating: "界", count: 85) + "x"

    @Test("identifiers are 1 to 255 bytes of UTF-8", arguments: ["", tooLong]) func identifiers(id: String) {
        let time = SampleEvents.time
        let good = MessageContent.text("x")
        let contexts = [
            MessageContext(mentions: [UserID(id)]), MessageContext(visibleTo: [UserID(id)]),
            MessageContext(replyTo: ServerMessageID(id)), MessageContext(forwardOf: ServerMessageID(id)),
        ]
        var bodies: [any EventPayload] = [
            MessageReceived(serverID: .init(id), sender: "a", sentTime: time, content: good),
            MessageReceived(serverID: "s", sender: .init(id), sentTime: time, content: good),
            MessageSendQueued(content: good, clientToken: .init(id)),
            MessageSendQueued(content: MessageContent(type: .init(id))),
            MessageSent(message: LocalMessageID(1), serverID: .init(id), sentTime: time),
            MessageModified(.server(.init(id)), content: good, at: time),
            MessageRecalled(.server("s"), by: .init(id)),
            MessagesDeleted([.local(LocalMessageID(1)), .server(.init(id))]),
            MessageDelivered(.upTo(time), to: .init(id), at: time),
            MessageReadByPeer(.messages([.server(.init(id))]), at: time),
            HistoryCleared(upTo: MessageOrder(time: time, id: .init(id))),
            ConversationRead(upTo: MessageOrder(time: time, id: .init(id))),
            ConversationCreated(members: [.init(id)]),
            ConversationUpdated(ConversationFields(creator: .init(id))),
            ConversationSnapshotReceived(ConversationFields(), members: [.init(id)]),
            MembersAdded(["a", .init(id)], kind: .joined),
            MembersRemoved(["a"], kind: .kicked, by: .init(id)),
            MemberInfoChanged(.init(id)), SelfInvited(by: .init(id)),
            SelfKicked(by: .init(id)),
        ]
        bodies += contexts.map { MessageSendQueued(content: good, context: $0) }
        for body in bodies { expectInvalid(Event(any: body, in: .group("g"))) }
        for body: any EventPayload in [
            ProfilesFetched([Profile(id: .init(id))]),
            ProfileFetchFailed([.init(id)], code: 1),
            ProfileInvalidated([.init(id)]), ContactsReceived([ContactInfo(id: .init(id))]), UsersBlocked([.init(id)]),
            SyncCursorAdvanced(name: id, value: []),
        ] { expectInvalid(Event(any: body)) }
        expectInvalid(Event(Self.pinned, in: .group(id)))
        expectInvalid(Event(Self.pinned, in: ConversationKey(.group, "g", channel: id)))
        expectInvalid(Event(Self.pinned, in: .group("g"), id: .init(id)))
        expectInvalid(Event(Self.pinned, in: .group("g"), device: .init(id)))
    }

    @Test("times are between 0 and the end of 9999", arguments: [-1, .min, 253_402_300_800_000, .max] as [Int64])
    func times(milliseconds: Int64) {
        let time = Timestamp(milliseconds: milliseconds)
        let bodies: [any EventPayload] = [
            MessageReceived(serverID: "s", sender: "a", sentTime: time, content: .text("x")),
            MessageSent(message: LocalMessageID(1), serverID: "s", sentTime: time),
            MessageModified(.server("s"), content: .text("x"), at: time),
            MessageDelivered(.upTo(time), at: .unknown),
            MessageReadByPeer(.upTo(.unknown), at: time),
            HistoryCleared(upTo: MessageOrder(time: time)),
            ConversationRead(upTo: MessageOrder(time: time)),
        ]
        for body in bodies { expectInvalid(Event(any: body, in: .group("g"))) }
        expectInvalid(Event(Self.pinned, in: .group("g"), serverTime: time))
    }

    @Test func `an event of a conversation needs one and an event of the account has none`() {
        for event in SampleEvents.all {
            var wrong = event
            wrong.conversation = event.conversation == nil ? .group("g") : nil
            expectInvalid(wrong)
        }
    }

    @Test(
        arguments: [
            MessagesDeleted([]), MessageDelivered(.messages([]), at: .unknown),
            MessageReadByPeer(.messages([]), at: .unknown),
            MembersAdded([], kind: .joined), MembersRemoved([], kind: .left),
            ProfilesFetched([]), ProfileFetchFailed([], code: 0), ContactsReceived([]), ContactsRemoved([]),
            UsersBlocked([]),
        ] as [any EventPayload])
    func `a list that must name somebody is not empty`(body: any EventPayload) {
        expectInvalid(Event(any: body, in: body.eventType.declaration?.scope == .conversation ? .group("g") : nil))
    }

    @Test func `a refused value of an element is named by its field`() {
        let events: [(Event, String)] = [
            (
                Event(ProfilesFetched([Profile(id: "a"), Profile(id: "")])),
                "ProfilesFetched.profiles holds a value whose id is empty"
            ),
            (
                Event(TeamInfoFetched([TeamInfo(id: .group(""))])),
                "TeamInfoFetched.teams holds a value whose id has an id that is empty"
            ),
            (
                Event(MessageSnapshotReceived(.server("s"), reactions: [ReactionSummary(key: "")]), in: .group("g")),
                "MessageSnapshotReceived.reactions holds a value whose key is empty"
            ),
        ]
        for (event, message) in events {
            let error = #expect(throws: StoreError.self) { try event.validate() }
            #expect(error?.message == message)
        }
    }

    @Test func `a history page's ends stand in order, ids between equal times`() {
        let (early, late) = (MessageOrder(time: .unknown, id: "b"), MessageOrder(time: SampleEvents.time, id: "a"))
        let same = MessageOrder(time: .unknown, id: "a")
        for (newest, oldest) in [(early, late), (same, early)] {
            let page = HistoryPageLoaded(newest: newest, oldest: oldest)
            expectInvalid(Event(page, in: .group("g")))
        }
    }

    @Test(
        "no event carries more than 16 MiB, wherever the bytes are",
        arguments: [0, 1, 2, 3, 4])
    func eventBytes(kind: Int) throws {
        let text = String(repeating: "秘", count: EventLimits.eventBytes / 3 + 1)
        let bodies: [any EventPayload] = [
            MessageSendQueued(content: .text(text)),
            ConversationDraftChanged(text),
            ConversationUpdated(ConversationFields(attributes: Array(text.utf8))),
            MembersRemoved(["a"], kind: .left, reason: text),
            MessageSendQueued(content: .text("x"), context: MessageContext(pushText: text)),
        ]
        let fixture = try LogFixture()
        let error = storeError { try fixture.append([Event(any: bodies[kind], in: .group("g"))]) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.description.contains("秘") == false)
        #expect(fixture.log.lastPosition == .origin)
    }

    static let pinned = ConversationPinned()

    private func expectInvalid(_ event: Event, sourceLocation: SourceLocation = #_sourceLocation) {
        let error = storeError { try event.validate() }
        #expect(error?.code == .invalidArgument, "\(event.type)", sourceLocation: sourceLocation)
        #expect(error?.description.contains("界") != true, sourceLocation: sourceLocation)
    }
}
