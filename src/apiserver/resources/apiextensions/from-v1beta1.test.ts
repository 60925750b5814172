import assert from "node:assert/strict";
import { test } from "node:test";
import { fromV1beta1 } from "./from-v1beta1.ts";

const schema = { openAPIV3Schema: { type: "object" } };
const version = { name: "v1", served: true, storage: true };
const v1beta1 = (spec: object) =>
  fromV1beta1({ apiVersion: "apiextensions.k8s.io/v1beta1", spec: { ...spec } })["spec"];

for (const [name, before, after] of [
  [
    "what all versions have alike is in each of them",
    {
      group: "a",
      version: "v1",
      versions: [version, { ...version, name: "v2", storage: false }],
      validation: schema,
      subresources: { status: {} },
      additionalPrinterColumns: [{ name: "Age", type: "date", JSONPath: ".metadata.age" }],
      selectableFields: [{ jsonPath: ".spec.a" }],
      preserveUnknownFields: false,
    },
    {
      group: "a",
      versions: [{ ...version }, { ...version, name: "v2", storage: false }].map((one) => ({
        ...one,
        schema,
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: "Age", type: "date", jsonPath: ".metadata.age" }],
        selectableFields: [{ jsonPath: ".spec.a" }],
      })),
      preserveUnknownFields: false,
    },
  ],
  [
    "what differs is in its version already",
    { version: "v1", versions: [{ ...version, schema }], preserveUnknownFields: false },
    { versions: [{ ...version, schema }], preserveUnknownFields: false },
  ],
  [
    "a single version, of long ago",
    { version: "v1" },
    { versions: [version], preserveUnknownFields: true },
  ],
  [
    "a webhook",
    {
      version: "v1",
      versions: [version],
      conversion: {
        strategy: "Webhook",
        webhookClientConfig: { url: "https://a" },
        conversionReviewVersions: ["v1"],
      },
      preserveUnknownFields: false,
    },
    {
      versions: [version],
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a" }, conversionReviewVersions: ["v1"] },
      },
      preserveUnknownFields: false,
    },
  ],
] as const) {
  test(`fromV1beta1(): ${name}`, () => assert.deepEqual(v1beta1(before), after));
}
