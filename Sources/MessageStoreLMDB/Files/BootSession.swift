/// The time since the system was started: what was written to a file in it is there, on the medium or not.
enum BootSession {
    /// The system's name for the running session, at most ``DataMark/bootBytes`` bytes; empty where it has none.
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
