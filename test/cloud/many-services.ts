/**
 * Counts the calls of a program for many Services: `many-services.ts upstream|ours [COUNT]`; README.md says what it needs.
 * Half of the Services have a classic load balancer, half a network one. Then a node is added.
 */

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Service } from "#/api/core/v1.ts";
import { freePort } from "#/testing/free-port.ts";
import type { TestApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { serviceObject } from "./cloud-case.ts";
import { cloudConfig, flagsOf, kubeconfigOf, ourCommand, ProcessProgram } from "./programs.ts";
import { isMutating } from "./query-call.ts";
import { RecordingProxy } from "./recording-proxy.ts";
import { addNode, addServiceCidr } from "./run-case.ts";
import { seed, untilMotoAnswers } from "./seed.ts";
import { startApi } from "./start-api.ts";

const [side = "ours", count = "500"] = process.argv.slice(2);
const upstream = [process.env["AWS_CCM"] ?? "aws-cloud-controller-manager"];
const command = side === "ours" ? ourCommand() : upstream;
/** Limit of one wait (ms): moto answers slowly when it has much. */
const limitMs = 1_200_000;
let checks = 0;

await using stack = new AsyncDisposableStack();
const directory = await mkdtemp(join(tmpdir(), "cloud-"));
stack.defer(() => rm(directory, { recursive: true, force: true }));
const motoPort = await freePort();
const moto = `http://127.0.0.1:${motoPort}`;
const flags = ["-H", "127.0.0.1", "-p", `${motoPort}`];
const motoServer = spawn(process.env["MOTO_SERVER"] ?? "moto_server", flags, { stdio: "ignore" });
stack.defer(() => void motoServer.kill());
await untilMotoAnswers(moto);
const proxy = stack.use(new RecordingProxy(moto));
await seed(moto, proxy.names);
const port = await freePort();
await proxy.listen(port);
const { api, url } = stack.use(await startApi());
const files = {
  kubeconfig: join(directory, "kubeconfig"),
  cloudConfig: join(directory, "cloud.conf"),
  log: process.env["CLOUD_LOG"] ?? join(directory, "log"),
};
await writeFile(files.kubeconfig, JSON.stringify(kubeconfigOf(url)));
// A security group has 60 rules at most: with many load balancers, operators open it by hand.
const global = { DisableSecurityGroupIngress: "true" };
const config = cloudConfig(`http://127.0.0.1:${port}`, global);
await writeFile(files.cloudConfig, proxy.names.reveal(config));
const program = new ProcessProgram(command, files, flagsOf({}));
stack.defer(() => program.stop());
await addServiceCidr(api);
for (const node of ["i-1", "i-2", "i-3"]) await addNode({ api, names: proxy.names }, node, {});

const total = Number(count);
for (let index = 0; index < total; index++) await createService(api, index);
await program.start();
await until(
  "all Services have load balancers",
  () => seldom(async () => (await countReady(api)) === total),
  {
    limitMs,
  },
);
print("created");
const before = proxy.calls.length;
await addNode({ api, names: proxy.names }, "i-4", {});
const updated = () => countEvents(api, "UpdatedLoadBalancer");
await until(
  "all load balancers have the node",
  () => seldom(async () => (await updated()) >= total),
  {
    limitMs,
  },
);
print("node added", before);
process.stdout.write(`${side}: resident memory ${await residentMiB(program.pid)} MiB\n`);

async function createService(to: TestApiServer, index: number): Promise<void> {
  const lb = index % 2 === 0 ? {} : { type: "nlb" };
  const ports = [{ port: 80, nodePort: 30_100 + index }];
  const object = serviceObject({ name: `web-${index}`, lb, ports });
  const { status, text } = await to.call("POST", "/api/v1/namespaces/default/services", object);
  if (status >= 300) throw new Error(text);
}

/** Lists are long: one of a hundred checks reads them. */
async function seldom(check: () => Promise<boolean>): Promise<boolean> {
  return checks++ % 100 === 0 ? await check() : false;
}

async function countReady(from: TestApiServer): Promise<number> {
  const { json } = await from.call("GET", "/api/v1/services");
  return (json.items as Service[]).filter(({ status }) => status?.loadBalancer?.ingress?.length)
    .length;
}

async function countEvents(from: TestApiServer, reason: string): Promise<number> {
  const { json } = await from.call("GET", "/api/v1/events");
  return (json.items as { reason: string }[]).filter((event) => event.reason === reason).length;
}

function print(what: string, from = 0): void {
  const calls = proxy.calls.slice(from);
  const changes = calls.filter(isMutating).length;
  const counts = Object.entries(Object.groupBy(calls, ({ call }) => call))
    .map(([call, list = []]) => `${call} ${list.length}`)
    .toSorted();
  process.stdout.write(`${side}: ${what}: ${calls.length} calls, ${changes} of them changes\n`);
  process.stdout.write(`  ${counts.join(", ")}\n`);
}

async function residentMiB(pid: number | undefined): Promise<string> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const kib = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  return (kib / 1024).toFixed(0);
}
