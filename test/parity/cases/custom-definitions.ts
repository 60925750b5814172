import type { Area, Case, Step } from "../case.ts";
import {
  crd,
  crds,
  type Json,
  names,
  object,
  schemaOf,
  tried,
  version,
} from "./custom-definition-bodies.ts";
import { parts, schemas } from "./custom-definition-schemas.ts";
import { create, merge, read } from "./steps.ts";

const meta: readonly Case[] = [
  tried("plain", crd()),
  tried("empty", { metadata: { name: "x" } }),
  tried("no spec names", crd({ names: {} })),
  tried("wrong name", crd({}, { name: "other.example.com" })),
  tried("group without dot", crd({ group: "example" }, { name: "things.example" })),
  tried("group empty", crd({ group: "" })),
  tried("group invalid", crd({ group: "Ex_ample.com" })),
  tried("scope missing", crd({ scope: undefined })),
  tried("scope unknown", crd({ scope: "Galaxy" })),
  tried(
    "names invalid",
    crd({
      names: {
        plural: "Things",
        singular: "th ing",
        kind: "Thing!",
        listKind: "1List",
        shortNames: ["T", "ok"],
        categories: ["all", "A"],
      },
    }),
  ),
  tried("kind equals list kind", crd({ names: { ...names, listKind: "Thing" } })),
  tried("no versions", crd({ versions: [] })),
  tried("versions missing", crd({ versions: undefined })),
  tried("two storage versions", crd({ versions: [version(), version({ name: "v2" })] })),
  tried("no storage version", crd({ versions: [version({ storage: false })] })),
  tried("duplicate versions", crd({ versions: [version(), version({ storage: false })] })),
  tried("version name invalid", crd({ versions: [version({ name: "V1" })] })),
  tried(
    "second version name invalid",
    crd({ versions: [version(), version({ name: "2", storage: false })] }),
  ),
  tried("no schema", crd({ versions: [version({ schema: undefined })] })),
  tried("empty schema", crd({ versions: [version({ schema: {} })] })),
  tried(
    "one schema of two",
    crd({ versions: [version(), version({ name: "v2", storage: false, schema: undefined })] }),
  ),
  tried("preserve unknown fields", crd({ preserveUnknownFields: true })),
  tried(
    "preserve unknown with defaults",
    crd({
      preserveUnknownFields: true,
      versions: [version({ schema: schemaOf(object({ a: { type: "string", default: "x" } })) })],
    }),
  ),
  tried("protected group", crd({ group: "{ns}.k8s.io" }, { name: "things.{ns}.k8s.io" })),
  tried(
    "protected group unapproved",
    crd(
      { group: "{ns}.k8s.io" },
      {
        name: "things.{ns}.k8s.io",
        annotations: { "api-approved.kubernetes.io": "unapproved, test" },
      },
    ),
  ),
  tried(
    "protected group approved",
    crd(
      { group: "{ns}.k8s.io" },
      {
        name: "things.{ns}.k8s.io",
        annotations: { "api-approved.kubernetes.io": "https://example.com/pull/1" },
      },
    ),
  ),
  tried(
    "protected group wrong annotation",
    crd(
      { group: "{ns}.kubernetes.io" },
      { name: "things.{ns}.kubernetes.io", annotations: { "api-approved.kubernetes.io": "yes" } },
    ),
  ),
  tried(
    "deprecation warning without deprecation",
    crd({ versions: [version({ deprecationWarning: "old" })] }),
  ),
  tried(
    "deprecation warning empty",
    crd({ versions: [version({ deprecated: true, deprecationWarning: "" })] }),
  ),
  tried(
    "deprecation warning long",
    crd({ versions: [version({ deprecated: true, deprecationWarning: "x".repeat(257) })] }),
  ),
  tried(
    "deprecation warning unprintable",
    crd({ versions: [version({ deprecated: true, deprecationWarning: "a\tb" })] }),
  ),
  tried("unknown field", { ...crd(), nonsense: 1 }),
  {
    name: "unknown field strict",
    steps: [create(crds, crd({ nonsense: 1 }), { query: "dryRun=All&fieldValidation=Strict" })],
  },
];

const webhook = (clientConfig: unknown, conversionReviewVersions?: unknown): Json => ({
  strategy: "Webhook",
  webhook: { clientConfig, conversionReviewVersions },
});

const conversions: readonly Case[] = (
  [
    ["conversion unknown", { strategy: "Magic" }],
    ["conversion empty", {}],
    [
      "conversion none with webhook",
      {
        strategy: "None",
        webhook: { clientConfig: { url: "https://x" }, conversionReviewVersions: ["v1"] },
      },
    ],
    ["conversion without webhook", { strategy: "Webhook" }],
    ["conversion without client config", webhook(undefined, ["v1"])],
    [
      "conversion url and service",
      webhook({ url: "https://x", service: { name: "a", namespace: "b" } }, ["v1"]),
    ],
    ["conversion neither", webhook({}, ["v1"])],
    ["conversion http", webhook({ url: "http://x/y" }, ["v1"])],
    ["conversion url with everything", webhook({ url: "https://u:p@x/y?q=1#f" }, ["v1"])],
    ["conversion url without host", webhook({ url: "https:///y" }, ["v1"])],
    ["conversion service empty", webhook({ service: {} }, ["v1"])],
    ["conversion service without name", webhook({ service: { namespace: "b" } }, ["v1"])],
    [
      "conversion service port",
      webhook({ service: { name: "a", namespace: "b", port: 70000 } }, ["v1"]),
    ],
    [
      "conversion service path",
      webhook({ service: { name: "a", namespace: "b", path: "x//Y/" } }, ["v1"]),
    ],
    [
      "conversion service",
      webhook({ service: { name: "a", namespace: "b", path: "/x" }, caBundle: "bm8=" }, ["v1"]),
    ],
    ["conversion without reviews", webhook({ url: "https://x" })],
    ["conversion unknown reviews", webhook({ url: "https://x" }, ["v9", "v9", "V"])],
    ["conversion reviews", webhook({ url: "https://x" }, ["v9", "v1beta1"])],
  ] as const
).map(([name, conversion]) => tried(name, crd({ conversion })));

const named = "{ns}.example.com";

const path = `${crds}/things.${named}`;

const settle = (step: Step): Step => ({ ...step, waitSeconds: 2 });

const lives: readonly Case[] = [
  {
    name: "is established",
    steps: [create(crds, crd()), settle(read(path)), { method: "DELETE", path }],
  },
  {
    name: "immutable fields",
    steps: [
      create(crds, crd()),
      settle(merge(path, { spec: { scope: "Cluster" } })),
      merge(path, { spec: { names: { kind: "Other", listKind: "OtherList" } } }),
      merge(path, { spec: { group: "x.example.com" } }),
      merge(path, { spec: { names: { plural: "others" } } }),
      merge(path, { spec: { versions: [version({ name: "v2" })] } }),
      merge(path, { spec: { versions: [version({ storage: false }), version({ name: "v2" })] } }),
      merge(path, { spec: { versions: [version({ name: "v2" })] } }),
      merge(`${path}/status`, { status: { storedVersions: ["v2"] } }),
      merge(path, { spec: { versions: [version({ name: "v2" })] } }),
      merge(path, { spec: { names: { shortNames: ["th"] } } }),
      settle(read(path)),
    ],
  },
  {
    name: "names in conflict",
    steps: [
      create(crds, crd()),
      settle(
        create(
          crds,
          crd(
            {
              names: {
                plural: "others",
                singular: "thing",
                kind: "Thing",
                listKind: "ThingList",
                shortNames: ["things"],
              },
            },
            { name: `others.${named}` },
          ),
        ),
      ),
      settle(read(`${crds}/others.${named}`)),
      { method: "DELETE", path },
      settle(read(`${crds}/others.${named}`)),
    ],
  },
  {
    name: "status of a protected group",
    steps: [
      create(
        crds,
        crd(
          { group: "{ns}.k8s.io" },
          {
            name: "things.{ns}.k8s.io",
            annotations: { "api-approved.kubernetes.io": "https://example.com/pull/1" },
          },
        ),
      ),
      settle(read(`${crds}/things.{ns}.k8s.io`)),
    ],
  },
  {
    name: "bad bundle",
    steps: [
      create(
        crds,
        crd({
          conversion: {
            strategy: "Webhook",
            webhook: {
              clientConfig: { url: "https://x", caBundle: "bm8=" },
              conversionReviewVersions: ["v1"],
            },
          },
        }),
      ),
      settle(read(path)),
    ],
  },
];

/** Definitions of custom resources: refused ones, and the results of the others. */
export const customDefinitions: Area = {
  name: "custom-definitions",
  cases: [...meta, ...conversions, ...schemas, ...parts, ...lives],
};
