import assert from "node:assert/strict";
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ContainerState } from "#/api/core/v1.ts";
import { systemClock } from "#/std/time/clock.ts";
import { loggedContainer } from "./log-status.ts";
import { type ReadLogOptions, readLog } from "./read-log.ts";
import { requestAttributes } from "./request-attributes.ts";
import { Routes } from "./routes.ts";

const attributes: [string, string, string, string[]][] = [
  ["GET", "/pods", "get", ["pods", "proxy"]],
  ["GET", "/stats/summary", "get", ["stats"]],
  ["GET", "/metrics/resource", "get", ["metrics"]],
  ["GET", "/logs/x", "get", ["log"]],
  ["POST", "/exec/a/b/c", "create", ["proxy"]],
  ["GET", "/healthz", "get", ["healthz", "proxy"]],
  ["GET", "/podsx", "get", ["proxy"]],
];
for (const [method, path, verb, subresources] of attributes) {
  test(`requestAttributes() of ${method} ${path}`, () => {
    const found = requestAttributes(method, path, "n");
    assert.deepEqual(
      found.map((one) => [one.verb, one.subresource, one.name]),
      subresources.map((one) => [verb, one, "n"]),
    );
  });
}

/** Routes of a kubelet without Pods. */
const noPods = new Routes({
  pods: { find: () => undefined, pods: () => [], allObserved: () => [] },
  cri: {},
  clock: systemClock,
  flagTexts: {},
  debugging: true,
  metrics: {},
} as never);

const methods = { POST: 404, GET: 405, HEAD: 405, PUT: 405, DELETE: 405 };
for (const [method, status] of Object.entries(methods)) {
  test(`Routes answers ${method} of /run for a missing Pod with ${status}`, async () => {
    const url = new URL("https://node/run/n/missing/c?cmd=id");
    await assert.rejects(noPods.answer({ method } as never, url), { status });
  });
}

const statuses: [string, ContainerState, ContainerState, boolean, string | RegExp][] = [
  ["runs", { running: {} }, {}, false, "x://now"],
  ["ended", { terminated: { exitCode: 0, containerID: "x://end" } }, {}, false, "x://end"],
  [
    "ran before",
    { waiting: {} },
    { terminated: { exitCode: 1, containerID: "x://old" } },
    false,
    "x://old",
  ],
  [
    "ran before",
    { running: {} },
    { terminated: { exitCode: 1, containerID: "x://old" } },
    true,
    "x://old",
  ],
  [
    "never ran before",
    { running: {} },
    {},
    true,
    /^Error: previous terminated container "c" in pod "p" not found$/,
  ],
  [
    "waits",
    { waiting: { reason: "ErrImagePull" } },
    {},
    false,
    /is waiting to start: image can't be pulled$/,
  ],
];
for (const [name, state, lastState, previous, expected] of statuses) {
  test(`loggedContainer() of one that ${name}`, () => {
    const status = {
      name: "c",
      state,
      lastState,
      containerID: "x://now",
      ready: true,
      restartCount: 0,
      image: "",
      imageID: "",
    };
    const find = () =>
      loggedContainer({ containerStatuses: [status] }, { pod: "p", container: "c", previous });
    if (typeof expected === "string") assert.equal(find(), expected);
    else assert.throws(find, expected);
  });
}

const log = [
  "2026-01-01T00:00:00.100000000Z stdout F one",
  "2026-01-01T00:00:01.200000000Z stderr P tw",
  "2026-01-01T00:00:01.300000000Z stderr F o",
  "2026-01-01T00:00:02.400000000Z stdout F three",
  "",
].join("\n");

const options: ReadLogOptions = {
  timestamps: false,
  sinceMs: 0,
  limitBytes: Number.POSITIVE_INFINITY,
  streams: new Set(["stdout", "stderr"] as const),
  tailLines: undefined,
  follow: false,
  clock: systemClock,
  signal: new AbortController().signal,
  isRunning: async () => false,
};

const reads: [string, Partial<ReadLogOptions>, string][] = [
  ["everything", {}, "one\ntwo\nthree\n"],
  ["the last line", { tailLines: 1 }, "three\n"],
  ["nothing", { tailLines: 0 }, ""],
  ["some bytes", { limitBytes: 5 }, "one\nt"],
  ["one stream", { streams: new Set(["stderr"] as const) }, "two\n"],
  ["what is new", { sinceMs: Date.parse("2026-01-01T00:00:02Z") }, "three\n"],
  ["times", { timestamps: true, tailLines: 1 }, "2026-01-01T00:00:02.400000000Z three\n"],
];
for (const [name, given, expected] of reads) {
  test(`readLog() reads ${name}`, async () => {
    const directory = await mkdtemp(join(tmpdir(), "k8ts-log-"));
    const path = join(directory, "0.log");
    await writeFile(path, log);
    assert.equal(await collect(path, { ...options, ...given }), expected);
    await rm(directory, { recursive: true });
  });
}

test("readLog() follows until the container ends", async () => {
  const directory = await mkdtemp(join(tmpdir(), "k8ts-log-"));
  const path = join(directory, "0.log");
  await writeFile(path, log);
  let asked = 0;
  const isRunning = async () => {
    asked += 1;
    if (asked === 1) await appendFile(path, "2026-01-01T00:00:09.1Z stdout F four\n");
    return asked < 2;
  };
  assert.equal(
    await collect(path, { ...options, tailLines: 1, follow: true, isRunning }),
    "three\nfour\n",
  );
  await rm(directory, { recursive: true });
});

async function collect(path: string, given: ReadLogOptions): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of readLog(path, given)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
