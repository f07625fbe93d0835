/// A data file under check: read with `pread` into buffers of our own, never through a map, so that neither its length
/// nor a failing medium can end the process.
final class DataFile {
    let path: String
    /// Bytes of the file when it was opened.
    let size: Int
    private(set) var pageSize = 4096
    /// Pages that are in the file as a whole.
    var pageCount: Int { size / pageSize }

    private let descriptor: Int32
    /// Pages that follow each other in the file, the last ones read.
    private let window: UnsafeMutableRawPointer
    private var firstPage = 0
    private var heldPages = 0

    private static let windowSize = 256 << 10

    init(_ path: String) throws {
        self.path = path
        // Before it is opened, since opening a device may already do something.
        guard let status = try FileSystem.status(of: path) else {
            throw Preflight.failure(path, "the data file is missing")
        }
        guard status.kind == .file else { throw Preflight.failure(path, "not a regular file") }
        guard status.size > 0 else { throw Preflight.failure(path, "the data file is empty") }
        size = status.size
        descriptor = try FileSystem.openRegularFile(path)
        window = .allocate(byteCount: Self.windowSize, alignment: 16)
    }

    deinit {
        window.deallocate()
        close(descriptor)
    }

    /// Takes over the page size that the meta pages name.
    func adopt(pageSize: Int) {
        self.pageSize = pageSize
        heldPages = 0
    }

    /// The page of a number that is less than ``pageCount``; valid until the next page is asked for.
    ///
    /// Pages that follow each other are read in growing pieces; where that fails, the next is read alone.
    func page(_ number: Int) throws -> UnsafeRawPointer {
        let end = firstPage + heldPages
        if number < firstPage || number >= end {
            let isNear = number >= end && number - end <= 8
            let wanted = isNear ? min(2 * heldPages, Self.windowSize / pageSize) : 1
            let count = max(1, min(wanted, pageCount - number))
            heldPages = 0
            try read(at: number * pageSize, count * pageSize, into: window)
            (firstPage, heldPages) = (number, count)
        }
        return UnsafeRawPointer(window) + (number - firstPage) * pageSize
    }

    /// A number of bytes from an offset; all of them must be there.
    func bytes(at offset: Int, _ count: Int) throws -> [UInt8] {
        guard offset >= 0, count >= 0, offset <= size, count <= size - offset else {
            throw Preflight.failure(path, "the data file is truncated")
        }
        return try [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            if let start = buffer.baseAddress { try read(at: offset, count, into: start) }
            done = count
        }
    }

    /// Reads a number of bytes from an offset; all of them must be there.
    func read(at offset: Int, _ count: Int, into buffer: UnsafeMutableRawPointer) throws {
        var done = 0
        while done < count {
            let result = pread(descriptor, buffer + done, count - done, off_t(offset + done))
            if result < 0, errno == EINTR { continue }
            try FileSystem.check(result >= 0, "read", path)
            guard result > 0 else { throw Preflight.failure(path, "the data file is truncated") }
            done += result
        }
    }
}
