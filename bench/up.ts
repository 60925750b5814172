/**
 * How long a cluster takes to start, what it uses when nobody asks anything of it, and how long a Pod takes to start
 * compared with the bare calls to the runtime. As root: node bench/up.ts. Makes a cluster of its own and removes it.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { webImage } from "../test/e2e/machine.ts";

const launcher = fileURLToPath(new URL("../k8ts", import.meta.url));
const name = "bench-up";
const folder = mkdtempSync(join(tmpdir(), "k8ts-bench-"));
const kubeconfig = join(folder, "kubeconfig");
const image = "k8ts.test/web:1";
const idleSeconds = 60;
const podRuns = 10;

const k8ts = (...args: string[]): string =>
  execFileSync(launcher, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const kubectl = (...args: string[]): string =>
  k8ts("kubectl", `--kubeconfig=${kubeconfig}`, ...args);
const sleep = (ms: number): void =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms) as never;

function timed(run: () => void): number {
  const began = performance.now();
  run();
  return (performance.now() - began) / 1000;
}

function until(holds: () => boolean): void {
  while (!holds()) sleep(50);
}

const pidOf = (part: string): string =>
  readFileSync(`/var/lib/k8ts-${name}/run/${part}.pid`, "utf8").split(" ")[0] ?? "";
const memoryMiB = (pid: string): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
/** Seconds of processor time so far. */
function processorSeconds(pid: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** From bound to running, as the Pod's own status tells, and the time of the runtime's calls for the same. */
function podStart(index: number): number {
  const pod = `p${index}`;
  const spec = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: pod },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "c", image }] },
  };
  const began = performance.now();
  spawnSync(launcher, ["kubectl", `--kubeconfig=${kubeconfig}`, "create", "-f", "-"], {
    input: JSON.stringify(spec),
  });
  kubectl("wait", "--for=condition=Ready", `pod/${pod}`, "--timeout=60s");
  const seconds = (performance.now() - began) / 1000;
  kubectl("delete", "pod", pod, "--wait=true");
  return seconds;
}

try {
  writeFileSync(join(folder, "web.tar"), webImage(image));
  const ready = timed(() => k8ts("up", "--name", name, "--kubeconfig", kubeconfig));
  const first = timed(() => {
    k8ts("image", "load", "--name", name, join(folder, "web.tar"));
    kubectl("run", "web", `--image=${image}`, "--port=80", "--expose");
    kubectl("wait", "--for=condition=Ready", "pod/web", "--timeout=60s");
    until(() => {
      const args = [
        "kubectl",
        `--kubeconfig=${kubeconfig}`,
        "exec",
        "web",
        "--",
        "nslookup",
        "web.default.svc.cluster.local",
      ];
      return spawnSync(launcher, args).status === 0;
    });
  });
  sleep(10_000);
  const parts = ["server", "agent"];
  const before = parts.map((part) => processorSeconds(pidOf(part)));
  sleep(idleSeconds * 1000);
  const idle = parts.map((part, index) => ({
    part,
    memoryMiB: Math.round(memoryMiB(pidOf(part))),
    corePercent: Number(
      (((processorSeconds(pidOf(part)) - (before[index] ?? 0)) / idleSeconds) * 100).toFixed(2),
    ),
  }));
  const starts = Array.from({ length: podRuns }, (_, index) => podStart(index));
  process.stdout.write(
    `${JSON.stringify({ upToNodeReadySeconds: ready, upToFirstPodWithDnsSeconds: ready + first, idle, podCreateToReadySeconds: median(starts) }, undefined, 2)}\n`,
  );
} finally {
  k8ts("down", "--name", name, "--purge");
  rmSync(folder, { recursive: true });
}
