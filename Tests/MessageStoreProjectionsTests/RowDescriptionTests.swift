import Foundation
import Testing

@testable import MessageStoreProjections

/// Every row type is described once; these tests hold for the rows of each table, a new one included.
@Suite struct `Descriptions of rows` {
    @Test("a row has the bytes of its parts and comes back from them", arguments: ViewTable.builtIn)
    func roundTrip(table: ViewTable) {
        for type in table.rowKinds.map(\.row) { checkRoundTrip(type) }
    }

    private func checkRoundTrip<Row: ViewRow>(_ type: Row.Type) {
        var row = Row()
        var sampler = RowSampler()
        row.describe(&sampler)
        #expect(row.bytes == sampler.expected, "\(type)")
        #expect(Row(sampler.expected.span.bytes) == row, "\(type)")
    }

    @Test("every property of a row is among its parts", arguments: ViewTable.builtIn)
    func properties(table: ViewTable) {
        for type in table.rowKinds.map(\.row) {
            // The newer end of a stretch is in the row's key, and what proves that it goes on in a row of its own.
            let elsewhere = table == .named("timelineRanges") ? ["newest", "wait"] : []
            #expect(untouchedProperties(type) == elsewhere, "\(type)")
        }
    }

    /// The properties that stay as in a new row when every part is set.
    private func untouchedProperties<Row: ViewRow>(_ type: Row.Type) -> [String] {
        var row = Row()
        var sampler = RowSampler()
        row.describe(&sampler)
        return zip(leaves(row), leaves(Row())).filter { $0.0.value == $0.1.value }.map { $0.0.name }
    }

    private func leaves(_ value: Any) -> [(name: String, value: String)] {
        Mirror(reflecting: value).children.flatMap { child in
            child.value is any ViewRow || child.value is UnreadReport
                ? leaves(child.value) : [(child.label ?? "", String(describing: child.value))]
        }
    }

    @Test("I10: a row that is cut or too long is none", arguments: ViewTable.builtIn)
    func truncation(table: ViewTable) {
        for type in table.rowKinds.map(\.row) { checkTruncation(type) }
    }

    private func checkTruncation<Row: ViewRow>(_ type: Row.Type) {
        var row = Row()
        var sampler = RowSampler()
        row.describe(&sampler)
        let bytes = sampler.expected
        let readable = (0..<bytes.count).filter { Row(bytes.span.bytes.extracting(0..<$0)) != nil }
        var ends = sampler.otherEnds
        if let start = Self.orderStarts["\(type)"] {
            ends = ends.filter { $0 - start.offset >= 6 || $0 == start.empty }
        }
        #expect(readable == ends.sorted(), "\(type)")
        if !sampler.isOpen { #expect(Row((bytes + [0xFF]).span.bytes) == nil, "\(type)") }
    }

    /// Rows that end in an order, which has at least the bytes of its time: where it begins, and where the row may end
    /// without it.
    private static let orderStarts: [String: (offset: Int, empty: Int?)] = [
        "OrderRow": (0, nil), "FloorRow": (1, nil), "TimelineRange": (1, 1), "TimelineHead": (9, 9),
        "ThreadRow": (16, 16),
    ]

    @Test("the parts of every table's keys and rows are those of the format", arguments: ViewTable.builtIn)
    func format(table: ViewTable) throws {
        let documented = try FormatTable.views().filter { $0.table == table.name }
        let values = table.rowKinds.map { $0.row.layout.description }
        #expect(documented.map(\.value) == values, "correct \(table) in the table of views in Docs/Format.md")
        let keys = table.rowKinds.map(\.key)
        #expect(documented.map(\.key) == keys, "correct \(table) in the table of views in Docs/Format.md")
    }

    @Test func `the format lists every table and no other, in the order of their numbers`() throws {
        var tables: [String] = []
        for row in try FormatTable.views() where tables.last != row.table { tables.append(row.table) }
        #expect(tables == ViewTable.builtIn.map(\.name))
    }
}

extension ViewTable {
    fileprivate var rowKinds: [RowKind] { BuiltInProjections.tables[index].kinds }
}

/// A row of the table of views in the document of the format.
struct FormatTable {
    let table: String
    let key: String
    let value: String
    let remarks: String

    static func views() throws -> [FormatTable] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let format = try String(contentsOf: root.appendingPathComponent("Docs/Format.md"), encoding: .utf8)
        let lines = format.split(separator: "\n", omittingEmptySubsequences: false)
        let table = lines.drop { $0 != "| table | key | value | remarks |" }.dropFirst(2).prefix { $0.hasPrefix("|") }
        var name = ""
        return table.compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4, !cells[0].hasPrefix("**") else { return nil }
            if !cells[0].isEmpty { name = cells[0].trimmingCharacters(in: ["`"]) }
            return FormatTable(table: name, key: cells[1], value: cells[2], remarks: cells[3])
        }
    }
}
