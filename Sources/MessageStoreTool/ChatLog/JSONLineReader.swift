internal import Foundation

/// Reads a file of JSON lines one by one, without ever holding the whole file.
///
/// The file is one JSON object a line, plain or gzip. After an error of one line (`ChatLogError.isLineError`) reading
/// goes on with the line after it; after an error of the file every further call throws that error again.
final class JSONLineReader<Content> {
    /// Reads a line or document: its content, and how many halves of characters were replaced in it.
    typealias Reading = (ArraySlice<UInt8>) throws -> (content: Content, replaced: Int)

    let path: String
    private let maximumLineBytes: Int
    private let readsDocuments: Bool
    private let reading: Reading
    private let decoder = JSONDecoder()

    private let source: InflatedFile
    private var chunk = [UInt8](repeating: 0, count: 128 * 1024)
    private var splitter: ChatLogLineSplitter
    /// The number of the line that was read last, counted from 1.
    private(set) var lineNumber = 0
    /// How many halves of characters were replaced in the lines so far.
    private(set) var replaced = 0
    private var hasContent = false
    private var isAtEnd = false
    private var fileError: ChatLogError?

    /// Opens the file at `path`, whose lines may be as long as `maximumLineBytes`, line feeds not counted.
    ///
    /// With `readsDocuments`, a file that begins with a line of nothing but `{` is one object on many lines, which is
    /// taken for one line.
    init(
        path: String, maximumLineBytes: Int = 1 << 20, readsDocuments: Bool = false, reading: @escaping Reading
    ) throws(ChatLogError) {
        self.path = path
        self.reading = reading
        self.maximumLineBytes = maximumLineBytes
        self.readsDocuments = readsDocuments
        source = try InflatedFile(path: path)
        splitter = ChatLogLineSplitter(maximumLineBytes: maximumLineBytes)
    }

    /// The next line that is not blank, with its number counted from 1, or `nil` after the last one.
    func next() throws(ChatLogError) -> (line: Int, content: Content)? {
        while let line = try nextLine() {
            if line.allSatisfy(isBlank) { continue }
            let isFirst = !hasContent
            hasContent = true
            let number = lineNumber
            guard readsDocuments, isFirst, line.filter({ !isBlank($0) }) == [0x7B] else {
                return (number, try read(line, at: number))
            }
            return (number, try read(document(line)[...], at: number))
        }
        return nil
    }

    /// The bytes of the next line, blank or not, which are valid until the next call; nil after the last one.
    func nextLine() throws(ChatLogError) -> ArraySlice<UInt8>? {
        while true {
            switch splitter.next(atEnd: isAtEnd) {
            case .line(let range):
                lineNumber += 1
                return splitter.bytes(of: range)
            case .tooLong:
                lineNumber += 1
                throw tooLong(lineNumber)
            case .needsMore:
                if isAtEnd { return nil }
                try readChunk()
            }
        }
    }

    /// The first line and the rest of the file after it, as one document.
    private func document(_ first: ArraySlice<UInt8>) throws(ChatLogError) -> [UInt8] {
        let number = lineNumber
        var document = Array(first)
        while let line = try nextLine() {
            document.append(0x0A)
            document.append(contentsOf: line)
            guard document.count <= maximumLineBytes else { throw tooLong(number) }
        }
        return document
    }

    private func read(_ line: ArraySlice<UInt8>, at number: Int) throws(ChatLogError) -> Content {
        do {
            let (content, count) = try reading(line)
            replaced += count
            return content
        } catch {
            throw fault(error, at: number)
        }
    }

    /// Decodes a line, which must be strict UTF-8 and hold one JSON object.
    func decode<Value: Decodable>(
        _ value: Value.Type, from line: ArraySlice<UInt8>, at number: Int
    ) throws(ChatLogError) -> Value {
        do {
            try ChatLogLineFault.check(line)
            return try decoder.decode(value, from: Data(line))
        } catch {
            throw fault(error, at: number)
        }
    }

    private func fault(_ error: any Error, at number: Int) -> ChatLogError {
        let fault = ChatLogLineFault(error)
        return ChatLogError(code: fault.code, file: path, line: number, detail: fault.detail)
    }

    private func readChunk() throws(ChatLogError) {
        if let fileError { throw fileError }
        do throws(ChatLogError) {
            let count = try source.read(into: &chunk)
            isAtEnd = count == 0
            splitter.append(chunk[..<count])
        } catch {
            fileError = error
            throw error
        }
    }

    private func tooLong(_ line: Int) -> ChatLogError {
        ChatLogError(code: .lineTooLong, file: path, line: line, detail: "more than \(maximumLineBytes) bytes")
    }

    /// Whether JSON takes the byte for white space.
    private func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D
    }
}

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

    /// Adds bytes at the end, and forgets the lines already handed out.
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

    /// Takes the next line; with `atEnd`, the rest after the last line feed is a line too.
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
