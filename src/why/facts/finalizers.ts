/** Who removes a finalizer, by its name. */
const owners: ReadonlyMap<string, string> = new Map([
  ["kubernetes", "the namespace controller"],
  ["foregroundDeletion", "the garbage collector, once its dependents are gone,"],
  ["orphan", "the garbage collector"],
  ["kubernetes.io/pvc-protection", "the PVC protection controller, once no Pod uses it,"],
  ["kubernetes.io/pv-protection", "the PV protection controller, once no claim uses it,"],
  [
    "external-provisioner.volume.kubernetes.io/finalizer",
    "the CSI provisioner, once the volume is deleted,",
  ],
  ["kubernetes.io/pv-controller", "the PersistentVolume controller, once the volume is deleted,"],
  [
    "service.kubernetes.io/load-balancer-cleanup",
    "the service controller (cloud controller manager)",
  ],
  ["batch.kubernetes.io/job-tracking", "the Job controller"],
  [
    "customresourcecleanup.apiextensions.k8s.io",
    "the API server, once all its custom resources are gone,",
  ],
  ["kubernetes.io/csi-attacher", "the CSI attacher"],
  ["resource.kubernetes.io/delete-protection", "the resource claim controller"],
  ["networking.k8s.io/service-cidr-finalizer", "the ServiceCIDR controller"],
  ["networking.k8s.io/service-cidr", "the ServiceCIDR controller"],
  ["snapshot.storage.kubernetes.io/volumesnapshot-bound-protection", "the snapshot controller"],
]);

/** The program that must remove a finalizer, as the subject of a sentence. */
export function finalizerOwner(name: string): string {
  const known = owners.get(name);
  if (known !== undefined) return known;
  const [domain = ""] = name.split("/");
  return name.includes("/") ? `the controller of ${domain}` : "the program that set it";
}
