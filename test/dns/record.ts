/**
 * Records the answers of the real CoreDNS to the questions in objects.ts, into recorded/: run with
 * the reference programs built.
 */

import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { makeQuery } from "#/dns/wire/make-query.ts";
import { recordTypes } from "#/dns/wire/record.ts";
import { runProgram } from "#/std/process/run-program.ts";
import { systemClock } from "#/std/time/clock.ts";
import { exchange } from "#/testing/ask-dns.ts";
import { TestAuthority } from "#/testing/certificates.ts";
import { until } from "#/testing/until.ts";
import { decodeReply } from "./decode-message.ts";
import { namespaces, questions, services, slices } from "./objects.ts";

const programs = join(homedir(), ".cache/kube-conformance/reference/bin");
const directory = await mkdtemp(join(tmpdir(), "record-dns-"));
const kubeconfig = join(directory, "kubeconfig");
const [apiPort, dnsPort] = [16_443, 15_353];
const children: ReturnType<typeof spawn>[] = [];

try {
  await startServer();
  const items = [...namespaces.slice(1, 2), ...services, ...slices];
  await kubectl(JSON.stringify({ apiVersion: "v1", kind: "List", items }), "create", "-f", "-");
  await startCoreDns();
  const recorded: Record<string, object> = {};
  for (const { name, type } of questions) {
    const query = makeQuery(name, recordTypes[type as keyof typeof recordTypes]);
    const upstream = { host: "127.0.0.1", port: dnsPort };
    const reply = await exchange(upstream, query, { clock: systemClock, timeoutMs: 5000 });
    recorded[`${name} ${type}`] = decodeReply(reply);
  }
  const file = new URL("recorded/coredns.json", import.meta.url);
  await writeFile(file, `${JSON.stringify(recorded, undefined, 1)}\n`);
} finally {
  for (const child of children) child.kill();
  await rm(directory, { recursive: true });
}

async function startCoreDns(): Promise<void> {
  const corefile = `.:${dnsPort} {
    bind 127.0.0.1
    ready 127.0.0.1:18181
    kubernetes cluster.local in-addr.arpa ip6.arpa {
      kubeconfig ${kubeconfig}
      pods insecure
      ttl 30
    }
  }`;
  await writeFile(join(directory, "Corefile"), corefile);
  start(join(programs, "coredns"), ["-conf", join(directory, "Corefile")]);
  await untilReady("http://127.0.0.1:18181/ready");
}

async function startServer(): Promise<void> {
  const authority = await TestAuthority.create(directory);
  const { certFile, keyFile } = await authority.issue("localhost");
  await writeFile(join(directory, "tokens.csv"), "secret,admin,1,system:masters\n");
  const cluster = {
    server: `https://127.0.0.1:${apiPort}`,
    "certificate-authority": authority.caFile,
  };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user: { token: "secret" } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  start(process.execPath, [
    new URL("../../bin/kube-apiserver.ts", import.meta.url).pathname,
    `--data-dir=${join(directory, "data")}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=192.0.2.1",
    `--secure-port=${apiPort}`,
    `--token-auth-file=${join(directory, "tokens.csv")}`,
    `--tls-cert-file=${certFile}`,
    `--tls-private-key-file=${keyFile}`,
    "--service-cluster-ip-range=10.96.0.0/16,fd00:10:96::/112",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${keyFile}`,
    `--service-account-signing-key-file=${keyFile}`,
  ]);
  await until("the API server is ready", () =>
    kubectl("", "get", "--raw", "/readyz").catch(() => undefined),
  );
}

async function untilReady(url: string): Promise<void> {
  await until(`${url} is ready`, async () => (await fetch(url).catch(() => undefined))?.ok);
}

function start(program: string, args: readonly string[]): void {
  children.push(spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] }));
}

function kubectl(input: string, ...args: string[]): Promise<string> {
  return runProgram(join(programs, "kubectl"), [`--kubeconfig=${kubeconfig}`, ...args], input);
}
