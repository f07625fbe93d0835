internal import Foundation

/// Writes lines to standard output, plain or as gzip.
struct LineWriter {
    private static let capacity = 64 * 1024

    private let deflater: GzipDeflater?
    private var buffer: [UInt8] = []

    init(isGzip: Bool) throws {
        deflater = isGzip ? try GzipDeflater() : nil
        buffer.reserveCapacity(Self.capacity * 2)
    }

    mutating func write(_ line: String) throws {
        buffer.append(contentsOf: line.utf8)
        buffer.append(0x0A)
        if buffer.count >= Self.capacity { try flush(isLast: false) }
    }

    /// Writes what is left; nothing may be written after it.
    mutating func finish() throws {
        try flush(isLast: true)
    }

    private mutating func flush(isLast: Bool) throws {
        if let deflater {
            try deflater.deflate(&buffer, isLast: isLast, write: Self.write)
        } else {
            try Self.write(buffer[...])
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes all bytes; the end of whoever reads them ends the process, as that of a pipe's reader does.
    private static func write(_ bytes: ArraySlice<UInt8>) throws {
        var rest = bytes
        while !rest.isEmpty {
            let (count, number) = rest.withUnsafeBytes { bytes in
                let count = Foundation.write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
                return (count, errno)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if number != EINTR {
                throw StandardOutput.cannotBeWritten(number)
            }
        }
    }
}
