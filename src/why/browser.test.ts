import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const src = fileURLToPath(new URL("..", import.meta.url));

/** Imports of values; those of types are gone once types are stripped. */
const valueImport = /^(?:import|export)\s+(?!type\b)(\{[^}]*\}|[^"]*)\s*from\s+"([^"]+)"/gm;

/** What Node has and a browser has not. */
const nodeGlobal = /\b(?:Buffer|process|setImmediate)\.\w+\(/g;

test("whyAll() and formatDiagnosis() run in a browser: nothing below them imports a Node module or a package", () => {
  const seen = new Set<string>();
  const foreign: string[] = [];
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const text = readFileSync(src + path, "utf8");
    const globals = text.match(nodeGlobal) ?? [];
    foreign.push(...globals.map((one) => `${path} uses ${one}`));
    for (const [, clause = "", specifier = ""] of text.matchAll(valueImport)) {
      const names = clause
        .replace(/[{}]/g, "")
        .split(",")
        .map((name) => name.trim());
      if (names.every((name) => name === "" || name.startsWith("type "))) continue;
      if (specifier.startsWith("#/")) visit(specifier.slice(2));
      else if (specifier.startsWith("."))
        visit(new URL(specifier, `file:///${path}`).pathname.slice(1));
      else foreign.push(`${path} imports ${specifier}`);
    }
  };
  visit("why/why-all.ts");
  visit("why/format.ts");
  assert.deepEqual(foreign, []);
  assert.ok(seen.size > 150, `${seen.size} modules were found`);
});
