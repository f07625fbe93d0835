import Testing

@testable import MessageStoreTool

@Suite("Text table")
struct TextTableTests {
    private static let tables: [(columns: [TextTable.Column], rows: [[String]], rendered: String)] = [
        (
            [.init(header: "name"), .init(header: "count", alignment: .right), .init(header: "note")],
            [["你好", "7", "x"], ["👨‍👩‍👧", "1,234", ""], ["plain text", "", "last"]],
            """
            name        count  note
            ----------  -----  ----
            你好            7  x
            👨‍👩‍👧          1,234
            plain text         last

            """
        ),
        ([.init(header: "a"), .init(header: "bcd", alignment: .right)], [], "a  bcd\n-  ---\n"),
        ([], [["a"]], "\n\n\n"),
        (
            [.init(header: "a"), .init(header: "b")], [[], ["1"], ["1", "2", "3"]],
            "a  b\n-  -\n\n1\n1  2\n"
        ),
        (
            [.init(header: "t"), .init(header: "u")], [["a\nb\u{1B}[2J", "x   "]],
            "t              u\n-------------  -\na\\nb\\u{1B}[2J  x\n"
        ),
        (
            [.init(header: "x  "), .init(header: "", alignment: .right), .init(header: "")],
            [["wide cell", "", ""], ["", "r", " "]], "x\n---------  -\nwide cell\n           r\n"
        ),
    ]

    @Test("columns align by the width of any text, rows may be short, long or none, and no line ends in a space")
    func rendered() {
        let found = Self.tables.map { columns, rows, _ in
            var table = TextTable(columns: columns)
            for row in rows { table.append(row) }
            return table.rendered()
        }
        #expect(found == Self.tables.map(\.rendered))
    }

    @Test(arguments: [(10, "abc你好"), (5, "abc…"), (1, "…"), (0, ""), (-1, "")])
    func cellsAreCut(width: Int, expected: String) {
        var table = TextTable(columns: [.init(header: "", maximumWidth: width)])
        table.append(["abc你好"])
        #expect(table.rendered().split(separator: "\n", omittingEmptySubsequences: false)[2] == expected)
    }

    @Test func headerIsBoldWhereColourIsAllowed() {
        let table = TextTable(columns: [.init(header: "a"), .init(header: "b", alignment: .right)])
        let styled = table.rendered(style: TerminalStyle(allowsColour: true))
        #expect(styled == "\u{1B}[1ma\u{1B}[0m  \u{1B}[1mb\u{1B}[0m\n-  -\n")
    }
}
