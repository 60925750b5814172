/**
 * Provokes failures on a cluster, many at once, and reads the first lines of `kubectl why`. Those that take minutes to
 * show are left out: `node test/why/failures.integration.test.ts --slow` has them.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { userKubectl } from "#/cluster/access/kubectl.ts";
import { systemClock } from "#/std/time/clock.ts";
import { TestAuthority } from "#/testing/certificates.ts";
import { until } from "#/testing/until.ts";
import type { Diagnosis } from "#/why/base/finding.ts";
import { causes } from "#/why/causes/index.ts";
import { k8ts, webImage } from "../e2e/machine.ts";
import { type Failure, image, type Manifest } from "./failure.ts";
import { failures as all } from "./failures/index.ts";
import { oddImages } from "./odd-images.ts";
import { planted, plantedObjects } from "./planted.ts";
import { askedOf, manifestsOf, namespaceOf } from "./provoke.ts";
import { unprovoked } from "./unprovoked.ts";

const withSlow = process.argv.includes("--slow");
const failures = all.filter(({ isSlow }) => withSlow || !isSlow);

/** Of this run's own, so that two runs on a machine don't conflict. */
const cluster = `why-${process.pid.toString(36)}`;
const folder = mkdtempSync(join(tmpdir(), "k8ts-why-"));
const kubeconfig = join(folder, "kubeconfig");
/** Limit of the causes that were true only between two looks, or that only slow failures provoke (count). */
const maxMissed = withSlow ? 3 : 12;
/** Limit of the time (ms) in which a failure shows, on a busy machine. */
const limitMs = withSlow ? 300_000 : 200_000;
/** Limit of the failures that are provoked at once (count): a node takes 110 Pods. */
const atOnce = 60;
/** Failures that later tests ask about. */
const asked = new Set(["memory", "crash", "selector", "healthy-service"]);
/** Pause (ms) between two looks: a look costs a few requests. */
const pauseMs = 250;

const kubectl = (args: readonly string[], input = "") =>
  userKubectl([`--kubeconfig=${kubeconfig}`, ...args], { input });

/** The causes that answers have named, those besides the first included. */
const named = new Set<string>();
/** Failures that are provoked, or about to be. */
const provoked = new Map<Failure, Promise<void>>();
/** The number of failures that were provoked, but for the brief ones. */
let begun = 0;
let ca = "";
let registry: ChildProcess | undefined;

before(async () => {
  const images = [webImage(image), ...oddImages()].map((archive, index) => {
    const file = join(folder, `${index}.tar`);
    writeFileSync(file, archive);
    return file;
  });
  await k8ts("up", "--name", cluster, "--kubeconfig", kubeconfig, "--disable=metrics-server");
  await k8ts("image", "load", "--name", cluster, ...images);
  const authority = await TestAuthority.create(folder);
  ca = readFileSync(authority.caFile, "utf8");
  registry = await startBadRegistry(authority);
});

/** Provokes the failures up to a number: some at once, so that the node has room for their Pods. */
function provokeUpTo(end: number): void {
  for (const failure of failures.slice(begun, end)) if (!failure.isBrief) begin(failure);
  begun = Math.max(begun, end);
}

/** Begins to provoke a failure. */
function begin(failure: Failure): Promise<void> {
  const done = provoke(failure);
  // Its own test fails.
  done.catch(() => undefined);
  provoked.set(failure, done);
  return done;
}

async function provoke(failure: Failure): Promise<void> {
  const { name, afterwards = [] } = failure;
  const account = ["wait", "serviceaccount/default", "--for=create", "--timeout=100s"];
  await create(namespaceOf(failure));
  await run(["-n", name, ...account]);
  await create(manifestsOf(failure, ca));
  for (const step of afterwards) {
    if (isManifest(step)) await create(JSON.stringify(step), ["-n", name]);
    else await run(["-n", name, ...step]);
  }
}

/** Without validation by the client: sixty of them at once would load the server's whole OpenAPI. */
const create = (manifest: string, options: readonly string[] = []): Promise<void> =>
  run([...options, "create", "--validate=false", "-f", "-"], manifest);

async function run(args: readonly string[], input = ""): Promise<void> {
  const { code, err } = await kubectl(args, input);
  assert.equal(code, 0, err);
}

const isManifest = (step: readonly string[] | Manifest): step is Manifest => !Array.isArray(step);

/** Starts registries that fail, where the cluster's runtime reaches them. */
async function startBadRegistry(authority: TestAuthority): Promise<ChildProcess> {
  const { certFile, keyFile } = await authority.issue("registry");
  const program = join(import.meta.dirname, "bad-registry.ts");
  const child = spawn(
    "nsenter",
    [`--net=/run/netns/k8ts-${cluster}`, process.execPath, program, certFile, keyFile],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await once(child.stdout, "data");
  return child;
}

after(async () => {
  registry?.kill();
  await k8ts("down", "--name", cluster, "--purge");
  rmSync(folder, { recursive: true });
});

/** The first line of an answer and its exit code. */
async function ask(failure: Failure): Promise<{ readonly code: number; readonly line: string }> {
  const { code, out, err } = await kubectl(["-n", failure.name, "why", askedOf(failure), "-ojson"]);
  if (out === "") return { code, line: err };
  const { sentence, findings, context } = JSON.parse(out) as Diagnosis;
  for (const { cause } of [...findings, ...context]) named.add(cause);
  return { code, line: sentence };
}

const isAnswer = ({ layer, says }: Failure, code: number, line: string): boolean =>
  says.test(line) &&
  (layer === "healthy" ? code === 0 : code === 1 && line.includes(`stuck at ${layer}: `));

for (const [index, failure] of failures.entries()) {
  test(`kubectl why names layer and cause: ${failure.name}`, async () => {
    provokeUpTo(index + atOnce);
    await (provoked.get(failure) ?? begin(failure));
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
    if (!asked.has(failure.name))
      await kubectl(["delete", "namespace", failure.name, "--wait=false"]);
  });
}

test("every cause is provoked, but for those that a machine would have to be broken for", () => {
  const missing = causes.map(({ name }) => name).filter((name) => !named.has(name));
  const unexpected = missing.filter((name) => !(name in unprovoked));
  // Some are true for a moment only, while the runtime tries again: an answer may come before or after it.
  assert.ok(unexpected.length <= maxMissed, unexpected.join(", "));
  if (!withSlow) return;
  assert.deepEqual(
    Object.keys(unprovoked).filter((name) => named.has(name)),
    [],
  );
});

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
  assert.match(out, /^deployment\/web in memory is stuck at scheduling: .*insufficient memory/i);
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
  assert.equal(code, 2);
});

test("--wait prints the answer again when it changes, and ends when the object is healthy", async () => {
  const waiting = kubectl(["-n", "selector", "why", "service/web", "--wait", "--timeout=100s"]);
  await kubectl(["-n", "selector", "set", "selector", "service/web", "app=web"]);
  const { out, code } = await waiting;
  assert.match(out, /service\/web in selector is healthy: it has 1 ready endpoint/);
  assert.equal(code, 0);
});

test("no step of a journey has data of Secrets, values of variables or tokens", async () => {
  const namespace = "planted";
  const failure = { name: namespace, objects: plantedObjects, layer: "", says: /./ };
  await provoke(failure);
  const { out: token } = await kubectl(["-n", namespace, "create", "token", "default"]);
  const own = [`--token=${token.trim()}`, "-n", namespace];
  await kubectl([...own, "create", "configmap", "refused"]);
  const read = async (...args: string[]): Promise<string> => {
    const { out, err } = await kubectl(["-n", namespace, ...args]);
    return out + err;
  };
  for (const name of ["web", "talks", "pulls"]) {
    // The step that fails is among those that are looked at.
    await until(`a failed step of ${name}`, async () =>
      (await read("journey", `pod/${name}`, "-ojson")).includes('"outcome": "failed"'),
    );
  }
  const texts = [
    ...["-ojson", "--full", "--timeline", `--perfetto=${join(folder, "trace")}`].map((view) =>
      read("journey", "pod/web", view),
    ),
    ...["pod/talks", "pod/pulls", "secret/planted", "configmap/refused"].map((name) =>
      read("journey", name, "-ojson"),
    ),
    read("history", "secret/planted", "-oyaml"),
    ...["pods", "secrets", "configmaps", "serviceaccounts"].map((resource) => {
      const path = `/apis/journey.k8ts.dev/v1/namespaces/${namespace}/journeys`;
      return read("get", "--raw", `${path}?resource=${resource}`);
    }),
  ];
  const files = `/var/lib/k8ts-${cluster}/store/journey/steps`;
  const kept = readdirSync(files).map((file) => readFileSync(join(files, file), "latin1"));
  const all = [...(await Promise.all(texts)), readFileSync(join(folder, "trace"), "utf8"), ...kept];
  const values = [...Object.values(planted), token.trim().split(".")[1] ?? ""];
  for (const text of all) {
    for (const value of [...values, ...values.map((one) => Buffer.from(one).toString("base64"))]) {
      const at = text.indexOf(value);
      assert.equal(at, -1, text.slice(Math.max(0, at - 300), at + 100));
    }
  }
  assert.ok(kept.join("").includes("talks"));
});
