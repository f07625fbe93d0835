import Testing

/// The entry point of the tests. Without a file of this name the package manager looks for XCTest cases in the index store, which
/// the repository's builds leave out.
@main struct XCTMain {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
