#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The machine that this process runs on.
package enum Machine {
    /// Processors that are in use.
    package static var processors: Int { max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1) }

    /// Bytes of memory that this process can have: the machine's, or less where its control group has a limit.
    package static var memory: Int {
        let installed = Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE)))
        #if os(Linux)
        // https://docs.kernel.org/admin-guide/cgroup-v2.html#memory-interface-files; "max" is no number.
        if let text = try? FileSystem.read("/sys/fs/cgroup/memory.max", limit: 32),
            let limit = Int(String(decoding: text, as: UTF8.self).prefix { $0.isNumber }), limit > 0
        {
            return min(installed, limit)
        }
        #endif
        return installed
    }
}
