/**
 * Records the roles and bindings that the real kube-apiserver creates at its start:
 * `node test/parity/record-bootstrap-policy.ts`.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startReference, type Target } from "./reference.ts";

interface Recorded {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly rules?: readonly unknown[] | null;
}

const file = join(import.meta.dirname, "../../src/apiserver/auth/rbac/bootstrap-policy.json");
const resources = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"];
const settleMs = 3_000;

await using target = await startReference();
// Upstream's informers do not report when they are up to date; only recording waits.
await sleep(settleMs);
const lists = await Promise.all(resources.map((name) => list(target, name)));
const parts = resources.map((name, index) => `"${name}":[\n${lists[index]?.join(",\n")}\n]`);
await writeFile(file, `{\n${parts.join(",\n")}\n}\n`);

async function list(server: Target, name: string): Promise<string[]> {
  const path = `/apis/rbac.authorization.k8s.io/v1/${name}`;
  const { text } = await server.send({ method: "GET", path, headers: {} });
  const { items } = JSON.parse(text) as { items: Recorded[] };
  return items.map(({ metadata, rules, ...rest }) => {
    const { uid, resourceVersion, creationTimestamp, managedFields, ...meta } = metadata;
    return JSON.stringify({ metadata: meta, ...rest, ...(rules ? { rules } : {}) });
  });
}
