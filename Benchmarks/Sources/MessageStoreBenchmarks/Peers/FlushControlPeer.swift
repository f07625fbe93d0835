internal import Foundation

/// The flush control: the bytes of a package's records, one write and one flush a package, in a file that is as long
/// beforehand as it will ever be. Nothing can be read again by key; it shows what the medium alone takes.
final class FlushControlPeer: FloorPeer {
    private let descriptor: Int32
    private let sizes: RecordSizes
    private let length: Int
    private let buffer: [UInt8]
    private var offset = 0
    private var commit = 0

    init(at path: String, _ sizes: RecordSizes) throws {
        self.sizes = sizes
        length = sizes.sizes.reduce(0, +)
        let longest = sizes.commitEnds.indices.map { sizes.records(ofCommit: $0).reduce(0, +) }.max() ?? 0
        buffer = [UInt8](repeating: 0x5A, count: longest)
        descriptor = open(path, O_RDWR | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw Failure("opening the control's file: error \(errno)") }
        // Blocks that were written before: a flush then finds no metadata of the file system to write.
        // Page by page, since the page cache takes as one what is written as one, and then counts all of it as dirty.
        let zeros = [UInt8](repeating: 0, count: 4_096)
        for start in stride(from: 0, to: length, by: zeros.count) {
            try write(zeros, min(zeros.count, length - start), at: start)
        }
        try waitForMedium()
    }

    func prepare(_ packages: [[SyncEvent]], hasMore: Bool) {}

    func ingest(_ package: Int) throws {
        let count = sizes.records(ofCommit: commit).reduce(0, +)
        commit += 1
        if offset + count > length { offset = 0 }
        try write(buffer, count, at: offset)
        offset += count
        try waitForMedium()
    }

    private func write(_ bytes: [UInt8], _ count: Int, at offset: Int) throws {
        let written = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, count, off_t(offset)) }
        guard written == count else { throw Failure("writing the control's file: error \(errno)") }
    }

    private func waitForMedium() throws {
        #if canImport(Darwin)
        let code = fcntl(descriptor, F_FULLFSYNC)
        #else
        let code = fdatasync(descriptor)
        #endif
        guard code == 0 else { throw Failure("flushing the control's file: error \(errno)") }
    }

    func commits() throws -> Int? { commit }

    func close() { Foundation.close(descriptor) }
}
