/// Cuts a stream of bytes into lines at the byte 0x0A, and at nothing else.
///
/// It holds at most one line of the greatest length and one chunk; longer lines are dropped while they arrive.
struct ChatLogLineSplitter {
    /// The next part of the bytes so far.
    enum Next: Equatable {
        /// A line without its line feed, which `bytes(of:)` gives until the next `append`.
        case line(Range<Int>)

        /// The end of a line that was longer than allowed.
        case tooLong

        /// Nothing before more bytes arrive; after the last bytes, nothing at all.
        case needsMore
    }

    private let maximumLineBytes: Int
    private var buffer: [UInt8] = []
    private var lineStart = 0
    private var searchStart = 0
    private var isDroppingLine = false

    /// Makes a splitter for lines of at most `maximumLineBytes` bytes, line feeds not counted.
    init(maximumLineBytes: Int) {
        self.maximumLineBytes = max(0, maximumLineBytes)
    }

    /// Adds bytes after those that are there, and forgets the lines already handed out.
    mutating func append(_ bytes: ArraySlice<UInt8>) {
        buffer.removeSubrange(..<lineStart)
        searchStart -= lineStart
        lineStart = 0
        buffer.append(contentsOf: bytes)
    }

    /// The bytes of a line that `next` just gave.
    func bytes(of line: Range<Int>) -> ArraySlice<UInt8> {
        buffer[line]
    }

    /// Takes the next line; with `atEnd`, what follows the last line feed is a line too.
    mutating func next(atEnd: Bool) -> Next {
        if let lineFeed = buffer[searchStart...].firstIndex(of: 0x0A) {
            return take(lineStart..<lineFeed, nextLineStart: lineFeed + 1)
        }
        if atEnd && (lineStart < buffer.count || isDroppingLine) {
            return take(lineStart..<buffer.count, nextLineStart: buffer.count)
        }
        if buffer.count - lineStart > maximumLineBytes {
            isDroppingLine = true
            lineStart = buffer.count
        }
        searchStart = buffer.count
        return .needsMore
    }

    private mutating func take(_ line: Range<Int>, nextLineStart: Int) -> Next {
        lineStart = nextLineStart
        searchStart = nextLineStart
        if isDroppingLine || line.count > maximumLineBytes {
            isDroppingLine = false
            return .tooLong
        }
        return .line(line)
    }
}
