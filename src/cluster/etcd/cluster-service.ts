import { service, unary } from "#/std/grpc/grpc.ts";
import { type Decoded, message, nested, repeated } from "#/std/protobuf/protobuf.ts";
import { bigUint64, bool, int64, string } from "#/std/protobuf/protobuf-field.ts";

/*
 * The part of etcd's v3 API about its members.
 * Upstream: etcd api/etcdserverpb/rpc.proto.
 */

const Member = message({
  id: bigUint64(1),
  name: string(2),
  peerUrls: repeated(string(3)),
  clientUrls: repeated(string(4)),
  isLearner: bool(5),
});
export type EtcdMember = Decoded<typeof Member>;

const ResponseHeader = message({ clusterId: bigUint64(1), memberId: bigUint64(2) });
const memberId = message({ id: bigUint64(1) });
const Members = message({
  header: nested(1, ResponseHeader),
  members: repeated(nested(2, Member)),
});

export const Cluster = service("etcdserverpb.Cluster", {
  MemberAdd: unary(
    message({ peerUrls: repeated(string(1)), isLearner: bool(2) }),
    message({ member: nested(2, Member), members: repeated(nested(3, Member)) }),
  ),
  MemberRemove: unary(memberId, Members),
  MemberUpdate: unary(message({ id: bigUint64(1), peerUrls: repeated(string(2)) }), Members),
  MemberList: unary(message({}), Members),
  MemberPromote: unary(memberId, Members),
});

const Status = message({
  header: nested(1, ResponseHeader),
  version: string(2),
  dbSizeBytes: int64(3),
  leader: bigUint64(4),
  raftIndex: int64(5),
  appliedIndex: int64(7),
  errors: repeated(string(8)),
  /** The part of the database that is not free. */
  usedBytes: int64(9),
});
export type EtcdStatus = Decoded<typeof Status>;

export const Maintenance = service("etcdserverpb.Maintenance", {
  Status: unary(message({}), Status),
  Defragment: unary(message({}), message({})),
});
