internal import Foundation

/// The known properties of a stream's destination.
struct Terminal: Sendable, Equatable {
    /// Whether the stream goes to a terminal.
    let isInteractive: Bool

    /// How many columns a line has, at least 1.
    let width: Int

    /// The width into which lines are broken; nil if they are read by a program.
    var lineWidth: Int? { isInteractive ? width : nil }

    /// How text may be emphasised.
    let style: TerminalStyle

    /// Draws the conclusions from the system's answers.
    ///
    /// The width is that of the terminal, or else `COLUMNS`, or else 80. Colour needs a terminal other than `dumb` and
    /// no `NO_COLOR`.
    init(isInteractive: Bool, columns: Int?, environment: (String) -> String?) {
        let candidates = [columns, environment("COLUMNS").flatMap { Int($0) }]
        let isDumb = environment("TERM") == "dumb"
        let refusesColour = !(environment("NO_COLOR") ?? "").isEmpty
        self.isInteractive = isInteractive
        width = candidates.compactMap(\.self).first { $0 > 0 } ?? 80
        style = TerminalStyle(allowsColour: isInteractive && !isDumb && !refusesColour)
    }

    /// The destination of standard output now.
    static var standardOutput: Terminal {
        Terminal(descriptor: STDOUT_FILENO)
    }

    /// The destination of standard error now.
    static var standardError: Terminal {
        Terminal(descriptor: STDERR_FILENO)
    }

    private init(descriptor: CInt) {
        self.init(
            isInteractive: isatty(descriptor) == 1,
            columns: Self.columns(of: descriptor),
            environment: { name in getenv(name).map { String(cString: $0) } }
        )
    }

    private static func columns(of descriptor: CInt) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return Int(size.ws_col)
    }
}

/// Writes `text` to standard error as it is; text that cannot be written is lost.
func writeToStandardError(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let (count, number) = rest.withUnsafeBytes { bytes in
            let count = write(STDERR_FILENO, bytes.baseAddress, bytes.count)
            return (count, errno)
        }
        if count > 0 {
            rest = rest.dropFirst(count)
        } else if count == 0 || number != EINTR {
            return
        }
    }
}

/// Emphasis of text, by escape sequences or not at all.
struct TerminalStyle: Sendable, Equatable {
    /// No emphasis.
    static let plain = TerminalStyle(allowsColour: false)

    /// Whether escape sequences may be written.
    let allowsColour: Bool

    /// The text in bold.
    func bold(_ text: String) -> String { allowsColour && !text.isEmpty ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}
