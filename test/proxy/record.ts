/**
 * Records the rules that the real kube-proxy writes to the kernel for the objects in objects.ts, into
 * recorded/: run as root, with the reference programs built. Arguments name the modes, of which the
 * kernel must support each: nftables and iptables by default.
 */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { systemClock } from "#/std/time/clock.ts";
import { TestAuthority } from "#/testing/certificates.ts";
import { NetworkNamespace } from "#/testing/network-namespace.ts";
import { until } from "#/testing/until.ts";
import { listRules, type ProxyMode, prepareNode, type RuleListing } from "./node-namespace.ts";
import { clusterCidr, node, nodeName, serviceCidrs, services, slices } from "./objects.ts";

/** How long (ms) rules must stay the same: longer than a slow machine takes from one family to the next. */
const settleMs = 20_000;
const programs = join(homedir(), ".cache/kube-conformance/reference/bin");
const directory = await mkdtemp(join(tmpdir(), "record-proxy-"));
const kubeconfig = join(directory, "kubeconfig");

await using namespace = await NetworkNamespace.create();
try {
  await prepareNode(namespace);
  await startServer();
  await createObjects();
  const modes = process.argv.slice(2);
  for (const mode of (modes.length > 0 ? modes : ["nftables", "iptables"]) as ProxyMode[]) {
    const proxy = namespace.start(join(programs, "kube-proxy"), [
      `--kubeconfig=${kubeconfig}`,
      `--hostname-override=${nodeName}`,
      `--proxy-mode=${mode}`,
      `--cluster-cidr=${clusterCidr}`,
      "--conntrack-max-per-core=0",
      "--conntrack-tcp-timeout-established=0s",
      "--conntrack-tcp-timeout-close-wait=0s",
    ]);
    proxy.stderr?.on("data", (chunk: Buffer) => process.stderr.write(chunk));
    const rules = await settledRules(mode);
    proxy.kill();
    await writeFile(
      new URL(`recorded/${mode}.json`, import.meta.url),
      `${JSON.stringify(rules, undefined, 1)}\n`,
    );
  }
} finally {
  await rm(directory, { recursive: true });
}

/** kube-proxy does not report when it has written its rules: they are complete if they stay the same. */
async function settledRules(mode: ProxyMode): Promise<RuleListing> {
  let [rules, since]: [RuleListing, number] = [{}, systemClock.monotonicMs()];
  while (systemClock.monotonicMs() - since < settleMs) {
    // Only recording waits, and there is nothing to wait for but time.
    await systemClock.sleep(1000);
    const now = await listRules(namespace, mode).catch(() => ({}));
    if (!isDeepStrictEqual(now, rules)) [rules, since] = [now, systemClock.monotonicMs()];
  }
  return rules;
}

async function startServer(): Promise<void> {
  const authority = await TestAuthority.create(directory);
  const { certFile, keyFile } = await authority.issue("localhost");
  await writeFile(join(directory, "tokens.csv"), "secret,admin,1,system:masters\n");
  await writeFile(
    kubeconfig,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        {
          name: "c",
          cluster: { server: "https://127.0.0.1:6443", "certificate-authority": authority.caFile },
        },
      ],
      users: [{ name: "u", user: { token: "secret" } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      "current-context": "c",
    }),
  );
  const server = namespace.start(process.execPath, [
    new URL("../../bin/kube-apiserver.ts", import.meta.url).pathname,
    `--data-dir=${join(directory, "data")}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=192.168.9.1",
    `--token-auth-file=${join(directory, "tokens.csv")}`,
    `--tls-cert-file=${certFile}`,
    `--tls-private-key-file=${keyFile}`,
    `--service-cluster-ip-range=${serviceCidrs.join(",")}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${keyFile}`,
    `--service-account-signing-key-file=${keyFile}`,
    "--disable-admission-plugins=ServiceAccount",
  ]);
  server.stderr?.on("data", (chunk: Buffer) => process.stderr.write(chunk));
  await until("the API server is ready", () =>
    kubectl("", "get", "--raw", "/readyz").catch(() => undefined),
  );
}

async function createObjects(): Promise<void> {
  const items = [node, ...services, ...slices].filter(
    ({ metadata }) => !metadata.name?.startsWith("kubernetes"),
  );
  await kubectl(JSON.stringify({ apiVersion: "v1", kind: "List", items }), "create", "-f", "-");
  for (const object of [node, ...services]) {
    const patch = JSON.stringify({ status: object.status });
    const kind = object.kind ?? "";
    const flags = ["--subresource=status", "--type=merge", "-p", patch];
    await kubectl("", "patch", kind, object.metadata.name ?? "", ...flags);
  }
}

function kubectl(input: string, ...args: string[]): Promise<string> {
  return namespace.run(join(programs, "kubectl"), [`--kubeconfig=${kubeconfig}`, ...args], input);
}
