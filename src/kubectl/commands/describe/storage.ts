/** Upstream: k8s.io/kubectl/pkg/describe/describe.go (StorageClass, VolumeAttributesClass, CSINode). */
import type { CSINode, StorageClass, VolumeAttributesClass } from "#/api/storage/v1.ts";
import type { Describer } from "./describers.ts";
import { goList, labelLine, longTime } from "./description.ts";

const boolText = (value: boolean | undefined): string =>
  value === undefined ? "<unset>" : value ? "True" : "False";

const describeStorageClass: Describer = (to, { object }) => {
  const { metadata, provisioner, parameters, allowVolumeExpansion, mountOptions, ...rest } =
    object as unknown as StorageClass;
  const { annotations } = metadata ?? {};
  const isDefault = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
  ];
  to.field(0, "Name", metadata?.name ?? "");
  to.field(
    0,
    "IsDefaultClass",
    isDefault.some((key) => annotations?.[key] === "true") ? "Yes" : "No",
  );
  to.field(0, "Annotations", labelLine(annotations));
  to.field(0, "Provisioner", provisioner);
  to.field(0, "Parameters", labelLine(parameters));
  to.field(0, "AllowVolumeExpansion", boolText(allowVolumeExpansion));
  if (mountOptions?.length)
    to.write(0, `MountOptions:\n${mountOptions.map((option) => `  ${option}\n`).join("")}`);
  else to.field(0, "MountOptions", "<none>");
  if (rest.reclaimPolicy) to.field(0, "ReclaimPolicy", rest.reclaimPolicy);
  if (rest.volumeBindingMode) to.field(0, "VolumeBindingMode", rest.volumeBindingMode);
  if (!rest.allowedTopologies?.length) return;
  to.write(0, "AllowedTopologies:\t\n");
  for (const [i, { matchLabelExpressions = [] }] of rest.allowedTopologies.entries()) {
    const lines = matchLabelExpressions.map(
      ({ key, values }) => `${key} in [${(values ?? []).join(", ")}]\n`,
    );
    to.write(1, `Term ${i}:\t${lines.join("  \t") || "<none>\n"}`);
  }
};

const describeVolumeAttributesClass: Describer = (to, { object }) => {
  const { metadata, driverName, parameters } = object as unknown as VolumeAttributesClass;
  to.field(0, "Name", metadata?.name ?? "");
  to.field(0, "Annotations", labelLine(metadata?.annotations));
  to.field(0, "DriverName", driverName);
  to.field(0, "Parameters", labelLine(parameters));
};

const describeCsiNode: Describer = (to, { object }) => {
  const { metadata, spec } = object as unknown as CSINode;
  to.head(object.metadata, { namespaced: false });
  to.field(0, "CreationTimestamp", longTime(metadata?.creationTimestamp));
  to.write(0, "Spec:\n");
  if (spec.drivers) to.write(1, "Drivers:\n");
  for (const { name, nodeID, allocatable, topologyKeys } of spec.drivers ?? []) {
    to.write(2, `${name}:\n`);
    to.field(3, "Node ID", nodeID);
    if (allocatable?.count !== undefined) {
      to.write(3, "Allocatables:\n");
      to.field(4, "Count", allocatable.count);
    }
    if (topologyKeys) to.field(3, "Topology Keys", goList(topologyKeys));
  }
};

export const describers: Readonly<Record<string, Describer>> = {
  "storage.k8s.io/StorageClass": describeStorageClass,
  "storage.k8s.io/VolumeAttributesClass": describeVolumeAttributesClass,
  "storage.k8s.io/CSINode": describeCsiNode,
};
