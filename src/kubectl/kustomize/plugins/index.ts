import { annotationsTransformer } from "./annotations-transformer.ts";
import { configMapGenerator } from "./config-map-generator.ts";
import { hashTransformer } from "./hash-transformer.ts";
import { helmChartInflationGenerator } from "./helm-chart-inflation-generator.ts";
import { iamPolicyGenerator } from "./iam-policy-generator.ts";
import { imageTagTransformer } from "./image-tag-transformer.ts";
import { labelTransformer } from "./label-transformer.ts";
import { namespaceTransformer } from "./namespace-transformer.ts";
import { patchJson6902Transformer } from "./patch-json-6902-transformer.ts";
import { patchStrategicMergeTransformer } from "./patch-strategic-merge-transformer.ts";
import { patchTransformer } from "./patch-transformer.ts";
import type { Plugin } from "./plugin.ts";
import { prefixSuffixTransformer } from "./prefix-suffix-transformer.ts";
import { prefixTransformer } from "./prefix-transformer.ts";
import { replacementTransformer } from "./replacement-transformer.ts";
import { replicaCountTransformer } from "./replica-count-transformer.ts";
import { secretGenerator } from "./secret-generator.ts";
import { suffixTransformer } from "./suffix-transformer.ts";
import { valueAddTransformer } from "./value-add-transformer.ts";

/** Every built-in plugin. */
const plugins: readonly Plugin[] = [
  annotationsTransformer,
  configMapGenerator,
  hashTransformer,
  helmChartInflationGenerator,
  iamPolicyGenerator,
  imageTagTransformer,
  labelTransformer,
  namespaceTransformer,
  patchJson6902Transformer,
  patchStrategicMergeTransformer,
  patchTransformer,
  prefixSuffixTransformer,
  prefixTransformer,
  replacementTransformer,
  replicaCountTransformer,
  secretGenerator,
  suffixTransformer,
  valueAddTransformer,
];

export function findPlugin(kind: string): Plugin | undefined {
  return plugins.find((plugin) => plugin.kind === kind);
}
