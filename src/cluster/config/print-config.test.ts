import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFlags } from "#/std/flags/flags.ts";
import { upFlags } from "../plan/up-flags.ts";
import { explainField } from "./explain-field.ts";
import { planConfig } from "./plan-config.ts";
import { printConfig } from "./print-config.ts";
import { readDocuments } from "./read-documents.ts";

test("printConfig() prints what planConfig() reads, with origins and without secrets", () => {
  const words = ["--nodes=2", "--timeout=90s", "--kubelet-arg=max-pods=5", "--disable=network"];
  const { values } = parseFlags(upFlags, words);
  const kept = { apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [] };
  const text = printConfig((flag) => ({ value: values[flag as "nodes"], origin: `of ${flag}` }), {
    Policy: kept,
    EncryptionConfiguration: { secret: "s3cr3t" },
  });
  assert.match(text, /^ {2}podCIDR: "10\.244\.0\.0\/16" # of pod-network-cidr$/m);
  assert.doesNotMatch(text, /s3cr3t/);
  const { args, documents, problems } = planConfig(readDocuments("f", text));
  assert.deepEqual(problems, []);
  assert.deepEqual(documents, { Policy: kept });
  const again = parseFlags(
    upFlags,
    args.map(({ word }) => word),
  );
  assert.deepEqual(again.values, values);
});

test("explainField() describes a field by its flag", () => {
  assert.equal(
    explainField("network.podCIDR"),
    "network.podCIDR <string>  --pod-network-cidr\n  Addresses of pods; of both families if a comma separates two networks. Default: 10.244.0.0/16.\n",
  );
  assert.match(explainField("runtime") ?? "", /^runtime\.name <string>/);
  assert.match(explainField("runtime") ?? "", /^runtime\.endpoint <string>/m);
  assert.equal(explainField("constructor"), undefined);
});
