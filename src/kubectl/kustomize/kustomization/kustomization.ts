/** Upstream: sigs.k8s.io/kustomize/api/types/kustomization.go. */
import type { HelmConfig } from "./helm-chart.ts";

/** A selector of objects; each field is a regular expression. */
export interface Selector {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly annotationSelector?: string;
}

export interface Patch {
  readonly path?: string;
  readonly patch?: string;
  readonly target?: Selector;
  readonly options?: { readonly allowNameChange?: boolean; readonly allowKindChange?: boolean };
}

export interface GeneratorOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly disableNameSuffixHash?: boolean;
  readonly immutable?: boolean;
}

/** A ConfigMap or a Secret generated from files and literals. */
export interface GeneratorArgs {
  readonly name?: string;
  readonly namespace?: string;
  readonly behavior?: string;
  readonly type?: string;
  readonly literals?: readonly string[];
  readonly files?: readonly string[];
  readonly envs?: readonly string[];
  readonly env?: string;
  readonly options?: GeneratorOptions;
}

export interface LabelArgs {
  readonly pairs?: Readonly<Record<string, string>>;
  readonly includeSelectors?: boolean;
  readonly includeTemplates?: boolean;
  readonly fields?: readonly FieldSpecArgs[];
}

export interface FieldSpecArgs {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly path?: string;
  readonly create?: boolean;
}

export interface ImageArgs {
  readonly name?: string;
  readonly newName?: string;
  readonly newTag?: string;
  readonly tagSuffix?: string;
  readonly digest?: string;
}

export interface ReplacementOptions {
  readonly delimiter?: string;
  readonly index?: number;
  readonly encoding?: string;
  readonly create?: boolean;
}

export interface ReplacementTarget {
  readonly select?: Selector;
  readonly reject?: readonly Selector[];
  readonly fieldPaths?: readonly string[];
  readonly options?: ReplacementOptions;
}

export interface ReplacementSource {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly fieldPath?: string;
  readonly options?: ReplacementOptions;
}

export interface Replacement {
  readonly path?: string;
  readonly source?: ReplacementSource;
  readonly sourceValue?: string;
  readonly targets?: readonly ReplacementTarget[];
}

/** A variable: a name for a field of an object. */
export interface Var {
  readonly name?: string;
  readonly objref?: {
    readonly apiVersion?: string;
    readonly group?: string;
    readonly version?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly namespace?: string;
  };
  readonly fieldref?: { readonly fieldPath?: string };
}

export interface SortOptions {
  readonly order?: string;
  readonly legacySortOptions?: {
    readonly orderFirst?: readonly string[];
    readonly orderLast?: readonly string[];
  };
}

/** The content of a kustomization.yaml. */
export interface Kustomization {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly resources?: readonly string[];
  readonly bases?: readonly string[];
  readonly components?: readonly string[];
  readonly namePrefix?: string;
  readonly nameSuffix?: string;
  readonly namespace?: string;
  readonly commonLabels?: Readonly<Record<string, string>>;
  readonly labels?: readonly LabelArgs[];
  readonly commonAnnotations?: Readonly<Record<string, string>>;
  readonly patches?: readonly Patch[];
  readonly patchesStrategicMerge?: readonly string[];
  readonly patchesJson6902?: readonly Patch[];
  readonly images?: readonly ImageArgs[];
  readonly imageTags?: readonly ImageArgs[];
  readonly replicas?: readonly { readonly name?: string; readonly count?: number }[];
  readonly replacements?: readonly Replacement[];
  readonly vars?: readonly Var[];
  readonly configMapGenerator?: readonly GeneratorArgs[];
  readonly secretGenerator?: readonly GeneratorArgs[];
  readonly generatorOptions?: GeneratorOptions;
  readonly configurations?: readonly string[];
  readonly crds?: readonly string[];
  readonly openapi?: Readonly<Record<string, string>>;
  readonly sortOptions?: SortOptions;
  readonly helmGlobals?: object;
  readonly helmCharts?: readonly HelmConfig[];
  readonly helmChartInflationGenerator?: readonly Readonly<Record<string, unknown>>[];
  readonly generators?: readonly string[];
  readonly transformers?: readonly string[];
  readonly validators?: readonly string[];
  readonly buildMetadata?: readonly string[];
}

/** Warnings about deprecated fields. */
export function deprecations(kustomization: Kustomization): string[] {
  return deprecatedFields
    .filter(([field]) => kustomization[field] !== undefined)
    .map(
      ([field, instead, note = ""]) =>
        `# Warning: '${field}' is deprecated. Please use '${instead}' instead. ${note}Run 'kustomize edit fix' to update your Kustomization automatically.`,
    );
}

const deprecatedFields: readonly (readonly [keyof Kustomization, string, string?])[] = [
  ["bases", "resources"],
  ["commonLabels", "labels"],
  ["imageTags", "images"],
  ["patchesJson6902", "patches"],
  ["patchesStrategicMerge", "patches"],
  ["vars", "replacements", "[EXPERIMENTAL] "],
];
