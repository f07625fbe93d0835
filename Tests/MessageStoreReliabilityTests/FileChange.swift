#if os(Linux)
import Foundation

/// A change of files as the shim wrote it down.
enum FileChange {
    case open(descriptor: Int32, flags: Int32, path: String)
    case close(descriptor: Int32)
    case write(descriptor: Int32, offset: Int, bytes: [UInt8])
    case truncate(descriptor: Int32, length: Int)
    case flush(descriptor: Int32)
    case rename(from: String, to: String)
    case exchange(String, String)
    case remove(path: String)
    case makeDirectory(path: String)
    /// What the program wrote to its standard output.
    case acknowledge([UInt8])

    struct Malformed: Error {}

    /// Whether a child notes what a compaction cut off.
    var isCutNote: Bool {
        guard case .open(_, _, let path) = self else { return false }
        return path.hasSuffix(".cuts")
    }

    /// Reads the shim's log.
    static func all(in file: String) throws -> [FileChange] {
        let data = try [UInt8](Data(contentsOf: URL(fileURLWithPath: file)))
        var offset = 0
        func number(_ width: Int) throws -> UInt64 {
            guard offset + width <= data.count else { throw Malformed() }
            defer { offset += width }
            return (0..<width).reduce(0) { $0 | UInt64(data[offset + $1]) << (8 * UInt64($1)) }
        }
        func bytes() throws -> [UInt8] {
            let length = Int(try number(4))
            guard offset + length <= data.count else { throw Malformed() }
            defer { offset += length }
            return Array(data[offset..<offset + length])
        }
        var changes: [FileChange] = []
        while offset < data.count {
            let kind = UInt8(truncatingIfNeeded: try number(1))
            let descriptor = Int32(truncatingIfNeeded: try number(4))
            let value = try number(8)
            let path = String(decoding: try bytes(), as: UTF8.self)
            let content = try bytes()
            changes.append(
                try FileChange(kind: kind, descriptor: descriptor, number: value, path: path, content: content))
        }
        return changes
    }

    private init(kind: UInt8, descriptor: Int32, number: UInt64, path: String, content: [UInt8]) throws {
        switch UnicodeScalar(kind) {
        case "o": self = .open(descriptor: descriptor, flags: Int32(truncatingIfNeeded: number), path: path)
        case "c": self = .close(descriptor: descriptor)
        case "w": self = .write(descriptor: descriptor, offset: Int(number), bytes: content)
        case "t": self = .truncate(descriptor: descriptor, length: Int(number))
        case "s": self = .flush(descriptor: descriptor)
        case "r": self = .rename(from: path, to: String(decoding: content, as: UTF8.self))
        case "x": self = .exchange(path, String(decoding: content, as: UTF8.self))
        case "u": self = .remove(path: path)
        case "d": self = .makeDirectory(path: path)
        case "a": self = .acknowledge(content)
        default: throw Malformed()
        }
    }
}
#endif
