/**
 * Records the visible results of the real kube-scheduler for the objects in cases.ts, into recorded/: run with the
 * reference programs built.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "#/client/client.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import { makeCredentials, ours } from "../../bench/apiserver/contender.ts";
import { cases, type SchedulingCase } from "./cases.ts";
import { type Observed, observe, populate } from "./observe.ts";

const program = join(homedir(), ".cache/kube-conformance/reference/bin/kube-scheduler");
const recorded: Record<string, Observed> = {};
for (const one of cases) {
  recorded[one.name] = await record(one);
  process.stdout.write(`${one.name}\n`);
}
const file = new URL("recorded/kube-scheduler.json", import.meta.url);
writeFileSync(file, `${JSON.stringify(recorded, undefined, 1)}\n`);

async function record(one: SchedulingCase): Promise<Observed> {
  using stack = new DisposableStack();
  const directory = mkdtempSync(join(tmpdir(), "record-scheduler-"));
  stack.defer(() => rmSync(directory, { recursive: true }));
  const credentials = makeCredentials(join(directory, "pki"));
  // Priorities are given as numbers, and no controller creates service accounts or reports that nodes are ready.
  const disabled = "Priority,ServiceAccount,TaintNodesByCondition";
  const gateFlags = ["--authorization-mode=Node,RBAC", `--disable-admission-plugins=${disabled}`];
  const server = await ours().start({ directory, credentials, cpus: "", gateFlags });
  try {
    const kubeconfig = join(directory, "kubeconfig");
    const { authority, admin } = credentials;
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        { name: "x", cluster: { server: server.url, "certificate-authority": authority } },
      ],
      users: [{ name: "x", user: { "client-certificate": admin.cert, "client-key": admin.key } }],
      contexts: [{ name: "x", context: { cluster: "x", user: "x" } }],
      "current-context": "x",
    };
    writeFileSync(kubeconfig, JSON.stringify(config));
    await using transport = await openTransport({ kubeconfig });
    const client = new Client(transport);
    await populate(client, one);
    const args = [`--kubeconfig=${kubeconfig}`, "--leader-elect=false", "--secure-port=0"];
    const child = spawn(program, args, { stdio: "ignore" });
    stack.defer(() => child.kill("SIGKILL"));
    return await observe(client);
  } finally {
    await server.stop();
  }
}
