import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog

@Suite struct `Symbols` {
    private let fixture: LogFixture

    init() throws { fixture = try LogFixture() }

    private let directory = TemporaryDirectory()
    private var path: String { directory.path }

    @Test func `the same string has the same number in every batch and after opening again`() throws {
        let conversations = try record(path, .create)
        #expect(Set(conversations).count == 3)
        #expect(try record(path, .readWrite) == conversations)
    }

    @Test
    func `canonically equivalent strings of other bytes are different symbols, and the account is user 1`() throws {
        let users: [UserID] = ["\u{e9}", "e\u{301}", "Å", "\u{212B}"]
        try fixture.append([Event(ProfileInvalidated(users))])
        let numbers = try users.map { try fixture.log.symbols.existingNumber(of: $0) }
        #expect(Set(numbers).count == 4)
        let decoded = try fixture.event(at: 1)
        #expect(decoded?.payload as? ProfileInvalidated == ProfileInvalidated(users))
        #expect(try fixture.log.symbols.existingNumber(of: LogFixture.account) == 1)
        #expect(try fixture.log.symbols.user(1) == LogFixture.account)
    }

    @Test func `kind, id and channel make a conversation, wherever the id ends`() throws {
        let keys = [
            ConversationKey(.group, "ab"), ConversationKey(.single, "ab"),
            ConversationKey(.group, "a", channel: "b"),
            ConversationKey(.group, "ab", channel: "b"), ConversationKey(.group, "a"),
        ]
        try fixture.append(keys.map { Event(ConversationPinned(), in: $0) })
        #expect(try fixture.scan { $0.conversation } == [1, 2, 3, 4, 5])
        for (index, key) in keys.enumerated() {
            #expect(try fixture.log.symbols.conversation(UInt32(index + 1)) == key)
        }
    }

    @Test("I10: a damaged name is a typed error", arguments: [0, 8]) func damagedName(offset: Int) throws {
        _ = try record(path, .create)
        let log = try EventLog(path: path, configuration: .ofTests(access: .readWrite))
        try change(log, log.storage.tables.names, [1, 0, 0, 0, 2]) { $0[offset] ^= 1 }
        #expect(storeError { try log.symbols.conversation(2) }?.code == .logDamaged)
        #expect(storeError { try LogFixture(log: log).event(at: 2) }?.code == .logDamaged)
        #expect(try log.symbols.conversation(1) == .group("g0"))
        #expect(storeError { try log.symbols.conversation(77) }?.code == .logDamaged)
    }

    @Test("I4, I10: an erased id has its number, and damage of what is left of it is a typed error")
    func erasedID() throws {
        _ = try record(path, .create)
        let log = try EventLog(path: path, configuration: .ofTests(access: .readWrite))
        let erased = ValuesErased(
            users: [], alsoMessages: false, conversations: [.group("g0")], events: [], alsoIDs: true)
        let events = try LogFixture(log: log).append([Event(erased)])
        for _ in 1...2 {
            _ = try log.erase(by: events, blanking: [], now: .unknown)
            #expect(try log.symbols.conversation(1) == .group("erased:1"))
            #expect(try log.symbols.existingNumber(of: .group("g0")) == 1)
            #expect(try log.symbols.existingNumber(of: .group("erased:1")) == 1)
            #expect(try log.symbols.existingNumber(of: .single("g0")) == nil)
        }
        _ = try log.symbols.compareTables()
        try change(log, log.storage.tables.names, [6, 0, 0, 0, 1]) { $0[8] ^= 1 }
        log.symbols.forgetErased()
        #expect(storeError { try log.symbols.existingNumber(of: .group("g0")) }?.code == .logDamaged)
        #expect(storeError { try log.symbols.compareTables() }?.code == .logDamaged)
        #expect(try log.symbols.existingNumber(of: .group("g1")) == 2)
    }

    @Test("I10: a damaged number is a typed error, never another's number", .withoutKey("changes a stored row"))
    func damagedNumber() throws {
        _ = try record(path, .create)
        let log = try EventLog(path: path, configuration: .ofTests(access: .readWrite))
        let key = log.storage.tables.numberKey(.conversation, ConversationKey.group("g0").symbolBytes)
        try change(log, log.storage.tables.numbers, key) { $0[0] = 3 }
        #expect(storeError { try log.symbols.existingNumber(of: .group("g0")) }?.code == .logDamaged)
        try change(log, log.storage.tables.numbers, key) { $0 = [1] }
        #expect(storeError { try log.symbols.existingNumber(of: .group("g0")) }?.code == .logDamaged)
        #expect(storeError { try LogFixture(log: log).append([pinned("g0")]) }?.code == .logDamaged)
        #expect(try log.symbols.existingNumber(of: .group("g1")) == 2)
    }

    @Test("I4, I10: a name whose number is not found under its key is damage, not a new name")
    func lostNumber() throws {
        for lost in [true, false] {
            try withTemporaryDirectory { path in
                _ = try record(path, .create)
                let log = try EventLog(path: path, configuration: .ofTests(access: .readWrite))
                var key = log.storage.tables.numberKey(.conversation, ConversationKey.group("g0").symbolBytes)
                let number = try log.environment.read {
                    try $0.value(for: key.span.bytes, in: log.storage.tables.numbers)?.copied
                }
                try log.environment.write { transaction in
                    try transaction.remove(key.span.bytes, in: log.storage.tables.numbers)
                    key[key.count - 1] ^= 1
                    guard !lost, let number else { return }
                    try transaction.put(number.span.bytes, for: key.span.bytes, in: log.storage.tables.numbers)
                }
                for name in ["g0", "new"] {
                    #expect(storeError { try log.symbols.existingNumber(of: .group(name)) }?.code == .logDamaged)
                    #expect(storeError { try LogFixture(log: log).append([pinned(name)]) }?.code == .logDamaged)
                }
                #expect(log.lastPosition == Position(3))
                #expect(try findings(log).map(\.code) == [.logDamaged])
                // Those of other kinds are whole.
                #expect(try log.symbols.existingNumber(of: "nobody" as UserID) == nil)
            }
        }
    }

    @Test("I10: a number that no symbol has is damage of the row that names it, or of the record")
    func unknownNumber() throws {
        _ = try record(path, .create)
        let fixture = LogFixture(log: try EventLog(path: path, configuration: .ofTests(access: .readWrite)))
        #expect(storeError { try fixture.log.symbols.conversation(4) }?.code == .viewsDamaged)
        try fixture.overwrite(2) { bytes in
            var writer = ByteWriter()
            writer.append(bytes ?? [])
            writer.set(UInt32(4), at: RecordLayout.conversation)
            RecordEncoder.seal(from: 0, in: &writer)
            bytes = writer.bytes.copied
        }
        let error = storeError { try fixture.event(at: 2) }
        // Nobody who has no key seals such a record.
        let code: StoreError.Code = LogFixture.key == nil ? .recordDamaged : .logForged
        #expect(error?.code == code && error?.position == Position(2))
        #expect(try findings(fixture.log).map(\.position) == [Position(2)])
    }

    private func findings(_ log: EventLog) throws -> [StoreError] {
        var found: [StoreError] = []
        _ = try log.examine(decodes: true, progress: { _, _ in }, report: { found.append($0) })
        return found
    }

    private func pinned(_ id: String) -> Event { Event(ConversationPinned(), in: .group(id)) }

    private func record(_ path: String, _ access: Environment.Configuration.Access) throws -> [UInt32] {
        let fixture = LogFixture(log: try EventLog(path: path, configuration: .ofTests(access: access)))
        let first = fixture.log.lastPosition.rawValue + 1
        try fixture.append((0..<3).map { pinned("g\($0)") })
        return try fixture.scan(from: first) { $0.conversation }
    }

    private func change(_ log: EventLog, _ table: Table, _ key: [UInt8], _ change: (inout [UInt8]) -> Void) throws {
        // Without the form by which a log with a key opens it.
        let table = try log.environment.openTables([table.name], create: false)[0]
        try log.environment.write { transaction in
            guard var bytes = try transaction.value(for: key.span.bytes, in: table)?.copied else { return }
            change(&bytes)
            try transaction.put(bytes.span.bytes, for: key.span.bytes, in: table)
        }
    }
}
