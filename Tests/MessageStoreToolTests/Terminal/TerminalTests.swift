import Testing

@testable import MessageStoreTool

@Suite("Terminal")
struct TerminalTests {
    @Test(
        arguments: [
            (120, nil, 120), (120, "60", 120), (nil, "60", 60), (nil, nil, 80), (0, nil, 80), (-1, "0", 80),
            (nil, "-7", 80), (nil, "wide", 80), (nil, "99999999999999999999", 80),
        ] as [(Int?, String?, Int)]
    )
    func widthFallsBack(columns: Int?, variable: String?, expected: Int) {
        let environment = variable.map { ["COLUMNS": $0] } ?? [:]
        let terminal = Terminal(isInteractive: true, columns: columns) { environment[$0] }
        #expect(terminal.width == expected)
    }

    @Test(
        arguments: [
            (true, [:], true), (false, [:], false), (true, ["TERM": "xterm"], true), (true, ["TERM": "dumb"], false),
            (true, ["NO_COLOR": "1"], false), (true, ["NO_COLOR": ""], true),
        ] as [(Bool, [String: String], Bool)]
    )
    func colourNeedsAWillingTerminal(isInteractive: Bool, environment: [String: String], expected: Bool) {
        let terminal = Terminal(isInteractive: isInteractive, columns: nil) { environment[$0] }
        #expect(terminal.style.allowsColour == expected)
    }

    @Test func styleAddsNothingWhereItMayNotAndStreamsHaveAWidth() {
        #expect(TerminalStyle.plain.bold("a") == "a")
        #expect(TerminalStyle(allowsColour: true).bold("") == "")
        #expect(Terminal.standardOutput.width > 0)
        #expect(Terminal.standardError.width > 0)
    }
}
