internal import Foundation
internal import MessageStore

/// The file with the key of sealed stores, which every command takes by the option `--key-file`.
///
/// Neither the arguments of a process nor its environment are secret, so that they have no key.
enum KeyFile {
    private static let option = "--key-file"
    private static let greatestBytes = 1024

    /// Takes the option and the file from the arguments; nil if it is not among them. Options end at `--`.
    ///
    /// - Throws: ``ToolError`` for an option without a file, or twice.
    static func take(from arguments: inout [String]) throws -> String? {
        var file: String?
        var index = 0
        while index < arguments.count, arguments[index] != "--" {
            let argument = arguments[index]
            guard argument == option || argument.hasPrefix(option + "=") else {
                index += 1
                continue
            }
            guard file == nil else { throw ToolError.usage("\(option) is given twice") }
            arguments.remove(at: index)
            if argument == option {
                guard index < arguments.count else { throw ToolError.usage("\(option) needs a file") }
                file = arguments.remove(at: index)
            } else {
                file = String(argument.dropFirst(option.count + 1))
            }
        }
        guard file != "" else { throw ToolError.usage("\(option) needs a file") }
        return file
    }

    /// Gives the key in a file, which is read now.
    static func source(from file: String) throws -> KeySource {
        let key = try key(in: file)
        return KeySource { key }
    }

    /// The key in a file: its bytes, or their hexadecimal digits.
    private static func key(in file: String) throws -> [UInt8] {
        guard let bytes = try? bytes(of: file) else { throw ToolError.usage("the key file \(file) cannot be read") }
        if bytes.count == 32 { return bytes }
        let digits = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard digits.utf8.count == 64, let key = [UInt8](hexadecimal: digits.lowercased()) else {
            throw ToolError.usage(
                "the key file \(file) has neither 32 bytes nor 64 hexadecimal digits, but \(bytes.count) bytes")
        }
        return key
    }

    private static func bytes(of file: String) throws -> [UInt8] {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
        defer { try? handle.close() }
        var bytes = [UInt8]()
        while bytes.count <= greatestBytes, let part = try handle.read(upToCount: greatestBytes), !part.isEmpty {
            bytes += part
        }
        return bytes
    }
}
