import MessageStoreLMDB
@_spi(Storage) @testable import MessageStoreLog
import Testing

@Suite("Writing a batch") struct BatchWriterTests {
    private let invalidated = ["a", "b"].map { Event(ProfileInvalidated([$0])) }

    @Test func `a record that is taken back leaves neither a place nor a symbol`() throws {
        let fixture = try LogFixture()
        var writer = fixture.log.beginBatch(account: LogFixture.account, now: .unknown)
        try writer.append(invalidated[0])
        #expect(writer.appended?.type == .profileInvalidated)
        writer.rollBack()
        #expect(writer.appended == nil && writer.batch.count == 0)
        try writer.append(invalidated[1])
        writer.keep()
        try fixture.log.commit(PreparedAppend(writer))
        #expect(try fixture.event(at: 1) == invalidated[1].asRecorded)
        #expect(try fixture.log.symbols.existingNumber(of: "a" as UserID) == nil)
        #expect(try fixture.log.symbols.existingNumber(of: "b" as UserID) == 2)
    }

    /// The general way writes records that are restored, whose flags are given.
    @Test("a plain message is written as in the general way", arguments: 1...40)
    func plainMessages(seed: Int) throws {
        let fixture = try LogFixture()
        var random = SplitMix64(seed: UInt64(seed))
        var lengths: [Int] = []
        for flags in [[], .isHandedOver, .packageBit] as [RecordFlags] {
            var plain = fixture.log.beginBatch(account: LogFixture.account, now: .unknown)
            var general = fixture.log.beginBatch(account: LogFixture.account, now: .unknown)
            (plain.historyFlags, plain.carrierFlags) = (.countsAboveMarker, flags)
            for _ in 1...50 {
                let event = message(&random)
                let key = try plain.append(event)
                try general.append(event, flags: plain.appended?.flags)
                #expect(plain.appended?.bytes.copied == general.appended?.bytes.copied)
                let message = try #require(event.payload as? MessageReceived)
                var expected: RecordFlags = message.sender == LogFixture.account ? .isOutgoing : []
                if event.origin == .history { expected.insert(.countsAboveMarker) }
                // What a server says is offline was in a package.
                if event.origin != .offline || flags != .packageBit { expected.formUnion(flags) }
                let decided: RecordFlags = [.isOutgoing, .countsAboveMarker, .isHandedOver, .packageBit]
                #expect(plain.appended?.flags.intersection(decided) == expected)
                var claimed: IdentityKey?
                plain.appended?.forEachIdentity { if claimed == nil { claimed = $0.key } }
                #expect(key == claimed)
                lengths.append(plain.appended?.content.byteCount ?? 0)
                plain.keep()
                general.keep()
            }
            let symbols = (PreparedAppend(plain).symbols, PreparedAppend(general).symbols)
            #expect(symbols.0.map(\.bytes) == symbols.1.map(\.bytes))
        }
        #expect(lengths.contains(0) && lengths.contains { $0 > 128 })
    }

    /// A new field must be taken, or make a message one that is not plain.
    @Test func `the fields of a message are those that a plain one has or must lack`() {
        let taken = [
            "serverID", "sender", "sentTime", "contentType", "text", "data", "attributes", "clientToken",
            "countsUnread", "updatesLastMessage", "needsReceipt",
        ]
        let lacking = [
            "mentions", "mentionsEveryone", "visibleTo", "replyTo", "forwardOf", "pushText", "timerSeconds",
            "timerRunsFromReading", "senderName", "senderAvatarURL", "flags",
        ]
        #expect(Set(MessageReceived.fieldDescriptions.map(\.name)) == Set(taken + lacking))
    }

    @Test func `a plain message is taken as a whole, and another leaves nothing`() throws {
        let fixture = try LogFixture()
        let plain = MessageReceived(serverID: "1", sender: "a", sentTime: .unknown, content: .text("x"))
        var others = [plain, plain, plain, plain, plain]
        others[0].context.replyTo = "2"
        others[1].context.pushText = "push"
        others[2].senderProfile = SenderProfile(name: "Ann")
        others[3].flags = .read
        others[4].sender = ""
        for (message, isTaken) in [(plain, true)] + others.map({ ($0, false) }) {
            var fields = RecordFieldWriter(
                account: LogFixture.account, symbols: PendingSymbols(table: fixture.log.symbols))
            var writer = ByteWriter()
            let (found, hasKey) = try withUnsafeMutablePointer(to: &writer) { writer in
                fields.plain = PlainRecord(
                    writer: writer, place: .init(position: Position(1), commitIndex: 0, recordedTime: .unknown),
                    origin: .live, flags: [], conversation: 1)
                return (try fields.take(message), fields.plain?.serverID != nil)
            }
            let count = writer.count
            #expect(found == isTaken && hasKey == isTaken && (count > 0) == isTaken)
        }
    }

    private func message(_ random: inout SplitMix64) -> Event {
        func pick<Value>(_ values: [Value]) -> Value { values[Int(random.next() % UInt64(values.count))] }
        let content = MessageContent(
            type: pick([.text, "com.example/card"]),
            text: pick([nil, "", "消息", String(repeating: "word ", count: 1 + Int(random.next() % 60))]),
            data: pick([[], [1, 2, 3]]), attributes: pick([[], Array("{}".utf8)]))
        let number = random.next() % 20
        let message = MessageReceived(
            serverID: pick(["1", "5f3e9a0b1c2d3e4f5a6b7c8d"]),
            sender: pick(["me", "user \(number)", "a longer id of user \(number)"]),
            sentTime: pick([.unknown, Timestamp(milliseconds: 1_700_000_000_000)]), content: content,
            clientToken: pick([nil, nil, "token"]), policy: pick([.standard, .uncounted, .silent]),
            context: pick([.none, .none, .none, MessageContext(mentions: ["me"]), MessageContext(pushText: "push")]),
            needsReceipt: pick([false, true]),
            senderProfile: pick([nil, nil, SenderProfile(name: "Ann")]), flags: pick([nil, nil, .read]))
        return Event(
            message, in: pick([.single("ann"), .group("group \(number)"), ConversationKey(.group, "g", channel: "c")]),
            id: pick([nil, nil, "event"]), origin: pick([.live, .offline, .history]))
    }

    @Test(
        "a plain message that breaks a rule is refused",
        arguments: [
            MessageReceived(serverID: "", sender: "a", sentTime: .unknown, content: .text("x")),
            MessageReceived(serverID: "1", sender: "", sentTime: .unknown, content: .text("x")),
            MessageReceived(serverID: "1", sender: "a", sentTime: Timestamp(milliseconds: -1), content: .text("x")),
            MessageReceived(serverID: "1", sender: "a", sentTime: .unknown, content: MessageContent(type: "")),
            MessageReceived(serverID: "1", sender: "a", sentTime: .unknown, content: .text("x"), clientToken: ""),
            MessageReceived(
                serverID: "1", sender: "a", sentTime: .unknown,
                content: .text(String(repeating: "x", count: EventLimits.eventBytes + 1))),
        ])
    func refusedMessage(message: MessageReceived) throws {
        let fixture = try LogFixture()
        // The flags of a restored record let it take the general way.
        let errors = [nil, [] as RecordFlags].map { flags in
            var writer = fixture.log.beginBatch(account: LogFixture.account, now: .unknown)
            return storeError { try writer.append(Event(message, in: .group("g")), flags: flags) }
        }
        #expect(errors[0]?.code == .invalidArgument)
        #expect(errors.map { $0?.description } == [errors[0]?.description, errors[0]?.description])
    }

    @Test func `a batch keeps a limited number of symbols`() throws {
        let fixture = try LogFixture()
        let users = (0..<2 * SymbolTable.RecentSymbols.limit).map { UserID("user \($0)") }
        for _ in 1...2 { try fixture.append(users.map { Event(ProfileInvalidated([$0])) }) }
        #expect(fixture.log.symbols.takeRecent().symbols.size.count == 0)
        try fixture.append(users.prefix(SymbolTable.RecentSymbols.limit - 1).map { Event(ProfileInvalidated([$0])) })
        #expect(fixture.log.symbols.takeRecent().symbols.size.count == SymbolTable.RecentSymbols.limit - 1)
    }

    @Test func `the symbols of a table over a log are not kept: the log may take their numbers back`() throws {
        let fixture = try LogFixture()
        try fixture.append([Event(ConversationPinned(), in: .group("g"))])
        let table = SymbolTable(over: fixture.log, firstNumber: 1 << 31)
        func record() throws -> UInt32? {
            var writer = BatchWriter(
                account: LogFixture.account, symbols: table, firstPosition: Position(2), recordedTime: .unknown)
            try writer.append(Event(ProfileInvalidated(["carol"])))
            writer.keep()
            return PreparedAppend(writer).symbols.first?.number
        }
        let staged = try fixture.log.prepare(
            [Event(ProfileInvalidated(["carol"]))], account: LogFixture.account, now: .unknown)
        fixture.log.stage(staged)
        #expect(try record() == nil, "the log's number")
        let isTakenBack = fixture.log.unstage(staged)
        #expect(isTakenBack)
        #expect(try record() == 1 << 31)
    }

    @Test func `symbols that a batch asked for are found by the next, until ids are erased`() throws {
        let fixture = try LogFixture()
        let symbols = fixture.log.symbols
        for _ in 1...2 { try fixture.append([Event(ConversationPinned(), in: .group("g"))]) }
        #expect(symbols.takeRecent().symbols.size.count == 1)
        #expect(symbols.takeRecent().symbols.size.count == 0, "taken by one batch")
        try fixture.append([Event(ConversationPinned(), in: .group("g"))])
        let late = symbols.takeRecent()
        symbols.forgetErased()
        #expect(symbols.recent.withLock { $0 == nil })
        symbols.keep(late)
        #expect(symbols.recent.withLock { $0 == nil }, "what a batch had before an erasure")
        try fixture.append([Event(ConversationPinned(), in: .group("g"))])
        #expect(try fixture.scan { $0.conversation } == [1, 1, 1, 1])
    }
}
