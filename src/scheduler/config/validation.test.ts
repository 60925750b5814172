import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { formatFieldErrors } from "#/machinery/meta/field-error.ts";
import { plugins } from "../plugins/index.ts";
import { parseConfiguration } from "./load-configuration.ts";
import { validateConfiguration } from "./validate-configuration.ts";

/** Errors of upstream v1.37.1, recorded by tools/record-config. */
const { cases } = JSON.parse(
  readFileSync(new URL("recorded/validation.json", import.meta.url), "utf8"),
) as { cases: { given: string; says: string }[] };
const header = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

for (const { given, says } of cases) {
  test(`validateConfiguration() reports upstream's errors for ${JSON.stringify(given)}`, () => {
    const errors = validateConfiguration(parseConfiguration(header + given, plugins), plugins);
    assert.equal(errors.length === 0 ? "" : formatFieldErrors(errors), says);
  });
}
