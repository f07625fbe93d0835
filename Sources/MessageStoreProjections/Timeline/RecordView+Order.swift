@_spi(Storage) internal import MessageStoreLog

extension RecordView {
    /// The order that stands in fields `id` and `id + 1`. Without a server id it stands after every message of
    /// its time, or before them where it is a lower end.
    func order<Value: FieldValue>(_ field: Field<Value>, isLowerEnd: Bool = false) -> [UInt8]? {
        guard let time = fields.first(field.number)?.number else { return nil }
        let serverID = fields.first(field.number + 1)?.bytes
        var writer = ByteWriter(capacity: 64)
        let timestamp = Timestamp(milliseconds: Int64(bitPattern: time))
        if let serverID {
            OrderBytes.append(time: timestamp, id: serverID, to: &writer)
        } else {
            let id: [UInt8] = isLowerEnd ? [] : [OrderBytes.afterAllIDs]
            OrderBytes.append(time: timestamp, id: id.span.bytes, to: &writer)
        }
        return writer.bytes.copied
    }
}
