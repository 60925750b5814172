/**
 * Reads the discovery documents of the real kube-apiserver in every format and writes them to recorded/discovery.json:
 * `node test/parity/record-discovery.ts`. Needs the programs that `k8ts test` builds for the conformance tests.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startReference } from "./reference.ts";

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

await using target = await startReference();
const lines: string[] = [];
for (const path of ["/api", "/apis"]) await record(path, aggregated);
await record("/api/v1", "application/json");
const { groups } = (await record("/apis", "application/json")) as {
  groups: { name: string; versions: { groupVersion: string }[] }[];
};
for (const { name, versions } of groups) {
  await record(`/apis/${name}`, "application/json");
  for (const { groupVersion } of versions)
    await record(`/apis/${groupVersion}`, "application/json");
}
const file = join(import.meta.dirname, "recorded", "discovery.json");
await writeFile(file, `[\n${lines.join(",\n")}\n]\n`);

async function record(path: string, accept: string): Promise<unknown> {
  const { text } = await target.send({ method: "GET", path, headers: { accept } });
  const body = JSON.parse(text) as unknown;
  lines.push(JSON.stringify({ path, accept, body }));
  return body;
}
