import assert from "node:assert/strict";
import type { ApiServerProcess } from "../../faults/api-server-process.ts";

const path = "/api/v1/namespaces/kube-system/configmaps";

/** The path of a watch of future changes of ConfigMaps. */
export async function watchPath(server: ApiServerProcess): Promise<string> {
  const { text } = await server.send("GET", path);
  return `${path}?watch=true&resourceVersion=${JSON.parse(text).metadata.resourceVersion}`;
}

export async function createConfigMap(server: ApiServerProcess, name: string): Promise<void> {
  const body = { metadata: { name }, data: { key: "x".repeat(1_000) } };
  const { status, text } = await server.send("POST", path, body);
  assert.equal(status, 201, text);
}

/** The number of watches that the server has open, its own included. */
export async function registeredWatchers(server: ApiServerProcess): Promise<number> {
  const { text } = await server.send("GET", "/metrics");
  const values = text.matchAll(
    /^apiserver_registered_watchers\{[^}]*kind="ConfigMap"[^}]*\} (\d+)/gm,
  );
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}
