/**
 * How long kubectl takes: ours and the real one, against the same API server (ours, in this process).
 *
 *   bench/kubectl.ts [--pods 5000] [--runs 9]
 *
 * Figures are medians of wall times, with the CPU time of the program beside them, which says more on a busy
 * machine. Needs GNU time, and the reference programs for comparison.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { namespaces, type Pod, pods, serviceAccounts } from "#/api/core/v1.ts";
import { type KubectlServer, startKubectlServer } from "../test/kubectl/start-server.ts";

const { values } = parseArgs({
  options: {
    pods: { type: "string", default: "5000" },
    runs: { type: "string", default: "9" },
  },
});
const [count, runs] = [Number(values.pods), Number(values.runs)];
const atOnce = 20;

const ours = [fileURLToPath(new URL("../k8ts", import.meta.url)), "kubectl"];
const upstream = [join(homedir(), ".cache/kube-conformance/reference/bin/kubectl")];
const commands = [["--help"], ["get", "pods", "-n", "few"], ["get", "pods", "-A"]];

await using server = await startKubectlServer();
for (const namespace of ["few", "many"]) {
  await server.client.create(namespaces, { metadata: { name: namespace } } as never);
  await server.client.create(serviceAccounts, {
    metadata: { namespace, name: "default" },
  } as never);
}
await createPods("few", 10);
await createPods("many", count);
for (const command of commands) {
  for (const [name, program] of [
    ["k8ts", ours],
    ["upstream", upstream],
  ] as const) {
    if (!existsSync(program[0] ?? "")) continue;
    const results: Run[] = [];
    // The first run fills the caches.
    await time(server, [...program, ...command]);
    for (let i = 0; i < runs; i++) results.push(await time(server, [...program, ...command]));
    const wall = median(results.map((result) => result.wall)).toFixed(0);
    const cpu = median(results.map((result) => result.cpu)).toFixed(0);
    process.stdout.write(
      `${command.join(" ").padEnd(20)} ${name.padEnd(9)} ${wall} ms, CPU ${cpu} ms\n`,
    );
  }
}

async function createPods(namespace: string, wanted: number): Promise<void> {
  const names = Array.from({ length: wanted }, (_, i) => `pod-${i}`);
  while (names.length > 0) {
    const batch = names.splice(0, atOnce);
    await Promise.all(batch.map((name) => server.client.create(pods, pod(namespace, name))));
  }
}

function pod(namespace: string, name: string): Pod {
  const containers = [
    { name: "app", image: "example.com/app:1.0", ports: [{ containerPort: 80 }] },
  ];
  return {
    metadata: { namespace, name, labels: { app: "web" } },
    spec: { containers },
  } as unknown as Pod;
}

interface Run {
  readonly wall: number;
  readonly cpu: number;
}

async function time({ home, folder }: KubectlServer, command: readonly string[]): Promise<Run> {
  const file = join(folder, "time");
  const began = performance.now();
  const child = spawn("time", ["-o", file, "-f", "%U %S", ...command], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, HOME: home, KUBECONFIG: join(home, ".kube", "config") },
  });
  await new Promise((resolve, reject) => child.once("error", reject).once("exit", resolve));
  const wall = performance.now() - began;
  const [user = 0, system = 0] = (await readFile(file, "utf8")).trim().split(" ").map(Number);
  return { wall, cpu: (user + system) * 1000 };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
