/** The version of Kubernetes whose API and behaviour are implemented. Defined only here. */
export const kubernetesVersion = "v1.37.1";

/** Its minor version in API documents: 1.37. */
export const kubernetesMinor: string = kubernetesVersion.slice(
  1,
  kubernetesVersion.lastIndexOf("."),
);
