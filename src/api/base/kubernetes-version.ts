/** The version of Kubernetes whose API and behaviour this is. Stated here only. */
export const kubernetesVersion = "v1.37.1";

/** Its minor version, as documents of the API name it: 1.37. */
export const kubernetesMinor: string = kubernetesVersion.slice(
  1,
  kubernetesVersion.lastIndexOf("."),
);
