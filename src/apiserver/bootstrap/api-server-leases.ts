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
 * The live API servers: each keeps a key with a TTL in the store, as upstream's servers do.
 *
 * Upstream: pkg/controlplane/reconcilers/lease.go.
 */
const prefix = `${registryPrefix}masterleases/`;

/** TTL of a server's key; it is renewed every ten seconds. */
const leaseSeconds = 15;

/** Renews this server's key. */
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

/** Removes this server's key. */
export async function removeLease(storage: Storage, ip: string): Promise<void> {
  await storage.delete(prefix + ip, { expect: "any" });
}

/** The addresses of all live servers. */
export async function listLeases(storage: Storage): Promise<string[]> {
  const { entries } = await storage.range(prefix);
  return entries.flatMap(({ value }) => decode(value).subsets?.[0]?.addresses?.[0]?.ip ?? []);
}

/** Reports when a server is added or removed, until the signal aborts; renewals are not reported. */
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
