import assert from "node:assert/strict";
import { test } from "node:test";
import { checkExports } from "./exports.ts";

const files = (texts: Record<string, string>) =>
  Object.entries(texts).map(([path, text]) => ({ path, text }));

test("checkExports() refuses exports that no other module uses", () => {
  const findings = checkExports(
    files({
      "bin/kubelet.ts": 'import { run } from "../src/kubelet/run.ts";',
      "src/kubelet/run.ts": `
import { used, type Shape as Form } from "./parts.ts";
export const { run, start } = command(used);
const { late } = await import("./late.ts");
const all = lazyModule<typeof import("./lazy.ts")>("./lazy.ts");
export { renamed as passed } from "./parts.ts";
`,
      "src/kubelet/parts.ts": `
export const used = 1;
export interface Shape {}
export interface Tested {}
export interface Private {}
export function tested() {}
export async function forgotten() {}
export class Seam {}
export class SeenAsType {}
const renamed = "export const text = 1";
export { renamed };
`,
      "src/kubelet/late.ts": "export function late() {}",
      "src/kubelet/lazy.ts": "export function lazy() {}",
      "src/kubelet/parts.test.ts":
        'import { Seam, type SeenAsType, type Tested, tested } from "./parts.ts";',
      "src/testing/aid.ts": "export const aid = 1;",
      "src/api/core/v1.ts": "export interface Pod {}",
    }),
    new Set(["src/kubelet/parts.ts#Seam"]),
  );
  assert.deepEqual(
    findings.map(({ path, line, message }) => `${path}:${line}: ${message}`),
    [
      "src/kubelet/run.ts:3: no other module uses the export start",
      "src/kubelet/run.ts:6: no other module uses the export passed",
      "src/kubelet/parts.ts:5: no other module uses the export Private",
      "src/kubelet/parts.ts:6: only tests use the export tested",
      "src/kubelet/parts.ts:7: no other module uses the export forgotten",
    ],
  );
});
