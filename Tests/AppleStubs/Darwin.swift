// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals
public import Dispatch
@_exported import Glibc

// The names of Darwin that the library uses and Linux has not, or has with another type, for `.ci/apple`: it checks the
// branches for Apple's systems against this module, and compiles each line that begins with `// C` against Apple's headers.

// C <fcntl.h> _Static_assert(F_FULLFSYNC == 51, "");
public let F_FULLFSYNC: Int32 = 51
// C <fcntl.h> _Static_assert(O_EVTONLY == 0x8000, "");
public let O_EVTONLY: Int32 = 0x8000
// C <sys/socket.h> _Static_assert(SO_NOSIGPIPE == 0x1022, "");
public let SO_NOSIGPIPE: Int32 = 0x1022
// C <sys/socket.h> _Static_assert(SOCK_STREAM == 1, "");
public let SOCK_STREAM: Int32 = 1
// C <sys/resource.h> _Static_assert(RLIMIT_FSIZE == 1, "");
public let RLIMIT_FSIZE: Int32 = 1

// C <sys/resource.h> int (*call1)(int, struct rlimit *) = getrlimit;
@discardableResult public func getrlimit(_ resource: Int32, _ limit: UnsafeMutablePointer<rlimit>!) -> Int32 { 0 }
// C <sys/resource.h> int (*call2)(int, const struct rlimit *) = setrlimit;
@discardableResult public func setrlimit(_ resource: Int32, _ limit: UnsafePointer<rlimit>!) -> Int32 { 0 }
// C <sys/sysctl.h> int (*call3)(const char *, void *, size_t *, void *, size_t) = sysctlbyname;
public func sysctlbyname(
    _ name: UnsafePointer<CChar>!, _ old: UnsafeMutableRawPointer!, _ oldSize: UnsafeMutablePointer<Int>!,
    _ new: UnsafeMutableRawPointer!, _ newSize: Int
) -> Int32 { 0 }
// C <malloc/malloc.h> size_t (*call4)(malloc_zone_t *, size_t) = malloc_zone_pressure_relief;
public typealias malloc_zone_t = OpaquePointer
@discardableResult
public func malloc_zone_pressure_relief(_ zone: UnsafeMutablePointer<malloc_zone_t>!, _ goal: Int) -> Int { 0 }
// C <pthread.h> struct _opaque_pthread_t *(*call5)(void) = pthread_self;
public func pthread_self() -> OpaquePointer! { nil }

// C <sys/stat.h> _Static_assert(sizeof(((struct stat *)0)->st_mtimespec) == sizeof(struct timespec), "");
// C <sys/stat.h> _Static_assert(sizeof(((struct stat *)0)->st_ctimespec) == sizeof(struct timespec), "");
extension stat {
    public var st_mtimespec: timespec { timespec() }
    public var st_ctimespec: timespec { timespec() }
}

// C <signal.h> void (*(*handler)(struct sigaction *))(int); static void *field(struct sigaction *a) { return (void *)a->__sigaction_u.__sa_handler; }
extension sigaction {
    public struct Handlers { public var __sa_handler: (@convention(c) (Int32) -> Void)! }
    public var __sigaction_u: Handlers { Handlers(__sa_handler: nil) }
}

// The overlay of Dispatch, which has the events of file system sources on Linux, and no such sources.
// C <dispatch/dispatch.h> static dispatch_source_type_t type(void) { return DISPATCH_SOURCE_TYPE_VNODE; }
public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {}
extension DispatchSource {
    public static func makeFileSystemObjectSource(
        fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue?
    ) -> any DispatchSourceFileSystemObject { fatalError("declared for its type") }
}

// C <string.h> errno_t (*declared_memset_s)(void *, rsize_t, int, rsize_t) = memset_s;
@discardableResult
public func memset_s(_ memory: UnsafeMutableRawPointer, _ size: Int, _ value: Int32, _ count: Int) -> Int32 { 0 }
