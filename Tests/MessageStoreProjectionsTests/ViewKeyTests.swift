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
        let mark = MarkKey(conversation: Self.conversation, mark: .star, name: .server([0x61, 0x62]))
        #expect(bytes(mark) == [0, 0, 1, 2, 2, 0, 0x61, 0x62])
        let file = LocalFileKey(conversation: Self.conversation, index: 3, name: .local(LocalMessageID(9)))
        #expect(bytes(file) == [0, 0, 1, 2, 3, 1, 0, 0, 0, 0, 0, 0, 0, 9])
        let edit = EditKey(conversation: Self.conversation, name: .server([0x61]), time: 5, position: Position(6))
        #expect(bytes(edit) == [0, 0, 1, 2, 1, 0x61, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6])
        #expect(MarkKey(key: bytes(mark).span.bytes) == mark && LocalFileKey(key: bytes(file).span.bytes) == file)
        #expect(EditKey(key: bytes(edit).span.bytes) == edit)
    }

    @Test("I10: a key that is cut, too long or without the id that it announces is none")
    func damaged() {
        let file = bytes(LocalFileKey(conversation: Self.conversation, index: 3, name: .local(LocalMessageID(9))))
        for end in 0..<file.count { #expect(LocalFileKey(key: Array(file[..<end]).span.bytes) == nil) }
        #expect(LocalFileKey(key: (file + [0]).span.bytes) == nil)
        #expect(MarkKey(key: bytes(MarkKey(conversation: Self.conversation)).span.bytes) == nil)
    }

    @Test("a key of a forged event that is longer than any key may be is cut, and still too long for LMDB")
    func tooLong() {
        let key = ChatRoomEntryKey(room: Self.conversation, key: String(repeating: "k", count: 5_000))
        #expect(bytes(key).count == KeyWriter.capacity)
    }
}
