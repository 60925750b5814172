/** Upstream: sigs.k8s.io/kustomize/api/internal/plugins/builtinconfig. */
import { lazily } from "#/std/base/lazily.ts";
import { KustomizeError, within } from "../failure/kustomize-error.ts";
import type { Loader } from "../files/loader.ts";
import { decodeShape } from "../kustomization/decode-shape.ts";
import { readYamlValue } from "../kustomization/read-yaml-value.ts";
import { transformerConfigShape } from "../kustomization/shapes.ts";
import { sameGvk } from "../resource/resource-id.ts";
import {
  commonAnnotations,
  commonLabels,
  images,
  nameReferences,
  names,
  namespaces,
  replicas,
  templateLabels,
  varReferences,
} from "./default-field-specs.ts";
import {
  type FieldSpec,
  fullGvk,
  mergeFieldSpecs,
  type NameReferences,
  sortByKind,
} from "./field-spec.ts";

const specFields = [
  ["namePrefix", "NamePrefix"],
  ["nameSuffix", "NameSuffix"],
  ["namespace", "NameSpace"],
  ["commonAnnotations", "CommonAnnotations"],
  ["commonLabels", "CommonLabels"],
  ["labels", "Labels"],
  ["templateLabels", "TemplateLabels"],
  ["varReference", "VarReference"],
  ["images", "Images"],
  ["replicas", "Replicas"],
] as const;

type SpecField = (typeof specFields)[number][0];

/** The fields that transformers change. */
export type TransformerConfig = {
  readonly [field in SpecField]: readonly FieldSpec[];
} & { readonly nameReference: readonly NameReferences[] };

export const emptyConfig: TransformerConfig = {
  namePrefix: [],
  nameSuffix: [],
  namespace: [],
  commonAnnotations: [],
  commonLabels: [],
  labels: [],
  templateLabels: [],
  varReference: [],
  images: [],
  replicas: [],
  nameReference: [],
};

const defaultConfig: TransformerConfig = sorted({
  ...emptyConfig,
  namePrefix: names,
  nameSuffix: names,
  namespace: namespaces,
  commonAnnotations,
  commonLabels,
  templateLabels,
  varReference: varReferences,
  images,
  replicas,
  nameReference: nameReferences,
});

function sorted(config: TransformerConfig): TransformerConfig {
  const entries = Object.entries(config).map(([name, list]) => [
    name,
    sortByKind<FieldSpec | NameReferences>(list),
  ]);
  return Object.fromEntries(entries) as unknown as TransformerConfig;
}

/** Merges two configurations. Throws if they contradict each other. */
export function mergeConfigs(left: TransformerConfig, right: TransformerConfig): TransformerConfig {
  if (right === emptyConfig) return left;
  if (left === emptyConfig && right === defaultConfig) return startingConfig();
  return merge(left, right);
}

/** The shared configuration of folders without configuration files. */
const startingConfig = lazily(() => merge(emptyConfig, defaultConfig));

function merge(left: TransformerConfig, right: TransformerConfig): TransformerConfig {
  const merged: Record<string, unknown> = {};
  for (const [field, title] of specFields) {
    try {
      merged[field] = mergeFieldSpecs(left[field], right[field]);
    } catch (error) {
      throw within(`failed to merge ${title} fieldSpec`, error);
    }
  }
  merged["nameReference"] = mergeReferences(left.nameReference, right.nameReference);
  return sorted(merged as unknown as TransformerConfig);
}

function mergeReferences(
  left: readonly NameReferences[],
  right: readonly NameReferences[],
): NameReferences[] {
  const merged = [...left];
  for (const added of right) {
    const index = merged.findIndex((each) => sameGvk(fullGvk(each), fullGvk(added)));
    const known = merged[index];
    if (!known) merged.push(added);
    else {
      try {
        const fieldSpecs = mergeFieldSpecs(known.fieldSpecs, added.fieldSpecs);
        merged[index] = { ...known, fieldSpecs };
      } catch (error) {
        throw within("failed to merge NameReference fieldSpec", error);
      }
    }
  }
  return merged;
}

/** The built-in configuration merged with that of files. */
export function loadTransformerConfig(loader: Loader, paths: readonly string[]): TransformerConfig {
  let config = defaultConfig;
  let own = emptyConfig;
  for (const path of paths) own = mergeConfigs(own, readConfig(loader.load(path)));
  config = mergeConfigs(config, own);
  return config;
}

function readConfig(bytes: Uint8Array): TransformerConfig {
  const value = readYamlValue(bytes);
  let decoded: Partial<TransformerConfig>;
  try {
    decoded = decodeShape(value, transformerConfigShape, { strict: true }) as typeof decoded;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new KustomizeError(`error unmarshaling JSON: while decoding JSON: ${message}`, {
      cause: error,
    });
  }
  return sorted({ ...emptyConfig, ...decoded });
}
