import assert from "node:assert/strict";
import { test } from "node:test";
import { enabledFeatures } from "#/machinery/component/feature-gates.ts";
import { FlagError, parseFlags } from "#/std/flags/flags.ts";
import { apiServerFlags } from "./index.ts";
import { unusedFlagWarnings } from "./unused-flags.ts";
import { validateFlags } from "./validate-flags.ts";

function validate(...args: string[]) {
  const { values } = parseFlags(apiServerFlags, args);
  return validateFlags(values, enabledFeatures(values["feature-gates"]));
}

test("validateFlags() accepts the defaults of all flags", () => {
  assert.deepEqual(validate(), { emulation: 37, minCompatibility: 36 });
  assert.deepEqual(validate("--emulated-version=kube=1.37", "--min-compatibility-version=1.35"), {
    emulation: 37,
    minCompatibility: 35,
  });
});

const forward =
  "ServerRunOptions.EmulationForwardCompatible cannot be set to true if the emulation version is the same as the binary version";

// All except those that only we refuse were seen at kube-apiserver v1.37.1.
const refused: readonly (readonly [args: readonly string[], message: string])[] = [
  [
    ["--livez-grace-period=-1s", "--goaway-chance=1", "--request-timeout=-1s"],
    "[--livez-grace-period can not be a negative value, --request-timeout can not be negative value, --goaway-chance can not be less than 0 or greater than 0.02]",
  ],
  [
    ["--storage-backend=etcd2", "--storage-media-type=application/foo"],
    "[--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3', --storage-media-type \"application/foo\" invalid, allowed values: application/json, application/vnd.kubernetes.protobuf, application/yaml]",
  ],
  [
    ["--apiserver-count=0"],
    "--apiserver-count should be a positive number, but value '0' provided",
  ],
  [
    ["--emulated-version=1.30"],
    "[emulation version 1.30 is not between [1.34, 1.37.0], minCompatibilityVersion version 1.34 is not between [1.34, 1.30]]",
  ],
  [["--emulated-version=1.38"], "emulation version 1.38 is not between [1.34, 1.37.0]"],
  [["--emulated-version=abc"], 'could not parse "abc" as version'],
  [["--emulated-version=kube=1.37,foo=1.3"], "component not registered: foo"],
  [
    ["--emulated-version=1.36"],
    "emulation version 1.36 is not to be had: this server is 1.37 only",
  ],
  [
    ["--min-compatibility-version=1.30"],
    "minCompatibilityVersion version 1.30 is not between [1.34, 1.37]",
  ],
  [["--emulation-forward-compatible"], forward],
  [
    ["--etcd-servers-overrides=events#http://x"],
    "--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated",
  ],
  [
    ["--etcd-servers-overrides=/events#http://x;http://y"],
    "--etcd-servers-overrides can't be used: all resources are in one store",
  ],
  [
    ["--runtime-config=api/all=false"],
    "--runtime-config=api/all=false conflicts with --enable-priority-and-fairness=true",
  ],
  [
    ["--feature-gates=UnknownVersionInteroperabilityProxy=false", "--peer-ca-file=x"],
    "--peer-ca-file requires UnknownVersionInteroperabilityProxy feature to be turned on",
  ],
  [
    ["--coordinated-leadership-lease-duration=1s"],
    "--coordinated-leadership-lease-duration must be greater than --coordinated-leadership-renew-deadline",
  ],
];

for (const [args, message] of refused) {
  test(`validateFlags() refuses ${args.join(" ")}`, () => {
    assert.throws(() => validate(...args), new FlagError(message));
  });
}

test("unusedFlagWarnings() warns of flags without effect only", () => {
  const warnings = (...args: string[]) =>
    unusedFlagWarnings(parseFlags(apiServerFlags, args).values);
  assert.deepEqual(warnings("--profiling=false", "--storage-media-type=application/json"), []);
  assert.deepEqual(warnings("--watch-cache=false", "--contention-profiling"), [
    "--contention-profiling changes nothing: one thread serves all requests, and waits for no locks",
    "--watch-cache changes nothing: reads and watches are always served from memory",
  ]);
});
