import Foundation
import MessageStoreCZlib
import MessageStoreLMDB

@testable import MessageStoreTool

/// A temporary directory of log files, removed when the fixture goes away.
final class LogFixture: Sendable {
    let directory: URL

    init() throws {
        directory = URL(fileURLWithPath: FileSystem.testDirectory + "/chat-log-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// Writes a file and returns its path.
    func file(_ bytes: some Sequence<UInt8>, name: String = "log.ndjson") throws -> String {
        let url = directory.appendingPathComponent(name)
        try Data(bytes).write(to: url)
        return url.path
    }
}

/// What reading a whole log brought: the lines by number, and the errors.
struct ReadLog {
    var lines: [Int: ChatLogLine] = [:]
    var errors: [ChatLogError] = []

    /// Reads to the end, or to the first error of the file.
    init(path: String, maximumLineBytes: Int = 1 << 20) throws {
        let reader = try ChatLogReader(path: path, maximumLineBytes: maximumLineBytes)
        while true {
            do throws(ChatLogError) {
                guard let (line, content) = try reader.next() else { return }
                lines[line] = content
            } catch {
                errors.append(error)
                if !error.isLineError { return }
            }
        }
    }

    /// The texts of the records, in the order of their lines.
    var texts: [String?] {
        lines.sorted { $0.key < $1.key }.map { line in
            if case .record(let record) = line.value { record.text } else { nil }
        }
    }
}

/// One message as a line without line feed.
func messageLine(_ text: String) -> String {
    #"{"conv":"c","kind":"group","from":"f","type":"message","text":"\#(text)"}"#
}

struct CompressionFailed: Error {}

/// The bytes as one gzip member.
func gzip(_ bytes: some Sequence<UInt8>) throws -> [UInt8] {
    var input = Array(bytes)
    var output = [UInt8](repeating: 0, count: input.count + input.count / 100 + 1_024)
    var stream = z_stream()
    let size = CInt(MemoryLayout<z_stream>.size)
    guard deflateInit2_(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
    else { throw CompressionFailed() }
    defer { deflateEnd(&stream) }
    let status = input.withUnsafeMutableBufferPointer { source in
        output.withUnsafeMutableBufferPointer { target in
            stream.next_in = source.baseAddress
            stream.avail_in = uInt(source.count)
            stream.next_out = target.baseAddress
            stream.avail_out = uInt(target.count)
            return deflate(&stream, Z_FINISH)
        }
    }
    guard status == Z_STREAM_END else { throw CompressionFailed() }
    return Array(output.prefix(Int(stream.total_out)))
}
