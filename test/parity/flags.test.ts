import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { apiServerFlags } from "#/apiserver/flags/index.ts";
import { defaultValues, flagTexts } from "#/std/flags/flags.ts";

/**
 * The values of unset flags at /flagz of kube-apiserver v1.37.1; null for flags that it can't be started without,
 * and flags that it sets itself.
 */
const file = join(import.meta.dirname, "recorded/flags.json");

/** Flags that only our server has. */
const own = [
  "console",
  "console-oidc-client-id",
  "console-oidc-issuer-url",
  "console-oidc-scopes",
  "data-dir",
  "help",
  "journey",
  "journey-dir",
  "journey-traces",
  "version",
];

test("apiServerFlags are kube-apiserver's, with its defaults", async () => {
  const recorded = JSON.parse(await readFile(file, "utf8")) as Record<string, string | null>;
  const texts = flagTexts(apiServerFlags, defaultValues(apiServerFlags));
  const shown = Object.entries(texts)
    .filter(([name]) => !own.includes(name))
    .map(([name, text]) => [name, recorded[name] === null ? null : text]);
  assert.deepEqual(Object.fromEntries(shown), recorded);
});
