// The C library of the platform, for all files of this module and of its importers.
#if canImport(Darwin)
@_exported public import Darwin
#elseif canImport(Musl)
@_exported public import Musl
#else
@_exported public import Glibc
#endif
