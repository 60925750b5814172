/** Upstream: sigs.k8s.io/kustomize/api/internal/target/kusttarget_configplugin.go. */
import { plainNumbers } from "#/machinery/patch/plain-numbers.ts";
import { type FieldSpec, mergeFieldSpecs } from "../config/field-spec.ts";
import type { TransformerConfig } from "../config/transformer-config.ts";
import { within } from "../failure/kustomize-error.ts";
import type {
  FieldSpecArgs,
  GeneratorArgs,
  GeneratorOptions,
  Kustomization,
  LabelArgs,
} from "../kustomization/kustomization.ts";

/** A built-in plugin and its configuration, for a field of a kustomization.yaml. */
export interface LoweredPlugin {
  readonly kind: string;
  /** Field names as upstream prints them in messages. */
  readonly config: unknown;
}

/** The generators for the fields of a kustomization. */
export function lowerGenerators(
  kustomization: Kustomization,
  parentNamespace: string,
): LoweredPlugin[] {
  const { configMapGenerator = [], secretGenerator = [], generatorOptions } = kustomization;
  const { helmCharts = [], helmGlobals, namespace } = kustomization;
  const withOptions = (args: GeneratorArgs): GeneratorArgs => {
    const options = mergeOptions(args.options, generatorOptions);
    return options ? { ...args, options } : args;
  };
  return [
    ...configMapGenerator.map((args) => ({
      kind: "ConfigMapGenerator",
      config: withOptions(args),
    })),
    ...secretGenerator.map((args) => ({ kind: "SecretGenerator", config: withOptions(args) })),
    ...helmCharts.map((chart) => {
      const place = chart.namespace || namespace || parentNamespace;
      const config = { ...helmGlobals, ...chart, ...(place && { namespace: place }) };
      return { kind: "HelmChartInflationGenerator", config: plainNumbers(config) };
    }),
  ];
}

function mergeOptions(
  own: GeneratorOptions | undefined,
  defaults: GeneratorOptions | undefined,
): GeneratorOptions | undefined {
  if (!defaults) return own;
  const labels = { ...defaults.labels, ...own?.labels };
  const annotations = { ...defaults.annotations, ...own?.annotations };
  return {
    ...own,
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ...(defaults.disableNameSuffixHash && { disableNameSuffixHash: true }),
    ...(defaults.immutable && { immutable: true }),
  };
}

/** The transformers for the fields of a kustomization, in the order in which they run. */
export function lowerTransformers(
  kustomization: Kustomization,
  config: TransformerConfig,
): LoweredPlugin[] {
  const { namespace, namePrefix, nameSuffix, commonAnnotations = {} } = kustomization;
  const { patchesStrategicMerge: paths = [], replacements = [] } = kustomization;
  const { patches = [], patchesJson6902 = [], replicas = [], images = [] } = kustomization;
  const one = (kind: string, isWanted: boolean, made: unknown): LoweredPlugin[] =>
    isWanted ? [{ kind, config: made }] : [];
  return [
    ...one("PatchStrategicMergeTransformer", paths.length > 0, { paths }),
    ...patches.map((patch) => ({ kind: "PatchTransformer", config: patch })),
    ...one("NamespaceTransformer", Boolean(namespace), {
      metadata: { namespace },
      FieldSpecs: config.namespace,
    }),
    ...one("PrefixTransformer", Boolean(namePrefix), {
      prefix: namePrefix,
      fieldSpecs: config.namePrefix,
    }),
    ...one("SuffixTransformer", Boolean(nameSuffix), {
      suffix: nameSuffix,
      fieldSpecs: config.nameSuffix,
    }),
    ...lowerLabels(kustomization, config),
    ...one("AnnotationsTransformer", Object.keys(commonAnnotations).length > 0, {
      Annotations: commonAnnotations,
      FieldSpecs: config.commonAnnotations,
    }),
    ...patchesJson6902.map(({ target, path, patch }) => ({
      kind: "PatchJson6902Transformer",
      config: { ...(target && { target }), ...(path && { path }), ...(patch && { jsonOp: patch }) },
    })),
    ...replicas.map(({ name, count = 0 }) => ({
      kind: "ReplicaCountTransformer",
      config: { Replica: { ...(name && { name }), count }, FieldSpecs: config.replicas },
    })),
    ...images.map((image) => ({
      kind: "ImageTagTransformer",
      config: { ImageTag: image, FieldSpecs: config.images },
    })),
    ...one("ReplacementTransformer", replacements.length > 0, { Replacements: replacements }),
  ];
}

function lowerLabels(kustomization: Kustomization, config: TransformerConfig): LoweredPlugin[] {
  const { labels = [], commonLabels = {} } = kustomization;
  const kind = "LabelTransformer";
  const lowered = labels.map((args) => ({
    kind,
    config: { Labels: args.pairs, FieldSpecs: labelSpecs(args, config) },
  }));
  if (labels.length === 0 && Object.keys(commonLabels).length === 0) return [];
  return [...lowered, { kind, config: { Labels: commonLabels, FieldSpecs: config.commonLabels } }];
}

function labelSpecs(args: LabelArgs, config: TransformerConfig): readonly FieldSpec[] {
  try {
    const own = mergeFieldSpecs((args.fields ?? []).map(asSpec), config.labels);
    if (args.includeSelectors) return mergeFieldSpecs(own, config.commonLabels);
    const templates = args.includeTemplates ? withTemplates(own, config) : own;
    return mergeFieldSpecs(templates, [{ path: "metadata/labels", create: true }]);
  } catch (error) {
    throw within("failed to merge labels", error);
  }
}

function withTemplates(
  specs: readonly FieldSpec[],
  config: TransformerConfig,
): readonly FieldSpec[] {
  try {
    return mergeFieldSpecs(specs, config.templateLabels);
  } catch (error) {
    throw within("failed to merge template fieldSpec", error);
  }
}

function asSpec({ path = "", ...rest }: FieldSpecArgs): FieldSpec {
  return { ...rest, path };
}
