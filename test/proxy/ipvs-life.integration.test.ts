import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { until } from "#/testing/until.ts";
import { ApiNamespace, ourProxy } from "./api-namespace.ts";
import { playLife } from "./ipvs-life.ts";
import { proxyModes } from "./node-namespace.ts";

const options = proxyModes.find(({ mode }) => mode === "ipvs")?.options ?? { skip: false };

test("mode ipvs ends real servers with connections as the real one does", options, async () => {
  const file = new URL("recorded/ipvs-life.json", import.meta.url);
  const recorded = JSON.parse(await readFile(file, "utf8")) as Record<string, string[]>;
  await using api = await ApiNamespace.start();
  const steps: string[] = [];
  await playLife(api, ourProxy, async (step, list) => {
    steps.push(step);
    let found: readonly string[] = [];
    await until(`the servers are those of the real one: ${step}`, async () => {
      found = await list();
      return isDeepStrictEqual(found, recorded[step]);
    }).catch(() => assert.deepEqual(found, recorded[step], step));
  });
  assert.deepEqual(steps, Object.keys(recorded));
});
