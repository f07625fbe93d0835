internal import MessageStoreCZlib

/// Deflates bytes into one gzip member.
final class GzipDeflater {
    // zlib's state points back at the stream, which therefore needs an address of its own.
    private let stream: UnsafeMutablePointer<z_stream>
    private var room = [UInt8](repeating: 0, count: 64 * 1024)

    /// Makes a deflater at the start of a member.
    init() throws {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw ToolError.store("gzip: out of memory") }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Deflates all of `bytes`, and the end of the member where they are the last.
    func deflate(_ bytes: inout [UInt8], isLast: Bool, write: (ArraySlice<UInt8>) throws -> Void) throws {
        var used = 0
        let count = bytes.count
        while true {
            let (status, produced) = bytes.withUnsafeMutableBufferPointer { input in
                room.withUnsafeMutableBufferPointer { output in
                    stream.pointee.next_in = input.baseAddress.map { $0 + used }
                    stream.pointee.avail_in = uInt(clamping: count - used)
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = uInt(clamping: output.count)
                    let offered = stream.pointee.avail_in
                    let status = MessageStoreCZlib.deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                    used += Int(offered - stream.pointee.avail_in)
                    return (status, output.count - Int(stream.pointee.avail_out))
                }
            }
            try write(room[..<produced])
            guard status == Z_OK || status == Z_BUF_ERROR || status == Z_STREAM_END else {
                throw ToolError.store("gzip: error \(status)")
            }
            if isLast ? status == Z_STREAM_END : used == count && produced < room.count { return }
        }
    }
}
