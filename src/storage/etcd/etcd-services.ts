import { bidi, service, unary } from "#/std/grpc/grpc.ts";
import {
  type Decoded,
  type Encodable,
  message,
  nested,
  oneof,
  repeated,
} from "#/std/protobuf/protobuf.ts";
import {
  bigInt64,
  bigUint64,
  bool,
  bytes,
  bytesView,
  enumeration,
  int64,
  string,
} from "#/std/protobuf/protobuf-field.ts";

/*
 * The used part of etcd's v3 API. Keys are bytes on the wire; ours are text, which is encoded the
 * same way.
 * Upstream: etcd api/etcdserverpb/rpc.proto, api/mvccpb/kv.proto.
 */

const ResponseHeader = message({ memberId: bigUint64(2), revision: int64(3) });

const keyValueFields = {
  key: string(1),
  createRevision: int64(2),
  modRevision: int64(3),
  version: int64(4),
  value: bytes(5),
  lease: bigInt64(6),
};
export const KeyValue = message(keyValueFields);
export type KeyValue = Decoded<typeof KeyValue>;

/**
 * For reads, which avoid copying thousands of values: a page stays in memory as long as one of its
 * values, which is no more than the whole list takes. Values of watches must not keep each other in
 * memory, and are copied if needed.
 */
const KeyValueView = message({ ...keyValueFields, value: bytesView(5) });

const RangeRequest = message({
  key: string(1),
  rangeEnd: bytes(2),
  limit: int64(3),
  revision: int64(4),
  keysOnly: bool(8),
});

const RangeResponse = message({
  header: nested(1, ResponseHeader),
  kvs: repeated(nested(2, KeyValueView)),
  more: bool(3),
  count: int64(4),
});
export type RangeResponse = Decoded<typeof RangeResponse>;

const PutRequest = message({ key: string(1), value: bytes(2), lease: bigInt64(3) });

const DeleteRangeRequest = message({ key: string(1) });

const RequestOp = message({
  request: oneof({
    range: nested(1, RangeRequest),
    put: nested(2, PutRequest),
    deleteRange: nested(3, DeleteRangeRequest),
  }),
});

export type Request = NonNullable<Encodable<typeof RequestOp>["request"]>;

/** The responses of puts and deletes are not used. */
const ResponseOp = message({ response: oneof({ range: nested(1, RangeResponse) }) });

/** Always compares for equality, which is the default of the omitted field. */
const Compare = message({
  target: enumeration(2, { VERSION: 0, CREATE: 1, MOD: 2 }),
  key: string(3),
  value: oneof({ version: int64(4), modRevision: int64(6) }),
});

const TxnRequest = message({
  compare: repeated(nested(1, Compare)),
  success: repeated(nested(2, RequestOp)),
  failure: repeated(nested(3, RequestOp)),
});

const TxnResponse = message({
  header: nested(1, ResponseHeader),
  succeeded: bool(2),
  responses: repeated(nested(3, ResponseOp)),
});

const CompactionRequest = message({ revision: int64(1), physical: bool(2) });

const HeaderOnly = message({ header: nested(1, ResponseHeader) });

export const KV = service("etcdserverpb.KV", {
  Range: unary(RangeRequest, RangeResponse),
  Txn: unary(TxnRequest, TxnResponse),
  Compact: unary(CompactionRequest, HeaderOnly),
});

const Event = message({
  type: enumeration(1, { PUT: 0, DELETE: 1 }),
  kv: nested(2, KeyValueView),
  prevKv: nested(3, KeyValue),
});
export type Event = Decoded<typeof Event>;

const WatchCreateRequest = message({
  key: string(1),
  rangeEnd: bytes(2),
  startRevision: int64(3),
  progressNotify: bool(4),
  prevKv: bool(6),
  fragment: bool(8),
});

const WatchRequest = message({
  request: oneof({ create: nested(1, WatchCreateRequest), progress: nested(3, message({})) }),
});

const WatchResponse = message({
  header: nested(1, ResponseHeader),
  created: bool(3),
  canceled: bool(4),
  compactRevision: int64(5),
  cancelReason: string(6),
  fragment: bool(7),
  events: repeated(nested(11, Event)),
});
export type WatchResponse = Decoded<typeof WatchResponse>;

export const Watch = service("etcdserverpb.Watch", { Watch: bidi(WatchRequest, WatchResponse) });

const LeaseGrantRequest = message({ ttlSeconds: int64(1) });
const LeaseGrantResponse = message({ id: bigInt64(2), ttlSeconds: int64(3), error: string(4) });
const LeaseTimeToLiveRequest = message({ id: bigInt64(1) });
const LeaseTimeToLiveResponse = message({ ttlSeconds: int64(3) });

export const Lease = service("etcdserverpb.Lease", {
  LeaseGrant: unary(LeaseGrantRequest, LeaseGrantResponse),
  LeaseTimeToLive: unary(LeaseTimeToLiveRequest, LeaseTimeToLiveResponse),
});

const StatusResponse = message({
  header: nested(1, ResponseHeader),
  version: string(2),
  dbSizeBytes: int64(3),
  leader: bigUint64(4),
});

const AlarmRequest = message({
  action: enumeration(1, { GET: 0, ACTIVATE: 1, DEACTIVATE: 2 }),
  memberId: bigUint64(2),
  alarm: enumeration(3, { NONE: 0, NOSPACE: 1, CORRUPT: 2 }),
});

export const Maintenance = service("etcdserverpb.Maintenance", {
  Status: unary(message({}), StatusResponse),
  Alarm: unary(AlarmRequest, HeaderOnly),
  Defragment: unary(message({}), HeaderOnly),
});
