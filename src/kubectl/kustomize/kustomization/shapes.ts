/** Upstream: sigs.k8s.io/kustomize/api/types. */
import type { Fields, Shape } from "./decode-shape.ts";

export const text: Shape = { type: "string" };
const flag: Shape = { type: "bool" };
const integer: Shape = { type: "int" };
const anything: Shape = { type: "any" };

export const list = (items: Shape): Shape => ({ type: "list", items });
const map = (values: Shape): Shape => ({ type: "map", values });
export const struct = (name: string, fields: Fields): Shape => ({ type: "struct", name, fields });

const texts = list(text);
export const textMap = map(text);

const gvk = { group: text, version: text, kind: text };

const fieldSpecShape = struct("FieldSpec", { ...gvk, path: text, create: flag });
export const fieldSpecs = list(fieldSpecShape);

const namedObject = { ...gvk, name: text, namespace: text };

export const selectorShape = struct("Selector", {
  ...namedObject,
  labelSelector: text,
  annotationSelector: text,
});

export const patchArgsShape = struct("PatchArgs", { allowNameChange: flag, allowKindChange: flag });

const patchShape = struct("Patch", {
  path: text,
  patch: text,
  target: selectorShape,
  options: patchArgsShape,
});

export const objectMetaShape = struct("ObjectMeta", {
  name: text,
  namespace: text,
  labels: textMap,
  annotations: textMap,
});

const generatorOptionsShape = struct("GeneratorOptions", {
  labels: textMap,
  annotations: textMap,
  disableNameSuffixHash: flag,
  immutable: flag,
});

export const generatorArgs: Fields = {
  namespace: text,
  name: text,
  behavior: text,
  literals: texts,
  files: texts,
  envs: texts,
  env: text,
  options: generatorOptionsShape,
};

export const imageShape = struct("Image", {
  name: text,
  newName: text,
  tagSuffix: text,
  newTag: text,
  digest: text,
});

export const replicaShape = struct("Replica", { name: text, count: { type: "int64" } });

const fieldOptions = struct("FieldOptions", {
  delimiter: text,
  index: integer,
  encoding: text,
  create: flag,
});

const replacementFields: Fields = {
  source: struct("SourceSelector", { ...namedObject, fieldPath: text, options: fieldOptions }),
  targets: list(
    struct("TargetSelector", {
      select: selectorShape,
      reject: list(selectorShape),
      fieldPaths: texts,
      options: fieldOptions,
    }),
  ),
  sourceValue: text,
};

export const replacementShape = struct("Replacement", replacementFields);
export const replacementFieldShape = struct("ReplacementField", {
  ...replacementFields,
  path: text,
});

const varShape = struct("Var", {
  name: text,
  objref: struct("Target", { apiVersion: text, ...namedObject }),
  fieldref: struct("FieldSelector", { fieldPath: text }),
});

const labelShape = struct("Label", {
  pairs: textMap,
  includeSelectors: flag,
  includeTemplates: flag,
  fields: fieldSpecs,
});

const sortOptionsShape = struct("SortOptions", {
  order: text,
  legacySortOptions: struct("LegacySortOptions", { orderFirst: texts, orderLast: texts }),
});

export const helmChart: Fields = {
  name: text,
  version: text,
  repo: text,
  releaseName: text,
  namespace: text,
  additionalValuesFiles: texts,
  valuesFile: text,
  valuesInline: map(anything),
  valuesMerge: text,
  includeCRDs: flag,
  skipHooks: flag,
  apiVersions: texts,
  kubeVersion: text,
  nameTemplate: text,
  skipTests: flag,
  debug: flag,
  devel: flag,
};

export const helmGlobals: Fields = { chartHome: text, configHome: text };

const helmChartArgs: Fields = {
  ...Object.fromEntries(
    "chartName chartVersion chartRepoUrl chartHome chartRepoName helmBin helmHome values valuesMerge releaseName releaseNamespace"
      .split(" ")
      .map((name) => [name, text]),
  ),
  valuesLocal: map(anything),
  extraArgs: texts,
};

export const kustomizationShape = struct("Kustomization", {
  kind: text,
  apiVersion: text,
  metadata: objectMetaShape,
  openapi: textMap,
  namePrefix: text,
  nameSuffix: text,
  namespace: text,
  commonLabels: textMap,
  labels: list(labelShape),
  commonAnnotations: textMap,
  patchesStrategicMerge: texts,
  patchesJson6902: list(patchShape),
  patches: list(patchShape),
  images: list(imageShape),
  imageTags: list(imageShape),
  replacements: list(replacementFieldShape),
  replicas: list(replicaShape),
  vars: list(varShape),
  sortOptions: sortOptionsShape,
  resources: texts,
  components: texts,
  crds: texts,
  bases: texts,
  configMapGenerator: list(struct("ConfigMapArgs", generatorArgs)),
  secretGenerator: list(struct("SecretArgs", { ...generatorArgs, type: text })),
  helmGlobals: struct("HelmGlobals", helmGlobals),
  helmCharts: list(struct("HelmChart", helmChart)),
  helmChartInflationGenerator: list(struct("HelmChartArgs", helmChartArgs)),
  generatorOptions: generatorOptionsShape,
  configurations: texts,
  generators: texts,
  transformers: texts,
  validators: texts,
  buildMetadata: texts,
});

export const transformerConfigShape = struct("TransformerConfig", {
  ...Object.fromEntries(
    "namePrefix nameSuffix namespace commonLabels labels templateLabels commonAnnotations varReference images replicas"
      .split(" ")
      .map((name) => [name, fieldSpecs]),
  ),
  nameReference: list(struct("NameBackReferences", { ...gvk, fieldSpecs })),
});
