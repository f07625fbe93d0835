/// An invariant of the write buffer that does not hold.
///
/// Files, inputs and hosts cannot cause this: it is an error of this library. Debug builds trap on it.
package struct BrokenInvariant: Error, CustomStringConvertible {
    package let description: String

    static func check(_ holds: Bool, _ invariant: @autoclosure () -> String) throws {
        if !holds { throw BrokenInvariant(description: "broken invariant: " + invariant()) }
    }
}
