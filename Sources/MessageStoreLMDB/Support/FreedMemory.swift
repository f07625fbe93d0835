internal import MessageStoreCLMDB

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
