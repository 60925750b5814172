import type { Facts } from "../../src/api/base/facts.ts";
import { checkOpenApi } from "./check-open-api.ts";
import { checkProtobuf } from "./check-protobuf.ts";
import type { ServedVersion } from "./discovery.ts";
import { expectedOpenApi } from "./expected-open-api.ts";
import type { FactsByFile } from "./facts-by-file.ts";
import type { ProtoField } from "./parse-proto.ts";
import { readGeneratedOpenApi } from "./read-generated-open-api.ts";
import { type PublishedKind, readOpenApi, readPublishedKinds } from "./read-open-api.ts";
import type { UpstreamFolders } from "./upstream.ts";

/** What the generator has read, each from its own source. */
export interface Sources {
  /** From the Go source. */
  readonly facts: FactsByFile;
  /** The messages of the .proto file beside each. */
  readonly messages: ReadonlyMap<string, ReadonlyMap<string, readonly ProtoField[]>>;
  /** From the discovery documents. */
  readonly served: readonly ServedVersion[];
}

/** Holds upstream's sources against each other, and throws a list of all differences if there is one. */
export function checkSources(
  upstream: UpstreamFolders,
  { facts, messages, served }: Sources,
): void {
  const expected = expectedOpenApi(facts);
  const problems = new Set([
    ...checkOpenApi(expected, readOpenApi(upstream)),
    ...checkOpenApi(expected, readGeneratedOpenApi(upstream)),
    ...[...messages].flatMap(([file, ofFile]) => checkProtobuf(facts, file, ofFile)),
    ...checkServed(facts, served),
    ...checkPublishedKinds(facts, readPublishedKinds(upstream)),
  ]);
  if (problems.size > 0)
    throw new Error(`upstream's sources do not agree:\n${[...problems].join("\n")}`);
}

/** Every kind of a resource or subresource must be registered in its group version. */
function checkServed(facts: FactsByFile, served: readonly ServedVersion[]): string[] {
  const registered = new Set([...facts.values()].flatMap(kindNames));
  const used = served.flatMap(({ resources }) =>
    resources.flatMap((resource) => [resource, ...resource.subresources]),
  );
  return used
    .map(({ group, version, kind }) => `${group}/${version} ${kind}`)
    .filter((name) => !registered.has(name))
    .map((name) => `discovery has ${name}, which is not registered`);
}

/** The kinds of OpenAPI must be registered; metav1's are in many group versions and are known by their package. */
function checkPublishedKinds(facts: FactsByFile, kinds: readonly PublishedKind[]): string[] {
  const registered = new Set([...facts.values()].flatMap(kindNames));
  return kinds
    .filter(({ definition }) => !definition.includes(".apis.meta."))
    .map(({ group, version, kind }) => `${group}/${version} ${kind}`)
    .filter((name) => !registered.has(name))
    .map((name) => `OpenAPI has ${name}, which is not registered`);
}

function kindNames({ group, version, kinds }: Facts): string[] {
  return kinds.map((kind) => `${group}/${version} ${kind}`);
}
