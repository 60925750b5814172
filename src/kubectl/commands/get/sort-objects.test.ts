import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Unstructured } from "../../base/unstructured.ts";
import { sortObjects, UnsortableError } from "./sort-objects.ts";

interface Recorded {
  readonly objects: Readonly<Record<string, readonly Unstructured[]>>;
  readonly cases: readonly {
    readonly text: string;
    readonly object: string;
    readonly output?: string;
    readonly error?: string;
  }[];
}

/** Written by tools/record-kubectl. */
const file = join(import.meta.dirname, "recorded/sort.json");
const { objects, cases } = JSON.parse(readFileSync(file, "utf8")) as Recorded;

function sorted(path: string, items: readonly Unstructured[]): { output?: string; error?: string } {
  try {
    const result = sortObjects(items, path, (item) => item);
    return { output: result.map(({ metadata }) => metadata?.name).join(" ") };
  } catch (error) {
    const { message } = error as Error;
    return { error: error instanceof UnsortableError ? `fatal: ${message}` : message };
  }
}

for (const name of Object.keys(objects)) {
  test(`sortObjects() sorts as upstream does: ${name}`, () => {
    const own = cases.filter(({ object }) => object === name);
    assert.ok(own.length > 0);
    assert.deepEqual(
      own.map(({ text }) => ({ text, object: name, ...sorted(text, objects[name] ?? []) })),
      own,
    );
  });
}
