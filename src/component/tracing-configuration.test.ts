import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTracingConfiguration } from "./parse-tracing-configuration.ts";

const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\n";

for (const [text, expected] of [
  ["", { address: "http://localhost:4317", ratio: 0 }],
  [
    "endpoint: collector:4317\nsamplingRatePerMillion: 250000",
    { address: "http://collector:4317", ratio: 0.25 },
  ],
  ["endpoint: dns:///collector:99", { address: "http://collector:99", ratio: 0 }],
  ["endpoint: unix:///run/otel", { address: "unix:///run/otel", ratio: 0 }],
  ["endpoint: unix-abstract:///otel", { address: "unix-abstract:///otel", ratio: 0 }],
] as const) {
  test(`parseTracingConfiguration() reads ${JSON.stringify(text)}`, () => {
    assert.deepEqual(parseTracingConfiguration(head + text), expected);
  });
}

// Errors of kube-apiserver v1.37.1 for the same files.
for (const [text, message] of [
  [
    `${head}samplingRatePerMillion: -1\nendpoint: "a b"\n`,
    'failed to validate tracing configuration: [samplingRatePerMillion: Invalid value: -1: sampling rate must be positive, endpoint: Invalid value: "dns://a b": parse "dns://a b": invalid character " " in host name]',
  ],
  [
    "apiVersion: apiserver.k8s.io/v1beta1\nkind: Foo\n",
    'failed to read tracing config: unable to decode tracing configuration data: no kind "Foo" is registered for version "apiserver.k8s.io/v1beta1" in scheme "pkg/runtime/scheme.go:111"',
  ],
] as const) {
  test(`parseTracingConfiguration() refuses ${JSON.stringify(text)}`, () => {
    assert.throws(() => parseTracingConfiguration(text), { message });
  });
}
