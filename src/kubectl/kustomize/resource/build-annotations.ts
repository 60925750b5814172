/** Upstream: sigs.k8s.io/kustomize/api/internal/utils/annotations.go, kyaml/kio/kioutil. */

const internal = "internal.config.kubernetes.io/";

/** Annotations that a build uses internally; its output has none of them. */
export const buildAnnotations = {
  previousKinds: `${internal}previousKinds`,
  previousNames: `${internal}previousNames`,
  previousNamespaces: `${internal}previousNamespaces`,
  prefixes: `${internal}prefixes`,
  suffixes: `${internal}suffixes`,
  allowNameChange: `${internal}allowNameChange`,
  allowKindChange: `${internal}allowKindChange`,
  refBy: `${internal}refBy`,
  generatorBehavior: `${internal}generatorBehavior`,
  needsHashSuffix: `${internal}needsHashSuffix`,
} as const;

/** Marks an object of a Helm chart. */
export const helmGenerated = `${internal}helm-generated`;

/** Annotations of other programs of the same format. */
const foreign = [
  `${internal}path`,
  `${internal}index`,
  `${internal}seqindent`,
  `${internal}id`,
  `${internal}annotations-migration-resource-id`,
  "config.kubernetes.io/path",
  "config.kubernetes.io/index",
  "config.k8s.io/id",
  helmGenerated,
];

export const allBuildAnnotations: readonly string[] = [
  ...Object.values(buildAnnotations),
  ...foreign,
];

/** True if an annotation is kept when a JSON patch changes the others. */
export function isInternalAnnotation(name: string): boolean {
  return (
    name.startsWith(internal) ||
    ["config.kubernetes.io/path", "config.kubernetes.io/index", "config.k8s.io/id"].includes(name)
  );
}

export const originAnnotation = "config.kubernetes.io/origin";
export const transformationsAnnotation = "alpha.config.kubernetes.io/transformations";
export const localConfigAnnotation = "config.kubernetes.io/local-config";
