import MessageStoreLog
import Testing

@testable import MessageStoreProjections

@Suite("Keys of views") struct ViewKeyTests {
    private static let conversation = ConversationNumber(rawValue: 0x0102)

    private func bytes(_ key: some ViewKey) -> [UInt8] {
        key.withBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
    }

    @Test("a key is its parts in order, with big-endian numbers, and comes back from them")
    func roundTrip() throws {
        let listed = MarkedKey(
            scope: .none, mark: .star, invertedTime: 1, conversation: Self.conversation, name: .server([0x61, 0x62]))
        let file = DetailKey(FilePart(index: 3), of: .local(LocalMessageID(9)), in: Self.conversation)
        let edit = DetailKey(EditPart(time: 5, position: Position(6)), of: .server([0x61]), in: Self.conversation)
        let expected: [[UInt8]] = [
            [0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 0, 0x61, 0x62],
            [0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 9, 10, 3],
            [0, 0, 1, 2, 1, 0x61, 9, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6],
        ]
        #expect([bytes(listed), bytes(file), bytes(edit)] == expected)
        #expect(MarkedKey(key: bytes(listed).span.bytes) == listed)
        #expect(DetailKey<FilePart>(key: bytes(file).span.bytes) == file)
        #expect(DetailKey<EditPart>(key: bytes(edit).span.bytes) == edit)
    }

    @Test("I10: a key that is cut, too long, of another kind or without the id that it announces is none")
    func damaged() {
        let file = bytes(DetailKey(FilePart(index: 3), of: .local(LocalMessageID(9)), in: Self.conversation))
        for end in 0..<file.count { #expect(DetailKey<FilePart>(key: Array(file[..<end]).span.bytes) == nil) }
        #expect(DetailKey<FilePart>(key: (file + [0]).span.bytes) == nil)
        #expect(DetailKey<MarkPart>(key: file.span.bytes) == nil)
        #expect(MarkedKey(key: bytes(MarkedKey(scope: Self.conversation)).span.bytes) == nil)
    }

    @Test("a key of a forged event that is longer than any key may be is cut, and still too long for LMDB")
    func tooLong() {
        let key = ChatRoomEntryKey(room: Self.conversation, key: String(repeating: "k", count: 5_000))
        #expect(bytes(key).count == KeyWriter.capacity)
    }
}
