import MessageStoreLMDB

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Makes the mark beside a data file vouch for the file as it is, as if damage had left inode, length and times alone.
enum MarkForgery {
    static func forge(in directory: String) -> String {
        let path = directory + "/data.mark"
        var status = stat()
        guard lstat(directory + "/data.mdb", &status) == 0,
            let bytes = try? FileSystem.read(path, limit: DataMark.byteCount), let mark = DataMark(bytes)
        else { return "no mark" }
        #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        let stamps = DataMark.Stamps(
            inode: UInt64(status.st_ino), size: UInt64(status.st_size), modified: nanoseconds(modified),
            changed: nanoseconds(changed))
        do {
            try FileSystem.remove(path)
            try FileSystem.create(path, bytes: DataMark(.closed, stamps, transaction: mark.transaction).bytes)
        } catch { return "no mark" }
        return "forged"
    }

    private static func nanoseconds(_ time: timespec) -> UInt64 {
        UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
