import Testing

@testable import MessageStoreTool

@Suite("Chat log: gzip")
struct ChatLogGzipTests {
    private let fixture: LogFixture

    init() throws {
        fixture = try LogFixture()
    }

    private func lines(_ numbers: Range<Int>) -> [UInt8] {
        numbers.flatMap { Array((messageLine("text \($0)") + "\n").utf8) }
    }

    @Test func gzipIsKnownByItsBytesAlone() throws {
        let log = try ReadLog(path: fixture.file(gzip(lines(0..<3)), name: "log.txt"))
        #expect(log.texts == ["text 0", "text 1", "text 2"])
        #expect(log.errors.isEmpty)
    }

    @Test func logOfManyChunksIsWhole() throws {
        let log = try ReadLog(path: fixture.file(gzip(lines(0..<20_000))))
        #expect(log.texts == (0..<20_000).map { "text \($0)" })
        #expect(log.errors.isEmpty)
    }

    @Test(arguments: [0, 1, 512])
    func membersFollowEachOther(padding: Int) throws {
        let zeros = [UInt8](repeating: 0, count: padding)
        let halves = try gzip(messageLine("a").utf8) + gzip("\n".utf8) + gzip([]) + gzip(messageLine("b").utf8)
        let log = try ReadLog(path: fixture.file(halves + zeros))
        #expect(log.texts == ["a", "b"])
        #expect(log.errors.isEmpty)
    }

    @Test(arguments: [1, 2_999, 65_536, 131_072])
    func memberBoundariesMayFallAnywhere(size: Int) throws {
        let all = lines(0..<3_000)
        var packed: [UInt8] = []
        for start in stride(from: 0, to: all.count, by: max(size, 500)) {
            packed += try gzip(all[start..<min(start + max(size, 500), all.count)])
        }
        let log = try ReadLog(path: fixture.file(packed))
        #expect(log.lines.count == 3_000)
        #expect(log.errors.isEmpty)
    }

    @Test func everyTruncationIsNoticed() throws {
        let packed = try gzip(lines(0..<50))
        for length in 2..<packed.count {
            let log = try ReadLog(path: fixture.file(packed[..<length]))
            #expect(log.errors.map(\.code) == [.truncatedGzip], "\(length) of \(packed.count) bytes")
            #expect(log.texts == (0..<log.lines.count).map { "text \($0)" })
        }
    }

    @Test func fileErrorIsThrownForEver() throws {
        let packed = try gzip(lines(0..<50))
        let reader = try ChatLogReader(path: fixture.file(packed.dropLast(4)))
        for _ in 0..<50 {
            #expect(try reader.next() != nil)
        }
        for _ in 0..<3 {
            let error = #expect(throws: ChatLogError.self) { try reader.next() }
            #expect(error?.code == .truncatedGzip)
            #expect(error?.isLineError == false)
            #expect(error?.line == nil)
        }
    }

    @Test func partOfALineBeforeAnErrorIsNotALine() throws {
        let packed = try gzip(messageLine("a").utf8)
        let log = try ReadLog(path: fixture.file(packed.dropLast(8)))
        #expect(log.lines.isEmpty)
        #expect(log.errors.map(\.code) == [.truncatedGzip])
    }

    @Test func wrongChecksumIsCorrupt() throws {
        var packed = try gzip(lines(0..<5))
        packed[packed.count - 5] ^= 0xFF
        #expect(try ReadLog(path: fixture.file(packed)).errors.map(\.code) == [.corruptGzip])
    }

    @Test func anyFlippedByteEndsInOrder() throws {
        let packed = try gzip(lines(0..<20))
        for index in packed.indices.dropFirst(2) {
            var bad = packed
            bad[index] ^= 0xA5
            let log = try ReadLog(path: fixture.file(bad))
            #expect(log.errors.filter { !$0.isLineError }.count <= 1)
        }
    }

    @Test(arguments: ["x", "\u{1F}", "{\"conv\":1}\n"])
    func otherDataAfterAMemberIsAnError(tail: String) throws {
        let log = try ReadLog(path: fixture.file(gzip(lines(0..<2)) + tail.utf8))
        #expect(log.texts == ["text 0", "text 1"])
        #expect(log.errors.count == 1)
        #expect(log.errors.first?.isLineError == false)
    }

    @Test func smallFileThatInflatesToALongLineIsRefused() throws {
        let packed = try gzip([UInt8](repeating: 0x20, count: 10 << 20) + [0x0A] + messageLine("a").utf8)
        let log = try ReadLog(path: fixture.file(packed))
        #expect(log.errors.map(\.code) == [.lineTooLong])
        #expect(log.texts == ["a"])
    }
}
