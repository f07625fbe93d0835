internal import Foundation
internal import MessageStoreCZlib

/// A file that is read from its start to its end, and inflated if it is gzip.
///
/// The first two bytes decide which it is; the file's name says nothing. Gzip members may follow each other, as
/// `cat a.gz b.gz` makes them, and zero bytes may pad the end. Only one chunk is in memory at a time.
final class InflatedFile {
    private let path: String
    private let descriptor: CInt
    // zlib's state points back at the stream, which therefore needs an address of its own; nil for a plain file.
    private var stream: UnsafeMutablePointer<z_stream>?
    private var input = [UInt8](repeating: 0, count: 64 * 1024)
    private var unread = 0..<0
    /// Whether zlib may hold output for which there was no room.
    private var mayHoldOutput = false
    private var isBetweenMembers = false

    /// Opens the file and looks at its first bytes.
    init(path: String) throws(ChatLogError) {
        self.path = path
        // A C string would silently end at a NUL and so name another file.
        guard !path.utf8.contains(0) else {
            throw ChatLogError(code: .cannotOpen, file: path, line: nil, detail: String(cString: strerror(EINVAL)))
        }
        descriptor = Self.retried { open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else {
            throw ChatLogError(code: .cannotOpen, file: path, line: nil, detail: String(cString: strerror(errno)))
        }
        // A pipe may return its first bytes one by one.
        while unread.count < 2, try fill(from: unread.count) {}
        guard unread.count >= 2, input[0] == 0x1F, input[1] == 0x8B else { return }
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        self.stream = stream
        let status = inflateInit2_(stream, 16 + MAX_WBITS, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw error(.cannotRead, "out of memory") }
    }

    deinit {
        close(descriptor)
        guard let stream else { return }
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Puts the next bytes at the start of `output`, which must not be empty, and returns how many there were, 0 at the
    /// end.
    ///
    /// After an error the file must not be read again.
    func read(into output: inout [UInt8]) throws(ChatLogError) -> Int {
        while true {
            if unread.isEmpty, !mayHoldOutput, try !fill() {
                guard stream == nil || isBetweenMembers else { throw error(.truncatedGzip) }
                return 0
            }
            let count = if let stream { try inflate(stream, &output) } else { copy(&output) }
            if count > 0 { return count }
        }
    }

    private func copy(_ output: inout [UInt8]) -> Int {
        let taken = unread.prefix(output.count)
        output.replaceSubrange(0..<taken.count, with: input[taken])
        unread = taken.upperBound..<unread.upperBound
        return taken.count
    }

    private func inflate(_ stream: UnsafeMutablePointer<z_stream>, _ output: inout [UInt8]) throws(ChatLogError) -> Int
    {
        if isBetweenMembers {
            unread = (input[unread].firstIndex { $0 != 0 } ?? unread.upperBound)..<unread.upperBound
            guard !unread.isEmpty else { return 0 }
            inflateReset(stream)
            isBetweenMembers = false
        }
        let status = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.pointee.next_in = input.baseAddress.map { $0 + unread.lowerBound }
                stream.pointee.avail_in = uInt(unread.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = uInt(clamping: output.count)
                return MessageStoreCZlib.inflate(stream, Z_NO_FLUSH)
            }
        }
        unread = (unread.upperBound - Int(stream.pointee.avail_in))..<unread.upperBound
        mayHoldOutput = status != Z_STREAM_END && stream.pointee.avail_out == 0
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isBetweenMembers = true
        case Z_MEM_ERROR: throw error(.cannotRead, "out of memory")
        default: throw error(.corruptGzip)
        }
        return output.count - Int(stream.pointee.avail_out)
    }

    /// Reads the next bytes of the file; false at its end.
    private func fill(from start: Int = 0) throws(ChatLogError) -> Bool {
        let (count, number) = input.withUnsafeMutableBytes { bytes in
            (Self.retried { systemRead(descriptor, bytes.baseAddress.map { $0 + start }, bytes.count - start) }, errno)
        }
        guard count >= 0 else {
            throw error(number == EISDIR ? .isDirectory : .cannotRead, String(cString: strerror(number)))
        }
        unread = 0..<(start + count)
        return count > 0
    }

    private static func retried<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    private func error(_ code: ChatLogError.Code, _ detail: String = "") -> ChatLogError {
        ChatLogError(code: code, file: path, line: nil, detail: detail)
    }
}

/// The C function `read`, under a name that the method does not hide.
private func systemRead(_ descriptor: CInt, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
