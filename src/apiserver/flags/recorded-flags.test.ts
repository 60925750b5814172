import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { enabledFeatures } from "#/machinery/component/feature-gates.ts";
import { asError } from "#/std/base/as-error.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { metricRules } from "#/std/metrics/metric-rules.ts";
import { apiServerFlags } from "./index.ts";
import { validateFlags } from "./validate-flags.ts";

/** Output of kube-apiserver v1.37.1, recorded by tools/record-config. */
const { cases } = JSON.parse(
  readFileSync(new URL("recorded/validation.json", import.meta.url), "utf8"),
) as { cases: { given: string[]; says: string }[] };

for (const { given, says } of cases) {
  test(`kube-apiserver has the output of upstream's for ${given.join(" ") || "no flags"}`, () => {
    assert.equal(said(given), says);
  });
}

function said(args: readonly string[]): string {
  try {
    const { values } = parseFlags(apiServerFlags, args);
    validateFlags(values, enabledFeatures(values["feature-gates"]));
    metricRules(values);
    return "";
  } catch (error) {
    return asError(error).message;
  }
}
