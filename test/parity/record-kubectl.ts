/**
 * Runs the real kubectl against the real kube-apiserver and writes the patches that `kubectl apply` sends to
 * recorded/kubectl-apply.json: `node test/parity/record-kubectl.ts`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type KubectlCase, kubectlCases } from "./cases/kubectl-apply.ts";
import { widgetFixtures, widgetPaths } from "./cases/widget.ts";
import { normaliseAnswers } from "./normalise.ts";
import { type RawAnswer, startReference, type Target } from "./reference.ts";
import { makeNamespace, prepareArea } from "./run-case.ts";

const kubectl = join(homedir(), ".cache/kube-conformance/reference/bin/kubectl");

/** A patch that was sent through the proxy. */
interface SeenPatch {
  readonly contentType: string;
  readonly body: string;
}

await using target = await startReference();
await prepareArea(target, {
  name: "kubectl",
  fixtures: widgetFixtures,
  ready: widgetPaths,
  cases: [],
});
const patches: SeenPatch[] = [];
const proxy = createServer((incoming, outgoing) => {
  void forward(target, incoming).then(({ status, headers, text: body }) => {
    outgoing.writeHead(status, { "content-type": headers["content-type"] ?? "text/plain" });
    outgoing.end(body);
  });
});
proxy.listen(0, "127.0.0.1");
await once(proxy, "listening");
const server = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
const lines: string[] = [];
for (const [index, test] of kubectlCases.entries())
  lines.push(JSON.stringify(await record(test, index)));
proxy.close();
proxy.closeAllConnections();
const file = join(import.meta.dirname, "recorded", "kubectl-apply.json");
await writeFile(file, `[\n${lines.join(",\n")}\n]\n`);
process.stdout.write(`kubectl-apply: ${lines.length} cases\n`);

async function forward(to: Target, incoming: IncomingMessage): Promise<RawAnswer> {
  const body = await text(incoming);
  const headers = Object.fromEntries(
    Object.entries(incoming.headers)
      .filter(([name]) => name !== "host" && name !== "accept-encoding")
      .map(([name, value]) => [name, String(value)]),
  );
  if (incoming.method === "PATCH") {
    patches.push({ contentType: headers["content-type"] ?? "", body });
  }
  const method = incoming.method ?? "GET";
  return to.send({ method, path: incoming.url ?? "/", headers, ...(body === "" ? {} : { body }) });
}

async function record(test: KubectlCase, index: number): Promise<object> {
  const namespace = `kubectl-${index}`;
  await makeNamespace(target, namespace);
  const path = `${test.path.replace("{ns}", namespace)}/x`;
  await apply(namespace, test.first);
  if (test.meanwhile) {
    const headers = { "content-type": "application/merge-patch+json", accept: "application/json" };
    await target.send({ method: "PATCH", path, headers, body: JSON.stringify(test.meanwhile) });
  }
  const live = withoutManagedFields(
    await target.send({ method: "GET", path, headers: { accept: "application/json" } }),
  );
  patches.length = 0;
  await apply(namespace, test.second);
  const [sent] = patches;
  const patch = { status: 200, headers: {}, text: sent?.body ?? "{}" };
  const [current, made] = normaliseAnswers({ namespace, answers: [live, patch] });
  return {
    name: test.name,
    contentType: sent?.contentType ?? "",
    current: current?.body,
    patch: made?.body,
  };
}

/** The answer without fields that no patch of kubectl depends on. */
function withoutManagedFields(answer: RawAnswer): RawAnswer {
  const body = JSON.parse(answer.text) as { metadata: { managedFields?: unknown } };
  delete body.metadata.managedFields;
  return { ...answer, text: JSON.stringify(body) };
}

async function apply(namespace: string, config: object): Promise<void> {
  const args = [
    `--server=${server}`,
    `--namespace=${namespace}`,
    "apply",
    "--validate=false",
    "-f",
    "-",
  ];
  const child = spawn(kubectl, args, {
    stdio: ["pipe", "ignore", "pipe"],
    env: { HOME: "/nonexistent" },
  });
  child.stdin.end(JSON.stringify(config));
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  if (code !== 0) process.stderr.write(`${namespace}: ${errors}`);
}
