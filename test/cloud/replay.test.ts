import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { cases } from "./cases.ts";
import type { CloudCase } from "./cloud-case.ts";
import { compareRecords, mutatingLines } from "./compare.ts";
import { InProcessProgram } from "./in-process-program.ts";
import { cloudConfig, kubeconfigOf, ourCommand, ProcessProgram } from "./programs.ts";
import { type CaseRecord, readRecords } from "./records.ts";
import { ReplayServer } from "./replay-server.ts";
import { type Outcome, readOutcome, runCase } from "./run-case.ts";
import { startApi } from "./start-api.ts";

process.env["AWS_ACCESS_KEY_ID"] = "test";
process.env["AWS_SECRET_ACCESS_KEY"] = "test";
process.env["AWS_EC2_METADATA_DISABLED"] = "true";

/** Cases that run at a time: most of their time is delays. */
const concurrency = 8;

const [upstream, ours] = [await readRecords("upstream"), await readRecords("ours")];

test("all cases are recorded, of both programs", () => {
  const names = cases.map(({ name }) => name).toSorted();
  assert.deepEqual([...upstream.keys()].toSorted(), names);
  assert.deepEqual([...ours.keys()].toSorted(), names);
});

for (const { name, differs } of cases) {
  test(`${name}: recorded as upstream's${differs ? `, but ${differs}` : ""}`, () => {
    const [theirs, own] = [upstream.get(name), ours.get(name)];
    assert.ok(theirs && own);
    const differences = compareRecords(theirs, own);
    if (differs === undefined) assert.deepEqual(differences, []);
    else assert.notDeepEqual(differences, [], "the case has a reason to differ, and does not");
  });
}

test("cases are replayed as they were recorded", { concurrency }, async (context) => {
  const replayed = cases.map((one) =>
    context.test(one.name, async () => {
      const recorded = ours.get(one.name);
      assert.ok(recorded);
      await replay(one, recorded);
    }),
  );
  await Promise.all(replayed);
});

async function replay(one: CloudCase, recorded: CaseRecord): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(new ReplayServer(recorded.calls));
  const config = cloudConfig(await server.listen(), one.global ?? {});
  const { api, program } = restarts(one)
    ? await startProcess(stack, config)
    : await startHere(stack, config);
  stack.defer(() => program.stop());
  const { names, calls } = server;
  const callEc2 = () => Promise.resolve();
  const stage = { api, names, program, proxy: server, callEc2, calls, quietMs: 0 };
  await runCase(stage, one);
  // The event of a success comes before the status is written.
  const expected = comparable(recorded.outcome, one);
  let outcome = expected;
  const isReached = async () => {
    outcome = comparable(await readOutcome(stage), one);
    return isDeepStrictEqual(outcome, expected);
  };
  await until("the outcome is the recorded one", isReached, { limitMs: 10_000 }).catch(() => false);
  assert.deepEqual(server.unknown, []);
  assert.deepEqual(mutatingLines(calls), mutatingLines(recorded.calls));
  assert.deepEqual(server.missing, []);
  assert.deepEqual(outcome, expected);
}

async function startHere(stack: AsyncDisposableStack, config: string) {
  const api = stack.use(await startApiServer());
  return { api, program: new InProcessProgram(api, config) };
}

/** A program that is killed is a process of its own. */
async function startProcess(stack: AsyncDisposableStack, config: string) {
  const { api, url } = stack.use(await startApi());
  const directory = await mkdtemp(join(tmpdir(), "cloud-"));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const file = (name: string) => join(directory, name);
  const files = {
    kubeconfig: file("kubeconfig"),
    cloudConfig: file("cloud.conf"),
    log: file("log"),
  };
  await writeFile(files.kubeconfig, JSON.stringify(kubeconfigOf(url)));
  await writeFile(files.cloudConfig, config);
  return { api, program: new ProcessProgram(ourCommand(), files) };
}

function restarts({ steps }: CloudCase): boolean {
  return steps.some((step) => "restart" in step || step.killAfter);
}

/** After a start, nodes may be compared before or after Services are: then an event more. */
function comparable({ services, events }: Outcome, one: CloudCase): Outcome {
  const isComparable = (line: string) => !restarts(one) || !line.includes(" UpdatedLoadBalancer ");
  return { services, events: events.filter(isComparable) };
}
