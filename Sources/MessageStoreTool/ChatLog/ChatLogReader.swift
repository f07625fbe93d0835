/// Reads a chat log line by line, without ever holding the whole file.
///
/// The log is one JSON object a line, plain or gzip. After an error of one line (`ChatLogError.isLineError`) reading
/// goes on with the line after it; after an error of the file every further call throws that error again.
final class ChatLogReader {
    private static let chunkSize = 128 * 1024

    private let path: String
    private let maximumLineBytes: Int
    private let decoder = ChatLogLineDecoder()

    private var source: ChatLogByteSource
    private var chunk = [UInt8](repeating: 0, count: chunkSize)
    private var splitter: ChatLogLineSplitter
    private var lineNumber = 0
    private var isAtEnd = false
    private var fileError: ChatLogError?

    /// Opens the log at `path`, whose lines may be as long as `maximumLineBytes`, line feeds not counted.
    init(path: String, maximumLineBytes: Int = 1 << 20) throws(ChatLogError) {
        self.path = path
        self.maximumLineBytes = maximumLineBytes
        source = try ChatLogByteSource(path: path)
        splitter = ChatLogLineSplitter(maximumLineBytes: maximumLineBytes)
    }

    /// The next line that is not blank, with its number counted from 1, or `nil` after the last one.
    func next() throws(ChatLogError) -> (line: Int, content: ChatLogLine)? {
        while true {
            switch splitter.next(atEnd: isAtEnd) {
            case .line(let range):
                lineNumber += 1
                let line = splitter.bytes(of: range)
                if isBlank(line) { continue }
                return (lineNumber, try decode(line))
            case .tooLong:
                lineNumber += 1
                throw lineError(ChatLogLineFault(.lineTooLong, "more than \(maximumLineBytes) bytes"))
            case .needsMore:
                if isAtEnd { return nil }
                try readChunk()
            }
        }
    }

    private func decode(_ line: ArraySlice<UInt8>) throws(ChatLogError) -> ChatLogLine {
        do throws(ChatLogLineFault) {
            return try decoder.decode(line)
        } catch {
            throw lineError(error)
        }
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

    private func lineError(_ fault: ChatLogLineFault) -> ChatLogError {
        ChatLogError(code: fault.code, file: path, line: lineNumber, detail: fault.detail)
    }

    /// Whether the line holds only what JSON takes for white space.
    private func isBlank(_ line: ArraySlice<UInt8>) -> Bool {
        line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    }
}
