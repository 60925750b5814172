import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { randomInt, seededRandom } from "#/std/base/random.ts";
import { systemClock } from "#/std/time/clock.ts";
import { CommandError } from "../base/errors.ts";
import type { Context } from "../command/context.ts";
import { buildKustomization } from "./build-kustomization.ts";
import { readResources } from "./resource/read-resources.ts";

/** Builds a tree of files. */
async function build(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "k8ts-hostile-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const context = {
      path: (path: string) => resolve(folder, path),
      err: { write: () => undefined },
      clock: systemClock,
    } as unknown as Context;
    return await buildKustomization(context, ".");
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A ConfigMap whose data doubles with every level. */
function bomb(levels: number): string {
  const lines = ["apiVersion: v1", "kind: ConfigMap", "metadata: {name: bomb}", "a0: &a0 [x, x]"];
  for (let i = 1; i <= levels; i++) lines.push(`a${i}: &a${i} [*a${i - 1}, *a${i - 1}]`);
  return `${lines.join("\n")}\n`;
}

test("buildKustomization() refuses a document that grows by aliases", async () => {
  const files = { "kustomization.yaml": "resources: [bomb.yaml]\n", "bomb.yaml": bomb(40) };
  await assert.rejects(build(files), /document contains excessive aliasing/);
});

test("buildKustomization() refuses an anchor that contains itself", async () => {
  const files = {
    "kustomization.yaml": "resources: [self.yaml]\n",
    "self.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: &d {x: *d}\n",
  };
  await assert.rejects(build(files), /value contains itself/);
});

test("buildKustomization() refuses brackets without end", async () => {
  const files = {
    "kustomization.yaml": "resources: [deep.yaml]\n",
    "deep.yaml": `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: ${"[".repeat(50_000)}\n`,
  };
  await assert.rejects(build(files), CommandError);
});

test("buildKustomization() refuses folders that lead to each other without end", async () => {
  const files: Record<string, string> = {};
  for (let i = 0; i < 250; i++) {
    const folder = i === 0 ? "" : `f${i}/`;
    files[`${folder}kustomization.yaml`] = `resources: [${i === 0 ? "" : "../"}f${i + 1}]\n`;
  }
  await assert.rejects(build(files), /more than 200 folders lead to/);
});

test("buildKustomization() accepts keys that are special in JavaScript", async () => {
  const files = {
    "kustomization.yaml": "resources: [a.yaml]\ncommonLabels: {__proto__: x, constructor: c}\n",
    "a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {__proto__: z}\n",
  };
  const built = await build(files);
  assert.match(built, /__proto__: z/);
  assert.match(built, /constructor: c/);
  assert.equal(({} as Record<string, unknown>)["z"], undefined);
});

test("buildKustomization() follows references of types to themselves to an end", async () => {
  const spec = { $ref: "t.Kind" };
  const properties = { kind: {}, apiVersion: {}, metadata: {}, spec };
  const files = {
    "kustomization.yaml": "resources: [a.yaml]\ncrds: [crd.json]\n",
    "a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
    "crd.json": JSON.stringify({ "t.Kind": { Schema: { properties } } }),
  };
  assert.match(await build(files), /name: a/);
});

test("readResources() throws nothing but command errors on any text", () => {
  const random = seededRandom(20260317);
  const pieces = ["apiVersion: v1", "kind: X", "\n", ": ", "- ", "{", "}", "[", "]", "&a ", "*a"];
  pieces.push(
    "!!int ",
    "'",
    '"',
    "|",
    ">",
    "---\n",
    "<<: ",
    "metadata: {name: a}",
    "  ",
    "\t",
    "#",
  );
  for (let run = 0; run < 3000; run++) {
    const length = 1 + randomInt(random, 12);
    const text = Array.from({ length }, () => pieces[randomInt(random, pieces.length)]).join("");
    try {
      for (const resource of readResources(text)) resource.toYaml();
    } catch (error) {
      assert.ok(error instanceof CommandError, `${JSON.stringify(text)}: ${String(error)}`);
    }
  }
});
