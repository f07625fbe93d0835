internal import MessageStoreLMDB

/// The limit on the size of the files that this process writes.
package enum FileSizeLimit {
    /// Sets the limit, for the whole process.
    ///
    /// - Parameter bytes: nil for no limit.
    package static func set(_ bytes: Int?) {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
        let resource = RLIMIT_FSIZE
        #endif
        var limit = rlimit()
        getrlimit(resource, &limit)
        limit.rlim_cur = bytes.map { rlim_t($0) } ?? limit.rlim_max
        setrlimit(resource, &limit)
    }
}
