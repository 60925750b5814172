/** Feature gates that plugins ask for, as v1.37 has them. Upstream: pkg/features/kube_features.go. */
const defaults: Readonly<Record<string, boolean>> = {
  ClusterTrustBundle: true,
  CompositePodGroup: false,
  CSIVolumeHealth: false,
  DRANodeAllocatableResources: false,
  GenericWorkload: false,
  PodCertificateRequest: true,
  PodGroupPreemptionPolicy: false,
  PodLevelResources: true,
  PodTopologyLabelsAdmission: true,
  ServiceAccountNodeAudienceRestriction: true,
};

/** Says which gates are on, given those that --feature-gates sets. */
export function admissionGates(
  settings: Readonly<Record<string, boolean>>,
): (feature: string) => boolean {
  return (feature) => settings[feature] ?? defaults[feature] ?? false;
}
