import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { lbAnnotations } from "#/cloud/aws/load-balancers/base/annotations.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { areas } from "./cases.ts";
import { type CloudCase, isPeriodic } from "./cloud-case.ts";
import { compareRecords, mutatingLines } from "./compare.ts";
import { InProcessProgram } from "./in-process-program.ts";
import { cloudConfig, flagsOf, kubeconfigOf, ourCommand, ProcessProgram } from "./programs.ts";
import type { RecordedCall } from "./recording-proxy.ts";
import { type CaseRecord, readRecords, type Side } from "./records.ts";
import { ReplayServer } from "./replay-server.ts";
import { type Outcome, readOutcome, runCase } from "./run-case.ts";
import { startApi } from "./start-api.ts";

process.env["AWS_ACCESS_KEY_ID"] = "test";
process.env["AWS_SECRET_ACCESS_KEY"] = "test";
process.env["AWS_EC2_METADATA_DISABLED"] = "true";

/** Cases that run at a time: most of their time is delays. */
const concurrency = 8;

const allCases = Object.values(areas).flat();
const upstream = await readAll("upstream");
const ours = await readAll("ours");

async function readAll(side: Side): Promise<Map<string, CaseRecord>> {
  const all = await Promise.all(Object.keys(areas).map((area) => readRecords(side, area)));
  return new Map(all.flatMap((records) => [...records]));
}

test("all cases are recorded, of both programs", () => {
  const namesOf = (cases: readonly CloudCase[]) => cases.map(({ name }) => name).toSorted();
  const compared = allCases.filter(({ isOwn }) => !isOwn);
  assert.deepEqual([...upstream.keys()].toSorted(), namesOf(compared));
  assert.deepEqual([...ours.keys()].toSorted(), namesOf(allCases));
});

test("each annotation that upstream knows is in a case", () => {
  const { addressType: _, targetType: __, ...known } = lbAnnotations;
  const text = JSON.stringify(allCases);
  const isUsed = (name: string) => text.includes(`"${name.replace(/.*aws-load-balancer-/, "")}"`);
  assert.deepEqual(
    Object.values(known).filter((name) => !isUsed(name)),
    [],
  );
});

for (const one of allCases.filter(({ isOwn }) => !isOwn)) {
  const { name, differs } = one;
  test(`${name}: recorded as upstream's${differs ? `, but ${differs}` : ""}`, () => {
    const [theirs, own] = [upstream.get(name), ours.get(name)];
    assert.ok(theirs && own);
    const differences = compareRecords(theirs, own, { isPeriodic: isPeriodic(one) });
    if (differs === undefined) assert.deepEqual(differences, []);
    else assert.notDeepEqual(differences, [], "the case has a reason to differ, and does not");
  });
}

for (const { name, endsAs } of allCases) {
  if (endsAs === undefined) continue;
  test(`${name}: AWS and the Service are in the end as in "${endsAs}"`, () => {
    const [killed, whole] = [ours.get(name), ours.get(endsAs)];
    assert.ok(killed && whole);
    assert.deepEqual(killed.outcome.services, whole.outcome.services);
    if (settings(killed) === settings(whole)) assert.equal(killed.state, whole.state);
  });
}

/** How often attributes of a classic load balancer were set: moto adds another one each time. */
const settings = ({ calls }: CaseRecord): number =>
  calls.filter(({ call }) => call === "elb:ModifyLoadBalancerAttributes").length;

test("cases are replayed as they were recorded", { concurrency }, async (context) => {
  const replayed = allCases.map((one) =>
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
  const { api, program } = needsProcess(one)
    ? await startProcess(stack, config, flagsOf(one))
    : await startHere(stack, config, flagsOf(one));
  stack.defer(() => program.stop());
  const { names, calls } = server;
  const callEc2 = () => Promise.resolve();
  const stage = { api, names, program, proxy: server, callEc2, calls, quietMs: 0 };
  await runCase(stage, one);
  // The event of a success comes before the status is written, and a node is gone before its tags are.
  const expected = comparable(recorded.outcome, one);
  let outcome = expected;
  const isReached = async () => {
    outcome = comparable(await readOutcome(stage, one), one);
    return isDeepStrictEqual(outcome, expected) && server.missing(isPeriodic(one)).length === 0;
  };
  await until("the outcome is the recorded one", isReached, { limitMs: 10_000 }).catch(() => false);
  assert.deepEqual(server.unknown, []);
  const lines = (made: readonly RecordedCall[]) => mutatingLines(made, isPeriodic(one));
  assert.deepEqual(lines(calls), lines(recorded.calls));
  assert.deepEqual(server.missing(isPeriodic(one)), []);
  assert.deepEqual(outcome, expected);
}

async function startHere(stack: AsyncDisposableStack, config: string, flags: readonly string[]) {
  const api = stack.use(await startApiServer());
  return { api, program: new InProcessProgram(api, config, flags) };
}

/** A program that is killed is a process of its own. */
async function startProcess(stack: AsyncDisposableStack, config: string, flags: readonly string[]) {
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
  return { api, program: new ProcessProgram(ourCommand(), files, flags) };
}

/** Each kind of kill is replayed with a real one; those by number, which are many, in this process. */
function needsProcess({ steps }: CloudCase): boolean {
  return steps.some(
    (step) => "restart" in step || (step.killAfter && step.killAfter.call !== "change"),
  );
}

function restarts({ steps }: CloudCase): boolean {
  return steps.some((step) => "restart" in step || step.killAfter);
}

/** After a start, nodes may be compared before or after Services are: then an event more. */
function comparable({ events, ...objects }: Outcome, one: CloudCase): Outcome {
  const isComparable = (line: string) => !restarts(one) || !line.includes(" UpdatedLoadBalancer ");
  return { ...objects, events: events.filter(isComparable) };
}
