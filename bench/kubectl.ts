/**
 * How long kubectl takes: ours and the real one, against the same API server (ours, in this process).
 *
 *   bench/kubectl.ts [--pods 5000] [--runs 9]
 *
 * Prints a table of medians of wall and CPU times, and of their ratios; that of the CPU says more on a busy machine.
 * Needs bash, and the reference programs for comparison.
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
/** GNU time would know of hundredths of seconds only. */
const timed = `exec 3>&2 2>"$0"; TIMEFORMAT="%3U %3S"; time "$@" 2>&3`;
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
const programs = [ours, upstream].filter(([file = ""]) => existsSync(file));
process.stdout.write(
  "| command | k8ts | upstream | wall | CPU |\n| --- | --- | --- | --- | --- |\n",
);
for (const command of commands) {
  const results = programs.map((): Run[] => []);
  // In turn, so that what else the machine does hits both; the first runs fill the caches.
  for (let i = 0; i <= runs; i++) {
    for (const [j, program] of programs.entries()) {
      const result = await time(server, [...program, ...command]);
      if (i > 0) results[j]?.push(result);
    }
  }
  const [own, other] = results.map((list) => ({
    wall: median(list.map((result) => result.wall)),
    cpu: median(list.map((result) => result.cpu)),
  }));
  const shown = (run: Run | undefined): string =>
    run ? `${run.wall.toFixed(0)} ms, CPU ${run.cpu.toFixed(0)} ms` : "-";
  const ratio = (part: keyof Run): string =>
    own && other ? `${(own[part] / other[part]).toFixed(2)} ×` : "-";
  process.stdout.write(
    `| ${command.join(" ")} | ${shown(own)} | ${shown(other)} | ${ratio("wall")} | ${ratio("cpu")} |\n`,
  );
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
  const child = spawn("bash", ["-c", timed, file, ...command], {
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
