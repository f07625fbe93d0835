import Testing

@testable import MessageStoreTool

@Suite("Chat log: splitting")
struct ChatLogLineSplitterTests {
    /// What the splitter gives when `bytes` arrive in chunks of `size`; `nil` stands for a line that is too long.
    private func split(_ text: String, chunks size: Int, limit: Int) -> [String?] {
        var splitter = ChatLogLineSplitter(maximumLineBytes: limit)
        var rest = Array(text.utf8)[...]
        var result: [String?] = []
        while true {
            switch splitter.next(atEnd: rest.isEmpty) {
            case .line(let range): result.append(String(decoding: splitter.bytes(of: range), as: UTF8.self))
            case .tooLong: result.append(nil)
            case .needsMore:
                if rest.isEmpty { return result }
                splitter.append(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
        }
    }

    @Test(arguments: 1...9)
    func chunksDoNotMatter(size: Int) {
        #expect(split("ab\n\nabc\nabcd\nabcdefgh\nx", chunks: size, limit: 3) == ["ab", "", "abc", nil, nil, "x"])
        #expect(split("abcd", chunks: size, limit: 3) == [nil])
        #expect(split("abcdefgh\n", chunks: size, limit: 3) == [nil])
        #expect(split("abc\n", chunks: size, limit: 3) == ["abc"])
        #expect(split("", chunks: size, limit: 3) == [])
        #expect(split("\n", chunks: size, limit: 0) == [""])
    }
}
