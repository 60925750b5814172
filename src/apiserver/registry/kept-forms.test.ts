import assert from "node:assert/strict";
import { test } from "node:test";
import { KeptForms } from "./kept-forms.ts";

function startForms(limitBytes: number) {
  const forgotten: string[] = [];
  const forms = new KeptForms<{ name: string }>(limitBytes, ({ name }) => forgotten.push(name));
  const make = (name: string) => ({ name });
  return { forms, forgotten, make };
}

test("KeptForms forgets forms that were not used for a generation", () => {
  const { forms, forgotten, make } = startForms(100);
  const [first, second, third] = [make("first"), make("second"), make("third")];
  forms.use(first, 60);
  forms.use(second, 60); // The generation ends.
  assert.equal(forms.generation, 1);
  forms.use(second, 60);
  forms.use(third, 60);
  assert.deepEqual(forgotten, ["first"]);
});

test("KeptForms.drop() removes a form: it neither counts nor is forgotten later", () => {
  const { forms, forgotten, make } = startForms(100);
  const dropped = make("dropped");
  for (let times = 0; times < 10; times++) {
    forms.use(dropped, 60);
    forms.drop(dropped);
  }
  assert.equal(forms.generation, 0);
  const usedBefore = make("used before");
  forms.use(usedBefore, 110);
  forms.drop(usedBefore);
  forms.use(make("last"), 110);
  assert.equal(forms.generation, 2);
  assert.deepEqual(forgotten, []);
});

test("KeptForms.use() counts a form that has grown once, with its new size", () => {
  const { forms, make } = startForms(100);
  const grown = make("grown");
  forms.use(grown, 60);
  assert.equal(forms.hasRoom(40), true);
  assert.equal(forms.hasRoom(41), false);
  forms.use(grown, 90);
  assert.equal(forms.hasRoom(10), true);
  assert.equal(forms.generation, 0);
});

test("KeptForms.endGeneration() forgets forms not used since the last call", () => {
  const { forms, forgotten, make } = startForms(100);
  const [idle, busy] = [make("idle"), make("busy")];
  forms.use(idle, 1);
  forms.use(busy, 1);
  forms.endGeneration();
  assert.deepEqual(forgotten, []);
  forms.use(busy, 1);
  forms.endGeneration();
  assert.deepEqual(forgotten, ["idle"]);
});
