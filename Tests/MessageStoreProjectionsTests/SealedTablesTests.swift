import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreProjections

@Suite("Tables of sealed views", .timeLimit(.minutes(5)))
struct SealedTablesTests {
    /// Whether parts, as the document of the format names them, can hold words, names or ids: strings, fields, and the values
    /// of hosts. Bytes of other parts are orders and ids that servers gave to messages.
    private static func isPersonal(_ parts: String) -> Bool {
        [" string", " field ", "value bytes"].contains { parts.contains($0) }
    }

    @Test("a table is sealed if its rows or keys can hold words, and a key is hidden if it can")
    func declarations() {
        var sealed: Set<String> = []
        for table in BuiltInProjections.tables {
            let keys = table.kinds.map { " " + $0.key }
            let rows = table.kinds.map { " " + $0.row.layout.description }
            let isPersonal = (keys + rows).contains(where: Self.isPersonal)
            #expect(!isPersonal || table.traits.contains(.sealed), "\(table.name)")
            let isHidden = table.sealedForm?.clearKeyBytes != nil
            #expect(!keys.contains(where: Self.isPersonal) || isHidden, "\(table.name)")
            if table.traits.contains(.sealed) { sealed.insert(table.name) }
        }
        // Of these, the index has hashes of words.
        #expect(
            sealed == [
                "conversationInfo", "conversationIndex", "conversationNumbers", "settingTimes", "members",
                "chatRoomEntries",
                "profiles", "teams", "contacts", "syncCursors", "messageDetails",
            ])
        #expect(sealed.isSubset(of: Set(ProjectionCatalog.builtIn.sealedForms.keys)))
    }

    /// The bytes of a key that stay clear.
    private static func clearBytes<Key: ViewKey>(of key: Key) -> Int {
        let bytes = key.bytes
        return bytes.withUnsafeBytes { min(Key.clearBytes?($0) ?? .max, bytes.count) }
    }

    @Test("a key is clear up to its first part with words")
    func clearParts() {
        let name = MessageName.server(Array("m1".utf8))
        let conversation = ConversationNumber(rawValue: 7)
        #expect(
            Self.clearBytes(of: DetailKey(ReactionPart(reaction: Array("👍".utf8)), of: name, in: conversation)) == 8)
        #expect(Self.clearBytes(of: DetailKey(MetadataPart(key: "k"), of: name, in: conversation)) == 8)
        let mark = DetailKey(MarkPart(mark: .pin), of: name, in: conversation)
        #expect(Self.clearBytes(of: mark) == mark.bytes.count)
        #expect(
            Self.clearBytes(of: DetailKey(MetadataPart(key: "k"), of: .local(LocalMessageID(3)), in: conversation))
                == 14)
        #expect(Self.clearBytes(of: UserIDKey("bob")) == 4)
        #expect(Self.clearBytes(of: ContactIDKey(.contacts, "bob")) == 5)
        #expect(Self.clearBytes(of: CursorName(name: Array("c".utf8))) == 0)
        #expect(Self.clearBytes(of: SettingKey(conversation: conversation, setting: .tag("t"))) == 5)
        #expect(Self.clearBytes(of: IndexRowKey(key: .name("n"), conversation: conversation)) == 1)
        let member = IndexRowKey(key: .creator(UserNumber(rawValue: 3)), conversation: conversation)
        #expect(Self.clearBytes(of: member) == member.bytes.count)
    }
}
