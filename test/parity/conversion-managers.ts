/** Writes of several managers in several versions of a custom resource that a webhook converts, and the results. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConversionReview } from "#/api/apiextensions/v1.ts";
import { TestAuthority } from "#/testing/certificates.ts";
import { until } from "#/testing/until.ts";
import { type WebhookAnswer, WebhookServer } from "#/testing/webhook-server.ts";
import type { Target } from "./reference.ts";

const groups = { Webhook: "conversion.example.com", None: "retyped.example.com" } as const;
type Strategy = keyof typeof groups;
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const pathOf = (strategy: Strategy): string => `${crds}/spans.${groups[strategy]}`;

/** One write: to which version, by which manager. */
interface Step {
  readonly verb: "apply" | "update" | "merge" | "json";
  readonly version: string;
  readonly manager: string;
  /** The fields besides apiVersion, kind and the name, or the operations of a JSON patch. */
  readonly body: object;
  readonly force?: boolean;
  readonly subresource?: string;
}

interface Scenario {
  readonly name: string;
  readonly steps: readonly Step[];
  /** The change of the definition after the first steps: its versions then, and which of them are served. */
  readonly afterwards?: {
    readonly versions: readonly VersionState[];
    readonly steps: readonly Step[];
  };
}

interface VersionState {
  readonly name: VersionName;
  readonly served: boolean;
}

type VersionName = keyof typeof fields;

/** The result of a step: its answer without values that differ from run to run. */
export interface Outcome {
  readonly name: string;
  readonly answers: readonly object[];
}

/** The one field that has another name in every version; v3 has it in a struct. */
const fields = { v1: "size", v2: "width", v3: "shape" } as const;

type Spec = Readonly<Record<string, unknown>>;

interface Span {
  readonly apiVersion: string;
  readonly spec?: Spec;
  readonly [field: string]: unknown;
}

/** The spec in another version: the field changes its name, and v3 keeps it in a struct; everything else stays. */
function convertSpec({ size, width, shape, ...rest }: Spec, version: string): Spec {
  const value = size ?? width ?? (shape as { length?: unknown } | undefined)?.length;
  if (value === undefined) return rest;
  const field = fields[version as VersionName];
  return { ...rest, [field]: version === "v3" ? { length: value } : value };
}

function convert(review: ConversionReview): WebhookAnswer {
  const { desiredAPIVersion = "", objects = [] } = review.request ?? {};
  const version = desiredAPIVersion.slice(desiredAPIVersion.indexOf("/") + 1);
  const convertedObjects = (objects as unknown as Span[]).map(({ spec, ...rest }) => ({
    ...rest,
    apiVersion: desiredAPIVersion,
    ...(spec ? { spec: convertSpec(spec, version) } : {}),
  }));
  const broken = convertedObjects.some(({ spec }) => spec?.["colour"] === "unconvertible");
  return broken
    ? {
        response: {
          convertedObjects: [],
          result: { status: "Failure", message: "no such colour" },
        },
      }
    : { response: { convertedObjects, result: { status: "Success" } } };
}

const text = { type: "string" };

function versionOf({ name, served }: VersionState): object {
  const field = name === "v3" ? { type: "object", properties: { length: text } } : text;
  const ports = {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    items: { type: "object", required: ["name"], properties: { name: text, port: text } },
  };
  const defaulted = name === "v2" ? { mode: { ...text, default: "wide" } } : { mode: text };
  const spec = {
    type: "object",
    properties: { [fields[name]]: field, colour: text, ports, ...defaulted },
  };
  const status = { type: "object", properties: { phase: text } };
  return {
    name,
    served,
    storage: name === "v1",
    subresources: { status: {} },
    schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } },
  };
}

const allVersions: readonly VersionState[] = (["v1", "v2", "v3"] as const).map((name) => ({
  name,
  served: true,
}));

const step =
  (verb: Step["verb"]) =>
  (version: string, manager: string, body: object, more: Partial<Step> = {}): Step => ({
    verb,
    version,
    manager,
    body,
    ...more,
  });
const apply = step("apply");
const update = step("update");
const merge = step("merge");
const jsonPatch = step("json");
const force = { force: true };

const base: readonly Scenario[] = [
  {
    name: "a field that another manager changes under its other name is taken",
    steps: [
      apply("v1", "one", { spec: { size: "1", colour: "red" } }),
      merge("v2", "two", { spec: { width: "2" } }),
      apply("v1", "one", { spec: { colour: "red" } }),
    ],
  },
  {
    name: "what an applier leaves out is removed, whatever it is called",
    steps: [
      apply("v1", "one", { spec: { size: "1", colour: "red" } }),
      apply("v2", "one", { spec: { colour: "red" } }),
      apply("v1", "one", { spec: { size: "3" } }),
      apply("v3", "one", { spec: { shape: { length: "3" } } }),
      apply("v2", "one", {}),
    ],
  },
  {
    name: "two appliers of the same value share a field across versions",
    steps: [
      apply("v1", "one", { spec: { size: "1" } }),
      apply("v2", "two", { spec: { width: "1" } }),
      apply("v1", "one", {}),
      apply("v2", "two", {}),
    ],
  },
  {
    name: "another value conflicts across versions, and force takes it",
    steps: [
      apply("v1", "one", { spec: { size: "1", colour: "red" } }),
      apply("v2", "two", { spec: { width: "2" } }),
      apply("v3", "three", { spec: { shape: { length: "2" }, colour: "blue" } }),
      apply("v2", "two", { spec: { width: "2" } }, force),
      apply("v3", "three", { spec: { shape: { length: "3" }, colour: "blue" } }, force),
      apply("v1", "one", { spec: { size: "1" } }),
    ],
  },
  {
    name: "a whole object is written in another version than it was applied in",
    steps: [
      apply("v2", "one", { spec: { width: "1", ports: [{ name: "a", port: "1" }] } }),
      update("v1", "two", { spec: { size: "1", ports: [{ name: "b", port: "2" }] } }),
      apply("v2", "one", { spec: { width: "1", ports: [{ name: "b", port: "3" }] } }),
      apply("v2", "one", { spec: { width: "4", ports: [{ name: "b", port: "3" }] } }, force),
    ],
  },
  {
    name: "items of a list are merged and removed across versions",
    steps: [
      apply("v1", "one", { spec: { ports: [{ name: "a", port: "1" }] } }),
      apply("v2", "two", { spec: { ports: [{ name: "b", port: "2" }] } }),
      apply("v3", "one", { spec: { ports: [{ name: "c", port: "3" }] } }),
      apply("v1", "two", { spec: {} }),
    ],
  },
  {
    name: "the status has managers of its own in each version",
    steps: [
      apply("v1", "one", { spec: { size: "1" } }),
      merge("v2", "two", { status: { phase: "up" } }, { subresource: "status" }),
      apply("v3", "three", { status: { phase: "down" } }, { subresource: "status" }),
      apply("v3", "three", { status: { phase: "down" } }, { subresource: "status", force: true }),
      merge("v1", "four", { metadata: { labels: { a: "b" } }, spec: { size: "2" } }),
    ],
  },
  {
    name: "managedFields that are taken away are tracked again from the next apply",
    steps: [
      apply("v1", "one", { spec: { size: "1", colour: "red" } }),
      jsonPatch("v2", "two", [{ op: "replace", path: "/metadata/managedFields", value: [{}] }]),
      merge("v2", "two", { spec: { width: "2" } }),
      apply("v3", "three", { spec: { shape: { length: "3" } } }),
      apply("v3", "three", { spec: { shape: { length: "3" } } }, force),
    ],
  },
  {
    name: "an object that cannot be converted",
    steps: [
      apply("v2", "one", { spec: { width: "1" } }),
      merge("v1", "two", { spec: { colour: "unconvertible" } }),
      merge("v1", "three", { spec: { size: "2" } }),
      apply("v1", "four", { spec: { size: "3" } }, force),
      merge("v1", "five", { spec: { colour: "red" } }),
    ],
  },
  {
    name: "a configuration that makes the object unconvertible",
    steps: [
      apply("v2", "one", { spec: { width: "1" } }),
      apply("v1", "two", { spec: { colour: "unconvertible" } }),
      apply("v1", "one", { spec: { colour: "unconvertible" } }),
      apply("v1", "one", { spec: { colour: "red" } }),
    ],
  },
  {
    name: "managers of a version that is not served any more",
    steps: [
      apply("v3", "one", { spec: { shape: { length: "1" }, colour: "red" } }),
      merge("v2", "two", { spec: { mode: "narrow" } }),
    ],
    afterwards: {
      versions: [
        { name: "v1", served: true },
        { name: "v2", served: true },
        { name: "v3", served: false },
      ],
      steps: [
        merge("v1", "three", { spec: { size: "2" } }),
        apply("v1", "four", { spec: { colour: "blue" } }),
        apply("v2", "one", { spec: { width: "2" } }),
      ],
    },
  },
  {
    name: "managers of a version that is gone",
    steps: [
      apply("v3", "one", { spec: { shape: { length: "1" }, colour: "red" } }),
      merge("v2", "two", { spec: { mode: "narrow" } }),
    ],
    afterwards: {
      versions: [
        { name: "v1", served: true },
        { name: "v2", served: true },
      ],
      steps: [
        merge("v1", "three", { spec: { size: "2" } }),
        apply("v1", "four", { spec: { colour: "blue" } }),
        apply("v2", "one", { spec: { width: "2" } }),
        apply("v2", "one", { spec: { width: "2" } }, force),
        jsonPatch("v2", "two", [{ op: "replace", path: "/metadata/managedFields", value: [{}] }]),
        apply("v2", "one", { spec: { width: "2" } }),
      ],
    },
  },
];

/** Each with a webhook, and without conversion: there the versions' own fields get lost or cause errors. */
export const scenarios: readonly (Scenario & { readonly strategy: Strategy })[] = [
  ...base.map((scenario) => ({ ...scenario, strategy: "Webhook" as const })),
  ...base.map((scenario) => ({
    ...scenario,
    name: `${scenario.name} (without a webhook)`,
    strategy: "None" as const,
  })),
];

/** Runs every scenario against a server. */
export async function runScenarios(target: Target): Promise<Outcome[]> {
  const directory = await mkdtemp(join(tmpdir(), "conversion-managers-"));
  try {
    const authority = await TestAuthority.create(directory);
    const certificate = await authority.issue("webhook");
    const caBundle = (await readFile(authority.caFile)).toString("base64");
    await using server = await WebhookServer.start(certificate, convert);
    const webhook = {
      clientConfig: { url: server.url(), caBundle },
      conversionReviewVersions: ["v1"],
    };
    await send(target, "POST", crds, definition("Webhook", { webhook }));
    await send(target, "POST", crds, definition("None"));
    const outcomes: Outcome[] = [];
    for (const [index, scenario] of scenarios.entries()) {
      outcomes.push(await runScenario(target, scenario, `span-${index}`));
    }
    for (const strategy of ["Webhook", "None"] as const) {
      await send(target, "DELETE", pathOf(strategy));
    }
    return outcomes;
  } finally {
    await rm(directory, { recursive: true });
  }
}

function definition(strategy: Strategy, more: object = {}): object {
  const group = groups[strategy];
  return {
    metadata: { name: `spans.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "spans", kind: "Span" },
      versions: allVersions.map(versionOf),
      conversion: { strategy, ...more },
    },
  };
}

async function runScenario(
  target: Target,
  { name, strategy, steps, afterwards }: (typeof scenarios)[number],
  object: string,
): Promise<Outcome> {
  const group = groups[strategy];
  await untilServed(target, group, allVersions);
  const answers: object[] = [];
  const run = async (list: readonly Step[]) => {
    for (const one of list) answers.push(await runStep(target, group, one, object));
  };
  await run(steps);
  if (afterwards) {
    await serveVersions(target, strategy, afterwards.versions);
    await run(afterwards.steps);
    await serveVersions(target, strategy, allVersions);
  }
  return { name, answers };
}

async function serveVersions(
  target: Target,
  strategy: Strategy,
  versions: readonly VersionState[],
): Promise<void> {
  const body = { spec: { versions: versions.map(versionOf) } };
  await send(target, "PATCH", pathOf(strategy), body, "application/merge-patch+json");
  await untilServed(target, groups[strategy], versions);
}

async function untilServed(
  target: Target,
  group: string,
  versions: readonly VersionState[],
): Promise<void> {
  await until("the versions are served", async () => {
    for (const { name } of allVersions) {
      const served = versions.some((version) => version.name === name && version.served);
      const answer = await target.send({ method: "GET", path: spans(group, name), headers: {} });
      if (answer.status !== (served ? 200 : 404)) return false;
    }
    return true;
  });
}

const spans = (group: string, version: string): string =>
  `/apis/${group}/${version}/namespaces/default/spans`;

const contentTypes = {
  apply: "application/apply-patch+yaml",
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  update: "application/json",
} as const;

async function runStep(target: Target, group: string, one: Step, name: string): Promise<object> {
  const { verb, version, manager, subresource, body } = one;
  const path = `${spans(group, version)}/${name}${subresource ? `/${subresource}` : ""}`;
  const query = `?fieldManager=${manager}${one.force ? "&force=true" : ""}`;
  const head = { apiVersion: `${group}/${version}`, kind: "Span" };
  let sent: object =
    Array.isArray(body) || verb === "merge" ? body : { ...head, metadata: { name }, ...body };
  if (verb === "update") {
    const { metadata } = (await send(target, "GET", path)) as { metadata: object };
    sent = { ...head, metadata, ...body };
  }
  const method = verb === "update" ? "PUT" : "PATCH";
  return withoutVarying(await send(target, method, `${path}${query}`, sent, contentTypes[verb]));
}

async function send(
  target: Target,
  method: string,
  path: string,
  body?: object,
  contentType = "application/json",
): Promise<object> {
  const { text: answer } = await target.send({
    method,
    path,
    headers: { "content-type": contentType, accept: "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return JSON.parse(answer) as object;
}

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
}

/** Entries are sorted by their times, which differ from run to run: here they are sorted by manager. */
function withoutVarying(answer: object): object {
  const stable = JSON.parse(
    JSON.stringify(answer, (key, value: unknown) =>
      varying.has(key) ? undefined : value,
    ).replaceAll(/ at \d{4}-[\d:TZ-]+/g, ""),
  ) as { metadata?: { managedFields?: Entry[] } };
  const key = ({ manager, operation, apiVersion }: Entry) =>
    `${manager} ${operation} ${apiVersion}`;
  stable.metadata?.managedFields?.sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return stable;
}

const varying = new Set(["time", "uid", "resourceVersion", "creationTimestamp"]);
