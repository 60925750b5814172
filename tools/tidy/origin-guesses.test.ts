import assert from "node:assert/strict";
import { test } from "node:test";
import { checkOriginGuesses } from "./origin-guesses.ts";

const cases: readonly { code: string; refused: boolean; path?: string }[] = [
  { code: "if (schema.name === undefined) return;", refused: true },
  { code: "const custom = target.schema.name !== undefined;", refused: true },
  { code: "if (this.#schema.name === undefined) return;", refused: true },
  { code: "if (root.name !== undefined) return;", refused: true },
  { code: "if (!target.schema.name) return;", refused: true },
  { code: 'if (reads && target.schema.name && !verbs["connect"]) return;', refused: true },
  { code: "return schema.name ? a : b;", refused: true },
  { code: 'return schema.name?.split(".") ?? [];', refused: false },
  { code: 'return this.ref(schema.name ?? "");', refused: false },
  { code: "if (schema.unstructured) return;", refused: false },
  { code: "if (field.name === undefined) return;", refused: false },
  { code: "// schema.name === undefined", refused: false },
  { code: "if (schema.name === undefined) x();", refused: false, path: "src/machinery/x.test.ts" },
];

for (const { code, refused, path = "src/apiserver/verbs/get.ts" } of cases) {
  test(`checkOriginGuesses() ${refused ? "refuses" : "allows"} ${code} in ${path}`, () => {
    const findings = checkOriginGuesses([{ path, text: `\n${code}` }]);
    assert.deepEqual(
      findings.map(({ line }) => line),
      refused ? [2] : [],
    );
  });
}
