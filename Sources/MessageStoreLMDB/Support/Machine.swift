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
