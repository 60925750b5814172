import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { randomInt, seededRandom } from "#/std/base/random.ts";
import {
  makeCredentials,
  ours,
  type RunningContender,
} from "../../../bench/apiserver/contender.ts";
import {
  type HostileRequest,
  hostileRequests,
  listedMap,
  surroundings,
} from "./hostile-requests.ts";
import { meteredEnvironment, startTurnMeter } from "./start-turn-meter.ts";

/**
 * Requests that are long to serve, to a server of its own: other requests are served meanwhile, between the turns of the
 * event loop. Measured by the CPU time of the longest turn, as a ratio to work that takes the same server about 10 ms.
 */

/** Limit of a turn (about 100 ms): a request waits for the turn in which it arrives. Some of these took 14,000 ms before. */
const limit = 10;
/** A turn that is longer than that on every machine (ms of CPU). */
const longMs = 1000;
/** Objects in the lists. */
const listed = 500;
/** Limit of connections of the tests: each takes the server some milliseconds to open. */
const connections = 8;

/** Left to bench/apiserver/stalls.ts: they take seconds of the machine. */
const isLong = ({ name, copies = 1 }: HostileRequest): boolean =>
  (name.includes("YAML") && /250k|b: b:|100k|comment/.test(name)) || copies === 10;

/** Those that took longest; all of them are sent by bench/apiserver/stalls.ts. */
const isWorst = ({ name }: HostileRequest): boolean =>
  /90,000|judged|8,000 (owner|managed|ports)|forty at once|terms|JSON patch|OpenAPI|empty/.test(
    name,
  );
/** Number of the others that are sent. */
const sampled = 12;

/** The worst, and some of the others, in their order: later ones patch what earlier ones made. */
function chosenRequests(): HostileRequest[] {
  const short = hostileRequests.filter((request) => !isLong(request));
  const random = seededRandom(1);
  const others = short.filter((request) => !isWorst(request));
  const chosen = new Set(short.filter(isWorst));
  for (let count = 0; count < sampled; count++) {
    const [one] = others.splice(randomInt(random, others.length), 1);
    if (one) chosen.add(one);
  }
  return short.filter((request) => chosen.has(request));
}

const yaml = "application/yaml";
const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const harmless = "spec: {resourceAttributes: {verb: get}}\n";
const keys = (count: number) =>
  Array.from({ length: count }, (_, index) => `k${index}: v\n`).join("");

describe("a request that is long to serve", () => {
  let server: RunningContender;
  let agent: Agent;
  const folder = mkdtempSync(join(tmpdir(), "stalls-"));
  const meterSocket = join(folder, "meter");

  before(async () => {
    const credentials = makeCredentials(join(folder, "pki"));
    const { cert, key } = credentials.admin;
    const certificates = { cert: readFileSync(cert), key: readFileSync(key) };
    const limits = { keepAlive: true, maxSockets: connections };
    agent = new Agent({ ...limits, ...certificates, rejectUnauthorized: false });
    const directory = join(folder, "data");
    mkdirSync(directory);
    const env = meteredEnvironment(meterSocket);
    server = await ours().start({ directory, credentials, cpus: "", env });
    for (const [path, body] of surroundings) await create(path, body);
    for (let index = 0; index < listed; index++) {
      await create("/api/v1/namespaces/many/configmaps", listedMap(index));
    }
  });

  after(async () => {
    agent.destroy();
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  async function create(path: string, body: object): Promise<void> {
    const sent = { name: "", method: "POST", path, body: () => JSON.stringify(body) } as const;
    assert.equal(await send(sent, "admin"), 201, path);
  }

  /** The status of the answer. */
  function send(
    { method, path, type = "application/json", accept = "application/json", body }: HostileRequest,
    user: string,
  ): Promise<number> {
    return new Promise((done, fail) => {
      const headers = {
        "content-type": type,
        accept,
        ...(user === "admin" ? {} : { "impersonate-user": user }),
      };
      const options = { method, agent, headers };
      const outgoing = request(`${server.url}${path}`, options, (response) => {
        response.resume();
        response.once("end", () => done(response.statusCode ?? 0));
      });
      outgoing.on("error", fail);
      outgoing.end(body?.());
    });
  }

  const review = (body: string, user: string): Promise<number> =>
    send({ name: "", method: "POST", path: reviews, type: yaml, body: () => body }, user);

  for (const one of chosenRequests()) {
    test(`${one.name}: is served in short turns`, async () => {
      const body = one.body?.();
      const same = { ...one, ...(body === undefined ? {} : { body: () => body }) };
      const meter = await startTurnMeter(meterSocket);
      const copies = Array.from({ length: one.copies ?? 1 }, () => send(same, "tenant"));
      const statuses = await Promise.all(copies);
      const longest = await meter.stop();
      assert.ok(
        statuses.every((status) => status < 500),
        `answered ${statuses}`,
      );
      assert.ok(longest > 0 && longest < limit, `a turn took ${longest} times the same work`);
    });
  }

  test("a turn that is long is measured", async () => {
    const meter = await startTurnMeter(meterSocket);
    meter.compute(longMs);
    assert.equal(await review(harmless, "alice"), 201);
    const longest = await meter.stop();
    assert.ok(longest >= limit, `${longest} times the same work`);
  });

  test("a body of too many fields is refused with 413, in every form", async () => {
    for (const one of hostileRequests.filter(({ name }) =>
      /empty containers|keys as protobuf/.test(name),
    )) {
      const isSmall = one.name.startsWith("90,000");
      assert.equal(await send(one, "tenant"), isSmall ? 201 : 413, one.name);
    }
  });

  test("a user's YAML texts don't delay those of another user", async () => {
    const order: string[] = [];
    const large = Array.from({ length: 5 }, async () => {
      assert.equal(await review(keys(20_000) + harmless, "mallory"), 201);
      order.push("mallory");
    });
    assert.equal(await review(keys(1_000) + harmless, "alice"), 201);
    order.push("alice");
    await Promise.all(large);
    assert.ok(order.indexOf("alice") < 4, order.join(" "));
  });

  test("more YAML than one user may have waiting is refused with 429", async () => {
    // Each takes much longer to parse than to arrive, so they wait on a machine of any speed.
    const text = `#${"x".repeat(2_500_000)}\n${keys(20_000)}${harmless}`;
    const answers = await Promise.all(Array.from({ length: 9 }, () => review(text, "mallory")));
    assert.ok(answers.includes(429), answers.join(" "));
    assert.ok(answers.includes(201), answers.join(" "));
    assert.equal(await review(harmless, "mallory"), 201);
  });

  test("long turns are counted", async () => {
    const text = await new Promise<string>((done, fail) => {
      const outgoing = request(`${server.url}/metrics`, { agent }, async (response) => {
        done((await response.setEncoding("utf8").toArray()).join(""));
      });
      outgoing.on("error", fail).end();
    });
    assert.match(text, /# TYPE nodejs_eventloop_long_turns_total counter/);
  });
});
