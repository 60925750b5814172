import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { admissionPlugins } from "./index.ts";

interface Recorded {
  /** Upstream's plugins in its order. */
  readonly plugins: readonly { readonly name: string; readonly offByDefault?: boolean }[];
}

const file = join(import.meta.dirname, "recorded/plugins.json");
const { plugins: recorded } = JSON.parse(readFileSync(file, "utf8")) as Recorded;

test("admissionPlugins has upstream's plugins in its order, on by default as there", () => {
  const upstream = new Set(recorded.map(({ name }) => name));
  const show = ({ name, offByDefault }: Recorded["plugins"][number]) =>
    offByDefault ? `${name} (off)` : name;
  const own = admissionPlugins.filter(({ name }) => upstream.has(name));
  assert.deepEqual(own.map(show), recorded.map(show));
});

test("admissionPlugins has each name once", () => {
  const names = admissionPlugins.map(({ name }) => name);
  assert.deepEqual(names, [...new Set(names)]);
});
