internal import MessageStoreCLMDB

/// The machine that this process runs on.
package enum Machine {
    /// Processors that are in use.
    package static let processors = max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)

    /// Bytes of memory that this process can have: the machine's, or less where a control group of it has a limit.
    package static var memory: Int {
        let installed = Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE)))
        #if os(Linux)
        return controlGroups.reduce(installed) { memory, group in
            // "max" is no number.
            text("/sys/fs/cgroup\(group)/memory.max").flatMap { Int($0.prefix { $0.isNumber }) }.map { min(memory, $0) }
                ?? memory
        }
        #else
        return installed
        #endif
    }

    #if os(Linux)
    /// The paths of the group of this process and of those above it; of version 2
    /// (https://docs.kernel.org/admin-guide/cgroup-v2.html).
    private static var controlGroups: [String] {
        let lines = text("/proc/self/cgroup")?.split(separator: "\n") ?? []
        guard let path = lines.first(where: { $0.hasPrefix("0::/") })?.dropFirst(3) else { return [""] }
        let names = path.split(separator: "/")
        return (0...names.count).map { names.prefix($0).map { "/" + $0 }.joined() }
    }

    private static func text(_ path: String) -> String? {
        (try? FileSystem.read(path, limit: 4096)).map { String(decoding: $0, as: UTF8.self) }
    }
    #endif
}

/// Memory that was freed and that the allocator holds.
package enum FreedMemory {
    /// Gives pages without a live allocation back to the system; takes milliseconds.
    ///
    /// Memory that is allocated on one thread and freed on another leaves gaps that the allocator would keep for the
    /// process.
    package static func giveBack() {
        #if canImport(Darwin)
        malloc_zone_pressure_relief(nil, 0)
        #elseif canImport(Glibc)
        malloc_trim(0)
        #endif
    }
}

/// The wall clock, read without Foundation.
package enum SystemClock {
    package static func sinceEpoch() -> (seconds: Int64, nanoseconds: Int64) {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return (Int64(time.tv_sec), Int64(time.tv_nsec))
    }
}

/// The time since the system was started: bytes written to a file in it are there, on the medium or not.
enum BootSession {
    /// The system's name for the running session, at most ``DataMark/bootBytes`` bytes; empty if it has none.
    static let current: [UInt8] = {
        #if canImport(Darwin)
        var size = 0
        guard sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 0, size <= 256 else { return [] }
        var name = [UInt8](repeating: 0, count: size)
        guard sysctlbyname("kern.bootsessionuuid", &name, &size, nil, 0) == 0 else { return [] }
        #else
        let name = (try? FileSystem.read("/proc/sys/kernel/random/boot_id", limit: 64)) ?? []
        #endif
        return Array(name.prefix { $0 > 32 }.prefix(DataMark.bootBytes))
    }()
}
