import Testing

@testable import MessageStoreTool

/// A clock that tests move and a record of what was written.
private final class Stage {
    var time = ContinuousClock.now
    var written: [String] = []

    func line(total: Int?, isInteractive: Bool, width: Int = 80, label: String = "Importing") -> ProgressLine {
        ProgressLine(
            label: label,
            total: total,
            terminal: Terminal(isInteractive: isInteractive, columns: width) { _ in nil },
            now: { self.time },
            write: { self.written.append($0) }
        )
    }
}

@Suite("Progress line")
struct ProgressLineTests {
    private let stage = Stage()

    @Test func lineTellsRateAndTimeLeft() {
        var line = stage.line(total: 2_000, isInteractive: true)
        stage.time += .seconds(5)
        line.update(done: 500)
        stage.time += .seconds(15)
        line.update(done: 2_000)
        line.finish()
        #expect(
            stage.written == [
                "\rImporting  500 / 2,000 (25%)  100/s  15.0 s left",
                "\rImporting  2,000 / 2,000 (100%)  100/s          ",
                "\rImporting  2,000  100/s  in 20.0 s    ",
                "\n",
            ]
        )
    }

    @Test func lineWithoutTotalTellsNoTimeLeft() {
        var line = stage.line(total: nil, isInteractive: true)
        stage.time += .seconds(1)
        line.update(done: 5)
        #expect(stage.written == ["\rImporting  5  5.0/s"])
    }

    @Test func redrawsAreAtMostTenASecond() {
        var line = stage.line(total: nil, isInteractive: true)
        for done in 0..<1_000 {
            stage.time += .milliseconds(1)
            line.update(done: done)
        }
        #expect(stage.written.count == 10)
    }

    @Test(arguments: [(1_000, 0), (2_000, 0), (2_001, 1), (60_000, 1)])
    func fileGetsOneLineForLongWork(milliseconds: Int, lines: Int) {
        var line = stage.line(total: 10, isInteractive: false)
        stage.time += .milliseconds(milliseconds)
        line.update(done: 10)
        line.finish()
        line.finish()
        #expect(stage.written.count == lines)
        #expect(stage.written.allSatisfy { $0.hasPrefix("Importing  10  ") && $0.hasSuffix("\n") })
    }

    @Test func nothingIsDrawnAfterTheEnd() {
        var line = stage.line(total: 10, isInteractive: true)
        line.finish()
        let count = stage.written.count
        stage.time += .seconds(1)
        line.update(done: 3)
        line.finish()
        #expect(stage.written.count == count)
    }

    @Test(arguments: [1, 2, 10, 20])
    func lineNeverWraps(width: Int) {
        var line = stage.line(total: 10, isInteractive: true, width: width, label: "导入\u{1B}[2J")
        line.update(done: 1)
        line.finish()
        #expect(stage.written.allSatisfy { $0.displayWidth < width && !$0.contains("\u{1B}") })
    }

    @Test(
        arguments: [(0, 0), (5, 0), (.max, .max), (.max, 1), (1, .max), (.min, 1), (-1, -1)] as [(Int, Int)],
        [Duration.zero, .nanoseconds(1), .seconds(Int64.max)]
    )
    func anyNumbersHaveAText(amounts: (done: Int, total: Int), elapsed: Duration) {
        let text = ProgressText(label: "x", done: amounts.done, total: amounts.total, elapsed: elapsed)
        #expect(text.running.hasPrefix("x  "))
        #expect(text.final.hasPrefix("x  "))
    }
}
