import assert from "node:assert/strict";
import { test } from "node:test";
import { WaitingTexts } from "./waiting-texts.ts";

const text = (mib: number) => ({ bytes: new Uint8Array(mib << 20) });

test("WaitingTexts gives owners turns, one text of each at a time", () => {
  const waiting = new WaitingTexts<{ bytes: Uint8Array }>();
  const [a1, a2, b] = [text(0), text(0), text(0)];
  for (const job of [a1, a2]) assert.ok(waiting.add("a", job));
  assert.ok(waiting.add("b", b));
  const first = waiting.take();
  assert.equal(first?.job, a1);
  const second = waiting.take();
  assert.equal(second?.job, b);
  assert.equal(waiting.take(), undefined);
  assert.equal(waiting.hasReady, false);
  first?.finish();
  assert.equal(waiting.take()?.job, a2);
});

test("WaitingTexts refuses texts over its limits", () => {
  const waiting = new WaitingTexts<{ bytes: Uint8Array }>();
  const first = text(3);
  assert.ok(waiting.add("a", first));
  for (let index = 0; index < 4; index++) assert.ok(waiting.add("a", text(3)));
  assert.equal(waiting.add("a", text(3)), false);
  assert.ok(waiting.remove("a", first));
  assert.equal(waiting.remove("a", first), false);
  assert.ok(waiting.add("a", text(3)));
  for (const owner of ["b", "c", "d"]) assert.ok(waiting.add(owner, text(16)));
  assert.equal(waiting.add("e", text(3)), false);
});
