/** Records the kubelet's permissions in the real kube-apiserver: `node test/parity/record-node-questions.ts`. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fixtures, questions } from "./node-questions.ts";
import { startReference } from "./reference.ts";

const settleMs = 3_000;

await using target = await startReference("Node,RBAC");
// Upstream's informers do not report when they are up to date; only recording waits.
await sleep(settleMs);
for (const { path, body } of fixtures) await post(path, body);
// Upstream's informers do not report when they are up to date; only recording waits.
await sleep(settleMs);
const lines: string[] = [];
for (const spec of questions) {
  const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
  const { status } = (await post(path, { spec })) as { status: object };
  lines.push(JSON.stringify(status));
}
const file = join(import.meta.dirname, "recorded/node-questions.json");
await writeFile(file, `[\n${lines.join(",\n")}\n]\n`);

async function post(path: string, body: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const sent = { method: "POST", path, headers, body: JSON.stringify(body) };
  const { status, text } = await target.send(sent);
  if (status !== 201) throw new Error(text);
  return JSON.parse(text);
}
