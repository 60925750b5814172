import assert from "node:assert/strict";
import { test } from "node:test";
import { kubernetesEnvironment } from "./kubernetes/kubernetes-environment.ts";
import { schemaValue } from "./schema/schema-value.ts";
import { dynType } from "./type/cel-type.ts";

/**
 * Expressions that read a large object once for each of its entries. Costs are upstream's, and count such a read as 1,
 * whatever the size of the object.
 */
const expressions = [
  "object.data.all(k, object.data[k] != 'x')",
  "object.data.all(k, k in object.data)",
  "object.data.all(k, size(object.data) > 0)",
  "object.data.all(k, has(object.data.k5))",
  "object.items.all(i, type(object.data) == map)",
  "object.items.all(i, object.?data.hasValue())",
  "object.items.all(i, size(object.text) > 0)",
  "object.items.all(i, i != object.text)",
];

const environment = kubernetesEnvironment({ variables: { object: dynType } });
const texts = { type: "string" };
const schema = {
  type: "object",
  properties: {
    data: { type: "object", additionalProperties: texts },
    items: { type: "array", items: texts },
    text: texts,
  },
};

const entries = 32_000;
const parts = 4;
/** Limit of the growth of CPU time for four times the entries; linear is 4, quadratic 16. */
const maxGrowth = 8;
/** Evaluations faster than this (ms of CPU) are too short to compare. */
const noticedMs = 60;

const objectOf = (count: number) => ({
  data: Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"])),
  items: Array.from({ length: count }, (_, index) => `v${index}`),
  text: "x".repeat(count * 40),
});

function cpuMs(run: () => void): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

for (const expression of expressions) {
  for (const [form, wrap] of Object.entries({
    "an object without a schema": (object: object) => object,
    "an object with a schema": (object: object) => schemaValue(object, schema),
  })) {
    test(`Program.evaluate() takes linear time for ${form}: ${expression}`, () => {
      const program = environment.compile(expression);
      const evaluate = (count: number): number => {
        const object = wrap(objectOf(count));
        return cpuMs(() => assert.equal(program.evaluate({ object }).value, true));
      };
      const quarterMs = evaluate(entries / parts);
      const wholeMs = evaluate(entries);
      if (wholeMs < noticedMs) return;
      assert.ok(wholeMs < quarterMs * maxGrowth, `${wholeMs} ms, ${quarterMs} ms for a quarter`);
    });
  }
}
