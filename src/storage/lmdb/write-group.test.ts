import assert from "node:assert/strict";
import { test } from "node:test";
import type { Expectation } from "../base/storage.ts";
import { storedVersion } from "./version.ts";
import { Versions } from "./versions.ts";
import { planGroup } from "./write-group.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);

/** A store with a=1 (revision 2) and b=1 (revision 3). */
function stateOf() {
  const versions = new Versions();
  for (const [index, key] of ["a", "b"].entries()) {
    const modRevision = index + 2;
    const fields = { key, modRevision, createRevision: modRevision, expiresAtMs: 0 };
    versions.append({ ...storedVersion(fields), previous: undefined });
  }
  return { versions, valueOf: () => bytes("1") };
}

const request = (key: string, value: string | undefined, expect: Expectation) => ({
  key,
  value: value === undefined ? undefined : bytes(value),
  expect,
  expiresAtMs: 0,
});

/** The plan as text: the outcome of each request, then the events. */
function textOf(requests: readonly ReturnType<typeof request>[]) {
  const { outcomes, events, versions } = planGroup(requests, stateOf());
  return {
    outcomes: outcomes.map((outcome) => {
      const { current } = outcome as { current?: { key: string; modRevision: number } };
      const found = outcome.done
        ? ""
        : ` (${current ? `${current.key}@${current.modRevision}` : "absent"})`;
      return `${outcome.done ? "done" : "refused"} at ${outcome.revision}${found}`;
    }),
    events: events.map((event) =>
      event.type === "put"
        ? `put ${event.entry.key}=${Buffer.from(event.entry.value)} ${event.entry.createRevision}-${event.entry.modRevision}`
        : `delete ${event.key} at ${event.revision}`,
    ),
    versions: versions.length,
  };
}

const cases = [
  {
    name: "creates an absent key",
    requests: [request("c", "2", "absent")],
    outcomes: ["done at 4"],
    events: ["put c=2 4-4"],
  },
  {
    name: "refuses to create an existing key",
    requests: [request("a", "2", "absent")],
    outcomes: ["refused at 3 (a@2)"],
    events: [],
  },
  {
    name: "replaces the expected version",
    requests: [request("a", "2", 2)],
    outcomes: ["done at 4"],
    events: ["put a=2 2-4"],
  },
  {
    name: "refuses to replace another version",
    requests: [request("a", "2", 9)],
    outcomes: ["refused at 3 (a@2)"],
    events: [],
  },
  {
    name: "lets the first of two writers win",
    requests: [request("a", "2", 2), request("a", "3", 2)],
    outcomes: ["done at 4", "refused at 4 (a@4)"],
    events: ["put a=2 2-4"],
  },
  {
    name: "decides each request on the result of those before it",
    requests: [request("a", undefined, 2), request("a", "2", "absent"), request("a", "3", 5)],
    outcomes: ["done at 4", "done at 5", "done at 6"],
    events: ["delete a at 4", "put a=2 5-5", "put a=3 5-6"],
  },
  {
    name: "writes nothing if there is nothing to delete",
    requests: [request("x", undefined, "any")],
    outcomes: ["done at 3"],
    events: [],
  },
] as const;

for (const { name, requests, outcomes, events } of cases) {
  test(`planGroup() ${name}`, () => {
    assert.deepEqual(textOf(requests), { outcomes, events, versions: events.length });
  });
}
