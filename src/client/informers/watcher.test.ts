import assert from "node:assert/strict";
import { test } from "node:test";
import {
  badRequest,
  internalError,
  resourceExpired,
  tooLargeResourceVersion,
  tooManyRequests,
} from "#/machinery/meta/status-error.ts";
import {
  begin,
  initialState,
  requestFor,
  step,
  type WatcherInput,
  type WatcherState,
} from "./watcher.ts";

interface Thing {
  metadata: { uid?: string; resourceVersion: string; annotations?: Record<string, string> };
}
const thing = (uid: string, resourceVersion: string): Thing => ({
  metadata: { uid, resourceVersion },
});
const ended: WatcherInput<Thing> = { type: "ended" };
const failed = (error: unknown): WatcherInput<Thing> => ({ type: "failed", error });
const event = (
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK",
  object: Thing,
): WatcherInput<Thing> => ({ type: "event", event: { type, object } });
const initialEnd = (resourceVersion: string): WatcherInput<Thing> =>
  event("BOOKMARK", {
    metadata: { resourceVersion, annotations: { "k8s.io/initial-events-end": "true" } },
  });
const page = (items: Thing[], resourceVersion: string, token?: string): WatcherInput<Thing> => ({
  type: "page",
  list: { metadata: { resourceVersion, ...(token ? { continue: token } : {}) }, items },
});
const down = new Error("connection refused");

/** The requests and outputs of a watcher for these inputs, a line each. */
function transcript(inputs: readonly WatcherInput<Thing>[]): string[] {
  let state: WatcherState<Thing> = initialState;
  const lines: string[] = [];
  let asked: string | undefined;
  for (const input of inputs) {
    state = begin(state);
    const { type, options } = requestFor(state);
    const request = `${type} ${JSON.stringify(options)}`;
    if (request !== asked) lines.push(`${state.name}: ${request}`);
    asked = input.type === "event" ? request : undefined;
    const [next, output] = step(state, input);
    if (output?.type === "replaced") {
      const all = [...output.objects].map(({ metadata }) => metadata.uid);
      lines.push(`= ${all.join()} @${output.version}`);
      asked = `watch ${JSON.stringify({ resourceVersion: output.version })}`;
    }
    if (output?.type === "changed") {
      lines.push(`~ ${output.event.type} ${output.event.object.metadata.uid ?? ""}`.trimEnd());
      asked = `watch ${JSON.stringify({ resourceVersion: next.version })}`;
    }
    if (next.failures > 0 && input.type !== "event") lines.push(`wait ${next.failures}`);
    state = next;
  }
  return lines;
}

const streaming =
  'streaming: watch {"sendInitialEvents":true,"resourceVersionMatch":"NotOlderThan"}';
const streamingAt = (version: string): string =>
  `streaming: watch {"sendInitialEvents":true,"resourceVersionMatch":"NotOlderThan","resourceVersion":"${version}"}`;
const watchingAt = (version: string): string => `watching: watch {"resourceVersion":"${version}"}`;

const cases: readonly {
  readonly name: string;
  readonly inputs: readonly WatcherInput<Thing>[];
  readonly lines: readonly string[];
}[] = [
  {
    name: "holds initial objects until all have arrived, then reports changes",
    inputs: [
      event("ADDED", thing("a", "1")),
      event("ADDED", thing("b", "2")),
      event("MODIFIED", thing("a", "3")),
      event("DELETED", thing("b", "4")),
      initialEnd("4"),
      event("ADDED", thing("c", "5")),
      event("BOOKMARK", { metadata: { resourceVersion: "9" } }),
      ended,
      event("DELETED", thing("c", "10")),
    ],
    lines: [streaming, "= a @4", "~ ADDED c", "~ BOOKMARK", watchingAt("9"), "~ DELETED c"],
  },
  {
    name: "continues from the last version when the connection fails",
    inputs: [initialEnd("4"), failed(down), failed(down), event("ADDED", thing("a", "6")), ended],
    lines: [streaming, "=  @4", "wait 1", watchingAt("4"), "wait 2", watchingAt("4"), "~ ADDED a"],
  },
  {
    name: "lists again, at the newest version, when its version has expired",
    inputs: [
      initialEnd("4"),
      failed(resourceExpired("too old resource version")),
      initialEnd("90"),
    ],
    lines: [streaming, "=  @4", streaming, "=  @90"],
  },
  {
    name: "lists again when the server was restored to an earlier state",
    inputs: [
      initialEnd("40"),
      failed(resourceExpired("too old")),
      failed(down),
      failed(tooLargeResourceVersion(40, 7, 1)),
      initialEnd("7"),
    ],
    lines: [streaming, "=  @40", streaming, "wait 1", streaming, "wait 1", streaming, "=  @7"],
  },
  {
    name: "restarts when a stream of initial objects breaks off",
    inputs: [
      event("ADDED", thing("a", "1")),
      ended,
      event("ADDED", thing("b", "2")),
      initialEnd("2"),
    ],
    lines: [streaming, "wait 1", streaming, "= b @2"],
  },
  {
    name: "lists page by page if the server can't stream",
    inputs: [
      failed(badRequest("sendInitialEvents is forbidden")),
      page([thing("a", "1")], "7", "next"),
      failed(down),
      page([thing("b", "2")], "7"),
      event("ADDED", thing("c", "8")),
    ],
    lines: [
      streaming,
      'paging: list {"limit":500}',
      'paging: list {"limit":500,"continue":"next"}',
      "wait 1",
      'paging: list {"limit":500,"continue":"next"}',
      "= a,b @7",
      "~ ADDED c",
    ],
  },
  {
    name: "lists if the server can't stream at the time, and streams the next time",
    inputs: [
      failed(internalError(new Error("the required storage feature is disabled"))),
      failed(down),
      page([thing("a", "1")], "7"),
      failed(resourceExpired("too old resource version")),
      initialEnd("9"),
    ],
    lines: [
      streaming,
      'paging: list {"limit":500}',
      "wait 1",
      'paging: list {"limit":500}',
      "= a @7",
      streaming,
      "=  @9",
    ],
  },
  {
    name: "streams again later if the server has too many requests",
    inputs: [failed(tooManyRequests("try again later", 1)), initialEnd("4")],
    lines: [streaming, "wait 1", streaming, "=  @4"],
  },
  {
    name: "lists all at once when pages expire",
    inputs: [
      failed(badRequest("sendInitialEvents is forbidden")),
      page([thing("a", "1")], "7", "next"),
      failed(resourceExpired("the continue token has expired")),
      page([thing("a", "1"), thing("b", "9")], "9"),
    ],
    lines: [
      streaming,
      'paging: list {"limit":500}',
      'paging: list {"limit":500,"continue":"next"}',
      "paging: list {}",
      "= a,b @9",
    ],
  },
  {
    name: "backs off when a watch ends before its first event",
    inputs: [initialEnd("4"), ended, ended, ended],
    lines: [streaming, "=  @4", watchingAt("4"), "wait 1", watchingAt("4"), "wait 2"],
  },
];

for (const { name, inputs, lines } of cases) {
  test(`a watcher ${name}`, () => assert.deepEqual(transcript(inputs), lines));
}

test("a watcher that restarts does not go back to an older version", () => {
  const state: WatcherState<Thing> = { ...initialState, version: "12" };
  assert.equal(
    `streaming: watch ${JSON.stringify(requestFor(begin(state)).options)}`,
    streamingAt("12"),
  );
});
