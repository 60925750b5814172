import assert from "node:assert/strict";
import { test } from "node:test";
import { ParsedForms } from "./parsed-forms.ts";

function startForms(limitBytes: number) {
  const forms = new ParsedForms(limitBytes);
  const forgotten: string[] = [];
  const make = (name: string) => ({ forget: () => void forgotten.push(name) });
  return { forms, forgotten, make };
}

test("ParsedForms forgets what was not used for a generation", () => {
  const { forms, forgotten, make } = startForms(100);
  const [first, second, third] = [make("first"), make("second"), make("third")];
  forms.use(first, 60);
  forms.use(second, 60); // The generation ends.
  assert.equal(forms.generation, 1);
  forms.use(second, 60);
  forms.use(third, 60);
  assert.deepEqual(forgotten, ["first"]);
});

test("ParsedForms.drop() takes a form out: it neither counts nor is forgotten later", () => {
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
