internal import Foundation
internal import MessageStoreCZlib

/// Writes lines to standard output, plain or as gzip.
final class LineWriter {
    private var file: gzFile?

    init(isGzip: Bool) throws {
        // zlib writes plain text, too, with T.
        file = gzdopen(dup(STDOUT_FILENO), isGzip ? "wb" : "wT")
        guard let file else { throw StandardOutput.cannotBeWritten(errno) }
        gzbuffer(file, 64 * 1024)
    }

    deinit { if let file { gzclose(file) } }

    func write(_ line: String) throws {
        var line = line + "\n"
        let isWritten = line.withUTF8 { gzwrite(file, $0.baseAddress, UInt32($0.count)) > 0 }
        if !isWritten { throw StandardOutput.cannotBeWritten(errno) }
    }

    /// Writes what is left; nothing may be written after it.
    func finish() throws {
        defer { file = nil }
        if gzclose(file) != Z_OK { throw StandardOutput.cannotBeWritten(errno) }
    }
}
