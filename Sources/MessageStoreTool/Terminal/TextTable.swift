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

        /// The width to which it is cut first if the table is too wide; `nil` for a column that is cut last.
        var minimumWidth: Int?

        /// A column of numbers.
        static func right(_ header: String) -> Column { Column(header: header, alignment: .right) }
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
    /// Columns are separated by two spaces, and no line ends in one. The header is bold if the style has colour.
    ///
    /// - Parameter limit: The greatest width of a line, into which the widest columns are cut.
    func rendered(style: TerminalStyle = .plain, width limit: Int = .max) -> String {
        let widths = widths(within: limit)
        var lines = [
            line(columns.map(\.header), widths: widths) { style.bold($0) },
            line(widths.map { String(repeating: "-", count: $0) }, widths: widths) { $0 },
        ]
        for row in rows {
            lines.append(line(row, widths: widths) { $0 })
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Prints the table on standard output, no wider than its lines.
    func print() {
        let terminal = Terminal.standardOutput
        Swift.print(rendered(style: terminal.style, width: terminal.width), terminator: "")
    }

    private func widths(within limit: Int) -> [Int] {
        var widths = columns.indices.map { width(ofColumn: $0) }
        // Numbers are not cut, but texts that are too wide to be one are.
        let texts = columns.map { $0.alignment == .left ? 1 : 30 }
        for least in [columns.map { $0.minimumWidth ?? .max }, texts] {
            while widths.reduce(2 * (widths.count - 1), +) > limit,
                let widest = widths.indices.filter({ widths[$0] > least[$0] }).max(by: { widths[$0] < widths[$1] })
            {
                widths[widest] -= 1
            }
        }
        return widths
    }

    private func width(ofColumn index: Int) -> Int {
        rows.reduce(columns[index].header.displayWidth) { widest, row in
            index < row.count ? max(widest, row[index].displayWidth) : widest
        }
    }

    /// One line; `decorate` may add characters to a cell that take no columns.
    private func line(_ cells: [String], widths: [Int], decorate: (String) -> String) -> String {
        var line = ""
        var pendingSpaces = 0
        for (index, width) in widths.enumerated() {
            let cell = index < cells.count ? cells[index].truncated(toDisplayWidth: width) : ""
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

extension TextTable.Column: ExpressibleByStringLiteral {
    init(stringLiteral header: String) { self.init(header: header) }
}
