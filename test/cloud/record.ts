/**
 * Records the calls of a program in every case: `record.ts upstream|ours [FILTER|--missing]`; README.md says what it needs.
 */

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "#/std/time/clock.ts";
import { freePort } from "#/testing/free-port.ts";
import { cases } from "./cases.ts";
import type { CloudCase } from "./cloud-case.ts";
import { readFinalState } from "./final-state.ts";
import { cloudConfig, kubeconfigOf, ourCommand, ProcessProgram } from "./programs.ts";
import { RecordingProxy } from "./recording-proxy.ts";
import { type CaseRecord, digestOf, readRecords, writeRecords } from "./records.ts";
import { runCase } from "./run-case.ts";
import { ec2, seed, untilMotoAnswers } from "./seed.ts";
import { startApi } from "./start-api.ts";

const [side = "", filter = ""] = process.argv.slice(2);
if (side !== "upstream" && side !== "ours")
  throw new Error("usage: record.ts upstream|ours [FILTER]");
const command =
  side === "ours" ? ourCommand() : [process.env["AWS_CCM"] ?? "aws-cloud-controller-manager"];

/** Time (ms) without a call after which a program is done; retries come after 5 s. */
const quietMs = 700;

const motoPort = await freePort();
const moto = `http://127.0.0.1:${motoPort}`;
const motoServer = spawn(
  process.env["MOTO_SERVER"] ?? "moto_server",
  ["-H", "127.0.0.1", "-p", `${motoPort}`],
  { stdio: "ignore" },
);
try {
  await untilMotoAnswers(moto);
  const records = await readRecords(side);
  const isWanted = (name: string) =>
    filter === "--missing" ? !records.has(name) : name.includes(filter);
  for (const test of cases.filter(({ name }) => isWanted(name))) {
    const startMs = systemClock.monotonicMs();
    const record = await recordCase(test).catch((error: unknown) => `${error}`);
    const tookMs = Math.round(systemClock.monotonicMs() - startMs);
    if (typeof record === "string") {
      process.stdout.write(`${test.name}: FAILED ${record}\n`);
      continue;
    }
    records.set(test.name, record);
    await writeRecords(side, records);
    process.stdout.write(`${test.name}: ${record.calls.length} calls, ${tookMs} ms\n`);
  }
} finally {
  motoServer.kill();
}

async function recordCase(test: CloudCase): Promise<CaseRecord> {
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
  const program = new ProcessProgram(command, files);
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
