import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type GrpcCode, GrpcError } from "#/std/grpc/grpc.ts";
import { classifyFailure } from "./etcd-failure.ts";

describe("classifyFailure()", () => {
  const cases: readonly [GrpcCode, string, string][] = [
    ["OUT_OF_RANGE", "etcdserver: mvcc: required revision has been compacted", "compacted"],
    ["OUT_OF_RANGE", "etcdserver: mvcc: required revision is a future revision", "StorageError"],
    ["NOT_FOUND", "etcdserver: requested lease not found", "lease not found"],
    ["RESOURCE_EXHAUSTED", "etcdserver: mvcc: database space exceeded", "NoSpaceError"],
    ["RESOURCE_EXHAUSTED", "etcdserver: too many requests", "refused"],
    ["RESOURCE_EXHAUSTED", "Received message larger than max (9 vs 8)", "answer too large"],
    ["INVALID_ARGUMENT", "etcdserver: request is too large", "TooLargeError"],
    ["RESOURCE_EXHAUSTED", "grpc: received message larger than max (9 vs. 8)", "TooLargeError"],
    ["INVALID_ARGUMENT", "etcdserver: user name is empty", "AccessDeniedError"],
    ["INVALID_ARGUMENT", "etcdserver: revision of auth store is old", "refused"],
    ["PERMISSION_DENIED", "etcdserver: permission denied", "AccessDeniedError"],
    ["UNAUTHENTICATED", "etcdserver: invalid auth token", "AccessDeniedError"],
    ["DATA_LOSS", "etcdserver: corrupt cluster", "CorruptError"],
    ["UNAVAILABLE", "etcdserver: no leader", "refused"],
    ["UNAVAILABLE", "etcdserver: leader changed", "unknown"],
    ["UNAVAILABLE", "etcdserver: server stopped", "unknown"],
    ["UNAVAILABLE", "etcdserver: request timed out", "unknown"],
    ["UNAVAILABLE", "Connection dropped", "unknown"],
    ["DEADLINE_EXCEEDED", "Deadline exceeded after 10.000s", "unknown"],
    ["INTERNAL", "Received RST_STREAM with code 2", "unknown"],
    ["CANCELLED", "etcdserver: request canceled", "unknown"],
    ["FAILED_PRECONDITION", "etcdserver: rpc not supported for learner", "refused"],
    ["UNKNOWN", "raft proposal dropped", "refused"],
    [
      "UNKNOWN",
      "rpc error: code = PermissionDenied desc = etcdserver: permission denied",
      "AccessDeniedError",
    ],
  ];
  for (const [code, details, expected] of cases) {
    test(`classifies ${code}, ${details}, as ${expected}`, () => {
      const failure = classifyFailure(new GrpcError(code, details));
      assert.equal(failure.kind === "final" ? failure.error.name : failure.kind, expected);
    });
  }

  test("classifies unsent requests as refused", () => {
    const error = new GrpcError("DEADLINE_EXCEEDED", "Waiting for LB pick", { sent: false });
    assert.equal(classifyFailure(error).kind, "refused");
  });

  test("rethrows errors that are not from gRPC", () => {
    assert.throws(() => classifyFailure(new TypeError("bug")), TypeError);
  });
});
