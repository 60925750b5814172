import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { enabledFeatures } from "#/machinery/component/feature-gates.ts";
import { asError } from "#/std/base/as-error.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { metricRules } from "#/std/metrics/metric-rules.ts";
import { managerFlags } from "./flags.ts";
import { requireFiles } from "./require-files.ts";
import { validateFlags } from "./validate-flags.ts";

/** The errors of upstream v1.37.1, recorded by tools/record-config. */
const { cases } = JSON.parse(
  readFileSync(new URL("recorded/validation.json", import.meta.url), "utf8"),
) as { cases: { given: string[]; says: string }[] };

for (const { given, says } of cases) {
  test(`validateFlags() has upstream's errors for ${given.join(" ") || "no flags"}`, () => {
    assert.equal(
      said(() => {
        const { values } = parseFlags(managerFlags, given);
        validateFlags(values, (name) => name !== "nope");
        metricRules(values);
        enabledFeatures(values["feature-gates"]);
      }),
      says,
    );
  });
}

test("requireFiles() requires the files of enabled controllers", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "manager-files-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const [absent, text] = [join(folder, "absent"), join(folder, "text")];
  writeFileSync(text, "no PEM");
  const check = (runs: boolean, ...args: string[]): string =>
    said(() => requireFiles(parseFlags(managerFlags, args).values, () => runs));
  assert.equal(
    check(true, `--root-ca-file=${absent}`),
    `error parsing root-ca-file at ${absent}: open ${absent}: no such file or directory`,
  );
  assert.equal(
    check(true, `--root-ca-file=${text}`),
    `error parsing root-ca-file at ${text}: data does not contain any valid RSA or ECDSA certificates`,
  );
  assert.equal(
    check(true, `--service-account-private-key-file=${absent}`),
    `error reading key for service account token controller: open ${absent}: no such file or directory`,
  );
  assert.equal(check(false, `--root-ca-file=${absent}`), "");
});

function said(run: () => void): string {
  try {
    run();
    return "";
  } catch (error) {
    return asError(error).message;
  }
}
