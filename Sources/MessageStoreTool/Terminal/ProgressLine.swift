/// A single line on standard error that shows how far a long piece of work has come.
///
/// On a terminal the line is redrawn at most ten times a second. Elsewhere nothing is written but the last line, and
/// that only if the work took longer than two seconds.
struct ProgressLine {
    private static let redrawInterval: Duration = .milliseconds(100)
    private static let quietTime: Duration = .seconds(2)

    private let label: String
    private let total: Int?
    private let terminal: Terminal
    private let now: () -> ContinuousClock.Instant
    private let write: (String) -> Void

    private let start: ContinuousClock.Instant
    private var done = 0
    private var lastDraw: ContinuousClock.Instant?
    private var drawnWidth = 0
    private var isFinished = false

    /// Starts the clock; `total` is how much there is to do, if that is known.
    init(
        label: String,
        total: Int? = nil,
        terminal: Terminal = .standardError,
        now: @escaping () -> ContinuousClock.Instant = { ContinuousClock.now },
        write: @escaping (String) -> Void = { writeToStandardError($0) }
    ) {
        self.label = label.terminalSafe
        self.total = total
        self.terminal = terminal
        self.now = now
        self.write = write
        start = now()
    }

    /// Sets how much is done in all, and redraws the line if it is time to.
    mutating func update(done: Int) {
        self.done = done
        guard terminal.isInteractive, !isFinished else { return }
        let time = now()
        if let lastDraw, lastDraw.duration(to: time) < Self.redrawInterval { return }
        lastDraw = time
        draw(ProgressText(label: label, done: done, total: total, elapsed: start.duration(to: time)).running)
    }

    /// Writes the last line; calls after the first do nothing.
    mutating func finish() {
        guard !isFinished else { return }
        isFinished = true
        let elapsed = start.duration(to: now())
        let text = ProgressText(label: label, done: done, total: total, elapsed: elapsed).final
        if terminal.isInteractive {
            draw(text)
            write("\n")
        } else if elapsed > Self.quietTime {
            write(text + "\n")
        }
    }

    /// Writes over the line that is there; spaces cover the rest of a longer one.
    private mutating func draw(_ text: String) {
        // A terminal may break the line after a character in its last column.
        let shown = text.truncated(toDisplayWidth: terminal.width - 1)
        write("\r" + shown.padded(toDisplayWidth: drawnWidth))
        drawnWidth = shown.displayWidth
    }
}

/// The words of a progress line.
struct ProgressText {
    /// The work in progress, safe for a terminal.
    let label: String

    /// How much is done.
    let done: Int

    /// How much there is to do, if that is known.
    let total: Int?

    /// How long it took so far.
    let elapsed: Duration

    /// The line while the work goes on, such as `Importing  50 / 200 (25%)  10/s  15.0 s left`.
    var running: String {
        var parts = [label, amount] + rate
        if let remainingTime { parts.append("\(NumberFormat.duration(remainingTime)) left") }
        return parts.joined(separator: "  ")
    }

    /// The line when the work is over, such as `Importing  200  10/s  in 20.0 s`.
    var final: String {
        ([label, NumberFormat.count(done)] + rate + ["in \(NumberFormat.duration(elapsed))"]).joined(separator: "  ")
    }

    /// The rate; none of less than a tenth of a second, which says nothing.
    private var rate: [String] {
        elapsed < .milliseconds(100) ? [] : [NumberFormat.rate(done, over: elapsed)]
    }

    private var amount: String {
        guard let total, total > 0 else { return NumberFormat.count(done) }
        let percent = Int(min(max(Double(done) / Double(total), 0), 1) * 100)
        return "\(NumberFormat.count(done)) / \(NumberFormat.count(total)) (\(percent)%)"
    }

    /// The time still needed at the rate so far, if there is a total and a rate.
    private var remainingTime: Duration? {
        guard let total, done > 0, done < total else { return nil }
        let seconds = NumberFormat.seconds(elapsed) * (Double(total) / Double(done) - 1)
        let longestShown = 365.0 * 86_400
        return seconds >= 0 && seconds < longestShown ? .seconds(seconds) : nil
    }
}
