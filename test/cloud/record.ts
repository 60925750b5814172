/**
 * Records the calls of a program in every case: `record.ts upstream|ours [FILTER|--missing]`; README.md says what it needs.
 */

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { forEachParallel } from "#/std/async/for-each-parallel.ts";
import { systemClock } from "#/std/time/clock.ts";
import { freePort } from "#/testing/free-port.ts";
import { areas } from "./cases.ts";
import type { CloudCase } from "./cloud-case.ts";
import { readFinalState } from "./final-state.ts";
import { cloudConfig, flagsOf, kubeconfigOf, ourCommand, ProcessProgram } from "./programs.ts";
import { RecordingProxy } from "./recording-proxy.ts";
import { type CaseRecord, digestOf, readRecords, writeRecords } from "./records.ts";
import { runCase } from "./run-case.ts";
import { ec2, seed, untilMotoAnswers } from "./seed.ts";
import { startApi } from "./start-api.ts";

const [side = "", filter = ""] = process.argv.slice(2);
if (side !== "upstream" && side !== "ours")
  throw new Error("usage: record.ts upstream|ours [FILTER|--missing]");
const command =
  side === "ours" ? ourCommand() : [process.env["AWS_CCM"] ?? "aws-cloud-controller-manager"];

/** Time (ms) without a call after which a program is done; retries come after 5 s. */
const quietMs = 1500;

/** Cases that run at a time, each with its own moto: most of their time is delays. */
const concurrency = Number(process.env["CLOUD_JOBS"] ?? 3);

await using stack = new AsyncDisposableStack();
const free: string[] = [];
for (let count = 0; count < concurrency; count++) free.push(await startMoto(stack));
for (const area of Object.keys(areas)) await recordArea(area);

async function startMoto(owner: AsyncDisposableStack): Promise<string> {
  const port = await freePort();
  const program = process.env["MOTO_SERVER"] ?? "moto_server";
  const server = spawn(program, ["-H", "127.0.0.1", "-p", `${port}`], { stdio: "ignore" });
  owner.defer(() => void server.kill());
  const moto = `http://127.0.0.1:${port}`;
  await untilMotoAnswers(moto);
  return moto;
}

async function recordArea(area: string): Promise<void> {
  const cases = areas[area] ?? [];
  const found = await readRecords(side as "upstream" | "ours", area);
  const known = new Set(cases.map(({ name }) => name));
  const records = new Map([...found].filter(([name]) => known.has(name)));
  const isWanted = ({ name }: CloudCase) =>
    filter === "--missing" ? !records.has(name) : name.includes(filter);
  const wanted = cases.filter(isWanted);
  const record = async (test: CloudCase): Promise<void> => {
    const startMs = systemClock.monotonicMs();
    const moto = free.pop() ?? "";
    const made = await recordCase(test, moto).finally(() => free.push(moto));
    const tookMs = Math.round(systemClock.monotonicMs() - startMs);
    records.set(test.name, made);
    process.stdout.write(`${test.name}: ${made.calls.length} calls, ${tookMs} ms\n`);
  };
  await forEachParallel(wanted, concurrency, record, (error, { name }) => {
    process.stdout.write(`${name}: FAILED ${error}\n`);
  });
  if (wanted.length > 0) await writeRecords(side as "upstream" | "ours", area, records);
}

async function recordCase(test: CloudCase, moto: string): Promise<CaseRecord> {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "cloud-"));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const proxy = stack.use(new RecordingProxy(moto));
  await seed(moto, proxy.names);
  for (const { action, params } of test.prepare ?? []) {
    await ec2(moto, action, JSON.parse(proxy.names.reveal(JSON.stringify(params))));
  }
  const port = await freePort();
  await proxy.listen(port);
  const server = stack.use(await startApi());
  const files = {
    kubeconfig: join(directory, "kubeconfig"),
    cloudConfig: join(directory, "cloud.conf"),
    log: process.env["CLOUD_LOG"] ?? join(directory, "log"),
  };
  await writeFile(files.kubeconfig, JSON.stringify(kubeconfigOf(server.url)));
  const config = cloudConfig(`http://127.0.0.1:${port}`, test.global ?? {});
  await writeFile(files.cloudConfig, proxy.names.reveal(config));
  const program = new ProcessProgram(command, files, flagsOf(test));
  stack.defer(() => program.stop());
  const outcome = await runCase(
    {
      api: server.api,
      names: proxy.names,
      program,
      proxy,
      calls: proxy.calls,
      quietMs,
      callEc2: async (action, params) => {
        await ec2(moto, action, JSON.parse(proxy.names.reveal(JSON.stringify(params))));
      },
    },
    test,
  ).catch(async (error: unknown) => {
    const log = await readFile(files.log, "utf8").catch(() => "");
    throw new Error(`${error}\n${log.slice(-2000)}`);
  });
  const state = JSON.parse(proxy.names.hide(JSON.stringify(await readFinalState(moto))));
  const states = process.env["CLOUD_STATES"];
  const file = `${test.name.replaceAll(/[^a-z0-9]+/gi, "-")}.${side}.json`;
  if (states) await writeFile(join(states, file), JSON.stringify(state, undefined, 1));
  return { calls: proxy.recorded(0), outcome, state: digestOf(state) };
}
