import Testing

@testable import MessageStoreTool

@Suite("Text table")
struct TextTableTests {
    @Test func columnsAlignByDisplayWidth() {
        var table = TextTable(columns: [
            .init(header: "name"), .init(header: "count", alignment: .right), .init(header: "note"),
        ])
        table.append(["你好", "7", "x"])
        table.append(["👨‍👩‍👧", "1,234", ""])
        table.append(["plain text", "", "last"])
        #expect(
            table.rendered() == """
                name        count  note
                ----------  -----  ----
                你好            7  x
                👨‍👩‍👧          1,234
                plain text         last

                """
        )
    }

    @Test func tableWithoutRowsHasItsHeader() {
        let table = TextTable(columns: [.init(header: "a"), .init(header: "bcd", alignment: .right)])
        #expect(table.rendered() == "a  bcd\n-  ---\n")
    }

    @Test func tableWithoutColumnsIsEmptyLines() {
        var table = TextTable(columns: [])
        table.append(["a"])
        #expect(table.rendered() == "\n\n\n")
    }

    @Test func rowsMayBeShortOrLong() {
        var table = TextTable(columns: [.init(header: "a"), .init(header: "b")])
        table.append([])
        table.append(["1"])
        table.append(["1", "2", "3"])
        #expect(table.rendered() == "a  b\n-  -\n\n1\n1  2\n")
    }

    @Test(arguments: [(10, "abc你好"), (5, "abc…"), (1, "…"), (0, ""), (-1, "")])
    func cellsAreCut(width: Int, expected: String) {
        var table = TextTable(columns: [.init(header: "", maximumWidth: width)])
        table.append(["abc你好"])
        #expect(table.rendered().split(separator: "\n", omittingEmptySubsequences: false)[2] == expected)
    }

    @Test func hostileTextStaysInItsCell() {
        var table = TextTable(columns: [.init(header: "t"), .init(header: "u")])
        table.append(["a\nb\u{1B}[2J", "x   "])
        #expect(table.rendered().split(separator: "\n").last == "a\\nb\\u{1B}[2J  x")
    }

    @Test func headerIsBoldWhereColourIsAllowed() {
        let table = TextTable(columns: [.init(header: "a"), .init(header: "b", alignment: .right)])
        let styled = table.rendered(style: TerminalStyle(allowsColour: true))
        #expect(styled == "\u{1B}[1ma\u{1B}[0m  \u{1B}[1mb\u{1B}[0m\n-  -\n")
    }

    @Test func noLineEndsInASpace() {
        var table = TextTable(columns: [.init(header: "x  "), .init(header: "", alignment: .right), .init(header: "")])
        table.append(["wide cell", "", ""])
        table.append(["", "r", " "])
        for line in table.rendered().split(separator: "\n") {
            #expect(line.last != " ")
        }
    }
}
