import assert from "node:assert/strict";
import { test } from "node:test";
import { GrpcError } from "#/std/grpc/grpc.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import type { VolumeRecord } from "../pool/volume-record.ts";
import { storageMetrics } from "./storage-metrics.ts";

const volume = (id: string, capacityBytes: number): VolumeRecord => ({
  id,
  name: id,
  createdMs: 0,
  backend: "image",
  isBlock: false,
  fsType: "ext4",
  formattedBytes: capacityBytes,
  capacityBytes,
});

test("storageMetrics() has the volumes, and the calls by their status", async () => {
  const registry = new Registry();
  const pool = { volumes: [volume("a", 1024), volume("b", 512)], snapshots: [] };
  const time = storageMetrics(registry, pool, new FakeClock());
  const calls = time({
    DeleteVolume: async (name: string) => `deleted ${name}`,
    CreateVolume: () => Promise.reject(new GrpcError("RESOURCE_EXHAUSTED", "full")),
    CreateSnapshot: () => Promise.reject(new Error("unexpected")),
  });
  assert.equal(await calls.DeleteVolume("a"), "deleted a");
  await assert.rejects(calls.CreateVolume(), { code: "RESOURCE_EXHAUSTED" });
  await assert.rejects(calls.CreateSnapshot(), /unexpected/);
  const lines = [...registry.expose()].join("").split("\n");
  const count = (code: string, method: string) =>
    `local_storage_operations_seconds_count{grpc_status_code="${code}",method_name="${method}"} 1`;
  for (const line of [
    "local_storage_volumes 2",
    "local_storage_snapshots 0",
    "local_storage_volume_capacity_bytes 1536",
    count("OK", "DeleteVolume"),
    count("RESOURCE_EXHAUSTED", "CreateVolume"),
    count("INTERNAL", "CreateSnapshot"),
  ]) {
    assert.ok(lines.includes(line), `${line} in\n${lines.join("\n")}`);
  }
});
