import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { asError } from "#/std/base/as-error.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { parseYaml } from "#/std/text/yaml.ts";
import { completeConfiguration } from "./configuration-defaults.ts";
import { kubeletFlags } from "./flags.ts";
import type { GivenConfiguration } from "./kubelet-configuration.ts";
import { validateConfiguration } from "./validate-configuration.ts";
import { validateNodeLabels } from "./validate-flags.ts";

/** Upstream v1.37.1's messages, recorded by tools/record-config. */
const { cases } = JSON.parse(
  readFileSync(new URL("recorded/validation.json", import.meta.url), "utf8"),
) as { cases: { given: string; says: string }[] };

for (const { given, says } of cases) {
  test(`validateConfiguration() has upstream's errors for ${JSON.stringify(given)}`, () => {
    const config = completeConfiguration((parseYaml(given) ?? {}) as GivenConfiguration);
    assert.equal(
      said(() => validateConfiguration(config)),
      says,
    );
  });
}

test("validateConfiguration() refuses unknown gates", () => {
  const config = completeConfiguration({ featureGates: { NoSuchGate: true } });
  assert.throws(() => validateConfiguration(config), /unrecognized feature gate: NoSuchGate/);
});

for (const [labels, problem] of [
  ["a=b", ""],
  ["node.kubernetes.io/x=y,foo.kubelet.kubernetes.io/x=y,kubernetes.io/arch=z", ""],
  ["node-role.kubernetes.io/worker=", "with --node-labels: [node-role.kubernetes.io/worker]\n"],
  ["x.k8s.io/b=c,kubernetes.io/a=b", "with --node-labels: [kubernetes.io/a x.k8s.io/b]\n"],
  ["a b=c", "invalid node labels: 'a b' - name part must consist of"],
  ["a=b c", "invalid node labels: 'b c' - a valid label must be"],
] as const) {
  test(`validateNodeLabels() ${problem === "" ? "takes" : "refuses"} ${labels}`, () => {
    const { values } = parseFlags(kubeletFlags, [`--node-labels=${labels}`]);
    const answer = said(() => {
      validateNodeLabels(values["node-labels"]);
      return [];
    });
    assert.ok(problem === "" ? answer === "" : answer.includes(problem), answer);
  });
}

function said(validate: () => string[]): string {
  try {
    const errors = validate();
    return errors.length > 1 ? `[${errors.join(", ")}]` : (errors[0] ?? "");
  } catch (error) {
    return asError(error).message;
  }
}
