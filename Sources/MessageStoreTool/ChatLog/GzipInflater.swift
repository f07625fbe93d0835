import MessageStoreCZlib

/// Inflates gzip data of one or many members, piece by piece.
///
/// Members may follow each other directly, as `cat a.gz b.gz` makes them, and zero bytes may pad the end.
final class GzipInflater {
    /// What one step did.
    struct Step {
        /// How many bytes of the input were used.
        var consumed: Int

        /// How many bytes were written to the output.
        var produced: Int
    }

    /// Why inflating stopped for good.
    enum Failure: Error {
        case corrupt
        case outOfMemory
    }

    /// Whether the data seen so far ends where a member ends, so that the file may end here too.
    private(set) var isBetweenMembers = false

    // zlib's state points back at the stream, which therefore needs an address of its own.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Makes an inflater at the start of the first member.
    init() throws(Failure) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let gzipOnly = 16 + MAX_WBITS
        let status = inflateInit2_(stream, gzipOnly, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw .outOfMemory }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Inflates a part of `input` into the start of `output`.
    ///
    /// The input may be empty: zlib may still hold output for which there was no room in the step before.
    func step(
        input: UnsafeMutableBufferPointer<UInt8>,
        output: UnsafeMutableBufferPointer<UInt8>
    ) throws(Failure) -> Step {
        var padding = 0
        if isBetweenMembers {
            padding = input.prefix { $0 == 0 }.count
            guard padding < input.count else { return Step(consumed: padding, produced: 0) }
            inflateReset(stream)
            isBetweenMembers = false
        }
        let rest = UnsafeMutableBufferPointer(rebasing: input[padding...])
        stream.pointee.next_in = rest.baseAddress
        stream.pointee.avail_in = uInt(clamping: rest.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = uInt(clamping: output.count)
        let offeredInput = stream.pointee.avail_in
        let offeredOutput = stream.pointee.avail_out

        switch inflate(stream, Z_NO_FLUSH) {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isBetweenMembers = true
        case Z_MEM_ERROR: throw .outOfMemory
        default: throw .corrupt
        }
        return Step(
            consumed: padding + Int(offeredInput - stream.pointee.avail_in),
            produced: Int(offeredOutput - stream.pointee.avail_out)
        )
    }
}
