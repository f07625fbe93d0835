import Foundation
import MessageStoreModel
import Testing

@testable import MessageStoreSearch

@Suite("The table of foldings")
struct FoldingTableTests {
    #if os(Linux)
    private static let isWritten = ProcessInfo.processInfo.environment["MESSAGESTORE_WRITE_TABLES"] != nil
    private static let isSameVersion = FoldingTableGenerator.unicodeVersion == FoldingTable.unicodeVersion

    @Test(
        "the table in the repository is what the generator makes",
        .enabled(if: isWritten || TestSize.isFull, "a plain run compares no generated files"),
        .enabled(if: isWritten || isSameVersion, "the standard library knows another version of Unicode"))
    func table() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let table = tests.appendingPathComponent(
            "../../../Sources/MessageStoreSearch/Folding/FoldingTable.swift")
        let generated = FoldingTableGenerator.file()
        if Self.isWritten { try generated.write(to: table, atomically: true, encoding: .utf8) }
        #expect(try String(contentsOf: table, encoding: .utf8) == generated, "generate it again: see its first lines")
    }
    #endif

    @Test("the runs of classes cover all scalars")
    func runs() {
        #expect(FoldingTable.classRuns.map { $0 >> 2 }.reduce(0, +) == 0x110000)
    }
}
