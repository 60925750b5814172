import assert from "node:assert/strict";
import { test } from "node:test";
import { checkBareTables } from "./bare-tables.ts";

const type = "Readonly<Record<string, string>>";

test("checkBareTables() finds tables that inherit names", () => {
  const bare = `import "x";\nexport const verbs: ${type} = {\n  GET: "get",\n};\n`;
  const good = `const verbs: ${type} = table({\n  GET: "get",\n});\nconst none: ${type} = {};\n`;
  const find = (path: string, text: string) => checkBareTables([{ path, text }]);
  assert.deepEqual(
    find("src/apiserver/a.ts", bare).map(({ line }) => line),
    [2],
  );
  assert.deepEqual(find("src/apiserver/a.ts", good), []);
  assert.deepEqual(find("src/dns/a.ts", bare), []);
});
