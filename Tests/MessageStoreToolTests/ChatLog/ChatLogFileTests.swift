import Foundation
import Testing

@testable import MessageStoreTool

@Suite("Chat log: files")
struct ChatLogFileTests {
    private let fixture: LogFixture

    init() throws {
        fixture = try LogFixture()
    }

    @Test(arguments: ["", "\n", "\n\n \r\n\t\n", "  "])
    func fileWithoutLinesGivesNothing(content: String) throws {
        let plain = try ReadLog(path: fixture.file(content.utf8))
        let packed = try ReadLog(path: fixture.file(gzip(content.utf8)))
        #expect(plain.lines.isEmpty && plain.errors.isEmpty)
        #expect(packed.lines.isEmpty && packed.errors.isEmpty)
    }

    @Test func endStaysTheEnd() throws {
        let reader = try ChatLogReader(path: fixture.file(messageLine("a").utf8))
        #expect(try reader.next() != nil)
        #expect(try reader.next() == nil)
        #expect(try reader.next() == nil)
    }

    @Test func missingFileIsNamed() throws {
        let path = fixture.directory.appendingPathComponent("none").path
        let error = #expect(throws: ChatLogError.self) { try ChatLogReader(path: path) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.isLineError == false)
        #expect(error?.description == "\(path): cannot open the file (No such file or directory)")
    }

    @Test func directoryIsNoLog() throws {
        let error = #expect(throws: ChatLogError.self) { try ChatLogReader(path: fixture.directory.path) }
        #expect(error?.code == .isDirectory)
        #expect(error?.detail == "Is a directory")
    }

    @Test func pathWithNULNamesNoOtherFile() throws {
        let path = try fixture.file(messageLine("a").utf8)
        let error = #expect(throws: ChatLogError.self) { try ChatLogReader(path: path + "\0.gz") }
        #expect(error?.code == .cannotOpen)
        #expect(error?.description.contains("\0") == false)
    }

    @Test(.enabled(if: getuid() != 0, "the superuser may read everything"))
    func fileWithoutPermissionIsRefused() throws {
        let path = try fixture.file(messageLine("a").utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
        let error = #expect(throws: ChatLogError.self) { try ChatLogReader(path: path) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.detail == "Permission denied")
    }

    @Test func descriptorsAreGivenBack() throws {
        let path = try fixture.file(messageLine("a").utf8)
        for _ in 0..<3_000 {
            #expect(try ChatLogReader(path: path).next() != nil)
            let error = #expect(throws: ChatLogError.self) { try ChatLogReader(path: fixture.directory.path) }
            #expect(error?.code == .isDirectory)
        }
    }

    @Test(arguments: [[0x1F], [0x1F, 0x7B], [0x8B], [0x7B]] as [[UInt8]])
    func fileWithoutGzipMagicIsPlain(bytes: [UInt8]) throws {
        let log = try ReadLog(path: fixture.file(bytes, name: "log.gz"))
        #expect(log.errors.map(\.code) == [bytes == [0x8B] ? .invalidUTF8 : .invalidJSON])
    }
}
