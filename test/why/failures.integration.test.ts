/**
 * Provokes failures on a cluster, all at once, and reads the first lines of `kubectl why`. Those that take minutes to
 * show are left out: `node test/why/failures.integration.test.ts --slow` has them.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { userKubectl } from "#/cluster/access/kubectl.ts";
import { systemClock } from "#/std/time/clock.ts";
import { until } from "#/testing/until.ts";
import { k8ts, webImage } from "../e2e/machine.ts";
import { type Failure, image } from "./failure.ts";
import { containerFailures } from "./failures/containers.ts";
import { controllerFailures } from "./failures/controllers.ts";
import { schedulingFailures } from "./failures/scheduling.ts";
import { serviceFailures } from "./failures/services.ts";
import { askedOf, manifestsOf } from "./provoke.ts";

const withSlow = process.argv.includes("--slow");
const failures: readonly Failure[] = [
  ...containerFailures,
  ...schedulingFailures,
  ...controllerFailures,
  ...serviceFailures,
].filter(({ isSlow }) => withSlow || !isSlow);

/** Of this run's own, so that two runs on a machine don't conflict. */
const cluster = `why-${process.pid.toString(36)}`;
const folder = mkdtempSync(join(tmpdir(), "k8ts-why-"));
const kubeconfig = join(folder, "kubeconfig");
/** Limit of the time (ms) in which a failure shows, on a busy machine. */
const limitMs = withSlow ? 300_000 : 120_000;
/** Pause (ms) between two looks: a look costs a few requests. */
const pauseMs = 250;

const kubectl = (args: readonly string[], input = "") =>
  userKubectl([`--kubeconfig=${kubeconfig}`, ...args], { input });

before(async () => {
  writeFileSync(join(folder, "web.tar"), webImage(image));
  await k8ts("up", "--name", cluster, "--kubeconfig", kubeconfig, "--disable=metrics-server");
  await k8ts("image", "load", "--name", cluster, join(folder, "web.tar"));
  const { code, err } = await kubectl(["create", "-f", "-"], manifestsOf(failures));
  assert.equal(code, 0, err);
  await Promise.all(failures.map(afterwards));
});

async function afterwards({ name, afterwards: commands = [] }: Failure): Promise<void> {
  for (const command of commands) {
    const { code, err } = await kubectl(["-n", name, ...command]);
    assert.equal(code, 0, err);
  }
}

after(async () => {
  await k8ts("down", "--name", cluster, "--purge");
  rmSync(folder, { recursive: true });
});

/** The first line of an answer and its exit code. */
async function ask(failure: Failure): Promise<{ readonly code: number; readonly line: string }> {
  const { code, out, err } = await kubectl(["-n", failure.name, "why", askedOf(failure)]);
  return { code, line: (out || err).split("\n")[0] ?? "" };
}

const isAnswer = ({ layer, says }: Failure, code: number, line: string): boolean =>
  says.test(line) &&
  (layer === "healthy" ? code === 0 : code === 1 && line.includes(`stuck at ${layer}: `));

for (const failure of failures) {
  test(`kubectl why names layer and cause: ${failure.name}`, async () => {
    let last = "";
    const look = async (): Promise<boolean> => {
      const { code, line } = await ask(failure);
      last = `exit code ${code}: ${line}`;
      if (isAnswer(failure, code, line)) return true;
      // Each look is a dozen requests: the cluster needs the processor.
      await systemClock.sleep(pauseMs);
      return false;
    };
    await until(failure.says.source, look, { limitMs }).catch(() => assert.fail(last));
  });
}

test("a user with few rights gets what is visible, and learns what is not", async () => {
  const as = ["--as=someone", "-n", "memory"];
  const granted = await kubectl([
    "-n",
    "memory",
    "create",
    "rolebinding",
    "view",
    "--clusterrole=view",
    "--user=someone",
  ]);
  assert.equal(granted.code, 0, granted.err);
  const { out, code } = await until("the role binding counts", async () => {
    const answer = await kubectl([...as, "why", "deployment/web"]);
    return answer.out !== "" && answer;
  });
  assert.match(out, /^deployment\/web in memory is stuck at scheduling: insufficient memory/);
  assert.match(out, /Not visible to you:\n {2}nodes: /);
  assert.equal(code, 1);
});

test("kubectl why lists what is stuck, and -o json has the findings", async () => {
  const survey = await kubectl(["-n", "crash", "why"]);
  assert.match(
    survey.out,
    /^1 object is stuck in namespace crash:\n\ndeployment\/web in crash is stuck at/,
  );
  assert.equal(survey.code, 1);
  const healthy = await kubectl(["-n", "healthy-service", "why"]);
  assert.match(healthy.out, /^Nothing is stuck in namespace healthy-service/);
  assert.equal(healthy.code, 0);
  const { out } = await kubectl(["-n", "selector", "why", "service/web", "-o", "json"]);
  const { state, findings } = JSON.parse(out);
  assert.deepEqual(
    [state, findings[0].cause, findings[0].layer],
    ["stuck", "selector-matches-nothing", "service"],
  );
});

test("an object that does not exist is an error, as kubectl's", async () => {
  const { code, err } = await kubectl(["why", "deployment/absent"]);
  assert.equal(err, 'Error from server (NotFound): deployments.apps "absent" not found\n');
  assert.equal(code, 1);
});

test("--wait prints the answer again when it changes, and ends when the object is healthy", async () => {
  const waiting = kubectl(["-n", "selector", "why", "service/web", "--wait", "--timeout=100s"]);
  await kubectl(["-n", "selector", "set", "selector", "service/web", "app=web"]);
  const { out, code } = await waiting;
  assert.match(out, /service\/web in selector is healthy: it has 1 ready endpoint/);
  assert.equal(code, 0);
});
