import Foundation
import MessageStoreLMDB

/// The descriptors that this process has of a data file, so that LMDB's writes can be made to fail.
enum DataDescriptors {
    /// What LMDB writes with a descriptor.
    enum Use { case pages, meta }

    static let canBreakWrites = access("/dev/full", W_OK) == 0

    /// Lets every write of a kind fail as on a full disk.
    static func breakWrites(_ use: Use, of file: String) throws {
        var wanted = stat()
        guard stat(file, &wanted) == 0 else { throw FileError(operation: "stat", path: file, errno: errno) }
        let full = open("/dev/full", O_RDWR)
        defer { close(full) }
        for descriptor in Int32(0)..<min(getdtablesize(), 1 << 17) {
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_ino == wanted.st_ino, status.st_dev == wanted.st_dev
            else { continue }
            let flags = fcntl(descriptor, F_GETFL)
            guard flags & O_ACCMODE != O_RDONLY else { continue }
            // The descriptor for meta pages writes through to the medium.
            if (flags & O_DSYNC != 0) == (use == .meta) { dup2(full, descriptor) }
        }
    }
}
