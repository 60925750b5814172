import assert from "node:assert/strict";
import { test } from "node:test";
import { parseYaml } from "./yaml.ts";

for (const { name, text, value } of [
  { name: "JSON", text: '{"a": [1, "b"]}', value: { a: [1, "b"] } },
  { name: "a mapping of YAML that looks like JSON", text: "{a: [1, b]}", value: { a: [1, "b"] } },
  { name: "YAML", text: "a:\n- 1\n- b\n", value: { a: [1, "b"] } },
  { name: "nothing", text: "", value: null },
]) {
  test(`parseYaml() reads ${name}`, () => assert.deepEqual(parseYaml(text), value));
}

test("parseYaml() throws if a text is neither", () => {
  assert.throws(() => parseYaml("{a: [1"), /Flow/);
});
