#if SQLite
internal import Foundation
internal import MessageStoreCSQLite

/// A value of a column.
enum SQLiteValue: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    /// Also a text that is no UTF-8.
    case blob([UInt8])
}

/// A SQLite file that is read and never written.
///
/// Next to a file without a log of writes nothing is created; with one (`-wal`) SQLite makes its index (`-shm`).
final class SQLiteFile {
    private let path: String
    private let handle: OpaquePointer

    /// Opens the file, which no program should write meanwhile.
    ///
    /// - Throws: `ToolError` with SQLite's words for the code; it has no text of the file.
    init(path given: String) throws {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: given, isDirectory: &isDirectory), !isDirectory.boolValue else {
            throw ToolError.usage("there is no file \(given)")
        }
        // The log of writes lies next to the file itself.
        let path = URL(fileURLWithPath: given).resolvingSymlinksInPath().path
        let hasLog = ["-wal", "-journal"].contains { suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix)
            return (attributes?[.size] as? Int ?? 0) > 0
        }
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "?#%"))
        let name = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
        let uri = "file://" + name + (hasLog ? "" : "?immutable=1")
        let code = sqlite3_open_v2(uri, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close(handle)
            throw Self.error(code, path)
        }
        (self.path, self.handle) = (path, handle)
        // Whether it is a database shows with the first page.
        _ = try rows(of: "SELECT 1 FROM sqlite_master").next()
    }

    deinit { sqlite3_close_v2(handle) }

    /// Prepares one SELECT.
    func rows(of sql: String) throws -> SQLiteRows {
        var statement: OpaquePointer?
        let (code, rest) = sql.withCString { start in
            var end: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v2(handle, start, -1, &statement, &end)
            return (code, end.map { String(cString: $0) } ?? "")
        }
        guard code == SQLITE_OK else {
            // The words are about the statement, which is the caller's.
            throw code == SQLITE_ERROR
                ? ToolError.usage("\(path): \(String(cString: sqlite3_errmsg(handle)))") : Self.error(code, path)
        }
        let isOne = rest.allSatisfy { $0 == ";" || $0.isWhitespace } && !sql.utf8.contains(0)
        guard let statement, isOne, sqlite3_stmt_readonly(statement) != 0, sqlite3_column_count(statement) > 0 else {
            sqlite3_finalize(statement)
            throw ToolError.usage("\(path): a SELECT is needed, and nothing after it")
        }
        return SQLiteRows(self, statement)
    }

    fileprivate func error(_ code: Int32) -> ToolError { Self.error(code, path) }

    private static func error(_ code: Int32, _ path: String) -> ToolError {
        let remedy =
            switch code & 0xFF {
            case SQLITE_CANTOPEN, SQLITE_READONLY:
                "; with a file -wal or -journal next to it, copy all of them to a directory that can be written"
            case SQLITE_NOTADB: "; or it is encrypted"
            default: ""
            }
        return ToolError.check("\(path): SQLite cannot read it: \(String(cString: sqlite3_errstr(code)))\(remedy)")
    }
}

/// The rows of a statement, one after the other.
final class SQLiteRows {
    private let file: SQLiteFile
    private let statement: OpaquePointer
    /// The names of the columns.
    let columns: [String]

    fileprivate init(_ file: SQLiteFile, _ statement: OpaquePointer) {
        (self.file, self.statement) = (file, statement)
        columns = (0..<sqlite3_column_count(statement)).map { index in
            sqlite3_column_name(statement, index).map { String(cString: $0) } ?? ""
        }
    }

    deinit { sqlite3_finalize(statement) }

    /// Steps to the next row; false at the end.
    func next() throws -> Bool {
        let code = sqlite3_step(statement)
        if code == SQLITE_ERROR {
            throw ToolError.check("a statement fails in one of its rows; those before are recorded")
        }
        guard code == SQLITE_ROW || code == SQLITE_DONE else { throw file.error(code) }
        return code == SQLITE_ROW
    }

    /// The value of a column of this row.
    subscript(column: Int) -> SQLiteValue {
        let column = Int32(clamping: column)
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            // SQLite makes UTF-8 of a database in UTF-16.
            let bytes = self.bytes(column, at: UnsafeRawPointer(sqlite3_column_text(statement, column)))
            return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .blob(bytes)
        case SQLITE_BLOB: return .blob(bytes(column, at: sqlite3_column_blob(statement, column)))
        default: return .null
        }
    }

    private func bytes(_ column: Int32, at start: UnsafeRawPointer?) -> [UInt8] {
        guard let start else { return [] }
        let count = Int(sqlite3_column_bytes(statement, column))
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
#endif
