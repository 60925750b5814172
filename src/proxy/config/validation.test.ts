import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { formatFieldErrors } from "#/machinery/meta/field-error.ts";
import { configurationFromFile } from "./configuration-from-file.ts";
import { validateConfiguration } from "./validate-configuration.ts";

/** The errors of upstream v1.37.1, recorded by tools/record-config. */
const { cases } = JSON.parse(
  readFileSync(new URL("recorded/validation.json", import.meta.url), "utf8"),
) as { cases: { given: string; says: string }[] };
const header = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n";

for (const { given, says } of cases) {
  test(`validateConfiguration() has upstream's errors for ${JSON.stringify(given)}`, () => {
    const errors = validateConfiguration(configurationFromFile(header + given));
    assert.equal(errors.length === 0 ? "" : formatFieldErrors(errors), says);
  });
}
