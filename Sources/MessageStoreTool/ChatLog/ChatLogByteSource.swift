/// The bytes of a chat log, inflated if the file is gzip.
///
/// The first two bytes decide which it is; the file's name says nothing. Only one chunk is held at a time.
struct ChatLogByteSource: ~Copyable {
    private static let inputSize = 64 * 1024

    private let path: String
    private let file: ChatLogFile
    private let inflater: GzipInflater?

    private var input: [UInt8]
    private var unread: Range<Int>
    private var mayHoldOutput = false

    /// Opens the file at `path` and looks at its first bytes.
    init(path: String) throws(ChatLogError) {
        let file = try ChatLogFile(path: path)
        var input = [UInt8](repeating: 0, count: Self.inputSize)
        let count = try Self.readStart(of: file, into: &input)
        let isGzip = count >= 2 && input[0] == 0x1F && input[1] == 0x8B
        let inflater = isGzip ? try Self.makeInflater(path: path) : nil
        self.path = path
        self.file = file
        self.inflater = inflater
        self.input = input
        self.unread = 0..<count
    }

    /// Puts the next bytes at the start of `output` and returns how many there were, 0 at the end.
    ///
    /// The output must not be empty. After an error the source must not be read again.
    mutating func read(into output: inout [UInt8]) throws(ChatLogError) -> Int {
        guard let inflater else { return try readPlain(into: &output) }
        while true {
            if unread.isEmpty && !mayHoldOutput {
                unread = 0..<(try file.read(into: &input))
                if unread.isEmpty {
                    guard inflater.isBetweenMembers else { throw error(.truncatedGzip) }
                    return 0
                }
            }
            let produced = try inflate(with: inflater, into: &output)
            if produced > 0 { return produced }
        }
    }

    private mutating func readPlain(into output: inout [UInt8]) throws(ChatLogError) -> Int {
        guard !unread.isEmpty else { return try file.read(into: &output) }
        let count = min(unread.count, output.count)
        let taken = unread.prefix(count)
        output.replaceSubrange(0..<count, with: input[taken])
        unread = taken.upperBound..<unread.upperBound
        return count
    }

    private mutating func inflate(
        with inflater: GzipInflater,
        into output: inout [UInt8]
    ) throws(ChatLogError) -> Int {
        let unread = unread
        let capacity = output.count
        do throws(GzipInflater.Failure) {
            let step = try input.withUnsafeMutableBufferPointer { bytes throws(GzipInflater.Failure) in
                let rest = UnsafeMutableBufferPointer(rebasing: bytes[unread])
                return try output.withUnsafeMutableBufferPointer { room throws(GzipInflater.Failure) in
                    try inflater.step(input: rest, output: room)
                }
            }
            self.unread = (unread.lowerBound + step.consumed)..<unread.upperBound
            mayHoldOutput = step.produced == capacity
            return step.produced
        } catch {
            throw Self.error(for: error, path: path)
        }
    }

    /// Reads at least two bytes, unless the file is shorter: a pipe may hand out its first bytes one by one.
    private static func readStart(
        of file: borrowing ChatLogFile,
        into input: inout [UInt8]
    ) throws(ChatLogError) -> Int {
        let count = try file.read(into: &input)
        guard count == 1 else { return count }
        var next = [UInt8](repeating: 0, count: input.count - 1)
        let more = try file.read(into: &next)
        input.replaceSubrange(1..<(1 + more), with: next[..<more])
        return 1 + more
    }

    private static func makeInflater(path: String) throws(ChatLogError) -> GzipInflater {
        do throws(GzipInflater.Failure) {
            return try GzipInflater()
        } catch {
            throw Self.error(for: error, path: path)
        }
    }

    private static func error(for failure: GzipInflater.Failure, path: String) -> ChatLogError {
        switch failure {
        case .corrupt: ChatLogError(code: .corruptGzip, file: path, line: nil, detail: "")
        case .outOfMemory: ChatLogError(code: .cannotRead, file: path, line: nil, detail: "out of memory")
        }
    }

    private func error(_ code: ChatLogError.Code) -> ChatLogError {
        ChatLogError(code: code, file: path, line: nil, detail: "")
    }
}
