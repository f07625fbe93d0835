/// The built-in types of events. A new one needs its payload's file and a line here.
package enum EventCatalog {
    /// The payload types, by number.
    package static let payloads: [any BuiltInPayload.Type] = [
        MessageSendQueued.self,
        MessageSent.self,
        MessageSendFailed.self,
        MessageSendRetried.self,
        MessageReceived.self,
        MessageDelivered.self,
        MessageReadByPeer.self,
        MessageModified.self,
        MessageRecalled.self,
        MessagesDeleted.self,
        HistoryCleared.self,
        HistoryPageLoaded.self,
        MessageStatusOverridden.self,
        MessageInsertedLocally.self,
        ReadReceiptRequested.self,
        ReadReceiptSent.self,
        MessageStatusFlagsSet.self,
        MessageMetadataChanged.self,
        ReactionAdded.self,
        ReactionRemoved.self,
        AttachmentStateChanged.self,
        MessageFiltered.self,
        MessageDuplicateSuppressed.self,
        HistoryGapFound.self,
        MessageSnapshotReceived.self,
        MessagePinned.self,
        MessageStarred.self,
        ThreadRead.self,
        ConversationCreated.self,
        ConversationUpdated.self,
        ConversationSnapshotReceived.self,
        ConversationRead.self,
        ConversationMarkedUnread.self,
        ConversationPinned.self,
        ConversationMuted.self,
        ConversationDraftChanged.self,
        ConversationDeleted.self,
        ConversationInvalidated.self,
        ConversationTagged.self,
        UnreadCountReported.self,
        ConversationSummaryReceived.self,
        ConversationArchived.self,
        ConversationFolderChanged.self,
        ConversationTimerChanged.self,
        ChatRoomJoined.self,
        ChatRoomLeft.self,
        ChatRoomEntriesChanged.self,
        MembersAdded.self,
        MembersRemoved.self,
        MemberInfoChanged.self,
        SelfInvited.self,
        SelfKicked.self,
        MemberMuted.self,
        MemberBlocked.self,
        ProfilesFetched.self,
        ProfileFetchFailed.self,
        ProfileInvalidated.self,
        TeamInfoFetched.self,
        TeamInfoInvalidated.self,
        ContactsReceived.self,
        ContactsRemoved.self,
        UsersBlocked.self,
        OfflineSyncStarted.self,
        OfflinePackageReceived.self,
        OfflineSyncCompleted.self,
        SyncCursorAdvanced.self,
        SessionStateChanged.self,
        RecordLost.self,
        PendingChangeUpdated.self,
        ValuesErased.self,
    ]

    /// The properties of a type that the log needs, built-in or a host's.
    final class Entry: Sendable {
        let payload: any EventPayload.Type
        /// The payload, if it is built in.
        let builtIn: (any BuiltInPayload.Type)?
        let declaration: EventDeclaration
        let fields: [FieldDescription]
        let hasContent: Bool
        /// The numbers that the fields and the content use.
        let numbers: (fields: FieldNumbers, content: FieldNumbers)

        convenience init(_ payload: any BuiltInPayload.Type) {
            self.init(payload, builtIn: payload, fields: payload.fieldDescriptions)
        }

        init(
            _ payload: any EventPayload.Type, builtIn: (any BuiltInPayload.Type)? = nil, fields: [FieldDescription]
        ) {
            (self.payload, self.builtIn) = (payload, builtIn)
            self.fields = fields
            declaration = payload.declaration
            hasContent = fields.contains { $0.part == .content }
            let common = CommonField.numbers(declaration.traits)
            let numbers: (FieldDescription.Part) -> [UInt32] = { [fields] part in
                fields.filter { $0.part == part }.flatMap(\.numbers)
            }
            self.numbers = (FieldNumbers(common + numbers(.fields)), FieldNumbers(numbers(.content)))
        }
    }

    /// The properties needed for every event that is folded or recorded.
    struct Scope: Sendable {
        let scope: EventScope
        let version: UInt8
        let payload: ObjectIdentifier

        init(_ payload: any EventPayload.Type) {
            scope = payload.declaration.scope
            version = payload.declaration.version
            self.payload = ObjectIdentifier(payload)
        }
    }

    static let known: [EventDeclaration] = payloads.map { $0.declaration }

    /// Made where they are first asked for: most stores never see most types.
    private static let entries = ByType(payloads.map { payload in (payload.declaration.type, Once { Entry(payload) }) })
    /// Apart from the entries, because every event that is folded is looked up.
    static let scopes = ByType(payloads.map { ($0.declaration.type, Scope($0)) })

    /// Apart from the entries, because every event that is recorded is looked up.
    static let traits = ByType(known.map { ($0.type, $0.traits) })

    static subscript(type: EventType) -> Entry? { entries[type]?.value }
}

/// A value that is made when it is first asked for.
private final class Once<Value: AnyObject & Sendable>: Sendable {
    private let made = SetOnce<Value>()
    private let make: @Sendable () -> Value

    init(_ make: @escaping @Sendable () -> Value) { self.make = make }

    var value: Value { made.value(make) }
}

/// Values by the number of an event type; numbers of this version are small.
struct ByType<Value: Sendable>: Sendable {
    private let values: [Value?]

    init(_ pairs: [(type: EventType, value: Value)]) {
        var values = [Value?](repeating: nil, count: pairs.map { Int($0.type.rawValue) + 1 }.max() ?? 0)
        for (type, value) in pairs { values[Int(type.rawValue)] = value }
        self.values = values
    }

    subscript(type: EventType) -> Value? { type.rawValue < values.count ? values[Int(type.rawValue)] : nil }
}

/// A set of field numbers below 64; 0, which no field has, is there for all others.
package struct FieldNumbers: Sendable {
    static let highest: UInt32 = 63
    static var all: FieldNumbers { FieldNumbers(bits: .max) }
    static var none: FieldNumbers { FieldNumbers(bits: 0) }
    private var bits: UInt64

    private init(bits: UInt64) { self.bits = bits }

    init(_ numbers: [UInt32]) { bits = numbers.reduce(0) { $0 | 1 << UInt64($1) } }

    mutating func insert(_ number: UInt32) { bits |= 1 &<< UInt64(number <= Self.highest ? number : 0) }

    func contains(_ number: UInt32) -> Bool { number <= Self.highest && bits & 1 &<< UInt64(number) != 0 }

    func isSubset(of other: FieldNumbers) -> Bool { bits & ~other.bits == 0 }

    /// Whether it has a number or the next, which some values take as well.
    func mayHold(_ number: UInt32) -> Bool { number > Self.highest || bits & 0b11 &<< UInt64(number) != 0 }
}

extension RecordView {
    /// The catalog's entry of the record's built-in type; nil if the type or its schema version is not built in.
    var catalogEntry: EventCatalog.Entry? {
        guard let entry = EventCatalog[type], schemaVersion <= entry.declaration.version else { return nil }
        return entry
    }
}

extension EventCatalog.Entry {
    /// Checks what a host declares.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument`, which names the type and what is wrong with it.
    convenience init(checking payload: any EventPayload.Type) throws {
        let problem: (String) -> StoreError = { problem in
            StoreError(.invalidArgument, "the event type \(payload.declaration.name) (\(payload)) \(problem)")
        }
        let declaration = payload.declaration
        guard declaration.name.description.isReverseDNS else {
            throw problem("is not named in reverse-DNS notation, such as com.example.message-starred")
        }
        guard declaration.type.isHosts else {
            throw problem("has the number \(declaration.type); 0x8000 to 0xFFFF are hosts'")
        }
        guard declaration.version > 0 else { throw problem("has the version 0; the first is 1") }
        let isOfAccount = declaration.scope == .account
        let isOfConversation = declaration.scope == .conversation || declaration.scope == .chatRoom
        guard !(payload is any AccountPayload.Type && !isOfAccount),
            !(payload is any ConversationPayload.Type && !isOfConversation)
        else { throw problem("declares the scope \(declaration.scope), against the protocol that it conforms to") }
        let fields = try payload.listedFields()
        if let found = FieldDescription.problem(of: fields, firstNumber: 3) { throw problem(found) }
        self.init(payload, fields: fields)
    }
}

extension EventPayload {
    /// The fields that are read, which must be the ones that are written.
    fileprivate static func listedFields() throws -> [FieldDescription] {
        var read = FieldLister()
        var written = FieldLister()
        do {
            try Self(from: &read).encode(to: &written)
        } catch {
            let last = read.fields.last.map { "after the field \($0.name)" } ?? "before any field"
            throw StoreError(
                .invalidArgument,
                "the event type \(declaration.name) (\(Self.self)) does not read or write all of its fields: it throws "
                    + "\(last), at a value that stands for none; refuse values in validate()")
        }
        if let field = Set(read.fields).symmetricDifference(written.fields).min(by: { $0.name < $1.name }) {
            throw StoreError(
                .invalidArgument,
                "the event type \(declaration.name) (\(Self.self)) has the field \(field.name), which is not both "
                    + "read by init(from:) and written by encode(to:)")
        }
        return read.fields
    }
}
