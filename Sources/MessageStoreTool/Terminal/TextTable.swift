/// A table of text, aligned by the columns that characters take on a terminal.
struct TextTable {
    /// One column: its header and how its cells are set.
    struct Column {
        /// The text above the column.
        var header: String

        /// The side on which the header and the cells are aligned.
        var alignment: TextAlignment = .left

        /// The greatest width; longer cells are cut with an ellipsis. `nil` means no limit.
        var maximumWidth: Int?
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    /// Makes a table without rows.
    init(columns: [Column]) {
        self.columns = columns.map { column in
            var column = column
            column.header = Self.cell(column.header, in: column)
            return column
        }
    }

    /// Adds a row at the end; missing cells are empty, cells beyond the last column are dropped.
    ///
    /// Cells may hold any text: it is made safe for a terminal.
    mutating func append(_ cells: [String]) {
        rows.append(zip(cells, columns).map { Self.cell($0, in: $1) })
    }

    /// The table as lines, each with a line feed: the header, a line of dashes, the rows.
    ///
    /// Columns are separated by two spaces, and no line ends in one. The header is bold where the style has colour.
    func rendered(style: TerminalStyle = .plain) -> String {
        let widths = columns.indices.map { width(ofColumn: $0) }
        var lines = [
            line(columns.map(\.header), widths: widths) { style.bold($0) },
            line(widths.map { String(repeating: "-", count: $0) }, widths: widths) { $0 },
        ]
        for row in rows {
            lines.append(line(row, widths: widths) { $0 })
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func width(ofColumn index: Int) -> Int {
        rows.reduce(columns[index].header.displayWidth) { widest, row in
            index < row.count ? max(widest, row[index].displayWidth) : widest
        }
    }

    /// One line; `decorate` may add to a cell what takes no columns.
    private func line(_ cells: [String], widths: [Int], decorate: (String) -> String) -> String {
        var line = ""
        var pendingSpaces = 0
        for (index, width) in widths.enumerated() {
            let cell = index < cells.count ? cells[index] : ""
            let padding = width - cell.displayWidth
            let isRight = columns[index].alignment == .right
            if isRight { pendingSpaces += padding }
            if !cell.isEmpty {
                line += String(repeating: " ", count: pendingSpaces) + decorate(cell)
                pendingSpaces = 0
            }
            pendingSpaces += isRight ? 2 : padding + 2
        }
        return line
    }

    /// The cell's text as it is shown, without spaces at its end.
    private static func cell(_ text: String, in column: Column) -> String {
        var shown = text.terminalSafe
        if let maximumWidth = column.maximumWidth { shown = shown.truncated(toDisplayWidth: maximumWidth) }
        while shown.last == " " { shown.removeLast() }
        return shown
    }
}
