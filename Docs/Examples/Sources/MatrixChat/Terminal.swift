import Foundation

/// Lines of the terminal.
enum Terminal {
    /// Shows a line. Nothing in it can control the terminal: it may hold what others wrote.
    static func show(_ line: String) {
        FileHandle.standardOutput.write(Data((printable(line) + "\n").utf8))
    }

    /// A text without control characters (C0, DEL and C1) and without those that change the direction of what follows; a
    /// line break is shown as an arrow.
    static func printable(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\n" {
                shown.append("↵")
            } else if scalar.properties.generalCategory != .control, !scalar.properties.isBidiControl {
                shown.append(scalar)
            }
        }
        return String(shown)
    }

    /// Asks for the password without showing it.
    static func password() -> String {
        guard let bytes = getpass("Password: ") else { return "" }
        return String(cString: bytes)
    }

    /// The lines that are typed, until the input ends.
    static func lines() -> AsyncStream<String> {
        AsyncStream { lines in
            // A read blocks its thread.
            let reader = Thread {
                while let line = readLine() { lines.yield(line) }
                lines.finish()
            }
            reader.start()
        }
    }
}
