import assert from "node:assert/strict";
import { test } from "node:test";
import { NewObject } from "./new-object.ts";
import { RecurringValue } from "./recurring-part.ts";
import { readShared } from "./shared.ts";

interface Sent {
  metadata: { name: string };
  spec?: { list: number[] };
}

test("NewObject.own() returns an object that shares nothing", () => {
  const origin = new RecurringValue({ list: [1] });
  const rest: Sent = { metadata: { name: "a" } };
  const sent = new NewObject(rest, "spec", origin);
  assert.equal(readShared(sent.shared).spec, origin.value);
  sent.meta.name = "b";
  const own = sent.own();
  assert.equal(sent.own(), own);
  own.spec?.list.push(2);
  assert.deepEqual(own, { metadata: { name: "b" }, spec: { list: [1, 2] } });
  assert.deepEqual(origin.value, { list: [1] });
});

test("NewObject does not compile as an object that may be changed", () => {
  const change = ({ spec }: Sent): void => void spec?.list.push(2);
  const sent = new NewObject<Sent>({ metadata: { name: "a" }, spec: { list: [1] } });
  /** Never called: the compiler refuses its statements. */
  const mistakes = (): void => {
    // @ts-expect-error: own() has to be called first.
    change(sent);
    // @ts-expect-error: a shared value is read-only.
    change(sent.shared);
  };
  assert.ok(mistakes);
  change(sent.own());
  assert.deepEqual(sent.own().spec, { list: [1, 2] });
});
