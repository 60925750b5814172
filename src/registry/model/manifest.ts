import { isDigest } from "./names.ts";
import { RegistryError } from "./registry-error.ts";

/** Limit of a manifest (bytes), as the specification proposes it. */
export const maxManifestBytes = 4 << 20;

/** Limit of what a manifest refers to in one list (count): containerd has a label for each. */
const maxReferences = 1000;

interface Reference {
  readonly mediaType?: string;
  readonly digest: string;
  readonly size?: number;
}

/** What the registry reads of a manifest or an index. */
export interface ParsedManifest {
  readonly mediaType: string;
  readonly config: Reference | undefined;
  readonly layers: readonly Reference[];
  readonly manifests: readonly Reference[];
  readonly subject: Reference | undefined;
  readonly artifactType: string | undefined;
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

/** Layers of these types are not in registries. */
const isForeign = ({ mediaType = "" }: Reference): boolean =>
  /nondistributable|\.foreign\./.test(mediaType);

/** Parses a manifest; throws RegistryError. */
export function parseManifest(bytes: Buffer, contentType: string): ParsedManifest {
  const value = parsed(bytes);
  const own = value["mediaType"];
  if (typeof own === "string" && contentType !== "" && own !== contentType) {
    throw invalid(`its mediaType is ${own}, and the request's Content-Type ${contentType}`);
  }
  const mediaType = typeof own === "string" ? own : contentType;
  if (mediaType === "") throw invalid("it has no mediaType, and the request no Content-Type");
  const config = reference(value["config"], "config");
  const artifactType = value["artifactType"];
  return {
    mediaType,
    config,
    layers: references(value["layers"], "layers").filter((layer) => !isForeign(layer)),
    manifests: references(value["manifests"], "manifests"),
    subject: reference(value["subject"], "subject"),
    artifactType: typeof artifactType === "string" ? artifactType : config?.mediaType,
    annotations: isObject(value["annotations"]) ? annotationsOf(value["annotations"]) : undefined,
  };
}

/** The labels by which containerd keeps the content that a manifest refers to. */
export function gcLabels({ config, layers, manifests }: ParsedManifest): Record<string, string> {
  const labels: Record<string, string> = {};
  const prefix = "containerd.io/gc.ref.content";
  if (config) labels[`${prefix}.config`] = config.digest;
  for (const [index, { digest }] of layers.entries()) labels[`${prefix}.l.${index}`] = digest;
  for (const [index, { digest }] of manifests.entries()) labels[`${prefix}.m.${index}`] = digest;
  return labels;
}

function parsed(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    if (isObject(value)) return value;
  } catch {
    // The error below says it.
  }
  throw invalid("it is no JSON object");
}

function references(value: unknown, name: string): Reference[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(`${name} is no list`);
  if (value.length > maxReferences) {
    throw invalid(`${name} has ${value.length} items, and at most ${maxReferences} are possible`);
  }
  return value.flatMap((one) => reference(one, name) ?? []);
}

function reference(value: unknown, name: string): Reference | undefined {
  if (value === undefined || value === null) return undefined;
  const digest = isObject(value) ? value["digest"] : undefined;
  if (!isObject(value) || typeof digest !== "string" || !isDigest(digest)) {
    throw invalid(`${name} has no digest such as sha256:…`);
  }
  const { mediaType, size } = value;
  return {
    digest,
    ...(typeof mediaType === "string" ? { mediaType } : {}),
    ...(typeof size === "number" ? { size } : {}),
  };
}

const annotationsOf = (value: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );

const invalid = (problem: string): RegistryError =>
  new RegistryError("MANIFEST_INVALID", `the manifest can't be used: ${problem}`);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
