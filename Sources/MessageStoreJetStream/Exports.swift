@_exported public import MessageStoreShipping
