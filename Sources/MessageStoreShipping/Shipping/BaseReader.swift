internal import MessageStoreLMDB

/// Reads the files of a copy of a store, one after the other, in pieces.
struct BaseReader: Sendable {
    let files: [BaseManifest.File]
    private let directory: String
    /// The file that is read, and how much of it was.
    private var (index, offset) = (0, 0)

    init(_ directory: String) throws {
        self.directory = directory
        files = try Self.files(of: directory)
    }

    /// The next bytes, and the reader after them; no bytes at the end.
    func piece(of size: Int) throws -> ([UInt8], BaseReader) {
        var (piece, next) = ([UInt8](), self)
        while next.index < files.count, piece.count < size {
            let file = files[next.index]
            let limit = min(size - piece.count, file.size - next.offset)
            let bytes = try FileSystem.read(directory + "/" + file.path, offset: next.offset, limit: limit)
            guard bytes.count == limit else { throw StoreError(.inputOutput, "a copy changed", path: file.path) }
            piece += bytes
            next.offset += bytes.count
            if next.offset == file.size { (next.index, next.offset) = (next.index + 1, 0) }
        }
        return (piece, next)
    }

    private static func files(of copy: String, in directory: String = "") throws -> [BaseManifest.File] {
        try FileSystem.names(in: copy + "/" + directory).flatMap { name -> [BaseManifest.File] in
            let path = directory.isEmpty ? name : directory + "/" + name
            guard let status = try FileSystem.status(of: copy + "/" + path) else { return [] }
            switch status.kind {
            case .directory: return try files(of: copy, in: path)
            // Every opening makes another one.
            case .file where !name.contains("lock"): return [.init(path: path, size: status.size)]
            default: return []
            }
        }
    }
}
