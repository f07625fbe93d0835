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
        var parts = [label, amount, NumberFormat.rate(done, over: elapsed)]
        if let remainingTime { parts.append("\(NumberFormat.duration(remainingTime)) left") }
        return parts.joined(separator: "  ")
    }

    /// The line when the work is over, such as `Importing  200  10/s  in 20.0 s`.
    var final: String {
        let rate = NumberFormat.rate(done, over: elapsed)
        return "\(label)  \(NumberFormat.count(done))  \(rate)  in \(NumberFormat.duration(elapsed))"
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
