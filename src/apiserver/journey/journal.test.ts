import assert from "node:assert/strict";
import { test } from "node:test";
import type { Step, StepObject } from "#/machinery/journey/step.ts";
import { formatMicroTime } from "#/machinery/time/time.ts";
import { placesOf } from "./find-journey.ts";
import { Journal } from "./journal.ts";
import { readSegments } from "./record-reader.ts";

const pod = (name: string, uid = `uid-${name}`): StepObject => ({
  resource: "pods",
  namespace: "a",
  name,
  uid,
});

const step = (of: StepObject, name: string, ms: number, rest: Partial<Step> = {}): Step => ({
  of,
  layer: "node",
  name,
  from: formatMicroTime(1_700_000_000_000 + ms),
  to: formatMicroTime(1_700_000_000_001 + ms),
  outcome: "ok",
  by: "system:node:n1",
  ...rest,
});

const podsOf = (namespace: string) => ({
  ...{ resource: "pods", isNamespaced: true },
  ...{ namespace, name: "" },
});

const namesOf = (journal: Journal, of: StepObject) =>
  journal.find(of)?.steps.map(({ name }) => name);

test("Journal returns steps as they were, whatever is in them", () => {
  const journal = new Journal(1 << 20);
  const odd = step(pod("a"), "拉取映像", 1, {
    message: "Überlauf \u0000 \ud83d\ude80",
    facts: { list: ["x".repeat(1900)], deep: { null: null } },
  });
  journal.addStep(odd);
  assert.deepEqual(journal.find(pod("a"))?.steps, [odd]);
});

test("Journal finds the newest object of a name, and older ones by their uid", () => {
  const journal = new Journal(1 << 20);
  journal.addStep(step(pod("web-0", "one"), "first", 1));
  journal.addStep(step(pod("web-1"), "other", 2));
  journal.addStep(step(pod("web-0", "two"), "second", 3));
  const { uid: _, ...named } = pod("web-0");
  assert.deepEqual(namesOf(journal, named), ["second"]);
  assert.deepEqual(journal.find(named)?.uids, ["two", "one"]);
  assert.deepEqual(namesOf(journal, pod("web-0", "one")), ["first"]);
  assert.equal(journal.find(pod("web-0", "three")), undefined);
  assert.equal(journal.find({ ...named, namespace: "b" }), undefined);
});

test("Journal shows the first steps of an object and the newest ones, and says how many it left out", () => {
  const journal = new Journal(4 << 20);
  for (let index = 0; index < 1000; index++) journal.addStep(step(pod("a"), `${index}`, index));
  const found = journal.find(pod("a"));
  const names = found?.steps.map(({ name }) => Number(name)) ?? [];
  assert.deepEqual([names.length, found?.dropped], [600, 400]);
  assert.deepEqual([names[0], names[199], names[200], names.at(-1)], [0, 199, 600, 999]);
});

test("Journal keeps within its limit with 10,000 Pods at once, and has the newest", async () => {
  const limit = 2 << 20;
  const journal = new Journal(limit);
  for (let index = 0; index < 10_000; index++) {
    for (const name of ["volumes", "sandbox", "start container"]) {
      journal.addStep(step(pod(`p${index}`), name, index));
    }
  }
  assert.ok(journal.sizeBytes <= limit + (300 << 10), String(journal.sizeBytes));
  assert.equal(journal.find(pod("p0")), undefined);
  assert.equal(journal.find(pod("p9999"))?.steps.length, 3);
  const listed = await journal.list(podsOf("a"), 3);
  assert.deepEqual(
    listed.map(({ of }) => of.name),
    ["p9999", "p9998", "p9997"],
  );
  assert.deepEqual(await journal.list(podsOf("b"), 3), []);
});

test("Journal gives a full segment to the files before it drops it", () => {
  const journal = new Journal(1);
  const parts: Uint8Array[] = [];
  using _saving = journal.onUnsaved((isFull) => {
    if (isFull) parts.push(...journal.takeUnsaved().map(({ bytes }) => bytes));
  });
  for (let index = 0; index < 10_000; index++) journal.addStep(step(pod(`p${index}`), "x", index));
  assert.equal(journal.find(pod("p0")), undefined);
  parts.push(...journal.takeUnsaved().map(({ bytes }) => bytes));
  const segments = [...readSegments(Buffer.concat(parts))];
  assert.equal(
    segments.reduce((sum, { count }) => sum + count, 0),
    10_000,
  );
});

test("Journal gives each byte to the files once, and they can be cut off anywhere", () => {
  const journal = new Journal(1 << 20);
  const parts: Uint8Array[] = [];
  for (let index = 0; index < 40; index++) {
    journal.addStep(step(pod(`p${index % 4}`), `s${index}`, index));
    if (index % 7 === 0) parts.push(...journal.takeUnsaved().map(({ bytes }) => bytes));
  }
  parts.push(...journal.takeUnsaved().map(({ bytes }) => bytes));
  assert.deepEqual(journal.takeUnsaved(), []);
  const file = Buffer.concat(parts);
  const stepsOf = (bytes: Buffer) =>
    [...readSegments(bytes)].flatMap((segment) =>
      placesOf(segment, pod("p1")).map((place) => place.read()?.step?.name),
    );
  const whole = stepsOf(file);
  assert.deepEqual(whole, ["s1", "s5", "s9", "s13", "s17", "s21", "s25", "s29", "s33", "s37"]);
  for (let length = 0; length < file.length; length += 3) {
    const found = stepsOf(file.subarray(0, length));
    assert.deepEqual(found, whole.slice(0, found.length));
  }
  const damaged = Buffer.concat([file.subarray(0, file.length >> 1), Buffer.alloc(500)]);
  assert.deepEqual(stepsOf(damaged), whole.slice(0, stepsOf(damaged).length));
});
