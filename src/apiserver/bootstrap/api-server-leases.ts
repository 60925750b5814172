import type { StructSchema } from "#/api/base/schema.ts";
import type { Endpoints } from "#/api/core/v1.ts";
import { decodeJson } from "#/machinery/codec/json/decode-json.ts";
import { jsonText } from "#/machinery/codec/json/encode-json.ts";
import { parseJson } from "#/machinery/codec/json/json-document.ts";
import {
  decodeProtobuf,
  isProtobuf,
  openEnvelope,
} from "#/machinery/codec/protobuf/protobuf-envelope.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import type { Storage } from "#/storage/base/storage.ts";
import { registryPrefix } from "../registry/feed.ts";

/**
 * Which API servers are alive: each keeps a key with a lifetime in the store, where upstream's servers look as well.
 *
 * Upstream: pkg/controlplane/reconcilers/lease.go.
 */
const prefix = `${registryPrefix}masterleases/`;

/** How long a server counts as alive after its last sign; it gives one every ten seconds. */
const leaseSeconds = 15;

/** Gives a sign of life. */
export async function renewLease(storage: Storage, ip: string): Promise<void> {
  const key = prefix + ip;
  const { entry } = await storage.get(key);
  const generation = (entry ? (decode(entry.value).metadata.generation ?? 0) : 0) + 1;
  const lease: Endpoints = {
    kind: "Endpoints",
    apiVersion: "v1",
    metadata: { generation },
    subsets: [{ addresses: [{ ip }] }],
  };
  const value = Buffer.from(jsonText(lease, schema()));
  await storage.put(key, value, { expect: "any", ttlSeconds: leaseSeconds });
}

/** Says that this server is going. */
export async function removeLease(storage: Storage, ip: string): Promise<void> {
  await storage.delete(prefix + ip, { expect: "any" });
}

/** The addresses of all servers that are alive. */
export async function listLeases(storage: Storage): Promise<string[]> {
  const { entries } = await storage.range(prefix);
  return entries.flatMap(({ value }) => decode(value).subsets?.[0]?.addresses?.[0]?.ip ?? []);
}

/** Tells when a server appears or goes, until the signal aborts; signs of life of those known are not told. */
export async function watchLeases(
  storage: Storage,
  changed: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { revision } = await storage.range(prefix);
  try {
    for await (const { events } of storage.watch(prefix, { after: revision, signal })) {
      if (events.some((event) => event.type === "delete" || !event.previous)) changed();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function decode(value: Uint8Array): Endpoints {
  if (isProtobuf(value)) return decodeProtobuf<Endpoints>(openEnvelope(value), schema());
  return decodeJson<Endpoints>(parseJson(value), schema(), false).value;
}

function schema(): StructSchema {
  const found = findSchema("", "v1", "Endpoints");
  if (!found) throw new Error("Endpoints is a kind of the core group");
  return found;
}
