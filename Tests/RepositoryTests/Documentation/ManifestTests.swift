import Foundation
import Testing

@Suite("The manifest")
struct ManifestTests {
    private struct Target {
        let name: String
        /// Every name in its declaration.
        let names: Set<String>
        let packages: Set<String>
    }

    /// The targets that are no tests.
    private func targets() throws -> [Target] {
        let text = try RepositoryText.text(of: RepositoryText.root.appendingPathComponent("Package.swift"))
        let declarations = text.split(separator: #/\n        \.(?=[a-zA-Z]+\()/#).filter {
            $0.hasPrefix("target(") || $0.hasPrefix("executableTarget(") || $0.hasPrefix("systemLibrary(")
        }
        return try declarations.map { declaration in
            let packages = declaration.matches(of: /package: "([^"]+)"/).map { String($0.output.1) }
            let names = declaration.matches(of: /"(MessageStore\w*)"/).map { String($0.output.1) }
            return Target(name: try #require(names.first), names: Set(names), packages: Set(packages))
        }
    }

    @Test("a host builds swift-log of others' code, and nothing else; the page's server is the tool's alone")
    func hosts() throws {
        let targets = try targets()
        var closure: Set<String> = ["MessageStore"]
        var known = 0
        while known < closure.count {
            known = closure.count
            for target in targets where closure.contains(target.name) { closure.formUnion(target.names) }
        }
        #expect(closure.count >= 5 && !closure.contains("MessageStoreTool"))
        let packages = targets.filter { closure.contains($0.name) }.reduce(into: Set()) { $0.formUnion($1.packages) }
        #expect(packages == ["swift-log"])
        #expect(targets.first { $0.name == "MessageStoreTool" }?.packages == ["swift-argument-parser"])
    }
}
